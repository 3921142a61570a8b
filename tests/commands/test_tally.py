"""Numbers that several commands say, and say again with a cache: they are the same."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sessionbrowser.export import views
from sessionbrowser.model import Block, Body, Counts, Place, Transcript
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


def test_doctor_and_list_count_what_could_not_be_read_alike(write: Write, sb: Sb) -> None:
    """Lines and whole files."""
    write(FIRST)
    with write(SECOND).open("a") as file:
        file.write("{broken\n")
    listed = json.loads(sb("list", "--jsonl").out.splitlines()[-1])
    assert listed["parse_errors"] == 1
    assert sb("doctor", "--json").json()["parse_errors"] == 1


def test_show_counts_what_it_prints(write: Write, sb: Sb) -> None:
    """A result without its call is no block, so it is not counted beside the blocks."""
    lines = write(FIRST).read_text().splitlines()
    stray = json.loads(lines[0]) | {"uuid": "c", "parentUuid": f"{FIRST[:8]}-b"}
    stray["message"] = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_gone", "is_error": True, "content": "no"}]}
    write(FIRST).write_text("\n".join([*lines, json.dumps(stray)]) + "\n", encoding="utf-8")
    shown = sb("show", FIRST, "--format", "json").json()
    blocks = [block for turn in shown["turns"] for block in turn["blocks"]]
    assert "tool" not in {block["kind"] for block in blocks}
    assert [shown["session"][name] for name in ("prompts", "tool_calls", "tool_results", "tool_errors")] == [1, 0, 0, 0]


def test_history_in_another_file_is_not_counted() -> None:
    """What a fork left with its parent is shown, marked, and belongs to the parent."""
    own = Block("prompt", Place(0), 2, what="typed")
    taken = Block("prompt", Place(0, path="/parent"), 1, what="typed", copied=True)
    call = Block("tool", Place(9), 2, ok=False)
    task = Block("prompt", Place(12), 3, what="subagent")
    told = views.counted(Transcript((taken, own, call, task), Counts(prompts=9, answers=3)))
    assert told == Counts(prompts=1, answers=3, tool_calls=1, tool_results=1, tool_errors=1)
    (turn, *_) = views.turns([taken])
    assert views.turn_json(turn, "full", lambda block: Body(""))["prompt"]["copied"] is True  # type: ignore[index]
