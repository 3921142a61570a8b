"""What the smaller agents' readers share: big files by head and tail, hostile text, damage, and search passages."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_agents import Store, handle_of, in_home, write_lines

from sessionbrowser.model import Handle, Place, ResumeOptions
from sessionbrowser.paths import Environment
from sessionbrowser.sources import load, logs
from sessionbrowser.sources.pieces import Assembly, Piece, injected_title

LOGS = ("droid", "copilot", "pi", "qwen", "kimi", "antigravity")
STORES = {
    "droid": ".factory", "copilot": ".copilot", "pi": ".pi/agent", "qwen": ".qwen", "kimi": ".kimi-code", "amp": ".local/share/amp",
    "antigravity": ".gemini/antigravity-cli", "specstory": "src/api", "records": ".local/share/ada",
}  # fmt: skip
ENV = Environment("/nowhere", {}, "/nowhere", "linux", 1778770800.0)


def droid_message(number: int, role: str, text: str) -> dict:
    part = {"type": "text", "text": text}
    return {"type": "message", "id": f"m{number}", "timestamp": f"2026-05-01T10:{number // 60 % 60:02d}:{number % 60:02d}Z", "message": {"role": role, "content": [part]}}


def test_the_row_of_a_big_file_comes_from_head_and_tail(tmp_path: Path) -> None:
    """Counts stay unknown; the first prompt, the last one and the end are read."""
    records = [{"type": "session_start", "id": "s", "cwd": "/p"}, droid_message(0, "user", "first")]
    records += [droid_message(n, "assistant", "x" * 900) for n in range(1, 300)]
    path = write_lines(tmp_path / "s.jsonl", *records, droid_message(300, "user", "last"))
    row = load("droid", ENV).summarise(handle_of("droid", path))
    assert (row.counts, row.first_prompt, row.last_prompt, row.cwd, row.tail) == (None, "first", "last", "/p", "working")


def test_a_head_without_a_prompt_grows(tmp_path: Path) -> None:
    """A long injected record may stand before the first prompt."""
    long = {"type": "message", "id": "context-1", "message": {"role": "user", "content": [{"type": "text", "text": "<system-reminder>" + "y" * 100_000}]}}
    tail = [droid_message(n, "assistant", "x" * 900) for n in range(2, 200)]
    path = write_lines(tmp_path / "s.jsonl", {"type": "session_start", "id": "s"}, long, droid_message(1, "user", "at last"), *tail)
    assert load("droid", ENV).summarise(handle_of("droid", path)).first_prompt == "at last"


def test_a_last_line_that_is_being_written_waits(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "s.jsonl", droid_message(0, "user", "first"))
    whole = path.read_text()
    path.write_text(whole + json.dumps(droid_message(1, "assistant", "half a line"))[:60])
    source, handle = load("droid", ENV), handle_of("droid", path)
    before = source.outline(handle)
    assert (len(before.blocks), before.offset, [damage.reason for damage in before.damage]) == (1, len(whole), ["unfinished last line"])
    write_lines(path, droid_message(0, "user", "first"), droid_message(1, "assistant", "half a line"))
    after = source.outline(handle, before)
    assert ([block.title for block in after.blocks], after.damage) == (["first", "half a line"], ())


def test_a_whole_record_without_a_line_end_is_read_once(tmp_path: Path) -> None:
    """Its line end, when it comes, is nothing new."""
    path = write_lines(tmp_path / "s.jsonl", droid_message(0, "user", "first"))
    path.write_text(path.read_text().rstrip("\n"))
    source, handle = load("droid", ENV), handle_of("droid", path)
    before = source.outline(handle)
    write_lines(path, droid_message(0, "user", "first"), droid_message(1, "assistant", "second"))
    after = source.outline(handle, before)
    assert ([block.title for block in before.blocks], [block.title for block in after.blocks]) == (["first"], ["first", "second"])
    assert (after.restarted, after.damage) == (False, ())


def test_passages_lead_to_their_blocks(demo_home: Path) -> None:
    """Start and kind of a passage are those of a block, in every reader."""
    for name in (*LOGS, "amp", "specstory"):
        store = Store(name, in_home(demo_home))
        for handle in store.handles.values():
            places = {(block.place.start, block.kind) for block in store.source.outline(handle).blocks}
            found = list(store.source.passages(handle, tools=True))
            assert found
            assert {(passage.start, passage.kind) for passage in found} <= places


@pytest.mark.parametrize("name", sorted(STORES))
def test_a_copy_of_a_store_opens_as_a_root(demo_home: Path, tmp_path: Path, name: str) -> None:
    """By the folder the agent calls its home; other agents do not take it for theirs."""
    copy = tmp_path / "backup"
    shutil.copytree(demo_home / STORES[name], copy)
    taken = [other for other in STORES if load(other, ENV).root_at(str(copy), "backup") is not None]
    assert taken == [name]


@pytest.mark.parametrize("name", sorted(STORES))
def test_a_root_inside_a_copy_has_the_same_sessions(demo_home: Path, name: str) -> None:
    env = in_home(demo_home, SB_RECORDS_STORE=str(demo_home / ".local/share/ada/records"))
    live = Store(name, env)
    root = live.source.root_at(str(demo_home / STORES[name]), "backup")
    assert root is not None
    assert {item.id for item in live.source.discover(root) if isinstance(item, Handle)} == set(live.handles)
    assert not root.live


@pytest.mark.parametrize("name", LOGS)
def test_nothing_that_drives_a_terminal_leaves_a_reader(demo_home: Path, name: str) -> None:
    """Escape sequences and bidirectional controls in every string of every record."""
    env = in_home(demo_home)
    for handle in Store(name, env).handles.values():
        path = Path(handle.path)
        path.write_text("".join(json.dumps(_poisoned(json.loads(line))) + "\n" for line in path.read_text().splitlines()))
    store = Store(name, env)
    for handle in store.handles.values():
        row, made = store.source.summarise(handle), store.source.outline(handle)
        shown = [row.title, row.project, row.branch or "", row.model or "", row.version or "", row.first_prompt, row.tail_why]
        shown += [text for block in made.blocks for text in (block.title, block.name, block.model, block.outcome)]
        bodies = [store.source.body(handle, block) for block in made.blocks]
        shown += [body.text for body in bodies] + [str(body.parts) for body in bodies] + [json.dumps(body.input, ensure_ascii=False) for body in bodies]
        assert not any(bad in text for text in shown for bad in ("\x1b", "\u202e", "\x07", "\\x1b", "\\u202e"))


_STRUCTURE = ("type", "role", "kind", "status", "source", "subtype", "provenance", "stopReason", "timestamp", "id", "uuid", "parentUuid",
              "parentId", "call", "toolCallId", "tool_use_id", "callId", "created_at", "delivery", "reason")  # fmt: skip


def _poisoned(value: object, name: str = "") -> object:
    if isinstance(value, str):
        return value if name in _STRUCTURE else f"{value}\x1b]0;owned\x07\u202e\x1b[31m!"
    if isinstance(value, dict):
        return {key: _poisoned(item, key) for key, item in value.items()}
    return [_poisoned(item, name) for item in value] if isinstance(value, list) else value


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=6) | st.sampled_from(["2026-05-01T10:00:00Z", '{"a":1}']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([
        "type", "role", "content", "text", "parts", "message", "id", "data", "event", "part", "name", "arguments", "input", "result", "output",
        "usage", "model", "functionCall", "functionResponse", "response", "toolRequests", "tool_calls", "args", "thinking", "todos", "questions",
    ]), inner, max_size=4),
    max_leaves=14,
)  # fmt: skip
_KINDS = {
    "droid": ("session_start", "message", "agent_turn_outcome", "compaction_state", "tool_call", "tool_result", "completion"),
    "copilot": ("session.start", "user.message", "assistant.message", "tool.execution_complete", "session.shutdown", "session.error"),
    "pi": ("session", "message", "compaction", "session_info", "model_change", "label", "custom_message"),
    "qwen": ("user", "assistant", "tool_result", "system"),
    "kimi": ("context.append_message", "context.append_loop_event", "turn.ended", "config.update", "usage.record", ""),
    "antigravity": ("USER_INPUT", "PLANNER_RESPONSE", "RUN_COMMAND", "CHECKPOINT"),
}


@pytest.mark.parametrize("name", LOGS)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_no_record_is_refused(name: str, data: st.DataObject) -> None:
    """Known types with fields of any shape give pieces that assemble and bodies that can be made."""
    from sessionbrowser.sources.bodies import body
    from sessionbrowser.sources.logs import LogSource

    source = load(name, ENV)
    assert isinstance(source, LogSource)
    handle = Handle(name, source_root(name), "/nowhere/x.jsonl", "", "x", 0, 0, 0)
    made = Assembly()
    for number in range(data.draw(st.integers(1, 4))):
        record = data.draw(st.dictionaries(st.sampled_from(["message", "data", "event", "content", "timestamp", "id", "result", "toolCallResult", "tool_calls", "thinking", "source"]), _JSON, max_size=5))
        record["type"] = data.draw(st.sampled_from(_KINDS[name]))
        pieces = list(source.pieces(record, handle))
        for piece in pieces:
            made.take(piece, Place(number))
        for block in made.builder.blocks:
            body(block, pieces, pieces)
    made.transcript(0, tree=source.tree)


def source_root(name: str) -> logs.Root:
    return logs.Root(name, "/nowhere")


def test_a_result_closes_only_its_own_call() -> None:
    made = Assembly()
    for call in ("a", "b"):
        made.take(Piece("call", call=call, name="Bash", arguments={"command": call}), Place(0))
    made.take(Piece("result", "out", call="b", ok=False), Place(1))
    assert [block.ok for block in made.builder.blocks] == [None, False]


def test_usage_of_one_response_is_counted_once() -> None:
    """Said again for the same record, the last word counts."""
    from sessionbrowser.model import Usage

    made = Assembly()
    for spent in (Usage(1, 1), Usage(5, 5)):
        made.take(Piece("row", key="one", usage=spent, model="m"), Place(0))
    assert made.transcript(0).tokens == Usage(5, 5)


def test_a_record_whose_parent_was_lost_goes_on_from_the_one_before() -> None:
    """A damaged line does not make a branch of all that stands before it."""
    made = Assembly()
    made.take(Piece("prompt", "one", key="a1"), Place(0))
    made.take(Piece("text", "two", key="a3", parent="a2"), Place(1))
    assert [block.branch for block in made.transcript(0, tree=True).blocks] == [0, 0]


@pytest.mark.parametrize("name", sorted(STORES))
def test_reading_changes_nothing(demo_home: Path, name: str) -> None:
    """Not a byte, a time or a directory entry of the store, whatever is read of it."""
    store = Store(name, in_home(demo_home, SB_RECORDS_STORE=str(demo_home / ".local/share/ada/records")))

    def state() -> list[tuple[str, int, int]]:
        return [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in sorted((demo_home / STORES[name]).rglob("*"))]

    before = state()
    for handle in store.handles.values():
        row, made = store.source.summarise(handle), store.source.outline(handle)
        store.source.agents(handle, made)
        store.source.resume(row, ResumeOptions())
        for block in made.blocks:
            store.source.body(handle, block)
    assert store.handles
    assert state() == before


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("<system-reminder>\nToday is Monday.\n</system-reminder>", "system reminder: Today is Monday."),
        ("<qwen:user-prompt-submit-context>\nhook\n</x>", "user prompt submit context: hook"),
        ("<task-notification>\n<task-id>1</task-id>\n</task-notification>", "task notification"),
        ("plain words", ""),
    ],
)
def test_an_injected_text_is_named_by_its_tag(text: str, title: str) -> None:
    assert injected_title(text) == title


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(message=st.dictionaries(st.sampled_from(["role", "content", "meta", "usage", "state", "createdAt"]), _JSON, max_size=5), role=st.sampled_from(["user", "assistant", "info"]))
def test_no_message_of_a_thread_is_refused(message: dict[str, object], role: str) -> None:
    """Amp's documents hold messages of any shape."""
    from sessionbrowser.sources import amp

    made = Assembly()
    for piece in amp._message({**message, "role": role}):
        made.take(piece, Place(0))
    made.transcript(0)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(parts=st.lists(st.fixed_dictionaries({"type": st.sampled_from(["text", "reasoning", "tool_call", "tool_result", "finish", "binary", "new"]), "data": _JSON}), max_size=4),
       role=st.sampled_from(["user", "assistant", "tool"]), summary=st.booleans())  # fmt: skip
def test_no_message_of_a_database_is_refused(parts: list[dict[str, object]], role: str, summary: bool) -> None:
    """Crush keeps parts as JSON in a column."""
    from sessionbrowser.sources import crush

    made = Assembly()
    row = {"id": "m", "role": role, "parts": json.dumps(parts), "model": None, "created_at": 1778400000, "is_summary_message": summary}
    for piece in crush._message(row):
        made.take(piece, Place(0))
    made.transcript(0)
