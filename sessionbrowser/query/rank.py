"""Rows of the list against a query: fields as predicates, words fuzzy, the best first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, overload

from sessionbrowser.model import Session
from sessionbrowser.query import sets
from sessionbrowser.query.marks import Marks, Ranges
from sessionbrowser.query.rows import STEPS, Rows, rows_of
from sessionbrowser.query.tree import Leaf

if TYPE_CHECKING:
    from sessionbrowser.query import Query

_RECENT = 0.35  # what a session of this minute gains over an old one, beside a quality of at most 1
_WEEK = 7 * 86400.0
_LITERAL = round(0.45 * STEPS)  # what a row is graded that holds the words; below that there are little but their letters
_SCREEN = 128  # rows that are put in order at once; the others when somebody looks further


class Match(NamedTuple):
    """A row that matches: its place in the list that was asked, how well, and what to mark in which field."""

    index: int  # type: ignore[assignment]  # shadows tuple.index, which nobody asks of a match
    score: float
    marks: Mapping[str, Ranges]


class Ranked(Sequence[Match]):
    """The matches of a list, best first; each is made when somebody looks at it. `indexes` are the rows alone."""

    def __init__(self, rows: Rows, leaves: Sequence[Leaf], graded: bytearray, now: float) -> None:
        """`graded`: see Rows. Without `leaves` the rows stay in the order they are in."""
        self._sessions = rows.sessions
        self._leaves = leaves
        self._graded = graded
        self._marks: dict[int, Marks] = {}
        self.indexes: Best | list[int] = Best(rows, graded, now) if leaves else list(sets.where(graded))

    def holds(self, index: int) -> bool:
        """Whether a row of the list is among them."""
        return self._graded[index] > 0

    def is_literal(self, index: int) -> bool:
        """Whether a row of the list holds the words, and not only their letters here and there."""
        return self._graded[index] >= _LITERAL if self._leaves else self.holds(index)

    @property
    def literal(self) -> int:
        """How many rows hold the words; they stand before all others."""
        weak = sum(self._graded.count(grade) for grade in set(self._graded) if 0 < grade < _LITERAL)
        return len(self) - (weak if self._leaves else 0)

    def __len__(self) -> int:
        return len(self.indexes)

    @overload
    def __getitem__(self, at: int) -> Match: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Match]: ...
    def __getitem__(self, at: int | slice) -> Match | Sequence[Match]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        index = self.indexes[at]
        score = self.indexes.scores[at] if isinstance(self.indexes, Best) else 0.0
        if self._leaves and index not in self._marks:
            self._marks[index] = Marks(self._sessions[index], self._leaves)
        return Match(index, score, self._marks.get(index, {}))


class Best(Sequence[int]):
    """Rows, the best first: how well they match (`graded`, see Rows) and how new they are, added up. Those that hold no more
    than the letters of the words come last.

    The first are put in order at once, the others when somebody looks further.
    """

    def __init__(self, rows: Rows, graded: bytearray, now: float) -> None:
        self._sessions = rows.sessions
        self._graded = graded
        self._now = now
        self._size = len(graded) - graded.count(0)
        self._known: list[int] = []
        self.scores: list[float] = []  # of those that are known
        if rows.newest_first:
            alike = map(self._newest, set(graded) - {0})
            self._keep(list(islice(heapq.merge(*alike), _SCREEN)))

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: int | slice) -> int | list[int]:
        if isinstance(at, slice) or not 0 <= at < len(self._known):
            self._look_at_all()
        return self._known[at]

    def __iter__(self) -> Iterator[int]:
        first = len(self._known)
        yield from islice(self._known, first)
        self._look_at_all()
        yield from islice(self._known, first, None)

    def _newest(self, grade: int) -> Iterator[tuple[float, int]]:
        """The rows that match so well, the newest first."""
        at = self._graded.find(grade)
        while at >= 0:
            yield self._scored(at)
            at = self._graded.find(grade, at + 1)

    def _scored(self, index: int) -> tuple[float, int]:
        """What a row has against it, and which it is."""
        row = self._sessions[index]
        age = max(self._now - (row.updated or row.created or 0.0), 0.0)
        grade = self._graded[index]
        return (grade < _LITERAL) - grade / STEPS - _RECENT / (1 + age / _WEEK), index

    def _look_at_all(self) -> None:
        if len(self._known) < self._size:
            self._keep(sorted(map(self._scored, sets.where(self._graded))))

    def _keep(self, scored: list[tuple[float, int]]) -> None:
        self.scores = [-against for against, _ in scored]
        self._known = [index for _, index in scored]


def rank(query: Query, sessions: Sequence[Session], here: str = "") -> Ranked:
    """The rows `query` asks for, best first when it has words, else in the given order."""
    rows = rows_of(sessions)
    last = query.ranked
    if last is None or last[0] is not rows or last[1] != here:
        query.ranked = last = (rows, here, _rank(query, rows, here))
    return last[2]


def warm_up(query: Query, sessions: Sequence[Session]) -> None:
    """Make ready, off the thread that draws, what a letter typed would have to wait for."""
    rank(query, sessions)
    rows_of(sessions).texts.settle()


def _rank(query: Query, rows: Rows, here: str) -> Ranked:
    own = rows.sessions
    whole = _by_id(query, rows)
    if whole is not None and own[whole].id.lower() == query.words[0].lower():
        return Ranked(rows, (), _only(own, [whole]), query.now)
    if not query.rows_can_match:
        return Ranked(rows, (), _only(own, ()), query.now)
    graded = rows.graded(query.wanted) if query.wanted else bytearray(b"\1" * len(own))
    for leaf in query.unwanted:
        rows.leave_out(graded, leaf, holding=True)
    if tests := query.row_tests(here):
        for index in sets.where(graded):
            if not all(test(own[index]) is True for test in tests):
                graded[index] = 0
    if whole is not None:
        graded[whole] = 255  # before all others
    return Ranked(rows, query.wanted, graded, query.now)


def _only(rows: Sequence[Session], indexes: Sequence[int]) -> bytearray:
    return bytearray(index in indexes for index in range(len(rows)))


def _by_id(query: Query, rows: Rows) -> int | None:
    """The one row whose id the query is, or begins."""
    if len(query.tree.parts) != 1 or len(query.words) != 1:
        return None
    needle = query.words[0].lower()
    found = rows.named(needle)
    exact = [index for index in found if rows.sessions[index].id.lower() == needle]
    if exact:
        return exact[0]
    return found[0] if len(found) == 1 else None


def session_by_id(query: Query, sessions: Sequence[Session]) -> Session | None:
    """The one session whose id the query is, or of which it is the only beginning; None when it is no id, or of several."""
    rows = rows_of(sessions)
    found = _by_id(query, rows)
    return None if found is None else rows.sessions[found]
