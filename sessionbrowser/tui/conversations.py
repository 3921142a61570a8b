"""The full text behind the box: a thread that searches for the newest query, a process that keeps the index fresh."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message
from textual.message_pump import MessagePump

from sessionbrowser.model import Session
from sessionbrowser.query import Query, Regexp, Word
from sessionbrowser.sources.base import SourceError

if TYPE_CHECKING:
    from sessionbrowser.index.search import Hit, Searcher
    from sessionbrowser.library import Library

Identity = tuple[str, str, str]

PER_SESSION = 3  # hits shown under a row
LIMIT = 600  # hits in all: newest sessions first
FIRST, NEXT = 0.008, 0.15  # seconds of searching until the first hits are handed over, and until the next; then twice as long each time
PATIENCE = 0.002  # seconds in which what was drawn goes out to the terminal
TURN, REST = 0.004, 2  # seconds of work behind the first batch, and how many times as long a rest is
DEEP_PATIENCE = 0.35  # seconds without a key before the files themselves are read
SHORT = 2  # letters from which a word is looked for in the conversations
ADDING = 1.5  # seconds between two looks at what sessions add up to
TELLING = 0.2  # seconds between two words about how far a search is
FAILURES = (OSError, SourceError, sqlite3.Error, LookupError, ValueError)


class HitsCame(Message):
    """What the search for a query found since the last batch; `refused` are sessions that hold what must not be in them.

    `first`: the hits replace what an earlier search of the same query gave.
    """

    def __init__(self, text: str, hits: list[Hit], refused: frozenset[Identity], done: bool, *, first: bool = False) -> None:
        self.text = text
        self.hits = hits
        self.refused = refused
        self.done = done
        self.first = first
        super().__init__()


class SearchedOn(Message):
    """A search that reads files got on: how many of how many it looked through."""

    def __init__(self, text: str, done: int, total: int) -> None:
        self.text = text
        self.done = done
        self.total = total
        super().__init__()


class IndexGrew(Message):
    """How far the index is; `total` is 0 when it is complete. `first`: it is built for the first time."""

    def __init__(self, done: int, total: int, first: bool = False) -> None:
        self.done = done
        self.total = total
        self.first = first
        super().__init__()


class SumsCame(Message):
    """Rows that know now what their sessions add up to."""

    def __init__(self, rows: list[Session]) -> None:
        self.rows = rows
        super().__init__()


class Question(NamedTuple):
    """A query, the sessions it is put to, and those of them that are on the screen."""

    query: Query
    sessions: Sequence[Session]
    in_sight: Sequence[Session] = ()

    @property
    def reads_files(self) -> bool:
        """Whether the files themselves have to be read: an answer that takes its time."""
        return self.query.needs_deep or any(isinstance(leaf, Regexp) for leaf in (*self.query.wanted, *self.query.unwanted))


def is_worth_it(query: Query) -> bool:
    """Whether the conversations are to be searched: not for nothing, and not for a single letter."""
    if not query.needs_text:
        return False
    words = [leaf for leaf in query.wanted if isinstance(leaf, Word)]
    short = bool(words) and all(len(word.text) < SHORT and word.text.isascii() for word in words)
    return not short or query.needs_deep or len(words) < len(query.wanted)


class Conversations:
    """Asks the full text. A question that was overtaken is interrupted and its hits are dropped.

    Without an index (`indexed` is False: copies of a store, no cache) every answer is read from the files.
    """

    def __init__(self, library: Library, target: MessagePump, *, indexed: bool = True) -> None:
        self._library = library
        self._target = target
        self._indexed = indexed
        self._thread: _Searching | None = None
        self._updating = False  # whether a process brings the index up to date

    def ask(self, question: Question) -> None:
        """Search for this instead of what was asked before."""
        if self._thread is not None and self._thread.reads_files:  # a file that is being read cannot be left at once
            self.drop()
        self._searching().ask(question)

    def get_ready(self, sessions: Sequence[Session]) -> None:
        """Nothing is asked yet; when it is, it will be of these."""
        if self._indexed:
            self._searching().get_ready(sessions)

    def _searching(self) -> _Searching:
        if self._thread is None:
            self._thread = _Searching(self._library, self._target.post_message, indexed=self._indexed)
            self._thread.start()
        return self._thread

    def drop(self) -> None:
        """Nothing is asked any more."""
        if self._thread is not None:
            self._thread.ask(None, dismiss=self._thread.reads_files)
            if self._thread.reads_files:
                self._thread = None

    # ── the index ──

    def keep_fresh(self) -> None:
        """Bring the index up to date in a process of its own, and tell how far it is; then what sessions add up to."""
        if not self._indexed or self._updating:
            return
        self._updating = True
        threading.Thread(target=self._watch, name="sb-index", daemon=True).start()

    def _watch(self) -> None:
        from sessionbrowser.index import worker  # not for the first screen

        environment, config = self._library.environment, self._library.config
        first, looked = self._is_new(), time.time()
        process = worker.start(environment, config=config.path or None)
        while worker.is_running(environment) or (process is not None and process.poll() is None and not worker.is_adding_up(environment)):
            try:
                state = worker.state(environment)
            except (sqlite3.Error, OSError):
                state = None
            if state is not None and state.working:
                self._target.post_message(IndexGrew(state.done, state.total, first))
            time.sleep(0.5)
        self._updating = False
        self._target.post_message(IndexGrew(0, 0))
        while process is not None and process.poll() is None:
            time.sleep(ADDING)
            looked = self._pass_on_sums(looked)
        self._pass_on_sums(looked)

    def _pass_on_sums(self, since: float) -> float:
        """Hand over the rows that were filled after `since`; the time for the next look."""
        now = time.time()
        rows = self._library.summed_since(since)
        if rows:
            self._target.post_message(SumsCame(rows))
        return now

    def _is_new(self) -> bool:
        """Whether there is no index yet, or one that was never finished."""
        from sessionbrowser.index import worker

        try:
            return worker.state(self._library.environment).sessions == 0
        except (sqlite3.Error, OSError):
            return True


class _Searching(threading.Thread):
    """Searches for what it was asked last, with a searcher of its own, until it is dismissed."""

    def __init__(self, library: Library, post: Callable[[Message], bool], *, indexed: bool) -> None:
        super().__init__(name="sb-conversations", daemon=True)
        self.reads_files = False  # whether it does so now
        self._library = library
        self._searcher: Searcher | None = None  # until the thread runs
        self._post = post
        self._indexed = indexed
        self._asked = threading.Condition()
        self._question: Question | None = None
        self._likely: Sequence[Session] | None = None  # what the first question will be put to
        self._number = 0
        self._dismissed = False

    def ask(self, question: Question | None, *, dismiss: bool = False) -> None:
        """Search for this instead of what was asked before; for nothing, for good, when it is dismissed."""
        with self._asked:
            self._number += 1
            self._question = question
            self._dismissed = self._dismissed or dismiss
            if self._searcher is not None:
                self._searcher.interrupt()
            self._asked.notify()

    def get_ready(self, sessions: Sequence[Session]) -> None:
        """Prepare for questions put to these."""
        with self._asked:
            self._likely = sessions
            self._asked.notify()

    def run(self) -> None:
        from sessionbrowser.index.search import Searcher  # not for the first screen

        self._searcher = searcher = Searcher(self._library)
        while True:
            with self._asked:
                while self._question is None and self._likely is None and not self._dismissed:
                    self._asked.wait()
                question, self._question = self._question, None
                likely, self._likely = self._likely, None
                number = self._number
            if question is None and likely is not None and not self._dismissed:
                self._prepare(searcher, likely)
                continue
            if question is None:
                searcher.close()
                return
            text = question.query.text
            try:
                self._search(searcher, question, lambda number=number: number != self._number)  # type: ignore[misc]
            except FAILURES:  # shown is what was found so far
                self._post(HitsCame(text, [], frozenset(), True))
            self.reads_files = False

    def _prepare(self, searcher: Searcher, sessions: Sequence[Session]) -> None:
        try:
            searcher.prepare(sessions)
        except FAILURES:  # the question itself will meet it again
            return

    def _search(self, searcher: Searcher, question: Question, overtaken: Callable[[], bool]) -> None:
        from sessionbrowser.index.search import Options

        query, sessions, in_sight = question
        slow = question.reads_files or not self._indexed
        time.sleep(DEEP_PATIENCE if slow else PATIENCE)
        if overtaken():
            return
        self.reads_files = slow
        first = () if slow else [session.identity for session in in_sight]
        options = Options(per_session=PER_SESSION, unindexed=slow, first=first, use_index=self._indexed, here=self._library.environment.cwd,
                          patience=DEEP_PATIENCE, report=_Told(self._post, query.text, overtaken))  # fmt: skip
        without = query.unwanted or any(not yes for _, yes in query.deep_fields)
        refused = frozenset(searcher.refused(query, sessions, options)) if without else frozenset()
        if overtaken():
            return
        hits = searcher.search(query, sessions=sessions, limit=LIMIT, options=options)
        self._pass_on(query.text, hits, refused, overtaken)

    def _pass_on(self, text: str, hits: Iterator[Hit], refused: frozenset[Identity], overtaken: Callable[[], bool]) -> None:
        batch: list[Hit] = []
        last, first, rest = time.monotonic(), True, FIRST
        pace = _Pace()
        for hit in hits:
            if overtaken():
                return
            batch.append(hit)
            if not first:  # who types on must not have to wait for lines further down
                pace.keep()
            now = time.monotonic()
            if now - last > rest:
                self._post(HitsCame(text, batch, refused, False, first=first))
                batch, last, first, rest = [], now, False, NEXT if first else rest * 2
        if not overtaken():
            self._post(HitsCame(text, batch, refused, True, first=first))


class _Pace:
    """Leaves most of the time to others: the next key may be there already."""

    def __init__(self) -> None:
        self._since = time.thread_time()

    def keep(self) -> None:
        """Rest when there was enough work since the last time."""
        worked = time.thread_time() - self._since
        if worked > TURN:
            time.sleep(worked * REST)
            self._since = time.thread_time()


class _Told:
    """Tells how far a search is, now and then."""

    def __init__(self, post: Callable[[Message], bool], text: str, overtaken: Callable[[], bool]) -> None:
        self._post = post
        self._text = text
        self._overtaken = overtaken
        self._last = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last > TELLING and not self._overtaken():
            self._last = now
            self._post(SearchedOn(self._text, done, total))
