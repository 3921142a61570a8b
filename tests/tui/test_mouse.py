"""What is written on the screen as a key, a count or an order can be clicked on."""

from __future__ import annotations

import pytest
from fakelibrary import FakeLibrary, seven
from screenlines import app_of, lines, settled
from test_browser import browser
from textual.pilot import Pilot

from sessionbrowser.tui.app import SessionBrowserApp
from sessionbrowser.tui.dialogs.card import Card

WIDE = (140, 30)


async def click(app: SessionBrowserApp, pilot: Pilot[object], words: str) -> None:
    """Click on words that stand on the screen."""
    y, line = next((y, line) for y, line in enumerate(lines(app)) if words in line)
    await pilot.click(offset=(line.index(words) + 1, y))
    await pilot.pause(0.05)


@pytest.mark.parametrize("look", ["dark", "none"])
async def test_the_keys_of_the_bottom_line(look: str) -> None:
    """Those of the pane with the focus, like pressing them; the words beside them too."""
    async with (app := app_of(FakeLibrary(seven()), look=look)).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await click(app, pilot, "/ find")
        assert browser(app).focused_pane == "box"
        await pilot.press(*"node")
        await click(app, pilot, "clear")
        assert (browser(app).box.value, browser(app).focused_pane) == ("", "box")
        await pilot.press("escape")
        await click(app, pilot, "enter open")
        assert browser(app).focused_pane == "reading"
        await click(app, pilot, "? help")
        assert isinstance(app.screen, Card)


async def test_the_count_of_hidden_sessions() -> None:
    """Shows them, and hides them again; the box beside it keeps its own clicks."""
    rows = [seven()[0], *(one._replace(hidden="scripted") for one in seven()[1:])]
    async with (app := app_of(FakeLibrary(rows))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await click(app, pilot, "6 hidden (x)")
        assert browser(app).list.count == 7
        await click(app, pilot, "6 hidden ones shown (x)")
        assert browser(app).list.count == 1


async def test_the_order_over_the_list() -> None:
    """Goes round as its key does; a click on a row stays a click on a row."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await click(app, pilot, "newest first")
        assert "last begun first" in lines(app)[1]
        await click(app, pilot, "Bump Node")
        assert "last begun first" in lines(app)[1]
        assert "Bump Node" in browser(app).list.current.title


async def test_what_can_be_clicked_looks_as_it_did() -> None:
    """Words that are no links to elsewhere have no underlines."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        painted = [segment for strip in app.screen._compositor.render_strips() for segment in strip]
        assert not any(style and style.underline for _, style, _ in painted)
        known = {app.palette.style(name).color for name in ("key", "dim")}
        last = [segment for segment in app.screen._compositor.render_strips()[-1] if "help" in segment.text or "?" in segment.text]
        assert last and {segment.style.color for segment in last if segment.style} <= known
