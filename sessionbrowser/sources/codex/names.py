"""Names that people gave their threads: from `session_index.jsonl`, else from Codex's own database of threads.

The database is a hint only: files stay the truth, and a database that cannot be read is passed over.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.sources import jsonl
from sessionbrowser.sources.base import SourceError

if TYPE_CHECKING:
    import sqlite3

_STATE = re.compile(r"state_(\d+)\.sqlite")
_INDEX_LIMIT = 64 << 20  # bytes; of a longer index only the end is read

Stamp = tuple[tuple[str, int, int], ...]


class Known(NamedTuple):
    """What the database knows: names by thread, subagents by the thread that started them."""

    names: dict[str, str]
    children: dict[str, list[str]]


NOTHING = Known({}, {})


class Names:
    """The names of one root, read again when the files that hold them have changed."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._index_stamp: Stamp = ()
        self._index: dict[str, str] = {}
        self._state_stamp: Stamp | None = None
        self._state = NOTHING

    def indexed(self) -> dict[str, str]:
        """Names in `session_index.jsonl`; the last line of an id counts."""
        path = os.path.join(self.root, "session_index.jsonl")
        stamp = _stamp(path)
        if stamp != self._index_stamp:
            self._index_stamp = stamp
            self._index = _read_index(path)
        return self._index

    def of(self, id: str) -> str:
        """The raw name of a thread, "" when it has none."""
        return self.indexed().get(id) or self._known().names.get(id, "")

    def spawned(self, parent: str) -> list[str]:
        """Ids of subagents that the database knows of a thread; none when it cannot be read."""
        return self._known().children.get(parent, [])

    def _known(self) -> Known:
        path = state_file(self.root)
        stamp = _stamp(path, path + "-wal") if path else ()
        if stamp != self._state_stamp:
            self._state_stamp = stamp
            self._state = _read_state(path) if path else NOTHING
        return self._state


def _stamp(*paths: str) -> Stamp:
    found = []
    for path in paths:
        try:
            there = os.stat(path)
        except OSError:
            continue
        found.append((path, there.st_size, there.st_mtime_ns))
    return tuple(found)


def _read_index(path: str) -> dict[str, str]:
    names: dict[str, str] = {}
    try:
        lines, _ = jsonl.tail(path, _INDEX_LIMIT)
    except OSError:
        return names
    for record in _records([line.data for line in lines]):
        id, name = record.get("id"), record.get("thread_name")
        if isinstance(id, str) and isinstance(name, str):
            names[id] = name
    return names


def _records(lines: list[bytes]) -> list[jsonl.Record]:
    """The records of sound lines at one go, by the standard library: every list reads them, and orjson takes 10 ms to import."""
    try:
        values = json.loads(b"[" + b",".join(lines) + b"]")
    except ValueError:
        return [record for line in lines for record in jsonl.read(line).records]
    return [value for value in values if isinstance(value, dict)]


def state_file(root: str) -> str:
    """The newest of Codex's databases of threads in its home, "" when there is none."""
    try:
        found = [(int(match[1]), name) for name in os.listdir(root) if (match := _STATE.fullmatch(name))]
    except OSError:
        return ""
    return os.path.join(root, max(found)[1]) if found else ""


def _read_state(path: str) -> Known:
    """What the database says. Columns and tables come and go with Codex's releases."""
    from sessionbrowser.sources import sqlite

    try:
        with sqlite.open_readonly(path) as connection:
            return Known(_state_names(connection), _state_children(connection))
    except (OSError, SourceError):
        return NOTHING


def _state_names(connection: sqlite3.Connection) -> dict[str, str]:
    from sessionbrowser.sources import sqlite

    if not {"id", "name"} <= sqlite.columns(connection, "threads"):
        return {}
    rows = connection.execute("select id, name from threads where name is not null and name <> ''")
    return {id: name for id, name in rows if isinstance(id, str) and isinstance(name, str)}


def _state_children(connection: sqlite3.Connection) -> dict[str, list[str]]:
    from sessionbrowser.sources import sqlite

    children: dict[str, list[str]] = {}
    if {"parent_thread_id", "child_thread_id"} <= sqlite.columns(connection, "thread_spawn_edges"):
        for parent, child in connection.execute("select parent_thread_id, child_thread_id from thread_spawn_edges"):
            if isinstance(parent, str) and isinstance(child, str):
                children.setdefault(parent, []).append(child)
    return children
