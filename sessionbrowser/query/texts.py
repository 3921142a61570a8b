"""What is searched in rows, put together once for all lists of them, and how well a word matches it.

Every letter typed asks anew, so nothing here loops over rows that can be said of all of them at once: what is found are sets
of rows (`sets`) by numbers that stay whatever order a list has, and a longer word looks only where the shorter one was found,
a further word only where those before it were.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from itertools import repeat
from operator import is_not
from typing import NamedTuple

from sessionbrowser.model import Session
from sessionbrowser.query import sets
from sessionbrowser.query.column import Column, forget_words
from sessionbrowser.query.fields import fold, path_test
from sessionbrowser.query.fuzzy import SHORT, cut_up

Graded = dict[float, int]  # how well, and the rows that match so well; no row twice
WHOLE, INSIDE, HOPPED = 1.0, 0.7, 0.1  # from a word's beginning, inside of one, letters of several
_PROJECT, _BRANCH = 0.95, 0.9  # what they count beside the title
_IN_PROMPT = 0.5
_BEGINNING = 4  # letters from which a word may be the beginning of an id
_ID = re.compile(r"[0-9a-zA-Z_\-]+")
_PATH = re.compile(r"~/[^/]|/[^/]+/[^/]")
_ASKED = 64  # words whose answers are kept
_SPARE = 2000  # numbers of rows that are no more
_TURN = 50  # rows that are settled in one go


class Searched(NamedTuple):
    """What is searched in a row, as it is."""

    title: str
    project: str
    branch: str | None
    first_prompt: str
    last_prompt: str
    id: str
    cwd: str | None


class Texts:
    """The texts of all rows that were asked about, by number. Safe to be asked from several threads."""

    def __init__(self) -> None:
        self.size = 0  # numbers given so far
        self._rows: list[Session] = []
        self._numbers: dict[tuple[str, str, str], int] = {}
        self._known: dict[int, int] = {}  # the same by the row itself, for those that are in `_rows`
        self._titles, self._projects, self._branches, self._prompts = Column(), Column(), Column(), Column(apart=False)
        self._ids: dict[str, list[int]] = {}  # by their beginning
        self._folders: dict[str, list[int]] = {}
        self._asked: dict[tuple[str, int], Graded] = {}  # by the word, and the rows it was looked for in
        self._lock = threading.RLock()

    # ── rows and their numbers ──

    def numbers(self, rows: Sequence[Session]) -> list[int]:
        """The numbers of rows; those whose texts are new get one."""
        with self._lock:
            numbers = [*map(self._known.get, map(id, rows), repeat(0))]  # 0: unknown, and another row's
            known = bool(self._rows) and not self.replaced(rows, numbers)
            return numbers if known else [self._number(row) for row in rows]

    def replaced(self, rows: Sequence[Session], numbers: Sequence[int]) -> int:
        """How many of these rows are not those that have their numbers now."""
        return sum(map(is_not, map(self._rows.__getitem__, numbers), rows))

    def _number(self, row: Session) -> int:
        known = self._known.get(id(row), -1)
        if known >= 0 and self._rows[known] is row:
            return known
        identity = (row.source, row.path, row.key)
        number = self._numbers.get(identity, -1)
        if number < 0 or _searched(self._rows[number]) != _searched(row):
            self._numbers[identity] = number = self.size
            self._add(number, row)
        self._known.pop(id(self._rows[number]), None)
        self._rows[number] = row
        self._known[id(row)] = number
        return number

    def _add(self, number: int, row: Session) -> None:
        self.size += 1
        self._asked.clear()
        self._rows.append(row)
        title, project, branch = fold(row.title), _name(row.project), _name(row.branch or "")
        self._titles.add(title)
        self._projects.add(*project)
        self._branches.add(*branch)
        pieces = dict.fromkeys(fold(f"{row.first_prompt} {row.last_prompt}").split())
        self._prompts.add(" ".join([piece for piece in pieces if piece not in title]))
        self._ids.setdefault(row.id[:_BEGINNING].lower(), []).append(number)
        if row.cwd:
            self._folders.setdefault(row.cwd, []).append(number)

    @property
    def has_grown(self) -> bool:
        """Whether many of the rows it knows are no more."""
        return self.size > 2 * len(self._numbers) + _SPARE

    # ── words ──

    def word(self, text: str, within: int) -> Graded:
        """The rows of a set that a word matches."""
        asked = (fold(text), within)
        with self._lock:
            if asked not in self._asked:
                self._asked[asked] = self._graded(*asked)
                for oldest in list(self._asked)[:-_ASKED]:
                    del self._asked[oldest]
            return self._asked[asked]

    def _graded(self, needle: str, within: int) -> Graded:
        if not needle or "\0" in needle:
            return {}
        shorter = self._asked.get((needle[:-1], within))
        named = self.meant(needle) & within
        among = within if shorter is None else sets.joined(shorter.values()) | named
        found: Graded = {}

        def take(how: float, rows: int) -> None:
            nonlocal among
            if rows := rows & among:
                found[how] = found.get(how, 0) | rows
                among ^= rows

        columns = ((WHOLE, self._titles), (_PROJECT, self._projects), (_BRANCH, self._branches))
        held = [column.holding(needle, among) for _, column in columns]
        take(WHOLE, self.named(needle))
        for (weight, column), rows in zip(columns, held, strict=True):
            take(WHOLE * weight, column.beginning(needle, rows & among))
        for (weight, _), rows in zip(columns, held, strict=True):
            take(INSIDE * weight, rows)
        take(_IN_PROMPT, self._prompts.holding(needle, among) | named)
        if len(needle) == SHORT + 1:  # with fewer letters those that stand apart were not looked for
            among = within & ~sets.joined(found.values())
        for weight, column in columns:
            take(HOPPED * weight, column.hopping(needle, among))
        return found

    def settle(self) -> None:
        """Make quick what was put in so far, in turns with other threads."""
        for column in (self._titles, self._projects, self._branches, self._prompts):
            more = True
            while more:
                with self._lock:
                    more = column.settle(_TURN)
                time.sleep(0.001)
        forget_words()

    def named(self, identity: str) -> int:
        """The rows whose id begins with `identity`, when that is long enough to mean it."""
        if len(identity) < _BEGINNING or not _ID.fullmatch(identity):
            return 0
        begin = identity.lower()
        with self._lock:
            may = self._ids.get(begin[:_BEGINNING], ())
            return sets.of([number for number in may if self._rows[number].id.lower().startswith(begin)], self.size)

    def meant(self, name: str) -> int:
        """The rows whose id begins with `name`, and those whose directory it is, or is above."""
        return self.named(name) | self._below(name)

    def _below(self, path: str) -> int:
        """The rows whose directory is `path`, or below it; none when it is no whole path."""
        if _PATH.match(path) is None:
            return 0
        holds = path_test(path, False, "")
        return sets.of((number for folder, numbers in self._folders.items() if holds(folder) for number in numbers), self.size)

    def holding(self, part: str) -> int:
        """The rows in which each piece of a folded text between white space stands somewhere."""
        with self._lock:
            found = sets.everything(self.size)
            for piece in part.split():
                columns = (self._titles, self._projects, self._branches, self._prompts)
                found = sets.joined(column.holding(piece, found) for column in columns)
            return found


def _searched(row: Session) -> Searched:
    return Searched(row.title, row.project, row.branch, row.first_prompt, row.last_prompt, row.id, row.cwd)


@lru_cache(maxsize=4096)
def _name(name: str) -> tuple[str, str]:
    """A project or branch folded, and cut up: many rows share one."""
    low = fold(name)
    return low, cut_up(low)
