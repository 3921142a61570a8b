"""The store of one chat of the command line: messages by the hash of their content, and nodes that put them in order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.sources.cursor import turns, wire
from sessionbrowser.sources.cursor.wire import blob
from sessionbrowser.sources.numbered import parse
from sessionbrowser.sources.pieces import string
from sessionbrowser.sources.sqlite import columns

if TYPE_CHECKING:
    import sqlite3

Data = Mapping[str, object]

_DEPTH, _MOST = 6, 200_000
_PENDING = "+"


class Node(NamedTuple):
    """What a node says: the messages (or nodes) below it in order; a root also the workspace, what a summary stands for, the
    answers whose calls are still under way, the turns and when each began, the repository and its branch."""

    below: tuple[str, ...]
    workspace: str
    archives: tuple[str, ...] = ()
    pending: tuple[bytes, ...] = ()
    turns: tuple[str, ...] = ()
    begun: tuple[float, ...] = ()
    repository: str = ""
    branch: str = ""


class Order(NamedTuple):
    """The ids of a chat's messages in order, its workspace ("" when none is named) and branch, and when prompts were typed by
    their number."""

    ids: list[str]
    workspace: str = ""
    branch: str = ""
    times: Mapping[int, float] = MappingProxyType({})


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


def order(database: sqlite3.Connection, root: str) -> Order:
    """The messages of a chat.

    Walked from the newest root, what was summarised before what it names itself; where that is gone, the order in which
    messages were stored. An answer under way is in the root: its id is that of the root and a number.
    """
    if not {"id", "data"} <= columns(database, "blobs"):
        return Order([])
    found: list[str] = []
    rest: list[str] = []
    nodes: set[str] = set()
    data = blob(database, root) if root else None
    node = read_node(data) if data is not None else Node((), "")
    for archive in node.archives:
        _walk(database, archive, found, nodes, frozenset(found), 1)
    if root:
        _walk(database, root, rest, nodes, frozenset(found), 0)
    instructions = 0
    while found and instructions < len(rest) and b'"system"' in wire.begin(database, rest[instructions]):
        instructions += 1
    found = rest[:instructions] + found + rest[instructions:]
    known = set(found)
    found += [f"{root}{_PENDING}{number}" for number, text in enumerate(node.pending) if _said_of(text) and _hash(text) not in known]
    times: Mapping[int, float] = {}
    if node.turns:
        found, times = turns.placed(database, found, node.turns, node.begun)
    if not found:
        rows = database.execute("select id from blobs where substr(cast(data as blob), 1, 1) = x'7b' order by rowid limit ?", (_MOST,))
        found = [str(key) for (key,) in rows]
    return Order(found, node.workspace or node.repository, node.branch, times)


def _walk(database: sqlite3.Connection, key: str, found: list[str], nodes: set[str], before: frozenset[str], depth: int) -> None:
    """Add the messages below one node to `found`, but for those told `before`. Parts of a node that make no sense are passed over.

    Words that were said again are the same message again; a node is walked once.
    """
    data = blob(database, key)
    if data is None or depth > _DEPTH:
        return
    nodes.add(key)
    for below in read_node(data).below:
        if below in before or below in nodes or len(found) > _MOST:
            continue
        begin = wire.begin(database, below)
        if begin.startswith(b"{"):
            found.append(below)
        elif begin:
            _walk(database, below, found, nodes, before, depth + 1)


def _hash(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def message(database: sqlite3.Connection, key: str) -> Data | None:
    """One message; None when it is gone, damaged or not one."""
    if key.endswith(turns.MARK):
        return turns.command(database, key.removesuffix(turns.MARK))
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
    """A protobuf node. References are hashes of 32 bytes."""
    named: dict[int, list[str]] = {1: [], 8: [], 11: [], 13: []}
    pending: list[bytes] = []
    begun: list[float] = []
    workspace = repository = branch = ""
    for field, value in wire.fields(data):
        if not isinstance(value, bytes):
            continue
        if field in named:
            if len(value) == 32:
                named[field].append(value.hex())
        elif field == 4:
            pending.append(value)
        elif field == 9 and value:
            workspace = wire.text(value)
        elif field == 14:
            begun.append(next((number / 1000 for inner, number in wire.fields(value) if inner == 2 and isinstance(number, int)), 0.0))
        elif field == 21 and not repository:
            inside = dict(wire.fields(value))
            repository, branch = wire.text(inside.get(1)), wire.text(inside.get(2))
    archives = tuple(dict.fromkeys(named[11] + named[13]))
    return Node(tuple(named[1]), workspace, archives, tuple(pending), tuple(named[8]), tuple(begun), repository, branch)
