"""Staying up to date: what a load found is kept true while the program runs, by reading only what changed."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sessionbrowser.index.catalogue import Catalogue
from sessionbrowser.index.rows import Identity, Row
from sessionbrowser.library import survey
from sessionbrowser.library.events import Aside, Changed, Event, Found, Gone, Trouble
from sessionbrowser.library.ground import Ground
from sessionbrowser.library.reading import Reading
from sessionbrowser.library.status import is_settled
from sessionbrowser.model import Handle, Live, Root, Session

if TYPE_CHECKING:
    from sessionbrowser.library.watch import Noticed, Watcher

MANY = 200  # rows in a batch at most: more would hold the screen up
REST = 0.25  # seconds between two looks where nothing tells of changes
TOLD_REST = 0.08  # the least seconds between two looks where the system tells of them
SHARE = 6.0  # after work that took t seconds, so many times t are rested
CALM = 0.8  # seconds in which changes are gathered while many come
REGISTRY = 1.0  # seconds between two looks at the agents' registries
CLOCK = 10.0  # seconds between two looks at statuses that time alone changes
PLACES = 5.0  # seconds after which a store that was not there is looked for again

Registry = dict[tuple[str, str], Live]


class Watching(Ground):
    """The part of Library that says what is different now."""

    _said: dict[Identity, Session]
    loaded_ns = 0  # when the last load began, by the wall clock

    def watch(
        self, wait: Callable[[float], bool], *, looked_at: Callable[[], str] = lambda: "", notices: bool = True
    ) -> Iterator[list[Event]]:
        """What changes after a load, as it happens, until `wait` (so many seconds) says False.

        Yields what one look brought, and nothing for as long as nothing changes; whoever asks may take their time. What
        happens in the file that is `looked_at` (its path) is said at once, the rest within `CALM` seconds.
        """
        from sessionbrowser.library.watch import Watcher  # not for those who only list

        told = None
        if notices:
            from sessionbrowser.library.notices import open_notices

            told = open_notices(root.path for root in self.roots())
        watcher = Watcher(notices=told)
        try:
            yield from Rounds(self, watcher, looked_at).run(wait)
        finally:
            if told is not None:
                told.close()

    def live(self, session: Session) -> Live | None:
        """What its agent's registry said of a session when that was last looked at; None when nothing of it is open.

        A session that is only kept loaded by a server of its agent is not open.
        """
        if self._survey is None or session.root:
            return None
        found = self._survey.live.get((session.source, session.id))
        if found is None or found.status == "gone":
            return None
        return found if found.status or session.status in ("running", "waiting") else None

    def is_registered(self, session: Session) -> bool:
        """Whether a registry of its agent says anything of a session: then nothing else need be asked."""
        return self._survey is not None and (session.source, session.id) in self._survey.live

    # ── one round ──

    def _learn(self, watcher: Watcher, roots: Iterable[Root], since_ns: int, cost: float = 0.0) -> None:
        catalogue = self._open()
        try:
            for root in roots:
                watcher.know(root, catalogue.states(root), since_ns, cost)
        finally:
            self._close(catalogue)

    def _catch_up(self, watcher: Watcher, noticed: Noticed) -> Iterator[Event]:
        """Read what was noticed. Raises sqlite3.Error."""
        catalogue = self._open()
        try:
            roots = list(noticed.roots)
            rows = []
            for root, path in noticed.files:
                row = None if root in roots else catalogue.row((root.source, path, ""))
                if row is None or self._has_new_folder(catalogue, row):
                    roots += [root] if root not in roots else []
                else:
                    rows.append(row)
            rows = [row for row in rows if row.handle.root not in roots]
            if rows:
                yield from self._read_again(catalogue, watcher, rows)
            for root in roots:
                yield from self._rescan(catalogue, watcher, root)
        finally:
            self._close(catalogue)

    def _has_new_folder(self, catalogue: Catalogue, row: Row) -> bool:
        """Whether a session began to have subagents: a scan finds them."""
        folders = self.shelf.get(row.handle.source).folders(row.handle)
        return any(os.path.isdir(folder) and folder not in catalogue.folders(row.handle.root) for folder in folders)

    def _read_again(self, catalogue: Catalogue, watcher: Watcher, rows: Sequence[Row]) -> Iterator[Event]:
        changed = []
        for handle, _ in rows:
            try:
                found = os.stat(handle.path)
            except OSError:
                watcher.ask(handle.root)
                continue
            handle = handle._replace(size=found.st_size, mtime_ns=found.st_mtime_ns, inode=found.st_ino)
            changed.append(handle)
            watcher.note(handle.path, (handle.size, handle.mtime_ns, handle.inode))
        yield from self._read(catalogue, self._part(changed, []))

    def _rescan(self, catalogue: Catalogue, watcher: Watcher, root: Root) -> Iterator[Event]:
        since_ns, began = time.time_ns(), time.perf_counter()
        part = survey.take(self.shelf, [root], catalogue, deep=False)
        yield from self._read(catalogue, self._merged(root, part))
        cost = time.perf_counter() - began
        if part.changed or part.gone:
            watcher.know(root, catalogue.states(root), since_ns, cost)
        else:
            watcher.scanned(root, cost)

    def _part(self, changed: list[Handle], gone: list[Identity]) -> survey.Survey:
        whole = self._whole()
        return whole._replace(changed=changed, gone=gone, aside=[], trouble=[], seen=())

    def _whole(self) -> survey.Survey:
        assert self._survey is not None  # a load came first
        return self._survey

    def _merged(self, root: Root, part: survey.Survey) -> survey.Survey:
        """What a scan of one root found, as part of the whole; what the whole says of that root is replaced."""
        whole = self._whole()
        below = os.path.join(root.path, "")
        aside = [item for item in whole.aside if item.source != root.source or not item.path.startswith(below)]
        trouble = [item for item in whole.trouble if item.source != root.source or not (item.path + os.sep).startswith(below)]
        new = sum((handle.source, handle.path, handle.key) not in self._said for handle in part.changed)
        self._survey = whole._replace(
            aside=[*aside, *part.aside], trouble=[*trouble, *part.trouble], total=whole.total + new - len(part.gone)
        )
        self.aside, self.trouble = self._survey.aside, self._survey.trouble
        return part._replace(roots=whole.roots, live=whole.live, retention=whole.retention)

    def _read(self, catalogue: Catalogue, found: survey.Survey) -> Iterator[Event]:
        if found.trouble:
            yield Trouble(tuple(self.trouble))
        if found.aside:
            yield Aside(tuple(self.aside))
        reading = Reading(self.shelf, catalogue, found, self._outside, lambda: None)
        for batch in reading.batches():
            yield from self._say(batch)
        lost = dict.fromkeys([*found.gone, *reading.vanished])
        gone = tuple(name for name in lost if self._said.pop(name, None) is not None)
        if gone:
            yield Gone(gone)

    # ── registries and the clock ──

    def _registry(self) -> Registry:
        """What the registries of all live roots say now."""
        found: Registry = {}
        for root in self._whole().roots:
            if root.live:
                found.update(survey.live_of(self.shelf.get(root.source), root))
        return found

    def _relive(self, watcher: Watcher) -> Iterator[Event]:
        """Sessions whose registry says something else than before."""
        before, now = self._whole().live, self._registry()
        if before == now:
            return
        names = {name for name in {*before, *now} if before.get(name) != now.get(name)}
        self._survey = self._whole()._replace(live=now)
        identities = [one.identity for one in self._said.values() if (one.source, one.id) in names]
        watcher.heat(path for _, path, _ in identities)
        yield from self._say_again(identities)

    def _unsettled(self) -> Iterator[Event]:
        """Sessions whose status the clock has changed."""
        now = self.environment.now()
        yield from self._say_again([
            one.identity for one in self._said.values() if one.status == "running" and is_settled(one, now)
        ])  # fmt: skip

    def _say_again(self, identities: Sequence[Identity]) -> Iterator[Event]:
        if not identities:
            return
        catalogue = self._open()
        try:
            found = [self._outside.get(name) or catalogue.row(name) for name in identities]
        finally:
            self._close(catalogue)
        yield from self._say([row for row in found if row is not None])

    def _say(self, rows: Sequence[Row]) -> Iterator[Event]:
        """The events that tell of `rows` what was not told before."""
        new: list[Session] = []
        changed: list[Session] = []
        for row in rows:
            session = self._dressed(row)
            before = self._said.get(session.identity)
            if before == session:
                continue
            self._said[session.identity] = session
            (new if before is None else changed).append(session)
        for event, sessions in ((Found, new), (Changed, changed)):
            sessions.sort(key=newest)
            for at in range(0, len(sessions), MANY):
                yield event(tuple(sessions[at : at + MANY]))

    def _new_places(self, watcher: Watcher) -> None:
        """Stores that were not there before: an agent was used for the first time."""
        self._places = None
        known = self._whole().roots
        fresh = [root for root in self.places().roots if root not in known]
        if fresh:
            self._survey = self._whole()._replace(roots=(*known, *fresh))
        for root in fresh:
            watcher.ask(root)


class Rounds:
    """The loop of `watch`: when to look at what."""

    def __init__(
        self, library: Watching, watcher: Watcher, looked_at: Callable[[], str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.library = library
        self.watcher = watcher
        self._looked_at = looked_at
        self._clock = clock
        self._pending: dict[str, Root] = {}  # files that changed and are still to be read
        self._calm_at = float("-inf")  # from when on they are
        now = clock()
        self._registry_at = self._clock_at = self._places_at = now
        self._rest = REST

    def begin(self) -> None:
        """Learn what everything looked like when it was loaded."""
        self.library._learn(self.watcher, self.library.roots(), self.library.loaded_ns)

    def run(self, wait: Callable[[float], bool]) -> Iterator[list[Event]]:
        """Rounds with rests between them, until `wait` says False."""
        self.begin()
        while self._pause(wait):
            began = time.perf_counter()
            events: list[Event] = []
            try:
                events.extend(self.one())
            except sqlite3.Error as error:  # the cache is a help and never a condition
                self.library._do_without(error)
            if events:
                yield events
            self._rest = max(TOLD_REST if self.watcher.is_told else REST, SHARE * (time.perf_counter() - began))

    def _pause(self, wait: Callable[[float], bool]) -> bool:
        """Rest; then, where the system tells of changes, until it does or a second is over."""
        if not wait(self._rest):
            return False
        if self.watcher.is_told and self.watcher.notices is not None:
            self.watcher.notices.wait(max(0.0, REGISTRY - self._rest))
        return True

    def one(self) -> Iterator[Event]:
        """One round. Raises sqlite3.Error."""
        library, watcher, now = self.library, self.watcher, self._clock()
        noticed = self._due(watcher.look(), now)
        if now - self._registry_at >= REGISTRY:
            self._registry_at = now
            yield from library._relive(watcher)
        if noticed.files or noticed.roots:
            yield from library._catch_up(watcher, noticed)
        if now - self._clock_at >= CLOCK:
            self._clock_at = now
            yield from library._unsettled()
        if now - self._places_at >= PLACES:
            self._places_at = now
            library._new_places(watcher)

    def _due(self, noticed: Noticed, now: float) -> Noticed:
        """What is to be read now: the file that is looked at, and the others when they were given some time."""
        self._pending.update((path, root) for root, path in noticed.files)
        if not self._pending and not noticed.roots:
            return noticed
        path = self._looked_at()
        if noticed.roots or now >= self._calm_at:
            files, self._pending = self._pending, {}
            self._calm_at = now + CALM
        else:
            files = {path: self._pending.pop(path)} if path in self._pending else {}
        return noticed._replace(files=tuple((root, path) for path, root in files.items()))


def newest(session: Session) -> tuple[float, str]:
    """Sorts sessions by their last activity, newest first."""
    return (-(session.updated or -sys.float_info.max), session.id)
