"""The transcript: shown from its end, folded, moved through, and never jumping."""

from __future__ import annotations

from io import BytesIO

import pytest
from fakesession import HANDLE, Session, TranscriptApp, long_session, ready
from PIL import Image

from sessionbrowser.model import Body, Checklist, Picture, Plain
from sessionbrowser.tui.transcript import TranscriptView

SIZE = (80, 24)
KEYS = {"]": "right_square_bracket", "{": "left_curly_bracket", "}": "right_curly_bracket", ")": "right_parenthesis"}


def small() -> Session:
    session = Session()
    session.add("prompt", "make the tests quick")
    session.add("thinking", "hm\nlet me see", model="claude-sonnet-4-5-20250929")
    session.tool("pytest -q", "FAILED test_login\nno clock", ok=False, exit_code=1)
    session.edit("src/app.py")
    session.add("text", "It was the **clock**.", model="claude-sonnet-4-5-20250929")
    return session


async def test_a_session_opens_at_its_end() -> None:
    """The newest answer is what one wants to see first."""
    async with TranscriptApp(long_session()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        assert "src/file39.py" in app.shown()
        assert app.view.scroll_offset.y == app.view.max_scroll_y


async def test_blocks_are_told_apart() -> None:
    """Prompt with number and bar, who answers, thinking, calls with their outcome, prose without marks."""
    async with TranscriptApp(small()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        shown = [line.strip() for line in app.lines() if line]
        assert shown[0].startswith("1   You")
        assert shown[1] == "▍   make the tests quick"
        assert shown[2].startswith("sonnet-4-5")
        assert shown[3] == "▸ thinking  2 lines"
        assert shown[4] == "▸ Bash  pytest -q  ✗ exit 1  2 lines"
        assert shown[5] == "▸ Edit  src/app.py  +1 −1"
        assert shown[6].endswith("It was the clock.")


async def test_enter_opens_and_folds_the_current_block() -> None:
    """Its body appears below its heading, and goes."""
    async with TranscriptApp(small()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("E", "enter")
        assert "no clock" in app.shown()
        await pilot.press("enter")
        assert "no clock" not in app.shown()


async def test_all_calls_open_with_one_key_and_fold_again() -> None:
    """`t` for tools."""
    async with TranscriptApp(small()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("t")
        assert "no clock" in app.shown() and "4 + c" in app.shown()
        await pilot.press("t")
        assert "no clock" not in app.shown()


async def test_long_output_is_cut_and_opened_whole_by_a_second_press() -> None:
    """Folded, open, nothing left out, folded."""
    session = Session()
    session.add("prompt", "list")
    session.tool("seq 300", "\n".join(map(str, range(300))))
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        heights = []
        for _ in range(3):
            await pilot.press("space")
            heights.append(app.view.page.height)
        assert heights[0] < 60 < 300 < heights[1] and heights[2] < 6


@pytest.mark.parametrize(
    ("key", "back", "what"),
    [("right_square_bracket", "left_square_bracket", "prompt"), ("full_stop", "comma", "tool"), ("d", "D", "edit")],
)
async def test_keys_go_to_the_next_of_a_kind_and_back(key: str, back: str, what: str) -> None:
    """Prompts, calls, edits."""
    async with TranscriptApp(long_session(5)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("g", key)
        first = app.view.current
        await pilot.press(key)
        assert app.view.current > first
        assert app.here.kind == ("prompt" if what == "prompt" else "tool")
        await pilot.press(back)
        assert app.view.current == first


@pytest.mark.parametrize(("session", "keys", "said"), [
    (long_session(2), "e", "no errors here"),
    (small(), "e", "no error further down: E goes up (1)"),
    (small(), "g]", "this is the only prompt"),
    (small(), "g}", ""),
    (small(), "g{", "no tool call further up: } goes down (2)"),
    (small(), ")", "no agent calls here"),
])  # fmt: skip
async def test_a_key_with_nowhere_to_go_says_where_others_are(session: Session, keys: str, said: str) -> None:
    """A transcript opens at its end: what its first keys look for is above."""
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press(*(KEYS.get(key, key) for key in keys))
        assert app.view._said_now == said
        assert said in app.lines()[-1]


async def test_a_turn_is_reached_by_its_number() -> None:
    """Digits, then g; or a colon first, then enter."""
    async with TranscriptApp(long_session()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("1", "2", "g")
        assert app.here.title == "question 11"
        await pilot.press("colon", "3", "enter")
        assert app.here.title == "question 2"


async def test_scrolling_up_moves_every_line_by_one() -> None:
    """Heights that turn out different from what was guessed move nothing on the screen."""
    async with TranscriptApp(long_session(60)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        view = app.view
        view.scroll_to(y=view.max_scroll_y // 2, animate=False)
        await pilot.pause()
        before = app.lines()
        for _ in range(120):
            view.scroll_to(y=view.scroll_offset.y - 1, animate=False)
            after = app.lines()
            assert after[1:] == before[:-1]
            before = after


async def test_down_scrolls_through_a_block_longer_than_the_screen() -> None:
    """And goes to the next one at its end."""
    session = Session()
    session.add("prompt", "tell me")
    session.add("text", "\n\n".join(f"line {n}" for n in range(40)))
    session.add("prompt", "thanks")
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("g")
        for _ in range(90):
            await pilot.press("down")
            if app.view.current == 2:
                break
        assert app.here.title == "thanks" and "line 39" in app.shown()


async def test_up_goes_back_to_the_first_line() -> None:
    """However far down one was."""
    async with TranscriptApp(long_session(6)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        for _ in range(120):
            app.view.action_line(-1)
        assert app.view.current == 0 and app.view.scroll_offset.y == 0


async def test_a_resize_keeps_the_block_that_was_read() -> None:
    """Another width changes all heights but not what one reads."""
    async with TranscriptApp(long_session(30)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("1", "0", "g")
        await pilot.resize_terminal(50, 24)
        await pilot.pause()
        assert "question 9" in app.shown()


async def test_at_the_end_it_follows_what_is_written() -> None:
    """New blocks come into view by themselves."""
    session = long_session(10)
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        session.add("prompt", "one more thing")
        app.view.refresh_outline()
        await pilot.pause(0.05)
        assert "one more thing" in app.shown()


async def test_scrolled_up_it_stays_and_counts_what_came() -> None:
    """Nothing moves under the eye; the frame says how much is new."""
    session = long_session(10)
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("g")
        before = app.lines()
        session.add("prompt", "one more thing")
        session.add("text", "and its answer")
        app.view.refresh_outline()
        await pilot.pause(0.05)
        assert app.lines() == before
        assert "2 new below" in app.view.describe()[1]
        await pilot.press("G")
        assert "new below" not in app.view.describe()[1]


async def test_a_call_is_closed_in_place() -> None:
    """What ran has an outcome now, on the same line."""
    session = small()
    session.tool("make all", "", ok=None)
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        app.view.set_live("running")
        assert "running" in app.shown()
        session.blocks[-1] = session.blocks[-1]._replace(ok=True, lines=3, size=9)
        app.view.refresh_outline()
        await pilot.pause(0.05)
        assert "running" not in app.shown() and "make all  3 lines" in app.shown()


async def test_a_call_without_a_result_in_an_old_session_does_not_run() -> None:
    """It says that nothing came."""
    session = small()
    session.tool("make all", "", ok=None)
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        app.view.set_live("")
        assert "make all  no result" in app.shown()


async def test_in_a_session_that_waits_the_question_waits_for_the_person() -> None:
    """However old it is; another call without a result is not known to run."""
    session = small()
    session.tool("make all", "", ok=None)
    session.tool("which one?", "", ok=None, what="question", name="AskUserQuestion")
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        app.view.set_live("waiting")
        assert "make all  no result" in app.shown() and "waits for you" in app.shown()


async def test_enter_on_an_agent_call_asks_for_its_transcript() -> None:
    """Space opens the call itself."""
    session = small()
    session.tool("Explore: callers", what="agent", name="Agent", subagent="agent-1", call="toolu_1")
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("g", "right_parenthesis", "enter")
        await pilot.pause()
        opened = app.heard[0]
        assert isinstance(opened, TranscriptView.AgentOpened) and (opened.agent, opened.call) == ("agent-1", "toolu_1")


async def test_copying_gives_the_text_of_the_block() -> None:
    """Output for a call; whoever hears it copies."""
    async with TranscriptApp(small()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("E", "y")
        await pilot.pause()
        copied = app.heard[0]
        assert isinstance(copied, TranscriptView.CopyAsked) and copied.text == "FAILED test_login\nno clock"


async def test_an_edit_is_copied_as_its_lines() -> None:
    """It has no output of its own."""
    async with TranscriptApp(small()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("g", "d", "y")
        await pilot.pause()
        copied = app.heard[0]
        assert isinstance(copied, TranscriptView.CopyAsked) and "- b" in copied.text and "+ c" in copied.text


def rewound() -> Session:
    session = Session()
    session.add("prompt", "the first way", branch=1)
    session.add("text", "this did not work", branch=1)
    session.add("prompt", "the second way")
    session.add("text", "this did")
    return session


async def test_a_rewound_branch_is_one_line() -> None:
    """It says how much is behind it and how it began."""
    async with TranscriptApp(rewound()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        assert "rewound: 2 blocks  the first way" in app.shown()
        assert "this did not work" not in app.shown()


async def test_a_rewound_branch_can_be_opened_and_folded() -> None:
    """b goes there, enter opens, b folds from inside."""
    async with TranscriptApp(rewound()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("b", "enter")
        assert "this did not work" in app.shown() and "end of what was rewound" in app.shown()
        await pilot.press("down", "down", "b")
        assert "this did not work" not in app.shown()


async def test_goto_opens_the_block_at_a_place() -> None:
    """From a search hit to its block, folded or rewound."""
    async with TranscriptApp(rewound()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        app.view.goto(1, "text")
        await pilot.pause()
        assert app.here.title == "this did not work" and "this did not work" in app.shown()


async def test_an_unreadable_session_says_why() -> None:
    """In the place of its transcript."""
    app = TranscriptApp(small())
    app.library.fake.broken = "the database is locked"
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        assert "could not be read: the database is locked" in app.shown()


async def test_a_long_reason_is_told_to_its_end() -> None:
    """What has to be done about it stands last."""
    app = TranscriptApp(small())
    app.library.fake.broken = "compressed with zstd, which this Python cannot read: install the package zstandard beside sb"
    async with app.run_test(size=(40, 12)) as pilot:
        await ready(pilot)
        assert "install the package zstandard beside sb" in " ".join(line.strip() for line in app.lines())


async def test_an_empty_session_says_so() -> None:
    """Rather than nothing at all."""
    async with TranscriptApp(Session()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        assert "nothing was said" in app.shown()


async def test_a_body_that_cannot_be_read_costs_that_block() -> None:
    """The others are there."""
    session = small()
    del session.bodies[0]
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        assert "could not be read" in app.shown() and "It was the clock" in app.shown()


async def test_another_session_replaces_the_first() -> None:
    """Nothing of it is left, folds and marks neither."""
    async with TranscriptApp(small()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        app.view.find("clock")
        other = TranscriptApp(long_session(3)).library
        app.view.show(other, HANDLE, "Another")
        await pilot.pause(0.05)
        assert "question 2" in app.shown() and not app.view.words.words


async def test_long_lines_can_be_cut_instead_of_wrapped() -> None:
    """And looked at by moving them to the side."""
    session = Session()
    session.add("prompt", "show")
    session.tool("cat", "x" * 100 + "END", body=Body("", (Plain("x" * 100 + "END"),)))
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("space", "v")
        assert "END" not in app.shown()
        await pilot.press("right", "right", "right")
        assert "END" in app.shown()


async def test_selected_text_can_be_copied_without_its_padding() -> None:
    """By mouse, as on any page."""
    async with TranscriptApp(small()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.mouse_down(app.view, offset=(4, 1))
        await pilot.hover(app.view, offset=(20, 1))
        await pilot.mouse_up(app.view, offset=(20, 1))
        await pilot.pause()
        assert "make the tests" in (app.screen.get_selected_text() or "")


async def test_a_click_on_a_heading_opens_it() -> None:
    """What enter does, at the mouse."""
    async with TranscriptApp(small()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        line = next(y for y, text in enumerate(app.lines()) if "Bash" in text)
        await pilot.click(app.view, offset=(6, line))
        await pilot.pause()
        assert "no clock" in app.shown()


async def test_a_checklist_is_drawn_as_one() -> None:
    """Done, active and pending look different."""
    session = Session()
    session.add("prompt", "plan")
    items = Checklist((("done", "one"), ("active", "two"), ("pending", "three")))
    session.tool("1 of 3 done", "", what="todo", name="TodoWrite", body=Body("", (items,)))
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("space")
        assert [line.strip(" ▏") for line in app.lines() if line][-3:] == ["✓ one", "● two", "○ three"]


async def test_an_opened_picture_is_drawn_below_its_card() -> None:
    """Two pixels a cell."""
    made = BytesIO()
    Image.new("RGB", (8, 4), (200, 30, 30)).save(made, "PNG")
    session = Session()
    session.add("prompt", "look")
    session.add("image", "PNG", Body("", (Picture("png", 8, 4, 90, "", made.getvalue()),)))
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("space")
        await pilot.pause()
        assert [line.strip(" ▏│") for line in app.lines() if line][-3:] == ["image  png  8×4  90B", "▀" * 8, "▀" * 8]


async def test_a_long_answer_is_drawn_by_a_thread_and_then_shown() -> None:
    """As Markdown, although it is long; nothing waits for it."""
    session = Session()
    session.add("prompt", "tell me everything")
    session.add("text", "\n\n".join(f"- **point** {n}" for n in range(800)))
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        for _ in range(50):
            await pilot.pause(0.01)
            if "point 799" in app.shown():
                break
        assert "• point 799" in app.shown() and "**" not in app.shown()


async def test_what_is_drawn_reaches_the_screen() -> None:
    """Lines narrower than the widget would be dropped on their way."""
    async with TranscriptApp(small()).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        on_screen = [strip.text for strip in app.screen._compositor.render_strips()]
        assert any(line.startswith(" ▍   make the tests quick") for line in on_screen)
