"""Finding in the conversations: the index says where, the file itself is read at the hit's place and has the last word.

Words may be spread over a session: every word of a query has to be in its row or somewhere in its conversation (its
subagents' included), and the passages shown are those that hold most of them. Newest sessions come first. History that
several sessions share gives one hit, in the session it was first said in, the others named.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

from sessionbrowser.index.fulltext import Entry, FullText, Identity, State
from sessionbrowser.index.search_hit import Hit, Options, Sessions
from sessionbrowser.index.search_run import Run
from sessionbrowser.index.search_shelf import Shelf
from sessionbrowser.index.store import NoCache, connect
from sessionbrowser.index.worker import state, state_of
from sessionbrowser.model import Session
from sessionbrowser.query import Query

__all__ = ["Hit", "Options", "Searcher"]


class Searcher:
    """Searches one after the other: a new one ends the one before it, as does `interrupt`."""

    def __init__(self, library: Sessions, sessions: Sequence[Session] | None = None) -> None:
        self.library = library
        self.missing = 0  # sessions of the last search that are not in the index (yet)
        self._sessions = sessions
        self._generation = 0
        self._local = threading.local()
        self._busy: sqlite3.Connection | None = None

    def search(self, query: Query, *, kinds: Iterable[str] | None = None, limit: int | None = None,
               sessions: Sequence[Session] | None = None, options: Options | None = None) -> Iterator[Hit]:
        """Hits of `query` among `sessions` (those given before, or all of the library), newest session first.

        Only sessions that the query's fields admit are searched. `kinds` narrows what `in:` allows. The iterator ends
        early when a newer search begins.
        """
        self._generation += 1
        mine = self._generation
        self._stop_statement()
        rows = sessions if sessions is not None else self._sessions if self._sessions is not None else self.library.sessions()
        only = frozenset(kinds) if kinds is not None else None
        return self._guarded(query, rows, only, options or Options(), limit, lambda: self._generation != mine)

    def prepare(self, sessions: Sequence[Session]) -> None:
        """Do what the first search over `sessions` in this thread would have to do before it begins."""
        text = self.text()
        if text is not None:
            self._shelf_for(sessions, text)

    def refused(self, query: Query, sessions: Sequence[Session], options: Options | None = None) -> set[Identity]:
        """Which of `sessions` hold what the query says must not be (`-word`, `-tool:…`): rows to leave out of the list."""
        mine = self._generation
        return self._run(query, sessions, None, options or Options(), lambda: self._generation != mine).all_refused()

    def run(self, query: Query, sessions: Sequence[Session], options: Options) -> Run:
        """A search over `sessions` to be asked for what stands where, without hits being made."""
        return self._run(query, sessions, None, options, lambda: False)

    def _run(self, query: Query, rows: Sequence[Session], kinds: frozenset[str] | None, options: Options,
             cancelled: Callable[[], bool]) -> Run:  # fmt: skip
        text = self.text() if options.use_index else None
        return Run(self.library, text, self._shelf_for(rows, text), query, kinds, options, cancelled)

    def _guarded(self, query: Query, rows: Sequence[Session], kinds: frozenset[str] | None, options: Options,
                 limit: int | None, cancelled: Callable[[], bool]) -> Iterator[Hit]:  # fmt: skip
        given = 0
        try:
            run = self._run(query, rows, kinds, options, cancelled)
            self.missing = run.missing()
            for hit in run.hits():
                if cancelled() or (limit is not None and given >= limit):
                    return
                yield hit
                given += 1
        except sqlite3.OperationalError as error:
            if "interrupted" not in str(error):
                raise

    def interrupt(self) -> None:
        """End the search that runs, from any thread."""
        self._generation += 1
        self._stop_statement()

    def _stop_statement(self) -> None:
        busy = self._busy
        if busy is not None:
            try:
                busy.interrupt()
            except sqlite3.ProgrammingError:  # closed meanwhile
                return

    def state(self) -> State:
        """How far the index is."""
        text = self.text()
        return state_of(text, self.library.environment) if text is not None else state(self.library.environment)

    def text(self) -> FullText | None:
        """The index for this thread; None while there is none."""
        held: FullText | None = getattr(self._local, "text", None)
        if held is None:
            try:
                held = FullText(connect(self.library.environment, readonly=True))
                held.note("progress")  # to see that it is there
            except (NoCache, sqlite3.Error):
                return None
            self._local.text = held
        self._busy = held.connection
        return held

    def entries(self, text: FullText) -> dict[Identity, Entry]:
        """What is in the index, read again only when another process wrote."""
        version = text.version()
        if getattr(self._local, "version", None) != version:
            self._local.entries, self._local.version = text.entries(), version
        found: dict[Identity, Entry] = self._local.entries
        return found

    def _shelf_for(self, rows: Sequence[Session], text: FullText | None) -> Shelf:
        """The rows with their texts, kept while neither changes."""
        known = self.entries(text) if text is not None else {}
        held: Shelf | None = getattr(self._local, "shelf", None)
        if held is None or held.known is not known or held.rows != list(rows):
            self._local.shelf = held = Shelf(list(rows), known)
        return held

    def close(self) -> None:
        """Close the connection of this thread."""
        held: FullText | None = getattr(self._local, "text", None)
        if held is not None:
            self._busy = None
            held.close()
            self._local.text = None


