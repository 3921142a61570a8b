"""Numbers that several commands say, and say again with a cache: they are the same."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sessionbrowser.export import views
from sessionbrowser.export.nested import subagents
from sessionbrowser.model import Agent, Block, Body, Place, is_call
from tests.commands.conftest import FIRST, SECOND, Sb, Write


def _subagent(path: Path, name: str) -> None:
    path.mkdir(parents=True, exist_ok=True)
    record = {"type": "user", "uuid": f"{name}-a", "parentUuid": None, "sessionId": SECOND, "agentId": name, "isSidechain": True,
              "cwd": "/home/ada/src/api", "timestamp": "2026-05-01T10:00:01.000Z", "message": {"role": "user", "content": "look"}}  # fmt: skip
    (path / f"agent-{name}.jsonl").write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")


@pytest.mark.parametrize("names", [("abc1234", "acompact-9f"), ("acompact-9f",)], ids=["with others", "alone"])
def test_internal_files_beside_subagents_are_counted_by_every_list(write: Write, sb: Sb, names: tuple[str, ...]) -> None:
    """The first list enters their folder, the second does not."""
    folder = write(SECOND).with_suffix("") / "subagents"
    for name in names:
        _subagent(folder, name)
    os.utime(folder, (1, 1))  # a folder that changed just now would be looked into again
    said = [json.loads(sb("list", "--jsonl", *more).out.splitlines()[-1]) for more in ((), (), (), ("--no-cache",))]
    assert said[0]["files_processed"] == 1 + len(names)
    assert said[0]["hidden"]["internal"] == 1
    assert said[1:] == said[:1] * 3


def test_subagents_are_those_of_the_tree(write: Write, sb: Sb) -> None:
    """In every list, once the file was read: those in files of their own and those in the session's."""
    path = write(SECOND)
    _subagent(path.with_suffix("") / "subagents", "abc1234")
    _subagent(path.parent, "beside1")
    inside = {"type": "user", "uuid": "s1", "parentUuid": None, "sessionId": SECOND, "isSidechain": True, "cwd": "/home/ada/src/api",
              "timestamp": "2026-05-01T10:00:02.000Z", "message": {"role": "user", "content": "look inside"}}  # fmt: skip
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(inside) + "\n")
    assert len(sb("tree", SECOND, "--json").json()["root"]["children"]) == 3
    for _ in range(2):
        assert [row["subagents"] for row in sb("list", "--json", "--exact").json()["sessions"]] == [3]
        assert sb("stats", "--json").json()["totals"]["subagents"] == 3


def test_a_warm_up_is_no_subagent_for_list_tree_and_brief(write: Write, sb: Sb) -> None:
    """Only what stands in its file tells it from one."""
    folder = write(SECOND).with_suffix("") / "subagents"
    for name in ("abc1234", "warm001"):
        _subagent(folder, name)
    warm = folder / "agent-warm001.jsonl"
    warm.write_text(warm.read_text().replace('"look"', '"Warmup"'))
    for exact in ((), ("--exact",), ("--no-cache",)):
        assert [row["subagents"] for row in sb("list", "--json", *exact).json()["sessions"]] == [1]
    assert [child["id"] for child in sb("tree", SECOND, "--json").json()["root"]["children"]] == ["agent-abc1234"]
    assert sb("show", SECOND, "--view", "brief", "--format", "json").json()["brief"]["subagents"] == "1: look"


def _calls(path: Path, *calls: dict[str, object]) -> None:
    """Append an answer that makes calls."""
    content = [{"type": "tool_use", "id": f"toolu_{number}", **call} for number, call in enumerate(calls)]
    record = {"type": "assistant", "uuid": "calls", "parentUuid": f"{SECOND[:8]}-b", "sessionId": SECOND, "cwd": "/home/ada/src/api",
              "timestamp": "2026-05-01T10:00:02.000Z", "message": {"id": "m9", "role": "assistant", "model": "claude-x", "content": content}}  # fmt: skip
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def test_the_brief_counts_subagents_and_not_what_is_asked_of_them(write: Write, sb: Sb) -> None:
    """Waiting for one, or for a shell, and writing to one starts none; one that no call names is one."""
    path = write(SECOND)
    _subagent(path.with_suffix("") / "subagents", "abc1234")
    _calls(path, {"name": "TaskOutput", "input": {"task_id": "b1bg01"}}, {"name": "SendMessage", "input": {"to": "abc1234", "message": {"type": "shutdown_response"}}})
    assert sb("show", SECOND, "--view", "brief", "--format", "json").json()["brief"]["subagents"] == "1: look"
    assert [row["subagents"] for row in sb("list", "--json", "--exact").json()["sessions"]] == [1]


