"""Rows: what head and tail say of a session, whatever lies between."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .rollout import (
    ID,
    OTHER,
    Store,
    assistant,
    call,
    done,
    event,
    item,
    meta,
    output,
    said,
    total,
    turn,
    typed,
    user,
)

STARTED = event(type="task_started", turn_id="t1")
COMPLETE = event(type="task_complete", turn_id="t1", last_agent_message="ok")


def test_a_row_knows_where_when_and_what(store: Store) -> None:
    """Directory, branch, version, model, times and title come from the records."""
    store.write(meta(git={"branch": "feat/clock"}, cli_version="0.144.0"), turn(effort="high", approval_policy="never"), typed("fix the\nclock"), total(10, 4, 2), said("ok"))
    row = store.row()
    assert (row.title, row.title_from, row.first_prompt) == ("fix the clock", "prompt", "fix the clock")
    assert (row.cwd, row.project, row.branch, row.version, row.model) == ("/home/ada/src/api", "api", "feat/clock", "0.144.0", "gpt-5.5-codex")
    assert (row.created, row.updated) == (1778577240.0, 1778577244.0)
    assert (row.facts["effort"], row.facts["approval"], row.counts) == ("high", "never", None)


def test_the_row_of_a_large_file_is_that_of_a_small_one(store: Store) -> None:
    """Two megabytes between head and tail change nothing but the size."""
    begin = [meta(), STARTED, turn(), typed("first")]
    end = [turn(model="gpt-6", cwd="/home/ada/src/web"), typed("last"), total(900, 0, 90), said("ok"), COMPLETE]
    store.write(*begin, *end)
    small = store.row()
    store.write(*begin, *[assistant("x" * 20_000)] * 100, *end)
    large = store.row()
    same = {"size": 0, "updated": None}
    assert large._replace(**same) == small._replace(**same)


def test_the_first_line_may_be_long(store: Store) -> None:
    """The instructions of the model stand before everything else."""
    store.write(meta(base_instructions={"text": "be brief " * 9000}), typed("hello"), *[assistant("y" * 9000)] * 20)
    assert store.row().title == "hello"


def test_settings_far_from_the_end_are_found(store: Store) -> None:
    """The last turn's model is known although a long turn followed it."""
    store.write(meta(), turn(model="old"), typed("a"), *[assistant("x" * 9000)] * 30, turn(model="new"), typed("b"), *[assistant("y" * 3000)] * 20, said("z"))
    row = store.row()
    assert (row.model, row.last_prompt) == ("new", "b")


@pytest.mark.parametrize("prompt", [typed, user, lambda text: done(type="UserMessage", content=[{"type": "text", "text": text}])])
def test_a_prompt_megabytes_from_the_end_is_found(store: Store, prompt: Any) -> None:
    """A turn may fill them with output, whatever form its prompt has."""
    store.write(meta(), turn(), prompt("a"), prompt("b"), *[output("x" * 20_000)] * 60, said("z"))
    assert store.row().last_prompt == "b"


@pytest.mark.parametrize(
    ("source", "origin", "hidden"),
    [
        ("cli", "interactive", ""), ("vscode", "interactive", ""), ({"custom": "atlas"}, "interactive", ""),
        ("exec", "headless", "headless"), ("mcp", "mcp", "headless"), ({"custom": "bot"}, "bot", "headless"),
        ({"internal": "x"}, "internal", "internal"), ({"subagent": "compact"}, "internal", "internal"),
        ({"subagent": "review"}, "subagent", "subagent"), ({"subagent": {"other": "guardian"}}, "subagent", "subagent"),
    ],
)  # fmt: skip
def test_who_started_a_session(store: Store, source: Any, origin: str, hidden: str) -> None:
    """Sessions of people are shown; others are hidden, with the reason."""
    store.write(meta(source=source), typed("go"), said("ok"))
    row = store.row()
    assert (row.origin, row.hidden) == (origin, hidden)


def test_programs_built_on_codex_are_hidden(store: Store) -> None:
    """The SDK names itself as originator."""
    store.write(meta(source="exec", originator="codex_sdk_ts"), typed("go"), said("ok"))
    assert (store.row().origin, store.row().hidden) == ("sdk", "headless")


