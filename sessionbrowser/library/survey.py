"""Scan and compare: what is on disk beside what the catalogue has, by `stat` alone."""

from __future__ import annotations

import marshal
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from sessionbrowser.index.catalogue import Catalogue, State
from sessionbrowser.index.rows import Identity
from sessionbrowser.library.places import Shelf, why
from sessionbrowser.model import Handle, Live, Root, SetAside, Unreadable
from sessionbrowser.sources.base import Source, SourceError

_state = itemgetter(*(Handle._fields.index(name) for name in ("source", "path", "key", "size", "mtime_ns", "inode")))

# What reading a file nobody foresaw may raise: it costs that file, not the list.
FAILURES = (OSError, SourceError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, MemoryError)


NESTED = ("subagent", "internal")  # what folders that are entered only when deep may hold


class Survey(NamedTuple):
    """What a scan found. `changed` is new or different from the catalogue, newest first; `gone` is certain."""

    roots: tuple[Root, ...]
    changed: list[Handle]
    gone: list[Identity]
    aside: list[SetAside]
    trouble: list[Unreadable]
    live: Mapping[tuple[str, str], Live]  # by source and session id
    retention: Mapping[tuple[str, str], int | None]  # days, by source and root path
    total: int
    seen: tuple[Callable[[], None], ...] = ()  # to be called once all that changed is in the catalogue: what need not be looked at again


class Scan(NamedTuple):
    """One root as it is on disk; `deep` when folders that hold only subagents were entered too."""

    handles: list[Handle]
    aside: list[SetAside]
    trouble: list[Unreadable]
    deep: bool


def take(
    shelf: Shelf, roots: Sequence[Root], catalogue: Catalogue, *, deep: bool, scans: Mapping[Root, Scan] | None = None
) -> Survey:
    """Compare `roots` with `catalogue`; `scans` are those already made. Raises sqlite3.Error."""
    changed: list[Handle] = []
    gone: list[Identity] = []
    aside: list[SetAside] = []
    trouble: list[Unreadable] = []
    live: dict[tuple[str, str], Live] = {}
    retention: dict[tuple[str, str], int | None] = {}
    total = 0
    seen: list[Callable[[], None]] = []
    for root in roots:
        source = shelf.get(root.source)
        one = _Comparison(source, root, catalogue, deep, (scans or {}).get(root))
        changed += one.changed
        gone += one.gone
        aside += one.scan.aside
        trouble += one.scan.trouble
        total += one.total
        seen += [one.seen] if one.seen is not None else []
        if root.live:
            retention[root.source, root.path] = _retention(source, root)
            live.update(live_of(source, root))
    changed.sort(key=lambda handle: (handle.hidden != "subagent", handle.mtime_ns), reverse=True)
    return Survey(tuple(roots), changed, gone, aside, trouble, live, retention, total, tuple(seen))


def scan(source: Source, root: Root, *, deep: bool) -> Scan:
    """Everything below `root` by directory entries alone."""
    handles: list[Handle] = []
    aside: list[SetAside] = []
    trouble: list[Unreadable] = []
    try:
        for item in source.discover(root, deep=deep):
            if type(item) is Handle:
                handles.append(item)
            elif type(item) is SetAside:
                aside.append(item)
            elif type(item) is Unreadable:
                trouble.append(item)
    except FAILURES as error:
        trouble.append(Unreadable(root.source, root.path, why(error)))
    return Scan(handles, aside, trouble, deep)


def fingerprint(shelf: Shelf, scans: Mapping[Root, Scan], catalogue: Catalogue) -> bytes | None:
    """The state of everything that was scanned as bytes, equal when it is.

    None when an answer could not be trusted: a session is open, a place can't be read, a folder of subagents changed.
    """
    parts: list[object] = []
    for root, one in scans.items():
        source = shelf.get(root.source)
        folders = {} if one.deep else catalogue.folders(root)
        registry = live_of(source, root).values() if root.live else ()
        if one.trouble or any(_mtime(path) != at for path, at in folders.items()) or any(live.status != "gone" for live in registry):
            return None
        days = _retention(source, root) if root.live else None
        parts.append((tuple(root), days, list(map(_state, one.handles)), list(folders.items()), [live.id for live in registry]))
    return marshal.dumps(parts, 2)  # format 2: equal values are equal bytes


