"""Calls of all generations: names, arguments, exit codes by the age of the format, patches as diffs."""

from __future__ import annotations

import json

import pytest

from sessionbrowser.model import Block, Checklist, Code, Diff, Picture, Questions

from .rollout import ID, OTHER, Record, Store, call, done, event, item, meta, output, typed

PATCH = "*** Begin Patch\n*** Update File: clock.py\n@@\n-sleep(2)\n+tick()\n+tick()\n*** End Patch"


def one(store: Store, *records: Record) -> Block:
    """The only call of a session with these records."""
    store.write(meta(), typed("go"), *records)
    return store.blocks("tool")[0]


@pytest.mark.parametrize(
    ("raw", "text", "exit_code", "ok", "outcome"),
    [
        ('{"output":"no\\n","metadata":{"exit_code":2,"duration_seconds":0.1}}', "no\n", 2, False, ""),
        ("Exit code: 1\nWall time: 0.2 seconds\nTotal output lines: 1\nOutput:\nno\n", "no\n", 1, False, ""),
        ("Command: /bin/bash -lc 'a\nb'\nChunk ID: 4a\nWall time: 0.0 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nyes\n", "yes\n", 0, True, ""),
        ("Chunk ID: 4a\nWall time: 0.0 seconds\nProcess exited with code 2\nOutput:\nno\n", "no\n", 2, False, ""),
        ("Chunk ID: 4a\nWall time: 9.0 seconds\nProcess running with session ID 7\nOutput:\nhalf\n", "half\n", None, True, "still running"),
        ("Wall time: 0.0 seconds\nOutput:\nExit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n", "Success.\n", 0, True, ""),
        ("aborted by user after 0.8s", "aborted by user after 0.8s", None, False, "aborted"),
        ("Wall time: 5.5 seconds\naborted by user", "aborted by user", None, False, "aborted"),
        ("exec command rejected by user", "exec command rejected by user", None, False, "rejected"),
        ("unsupported call: update_plan", "unsupported call: update_plan", None, False, ""),
        ("Exit code: 124\nWall time: 10 seconds\nOutput:\ncommand timed out after 10000 milliseconds\n", "command timed out after 10000 milliseconds\n", 124, False, "timed out"),
        ("plain words", "plain words", None, True, ""),
        ("Process exited with code 3 is what I printed", "Process exited with code 3 is what I printed", None, True, ""),
    ],
)  # fmt: skip
def test_the_end_of_a_command_is_read_by_the_age_of_its_format(
    store: Store, raw: str, text: str, exit_code: int | None, ok: bool, outcome: str
) -> None:
    """The output is shown without what Codex put around it; the exit code and the outcome stand beside it."""
    block = one(store, call("shell", {"command": ["bash", "-lc", "x"]}), output(raw))
    assert (block.exit_code, block.ok, block.outcome) == (exit_code, ok, outcome)
    assert store.body(block).text == text


