"""Antigravity conversations without a transcript: encrypted (`conversations/<id>.pb`), or in a database of protocol buffers.

What was answered cannot be read. What a person typed is also in `history.jsonl` of the same home, with the workspace.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from sessionbrowser.model import Handle, Place, Session
from sessionbrowser.paths import project_of
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.documents import DocumentSource, Placed
from sessionbrowser.sources.pieces import Piece, string
from sessionbrowser.text import parse_time

ENDINGS = {".db": "its answers are in a database that is not read", ".pb": "its answers are encrypted"}


class Typed(NamedTuple):
    """One line of the history: where it is in the file, what was typed, when and in which workspace (raw)."""

    start: int
    text: str
    time: float | None
    workspace: str


class Sealed(DocumentSource):
    """The prompts of a conversation that cannot be read itself."""

    name, tag, label, program = "antigravity", "ag", "Antigravity", "agy"

    def placed(self, handle: Handle) -> Iterator[Placed]:
        typed = history(_home(handle.path)).get(handle.id, ())
        for line in typed:
            yield Place(line.start), Piece("prompt", line.text, "prompt", time=line.time)
        yield Place(typed[-1].start + 1 if typed else 0), Piece("note", ENDINGS[os.path.splitext(handle.path)[1]].capitalize(), "sealed", "warning")

    def finish(self, handle: Handle, row: Session) -> Session:
        cwd = next((line.workspace for line in reversed(history(_home(handle.path)).get(handle.id, ())) if line.workspace), "")
        updated = max(filter(None, (row.updated, handle.mtime_ns / 1e9)), default=None)
        why = ENDINGS[os.path.splitext(handle.path)[1]]
        return row._replace(
            cwd=cwd or None, project=project_of(cwd) if cwd else "", updated=updated, counts=None, tail="unknown", tail_why=why,
            unreadable="" if row.first_prompt else why, hidden=row.hidden if row.first_prompt else "",
        )  # fmt: skip


def is_sealed(path: str) -> bool:
    """Whether a handle's file is such a conversation."""
    return os.path.splitext(path)[1] in ENDINGS


def history(home: str) -> Mapping[str, tuple[Typed, ...]]:
    """What was typed into each conversation of a home, oldest first."""
    path = os.path.join(home, "history.jsonl")
    try:
        found = os.stat(path)
    except OSError:
        return {}
    return _history(path, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=4)
def _history(path: str, _size: int, _changed: int) -> Mapping[str, tuple[Typed, ...]]:
    found: defaultdict[str, list[Typed]] = defaultdict(list)
    for line in jsonl.lines(path):
        for record in jsonl.read(line.data).records:
            text, identity = string(record.get("display")) or string(record.get("query")), string(record.get("conversationId"))
            if identity and text.strip():
                typed = Typed(line.offset, text, parse_time(record.get("timestamp")), string(record.get("workspace")))
                found[identity].append(typed)
    return {identity: tuple(typed) for identity, typed in found.items()}


def _home(path: str) -> str:
    """The home of a file in its `conversations`."""
    return os.path.dirname(os.path.dirname(path))
