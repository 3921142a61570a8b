"""Bringing the full text up to date: what is new, what grew, what went away; newest sessions first.

Every half second what was read is committed together with how far each session was read, so that whoever is killed
loses at most that, and results come while it works.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from sessionbrowser.index.fulltext import (
    DEAD_LEAST,
    DEAD_LONGEST,
    DEAD_SHARE,
    FIRST_NUMBER,
    TROUBLE,
    Entry,
    FullText,
    Identity,
    grows,
    new_entry,
    rowid,
)  # fmt: skip
from sessionbrowser.index.fulltext_ahead import pieces
from sessionbrowser.index.fulltext_read import Job, Piece, Reader, seal
from sessionbrowser.model import Handle, Root, SetAside, Unreadable
from sessionbrowser.paths import Environment
from sessionbrowser.sources import present
from sessionbrowser.sources.base import Source
from sessionbrowser.undo import OrUndo

COMMIT_SECONDS = 0.5
COMMIT_CHARACTERS = 24 << 20
BULK = 50  # sessions; as many are worth a second process and a bigger memory for FTS5
SETTLED = 60.0  # seconds a database session has to be quiet before it is read again as a whole

Report = Callable[[int, int], None]  # sessions done, sessions to do


class Found(NamedTuple):
    """What is on disk: sessions, and the roots that were read without trouble."""

    handles: list[Handle]
    whole: set[tuple[str, str]]  # (source, root path)


class Excluder:
    """Which sessions the configuration keeps out: by directory (and everything below) or project name."""

    def __init__(self, names: Sequence[str], env: Environment, about: Callable[[Handle], tuple[str, str]]) -> None:
        self._folders = tuple(env.expand(name) for name in names if "/" in name or "\\" in name or name.startswith("~"))
        self._projects = frozenset(name for name in names if "/" not in name and "\\" not in name)
        self._about = about

    def __call__(self, handle: Handle) -> bool:
        if not self._folders and not self._projects:
            return False
        cwd, project = self._about(handle)
        return project in self._projects or any(cwd == top or cwd.startswith(top.rstrip("/") + os.sep) for top in self._folders)


def discover(env: Environment, extra: Iterable[tuple[Source, Root]] = (), only: Sequence[str] = ()) -> Found:
    """Every session and subagent of the live stores (and `extra` roots), by `stat` alone; newest first."""
    handles: dict[Identity, Handle] = {}
    whole: set[tuple[str, str]] = set()
    places = list(extra)
    reader = Reader(env)
    for item in present(env):
        if not only or item.name in only:
            source = reader.source(item.name)
            places += [(source, root) for root in source.roots()]
    for source, root in places:
        if _look(source, root, handles):
            whole.add((root.source, root.path))
    return Found(sorted(handles.values(), key=lambda handle: -handle.mtime_ns), whole)


def _look(source: Source, root: Root, handles: dict[Identity, Handle]) -> bool:
    """Put the sessions of one root into `handles`; whether all of it could be read."""
    whole = True
    try:
        for thing in source.discover(root):
            if isinstance(thing, Unreadable):
                whole = False
            elif not isinstance(thing, SetAside):
                handles.setdefault((thing.source, thing.path, thing.key), thing)
    except TROUBLE:
        return False
    return whole


class Plan(NamedTuple):
    """What has to be done: sessions to read, entries to drop, entries that only note a new state."""

    jobs: list[tuple[Entry, Job]]
    gone: list[Entry]
    noted: list[Entry]


def plan(found: Found, known: dict[Identity, Entry], excluded: Callable[[Handle], bool], now: float, settled: float) -> Plan:
    """Compare what is on disk with what was read."""
    reread: list[tuple[Handle, Entry | None]] = []
    gone: list[Entry] = []
    noted: list[Entry] = []
    for handle in found.handles:
        entry = known.get((handle.source, handle.path, handle.key))
        if entry is not None and entry.is_fresh(handle):
            if bool(entry.excluded) != excluded(handle):
                gone.append(entry)
                reread.append((handle, None))
            continue
        if entry is not None and not grows(handle) and entry.done and now - handle.mtime_ns / 1e9 < settled:
            continue
        reread.append((handle, entry))
    jobs: list[tuple[Entry, Job]] = []
    number = min((entry.number for entry in known.values()), default=FIRST_NUMBER + len(reread)) - len(reread)
    for handle, entry in reread:  # numbers ascend from the newest on, so that FTS5 sees ascending row ids
        if entry is not None and _continues(entry, handle):
            kept = entry._replace(size=handle.size, mtime_ns=handle.mtime_ns, inode=handle.inode, done=0)
            jobs.append((kept, Job(handle, entry.last)))
        else:
            if entry is not None:
                gone.append(entry)
            fresh = new_entry(number, handle)
            number += 1
            if excluded(handle):
                noted.append(fresh._replace(done=1, excluded=1))
            else:
                jobs.append((fresh, Job(handle)))
    here = {(handle.source, handle.path, handle.key) for handle in found.handles}
    gone += [entry for entry in known.values() if entry.identity not in here and (entry.source, entry.root) in found.whole]
    jobs.sort(key=lambda job: job[0].number)
    return Plan(jobs, gone, noted)


def _continues(entry: Entry, handle: Handle) -> bool:
    """Whether the file is the one that was read, only longer."""
    if entry.excluded or entry.inode != handle.inode or handle.size < entry.size:
        return False
    if not grows(handle):  # only a first reading that was cut off goes on
        return not entry.done and (entry.size, entry.mtime_ns) == (handle.size, handle.mtime_ns)
    return entry.last < 0 or seal(handle, entry.last) == entry.seal


class Builder:
    """One run over everything that has to be read."""

    def __init__(self, text: FullText, env: Environment, report: Report | None = None, processes: int = 0) -> None:
        self.text = text
        self.env = env
        self.report = report or (lambda done, total: None)
        self.processes = processes or min(os.cpu_count() or 1, 4)
        self._rows: list[tuple[int, str]] = []
        self._entries: dict[int, Entry] = {}
        self._size = 0
        self._since = time.monotonic()
        self._done = self._total = 0

    def run(self, what: Plan) -> None:
        """Do everything of a plan. Raises sqlite3.Error; what was committed until then stays."""
        self._total = len(what.jobs)
        if what.gone or what.noted:
            self.text.begin()
            self.text.forget(what.gone)
            self.text.keep(what.noted)
            self.text.commit()
        if not what.jobs:
            return
        self.text.tune(bulk=len(what.jobs) >= BULK)
        self._commit()
        reader = Reader(self.env)
        entries = iter(what.jobs)
        for job, first in pieces(self.env, [job for _, job in what.jobs], self.processes):
            entry, _ = next(entries)
            piece = first
            while True:
                entry = self._take(entry, piece)
                if not piece.more:
                    break
                piece = reader.read(Job(job.handle, piece.last))
            self._done += 1
        self._commit(last=True)
        self.text.merge()

    def _take(self, entry: Entry, piece: Piece) -> Entry:
        number = entry.number
        first = rowid(number, 0, 0)
        self._rows += [(first + at, text) for at, text in piece.rows]
        self._size += sum(len(text) for _, text in piece.rows)
        entry = entry._replace(
            last=piece.last, seal=piece.seal or entry.seal, done=int(not piece.more), rows=entry.rows + len(piece.rows),
            opening=entry.opening or piece.opening,
        )  # fmt: skip
        self._entries[number] = entry
        if time.monotonic() - self._since > COMMIT_SECONDS or self._size > COMMIT_CHARACTERS:
            self._commit()
        return entry

    def _commit(self, *, last: bool = False) -> None:
        self.text.begin()
        with OrUndo(self.text.connection.rollback):
            self.text.add(self._rows)
            self.text.keep(self._entries.values())
            self.text.keep_note("progress", None if last else [self._done, self._total, os.getpid()])
            self.text.commit()
        self._rows, self._entries, self._size = [], {}, 0
        self._since = time.monotonic()
        self.report(self._done, self._total)


def update(text: FullText, env: Environment, *, exclude: Sequence[str] = (), rebuild: bool = False, settled: float = SETTLED,
           report: Report | None = None, processes: int = 0, about: Callable[[Handle], tuple[str, str]] | None = None) -> None:
    """Bring the full text up to date. Raises sqlite3.Error. The caller holds the lock (`worker.only_one`).

    `settled`: seconds a database session has to be quiet before it is read again; 0 for complete results now.
    """
    live, dead = text.count()
    if rebuild or (dead > DEAD_LEAST and dead > DEAD_SHARE * (live + dead)) or (dead and _is_overdue(text, env)):
        text.begin()
        text.clear()
        text.commit()
    excluded = Excluder(exclude, env, about or _summary(env))
    found = discover(env)
    known = text.entries()
    Builder(text, env, report, processes).run(plan(found, known, excluded, env.now(), settled))
    if text.count()[1] and text.note("dead_since") is None:
        text.begin()
        text.keep_note("dead_since", env.now())
        text.commit()


def _is_overdue(text: FullText, env: Environment) -> bool:
    """Whether words of sessions that went away have been in the table for so long that it is built anew to lose them."""
    since = text.note("dead_since")
    return isinstance(since, int | float) and env.now() - since > DEAD_LONGEST


def _summary(env: Environment) -> Callable[[Handle], tuple[str, str]]:
    """Directory and project of a session, from the session itself (or the one a subagent belongs to, by its place)."""
    reader = Reader(env)

    def about(handle: Handle) -> tuple[str, str]:
        try:
            row = reader.source(handle.source).summarise(handle)
        except TROUBLE:
            return "", ""
        return row.cwd or "", row.project

    return about
