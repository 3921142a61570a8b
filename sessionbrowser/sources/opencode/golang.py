"""The databases of the old OpenCode, a Go program of 2025: `.opencode/opencode.db` in each project."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sessionbrowser.model import Handle, Root
from sessionbrowser.sources.lazy import orjson
from sessionbrowser.sources.pieces import NOTHING, Piece, items, mapping, number, string
from sessionbrowser.sources.sqlite import columns, select
from sessionbrowser.text import parse_time

if TYPE_CHECKING:
    import sqlite3

Data = Mapping[str, object]

_UNNAMED = ("New Session", "New Agent Session")
_ENDS: Mapping[str, Data] = {
    "end_turn": {"tail": "finished", "why": "the last answer stands"},
    "error": {"tail": "failed", "why": "the answer ended in an error"},
    "permission_denied": {"tail": "interrupted", "why": "a permission was denied"},
}
_SESSION = ("id", "parent_session_id", "title", "prompt_tokens", "completion_tokens", "cost", "updated_at", "created_at")
_MESSAGE = ("id", "role", "parts", "model", "created_at", "finished_at")


def is_one(database: sqlite3.Connection) -> bool:
    """Whether a database has the tables of the old program."""
    return {"id", "title"} <= columns(database, "sessions") and {"session_id", "parts"} <= columns(database, "messages")


def handles(source: str, root: Root, path: str, inode: int, database: sqlite3.Connection) -> Iterator[Handle]:
    """The sessions of one database."""
    rows = list(select(database, "sessions", _SESSION, "order by updated_at desc"))
    every = {row["id"] for row in rows}
    for row in rows:
        parent, updated = string(row["parent_session_id"]), parse_time(row["updated_at"]) or 0.0
        hidden = "subagent" if parent in every else ""
        if row["id"] == f"title-{parent}":  # in which the program had a title made
            hidden, parent = "internal", ""
        if string(row["id"]):
            yield Handle(source, root, path, string(row["id"]), string(row["id"]), 0, int(updated * 1e9), inode, hidden, parent)


def info(database: sqlite3.Connection, session: str) -> Data | None:
    """One session in the form of the later releases. Its directory is the folder that holds `.opencode`."""
    row = next(select(database, "sessions", _SESSION, "where id = ?", (session,)), None)
    if row is None:
        return None
    path = str(database.execute("pragma database_list").fetchone()[2] or "")
    folder = os.path.dirname(path)
    title = string(row["title"])
    return {
        "id": row["id"], "parentID": row["parent_session_id"], "title": "" if title in _UNNAMED else title, "cost": row["cost"],
        "directory": os.path.dirname(folder) if os.path.basename(folder) == ".opencode" else "",
        "tokens": {"input": row["prompt_tokens"], "output": row["completion_tokens"]},
        "time": {"created": row["created_at"], "updated": row["updated_at"]},
    }  # fmt: skip


def messages(database: sqlite3.Connection, session: str) -> Iterator[tuple[int, Data]]:
    """The messages of a session in order, marked as the old program's."""
    rows = select(database, "messages", _MESSAGE, "where session_id = ? order by created_at, rowid", (session,))
    for index, row in enumerate(rows):
        try:
            parts = orjson.loads(string(row["parts"]) or "[]")
        except orjson.JSONDecodeError:
            parts = []
        yield index, {"go": True, **row, "parts": parts}


def pieces(data: Data) -> Iterator[Piece]:
    """What one message holds; its parts are `{"type", "data"}`. A `child` is told by its agent, not by a person."""
    for piece in _pieces(data):
        yield piece._replace(what="subagent") if piece.kind == "prompt" and data.get("child") else piece


def _pieces(data: Data) -> Iterator[Piece]:
    key, time, model = string(data.get("id")), parse_time(data.get("created_at")), string(data.get("model"))
    for index, part in enumerate(items(data.get("parts"))):
        yield from _part(string(data.get("role")), string(part.get("type")), mapping(part.get("data")), str(index), key, time, model)


def _part(role: str, kind: str, given: Data, part: str, key: str, time: float | None, model: str) -> Iterator[Piece]:
    text = string(given.get("text"))
    if kind == "text" and text.strip():
        if role == "user":
            yield Piece("prompt", text, part, "typed", time, key)
        else:
            yield Piece("text", text, part, time=time, key=key, model=model, answer=key)
    elif kind == "reasoning" and string(given.get("thinking")).strip():
        yield Piece("thinking", string(given.get("thinking")), part, time=time, key=key, model=model)
    elif kind == "tool_call":
        call, name = string(given.get("id")), string(given.get("name"))
        child = call if name == "agent" else ""  # a subagent's session has the id of the call
        yield Piece("call", part=part, time=time, key=key, model=model, call=call, name=name, arguments=mapping(given.get("input")), subagent=child)
    elif kind == "tool_result":
        yield Piece("result", string(given.get("content")), part, time=time, key=key, call=string(given.get("tool_call_id")),
                    ok=not given.get("is_error"))  # fmt: skip
    elif kind == "finish":
        reason = string(given.get("reason"))
        if reason == "canceled":
            yield Piece("note", "Stopped by the person", part, "interrupt", parse_time(number(given.get("time"))), key)
        else:
            yield Piece("row", key=key, model=model, row=_ENDS.get(reason, NOTHING))
    elif kind == "binary" and string(given.get("MIMEType")).startswith("image/"):
        yield Piece("image", string(given.get("Data")), part, time=time, key=key, title=string(given.get("Path")) or "image")
    elif kind == "image_url" and string(given.get("url")):
        yield Piece("image", string(given.get("url")).partition(",")[2], part, time=time, key=key)


