"""The store of one chat of the command line: messages by the hash of their content, and nodes that put them in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.sources.numbered import parse
from sessionbrowser.sources.pieces import string
from sessionbrowser.sources.sqlite import columns

if TYPE_CHECKING:
    import sqlite3

Data = Mapping[str, object]

_DEPTH, _MOST = 6, 200_000


class Node(NamedTuple):
    """What a node names: the messages (or nodes) below it in order, and the workspace."""

    below: tuple[str, ...]
    workspace: str


def meta(database: sqlite3.Connection) -> Data:
    """What the chat says of itself: name, createdAt (ms), lastUsedModel, latestRootBlobId, …"""
    if not {"key", "value"} <= columns(database, "meta"):
        return {}
    found: dict[str, object] = {}
    for key, value in database.execute("select key, value from meta limit 100"):
        decoded = _decoded(value)
        if decoded is not None:
            found.update(decoded)
        elif isinstance(key, str):
            found.setdefault(key, value)
    return found


def _decoded(value: object) -> Data | None:
    """A value of `meta`: JSON, as text or as hexadecimal digits of that text."""
    data = value.encode("utf-8", "replace") if isinstance(value, str) else value
    if not isinstance(data, bytes):
        return None
    if not data.lstrip().startswith(b"{"):
        try:
            data = bytes.fromhex(data.decode("ascii"))
        except ValueError:
            return None
    return parse(data)


def order(database: sqlite3.Connection, root: str) -> tuple[list[str], str]:
    """The ids of the chat's messages in order, and its workspace ("" when none is named).

    Walked from the newest root; where that is gone, the order in which messages were stored.
    """
    if not {"id", "data"} <= columns(database, "blobs"):
        return [], ""
    found: list[str] = []
    workspace = _walk(database, root, found, set(), 0) if root else ""
    if not found:
        rows = database.execute("select id from blobs where substr(cast(data as blob), 1, 1) = x'7b' order by rowid limit ?", (_MOST,))
        found = [str(key) for (key,) in rows]
    return found, workspace


def _walk(database: sqlite3.Connection, key: str, found: list[str], seen: set[str], depth: int) -> str:
    """Add the messages below one node to `found`; the workspace it names. Parts of a node that make no sense are passed over."""
    data = blob(database, key)
    if data is None or depth > _DEPTH or len(found) > _MOST:
        return ""
    node = read_node(data)
    for below in node.below:
        if below in seen:
            continue
        seen.add(below)
        first = database.execute("select substr(cast(data as blob), 1, 1) from blobs where id = ?", (below,)).fetchone()
        if first is not None and first[0] == b"{":
            found.append(below)
        elif first is not None:
            _walk(database, below, found, seen, depth + 1)
    return node.workspace


def blob(database: sqlite3.Connection, key: str) -> bytes | None:
    """The content stored under one id."""
    row = database.execute("select data from blobs where id = ?", (key,)).fetchone()
    if row is None:
        return None
    return row[0] if isinstance(row[0], bytes) else str(row[0]).encode("utf-8", "replace")


def message(database: sqlite3.Connection, key: str) -> Data | None:
    """One message; None when it is gone, damaged or not one."""
    data = blob(database, key)
    found = parse(data) if data is not None and data[:1] == b"{" else None
    return found if found is not None and string(found.get("role")) else None


def read_node(data: bytes) -> Node:
    """The references (field 1, 32 bytes each) and the workspace (field 9) of a protobuf node."""
    below: list[str] = []
    workspace = ""
    for field, value in _fields(data):
        if field == 1 and len(value) == 32:
            below.append(value.hex())
        elif field == 9 and value:
            workspace = value.decode("utf-8", "replace")
    return Node(tuple(below), workspace)


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protobuf message that hold bytes; reading ends where the data makes no sense."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        field, wire = tag >> 3, tag & 7
        if wire == 0:
            _, at = _varint(data, at)
        elif wire == 1:
            at += 8
        elif wire == 5:
            at += 4
        elif wire == 2:
            length, at = _varint(data, at)
            if length > len(data) - at:
                return
            yield field, data[at : at + length]
            at += length
        else:
            return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    return value, len(data)
