"""OpenCode's SQLite database (1.2 and later): sessions, messages and parts, each message and part a JSON text.

Sessions that are kept in the second table of messages are handed on to `later.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sessionbrowser.sources.numbered import parse
from sessionbrowser.sources.opencode import later
from sessionbrowser.sources.sqlite import Row, columns, readable, select

if TYPE_CHECKING:
    import sqlite3

Data = Mapping[str, object]

_SESSION = (
    "id", "project_id", "parent_id", "fork_session_id", "slug", "directory", "title", "version", "share_url", "summary_additions",
    "summary_deletions", "summary_files", "cost", "tokens_input", "tokens_output", "tokens_reasoning",
    "tokens_cache_read", "tokens_cache_write", "agent", "model", "revert", "permission", "time_created", "time_updated",
    "time_compacting", "time_archived",
)  # fmt: skip


def infos(database: sqlite3.Connection, rest: str = "order by time_updated desc", parameters: tuple[object, ...] = ()) -> Iterator[Data]:
    """Sessions in the form the JSON trees have."""
    if "id" not in columns(database, "session"):
        return
    for row in select(database, "session", _SESSION, rest, parameters):
        yield _info(row)


def heads(database: sqlite3.Connection) -> Iterator[Row]:
    """What a list needs to know of each session before it is read: `id`, `parent_id`, `time_updated`, `time_archived`."""
    if "id" in columns(database, "session"):
        yield from select(database, "session", ("id", "parent_id", "time_updated", "time_archived"), "order by time_updated desc")


def info(database: sqlite3.Connection, session: str) -> Data | None:
    """One session."""
    return next(infos(database, "where id = ?", (session,)), None)


def _info(row: Row) -> Data:
    tokens = {
        "input": row["tokens_input"], "output": row["tokens_output"], "reasoning": row["tokens_reasoning"],
        "cache": {"read": row["tokens_cache_read"], "write": row["tokens_cache_write"]},
    }  # fmt: skip
    return {
        "id": row["id"], "projectID": row["project_id"], "parentID": row["parent_id"],
        "forkedFrom": row["fork_session_id"], "slug": row["slug"], "directory": row["directory"], "title": row["title"], "version": row["version"], "share": {"url": row["share_url"]},
        "summary": {"additions": row["summary_additions"], "deletions": row["summary_deletions"], "files": row["summary_files"]},
        "cost": row["cost"], "tokens": tokens, "agent": row["agent"], "model": _json(row["model"]) or row["model"],
        "revert": _json(row["revert"]), "permission": _list(row["permission"]),
        "time": {"created": row["time_created"], "updated": row["time_updated"], "compacting": row["time_compacting"],
                 "archived": row["time_archived"]},
    }  # fmt: skip


def activity(database: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """The number of parts of each session and the time (ms) of its last change, without reading its texts.

    Parts are counted by their index alone; of the messages only the newest of each session is looked at.
    """
    found = later.activity(database)
    for session, (count, changed) in _activity(database).items():
        more, latest = found.get(session, (0, 0))
        found[session] = count + more, max(changed, latest)
    return found


def _activity(database: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    message, part = columns(database, "message"), columns(database, "part")
    if not {"id", "session_id", "time_created"} <= message or not {"message_id", "session_id"} <= part:
        return {}
    last = "(select m.id from message m where m.session_id = s.id order by m.time_created desc, m.id desc limit 1)"
    changed = "time_updated" if "time_updated" in message & part else "time_created"
    if changed not in part:
        return {}
    query = f"""
        select t.id, (select count(*) from part p where p.session_id = t.id),
               (select m.{changed} from message m where m.id = t.last), (select max(p.{changed}) from part p where p.message_id = t.last)
        from (select s.id as id, {last} as last from session s) t
    """
    return {
        str(session): (int(count or 0), max(_whole(own), _whole(parts)))
        for session, count, own, parts in database.execute(query)
    }  # fmt: skip


def messages(database: sqlite3.Connection, session: str, *, start: int = 0, limit: int = -1, newest: bool = False) -> Iterator[tuple[int, Data | None, str]]:
    """Messages of a session as (number, record or None when its text is damaged, its id), in order.

    With `newest`, the last `limit` of them, still in order.
    """
    if later.holds(database, session):
        yield from later.messages(database, session, start=start, limit=limit, newest=newest)
        return
    if not {"id", "session_id", "data"} <= columns(database, "message"):
        return
    by = "time_created" if "time_created" in columns(database, "message") else "id"
    if newest:
        (count,) = database.execute("select count(*) from message where session_id = ?", (session,)).fetchone()
        start = max(0, count - limit)
    query = f"select id, data from message where session_id = ? order by {by}, id limit ? offset ?"
    for number, (key, text) in enumerate(database.execute(query, (session, limit, start)), start):
        found, inside = _json(text), parts(database, str(key))
        yield number, None if found is None or inside is None else {"id": str(key), "info": found, "parts": inside}, str(key)


def parts(database: sqlite3.Connection, message: str) -> list[Data] | None:
    """The parts of one message in order; a part whose text is damaged is left out. None: they lie on a damaged page."""
    if not {"id", "message_id", "data"} <= columns(database, "part"):
        return []
    rows = readable(database, "select id, data from part where message_id = ? order by id", (message,))
    return None if rows is None else [{**found, "id": str(key)} for key, text in rows if (found := _json(text)) is not None]


def _json(text: object) -> Data | None:
    if isinstance(text, bytes):
        return parse(text)
    return parse(text.encode("utf-8", "replace")) if isinstance(text, str) and text.lstrip()[:1] == "{" else None


def _list(text: object) -> list[object]:
    import orjson

    try:
        found = orjson.loads(text) if isinstance(text, str | bytes) else []
    except orjson.JSONDecodeError:
        return []
    return found if isinstance(found, list) else []


def _whole(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 53 else 0
