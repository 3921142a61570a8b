"""Which rollout belongs to which: ids to files, and the subagents of a session."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.model import Agent, Handle, Root, Session, Transcript
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.codex import files
from sessionbrowser.sources.codex.names import Names
from sessionbrowser.sources.codex.origin import origin_of
from sessionbrowser.sources.codex.records import words
from sessionbrowser.sources.lazy import lazily

if TYPE_CHECKING:
    from sessionbrowser.sources.codex import reader
else:
    (reader,) = lazily("sessionbrowser.sources.codex", "reader")

_DEPTH = 6
_NEIGHBOURS = 400  # files whose first record is looked at when searching for children
_BEGIN = 2048  # bytes in which a first record names its parent, before the long instructions
_MARGIN = 60.0  # seconds a child may begin before or after what its parent's records say


class Places:
    """Ids to files of one root; read again when a wanted id is not there."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self._paths: dict[str, str] = {}
        self._pages: dict[str, str] = {}
        self._newest: dict[str, str] = {}  # of sessions with pages, the last one's path
        self._looked = False

    def remember(self, file: files.File) -> None:
        paths, id = (self._pages, file.page) if file.page else (self._paths, file.id)
        known = paths.get(id)
        if known is None or known.endswith(".zst"):
            paths[id] = file.path
        if file.page:
            self._newest[file.id] = max(file.path, self._newest.get(file.id, ""), key=os.path.basename)

    def locate(self, id: str) -> str:
        """The raw path of the rollout or page with this id, "" when there is none."""
        path = self._known(id)
        if path and os.path.exists(path):
            return path
        if id and (path or not self._looked):
            self._look()
        return self._known(id)

    def _known(self, id: str) -> str:
        return self._paths.get(id, "") or self._pages.get(id, "")

    def current(self, id: str) -> str:
        """The raw path of the file that a session goes on in: its last page, else its rollout; "" when there is none."""
        path = self.locate(id)
        return self._newest.get(id, "") or path

    def all(self) -> dict[str, str]:
        if not self._looked:
            self._look()
        return self._paths

    def _look(self) -> None:
        self._looked = True
        self._paths, self._pages, self._newest = {}, {}, {}
        for folder in files.folders(self.root.path):
            for file in files.walk(folder, []):
                if file.id:
                    self.remember(file)


def handle_of(path: str, id: str, root: Root) -> Handle | None:
    """A handle for a file, None when it is gone."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return Handle("codex", root, path, "", id, found.st_size, found.st_mtime_ns, found.st_ino)


class Readings(NamedTuple):
    """What a tree is made from: places and names of the root, and the source's own readings."""

    places: Places
    names: Names
    summary: Callable[[Handle], Session]
    outline: Callable[[Handle], Transcript]


def agents(handle: Handle, outline: Transcript | None, readings: Readings) -> Agent:
    """The session with its subagents, theirs below them, and the forks that were made of it."""
    node = _node(handle, outline, readings, "session", "", {handle.id}, 0)
    return node._replace(children=(*node.children, *_forks(node, readings)))


def _node(handle: Handle, outline: Transcript | None, readings: Readings, kind: str, call: str, seen: set[str], depth: int) -> Agent:
    row = readings.summary(handle)
    try:
        known = outline if outline is not None else readings.outline(handle)
    except (OSError, SourceError):
        known = Transcript(())
    children: list[Agent] = []
    if depth < _DEPTH:
        for id, started_by in _children(row, known, readings):
            if id in seen:
                continue
            seen.add(id)
            children.append(_child(id, started_by, readings, seen, depth))
    children.sort(key=lambda child: child.started or 0.0)
    task = next((block.title for block in known.blocks if block.kind == "prompt"), row.title)
    return Agent(
        id=row.id, kind=kind, type=str(row.facts.get("agent_type", "")),
        description=row.title if kind == "session" else task, status=_status(row, kind), model=row.model or "",
        tokens=known.tokens if known.tokens.total else row.tokens, tool_calls=known.counts.tool_calls,
        started=row.created, ended=row.updated, path=handle.path, handle=handle, call=call, children=tuple(children),
    )  # fmt: skip


