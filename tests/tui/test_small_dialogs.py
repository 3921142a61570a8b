"""Cards and menus where there is hardly any room."""

from __future__ import annotations

import pytest
from fakelibrary import FakeLibrary, seven
from screenlines import app_of, lines, settled

SIZE = (20, 5)


@pytest.mark.parametrize(("key", "words"), [("question_mark", "The sessions,"), ("Y", "session id"), ("i", "title"), ("ctrl+p", "Open")])
async def test_a_dialog_says_something_on_the_smallest_screen(key: str, words: str) -> None:
    """Its frame is all that stands around it."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press(key)
        await pilot.pause(0.05)
        shown = lines(app)
        assert shown[0].startswith("╭─ ") and shown[-1].startswith("╰─")
        assert any(words in line for line in shown[1:-1])


async def test_the_choice_under_the_cursor_stays_in_sight() -> None:
    """The menu goes along with it, around at the end, too."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("Y", "up")
        await pilot.pause(0.05)
        assert any("M  transcript" in line for line in lines(app))
        await pilot.press("down")
        await pilot.pause(0.05)
        assert any("r  resume" in line for line in lines(app))


async def test_a_value_without_room_beside_its_name_stands_below_it() -> None:
    """None of it is cut away."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(24, 30)) as pilot:
        await settled(pilot)
        await pilot.press("i")
        await pilot.pause(0.05)
        shown = [line.strip("│ ") for line in lines(app)]
        at = shown.index("id")
        assert "".join(shown[at + 1 : at + 4]).startswith(seven()[0].id[:8])
