"""The editor's database (`globalStorage/state.vscdb`): it can be gigabytes, so nothing here reads more than keys and single values.

A chat is `composerData:<id>` with the order of its messages, each of which is `bubbleId:<id>:<message>`; chats of old
releases hold their messages themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.sources.lazy import orjson
from sessionbrowser.sources.numbered import parse, parse_light
from sessionbrowser.sources.pieces import items, mapping, string
from sessionbrowser.sources.sqlite import columns, readable, select
from sessionbrowser.text import parse_time

if TYPE_CHECKING:
    import sqlite3

Data = Mapping[str, object]

TABLE = "cursorDiskKV"
CHATS = "key >= 'composerData:' and key < 'composerData;' and value is not null"  # null: what the editor forgot
_SMALL, _FEW = 64 << 20, 200  # bytes, chats; up to these the times of chats may be read from the chats themselves


class Head(NamedTuple):
    """What the lists of chats say of one; `row` changes whenever the chat is written."""

    id: str
    row: int
    updated: int  # milliseconds; 0: not known without reading the chat
    parent: str
    subagent: bool
    archived: bool


def is_one(database: sqlite3.Connection) -> bool:
    """Whether a database holds chats at all."""
    return {"key", "value"} <= columns(database, TABLE)


def heads(database: sqlite3.Connection, size: int) -> Iterator[Head]:
    """Every chat, from the index of keys and the editor's own list."""
    listed = _listed(database)
    query = f"select substr(key, 14), rowid from {TABLE} where {CHATS}"
    rows = database.execute(query).fetchall()
    look_inside = size <= _SMALL and len(rows) <= _FEW
    for key, row in rows:
        found = listed.get(str(key), {})
        updated = _millis(found.get("lastUpdatedAt")) or _millis(found.get("createdAt"))
        if not updated and look_inside:
            updated = _updated_inside(database, str(key))
        info = mapping(found.get("subagentInfo"))
        parent = string(info.get("parentComposerId")) or string(found.get("parentComposerId"))
        yield Head(str(key), int(row), updated, parent, bool(parent or found.get("isSubagent")), bool(found.get("isArchived")))


def _listed(database: sqlite3.Connection) -> dict[str, Data]:
    """The editor's list of chats, in either of the places releases keep it."""
    found: dict[str, Data] = {}
    for value in _item(database, "composer.composerHeaders"), _item(database, "composer.composerData"):
        for entry in items(mapping(value).get("allComposers")):
            found.setdefault(string(entry.get("composerId")), entry)
    names = ("composerId", "createdAt", "lastUpdatedAt", "isSubagent", "isArchived", "value")
    for row in select(database, "composerHeaders", names):
        known = {name: value for name, value in row.items() if value is not None and name != "value"}
        found[str(row["composerId"])] = {**found.get(str(row["composerId"]), {}), **(_json(row["value"], parse_light) or {}), **known}
    return found


def composers_of(database: sqlite3.Connection) -> list[str]:
    """The ids of chats that a workspace's own database lists."""
    listed = mapping(_item(database, "composer.composerData"))
    return [string(entry.get("composerId")) for entry in items(listed.get("allComposers")) if string(entry.get("composerId"))]


def _item(database: sqlite3.Connection, key: str) -> Data | None:
    if not {"key", "value"} <= columns(database, "ItemTable"):
        return None
    row = database.execute("select value from ItemTable where key = ?", (key,)).fetchone()
    return _json(row[0], parse_light) if row is not None else None


def _updated_inside(database: sqlite3.Connection, key: str) -> int:
    found = composer(database, key) or {}
    return _millis(found.get("lastUpdatedAt")) or _millis(found.get("createdAt"))


def composer(database: sqlite3.Connection, key: str) -> Data | None:
    """One chat's own record; what the editor's list says besides is under `head`."""
    return _value(database, f"composerData:{key}")


def head(database: sqlite3.Connection, key: str) -> Data:
    """What the editor's list says of one chat."""
    for row in select(database, "composerHeaders", ("composerId", "isSubagent", "isArchived", "value"), "where composerId = ?", (key,)):
        return {**(_json(row["value"]) or {}), **{name: row[name] for name in ("isSubagent", "isArchived") if row[name] is not None}}
    for name in ("composer.composerHeaders", "composer.composerData"):
        for entry in items(mapping(_item(database, name)).get("allComposers")):
            if entry.get("composerId") == key:
                return entry
    return {}


def messages(database: sqlite3.Connection, key: str, chat: Data, numbers: range | None = None) -> Iterator[tuple[int, Data | None]]:
    """The messages of a chat with their numbers, or those of `numbers`; None for one that is gone or damaged."""
    inline = items(_parsed(chat.get("conversation")))
    if inline:
        for number in numbers if numbers is not None else range(len(inline)):
            if number < len(inline):
                yield number, inline[number]
        return
    headers = _headers(database, key, chat)
    kept = mapping(chat.get("conversationMap"))
    for number in numbers if numbers is not None else range(len(headers)):
        if number >= len(headers):
            return
        bubble = string(headers[number].get("bubbleId"))
        value = _value(database, f"bubbleId:{key}:{bubble}") or mapping(kept.get(bubble)) or None if bubble else None
        known = headers[number].get("type")
        yield number, None if value is None else {"type": known, **{k: v for k, v in value.items() if v is not None}, "bubbleId": bubble}


def length(database: sqlite3.Connection, key: str, chat: Data) -> int:
    """How many messages a chat has."""
    return len(items(_parsed(chat.get("conversation")))) or len(_headers(database, key, chat))


def _headers(database: sqlite3.Connection, key: str, chat: Data) -> list[Data]:
    """The order of a chat's messages: as it says, else that in which those kept under its name were made."""
    if told := items(_parsed(chat.get("fullConversationHeadersOnly"))):
        return told
    query = f"select key, value from {TABLE} where key >= ? and key < ? order by rowid"
    found = []
    for name, value in database.execute(query, (f"bubbleId:{key}:", f"bubbleId:{key};")):
        made = parse_time((_json(value) or {}).get("createdAt"))
        found.append((made or 0.0, str(name).rpartition(":")[2]))
    return [{"bubbleId": bubble} for _, bubble in sorted(found, key=lambda pair: pair[0])]


def _value(database: sqlite3.Connection, key: str) -> Data | None:
    rows = readable(database, f"select value from {TABLE} where key = ?", (key,))
    return _json(rows[0][0]) if rows else None


def _parsed(value: object) -> object:
    """A list that some releases keep as a text inside the text."""
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return []
    return value


def _json(value: object, read: Callable[[bytes], Data | None] = parse) -> Data | None:
    if isinstance(value, str):
        value = value.encode("utf-8", "replace")
    if not isinstance(value, bytes):
        return None
    if value[:1] == b'"':  # a text inside the text
        try:
            value = str(orjson.loads(value)).encode("utf-8", "replace")
        except orjson.JSONDecodeError:
            return None
    return read(value)


def _millis(value: object) -> int:
    found = parse_time(value)
    return round(found * 1000) if found is not None else 0
