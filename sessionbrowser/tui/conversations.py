"""The full text behind the box: one thread that searches for the newest query, one process that keeps the index fresh."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from subprocess import Popen
from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message
from textual.message_pump import MessagePump

from sessionbrowser.index import worker
from sessionbrowser.index.search import Hit, Options, Searcher
from sessionbrowser.model import Session
from sessionbrowser.query import Query, Word
from sessionbrowser.sources.base import SourceError

if TYPE_CHECKING:
    from sessionbrowser.library import Library

PER_SESSION = 3  # hits shown under a row
LIMIT = 600  # hits in all: newest sessions first
BATCH = 0.05  # seconds between two batches of hits
PATIENCE = 0.03  # seconds in which the list is drawn first
DEEP_PATIENCE = 0.35  # seconds without a key before the files themselves are read
SHORT = 2  # letters from which a word is looked for in the conversations


class HitsCame(Message):
    """What the search for a query found so far; `refused` are sessions that hold what must not be in them."""

    def __init__(self, text: str, hits: list[Hit], refused: frozenset[tuple[str, str, str]], done: bool) -> None:
        self.text = text
        self.hits = hits
        self.refused = refused
        self.done = done
        super().__init__()


class IndexGrew(Message):
    """How far the index is; `total` is 0 when it is complete."""

    def __init__(self, done: int, total: int) -> None:
        self.done = done
        self.total = total
        super().__init__()


class Question(NamedTuple):
    """A query, and the sessions it is put to."""

    query: Query
    sessions: Sequence[Session]


def is_worth_it(query: Query) -> bool:
    """Whether the conversations are to be searched: not for nothing, and not for a single letter."""
    if not query.needs_text:
        return False
    words = [leaf for leaf in query.wanted if isinstance(leaf, Word)]
    short = bool(words) and all(len(word.text) < SHORT and word.text.isascii() for word in words)
    return not short or query.needs_deep or len(words) < len(query.wanted)


class Conversations:
    """Asks the full text. A question that was overtaken is interrupted and its hits are dropped."""

    def __init__(self, library: Library, target: MessagePump) -> None:
        self._library = library
        self._target = target
        self._searcher = Searcher(library)
        self._asked = threading.Condition()
        self._question: Question | None = None
        self._number = 0
        self._thread: threading.Thread | None = None
        self._process: Popen[bytes] | None = None

    def ask(self, question: Question) -> None:
        """Search for this instead of what was asked before."""
        with self._asked:
            self._number += 1
            self._question = question
            self._searcher.interrupt()
            self._asked.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="sb-conversations", daemon=True)
            self._thread.start()

    def drop(self) -> None:
        """Nothing is asked any more."""
        with self._asked:
            self._number += 1
            self._question = None
            self._searcher.interrupt()

    # ── the thread ──

    def _work(self) -> None:
        while True:
            with self._asked:
                while self._question is None:
                    self._asked.wait()
                question, self._question = self._question, None
                number = self._number
            try:
                self._search(question, lambda number=number: number != self._number)  # type: ignore[misc]
            except (OSError, SourceError, sqlite3.Error, KeyError, ValueError):  # shown is what was found so far
                self._target.post_message(HitsCame(question.query.text, [], frozenset(), True))

    def _search(self, question: Question, overtaken: Callable[[], bool]) -> None:
        query, sessions = question
        options = Options(per_session=PER_SESSION, unindexed=query.needs_deep, here=self._library.environment.cwd)
        time.sleep(DEEP_PATIENCE if query.needs_deep else PATIENCE)
        if overtaken():
            return
        refused = frozenset(self._searcher.refused(query, sessions, options)) if query.unwanted else frozenset()
        if overtaken():
            return
        hits = self._searcher.search(query, sessions=sessions, limit=LIMIT, options=options)
        self._pass_on(query.text, hits, refused, overtaken)

    def _pass_on(
        self, text: str, hits: Iterator[Hit], refused: frozenset[tuple[str, str, str]], overtaken: Callable[[], bool]
    ) -> None:
        batch: list[Hit] = []
        last = time.monotonic()
        for hit in hits:
            if overtaken():
                return
            batch.append(hit)
            now = time.monotonic()
            if now - last > BATCH:
                self._target.post_message(HitsCame(text, batch, refused, False))
                batch, last = [], now
        if not overtaken():
            self._target.post_message(HitsCame(text, batch, refused, True))

    # ── the index ──

    def keep_fresh(self) -> None:
        """Bring the index up to date in a process of its own, and tell how far it is."""
        if self._process is not None and self._process.poll() is None:
            return
        threading.Thread(target=self._watch, name="sb-index", daemon=True).start()

    def _watch(self) -> None:
        environment = self._library.environment
        self._process = worker.start(environment)
        while worker.is_running(environment) or (self._process is not None and self._process.poll() is None):
            try:
                state = worker.state(environment)
            except (sqlite3.Error, OSError):
                state = None
            if state is not None and state.working:
                self._target.post_message(IndexGrew(state.done, state.total))
            time.sleep(0.5)
        self._target.post_message(IndexGrew(0, 0))
