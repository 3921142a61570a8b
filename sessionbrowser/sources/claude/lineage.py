"""History that two files share: `--fork-session` copies every row with its id and says so nowhere.

The copies of one history lie in one folder and begin with the same row; which of them was first, their times tell.
"""

from __future__ import annotations

import mmap
import os
import re

from sessionbrowser.sources import jsonl

_HEAD = 16384
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ID = re.compile(rb'"uuid":"([\w-]{1,80})"')

First = tuple[str, bool]  # id of a file's first row, and whether the file says itself that it is a copy
Firsts = dict[str, tuple[int, dict[str, First]]]


def random_id(key: str) -> bool:
    """Whether an id is one of those no two histories have by chance: random, not counted up by hand or by a test."""
    return _UUID.fullmatch(key) is not None and key.count("0") < 16


def shared_rows(path: str, known: Firsts) -> frozenset[str]:
    """Ids of the rows that an older file of the same folder has too; empty when `path` begins a history of its own.

    `known` keeps the first row of every file of a folder from one call to the next.
    """
    folder, name = os.path.split(path)
    firsts = _firsts(folder, known)
    first = firsts.get(name)
    if not first:
        return frozenset()
    kin = [other for other, key in firsts.items() if key[0] == first[0]]
    if len(kin) < 2:
        return frozenset()
    original = min(kin, key=lambda other: (firsts[other][1], _time(os.path.join(folder, other)), other))
    return frozenset() if original == name else _ids(os.path.join(folder, original))


def _firsts(folder: str, known: Firsts) -> dict[str, First]:
    changed = _time(folder)
    kept = known.get(folder)
    if kept is not None and kept[0] == changed:
        return kept[1]
    found: dict[str, First] = {}
    try:
        names = os.listdir(folder)
    except OSError:
        return found
    for name in names:
        if name.endswith(".jsonl") and not name.startswith("agent-"):
            try:
                head = jsonl.read_at(os.path.join(folder, name), 0, _HEAD)
            except OSError:
                continue
            if (first := _ID.search(head)) is not None and random_id(key := first[1].decode()):
                found[name] = key, b'"forkedFrom":{' in head
    known[folder] = (changed, found)
    return found


def _ids(path: str) -> frozenset[str]:
    try:
        with jsonl.open_file(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return frozenset(found[1].decode() for found in _ID.finditer(data))
    except (OSError, ValueError):
        return frozenset()


def _time(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
