"""What a screen shows, as lines of text."""

from __future__ import annotations

from fakelibrary import FakeLibrary
from textual.pilot import Pilot
from textual.widget import Widget

from sessionbrowser.render.glyphs import UNICODE, Glyphs
from sessionbrowser.tui.app import SessionBrowserApp


def app_of(library: FakeLibrary, *, look: str = "dark", glyphs: Glyphs = UNICODE, **more: object) -> SessionBrowserApp:
    """The app on an invented library."""
    more.setdefault("full_text", False)
    return SessionBrowserApp(library, look=look, glyphs=glyphs, **more)  # type: ignore[arg-type]


def lines(app: SessionBrowserApp) -> list[str]:
    """The whole screen, line by line, without blanks at the ends of lines."""
    return ["".join(segment.text for segment in strip).rstrip() for strip in app.screen._compositor.render_strips()]


def text(app: SessionBrowserApp) -> str:
    """The whole screen as one string."""
    return "\n".join(lines(app))


def shown(widget: Widget) -> list[str]:
    """What one widget draws."""
    return [strip.text.rstrip() for strip in widget.render_lines(widget.size.region)]


async def settled(pilot: Pilot[object]) -> None:
    """Wait until the load has ended and its rows are drawn."""
    browser = pilot.app.screen_stack[0]
    for _ in range(200):
        await pilot.pause()
        if browser.listing.is_complete:  # type: ignore[attr-defined]
            break
        await pilot.pause(0.005)
    await pilot.pause()
