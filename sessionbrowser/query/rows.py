"""A list of sessions to be searched, and how well each matches some words: a number a row, in the list's order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress, islice
from operator import ge, is_not, itemgetter

from sessionbrowser.model import Session
from sessionbrowser.query import sets
from sessionbrowser.query.fields import fold, needle_of
from sessionbrowser.query.marks import compiled
from sessionbrowser.query.texts import Graded, Texts
from sessionbrowser.query.tree import Exact, Leaf, Regexp, Word

STEPS = 200  # how finely it is told apart how well rows match; a row that is named by its whole id gets more
_AS_IT_IS = 0.8  # how well quotes and expressions match


class Rows:
    """The rows of a list, with their numbers in the texts that all lists share."""

    def __init__(self, sessions: list[Session], texts: Texts, like: Rows | None = None) -> None:
        """`like` are rows of as many sessions of which most are the same, in the same places."""
        self.sessions = sessions
        self.texts = texts
        self._numbers = texts.numbers(sessions) if like is None else _numbers_like(like, sessions)
        self._in_order: Callable[[bytes], tuple[int, ...]] = itemgetter(*self._numbers, 0, 0)  # of one alone it makes no tuple
        self._newest_first: bool | None = None

    @property
    def newest_first(self) -> bool:
        """Whether that is the order they are in."""
        if self._newest_first is None:
            times = [row.updated or row.created or 0.0 for row in self.sessions]
            self._newest_first = all(map(ge, times, islice(times, 1, None)))
        return self._newest_first

    def marked(self, found: int) -> bytearray:
        """A byte for each row: 1 for those in a set of numbers."""
        return self._ordered(sets.marks(found, self.texts.size)) if found else bytearray(len(self.sessions))

    @property
    def is_current(self) -> bool:
        """Whether none but a few of its rows were replaced by newer ones."""
        return self.texts.replaced(self.sessions, self._numbers) <= _FEW

    def _ordered(self, marks: bytes) -> bytearray:
        return bytearray(self._in_order(marks)[:-2]) if self.sessions else bytearray()

    def graded(self, wanted: Sequence[Leaf]) -> bytearray:
        """How well each row matches all of `wanted` on the average, in STEPS; 0 for one that does not."""
        words = [leaf.text for leaf in wanted if isinstance(leaf, Word)]
        others = [leaf for leaf in wanted if not isinstance(leaf, Word)]
        found, size = self._words(words), self.texts.size
        planes = [0] * 8  # the numbers as bits, one of each in one set
        for how, members in found.items():
            grade = max(1, round((how + _AS_IT_IS * len(others)) / len(wanted) * STEPS))
            planes = [plane | members if grade >> bit & 1 else plane for bit, plane in enumerate(planes)]
        marks = [int.from_bytes(sets.marks(plane, size), "little") << bit for bit, plane in enumerate(planes) if plane]
        made = self._ordered(sum(marks).to_bytes(size, "little"))
        for leaf in others:
            self.leave_out(made, leaf, holding=False)
        return made

    def _words(self, words: Sequence[str]) -> Graded:
        """The rows that hold all words, with how well, added up."""
        size = self.texts.size
        found: Graded = {0.0: sets.everything(size)}
        for word in words:
            more = self.texts.word(word, sets.joined(found.values()))
            both: Graded = {}
            for how, rows in found.items():
                for well, others in more.items():
                    if kept := rows & others:
                        total = round(how + well, 3)
                        both[total] = both.get(total, 0) | kept
            found = both
        return found

    def leave_out(self, graded: bytearray, leaf: Leaf, *, holding: bool) -> None:
        """Set those rows to 0 whose own text holds a leaf (together, not letter by letter), or those whose does not."""
        may = self._may_hold(leaf)
        for index, grade in enumerate(graded):
            if grade and (bool(may[index]) and _holds(leaf, self.sessions[index])) is holding:
                graded[index] = 0

    def _may_hold(self, leaf: Leaf) -> bytearray | bytes:
        if isinstance(leaf, Word | Exact) and leaf.text.split():
            return self.marked(self.texts.holding(fold(leaf.text)))
        return b"\1" * len(self.sessions)

    def named(self, identity: str) -> list[int]:
        """The rows whose id begins with `identity`."""
        return list(sets.where(self.marked(self.texts.named(identity))))

    def holding(self, leaf: Leaf, *, named: bool) -> bytearray:
        """A byte for each row, 0 for those whose own text does not hold a leaf; a word also as their id or directory when that is wanted (`named`)."""
        if named and isinstance(leaf, Word):
            return self.marked(self.texts.holding(fold(leaf.text)) | self.texts.meant(fold(leaf.text)))
        marks = bytearray(b"\1" * len(self.sessions))
        self.leave_out(marks, leaf, holding=False)
        return marks


def _numbers_like(like: Rows, sessions: list[Session]) -> list[int]:
    numbers = like._numbers.copy()
    changed = list(compress(range(len(sessions)), map(is_not, like.sessions, sessions)))
    for at, number in zip(changed, like.texts.numbers([sessions[at] for at in changed]), strict=True):
        numbers[at] = number
    return numbers


def _holds(leaf: Leaf, row: Session) -> bool:
    if isinstance(leaf, Regexp):
        search = compiled(leaf).search
        return any(search(text) for text in (row.title, row.project, row.branch or "", row.first_prompt, row.last_prompt))
    if isinstance(leaf, Word | Exact):
        needle = needle_of(leaf.text)
        return any(needle in fold(text) for text in (row.title, row.project, row.branch or "", f"{row.first_prompt}\n{row.last_prompt}"))
    return False


_FEW = 50  # rows that may be others in a list that counts as the same
_KEPT = 3  # the list shown, everything, and what a search in another thread looks through
_kept: tuple[Rows, ...] = ()


def rows_of(sessions: Sequence[Session]) -> Rows:
    """`sessions` to be searched, kept from the last time where they are the same rows."""
    global _kept
    kept = _kept
    for held in kept:
        if _alike(held.sessions, sessions, 0):
            return held
    texts = kept[0].texts if kept and not kept[0].texts.has_grown else Texts()
    like = next((held for held in kept if held.texts is texts and _alike(held.sessions, sessions, _FEW)), None)
    made = Rows(list(sessions), texts, like)
    _kept = (made, *[held for held in kept if held.is_current][: _KEPT - 1])
    return made


def _alike(some: Sequence[Session], others: Sequence[Session], most: int) -> bool:
    """Whether at most so many rows of two lists are not the very same. (Comparing what they say would take long.)"""
    return len(some) == len(others) and sum(map(is_not, some, others)) <= most
