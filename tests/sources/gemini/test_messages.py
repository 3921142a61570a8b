"""What the messages of a Gemini chat become."""

from __future__ import annotations

import json

import pytest

from sessionbrowser.model import Code, Diff, Usage
from sessionbrowser.paths import Environment

from .chats import ID, call, gemini, handles, logged, meta, source, told, user, write_log


@pytest.mark.parametrize("text", ["<session_context>\nx\n</session_context>", "<hook_context>x</hook_context>"])
def test_injected_text_is_no_prompt(env: Environment, text: str) -> None:
    """The first message of every chat is one."""
    made = logged(env, user(text), user("mine", "u2"))
    assert made.counts.prompts == 1 and (made.blocks[0].kind, made.blocks[0].what) == ("note", "injected")


@pytest.mark.parametrize(("text", "kind"), [("/memory show", "slash"), ("?", "slash"), ("/etc/hosts is wrong", "typed"), ("fix /x", "typed")])
def test_commands_are_told_from_prompts(env: Environment, text: str, kind: str) -> None:
    """A path is no command."""
    assert logged(env, user(text)).blocks[0].what == kind


def test_what_was_typed_goes_before_what_was_sent(env: Environment) -> None:
    """Files named with @ are unfolded into the message; the person saw their own words."""
    made = logged(env, user("sum up @a.md\n--- a.md ---\nlong", displayContent=[{"text": "sum up @a.md"}]))
    assert told(made) == [("prompt", "sum up @a.md", 0)]


def test_thoughts_are_thinking(env: Environment) -> None:
    """Their subject first."""
    made = logged(env, user("x"), gemini("y", thoughts=[{"subject": "Look", "description": "Where?"}]))
    assert told(made)[1] == ("thinking", "**Look** Where?", 0)


def test_a_failing_command_is_known_by_its_report(env: Environment) -> None:
    """Its status is "success" all the same; the labels around its output are left out."""
    report = "<untrusted_context>\nOutput: no such file\nExit Code: 2\nProcess Group PGID: 7\n</untrusted_context>"
    write_log(env, meta(), user("x"), gemini(toolCalls=[call("run_shell_command", {"command": "ls x"}, report)]))
    made, (handle,) = source(env), handles(env)
    block = made.outline(handle).blocks[1]
    assert (block.ok, block.exit_code, made.body(handle, block).text) == (False, 2, "no such file")


def test_the_older_report_of_a_shell(env: Environment) -> None:
    """Every label on a line of its own, empty ones in brackets."""
    report = "Command: ls\nDirectory: (root)\nStdout: a\nb\nStderr: (empty)\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 7"
    write_log(env, meta(), user("x"), gemini(toolCalls=[call("run_shell_command", {"command": "ls"}, report)]))
    made, (handle,) = source(env), handles(env)
    block = made.outline(handle).blocks[1]
    assert block.exit_code == 0 and made.body(handle, block).text.startswith("a\nb")


@pytest.mark.parametrize(("status", "outcome"), [("error", "failed"), ("cancelled", "cancelled")])
def test_calls_that_failed_or_were_stopped(env: Environment, status: str, outcome: str) -> None:
    """As their status says."""
    made = logged(env, user("x"), gemini(toolCalls=[call("read_file", {"file_path": "a"}, "no", status)]))
    assert (made.blocks[1].ok, made.blocks[1].outcome) == (False, outcome)


def test_a_call_that_runs_is_open(env: Environment) -> None:
    """Neither a result nor a final status."""
    made = logged(env, user("x"), gemini(toolCalls=[call("read_file", {"file_path": "a"}, None, "executing")]))
    assert made.blocks[1].ok is None and made.counts[2:4] == (1, 0)


def test_an_edit_shows_the_diff_that_was_shown(env: Environment) -> None:
    """With its path and real line numbers."""
    diff = "Index: a.py\n====\n--- a.py\tCurrent\n+++ a.py\tProposed\n@@ -9,2 +9,2 @@\n same\n-old\n+new\n"
    edit = call("replace", {"file_path": "/p/a.py", "old_string": "old", "new_string": "new"}, "ok", resultDisplay={"fileDiff": diff, "filePath": "/p/a.py"})
    write_log(env, meta(), user("x"), gemini(toolCalls=[edit]))
    made, (handle,) = source(env), handles(env)
    block = made.outline(handle).blocks[1]
    (part,) = made.body(handle, block).parts
    assert isinstance(part, Diff) and (part.path, part.hunks[0].old_start) == ("/p/a.py", 9)


def test_a_file_that_was_read_is_code(env: Environment) -> None:
    """Not a wall of plain text."""
    write_log(env, meta(), user("x"), gemini(toolCalls=[call("read_file", {"file_path": "a.py"}, "def f(): ...")]))
    made, (handle,) = source(env), handles(env)
    assert made.body(handle, made.outline(handle).blocks[1]).parts == (Code("def f(): ...", "a.py", 1),)