@pytest.mark.parametrize(
    ("records", "tail"),
    [
        ([typed("go")], "working"),
        ([typed("go"), said("all good")], "finished"),
        ([typed("go"), said("shall I?")], "asking"),
        ([STARTED, typed("go"), said("looking", phase="commentary")], "working"),
        ([STARTED, typed("go"), said("ok"), COMPLETE], "finished"),
        ([STARTED, typed("go"), said("ok"), event(type="task_complete", turn_id="t1", last_agent_message="Shall I?")], "asking"),
        ([STARTED, typed("go"), call("exec_command", {"cmd": "x"})], "calling"),
        ([STARTED, typed("go"), call("exec_command", {"cmd": "x"}), output("y")], "working"),
        ([STARTED, typed("go"), call("request_user_input", {"questions": []})], "asking"),
        ([STARTED, typed("go"), event(type="turn_aborted", reason="interrupted")], "interrupted"),
        ([STARTED, typed("go"), event(type="turn_aborted", reason="interrupted"), done(type="CommandExecution", id="c", exit_code=1)], "interrupted"),
        ([STARTED, typed("go"), event(type="error", message="no quota"), event(type="task_complete", turn_id="t1", last_agent_message=None)], "failed"),
        ([STARTED, typed("go"), event(type="task_complete", turn_id="t1", error={"message": "no quota"})], "failed"),
        ([STARTED, typed("go"), said("ok"), COMPLETE, STARTED], "working"),
        ([user("go"), assistant("ok")], "finished"),
        ([user("go"), assistant("ok"), total(1, 0, 1)], "finished"),
    ],
)  # fmt: skip
def test_how_a_file_ends(store: Store, records: list[Any], tail: str) -> None:
    """The status is read off the last records; where turns are marked, an answer alone ends none."""
    store.write(meta(), turn(), *records)
    assert store.row().tail == tail


def test_a_header_alone_is_an_empty_session(store: Store) -> None:
    """Nothing was ever typed."""
    store.write(meta())
    assert (store.row().hidden, store.row().title_from) == ("empty", "id")


def test_an_empty_file_is_an_empty_session(store: Store) -> None:
    """Its id is in its name."""
    store.write()
    row = store.row()
    assert (row.id, row.hidden, row.tail) == (ID, "empty", "unknown")
    assert not store.outline().blocks


def test_the_first_session_record_counts(store: Store) -> None:
    """Later ones are the source of a fork."""
    store.write(meta(forked_from_id=OTHER), meta(OTHER, cwd="/elsewhere"), typed("go"), said("ok"))
    row = store.row()
    assert (row.id, row.cwd, row.forked_from) == (ID, "/home/ada/src/api", OTHER)


def test_the_last_name_in_the_index_is_the_title(store: Store) -> None:
    """Names are appended; damaged lines among them are passed over."""
    store.write(meta(), typed("go"), said("ok"))
    index = store.home / ".codex" / "session_index.jsonl"
    index.write_text("\n".join([json.dumps({"id": ID, "thread_name": "Old"}), "{broken", json.dumps({"id": ID, "thread_name": "Clock"})]) + "\n")
    row = store.row()
    assert (row.title, row.title_from) == ("Clock", "name")


def test_a_new_name_changes_the_stamp_of_a_session(store: Store) -> None:
    """A rename touches no rollout: without this the row would keep the old name."""
    store.write(meta(), typed("go"), said("ok"))
    before = store.handle()
    (store.home / ".codex" / "session_index.jsonl").write_text(json.dumps({"id": ID, "thread_name": "Clock"}) + "\n")
    after = store.handle()
    assert before.mtime_ns != after.mtime_ns
    assert before._replace(mtime_ns=0) == after._replace(mtime_ns=0)


def test_a_name_in_the_records_is_the_title(store: Store) -> None:
    """Some versions write the name into the rollout."""
    store.write(meta(), typed("go"), said("ok"), event(type="thread_name_updated", thread_name="Clock"))
    assert store.row().title == "Clock"


def test_damaged_lines_are_counted(store: Store) -> None:
    """A line that cannot be read costs that line."""
    path = store.write(meta(), typed("go"), said("ok"))
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*whole[:2], b"not json\n", *whole[2:]]))
    assert store.row().damaged_lines == 1
    read = store.outline()
    assert (len(read.damage), read.counts.prompts, read.counts.answers) == (1, 1, 1)


def test_windows_line_ends_and_directories(store: Store) -> None:
    """Files from Windows have both."""
    path = store.write(meta(cwd="C:\\Users\\ada\\src\\api"), typed("go"), said("ok"))
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert (store.row().cwd, store.row().project, store.row().damaged_lines) == ("C:\\Users\\ada\\src\\api", "api", 0)


def test_a_task_between_agents_is_the_title_of_a_subagent(store: Store) -> None:
    """Subagents of the second kind have no user message."""
    task = item(type="agent_message", author="/root", content=[{"type": "input_text", "text": "Message Type: NEW_TASK\nPayload:\ncount the files"}])
    store.write(meta(source={"subagent": {"thread_spawn": {"parent_thread_id": OTHER, "agent_path": "/root/scout"}}}), task, said("3"))
    assert store.row().title == "count the files"


@pytest.mark.parametrize("before", [0, 20])
def test_what_happened_to_its_parent_did_not_happen_to_a_subagent(store: Store, before: int) -> None:
    """Its file begins with a copy of the parent's records, an interrupt and a count of tokens among them."""
    task = item(type="agent_message", author="/root", content=[{"type": "input_text", "text": "Message Type: NEW_TASK\nPayload:\nlook around"}])
    copied = [*[assistant("x" * 5000)] * before, turn(), typed("do it"), total(900, 0, 90), event(type="turn_aborted", reason="interrupted")]
    store.write(meta(subagent_history_start_ordinal=5 + before, parent_thread_id=OTHER), *copied, task, said("found it"), numbered=0)
    row = store.row()
    assert (row.title, row.tail, row.tokens) == ("look around", "finished", None)
