"""Completing in the box."""

from __future__ import annotations

import pytest
from fakelibrary import FakeLibrary, seven
from screenlines import app_of, lines, settled

from sessionbrowser.tui.app import SessionBrowserApp
from sessionbrowser.tui.browser import Browser

SIZE = (100, 24)


def browser(app: SessionBrowserApp) -> Browser:
    screen = app.screen_stack[0]
    assert isinstance(screen, Browser)
    return screen


async def test_behind_the_only_field_its_values_are_offered() -> None:
    """Tab goes on where it has put in a field."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"sour", "tab", "tab")
        assert browser(app).box.value == "source:claude"
        await pilot.press("ctrl+u", *"sour", "tab", "tab", "tab")
        assert browser(app).box.value == "source:codex"


@pytest.mark.parametrize("typed", ["jup", "file:", "source:codex"])
async def test_with_nothing_to_complete_the_focus_stays_in_the_box(typed: str) -> None:
    """What is typed next is text, and no command."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *typed, "tab")
        await pilot.pause()
        assert "nothing to complete; shift+tab leaves" in lines(app)[-1]
        await pilot.press("x")
        assert browser(app).box.value == f"{typed}x"
        await pilot.press("shift+tab")
        assert browser(app).focused_pane == "sessions"
        assert browser(app).box.value == f"{typed}x"


async def test_the_empty_box_offers_the_fields() -> None:
    """Who knows none of them finds one."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("slash", "tab")
        await pilot.pause()
        assert browser(app).box.value == "source:"
        assert "branch:" in lines(app)[1]


async def test_the_only_completion_is_named_where_others_stood() -> None:
    """The line under the box is not left empty."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"is:", "tab", "space", *"tool:Ba", "tab")
        await pilot.pause()
        assert lines(app)[1].strip() == "Bash"
