"""OpenCode's trees of small JSON files: one file a session, a message, a part.

Two generations: `storage/{session/<project>/<id>, message/<id>/<message>, part/<message>/<part>}.json` (1.1) and, for
each project, `storage/session/{info/<id>, message/<id>/<message>, part/<id>/<message>/<part>}.json` (0.5).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from sessionbrowser.model import Damage
from sessionbrowser.sources.numbered import load_or_none
from sessionbrowser.sources.pieces import string
from sessionbrowser.text import parse_time

Data = Mapping[str, object]

SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")


class Tree(NamedTuple):
    """Where the messages and parts of one session are. All paths raw."""

    messages: str
    parts: str  # folder of folders of parts
    flat: str  # where an early release kept parts of all messages side by side, "" when it did not


def tree_of(path: str) -> Tree:
    """The folders that belong to a session's own file."""
    folder, session = os.path.dirname(path), os.path.splitext(os.path.basename(path))[0]
    above = os.path.dirname(folder)
    if os.path.basename(folder) == "info":
        return Tree(os.path.join(above, "message", session), os.path.join(above, "part", session), "")
    storage = os.path.dirname(above)
    return Tree(os.path.join(storage, "message", _named(path, storage, session)), os.path.join(storage, "part"), os.path.join(storage, "part"))


def _named(path: str, storage: str, session: str) -> str:
    """The name of a session's folder: its file's, or the id inside where the two differ."""
    if os.path.isdir(os.path.join(storage, "message", session)):
        return session
    inside = string((load_or_none(path) or {}).get("id"))
    return inside if SESSION_ID.fullmatch(inside) else session


def session_files(folder: str) -> Iterator[tuple[os.DirEntry[str], bool]]:
    """The sessions' own files below a store, each with whether it is of the later generation."""
    for project in _folders(_sessions_of(folder)):
        for entry in _json_files(project.path):
            yield entry, True
    for project in _folders(os.path.join(folder, "project")):
        for entry in _json_files(os.path.join(project.path, "storage", "session", "info")):
            yield entry, False


def _sessions_of(folder: str) -> str:
    """The folder of later sessions' own files: below `storage`, or in a folder that is such a storage itself."""
    inside = os.path.join(folder, "session")
    if os.path.isdir(inside) and os.path.isdir(os.path.join(folder, "message")):
        return inside
    return os.path.join(folder, "storage", "session")


def has_sessions(folder: str) -> bool:
    """Whether `folder` is a store of either generation."""
    if os.path.isdir(_sessions_of(folder)):
        return True
    return any(
        os.path.isdir(os.path.join(project.path, "storage", "session", "info"))
        for project in _folders(os.path.join(folder, "project"))
    )  # fmt: skip


def message_names(tree: Tree) -> list[str]:
    """The files of a session's messages, by name (which is by time)."""
    return [entry.path for entry in _json_files(tree.messages)]


def message(tree: Tree, path: str, damage: list[Damage] | None = None) -> Data | None:
    """One message with its parts, or None when it cannot be read."""
    info = load_or_none(path)
    if info is None:
        if damage is not None:
            damage.append(Damage(0, f"a message cannot be read: {os.path.basename(path)}"))
        return None
    stem = os.path.splitext(os.path.basename(path))[0]
    key = string(info.get("id")) or stem
    return {"id": key, "info": info, "parts": _parts(tree, key, stem, damage)}


def ordered(found: list[Data]) -> list[Data]:
    """Messages by the time they were made, then by id."""
    return sorted(found, key=lambda data: (_made(data) or 0.0, string(data.get("id"))))


def _made(data: Data) -> float | None:
    info = data.get("info")
    time = info.get("time") if isinstance(info, Mapping) else None
    return parse_time(time.get("created")) if isinstance(time, Mapping) else None


def _parts(tree: Tree, key: str, stem: str, damage: list[Damage] | None) -> list[Data]:
    for name in dict.fromkeys((key, stem)):
        if SESSION_ID.fullmatch(name) and os.path.isdir(os.path.join(tree.parts, name)):
            return _read_parts([entry.path for entry in _json_files(os.path.join(tree.parts, name))], damage)
    return _read_parts(list(_flat_parts(tree.flat).get(key, ())), damage)


def _flat_parts(folder: str) -> Mapping[str, list[str]]:
    """Parts that lie side by side, by the message they belong to."""
    try:
        return _flat_parts_of(folder, os.stat(folder).st_mtime_ns) if folder else {}
    except OSError:
        return {}


@lru_cache(maxsize=4)
def _flat_parts_of(folder: str, _changed: int) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for entry in _json_files(folder):
        part = load_or_none(entry.path)
        if part is not None:
            found.setdefault(string(part.get("messageID")), []).append(entry.path)
    return found


def _read_parts(paths: list[str], damage: list[Damage] | None) -> list[Data]:
    found: list[Data] = []
    for path in paths:
        part = load_or_none(path)
        if part is not None:
            found.append({"id": os.path.splitext(os.path.basename(path))[0], **part})
        elif damage is not None:
            damage.append(Damage(0, f"a part cannot be read: {os.path.basename(path)}"))
    return found


def _folders(path: str) -> list[os.DirEntry[str]]:
    return [entry for entry in _entries(path) if entry.is_dir(follow_symlinks=False)]


def _json_files(path: str) -> list[os.DirEntry[str]]:
    return [entry for entry in _entries(path) if entry.name.endswith(".json") and entry.is_file(follow_symlinks=False)]


def _entries(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []
