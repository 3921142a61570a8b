"""Going on where a reading stopped, damage of every kind, and the text to search."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessionbrowser.model import Transcript

from .rollout import (
    OTHER,
    Record,
    Store,
    assistant,
    call,
    done,
    event,
    item,
    lines,
    meta,
    output,
    said,
    total,
    turn,
    typed,
    user,
)

CONVERSATION: list[Record] = [
    meta(), turn(), user("one"), typed("one"), event(type="agent_reasoning", text="hm"),
    item(type="reasoning", summary=[{"type": "summary_text", "text": "hm"}]), call("exec_command", {"cmd": "ls"}),
    total(10, 0, 2), output("Exit code: 1\nWall time: 0 seconds\nOutput:\nno\n"), said("1"), assistant("1"),
    {"type": "compacted", "payload": {"message": "so far"}}, typed("two"), turn(model="gpt-6"), said("2"),
    event(type="thread_rolled_back", num_turns=1), typed("three"), call("shell", {"command": "x"}, "call_2"),
    event(type="turn_aborted", reason="interrupted"),
]  # fmt: skip
PAGINATED: list[Record] = [
    meta(history_mode="paginated"), user("one"), done(type="UserMessage", content=[{"type": "text", "text": "one"}]),
    done(type="AgentMessage", content=[{"type": "Text", "text": "1"}]), assistant("1"), call("exec_command", {"cmd": "ls"}),
    done(type="CommandExecution", id="call_1", exit_code=1), output("no"), done(type="Plan", text="p"),
]  # fmt: skip


def value(read: Transcript) -> Transcript:
    """A transcript without what depends on how it was read."""
    return read._replace(state=None, restarted=False, blocks=list(read.blocks))


@pytest.mark.parametrize("records", [CONVERSATION, PAGINATED])
def test_going_on_equals_reading_anew(store: Store, records: list[Record]) -> None:
    """Whatever was there at first, the end is the same."""
    whole = lines(records, numbered=0)
    path = store.write()
    ends = [index + 1 for index, byte in enumerate(whole) if byte == 10]
    path.write_bytes(whole)
    fresh = value(store.outline())
    for end in [*ends, len(whole) // 3, len(whole) // 2]:
        path.write_bytes(whole[:end])
        first = store.outline()
        with path.open("ab") as file:
            file.write(whole[end:])
        assert value(store.outline(since=first)) == fresh


def test_going_on_reads_only_what_was_appended(store: Store) -> None:
    """Damage done to the middle of what was read already is not noticed."""
    whole = lines(CONVERSATION)
    path = store.write()
    path.write_bytes(whole)
    first = store.outline()
    path.write_bytes(whole.replace(b'"hm"', b'"??"') + lines([typed("more")]))
    again = store.outline(since=first)
    assert (again.restarted, again.blocks[: len(first.blocks)]) == (False, first.blocks)
    assert again.blocks[-1].title == "more"


@pytest.mark.parametrize("change", ["shorter", "other last line", "other file"])
def test_a_replaced_file_is_read_anew(store: Store, change: str) -> None:
    """A cut, a rewrite or another file under the name starts again, and says so."""
    path = store.write(*CONVERSATION)
    first = store.outline()
    if change == "shorter":
        path.write_bytes(lines(CONVERSATION[:5]))
    elif change == "other last line":
        path.write_bytes(path.read_bytes().replace(b'"interrupted"', b'"interruptes"'))
    else:
        other = Path(f"{path}.new")
        other.write_bytes(path.read_bytes())
        other.replace(path)
    again = store.outline(since=first)
    assert again.restarted
    assert value(again) == value(store.outline())


def test_nothing_new_is_nothing_new(store: Store) -> None:
    """Asking again gives the same."""
    store.write(*CONVERSATION)
    first = store.outline()
    again = store.outline(since=first)
    assert (again.restarted, value(again)) == (False, value(first))


def test_an_earlier_transcript_can_be_gone_on_from_twice(store: Store) -> None:
    """The state it carries has moved on: it is read anew, and nothing is counted twice."""
    path = store.write(*CONVERSATION)
    first = store.outline()
    with path.open("ab") as file:
        file.write(lines([typed("more")]))
    assert value(store.outline(since=first)) == value(store.outline(since=first))


def test_a_last_line_without_an_end_waits(store: Store) -> None:
    """Half a record may be a write in progress; a whole one counts."""
    path = store.write(meta(), typed("one"))
    half = json.dumps(typed("two")).encode()
    path.write_bytes(path.read_bytes() + half[:-9])
    first = store.outline()
    assert (first.counts.prompts, first.damage) == (1, ())
    with path.open("ab") as file:
        file.write(half[-9:])
    again = store.outline(since=first)
    assert again.counts.prompts == 2
    with path.open("ab") as file:
        file.write(b"\n" + lines([said("ok")]))
    assert store.outline(since=again).counts[:2] == (2, 1)


def test_bodies_are_read_at_their_places(store: Store) -> None:
    """Two records on one line are told apart."""
    path = store.write(meta())
    path.write_bytes(path.read_bytes() + json.dumps(typed("one")).encode() + json.dumps(said("1")).encode() + b"\n")
    read = store.outline()
    assert [store.body(block).text for block in read.blocks] == ["one", "1"]
    assert len(read.damage) == 1


def test_a_file_that_is_gone_raises_what_the_contract_says(store: Store) -> None:
    """A session deleted while it is looked at is an OSError, not a crash."""
    path = store.write(*CONVERSATION)
    handle, block = store.handle(), store.blocks("prompt")[0]
    path.unlink()
    for reading in (lambda: store.source.summarise(handle), lambda: store.source.outline(handle), lambda: store.source.body(handle, block), lambda: list(store.source.passages(handle))):
        with pytest.raises(OSError):
            reading()


# ── damage ──

_DAMAGE = st.sampled_from([b"", b"{", b"null", b"[1]", b'"x"', b"\x00\x00", b"\xff\xfe", b'{"a":1}{"b":2}', b"9" * 400, b'{"type":"event_msg","payload":{"type":[]}}', b'{"type":{},"payload":{}}'])
_JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=12), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "payload", "item", "content", "text", "role", "name", "arguments", "output", "call_id", "info", "summary", "action", "changes", "command", "source", "id", "timestamp", "ordinal", "message", "images", "x"]), inner, max_size=5), max_leaves=12)
_KINDS = st.sampled_from(["message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call", "web_search_call", "tool_search_call", "tool_search_output", "image_generation_call", "agent_message", "tool_call", "tool_result"])
_EVENTS = st.sampled_from(["user_message", "agent_message", "agent_reasoning", "token_count", "task_started", "task_complete", "turn_aborted", "thread_rolled_back", "patch_apply_end", "exec_command_end", "mcp_tool_call_end", "entered_review_mode", "exited_review_mode", "sub_agent_activity", "collab_agent_spawn_end", "error", "warning"])
_ITEMS = st.sampled_from(["UserMessage", "AgentMessage", "Reasoning", "CommandExecution", "FileChange", "McpToolCall", "CollabAgentToolCall", "SubAgentActivity", "Plan", "HookPrompt", "ContextCompaction"])
_FIELDS = st.dictionaries(st.sampled_from(["content", "text", "role", "name", "arguments", "output", "call_id", "info", "summary", "action", "changes", "command", "id", "message", "images", "num_turns", "receiver_thread_ids", "tool", "error", "input", "result", "invocation", "review_output", "namespace", "tools"]), _JSON, max_size=8)
_ODD = st.one_of(
    st.builds(lambda kind, fields: item(**{**fields, "type": kind}), _KINDS, _FIELDS),
    st.builds(lambda kind, fields: event(**{**fields, "type": kind}), _EVENTS, _FIELDS),
    st.builds(lambda kind, fields: done(**{**fields, "type": kind}), _ITEMS, _FIELDS),
    st.builds(lambda fields: {"type": "session_meta", "payload": fields}, st.dictionaries(st.sampled_from(["id", "source", "git", "cwd", "history_base", "forked_from_id", "subagent_history_start_ordinal", "timestamp"]), _JSON, max_size=6)),
    st.builds(lambda kind, fields: {"type": kind, "payload": fields}, st.sampled_from(["turn_context", "compacted", "token_usage_record", "world_state"]), _FIELDS),
    st.dictionaries(st.text(max_size=4), _JSON, max_size=4),
)  # fmt: skip
_SLOW = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def everything(store: Store, path: Path) -> None:
    """Every reading of the file at `path`."""
    for handle in store.handles():
        store.source.summarise(handle)
        read = store.source.outline(handle)
        for block in read.blocks:
            store.source.body(handle, block)
        list(store.source.passages(handle, tools=True))
        store.source.agents(handle, read)


@_SLOW
@given(places=st.lists(st.tuples(st.integers(0, len(CONVERSATION)), _DAMAGE), max_size=6), cut=st.integers(0, 200))
def test_damage_costs_its_lines_and_raises_nothing(store: Store, places: list[tuple[int, bytes]], cut: int) -> None:
    """Damaged lines anywhere, and a torn end: everything around them is read."""
    rows = lines(CONVERSATION).splitlines()
    for at, damage in sorted(places, reverse=True):
        rows.insert(at, damage)
    path = store.write()
    data = b"\n".join(rows) + b"\n"
    path.write_bytes(data[: len(data) - cut] if cut else data)
    everything(store, path)
    if not cut:
        assert store.outline().counts.prompts == 3


@_SLOW
@given(records=st.lists(_ODD, max_size=8))
def test_records_of_any_shape_raise_nothing(store: Store, records: list[Record]) -> None:
    """Right names with wrong contents are the commonest surprise."""
    path = store.write(meta(), *records, typed("go"))
    everything(store, path)


@_SLOW
@given(st.binary(max_size=400))
def test_bytes_of_any_kind_raise_nothing(store: Store, data: bytes) -> None:
    """A file under a rollout's name may hold anything."""
    path = store.write()
    path.write_bytes(data)
    everything(store, path)


def test_numbers_too_large_for_anything_are_none(store: Store) -> None:
    """Neither a time nor a count nor an exit code may break what comes after."""
    huge = 10**400
    read = store.read(
        {"timestamp": huge, **meta()}, {"timestamp": huge, **typed("go")}, call("exec_command", {"cmd": "x"}),
        event(type="exec_command_end", call_id="call_1", exit_code=huge), output(f"Exit code: {'9' * 5000}\nWall time: 0 seconds\nOutput:\nx"),
        total(huge, 0, 1), event(type="thread_rolled_back", num_turns=huge),
    )  # fmt: skip
    assert (read.blocks[1].exit_code, read.tokens.total) == (None, 1)
    assert store.row().tail != ""


# ── the text to search ──


@pytest.mark.parametrize("records", [CONVERSATION, PAGINATED])
def test_passages_lead_back_to_their_blocks(store: Store, records: list[Record]) -> None:
    """Start and kind of each passage are those of a block with the same text."""
    store.write(*records, numbered=0)
    known = {(block.place.start, block.kind): store.body(block).text for block in store.blocks()}
    told = [passage for passage in store.source.passages(store.handle()) if passage.kind != "tool"]
    assert {(passage.start, passage.kind): passage.text for passage in told} == {
        place: text for place, text in known.items() if place[1] in ("prompt", "text", "thinking")
    }
    assert len(told) == len({(passage.start, passage.kind) for passage in told})


