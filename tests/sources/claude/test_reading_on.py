"""Going on where the last reading stopped gives what a fresh reading gives; nothing in a file can make reading fail."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessionbrowser.model import Transcript

from .log import Log, handle_of, source

QUICK = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def eventful(home: Path, name: str = "5e551011-0000-4000-8000-000000000009") -> Log:
    """A session in which about everything happens."""
    log = Log(home, name)
    log.meta("ai-title", aiTitle="Everything")
    log.user("one", permissionMode="default")
    log.attachment("prompt_snapshot", systemPrompt=["x" * 100])
    answer = log.assistant({"type": "thinking", "thinking": "hm\nhm"}, message="m1")
    log.call("Bash", "t1", {"command": "ls"}, message="m1")
    log.call("Agent", "t2", {"description": "look", "subagent_type": "Explore"}, message="m1")
    log.result("t2", "started", {"isAsync": True, "agentId": "a1"})
    log.meta("queue-operation", operation="enqueue", content="also this")
    log.meta("queue-operation", operation="remove")
    log.result("t1", "\x1b[31mno\x1b[0m", error=True, behind="hurry")
    log.result("t9", "before its call")
    log.call("Read", "t9", {"file_path": "/a"})
    log.user("<task-notification><task-id>a1</task-id><tool-use-id>t2</tool-use-id><status>completed</status></task-notification>")
    log.user("bad idea")
    log.say("really?")
    log.user("better idea", parent=answer, permissionMode="plan")
    log.say("ja – ñ 日本 🎉", model="claude-opus-4-5")
    log.row("system", parent=None, subtype="compact_boundary", logicalParentUuid=log.last, compactMetadata={"preTokens": 5000})
    log.user("This session is being continued from a previous conversation.", isCompactSummary=True)
    log.raw(b'{"parentUuid":null,"type":"user","message":{"content":"cut sho')
    log.raw(b"[1]")
    log.user("last", parent=log.last)
    log.meta("last-prompt", lastPrompt="last", explicit=True, leafUuid=log.last)
    return log


def same(one: Transcript, other: Transcript) -> None:
    assert list(one.blocks) == list(other.blocks)
    assert one._replace(blocks=(), state=None, restarted=False) == other._replace(blocks=(), state=None, restarted=False)


@given(cuts=st.lists(st.integers(0, 6000), max_size=4))
@QUICK
def test_reading_on_gives_what_a_fresh_reading_gives(home: Path, cuts: list[int]) -> None:
    """Cut anywhere, in the middle of a line too: the file grows, as it does while the agent writes."""
    log = eventful(home)
    data = log.data()
    reading = source(home)
    since: Transcript | None = None
    for cut in sorted(cuts):
        with open(log.write(data[:0]) if since is None else log.path, "r+b") as file:
            file.seek(0)
            file.write(data[:cut])
        since = reading.outline(handle_of(log.path, home), since)
        assert not since.restarted
        fresh = reading.outline(handle_of(log.path, home))
        same(since, fresh)
    with open(log.path if since is not None else log.write(b""), "r+b") as file:
        file.write(data)
    same(reading.outline(handle_of(log.path, home), since), reading.outline(handle_of(log.path, home)))


def test_at_every_line_end_reading_on_is_exact(home: Path) -> None:
    log = eventful(home)
    reading, since, data = source(home), None, b""
    log.write(b"")
    for row in log.rows:
        data += row + b"\n"
        log.path.write_bytes(data)
        since = reading.outline(handle_of(log.path, home), since)
        assert since.offset == len(data)
        same(since, reading.outline(handle_of(log.path, home)))


def test_only_what_was_appended_is_read(home: Path) -> None:
    log = eventful(home)
    reading = source(home)
    since = reading.outline(log.handle())
    data = bytearray(log.data())
    data[5:9] = b"XXXX"  # nobody looks there again
    log.path.write_bytes(bytes(data))
    again = reading.outline(handle_of(log.path, home), since)
    assert not again.restarted
    same(again, since)


def test_an_unfinished_last_line_waits(home: Path) -> None:
    log = Log(home)
    log.user("one")
    log.user("two")
    whole = log.data()
    log.write(whole[:-20])
    reading = source(home)
    first = reading.outline(handle_of(log.path, home))
    assert (len(first.blocks), [item.reason for item in first.damage]) == (1, ["unfinished last line"])
    log.path.write_bytes(whole)
    second = reading.outline(handle_of(log.path, home), first)
    assert (len(second.blocks), second.damage, second.restarted) == (2, (), False)


def test_a_whole_last_record_without_a_line_end_is_read(home: Path) -> None:
    log = Log(home)
    log.user("one")
    log.user("two")
    log.write(log.data()[:-1])
    reading = source(home)
    first = reading.outline(handle_of(log.path, home))
    assert len(first.blocks) == 2
    log.user("three")
    log.path.write_bytes(log.data())
    assert len(reading.outline(handle_of(log.path, home), first).blocks) == 3


@pytest.mark.parametrize("how", ["shorter", "another file", "rewritten"])
def test_a_file_that_is_another_is_read_from_its_start(home: Path, how: str) -> None:
    log = Log(home)
    log.user("one")
    log.user("two")
    reading = source(home)
    since = reading.outline(log.handle())
    if how == "shorter":
        log.path.write_bytes(log.rows[0] + b"\n")
    elif how == "another file":
        other = log.path.with_suffix(".new")
        other.write_bytes(log.data())
        os.replace(other, log.path)
    else:
        log.path.write_bytes(log.data().replace(b"two", b"TWO"))
    again = reading.outline(handle_of(log.path, home), since)
    assert again.restarted
    same(again, reading.outline(handle_of(log.path, home)))


@given(seed=st.integers(0, 2**32), damage=st.sampled_from(["flip", "cut", "shuffle", "drop", "double", "join"]))
@settings(QUICK, max_examples=60)
def test_no_damage_makes_reading_fail(home: Path, seed: int, damage: str) -> None:
    """Every method, on files with bytes changed, cut out, lines shuffled, dropped, doubled and joined."""
    rng = random.Random(seed)
    log = eventful(home)
    rows = list(log.rows)
    if damage == "shuffle":
        rng.shuffle(rows)
    elif damage == "drop":
        rows = [row for row in rows if rng.random() > 0.3]
    elif damage == "double":
        rows = [row for row in rows for _ in range(rng.choice((1, 1, 2)))]
    data = bytearray((b"" if damage == "join" else b"\n").join(rows))
    for _ in range(rng.randrange(1, 9)):
        at = rng.randrange(len(data))
        if damage == "flip":
            data[at] = rng.randrange(256)
        elif damage == "cut":
            del data[at : at + rng.randrange(1, 60)]
    log.write(bytes(data))
    reading, handle = source(home), handle_of(log.path, home)
    outline = reading.outline(handle)
    for block in outline.blocks:
        reading.body(handle, block)
    reading.agents(handle, outline)
    row = reading.summarise(handle)
    reading.summarise(handle, row)
    list(reading.passages(handle, tools=True))


values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "x", "user", "text", "tool_use", "tool_result", "<command-name>a</command-name>"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "content", "id", "name", "input", "tool_use_id", "file", "source"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
KEYS = ("uuid", "parentUuid", "message", "timestamp", "toolUseResult", "attachment", "subtype", "content", "origin", "error", "compactMetadata",
        "hookInfos", "hookErrors", "forkedFrom", "cwd", "version", "operation", "isMeta", "isSidechain", "worktreeSession", "leafUuid", "explicit")  # fmt: skip
KINDS = ("user", "assistant", "system", "attachment", "progress", "queue-operation", "last-prompt", "summary", "worktree-state", "pr-link", "cost-state", "host-row")  # fmt: skip


@given(records=st.lists(st.tuples(st.sampled_from(KINDS) | values, st.dictionaries(st.sampled_from(KEYS), values, max_size=6)), max_size=6))
@settings(QUICK, max_examples=150)
def test_no_value_of_a_wrong_type_makes_reading_fail(home: Path, records: list[tuple[object, dict[str, object]]]) -> None:
    import orjson

    log = Log(home)
    log.write(b"".join(orjson.dumps({"type": kind, **record}) + b"\n" for kind, record in records))
    reading, handle = source(home), handle_of(log.path, home)
    outline = reading.outline(handle)
    for block in outline.blocks:
        reading.body(handle, block)
    reading.agents(handle, outline)
    reading.summarise(handle)
    list(reading.passages(handle, tools=True))
