"""What widgets draw with: the palette and the glyphs of the app they live in."""

from __future__ import annotations

from typing import Protocol, cast

from textual.app import App
from textual.widget import Widget

from sessionbrowser.render.glyphs import UNICODE, Glyphs
from sessionbrowser.render.palette import Palette, palette


class Look(Protocol):
    """An app that has a look of its own."""

    glyphs: Glyphs
    palette: Palette


def look_of(widget: Widget) -> tuple[Palette, Glyphs]:
    """The palette and the glyphs to draw `widget` with; the dark theme in an app that has none."""
    app: App[object] = widget.app
    if hasattr(app, "palette") and hasattr(app, "glyphs"):
        look = cast(Look, app)
        return look.palette, look.glyphs
    return palette("dark"), UNICODE
