"""Documents of early Copilot CLI releases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_agents import Store, handle_of, in_home, write_lines

from sessionbrowser.model import SetAside
from sessionbrowser.sources.copilot_history import FOLDER

IDENTITY = "0c9e2f41-7d3b-4a58-9c61-2b8f5e7a1d90"


def entry(number: int, kind: str, **more: object) -> dict:
    return {"id": f"e{number}", "timestamp": f"2026-05-01T10:00:0{number}.000Z", "type": kind, **more}


TIMELINE = [
    entry(0, "info", text="Welcome"),
    entry(1, "user", text="run the tests"),
    entry(2, "copilot", text="I run them."),
    entry(3, "tool_call_requested", callId="c1", name="bash", intentionSummary=None, arguments={"command": "make test"}),
    entry(4, "tool_call_completed", callId="c1", name="bash", intentionSummary=None, arguments={"command": "make test"}, result={"type": "failure", "log": "no rule"}),
    entry(5, "tool_call_completed", callId="c2", name="create", intentionSummary=None, arguments={"path": "/p/Makefile"}, result={"type": "rejected"}),
    entry(6, "copilot", text="There are none."),
]
MESSAGES = [
    {"role": "system", "content": "You are Copilot."}, {"role": "user", "content": [{"type": "text", "text": "run the tests"}]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "make"}'}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "no rule"}, {"role": "assistant", "content": "There are none."},
]  # fmt: skip


def document(**more: object) -> dict:
    return {"sessionId": IDENTITY, "startTime": "2026-05-01T10:00:00.000Z", "chatMessages": MESSAGES, "timeline": TIMELINE, "selectedModel": "gpt-5", **more}


def write(home: Path, value: object, name: str = f"session_{IDENTITY}_1777629600000.json") -> Store:
    path = home / ".copilot" / FOLDER / name
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(value))
    return Store("copilot", in_home(home))


def test_what_was_shown_is_read(home: Path) -> None:
    store = write(home, document())
    made = store.outline(IDENTITY)
    assert [(block.kind, block.name or block.title) for block in made.blocks] == [
        ("note", "Welcome"), ("prompt", "run the tests"), ("text", "I run them."), ("tool", "bash"), ("tool", "create"), ("text", "There are none."),
    ]  # fmt: skip
    assert (made.counts.prompts, made.counts.answers, made.counts.tool_calls, made.counts.tool_results) == (1, 2, 2, 2)


def test_calls_say_what_came_of_them(home: Path) -> None:
    store = write(home, document())
    tools = store.blocks(IDENTITY, "tool")
    assert [(block.ok, block.outcome) for block in tools] == [(False, ""), (False, "rejected")]
    assert store.text(IDENTITY, tools[0]) == "no rule"


def test_the_row_has_its_times_and_model(home: Path) -> None:
    row = write(home, document()).row(IDENTITY)
    assert (row.id, row.title, row.model, row.tail, row.created) == (IDENTITY, "run the tests", "gpt-5", "finished", 1777629600.0)


def test_without_a_time_line_the_messages_are_read(home: Path) -> None:
    made = write(home, document(timeline=[])).outline(IDENTITY)
    assert [block.kind for block in made.blocks] == ["note", "prompt", "tool", "text"]
    assert [block.ok for block in made.blocks if block.kind == "tool"] == [True]


def test_a_file_of_another_name_is_set_aside(home: Path) -> None:
    assert [type(item) for item in write(home, document(), "notes.json").found] == [SetAside]


def test_early_sessions_lie_beside_later_ones(home: Path) -> None:
    later = home / ".copilot" / "session-state" / "7e0d9ed9-b530-466d-8fdf-a392579840c1"
    write_lines(later / "events.jsonl", {"type": "user.message", "data": {"content": "go"}, "id": "1", "timestamp": "2026-05-01T10:00:00Z"})
    assert set(write(home, document()).handles) == {IDENTITY, later.name}


def test_a_home_of_early_sessions_alone_is_a_root(home: Path) -> None:
    store = write(home, document())
    for place in (home, home / ".copilot"):
        root = store.source.root_at(str(place), "copy")
        assert root is not None
        assert root.path.endswith(FOLDER)


def test_a_damaged_document_says_why(home: Path) -> None:
    store = write(home, document())
    path = Path(store.handle(IDENTITY).path)
    path.write_text('{"sessionId": ')
    with pytest.raises(Exception, match="damaged"):
        store.outline(IDENTITY)


def test_a_session_that_was_taken_over_begins_with_what_was_shown(tmp_path: Path) -> None:
    """A later release writes the document into the events of the session that goes on with it."""
    records = [
        {"type": "session.import_legacy", "data": {"legacySession": document()}, "id": "i", "timestamp": "2026-05-02T10:00:00Z"},
        {"type": "user.message", "data": {"content": "write some"}, "id": "u", "timestamp": "2026-05-02T10:00:01Z"},
    ]
    store = Store("copilot", in_home(tmp_path))
    handle = handle_of("copilot", write_lines(tmp_path / "events.jsonl", *records))
    made = store.source.outline(handle)
    assert [block.title for block in made.blocks if block.kind in ("prompt", "text")] == ["run the tests", "I run them.", "There are none.", "write some"]
    assert [store.source.body(handle, block).text for block in made.blocks if block.kind == "tool"] == ["no rule", ""]