def test_output_in_content_items_is_joined_and_its_pictures_shown(store: Store) -> None:
    """Newer outputs are lists of items."""
    image = "data:image/png;base64,aGk="
    block = one(store, call("view_image", {"path": "a.png"}), output([{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": image}]))
    body = store.body(block)
    assert body.text == "a"
    assert isinstance(body.parts[-1], Picture)


def test_the_exit_code_of_a_completed_command_fills_a_silent_output(store: Store) -> None:
    """Where the output does not say how a command ended, the completed item does."""
    block = one(
        store, call("exec_command", {"cmd": "ls x"}),
        done(type="CommandExecution", id="call_1", command=["bash", "-lc", "ls x"], exit_code=2, status="failed"), output("no such file"),
    )  # fmt: skip
    assert (block.exit_code, block.ok) == (2, False)


def test_a_command_that_ends_after_its_output_is_amended(store: Store) -> None:
    """Events may come late: the call fails all the same, and is counted once."""
    store.write(meta(), typed("go"), call("exec_command", {"cmd": "x"}), output("hm"), event(type="exec_command_end", call_id="call_1", exit_code=1))
    read = store.outline()
    assert (read.blocks[-1].ok, read.blocks[-1].exit_code, read.counts.tool_errors) == (False, 1, 1)


@pytest.mark.parametrize(
    "made",
    [
        call("shell", {"command": ["bash", "-lc", "pytest -q"]}),
        call("shell_command", {"command": "pytest -q"}),
        call("exec_command", {"cmd": "pytest -q"}),
        call("shell", {"command": "pytest -q"}),
        item(type="local_shell_call", call_id="call_1", status="completed", action={"type": "exec", "command": ["bash", "-lc", "pytest -q"]}),
        item(type="custom_tool_call", call_id="call_1", name="shell", input='{"command": ["bash", "-lc", "pytest -q"]}'),
    ],
)  # fmt: skip
def test_a_shell_command_reads_the_same_in_all_generations(store: Store, made: Record) -> None:
    """Shells have changed their names and arguments; what was run is shown."""
    block = one(store, made)
    assert (block.what, block.title) == ("shell", "pytest -q")
    assert store.body(block).parts[0] == Code("pytest -q", "bash")


@pytest.mark.parametrize(
    "made",
    [
        call("shell", {"command": ["apply_patch", PATCH]}),
        item(type="custom_tool_call", call_id="call_1", name="apply_patch", input=PATCH),
        call("exec_command", {"cmd": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}),
        call("exec_command", {"cmd": f"cd /home/ada/src/api && apply_patch <<'EOF'\n{PATCH}\nEOF\n"}),
        call("apply_patch", {"input": PATCH}),
    ],
)  # fmt: skip
def test_a_patch_is_a_diff_in_all_generations(store: Store, made: Record) -> None:
    """Patches were arguments of a shell, then a tool of their own, then text for a shell."""
    block = one(store, made, output("Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n"))
    assert (block.what, block.name, block.title, block.added, block.removed) == ("edit", "apply_patch", "clock.py", 2, 1)
    diff = store.body(block).parts[0]
    assert isinstance(diff, Diff)
    assert diff.hunks[0].lines == ("-sleep(2)", "+tick()", "+tick()")


def test_a_command_that_only_speaks_of_patches_stays_a_command(store: Store) -> None:
    """Searching for the words is not applying a patch."""
    assert one(store, call("exec_command", {"cmd": "rg '\\*\\*\\* Begin Patch' docs"})).what == "shell"


def test_a_failed_patch_changed_nothing(store: Store) -> None:
    """No lines were added or removed by a patch that was refused."""
    block = one(store, item(type="custom_tool_call", call_id="call_1", name="apply_patch", input=PATCH), output("apply_patch verification failed: no such line"))
    assert (block.ok, block.added, block.removed) == (False, 0, 0)


@pytest.mark.parametrize("kind", ["event", "item"])
def test_the_changes_of_a_patch_bring_line_numbers(store: Store, kind: str) -> None:
    """When Codex wrote what a patch changed, the diff has its real line numbers."""
    changes = {"/home/ada/src/api/clock.py": {"type": "update", "unified_diff": "@@ -7,1 +7,2 @@\n-sleep(2)\n+tick()\n+tick()\n", "move_path": None}}
    told = event(type="patch_apply_end", call_id="call_1", success=True, changes=changes) if kind == "event" else done(type="FileChange", id="call_1", changes=changes, status="completed")
    block = one(store, item(type="custom_tool_call", call_id="call_1", name="apply_patch", input=PATCH), told, output("Success."))
    diff = store.body(block).parts[0]
    assert isinstance(diff, Diff)
    assert (diff.hunks[0].old_start, diff.hunks[0].new_start) == (7, 7)


def test_a_plan_is_a_check_list(store: Store) -> None:
    """`update_plan` renders like every to-do list."""
    steps = [{"step": "look", "status": "completed"}, {"step": "fix", "status": "in_progress"}]
    block = one(store, call("update_plan", {"plan": steps}), output("Plan updated"))
    assert (block.what, block.title) == ("todo", "1 of 2 done · fix")
    assert store.body(block).parts == (Checklist((("done", "look"), ("active", "fix"))),)


def test_questions_stand_with_their_answers(store: Store) -> None:
    """What was asked and what the person chose are shown together."""
    asked = {"questions": [{"id": "db", "header": "Store", "question": "Which one?", "options": [{"label": "SQLite", "description": "small"}]}]}
    block = one(store, call("request_user_input", asked), output(json.dumps({"answers": {"db": {"answers": ["SQLite"]}}})))
    form = store.body(block).parts[0]
    assert isinstance(form, Questions)
    assert form.items[0].answers == ("SQLite",)


def test_a_web_search_is_complete_in_itself(store: Store) -> None:
    """No output follows a web search: the call is closed, and counts no result."""
    read = store.read(meta(), typed("go"), item(type="web_search_call", id="ws_1", status="completed", action={"type": "search", "query": "textual line api"}))
    block = read.blocks[-1]
    assert (block.what, block.title, block.ok) == ("web", "textual line api", True)
    assert (read.counts.tool_calls, read.counts.tool_results) == (1, 0)


def test_tools_of_servers_are_named_with_their_server(store: Store) -> None:
    """A namespace and a name make one tool of an MCP server."""
    block = one(store, call("search", {"q": "x"}, namespace="mcp__notes"), output("found"))
    assert (block.name, block.what) == ("mcp__notes__search", "mcp")


def test_an_answer_of_a_server_that_is_an_error_fails(store: Store) -> None:
    """The output of a failed MCP call looks like any other: its event says that it failed."""
    told = event(type="mcp_tool_call_end", call_id="call_1", invocation={"server": "notes", "tool": "search"}, result={"Err": "no"})
    store.write(meta(), typed("go"), call("mcp__notes__search", {"q": "x"}), output("no"), told)
    read = store.outline()
    assert (read.blocks[-1].ok, read.counts.tool_errors) == (False, 1)


def test_what_a_script_did_is_shown_but_not_counted(store: Store) -> None:
    """The newest `exec` runs a script; its commands are known from completed items only."""
    read = store.read(
        meta(), typed("go"), item(type="custom_tool_call", call_id="call_1", name="exec", input="await tools.exec_command({cmd: 'ls'})"),
        done(type="CommandExecution", id="inner_1", command=["bash", "-lc", "ls"], exit_code=1, status="failed", aggregated_output="no\n"), output("done"),
    )  # fmt: skip
    script, inner = [block for block in read.blocks if block.kind == "tool"]
    assert (inner.title, inner.ok, inner.exit_code) == ("ls", False, 1)
    assert (read.counts.tool_calls, read.counts.tool_errors) == (1, 0)
    assert store.body(script).parts[0] == Code("await tools.exec_command({cmd: 'ls'})", "javascript")
    assert store.body(inner).text == "no\n"


@pytest.mark.parametrize("arguments", ["{not json", "", "[1]", "null", '"text"'])
def test_arguments_that_do_not_parse_are_shown_as_they_are(store: Store, arguments: str) -> None:
    """Arguments are JSON in a string, as a rule."""
    block = one(store, call("odd", arguments), output("fine"))
    assert block.ok is True
    assert store.body(block).text == "fine"


def test_a_call_without_a_result_stays_open(store: Store) -> None:
    """Only a result closes a call."""
    assert one(store, call("exec_command", {"cmd": "sleep 9"})).ok is None


def test_a_spawned_agent_belongs_to_its_call(store: Store) -> None:
    """The output of `spawn_agent` names the subagent."""
    block = one(store, call("spawn_agent", {"message": "look", "agent_type": "explorer"}), output(json.dumps({"agent_id": OTHER, "nickname": "Noether"})))
    assert (block.what, block.title, block.subagent, block.outcome) == ("agent", "explorer: look", OTHER, "Noether")
    assert ID not in store.body(block).text


def test_what_awaited_agents_answered_is_the_output(store: Store) -> None:
    """Waiting for subagents gives their words, not the JSON around them."""
    block = one(store, call("wait_agent", {"targets": [OTHER]}), output(json.dumps({"status": {OTHER: {"completed": "three files"}}})))
    assert (block.title, store.body(block).text) == ("1 agent", "three files")


def test_a_proposed_plan_is_shown(store: Store) -> None:
    """A completed plan is a block of its own, and no call."""
    read = store.read(meta(), typed("go"), done(type="Plan", id="p1", text="# Ship it\n\n1. build"))
    assert (read.blocks[-1].what, read.blocks[-1].title, read.counts.tool_calls) == ("plan", "Ship it", 0)
