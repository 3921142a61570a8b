"""Keys that come at once: each does what it would have done alone."""

from __future__ import annotations

from fakelibrary import FakeLibrary, seven
from screenlines import app_of, settled
from textual import events
from textual.pilot import Pilot

from sessionbrowser.tui.browser import Browser
from sessionbrowser.tui.dialogs.menu import Menu


def at_once(pilot: Pilot[object], keys: str) -> None:
    """All keys in the app's queue before the first is looked at."""
    names = {"/": "slash", ":": "colon", "\r": "enter"}
    for key in keys:
        pilot.app.post_message(events.Key(names.get(key, key), key))


async def until_quiet(pilot: Pilot[object]) -> None:
    for _ in range(20):
        await pilot.pause(0.01)


def browser(app: object) -> Browser:
    screen = app.screen_stack[0]  # type: ignore[attr-defined]
    assert isinstance(screen, Browser)
    return screen


async def test_words_after_the_slash_go_to_the_find_line_of_a_transcript() -> None:
    """None of them runs as a command."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        at_once(pilot, "/fixical")
        await until_quiet(pilot)
        assert browser(app).transcript._typed == "fixical"
        assert len(app.screen_stack) == 1


async def test_letters_after_the_colon_are_no_commands_and_digits_a_turn() -> None:
    """The prompt for a turn takes digits alone."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        at_once(pilot, ":i1i2")
        await until_quiet(pilot)
        assert browser(app).transcript._typed == "12"
        assert len(app.screen_stack) == 1


async def test_words_after_the_slash_go_to_the_box_of_the_list() -> None:
    """The list narrows by all of them."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        at_once(pilot, "/node")
        await until_quiet(pilot)
        assert browser(app).box.value == "node"
        assert browser(app).list.count == 1


async def test_a_key_after_one_that_opens_a_menu_is_for_the_menu() -> None:
    """`Y` then `t` copies the title."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        copied: list[str] = []
        browser(app).leaving.copy_text = lambda text, what: copied.append(text)  # type: ignore[method-assign]
        at_once(pilot, "Yt")
        await until_quiet(pilot)
        assert copied == ["Make the login test deterministic"]
        assert not isinstance(app.screen, Menu)


async def test_a_letter_with_alt_is_not_typed_into_the_box() -> None:
    """Most terminals send escape and the letter."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        at_once(pilot, "/no")
        await until_quiet(pilot)
        app.post_message(events.Key("alt+n", "n"))
        await until_quiet(pilot)
        assert browser(app).box.value == "no"


async def test_the_list_is_made_once_for_letters_that_come_at_once() -> None:
    """Nobody sees what it would be for the letters before the last."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        shown: list[str] = []
        made = browser(app).list.show
        browser(app).list.show = lambda *given, **more: (shown.append(browser(app).box.value), made(*given, **more))[1]  # type: ignore[method-assign]
        at_once(pilot, "node")
        await until_quiet(pilot)
        assert shown == ["node"]
        assert browser(app).list.count == 1


async def test_enter_after_letters_opens_what_all_of_them_find() -> None:
    """The list it opens from is that of the whole word."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        at_once(pilot, "/node\r")
        await until_quiet(pilot)
        assert browser(app).active == "reading"
        session = browser(app).reading.session
        assert session is not None
        assert "node" in session.title.lower()
