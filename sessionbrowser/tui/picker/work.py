"""What runs beside the picker: the load, the search of the conversations, the preview, copies. All of it in daemon threads.

Results are handed to the loop as calls to make; a byte on a pipe wakes it.
"""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sessionbrowser.library import Event
from sessionbrowser.model import Session
from sessionbrowser.render.rows import Row
from sessionbrowser.sources.base import SourceError
from sessionbrowser.tui.store import Identity

if TYPE_CHECKING:
    from sessionbrowser.index.search_hit import Hit
    from sessionbrowser.library import Library
    from sessionbrowser.query import Query

FAILURES = (OSError, sqlite3.Error, SourceError, ValueError, LookupError)
PAUSE = 0.05  # seconds between two batches
LIMIT = 400  # hits looked at, one a session
DEEP_PATIENCE = 0.35  # seconds without a key before files themselves are read
KEPT = 48  # previews kept

Call = Callable[[], None]


class Post:
    """Calls for the loop to make, and the pipe that wakes it."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Call] = queue.SimpleQueue()
        self.fd, self._write = os.pipe()
        os.set_blocking(self._write, False)
        os.set_blocking(self.fd, False)

    def __call__(self, call: Call) -> None:
        self._calls.put(call)
        self.wake()

    def wake(self) -> None:
        """End the loop's waiting; safe in a signal handler."""
        try:
            os.write(self._write, b"x")
        except OSError:  # full: it wakes anyway
            return

    def take(self) -> list[Call]:
        """The calls that came, the pipe emptied."""
        try:
            os.read(self.fd, 4096)
        except OSError:
            pass
        calls = []
        while True:
            try:
                calls.append(self._calls.get_nowait())
            except queue.Empty:
                return calls


def start(work: Callable[[], object], name: str) -> None:
    threading.Thread(target=work, name=f"sb-{name}", daemon=True).start()


def load(library: Library, post: Post, cached: Callable[[list[Session]], None], news: Callable[[list[Event]], None],
         broken: Callable[[str], None]) -> None:  # fmt: skip
    """Read the catalogue, then everything; hand over batches. Runs in a thread of its own."""
    try:
        rows = library.cached()
        post(lambda: cached(rows))
        waiting: list[Event] = []
        last = 0.0
        for event in library.load(pause=_rest):
            waiting.append(event)
            now = time.monotonic()
            if now - last >= PAUSE:
                post(lambda batch=waiting: news(batch))  # type: ignore[misc]
                waiting, last = [], now
                time.sleep(0.001)
        if waiting:
            post(lambda: news(waiting))
    except FAILURES as error:
        said = str(error) or type(error).__name__
        post(lambda: broken(said))


def _rest() -> None:
    time.sleep(0.001)


class Conversations:
    """Asks the full text for the newest query; an answer that was overtaken is dropped by its number."""

    def __init__(self, library: Library, post: Post) -> None:
        self._library = library
        self._post = post
        self._number = 0
        self._searcher: object = None
        self.is_searching = False

    def ask(self, query: Query, sessions: Sequence[Session], done: Callable[[list[Hit], frozenset[Identity]], None]) -> None:
        self.drop()
        self.is_searching = True
        number = self._number
        start(lambda: self._search(number, query, sessions, done), "conversations")

    def drop(self) -> None:
        """Nothing is asked any more."""
        self._number += 1
        self.is_searching = False
        if self._searcher is not None:
            self._searcher.interrupt()  # type: ignore[attr-defined]

    def _search(self, number: int, query: Query, sessions: Sequence[Session],
                done: Callable[[list[Hit], frozenset[Identity]], None]) -> None:  # fmt: skip
        time.sleep(DEEP_PATIENCE if query.needs_deep else 0.01)
        if number != self._number:
            return
        from sessionbrowser.index.search import Options, Searcher

        if self._searcher is None:
            self._searcher = Searcher(self._library)
        searcher = self._searcher
        assert isinstance(searcher, Searcher)
        options = Options(per_session=1, unindexed=query.needs_deep, here=self._library.environment.cwd)
        hits: list[Hit] = []
        refused: frozenset[Identity] = frozenset()
        last = time.monotonic()
        try:
            refused = frozenset(searcher.refused(query, sessions, options)) if query.unwanted else frozenset()
            for hit in searcher.search(query, sessions=sessions, limit=LIMIT, options=options):
                if number != self._number:
                    return
                hits.append(hit)
                if time.monotonic() - last > PAUSE:
                    last = time.monotonic()
                    self._post(lambda some=list(hits): self._answer(number, some, refused, done, ended=False))  # type: ignore[misc]
        except FAILURES:  # shown is what was found so far
            pass
        self._post(lambda: self._answer(number, hits, refused, done, ended=True))

    def _answer(self, number: int, hits: list[Hit], refused: frozenset[Identity],
                done: Callable[[list[Hit], frozenset[Identity]], None], *, ended: bool) -> None:  # fmt: skip
        if number == self._number:
            self.is_searching = not ended
            done(hits, refused)