def test_the_brief_of_some_turns_counts_the_subagents_of_their_calls(write: Write, sb: Sb) -> None:
    """Those of the other turns are left out, as are those that no call names."""
    path = write(SECOND)
    for name in ("abc1234", "def5678"):
        _subagent(path.with_suffix("") / "subagents", name)
    _calls(path, {"name": "Task", "input": {"description": "look around", "prompt": "look", "subagent_type": "Explore"}})
    (path.with_suffix("") / "subagents" / "agent-abc1234.meta.json").write_text('{"toolUseId": "toolu_0"}')
    prompt = {"type": "user", "uuid": "more", "parentUuid": "calls", "sessionId": SECOND, "timestamp": "2026-05-01T10:01:00.000Z",
              "message": {"role": "user", "content": "and now?"}}  # fmt: skip
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(prompt) + "\n")

    def told(*more: str) -> str:
        return str(sb("show", SECOND, "--view", "brief", "--format", "json", *more).json()["brief"]["subagents"])

    assert told() == "2: Explore: look around, look"
    assert told("--turns", "1") == "1: Explore: look around"
    assert told("--turns", "2") == "none"


def test_forks_are_no_subagents() -> None:
    """The tree shows them; what is below a subagent counts."""
    inner = Agent("c", "subagent")
    tree = Agent("a", "session", children=(Agent("b", "subagent", children=(inner,)), Agent("f", "fork", children=(Agent("g", "subagent"),))))
    assert [agent.id for agent in subagents(tree)] == ["b", "c"]


def test_doctor_and_list_count_what_could_not_be_read_alike(write: Write, sb: Sb) -> None:
    """Lines and whole files."""
    write(FIRST)
    with write(SECOND).open("a") as file:
        file.write("{broken\n")
    listed = json.loads(sb("list", "--jsonl").out.splitlines()[-1])
    assert listed["parse_errors"] == 1
    assert sb("doctor", "--json").json()["parse_errors"] == 1


def test_show_counts_as_the_list_does(write: Write, sb: Sb) -> None:
    """A result without its call counts and is shown as a note, among the errors when it is one."""
    lines = write(FIRST).read_text().splitlines()
    stray = json.loads(lines[0]) | {"uuid": "c", "parentUuid": f"{FIRST[:8]}-b"}
    stray["message"] = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_gone", "is_error": True, "content": "no"}]}
    write(FIRST).write_text("\n".join([*lines, json.dumps(stray)]) + "\n", encoding="utf-8")
    (row,) = sb("list", "--json", "--exact").json()["sessions"]
    shown, wrong = sb("show", FIRST, "--format", "json").json(), sb("show", FIRST, "--view", "errors", "--format", "json").json()
    names = ("prompts", "tool_calls", "tool_results", "tool_errors")
    assert [shown["session"][name] for name in names] == [row[name] for name in names] == [1, 0, 1, 1]
    assert "tool" not in {block["kind"] for turn in shown["turns"] for block in turn["blocks"]}
    assert [(block["what"], block["text"], block["ok"]) for turn in wrong["turns"] for block in turn["blocks"]] == [("result", "no", False)]


def test_what_only_events_tell_is_shown_and_is_no_call(home: Path, sb: Sb) -> None:
    """In show, list, brief, tree and statistics alike."""
    folder = home / ".codex" / "sessions" / "2026" / "05" / "01"
    folder.mkdir(parents=True)
    records = [
        ("session_meta", {"id": "019e0000-0000-7000-8000-000000000001", "cwd": "/home/ada", "originator": "codex_cli_rs"}),
        ("event_msg", {"type": "user_message", "message": "go"}),
        ("response_item", {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}', "call_id": "c1"}),
        ("response_item", {"type": "function_call_output", "call_id": "c1", "output": "a.py"}),
        ("event_msg", {"type": "exec_command_end", "call_id": "inner", "command": ["make"], "exit_code": 2, "aggregated_output": "no rule"}),
    ]
    lines = [json.dumps({"timestamp": f"2026-05-01T10:00:0{n}.000Z", "type": kind, "payload": payload}) for n, (kind, payload) in enumerate(records)]
    (folder / "rollout-2026-05-01T10-00-00-019e0000-0000-7000-8000-000000000001.jsonl").write_text("\n".join(lines) + "\n")
    (row,) = sb("list", "--json", "--exact").json()["sessions"]
    shown = sb("show", "019e0000", "--format", "json").json()
    names = ("tool_calls", "tool_results", "tool_errors")
    assert [shown["session"][name] for name in names] == [row[name] for name in names] == [1, 1, 0]
    assert [(block["target"], block.get("via")) for turn in shown["turns"] for block in turn["blocks"]] == [("ls", None), ("make", "event")]
    assert sb("show", "019e0000", "--view", "brief", "--format", "json").json()["brief"]["tools"] == "1 call (shell 1), 0 errors"
    assert "1 call" in sb("tree", "019e0000", "--tools").out and "2 calls" not in sb("tree", "019e0000", "--tools").out
    assert [(tool["tool"], tool["calls"], tool["errors"]) for tool in sb("stats", "--json").json()["by_tool"]] == [("shell", 1, 0)]


def test_history_in_another_file_is_marked() -> None:
    """What a fork left with its parent is shown and belongs to the parent; counts do not have it."""
    taken = Block("prompt", Place(0, path="/parent"), 1, what="typed", copied=True)
    assert not is_call(Block("tool", Place(3, path="/parent"), 1)) and is_call(Block("tool", Place(3), 1))
    (turn, *_) = views.turns([taken])
    assert views.turn_json(turn, "full", lambda block: Body(""))["prompt"]["copied"] is True  # type: ignore[index]
