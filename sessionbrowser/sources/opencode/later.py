"""OpenCode's second table of messages, `session_message`: each row one JSON text, typed, in the order of `seq`.

What a person and a model said is turned into the form that messages had before (`messages.py`); the other types of rows
(commands of the person, switches, compactions, how a turn ended) are read here. Releases that are between the two keep a
session in both tables: the one that goes on last counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from sessionbrowser.sources.numbered import parse
from sessionbrowser.sources.pieces import Piece, code, items, mapping, printed, string, text_of
from sessionbrowser.sources.sqlite import columns
from sessionbrowser.text import one_line, parse_time

if TYPE_CHECKING:
    import sqlite3

Data = Mapping[str, object]
Found = tuple[int, Data | None, str]

_NEEDED = {"id", "session_id", "type", "data", "time_created"}
_SAID = "('user', 'assistant', 'shell')"
_STATES = {"streaming": "pending"}
_STOPPED = ("abort", "interrupt", "cancel")


def holds(database: sqlite3.Connection, session: str) -> bool:
    """Whether the session is kept in this table, or goes on in it."""
    if not columns(database, "session_message") >= _NEEDED:
        return False
    (last,) = database.execute(f"select max(time_created) from session_message where session_id = ? and type in {_SAID}", (session,)).fetchone()
    if last is None:
        return False
    if not {"session_id", "time_created"} <= columns(database, "message"):
        return True
    (before,) = database.execute("select max(time_created) from message where session_id = ?", (session,)).fetchone()
    return before is None or before < last


def messages(database: sqlite3.Connection, session: str, *, start: int = 0, limit: int = -1, newest: bool = False) -> Iterator[Found]:
    """As `database.messages`: (number, record or None when its text is damaged, its id), in order."""
    by = "seq" if "seq" in columns(database, "session_message") else "time_created, id"
    if newest:
        (count,) = database.execute("select count(*) from session_message where session_id = ?", (session,)).fetchone()
        start = max(0, count - limit)
    query = f"select id, type, data, time_created from session_message where session_id = ? order by {by} limit ? offset ?"
    for number, (key, kind, text, created) in enumerate(database.execute(query, (session, limit, start)), start):
        found = parse(text.encode("utf-8", "replace") if isinstance(text, str) else text or b"")
        yield number, None if found is None else _record(str(key), str(kind), found, created), str(key)


def activity(database: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """As `database.activity`: the number of rows of each session and the time (ms) its last one changed."""
    if not columns(database, "session_message") >= _NEEDED | {"time_updated"}:
        return {}
    by = "seq" if "seq" in columns(database, "session_message") else "time_created"
    last = f"(select m.id from session_message m where m.session_id = s.id order by m.{by} desc limit 1)"
    query = f"""
        select t.id, (select count(*) from session_message m where m.session_id = t.id), m.time_updated
        from (select s.id as id, {last} as last from session s) t join session_message m on m.id = t.last
    """
    return {str(session): (count, changed) for session, count, changed in database.execute(query) if isinstance(changed, int)}


# ── rows as messages ──


def _record(key: str, kind: str, data: Data, created: object) -> Data:
    time = {"created": created, **mapping(data.get("time"))}
    if kind == "user":
        return {"id": key, "info": {"role": "user", "time": time}, "parts": _given(data)}
    if kind in ("synthetic", "system", "skill"):
        part = {"type": "text", "id": "text", "text": string(data.get("text")), "synthetic": True}
        return {"id": key, "info": {"role": "user", "time": time}, "parts": [part]}
    if kind == "assistant":
        content = [_part(part, f"{key}/{index}") for index, part in enumerate(items(data.get("content")))]
        return {"id": key, "info": {**data, "role": "assistant", "time": time, "error": _error(data.get("error"))}, "parts": content}
    return {**data, "id": key, "later": kind, "time": time}


def _given(data: Data) -> list[Data]:
    """What a person wrote and attached, as parts."""
    files = [
        {"type": "file", "id": f"file {index}", "filename": file.get("name"), "mime": file.get("mime"), "url": file.get("uri") or file.get("url")}
        for index, file in enumerate(items(data.get("files")))
    ]
    return [{"type": "text", "id": "text", "text": string(data.get("text"))}, *files]


def _part(part: Data, key: str) -> Data:
    if part.get("type") != "tool":
        return {**part, "id": key}
    state, times = mapping(part.get("state")), mapping(part.get("time"))
    status = string(state.get("status"))
    error = state.get("error")
    made = {
        "status": _STATES.get(status, status), "input": mapping(state.get("input")), "output": text_of(state.get("content")),
        "error": error if isinstance(error, str) else string(mapping(error).get("message")),
        "metadata": mapping(state.get("metadata") or state.get("structured")),
        "time": {"start": times.get("ran") or times.get("created"), "end": times.get("completed")},
    }  # fmt: skip
    return {"type": "tool", "id": key, "tool": part.get("name"), "callID": part.get("id"), "state": made}


def _error(error: object) -> Data | None:
    given = mapping(error)
    if not given:
        return None
    kind = string(given.get("type")) or string(given.get("name"))
    stopped = any(word in kind.lower() for word in _STOPPED)
    return {"name": "MessageAbortedError" if stopped else kind, "message": string(given.get("message"))}


# ── the other rows ──


def pieces(data: Data) -> Iterator[Piece]:
    """What a row holds that nobody said; nothing for types that do not matter or are unknown."""
    read = _ROWS.get(string(data.get("later")))
    if read is not None:
        time = parse_time(mapping(data.get("time")).get("created"))
        for piece in read(data):
            yield piece._replace(time=time, key=string(data.get("id")))


def _shell(data: Data) -> Iterator[Piece]:
    """A command the person ran, and what it printed."""
    yield Piece("prompt", string(data.get("command")), "prompt", "bash")
    output = data.get("output")
    text = output if isinstance(output, str) else string(mapping(output).get("output")) or text_of(output)
    if text.strip():
        yield printed(text, code(data.get("exit")))


def _model(data: Data) -> Iterator[Piece]:
    model = string(mapping(data.get("model")).get("id"))
    if model:
        yield Piece("note", f"Model: {model}", "model", "model", row={"model": model})


def _agent(data: Data) -> Iterator[Piece]:
    agent = one_line(string(data.get("agent")), 60)
    yield Piece("note", f"Agent: {agent}", "agent", "mode", row={"facts": {"agent": agent}})


def _moved(data: Data) -> Iterator[Piece]:
    yield Piece("row", row={"cwd": string(mapping(data.get("location")).get("directory"))})


def _compaction(data: Data) -> Iterator[Piece]:
    status = string(data.get("status"))
    if status == "failed":
        yield Piece("note", string(mapping(data.get("error")).get("message")), "compaction", "error", title="The conversation could not be compacted")
    elif status != "running":
        yield Piece("note", string(data.get("summary")), "compaction", "compaction", title="Conversation compacted")


def _idle(data: Data) -> Iterator[Piece]:
    """How a turn ended; the answer that failed or was stopped has said so itself, when there was one."""
    if data.get("outcome") == "interrupted":
        yield Piece("row", row={"tail": "interrupted", "why": "stopped by the person"})


_ROWS: Mapping[str, Callable[[Data], Iterator[Piece]]] = {
    "shell": _shell, "model-switched": _model, "agent-switched": _agent, "location-switched": _moved, "compaction": _compaction, "idle": _idle,
}  # fmt: skip
