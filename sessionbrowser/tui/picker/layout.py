"""How the picker shares its space: list, preview at the right or below, or no preview."""

from __future__ import annotations

from typing import NamedTuple

WIDE = 90  # columns from which on list and preview stand side by side, as in the browser
TALL = 16  # lines from which on there is room for a preview below
LEAST_LIST, LEAST_PREVIEW = 30, 24

PREVIEWS = ("on", "off", "right", "bottom")


class Layout(NamedTuple):
    """Cells and lines inside frames; a blank stands before the preview. `preview` is "right", "bottom" or "" (not shown)."""

    width: int
    height: int
    framed: bool
    preview: str
    list_width: int
    list_height: int
    preview_width: int
    preview_height: int
    has_footer: bool

    @property
    def body(self) -> int:
        """Lines between the box and the footer."""
        return self.height - 1 - self.has_footer


def lay_out(width: int, height: int, preview: str, *, framed: bool, share: float = 0.5) -> Layout:
    """Share `width` by `height` cells. `preview` is one of PREVIEWS; one that has no room is not shown.

    `share` is the part of the width that the list takes beside a preview.
    """
    has_footer = height >= 4
    body = max(1, height - 1 - has_footer)
    where = _where(width, body, preview)
    framed = framed and width >= WIDE and body >= 6
    if where == "right":
        left = max(LEAST_LIST, min(round(width * share), width - LEAST_PREVIEW))
        lost = 2 if framed else 0
        beside = 3 if framed else 2  # frame or edge, and a blank
        return Layout(width, height, framed, where, left - lost, body - lost, width - left - beside, body - lost, has_footer)
    if where == "bottom":
        lost = 2 if framed else 0
        above = max(3, body * 2 // 5)
        below = body - above
        return Layout(width, height, framed, where, width - lost, above - lost, width - 1 - lost, below - (lost or 1), has_footer)
    lost = 2 if framed else 0
    return Layout(width, height, framed, "", width - lost, body - lost, 0, 0, has_footer)


def _where(width: int, body: int, preview: str) -> str:
    room_right = width >= LEAST_LIST + LEAST_PREVIEW and body >= 1
    room_below = body >= 7
    if preview == "right":
        return "right" if room_right else "bottom" if room_below else ""
    if preview == "bottom":
        return "bottom" if room_below else ""
    if preview == "on":
        return "right" if width >= WIDE else "bottom" if body >= TALL else ""
    return ""
