"""Every shape of a tool's result: what its line says, and what it shows when it is opened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sessionbrowser.model import Block, Body, Checklist, Code, Diff, Picture, Plain, Questions

from .log import SESSION, Log, source


def run(home: Path, name: str, arguments: dict[str, object], text: object, detail: object = None, **more: object) -> tuple[Block, Body]:
    log = Log(home)
    log.call(name, "t1", arguments)
    log.result("t1", text, detail, **more)  # type: ignore[arg-type]
    reading, handle = source(home), log.handle()
    block = reading.outline(handle).blocks[0]
    return block, reading.body(handle, block)


@pytest.mark.parametrize(
    ("name", "arguments", "text", "detail", "expected"),
    [
        ("Bash", {"command": "ls"}, "a", {"stdout": "a", "stderr": "", "interrupted": False}, (True, 0, "")),
        ("Bash", {"command": "ls"}, "Error: Exit code 3\nno", "Error: Exit code 3\nno", (False, 3, "exit 3")),
        ("Bash", {"command": "x"}, "", {"stdout": "", "interrupted": True}, (True, None, "interrupted")),
        ("Bash", {"command": "x"}, "running", {"stdout": "", "backgroundTaskId": "b1"}, (True, None, "in background")),
        ("Bash", {"command": "x"}, "", {"stdout": "", "returnCodeInterpretation": "No matches found"}, (True, 0, "No matches found")),
        ("Bash", {"command": "x"}, "Command timed out after 2m", "Error: Command timed out", (False, None, "timed out")),
        ("BashOutput", {"bash_id": "b"}, "", {"shellId": "b", "status": "failed", "exitCode": 2, "stdout": ""}, (True, 2, "failed")),
        ("BashOutput", {"bash_id": "b"}, "", {"shellId": "b", "status": "running", "exitCode": None, "stdout": "x"}, (True, None, "running")),
        ("Read", {"file_path": "/a"}, "1→x", {"type": "text", "file": {"content": "x", "numLines": 1, "startLine": 5}}, (True, None, "1 line from 5")),
        ("Read", {"file_path": "/a"}, "1→x\n2→y", {"type": "text", "file": {"content": "x\ny\n", "numLines": 3, "startLine": 1}}, (True, None, "2 lines")),
        ("Read", {"file_path": "/a"}, "same", {"type": "file_unchanged", "file": {"filePath": "/a"}}, (True, None, "unchanged")),
        ("Grep", {"pattern": "x"}, "", {"mode": "files_with_matches", "numFiles": 2, "filenames": ["a", "b"]}, (True, None, "2 files")),
        ("Grep", {"pattern": "x"}, "", {"mode": "content", "numFiles": 0, "numLines": 12}, (True, None, "12 lines")),
        ("Grep", {"pattern": "x"}, "", {"mode": "count", "numMatches": 1, "numFiles": 1}, (True, None, "1 match")),
        ("Glob", {"pattern": "*"}, "", {"numFiles": 100, "truncated": True}, (True, None, "100 files or more")),
        ("WebFetch", {"url": "https://x"}, "", {"code": 404, "codeText": "Not Found"}, (True, None, "404 Not Found")),
        ("WebSearch", {"query": "x"}, "", {"query": "x", "results": [1, 2]}, (True, None, "2 results")),
        ("TaskUpdate", {"taskId": "1"}, "", {"success": True, "statusChange": {"from": "pending", "to": "completed"}}, (True, None, "pending → completed")),
        ("ToolSearch", {"query": "x"}, "", {"matches": ["a"], "query": "x"}, (True, None, "1 match")),
        ("AskUserQuestion", {"questions": []}, "", {"answers": {"q": "yes"}}, (True, None, "yes")),
        ("Task", {"description": "x"}, "", {"status": "completed", "totalTokens": 12000, "totalToolUseCount": 1}, (True, None, "completed · 1 call · 12k context")),
        ("Edit", {}, "Error: not found", ["a list"], (True, None, "")),
        ("Edit", {}, None, None, (True, None, "")),
    ],
)  # fmt: skip
def test_the_line_of_a_tool_says_how_it_went(home: Path, name: str, arguments: dict[str, object], text: object, detail: object, expected: object) -> None:
    block, _ = run(home, name, arguments, text, detail, error=isinstance(detail, str))
    assert (block.ok, block.exit_code, block.outcome) == expected


def test_an_error_stands_without_the_tag_around_it(home: Path) -> None:
    """In what is counted and in what is shown."""
    block, body = run(home, "Edit", {"file_path": "/a"}, "<tool_use_error>File has not been read yet.</tool_use_error>", None, error=True)
    assert (block.ok, block.size, body.text) == (False, 27, "File has not been read yet.")


@pytest.mark.parametrize(
    ("text", "more", "outcome"),
    [
        ("The user doesn't want to proceed with this tool use. STOP", {}, "rejected"),
        ("no", {"toolDenialKind": "user-rejected"}, "rejected"),
        ("no", {"toolDenialKind": "permission-rule"}, "denied by a rule"),
        ("[Tool call interrupted: the session ended before this call's result was recorded", {}, "interrupted"),
        ("<tool_use_error>Sibling tool call errored</tool_use_error>", {}, "interrupted"),
    ],
)
def test_a_call_that_did_not_run_says_why(home: Path, text: str, more: dict[str, object], outcome: str) -> None:
    block, _ = run(home, "Bash", {"command": "x"}, text, text, error=True, **more)
    assert (block.ok, block.outcome) == (False, outcome)


def test_an_edit_is_a_diff_with_the_lines_numbers_in_the_file(home: Path) -> None:
    patch = [{"oldStart": 12, "oldLines": 2, "newStart": 14, "newLines": 2, "lines": [" a", "-b", "+c"]}]
    detail = {"filePath": "/w/a.py", "oldString": "b", "newString": "c", "structuredPatch": patch}
    block, body = run(home, "Edit", {"file_path": "/w/a.py", "old_string": "b", "new_string": "c"}, "updated", detail)
    assert (block.added, block.removed) == (1, 1)
    diff = body.parts[0]
    assert isinstance(diff, Diff)
    assert [(hunk.old_start, hunk.new_start, hunk.lines) for hunk in diff.hunks] == [(12, 14, (" a", "-b", "+c"))]


def test_an_edit_without_a_record_of_it_is_a_diff_of_its_arguments(home: Path) -> None:
    _, body = run(home, "Edit", {"file_path": "/a.py", "old_string": "b", "new_string": "c"}, "updated")
    assert isinstance(body.parts[0], Diff)


def test_a_new_file_is_all_additions(home: Path) -> None:
    block, body = run(home, "Write", {"file_path": "/a", "content": "x\ny\n"}, "created", {"type": "create", "filePath": "/a", "content": "x\ny\n", "structuredPatch": []})
    assert block.added == 2
    assert isinstance(body.parts[0], Diff)
    assert body.parts[0].created


def test_files_below_the_directory_are_named_from_it(home: Path) -> None:
    block, _ = run(home, "Read", {"file_path": "/home/ada/src/api/a/b.py"}, "x")
    assert block.title == "a/b.py"


def test_a_read_shows_the_file_with_its_numbers(home: Path) -> None:
    detail = {"type": "text", "file": {"filePath": "/a.py", "content": "x = 1", "numLines": 1, "startLine": 7}}
    _, body = run(home, "Read", {"file_path": "/a.py"}, "     7→x = 1", detail)
    assert body.parts == (Code("x = 1", "/a.py", 7),)


def test_a_read_that_is_only_in_the_conversation_loses_its_printed_numbers(home: Path) -> None:
    text = "     7→x = 1\n     8→y = 2\n\n<system-reminder>\nbe careful\n</system-reminder>\n"
    _, body = run(home, "Read", {"file_path": "/a.py"}, text)
    assert body.parts == (Code("x = 1\ny = 2", "/a.py", 7),)


def test_a_picture_that_was_read_is_a_card(home: Path) -> None:
    _, body = run(home, "Read", {"file_path": "/a.png"}, [], {"type": "image", "file": {"base64": "iVBORw0KGgo=", "type": "image/png"}})
    assert [type(part) for part in body.parts] == [Picture]


def test_an_mcp_result_of_blocks_is_text_and_pictures(home: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "/9j/4AAQ"}}
    blocks = [{"type": "text", "text": "shot taken"}, image]
    block, body = run(home, "mcp__browser__shot", {"url": "x"}, blocks, blocks)
    assert (block.what, body.text) == ("mcp", "shot taken")
    assert isinstance(body.parts[-1], Picture)


def test_questions_carry_their_answers(home: Path) -> None:
    asked = [{"question": "Which?", "header": "H", "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}]}]
    _, body = run(home, "AskUserQuestion", {"questions": asked}, "ok", {"questions": asked, "answers": {"Which?": "B"}})
    assert isinstance(body.parts[0], Questions)
    assert body.parts[0].items[0].answers == ("B",)


def test_a_plan_that_only_the_result_has_is_shown(home: Path) -> None:
    _, body = run(home, "ExitPlanMode", {}, "approved", {"plan": "# Do it"})
    assert body.parts[0].text == "# Do it"  # type: ignore[union-attr]


def test_a_todo_list_is_a_checklist(home: Path) -> None:
    todos = [{"content": "one", "status": "completed"}, {"content": "two", "status": "in_progress"}]
    _, body = run(home, "TodoWrite", {"todos": todos}, "ok", {"oldTodos": [], "newTodos": todos})
    assert body.parts == (Checklist((("done", "one"), ("active", "two"))),)


def test_shell_output_keeps_its_colours_as_spans(home: Path) -> None:
    _, body = run(home, "Bash", {"command": "x"}, "\x1b[31mred\x1b[0m", {"stdout": "red"})
    output = body.parts[-1]
    assert isinstance(output, Plain)
    assert (output.text, [span.style for span in output.spans]) == ("red", ["red"])


def test_the_agents_own_line_is_not_part_of_its_report(home: Path) -> None:
    text = [{"type": "text", "text": "Three callers."}, {"type": "text", "text": "agentId: a1f3 (for resuming to continue this agent's work if needed)"}]
    block, body = run(home, "Agent", {"description": "x", "prompt": "p"}, text)
    assert (block.subagent, body.text) == ("agent-a1f3", "Three callers.")


@pytest.mark.parametrize(
    ("status", "outcome"), [("in_progress", "still running"), ("completed", "completed"), ("not_found", "not found")]
)
def test_what_a_task_has_put_out_so_far(home: Path, status: str, outcome: str) -> None:
    """Without the tags that are written around it for the model, and with how it stands."""
    text = (f"<retrieval_status>success</retrieval_status>\n\n<task_id>b1</task_id>\n\n<task_type>local_bash</task_type>\n\n"
            f"<status>{status}</status>\n\n<output>\nstill <b>asleep</b>\n</output>")  # fmt: skip
    block, body = run(home, "TaskOutput", {"task_id": "b1"}, text)
    assert (block.ok, block.outcome, body.text) == (True, outcome, "still <b>asleep</b>")


def test_an_agent_in_the_background_has_not_answered(home: Path) -> None:
    """What the model is told about it is no answer."""
    text = "Async agent launched successfully.\nagentId: a1 (internal ID)\nThe agent is working in the background."
    block, body = run(home, "Agent", {"description": "x", "prompt": "p"}, text, {"isAsync": True, "status": "async_launched", "agentId": "a1"})
    assert (block.subagent, block.outcome, body.text) == ("agent-a1", "in background", "Async agent launched successfully.")


def test_an_open_call_shows_its_arguments(home: Path) -> None:
    log = Log(home)
    log.call("Frobnicate", "t1", {"depth": 3, "names": ["a"]})
    handle = log.handle()
    body = source(home).body(handle, source(home).outline(handle).blocks[0])
    assert dict(body.parts[0].pairs)["depth"] == "3"  # type: ignore[union-attr]


# ── output spilled into a file ──


def spilled(home: Path, recorded: str) -> Body:
    text = f"<persisted-output>\nOutput too large (9KB). Full output saved to: {recorded}\n\nPreview (first 2KB):\nstart\n</persisted-output>"
    return run(home, "Bash", {"command": "x"}, text, {"stdout": "start", "persistedOutputPath": recorded})[1]


def own(home: Path) -> Path:
    folder = home / ".claude" / "projects" / "-home-ada-src-api" / SESSION / "tool-results"
    folder.mkdir(parents=True)
    return folder


def test_spilled_output_is_read_from_the_sessions_own_folder_wherever_it_was_recorded(home: Path) -> None:
    (own(home) / "t1.txt").write_text("all of it\n")
    assert spilled(home, "/another/machine/tool-results/t1.txt").text == "all of it\n"


def test_a_missing_spill_leaves_the_preview(home: Path) -> None:
    assert "start" in spilled(home, "/x/tool-results/t1.txt").text


def test_a_folder_in_a_spills_place_leaves_the_preview(home: Path) -> None:
    (own(home) / "t1.txt").mkdir()
    assert "start" in spilled(home, "/x/tool-results/t1.txt").text


@pytest.mark.parametrize("recorded", ["/x/tool-results/..", "/x/tool-results/../../secret.txt", "", "\x00"])
def test_a_spill_cannot_name_its_way_out(home: Path, recorded: str) -> None:
    own(home)
    (home / "secret.txt").write_text("secret")
    assert "secret" not in spilled(home, recorded).text.replace("secret.txt", "")


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_spill_that_is_a_link_is_not_followed(home: Path) -> None:
    (home / "secret.txt").write_text("secret words")
    (own(home) / "t1.txt").symlink_to(home / "secret.txt")
    assert "secret words" not in spilled(home, "/x/t1.txt").text


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_folder_of_spills_that_is_a_link_is_not_followed(home: Path) -> None:
    elsewhere = home / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "t1.txt").write_text("secret words")
    folder = own(home)
    folder.rmdir()
    folder.symlink_to(elsewhere)
    assert "secret words" not in spilled(home, "/x/t1.txt").text


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes there")
def test_a_spill_that_is_a_pipe_does_not_hang(home: Path) -> None:
    os.mkfifo(own(home) / "t1.txt")
    assert "start" in spilled(home, "/x/t1.txt").text
