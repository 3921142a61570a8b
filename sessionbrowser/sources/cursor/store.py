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
_PENDING = "+"


class Node(NamedTuple):
    """What a node names: the messages (or nodes) below it in order, the workspace, and (a root) what a summary stands for
    and the answer whose calls are still under way."""

    below: tuple[str, ...]
    workspace: str
    archives: tuple[str, ...] = ()
    pending: tuple[bytes, ...] = ()


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

    Walked from the newest root, what was summarised before what it names itself; where that is gone, the order in which
    messages were stored. An answer under way is in the root: its id is that of the root and a number.
    """
    if not {"id", "data"} <= columns(database, "blobs"):
        return [], ""
    found: list[str] = []
    seen: set[str] = set()
    data = blob(database, root) if root else None
    node = read_node(data) if data is not None else Node((), "")
    for archive in node.archives:
        _walk(database, archive, found, seen, 1)
    rest: list[str] = []
    workspace = _walk(database, root, rest, seen, 0) if root else ""
    instructions = 0
    while found and instructions < len(rest) and b'"system"' in _begin(database, rest[instructions]):
        instructions += 1
    found = rest[:instructions] + found + rest[instructions:]
    found += [f"{root}{_PENDING}{number}" for number, text in enumerate(node.pending) if _said_of(text) and _hash(text) not in seen]
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
        begin = _begin(database, below)
        if begin.startswith(b"{"):
            found.append(below)
        elif begin:
            _walk(database, below, found, seen, depth + 1)
    return node.workspace


def _begin(database: sqlite3.Connection, key: str) -> bytes:
    """How a content begins; nothing when it is gone."""
    row = database.execute("select substr(cast(data as blob), 1, 40) from blobs where id = ?", (key,)).fetchone()
    return row[0] if row is not None and isinstance(row[0], bytes) else b""


def _hash(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def blob(database: sqlite3.Connection, key: str) -> bytes | None:
    """The content stored under one id."""
    row = database.execute("select data from blobs where id = ?", (key,)).fetchone()
    if row is None:
        return None
    return row[0] if isinstance(row[0], bytes) else str(row[0]).encode("utf-8", "replace")


def message(database: sqlite3.Connection, key: str) -> Data | None:
    """One message; None when it is gone, damaged or not one."""
    key, _, number = key.partition(_PENDING)
    data = blob(database, key)
    if number.isdigit() and data is not None:
        pending = read_node(data).pending
        data = pending[int(number)] if int(number) < len(pending) else None
    return _said_of(data) if data is not None else None


def _said_of(data: bytes) -> Data | None:
    found = parse(data) if data[:1] == b"{" else None
    return found if found is not None and string(found.get("role")) else None


def read_node(data: bytes) -> Node:
    """The references (field 1, 32 bytes each), the workspace (field 9), the archives of summaries (11, later 13) and the
    calls under way (4) of a protobuf node."""
    below: list[str] = []
    archives: list[str] = []
    pending: list[bytes] = []
    workspace = ""
    for field, value in _fields(data):
        if field == 1 and len(value) == 32:
            below.append(value.hex())
        elif field in (11, 13) and len(value) == 32:
            archives.append(value.hex())
        elif field == 4:
            pending.append(value)
        elif field == 9 and value:
            workspace = value.decode("utf-8", "replace")
    return Node(tuple(below), workspace, tuple(dict.fromkeys(archives)), tuple(pending))


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
