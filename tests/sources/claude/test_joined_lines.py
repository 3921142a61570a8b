"""Lines on which two processes wrote at once: what stands behind bookkeeping is read all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessionbrowser.sources.claude import lines

from .log import Log, handle_of, source

SNAPSHOT = b'{"type":"file-history-snapshot","messageId":"m1","snapshot":{"messageId":"m1","trackedFileBackups":{}},"isSnapshotUpdate":false}'
PROGRESS = b'{"parentUuid":"u2","isSidechain":false,"type":"progress","data":{"type":"hook_progress"},"uuid":"p1","timestamp":"2026-05-01T10:00:09.000Z"}'
LISTING = b'{"parentUuid":"u2","isSidechain":false,"attachment":{"type":"skill_listing","content":"- pdf"},"type":"attachment","uuid":"p1"}'
BOOKKEEPING = pytest.mark.parametrize(
    "before", [SNAPSHOT, SNAPSHOT[:60], PROGRESS, PROGRESS[:110], LISTING, LISTING[:80]],
    ids=["snapshot", "cut snapshot", "progress", "cut progress", "listing", "cut listing"],
)  # fmt: skip


def joined(home: Path, before: bytes) -> Log:
    """A session whose second prompt stands behind `before` on one line."""
    log = Log(home)
    log.user("first")
    log.say("done")
    log.user("second, behind something else")
    log.rows[-1] = before + log.rows[-1]
    return log


@BOOKKEEPING
def test_a_prompt_behind_bookkeeping_is_read(home: Path, before: bytes) -> None:
    outline = joined(home, before).outline()
    assert [block.title for block in outline.blocks if block.kind == "prompt"] == ["first", "second, behind something else"]
    assert len(outline.damage) == 1


@BOOKKEEPING
def test_the_list_knows_a_prompt_behind_bookkeeping(home: Path, before: bytes) -> None:
    assert joined(home, before).row_of().last_prompt == "second, behind something else"


@BOOKKEEPING
@pytest.mark.parametrize("tools", [False, True])
def test_a_prompt_behind_bookkeeping_is_found(home: Path, before: bytes, tools: bool) -> None:
    path = joined(home, before).write()
    found = source(home).passages(handle_of(path, home), tools=tools)
    assert [item.text for item in found] == ["first", "done", "second, behind something else"]


@pytest.mark.parametrize("arguments", [{"type": "progress", "done": 3}, {"attachment": {"type": "date", "day": 4}}])
def test_a_call_whose_arguments_look_like_bookkeeping_is_a_call(home: Path, arguments: dict[str, object]) -> None:
    log = Log(home)
    log.user("tell them")
    log.call("mcp__desk__notify", "t1", arguments)
    log.result("t1", "sent")
    assert lines.kind_of(log.rows[1]) == ""
    assert [(block.name, block.ok) for block in log.blocks() if block.kind == "tool"] == [("mcp__desk__notify", True)]


def test_the_queue_behind_bookkeeping_is_replayed(home: Path) -> None:
    log = Log(home)
    log.user("first")
    log.meta("queue-operation", operation="enqueue", content="typed meanwhile")
    log.rows[-1] = SNAPSHOT + log.rows[-1]
    log.meta("queue-operation", operation="remove")
    log.say("done")
    assert [block.title for block in log.blocks() if block.kind == "prompt"] == ["first", "typed meanwhile"]
    found = source(home).passages(log.handle())
    assert [item.text for item in found] == ["first", "done", "typed meanwhile"]
