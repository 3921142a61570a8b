"""The bottom line: which keys it shows, and what gives way to what."""

from __future__ import annotations

import pytest
from fakelibrary import NOW, FakeLibrary, session, seven
from screenlines import app_of, lines, settled, text

from sessionbrowser.model import Agent, Handle, Root
from sessionbrowser.tui.app import SessionBrowserApp
from sessionbrowser.tui.browser import Browser

NARROW, WIDE = (80, 24), (140, 40)


def browser(app: SessionBrowserApp) -> Browser:
    screen = app.screen_stack[0]
    assert isinstance(screen, Browser)
    return screen


async def test_escape_is_named_by_what_it_does_in_the_box() -> None:
    """It clears what is there, and leaves an empty box."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        assert "esc leave" in lines(app)[-1]
        await pilot.press("n")
        await pilot.pause()
        assert "esc clear" in lines(app)[-1]
        await pilot.press("escape")
        await pilot.pause()
        assert "esc leave" in lines(app)[-1]


@pytest.mark.parametrize("hidden", ["", "headless"])
async def test_what_is_hidden_is_offered_where_there_is_something(hidden: str) -> None:
    """Not in a home without a session."""
    rows = [session(0, hidden=hidden)] if hidden else []
    async with (app := app_of(FakeLibrary(rows))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert ("x hidden" in lines(app)[-1]) == bool(hidden)


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_the_way_back_from_a_subagent_is_named(size: tuple[int, int]) -> None:
    """Where one pane is shown at a time, the way back to the list, too."""
    library = FakeLibrary(seven())
    row = seven()[0]
    below = Agent("a1", "subagent", "Explore", "find the callers", status="finished", started=NOW - 60, ended=NOW,
                  handle=Handle("claude", Root("claude", "/home/ada"), "/home/ada/a1.jsonl", "", "a1", 10, 0, 0))  # fmt: skip
    library.trees[row.id] = Agent(row.id, "session", started=NOW - 90, ended=NOW, children=(below,))
    async with (app := app_of(library)).run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert ("backspace back" in lines(app)[-1]) == (size == NARROW)
        browser(app).reading.open_agent(below)
        await pilot.pause()
        assert "backspace back" in lines(app)[-1]


@pytest.mark.parametrize(("width", "keys"), [(100, "enter open   / find   ? help"), (60, "enter open   ? help"), (30, "? help")])
async def test_a_message_leaves_room_for_keys(width: int, keys: str) -> None:
    """However long it is: a third of the line."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(width, 24)) as pilot:
        await settled(pilot)
        browser(app).say("a message " * 20)
        await pilot.pause()
        assert lines(app)[-1].startswith(" a message a m")
        assert lines(app)[-1].endswith(f"…  {keys}")


@pytest.mark.parametrize(("width", "waiting"), [(60, False), (80, True)])
async def test_copying_is_named_before_who_else_waits(width: int, waiting: bool) -> None:
    """What the line is for comes first."""
    rows = [session(number, status="waiting", updated=NOW - number * 60.0) for number in range(7)]
    async with (app := app_of(FakeLibrary(rows))).run_test(size=(width, 24)) as pilot:
        await settled(pilot)
        assert "c copy" in lines(app)[-1]
        assert ("7 need you" in lines(app)[-1]) == waiting


async def test_help_gives_a_line_to_what_several_keys_do_and_names_the_palette() -> None:
    """One for help, one for quitting."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(120, 80)) as pilot:
        await settled(pilot)
        await pilot.press("question_mark")
        await pilot.pause()
        said = [" ".join(line.strip(" │").split()) for line in lines(app)]
        assert "? f1 Help" in said and "q ctrl+q Quit" in said
        assert "ctrl+p All commands, by name" in said


async def test_keys_answer_without_a_session() -> None:
    """There are no details of none."""
    async with (app := app_of(FakeLibrary())).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("i")
        assert "no session is chosen" in text(app)


async def test_a_question_left_alone_for_days_is_not_counted_and_not_gone_to() -> None:
    """Its sign stays."""
    rows = [session(0, status="finished"), session(1, status="waiting", updated=NOW - 5 * 86400), session(2, status="waiting", updated=NOW - 60)]
    async with (app := app_of(FakeLibrary(rows))).run_test(size=(100, 24)) as pilot:
        await settled(pilot)
        assert "1 needs you" in lines(app)[-1]
        await pilot.press("w", "w")
        assert browser(app).list.current == rows[2]
