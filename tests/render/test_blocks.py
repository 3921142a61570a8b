"""Blocks: their headings, what is behind them, how high they are."""

from __future__ import annotations

import pytest

from sessionbrowser.model import (
    Block,
    Body,
    Checklist,
    Code,
    Diff,
    Fields,
    Hunk,
    Picture,
    Place,
    Plain,
    Prose,
    Question,
    Questions,
    Span,
)
from sessionbrowser.render import blocks, diff, notes, tools
from sessionbrowser.render.rows import Look, Row, folders_of

LOOK = Look(80)


def tool(title: str = "ls", what: str = "shell", name: str = "Bash", **fields: object) -> Block:
    values = {"ok": True, "name": name, **fields}
    return Block("tool", Place(0), 1, title, what, **values)  # type: ignore[arg-type]


def heading(block: Block, look: Look = LOOK, **how: bool) -> str:
    return tools.heading(block, look, folded=True, **how).text.strip()


def texts(block: Block, body: Body, look: Look = LOOK, fold: blocks.Fold = blocks.OPEN) -> list[str]:
    rows = blocks.draw(block, body, look, fold)
    return [rows[at].text.strip() for at in range(len(rows))]


@pytest.mark.parametrize(
    ("block", "want"),
    [
        (tool("pytest -q", ok=False, exit_code=1, lines=48), "▸ Bash  pytest -q  ✗ exit 1  48 lines"),
        (tool("rm -r x", ok=False, outcome="rejected"), "▸ Bash  rm -r x  ✗ rejected"),
        (tool("a.py", "edit", "Edit", added=6, removed=2), "▸ Edit  a.py  +6 −2"),
        (tool("a.py", "write", "Write", added=6), "▸ Write  a.py  +6"),
        (tool("x  in src", "search", "Grep", outcome="6 matches"), "▸ Grep  x  in src  6 matches"),
        (tool("Explore: callers", "agent", "Agent", time=10.0, ended=50.0), "▸ Agent  Explore: callers  ✓  40s"),
        (tool("Explore: callers", "agent", "Agent", outcome="in background"), "▸ Agent  Explore: callers  in background"),
        (tool("b1", "agent", "TaskOutput", outcome="still running"), "▸ TaskOutput  b1  still running"),
        (tool("make", ok=None), "▸ Bash  make  no result"),
        (tool("title", "mcp", "mcp__github__create_issue"), "▸ github · create_issue  title"),
    ],
)
def test_a_call_is_one_telling_line(block: Block, want: str) -> None:
    """Name, main argument, outcome."""
    assert heading(block) == want


def test_task_and_answer_of_an_agent_are_labelled_where_there_are_both() -> None:
    """Launched in the background it has not answered; what a task put out had no task."""
    body = Body("words", (Prose("look around"), Prose("words")))
    assert texts(tool("x", "agent", "Agent"), body)[1:] == ["task", "│ look around", "answer", "│ words"]
    assert texts(tool("x", "agent", "Agent", outcome="in background"), body)[1:] == ["│ look around", "│ words"]
    fields = Body("words", (Fields((("task_id", "b1"),)), Prose("words")))
    assert texts(tool("b1", "agent", "TaskOutput"), fields)[1:] == ["task_id  b1", "│ words"]


def test_a_running_call_shows_its_age() -> None:
    """And the sign of what runs."""
    assert heading(tool("make", ok=None, time=100.0), LOOK._replace(now=112.0), running=True) == "● Bash  make  running 12s"


def test_an_open_question_waits_for_the_person_and_does_not_run() -> None:
    ask = tool("Which one?", ok=None, time=100.0)._replace(what="question", name="AskUserQuestion")
    assert heading(ask, LOOK._replace(now=112.0), running=True) == "? Ask  Which one?  waits for you 12s"


def test_long_commands_are_cut_at_their_end_and_paths_in_their_middle() -> None:
    """Where a path ends is what tells it from others."""
    narrow = Look(50)
    assert heading(tool("echo " + "x" * 80), narrow).endswith("…")
    shown = heading(tool("src/" + "deep/" * 20 + "file.py", "edit", "Edit", added=1), narrow)
    assert "…" in shown and shown.endswith("file.py  +1")


def test_paths_are_shown_below_the_directory_of_the_session() -> None:
    """Or below home."""
    look = LOOK._replace(folders=folders_of("/home/ada/src/api", "/home/ada"))
    assert heading(tool("/home/ada/src/api/a.py", "read", "Read"), look) == "▸ Read  a.py"
    assert heading(tool("/home/ada/notes.md", "read", "Read"), look) == "▸ Read  ~/notes.md"


def test_a_short_command_is_not_repeated_when_it_is_opened() -> None:
    """A long one, or one of several lines, is."""
    body = Body("out", (Code("ls", "bash"), Plain("out")))
    assert texts(tool("ls"), body) == ["▾ Bash  ls", "│ out"]
    body = Body("out", (Code("ls\npwd", "bash"), Plain("out")))
    assert texts(tool("ls pwd"), body)[1:3] == ["$ ls", "pwd"]


