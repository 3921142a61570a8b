"""The palette of commands."""

from __future__ import annotations

from fakelibrary import FakeLibrary, seven
from screenlines import app_of, lines, settled, text

from sessionbrowser.tui.app import SessionBrowserApp
from sessionbrowser.tui.browser import Browser
from sessionbrowser.tui.dialogs.commands import Palette

SIZE = (110, 34)


def palette(app: SessionBrowserApp) -> Palette:
    assert isinstance(app.screen, Palette)
    return app.screen


def names(app: SessionBrowserApp) -> list[str]:
    shown = palette(app)
    return [shown.commands[at].name for at in shown.found]


async def test_what_matters_comes_first_and_moves_last() -> None:
    """Opening, resuming, copying; a page up is not what one looks for by name."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p")
        await pilot.pause(0.05)
        found = names(app)
        assert found[:3] == ["Open", "Resume", "Copy the resume command"]
        assert found.index("Quit") < found.index("A page down")
        assert "🔎" not in text(app)
        assert any("Resume  " in line and " r " in line for line in lines(app))


async def test_typing_finds_by_the_words_of_a_name_and_by_nothing_else() -> None:
    """Letters strewn over a name are no match."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p", *"theme")
        assert names(app) == ["Next theme: dark, light, the terminal's"]
        await pilot.press("ctrl+u", *"quit")
        assert names(app)[0] == "Quit"


async def test_enter_does_what_is_chosen() -> None:
    """As its key would."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p", *"theme", "enter")
        await pilot.pause(0.05)
        assert app.palette.name == "light"
        assert isinstance(app.screen, Browser)


async def test_it_has_the_commands_of_the_list_from_the_box_too() -> None:
    """Where their letters are text."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("slash", "ctrl+p", *"resume")
        assert "Resume" in names(app)


async def test_nothing_of_that_name_says_so_and_enter_closes() -> None:
    """No command runs by accident."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p", *"zzz")
        await pilot.pause(0.05)
        assert "no command is called that" in text(app)
        await pilot.press("enter")
        assert isinstance(app.screen, Browser)
