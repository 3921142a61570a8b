"""Painting only what changed: of every region to be updated, the widgets that show in it and only their cells in it.

Textual renders all widgets between the topmost and the lowest change, and cuts what they draw into the screen's pieces,
before it writes the pieces that changed: a letter in the box would draw the transcript too. It leans on a private module of
Textual, as `tty_driver.py` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Console
from textual._compositor import Compositor, CompositorUpdate
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

Piece = tuple[int, int, Strip]  # line, column, what stands from there on


class Pieces(CompositorUpdate):
    """Lines of widgets, and where they go."""

    def __init__(self, pieces: list[Piece]) -> None:
        self._pieces = pieces

    def render_segments(self, console: Console) -> str:
        return "".join([f"\x1b[{y + 1};{x + 1}H{strip.render(console)}" for y, x, strip in self._pieces])


class NarrowCompositor(Compositor):
    """The compositor of a screen whose widgets are opaque."""

    def render_partial_update(self) -> Pieces | None:  # type: ignore[override]
        screen = self.size.region
        wanted = [seen for region in self._dirty_regions if (seen := region.intersection(screen))]
        self._dirty_regions.clear()
        return Pieces(sorted(self._pieces(wanted), key=_place)) if wanted else None

    def _pieces(self, wanted: list[Region]) -> Iterator[Piece]:
        """What is seen of every widget in the wanted regions, the front first."""
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            parts = [part for one in wanted if (part := one.intersection(seen))]
            if not parts:
                continue
            lines = Region.from_union(parts)
            strips = widget.render_lines(Region(seen.x - region.x, lines.y - region.y, seen.width, lines.height))
            for part in parts:
                begin, end = part.x - seen.x, part.right - seen.x
                for y, strip in enumerate(strips[part.y - lines.y : part.bottom - lines.y], part.y):
                    yield y, part.x, strip.crop(begin, end)
            wanted = [rest for one in wanted for rest in _without(one, seen)]
            if not wanted:
                return


def _place(piece: Piece) -> tuple[int, int]:
    return piece[:2]


def _without(region: Region, hole: Region) -> Iterable[Region]:
    """What is left of a region around a hole in it."""
    x, y, right, bottom = region.x, region.y, region.right, region.bottom
    cut = region.intersection(hole)
    if not cut:
        return (region,)
    above, below = Region(x, y, region.width, cut.y - y), Region(x, cut.bottom, region.width, bottom - cut.bottom)
    before, behind = Region(x, cut.y, cut.x - x, cut.height), Region(cut.right, cut.y, right - cut.right, cut.height)
    return [part for part in (above, below, before, behind) if part]


def paint_narrowly(screen: Screen[Any]) -> None:
    """Give a screen that is not shown yet a compositor of this kind."""
    screen._compositor = NarrowCompositor()