def test_a_call_without_output_says_so() -> None:
    """Rather than opening to nothing."""
    assert texts(tool(), Body(""))[-1] == "│ no output"


def test_long_output_of_a_failed_call_keeps_its_end() -> None:
    """That is where the reason stands."""
    body = Body("", (Plain("\n".join(f"line {n}" for n in range(100)), error=True),))
    shown = texts(tool(ok=False), body, Look(80, limit=9))
    assert shown[-1] == "│ line 99" and any("91 lines more" in line for line in shown)


def test_output_keeps_its_colours() -> None:
    """As spans."""
    rows = blocks.draw(tool(), Body("", (Plain("ok bad", (Span(3, 6, "red"),)),)), LOOK, blocks.OPEN)
    assert rows[1].pieces[-1] == ("bad", "output red")


def test_a_diff_has_numbers_signs_and_a_ground_across_the_width() -> None:
    """Old numbers for what went, new ones for what came."""
    rows = diff.rows(Diff("a.py", (Hunk(12, 12, (" a", "-b", "-c", "+d")),)), LOOK)
    assert [row.text for row in rows] == [" 12   a", " 13 - b", " 14 - c", " 13 + d"]
    assert [row.fill for row in rows] == ["", "diff.del", "diff.del", "diff.add"]


def test_a_remark_in_a_diff_has_no_number_and_counts_as_no_line() -> None:
    """It says something of the line above it, on either side."""
    remark = "\\ No newline at end of file"
    rows = diff.rows(Diff("a.py", (Hunk(12, 22, (" a", "-b", remark, "+c", "+d", remark)),)), LOOK)
    assert [row.text for row in rows] == [" 22   a", " 13 - b", f"    {remark}", " 23 + c", " 24 + d", f"    {remark}"]
    assert [row.fill for row in rows] == ["", "diff.del", "", "diff.add", "diff.add", ""]
    assert rows[2].pieces[-1] == (remark, "diff.hunk")


def test_a_diff_of_unknown_place_has_no_numbers() -> None:
    """As patches without line numbers have none."""
    assert diff.rows(Diff("a.py", (Hunk(0, 0, ("+d",)),)), LOOK)[0].text.split() == ["+", "d"]


def test_several_files_of_one_edit_are_named() -> None:
    """One is not: the heading has it."""
    one, two = Diff("a.py", (Hunk(1, 1, ("+a",)),)), Diff("b.py", (Hunk(1, 1, ("+b",)),), created=True)
    assert "a.py" not in texts(tool("a.py", "edit", "Edit"), Body("", (one,)))[1]
    shown = texts(tool("a.py, b.py", "edit", "apply_patch"), Body("", (one, two)))
    assert "a.py" in shown and "created  b.py" in shown


def test_a_file_that_was_read_has_line_numbers() -> None:
    """From where reading began."""
    shown = texts(tool("a.py", "read", "Read"), Body("", (Code("x = 1\ny = 2\n", "a.py", 41),)))
    assert shown[1:] == ["41  x = 1", "42  y = 2"]


def test_a_question_shows_what_was_chosen_and_what_was_typed() -> None:
    """Options with their signs; an answer of one's own behind an arrow."""
    asked = Questions((Question("DB", "Which?", (("Postgres", "solid"), ("SQLite", "")), ("SQLite",)), Question("", "Why?", (), ("it is small",))))
    shown = texts(tool("Which?", "question", "AskUserQuestion"), Body("", (asked,)))
    assert shown[1:] == ["DB  Which?", "○ Postgres  solid", "● SQLite", "", "Why?", "→ it is small"]


def test_the_arguments_of_an_unknown_tool_are_readable() -> None:
    """Named values; long ones hang below their name's column."""
    shown = blocks.draw(tool("x", "other", "Frobnicate"), Body("", (Fields((("id", "7"), ("text", "one\ntwo"))),)), LOOK, blocks.OPEN)
    assert [row.text for row in (shown[at] for at in range(1, 4))] == ["    id    7", "    text  one", "          two"]


def test_a_picture_is_a_card() -> None:
    """Format, dimensions, size."""
    assert texts(tool("a.png", "read", "Read"), Body("", (Picture("png", 800, 600, 120_000),)))[1] == "│ image  png  800×600  120kB"


def test_a_search_does_not_repeat_what_its_heading_says() -> None:
    """Only its other arguments."""
    body = Body("", (Fields((("pattern", "sleep"), ("path", "tests"), ("-i", "true"))),))
    assert texts(tool("sleep in tests", "search", "Grep"), body)[1:] == ["-i  true"]


def test_prompts_are_shown_as_they_were_typed() -> None:
    """Their stars and blanks are theirs; only fences are drawn."""
    block = Block("prompt", Place(0), 3, "x", "typed")
    assert texts(block, Body("a *b*\n    c"))[1:] == ["▍   a *b*", "▍       c"]
    assert texts(block, Body("```\ncode\n```"))[1] == "▍   │ code"