class _Comparison:
    """One root: the folders that hold only subagents are entered when something near them changed, or on request."""

    def __init__(self, source: Source, root: Root, catalogue: Catalogue, deep: bool, made: Scan | None = None) -> None:
        self.source, self.root = source, root
        known = catalogue.states(root)
        folders = catalogue.folders(root)
        note = f"scanned {root.source} {root.path}"
        remembered = catalogue.note(note)
        deep = deep or remembered is None
        self.scan = made if made is not None and made.deep == deep else scan(source, root, deep=deep)
        states = set(map(_state, self.scan.handles))
        if not deep and (self._must_descend(states - known, folders) or self._new_aside(remembered)):
            deep = True
            self.scan = scan(source, root, deep=True)
            states = set(map(_state, self.scan.handles))
        self.seen: Callable[[], None] | None = None
        if deep:
            self.seen = self._remembering(catalogue, note, remembered, folders)
            resting: set[State] = set()
        else:
            self.scan.aside[:] = _aside(root.source, remembered)
            here = {state[:3] for state in states}
            resting = {state for state in known - states if os.path.dirname(state[1]) in folders and state[:3] not in here}
        fresh = states - known
        self.total = len(states) + len(resting)
        if len(fresh) == len(states):  # as when nothing is known yet
            self.changed = list(self.scan.handles)
        else:
            self.changed = [handle for handle in self.scan.handles if _state(handle) in fresh] if fresh else []
        self.gone = self._gone(known - states - resting, states)

    def _must_descend(self, fresh: set[State], folders: Mapping[str, int]) -> bool:
        if any(_mtime(path) != mtime_ns for path, mtime_ns in folders.items()):
            return True
        if not fresh:
            return False
        return any(
            path not in folders and os.path.isdir(path)
            for handle in self.scan.handles
            if _state(handle) in fresh
            for path in self.source.folders(handle)
        )

    def _new_aside(self, remembered: object) -> bool:
        known = {path for path, _ in remembered} if isinstance(remembered, list) else set()
        return any(item.path not in known for item in self.scan.aside)

    def _remembering(self, catalogue: Catalogue, note: str, remembered: object, folders: Mapping[str, int]) -> Callable[[], None]:
        """What keeps in mind how the folders of subagents were during this scan, so that they are not entered in vain."""
        below = {_folder(handle) for handle in self.scan.handles if handle.hidden in NESTED}
        if below:
            below -= {_folder(handle) for handle in self.scan.handles if handle.hidden not in NESTED}
        fresh = time.time_ns() - 2_000_000_000  # a folder that changed just now may change again unseen
        times = {path: at if (at := _mtime(path)) < fresh else 0 for path in below}
        aside = [[item.path, item.reason] for item in self.scan.aside]

        def seen() -> None:
            if times != folders:
                catalogue.keep_folders(self.root, times.items())
            if remembered != aside and not self.scan.trouble:
                try:
                    catalogue.keep_note(note, aside)
                except (TypeError, UnicodeEncodeError):  # a path that is no Unicode: scanned again next time
                    return

        return seen

    def _gone(self, left: set[State], states: set[State]) -> list[Identity]:
        """Rows whose file went away; none when part of the root could not be read."""
        if not left or self.scan.trouble:
            return []
        here = {state[:3] for state in states}
        return [state[:3] for state in left if state[:3] not in here]


def _folder(handle: Handle) -> str:
    return handle.path.rpartition(os.sep)[0]  # as scans put it together, so that os.path.dirname finds no more


def _mtime(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return -1


def _aside(source: str, remembered: object) -> list[SetAside]:
    if not isinstance(remembered, list):
        return []
    return [SetAside(source, path, reason) for path, reason in remembered]


def live_of(source: Source, root: Root) -> dict[tuple[str, str], Live]:
    """What a source's registry says, by source and session id."""
    try:
        return {(source.name, live.id): live for live in source.live(root)}
    except FAILURES:
        return {}


def live_in(shelf: Shelf, roots: Iterable[Root]) -> dict[tuple[str, str], Live]:
    """What the registries of live `roots` say, by source and session id."""
    found: dict[tuple[str, str], Live] = {}
    for root in roots:
        if root.live:
            found.update(live_of(shelf.get(root.source), root))
    return found


def is_standing(handle: Handle) -> bool:
    """Whether the file that is one session is still as it was; False where `stat` does not tell."""
    if handle.key:
        return False
    try:
        state = os.stat(handle.path)
    except OSError:
        return False
    return (state.st_size, state.st_mtime_ns, state.st_ino) == (handle.size, handle.mtime_ns, handle.inode)


def _retention(source: Source, root: Root) -> int | None:
    try:
        return source.retention(root)[0]
    except FAILURES:
        return None