def _child(id: str, call: str, readings: Readings, seen: set[str], depth: int) -> Agent:
    path = readings.places.current(id)
    handle = handle_of(path, id, readings.places.root) if path else None
    if handle is None:
        return Agent(id=id, kind="subagent", description="its file is gone", call=call)
    try:
        return _node(handle, None, readings, "subagent", call, seen, depth + 1)
    except (OSError, SourceError):
        return Agent(id=id, kind="subagent", description="its file cannot be read", path=path, handle=handle, call=call)


def _status(row: Session, kind: str) -> str:
    """The status as the file ends: what is still at work only a clock or a registry can tell."""
    asking = "waiting" if kind == "session" else "finished"
    ends = {"finished": "finished", "asking": asking, "interrupted": "interrupted", "failed": "failed"}
    return ends.get(row.tail, "unknown")


def _children(row: Session, outline: Transcript, readings: Readings) -> Iterator[tuple[str, str]]:
    """Ids of subagents and the calls that started them: told by the session, by its database, or by themselves."""
    known = outline.facts.get("subagents_raw")
    told = {str(id): str(call) for id, call in known.items()} if isinstance(known, dict) else {}
    yield from told.items()
    for id in readings.names.spawned(row.id):
        if id not in told:
            told[id] = ""
            yield id, ""
    for id, path in _neighbours(row, readings.places):
        if id not in told and _parent_of(path) == row.id:
            yield id, ""


def _neighbours(row: Session, places: Places) -> list[tuple[str, str]]:
    """Rollouts begun while the session was at work, by the time in their ids."""
    if row.created is None:
        return []
    until = (row.updated or row.created) + _MARGIN
    found = [
        (id, path) for id, path in places.all().items()
        if id != row.id and (time := time_of(id)) is not None and row.created - _MARGIN <= time <= until
    ]  # fmt: skip
    return found[:_NEIGHBOURS]


def time_of(id: str) -> float | None:
    """The time in a UUID of version 7, in seconds; None for other ids."""
    if files.UUID.fullmatch(id) is None or id[14] != "7":
        return None
    return int(id[:8] + id[9:13], 16) / 1000


def _forks(node: Agent, readings: Readings) -> Iterator[Agent]:
    """Sessions forked from this one: they were begun after it, and name it in their first record."""
    since = (time_of(node.id) or 0.0) - _MARGIN
    for id, path in sorted(readings.places.all().items()):
        if id == node.id or (time_of(id) or since) < since or not _names_as_source(path, node.id):
            continue
        path = readings.places.current(id)
        handle = handle_of(path, id, readings.places.root)
        try:
            row = readings.summary(handle) if handle is not None else None
        except OSError:
            continue
        if row is not None and row.forked_from == node.id and row.origin != "subagent":
            yield Agent(
                row.id, "fork", "", row.title, _status(row, "session"), row.model or "", row.tokens, None,
                row.created, row.updated, path, handle,
            )  # fmt: skip


def _names_as_source(path: str, id: str) -> bool:
    """Whether a plain rollout says near its beginning that it was forked from `id`."""
    if not path.endswith(".jsonl"):
        return False
    try:
        begin = jsonl.read_at(path, 0, _BEGIN)
    except OSError:
        return False
    return b'"forked_from_id"' in begin and id.encode("utf-8", "replace") in begin


def _parent_of(path: str) -> str:
    try:
        if path.endswith(".jsonl"):
            begin = jsonl.read_at(path, 0, _BEGIN)
            if b'"parent_thread_id"' not in begin and b'"subagent"' not in begin:
                return ""
        meta = reader.head_of(path)
    except (OSError, SourceError):
        return ""
    return (origin_of(meta).parent or words(meta, "parent_thread_id")) if meta else ""