class Counting:
    """Reads what a query asks of sessions and their rows do not know (`turns:`, `tokens:`, `has:`). The next query ends it."""

    def __init__(self, library: Library, post: Post) -> None:
        self._library = library
        self._post = post
        self._number = 0

    def ask(self, query: Query, sessions: Sequence[Session], done: Callable[[list[Session]], None]) -> None:
        self._number += 1
        number, here = self._number, self._library.environment.cwd
        if query.row_tests(here):
            start(lambda: self._read(number, query, sessions, here, done), "counting")

    def _read(self, number: int, query: Query, sessions: Sequence[Session], here: str, done: Callable[[list[Session]], None]) -> None:
        time.sleep(DEEP_PATIENCE)
        if number != self._number:
            return
        from sessionbrowser.index.settle import settle

        batch: list[Session] = []
        last = time.monotonic()
        try:
            for row in settle(query, self._library, sessions, here):
                if number != self._number:
                    return
                batch.append(row)
                time.sleep(0)  # the one that draws comes first
                if time.monotonic() - last > PAUSE * 4:
                    self._post(lambda rows=batch: done(rows))  # type: ignore[misc]
                    batch, last = [], time.monotonic()
        except FAILURES:  # shown is what was read so far
            pass
        self._post(lambda: done(batch))


Make = Callable[[Session, int, int], Sequence[Row]]


class Previews:
    """The rows of a session's preview, made in a thread and kept for a while."""

    def __init__(self, make: Make, post: Post, changed: Callable[[], None]) -> None:
        self._make = make
        self._post = post
        self._changed = changed
        self._kept: dict[tuple[object, ...], Sequence[Row]] = {}
        self._number = 0
        self._asked: tuple[object, ...] = ()

    def get(self, session: Session, width: int, height: int) -> Sequence[Row] | None:
        """The rows, None while they are being made."""
        key = (session.identity, session.size, session.updated, width, height)
        rows = self._kept.get(key)
        if rows is None and key != self._asked:
            self._asked = key
            self._number += 1
            number = self._number
            start(lambda: self._work(number, key, session, width, height), "preview")
        return rows

    def _work(self, number: int, key: tuple[object, ...], session: Session, width: int, height: int) -> None:
        for pause in (0.02, 0.15, 0.3, 0.6):  # a session may be said before the load has kept it
            time.sleep(pause)
            if number != self._number:
                return
            try:
                rows = self._make(session, width, height)
                break
            except KeyError:
                rows = [Row((("this session is not there any more", "dim"),))]
            except FAILURES as error:
                from sessionbrowser.library.places import why

                rows = [Row(((why(error), "bad"),))]
                break
        self._post(lambda: self._keep(number, key, rows))

    def _keep(self, number: int, key: tuple[object, ...], rows: Sequence[Row]) -> None:
        self._kept[key] = rows
        while len(self._kept) > KEPT:
            self._kept.pop(next(iter(self._kept)))
        if number == self._number:
            self._changed()