@pytest.mark.parametrize(("what", "want"), [("queued", "3   You  queued"), ("bash", "3   You  ran"), ("subagent", "3   Task")])
def test_a_prompt_says_how_it_came(what: str, want: str) -> None:
    """Typed while something ran, run as a command, given by another agent."""
    assert texts(Block("prompt", Place(0), 3, "x", what), Body("x"))[0] == want


def test_a_prompt_that_nobody_entered_is_a_note_with_the_number_of_its_turn() -> None:
    """One dim line, which can be opened when there is more to it."""
    block = Block("prompt", Place(0), 2, "The cleanup is done.", "typed", size=40, lines=2, name="Message from a teammate")
    row = blocks.draw(block, None, LOOK, blocks.FOLDED)[0]
    assert (row.text, row.pieces[-1][1]) == ("2 ▸ Message from a teammate  The cleanup is done.", "note")
    assert blocks.is_foldable(block) and not blocks.needs_body(block, blocks.FOLDED)
    assert texts(block, Body("The cleanup\nis done."))[1:] == ["│ The cleanup", "│ is done."]


def test_thinking_that_cannot_be_read_says_why() -> None:
    """And cannot be opened."""
    block = Block("thinking", Place(0), 1, what="redacted")
    assert texts(block, Body("")) == ["· thinking  redacted"]


def test_a_compaction_is_a_rule() -> None:
    """Across the measure."""
    row = notes.heading(Block("note", Place(0), 1, "compacted 167k → 21k", "compaction"), LOOK, folded=True, openable=False)
    assert row.text.strip().startswith("─── compacted 167k → 21k ──") and row.text.endswith("──")


def test_a_note_with_more_to_say_can_be_opened() -> None:
    """Its text stands below it, as it is."""
    block = Block("note", Place(0), 1, "AGENTS.md", "injected", size=400, lines=2)
    assert texts(block, Body("# one\ntwo")) == ["▾ AGENTS.md", "│ # one", "│ two"]


@pytest.mark.parametrize(
    ("model", "want"),
    [("claude-sonnet-4-5-20250929", "sonnet-4-5"), ("anthropic/claude-opus-4-1", "opus-4-1"), ("gpt-5.5-codex", "gpt-5.5-codex"), ("sonnet[1m]", "sonnet")],
)
def test_models_have_short_names(model: str, want: str) -> None:
    """What people say."""
    assert notes.model_name(model) == want


def test_a_body_that_is_not_there_yet_leaves_a_place() -> None:
    """The heading, and a sign that more comes."""
    rows = blocks.draw(tool(), None, LOOK, blocks.OPEN)
    assert [row.text.strip() for row in (rows[0], rows[1])] == ["▾ Bash  ls", "│ …"]


def test_lines_are_guessed_within_reason() -> None:
    """Long enough that a scrollbar does not mislead."""
    text = "\n".join("word " * 30 for _ in range(50))
    block = Block("text", Place(0), 1, "x", size=len(text), lines=50)
    rows = len(blocks.draw(block, Body(text, (Prose(text),)), LOOK, blocks.OPEN))
    assert rows / 2 <= blocks.estimate(block, LOOK, blocks.OPEN) <= rows * 2


def test_to_dos_have_signs() -> None:
    """Each state its own."""
    items = Checklist((("done", "a"), ("active", "b"), ("pending", "c"), ("dropped", "d")))
    assert texts(tool("", "todo", "TodoWrite"), Body("", (items,)))[1:] == ["✓ a", "● b", "○ c", "✗ d"]


def test_an_empty_row_is_a_row() -> None:
    """With no pieces."""
    assert Row().text == ""


def test_a_main_argument_has_all_the_room_the_line_leaves() -> None:
    """Nothing is cut while cells stay empty."""
    call = tool("Explore: find the callers of refresh", what="agent", name="Agent", outcome="completed · 3 calls · 12k tokens", ended=41.0, time=1.0)
    whole = heading(call, Look(200))
    width = len(whole) + 3  # the two cells before it, and the one at the edge
    assert "…" not in heading(call, Look(width))
    assert "…" in heading(call, Look(width - 1))


def test_one_long_line_of_output_tells_its_size() -> None:
    """Its number of lines says nothing."""
    assert heading(tool("cat big", size=2_000_000, lines=1)) == "▸ Bash  cat big  2MB"
    assert heading(tool("cat small", size=40, lines=1)) == "▸ Bash  cat small"


def test_one_long_line_shows_its_beginning_and_how_much_more_there_is() -> None:
    """Opened further, all of it; of a line beyond all measure, what is left out is told."""
    body = Body("", (Plain("x" * 2_000_000),))
    shown = texts(tool("cat big", size=2_000_000, lines=1), body)
    assert len(shown) < 80
    assert shown[1].startswith("│ xxxx")
    assert shown[-1] == "│ … 2.0M characters more"
    whole = blocks.draw(tool("cat big", size=2_000_000, lines=1), body, LOOK, blocks.WHOLE)
    assert whole[len(whole) - 1].text.strip() == "│ … 1.0M characters more are left out"
