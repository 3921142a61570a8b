"""Painting only what changed: of every region to be updated, the widgets that show in it and only their lines in it.

Textual renders all widgets between the topmost and the lowest change, and cuts what they draw into the screen's pieces,
before it writes the pieces that changed: a letter in the box would draw the transcript too. It leans on a private module of
Textual, as `tty_driver.py` does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip


class NarrowCompositor(Compositor):
    """The compositor of a screen whose widgets are opaque."""

    def __init__(self) -> None:
        super().__init__()
        self._wanted: list[Region] = []

    def render_partial_update(self) -> ChopsUpdate | None:
        screen = self.size.region
        self._wanted = [seen for region in self._dirty_regions if (seen := region.intersection(screen))]
        try:
            return super().render_partial_update()
        finally:
            self._wanted = []

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        if not self._wanted:
            yield from super()._get_renders(crop)
            return
        left = self._wanted
        for widget, (region, clip) in self.visible_widgets.items():  # the front first
            seen = region.intersection(clip)
            parts = [part for wanted in left if (part := wanted.intersection(seen))]
            if not parts:
                continue
            lines = Region.from_union(parts)
            here = Region(seen.x, lines.y, seen.width, lines.height)
            yield here, clip, widget.render_lines(here.translate((-region.x, -region.y)))
            left = [wanted for wanted in left if not seen.contains_region(wanted)]
            if not left:
                return


def paint_narrowly(screen: Screen[Any]) -> None:
    """Give a screen that is not shown yet a compositor of this kind."""
    screen._compositor = NarrowCompositor()
