"""Bringing the catalogue up to date: what changed is summarised, newest first, and kept as it comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from sessionbrowser.index.catalogue import Catalogue
from sessionbrowser.index.rows import Identity, Row
from sessionbrowser.library import lineage
from sessionbrowser.library.places import Shelf, why
from sessionbrowser.library.survey import FAILURES, Survey
from sessionbrowser.model import Handle, Session
from sessionbrowser.paths import time_in
from sessionbrowser.text import one_line

FIRST = 48  # rows a first screen holds: they are handed over at once
SLICE = 0.004  # seconds of reading between two chances for the screen
BATCH = 0.06  # seconds between two batches
KEEP = 0.4  # seconds between two transactions
NEAR = 64  # up to so many changed rows, only their relatives are looked at again


class Reading:
    """One pass over what a survey found changed. Raises sqlite3.Error."""

    def __init__(
        self, shelf: Shelf, catalogue: Catalogue, survey: Survey, outside: dict[Identity, Row], pause: Callable[[], None]
    ) -> None:
        self.shelf, self.catalogue, self.survey = shelf, catalogue, survey
        self.outside = outside  # rows that can't be kept on disk; they live in memory
        self.pause = pause
        self.done = 0
        self.vanished: list[Identity] = []
        self.directories: set[str] = set()  # where the sessions that were read ran
        self._kept: list[tuple[Handle, Session]] = []

    def batches(self) -> Iterator[list[Row]]:
        """Rows as they are read; then those on which the rest of the list has shed another light."""
        batch: list[Row] = []
        handed = kept = rested = time.perf_counter()
        for handle in self.survey.changed:
            row = read_row(self.shelf, self.catalogue, handle)
            self.done += 1
            if row is None:
                self.vanished.append((handle.source, handle.path, handle.key))
            else:
                batch.append(row)
                self._kept.append(row)
                if row.session.cwd:
                    self.directories.add(row.session.cwd)
            now = time.perf_counter()
            if now - rested > SLICE:
                self.pause()
                rested = time.perf_counter()
            if len(batch) and (self.done == FIRST or now - handed > BATCH):
                if now - kept > KEEP:
                    self._keep()
                    kept = now
                yield batch
                batch, handed = [], now
        self._keep()
        if batch:
            yield batch
        if gone := [*self.survey.gone, *self.vanished]:
            self.catalogue.forget(gone)
            for identity in gone:
                self.outside.pop(identity, None)
        if self.survey.changed or gone:
            yield self._derive(gone)
        for seen in self.survey.seen:
            seen()

    def _keep(self) -> None:
        if self._kept:
            for handle, session in self.catalogue.put(self._kept):
                self.outside[session.identity] = Row(handle, session)
            self._kept = []

    def _derive(self, gone: list[Identity]) -> list[Row]:
        touched = [(handle.source, handle.path, handle.key) for handle in self.survey.changed]
        if gone or len(touched) > NEAR:
            kin = self.catalogue.kin(self.survey.roots)
        else:
            kin = self.catalogue.kin_near(self.survey.roots, touched)
        derived = lineage.derive(kin)
        changes = [(one.identity, derived[one.identity]) for one in kin if derived[one.identity] != one.derived]
        if changes:
            self.catalogue.derive(changes)
        rows = (self.catalogue.row(identity) for identity, _ in changes)
        return [row for row in rows if row is not None]


def read_row(shelf: Shelf, catalogue: Catalogue, handle: Handle) -> Row | None:
    """The row of one session, read from its file; None when the file went away meanwhile.

    A file that can't be read keeps its last good row, marked; its state is kept apart so that it is tried again.
    """
    said = catalogue.said((handle.source, handle.path, handle.key))
    previous = None
    if said is not None and said[0].inode == handle.inode and said[0].size < handle.size:
        previous = said[1]
    try:
        session = shelf.get(handle.source).summarise(handle, previous)
    except FileNotFoundError:
        return None
    except FAILURES as error:
        reason = why(error) if isinstance(error, OSError) else f"could not be read: {why(error)}"
        last = said[1] if said and not (said[1].unreadable and said[1].title_from == "id") else _unread(handle)
        return Row(handle._replace(mtime_ns=-1), last._replace(unreadable=reason))
    return Row(handle, _placed(session, handle))


def _placed(session: Session, handle: Handle) -> Session:
    """`session` with what its place alone tells."""
    hidden = session.hidden or handle.hidden
    parent = session.parent or handle.parent or None
    if (session.root, session.hidden, session.parent) == (handle.root.label, hidden, parent):
        return session
    return session._replace(root=handle.root.label, hidden=hidden, parent=parent)


def _unread(handle: Handle) -> Session:
    began = time_in(handle.path, handle.id)
    return Session(
        handle.id, handle.source, handle.path, handle.key, handle.root.label, one_line(handle.id, 80), "id",
        created=began, updated=began, parent=handle.parent or None, size=handle.size, hidden=handle.hidden,
    )  # fmt: skip