def test_tools_are_searched_on_request(store: Store) -> None:
    """Arguments and output, both under the place of the call."""
    store.write(*CONVERSATION)
    shell = store.blocks("tool")[0]
    told = [passage for passage in store.source.passages(store.handle(), tools=True) if passage.start == shell.place.start]
    assert [passage.text for passage in told] == ["exec_command\nls", "no\n"]


def test_passages_go_on_from_an_offset(store: Store) -> None:
    """What came before is not said again."""
    path = store.write(*CONVERSATION[:10])
    size = path.stat().st_size
    path.write_bytes(lines(CONVERSATION))
    assert [passage.text for passage in store.source.passages(store.handle(), size)] == ["two", "2", "three"]


@pytest.mark.parametrize(
    "records",
    [
        [user("p"), item(type="reasoning", summary=[{"type": "summary_text", "text": "t"}]), assistant("a")],
        [user("p"), typed("p"), item(type="reasoning", id="r", summary=[]), event(type="agent_reasoning", text="t"), said("a"), assistant("a")],
        [user("p"), item(type="reasoning", summary=[], content=[{"type": "reasoning_text", "text": "t"}]),
         item(type="message", id=None, status="completed", role="assistant", content=[{"type": "output_text", "text": "a"}])],
    ],
)  # fmt: skip
def test_each_form_of_what_is_said_is_searched_once(store: Store, records: list[Record]) -> None:
    """The lesser forms are passed over unread, the best that a file has never."""
    store.write(meta(), item(type="message", role="developer", content=[{"type": "input_text", "text": "d"}]), *records)
    assert [(item.kind, item.text) for item in store.source.passages(store.handle())] == [("prompt", "p"), ("thinking", "t"), ("text", "a")]


def test_injected_text_and_secrets_of_the_model_are_not_searched(store: Store) -> None:
    """What a person cannot see is not found."""
    store.write(meta(), user("<environment_context>x</environment_context>", "real"), item(type="reasoning", summary=[], encrypted_content="hidden"))
    assert [passage.text for passage in store.source.passages(store.handle())] == ["real"]


def test_a_file_too_new_is_not_mixed_up_with_another(store: Store) -> None:
    """Ids are looked up again when a rollout is not where it was."""
    store.write(meta(), typed("one"))
    locate = store.source.places(store.source.roots()[0]).locate
    assert locate(OTHER) == ""
    path = store.write(meta(OTHER), typed("two"), id=OTHER)
    store.handles()
    assert locate(OTHER) == str(path)
    os.unlink(path)
    assert locate(OTHER) == ""