def test_calls_without_ids_meet_their_results(env: Environment) -> None:
    """Older chats give none."""
    first, second = call("glob", {"pattern": "a"}, "1"), call("glob", {"pattern": "b"}, "2")
    for one in (first, second):
        del one["id"]
    write_log(env, meta(), user("x"), gemini(toolCalls=[first, second]))
    made, (handle,) = source(env), handles(env)
    assert [made.body(handle, block).text for block in made.outline(handle).blocks[1:]] == ["1", "2"]


def test_what_was_cached_is_not_counted_twice(env: Environment) -> None:
    """The program counts it as input too."""
    made = logged(env, user("x"), gemini("y", tokens={"input": 100, "output": 20, "cached": 60, "thoughts": 5, "tool": 1, "total": 126}))
    assert made.tokens == Usage(41, 25, 60, 0)


def test_notices_and_errors_are_notes(env: Environment) -> None:
    """Neither prompts nor answers."""
    said = [{"id": kind, "timestamp": "2026-05-12T09:00:00Z", "type": kind, "content": f"{kind}!"} for kind in ("info", "warning", "error")]
    made = logged(env, *said)
    assert [(block.kind, block.what) for block in made.blocks] == [("note", "info"), ("note", "warning"), ("note", "error")]


def test_a_cancelled_request_is_an_interrupt(env: Environment) -> None:
    """The person stopped it."""
    made = logged(env, user("x"), {"id": "i", "type": "info", "content": "Request cancelled."})
    assert made.counts.interrupts == 1


def test_a_picture_is_a_card(env: Environment) -> None:
    """Its bytes stay in the file until somebody looks."""
    made = logged(env, user("", content=[{"text": "look"}, {"inlineData": {"mimeType": "image/png", "data": "aGVsbG8="}}]))
    assert [(block.kind, block.size) for block in made.blocks] == [("prompt", 4), ("image", 6)]


@pytest.mark.parametrize("message", [
    {"type": "model", "content": "hello"},
    {"type": "gemini", "content": [{"type": "text", "text": "hello"}, {"type": "grounding", "source": "x"}]},
    {"role": "gemini", "parts": [{"text": "hello"}], "id": "m", "type": "gemini"},
])  # fmt: skip
def test_other_spellings_of_an_answer(env: Environment, message: dict[str, object]) -> None:
    """Early and foreign chats."""
    made = logged(env, user("x"), {"id": "g", "timestamp": "2026-05-12T09:00:00Z", **message})
    assert told(made)[1] == ("text", "hello", 0)


def test_a_command_the_person_ran_is_a_prompt_with_its_output(env: Environment) -> None:
    made = logged(env, user("I ran the following shell command:\n```sh\nmake\n```\n\nThis produced the following result:\n```\nno rule\nno\n```"))
    assert [(block.kind, block.what, block.title) for block in made.blocks] == [("prompt", "bash", "make"), ("note", "output", "output")]


def test_what_gemini_says_to_end_a_loop_is_no_prompt(env: Environment) -> None:
    """The prompt it belongs to is shown with it, and was said before."""
    made = logged(env, user("go"), user("System: Potential loop detected. Details: word", "u2", displayContent=[{"text": "go"}]))
    assert (made.counts.prompts, [block.what for block in made.blocks]) == (1, ["typed", "injected"])


def test_what_a_subagent_is_told_to_come_to_an_end_is_no_task(env: Environment) -> None:
    main = write_log(env, meta())
    own = main.parent / ID / "worker.jsonl"
    own.parent.mkdir()
    lines = [meta(kind="subagent"), user("look"), user("You have stopped calling tools without finishing.", "u2")]
    own.write_text("".join(json.dumps(line) + "\n" for line in lines))
    child = next(handle for handle in handles(env) if handle.hidden == "subagent")
    assert [(block.kind, block.what) for block in source(env).outline(child).blocks] == [("prompt", "subagent"), ("note", "injected")]


@pytest.mark.parametrize(("told", "text"), [
    ({"functionResponse": {"id": "c1", "response": {"output": "as one"}}}, "as one"),
    ([{"functionResponse": {"id": "c1", "response": {"output": {"rows": 1}}}}], '{\n  "rows": 1\n}'),
    ([{"functionResponse": {"id": "c1", "response": "bare"}}], "bare"),
    ("text", "text"), (None, "shown"),
])  # fmt: skip
def test_what_a_tool_gave_in_every_form(env: Environment, told: object, text: str) -> None:
    """A list of parts, one part, a text, or only what was shown."""
    made = logged(env, user("x"), gemini(toolCalls=[{**call("look", {}), "result": told, "resultDisplay": "shown"}]))
    (handle,) = handles(env)
    assert source(env).body(handle, made.blocks[1]).text == text
