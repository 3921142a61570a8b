"""NO_COLOR: nothing on the screen has a colour of its own, the theme Textual begins with included."""

from __future__ import annotations

import pytest
from fakelibrary import FakeLibrary, seven
from rich.color import Color
from rich.segment import Segment
from screenlines import app_of, settled

from sessionbrowser.tui.app import SessionBrowserApp


def colours(app: SessionBrowserApp) -> set[Color]:
    """Every colour of letters and of what is behind them that is not the terminal's own."""
    painted: list[Segment] = [segment for strip in app.screen._compositor.render_strips() for segment in strip]
    used = {colour for _, style, _ in painted if style for colour in (style.color, style.bgcolor)}
    return {colour for colour in used if colour is not None and not colour.is_default}


async def test_no_color_paints_with_the_terminals_own_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Black on black was the terminal's colours turned grey by Textual's filter."""
    monkeypatch.setenv("NO_COLOR", "1")
    async with (app := app_of(FakeLibrary(seven()), look="none")).run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        assert colours(app) == set()
        await pilot.press("question_mark")
        await pilot.pause(0.02)
        assert colours(app) == set()


async def test_with_colours_there_are_some() -> None:
    """The measure measures."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        assert colours(app)
