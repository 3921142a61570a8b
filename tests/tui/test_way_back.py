"""Back from a subagent: the same place, the same blocks open."""

from __future__ import annotations

from pathlib import Path

from screenlines import app_of, settled
from textual.pilot import Pilot

from sessionbrowser.library import Library
from sessionbrowser.paths import Environment
from sessionbrowser.tui.browser import Browser

NOW = 1778770800.0
SIZE = (120, 16)  # few lines: the session does not fit


def browser(pilot: Pilot[object]) -> Browser:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, Browser)
    return screen


def picture(pilot: Pilot[object]) -> tuple[int, list[str]]:
    view = browser(pilot).transcript
    return view.current, [view.render_line(y).text for y in range(view.size.height)]


async def until(pilot: Pilot[object], done: object) -> None:
    for _ in range(300):
        await pilot.pause(0.01)
        if done():  # type: ignore[operator]
            return
    raise AssertionError("it never came")


async def test_back_from_a_subagent_is_where_its_call_stands(demo_home: Path, tmp_path: Path) -> None:
    """With what was opened there, and the call under the cursor."""
    environment = Environment(str(demo_home), {"SB_CACHE_DIR": str(tmp_path)}, str(demo_home), "linux", NOW)
    app = app_of(Library(environment), query="has:subagents")  # type: ignore[arg-type]
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        view = browser(pilot).transcript
        await until(pilot, lambda: view.outline is not None and not view.partial and browser(pilot).tree_pane.root is not None)
        await pilot.press("g", "right_curly_bracket", "space")
        while view.page.items.block(view.current).what != "agent":
            await pilot.press("right_parenthesis")
        await pilot.pause(0.3)
        before, title = picture(pilot), browser(pilot).pane("reading").words[0]
        await pilot.press("enter")
        await until(pilot, lambda: browser(pilot).reading.agent is not None and view.outline is not None)
        assert browser(pilot).pane("reading").words[0] != title
        await pilot.press("backspace")
        await until(pilot, lambda: view.outline is not None and not view.partial)
        await pilot.pause(0.3)
        assert picture(pilot) == before
