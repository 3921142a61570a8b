"""Rows of the list against a query: fields as predicates, words fuzzy, the best first."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, overload

from sessionbrowser.model import Session
from sessionbrowser.query.fields import fold, path_test
from sessionbrowser.query.fuzzy import SHORT, Groups, Haystacks, ranges
from sessionbrowser.query.tree import Exact, Leaf, Regexp, Word

if TYPE_CHECKING:
    from sessionbrowser.query import Query

Ranges = tuple[tuple[int, int], ...]
MARKED = ("title", "project", "branch")
_WEIGHTS = (1.0, 0.95, 0.9)
_IN_PROMPT = 0.5
_RECENT = 0.35  # what a session of this minute gains over an old one, beside a quality of at most 1
_WEEK = 7 * 86400.0
_BEGINNING = 4  # letters from which a word may be the beginning of an id
_PATH = re.compile(r"~/[^/]|/[^/]+/[^/]")
_ID = re.compile(r"[0-9a-zA-Z_\-]{4,}")
_FEW = 50  # rows that may be replaced at a time
_ASKED = 8  # answers that are kept: those of the last keys


class Match(NamedTuple):
    """A row that matches: its place in the list that was asked, how well, and what to mark in which field."""

    index: int  # type: ignore[assignment]  # shadows tuple.index, which nobody asks of a match
    score: float
    marks: Mapping[str, Ranges]


class Marks(Mapping[str, Ranges]):
    """What to mark in a row, worked out when somebody looks."""

    def __init__(self, session: Session, leaves: Sequence[Leaf]) -> None:
        self._session = session
        self._leaves = leaves
        self._found: dict[str, Ranges] | None = None

    def _all(self) -> dict[str, Ranges]:
        if self._found is None:
            texts = {name: getattr(self._session, name) or "" for name in MARKED}
            found: dict[str, list[tuple[int, int]]] = {name: [] for name in MARKED}
            for leaf in self._leaves:
                places = {name: marks_in(text, [leaf]) for name, text in texts.items()}
                if any(len(marks) == 1 for marks in places.values()):  # letters here and there would only distract
                    places = {name: marks if len(marks) == 1 or not isinstance(leaf, Word) else () for name, marks in places.items()}
                for name, marks in places.items():
                    found[name] += marks
            self._found = {name: _merged(marks) for name, marks in found.items() if marks}
        return self._found

    def __getitem__(self, name: str) -> Ranges:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def marks_in(text: str, leaves: Sequence[Leaf]) -> Ranges:
    """The characters of `text` that match words (fuzzily), quotes and expressions, in order and without overlap."""
    found: list[tuple[int, int]] = []
    low = fold(text)
    same = len(low) == len(text)  # folding that changes lengths would shift every mark
    for leaf in leaves:
        if isinstance(leaf, Regexp):
            found += [(hit.start(), hit.end()) for hit in compiled(leaf).finditer(text) if hit.end() > hit.start()]
        elif same and isinstance(leaf, Word):
            found += ranges(fold(leaf.text), low)
        elif same and isinstance(leaf, Exact) and leaf.text:
            found += [(hit.start(), hit.end()) for hit in re.finditer(re.escape(fold(leaf.text)), low)]
    return _merged(found)


def _merged(found: list[tuple[int, int]]) -> Ranges:
    out: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return tuple(out)


@lru_cache(maxsize=128)
def compiled(leaf: Regexp) -> re.Pattern[str]:
    """The expression, without case unless it has a capital letter of its own. Raises re.error for a broken one."""
    bare = re.sub(r"\\.", "", leaf.pattern)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a later Python may read otherwise is nothing to tell a person who types
        return re.compile(leaf.pattern, re.MULTILINE | (0 if any(char.isupper() for char in bare) else re.IGNORECASE))


class Ranked(Sequence[Match]):
    """The matches of a list, best first; each is made when somebody looks at it. `indexes` are the rows alone."""

    def __init__(
        self, sessions: Sequence[Session], leaves: Sequence[Leaf], indexes: list[int], scores: Mapping[int, float] | None = None
    ) -> None:
        self._sessions = sessions
        self._leaves = leaves
        self.indexes = indexes
        self._scores = scores or {}

    def __len__(self) -> int:
        return len(self.indexes)

    @overload
    def __getitem__(self, at: int) -> Match: ...
    @overload
    def __getitem__(self, at: slice) -> Ranked: ...
    def __getitem__(self, at: int | slice) -> Match | Ranked:
        if isinstance(at, slice):
            return Ranked(self._sessions, self._leaves, self.indexes[at], self._scores)
        index = self.indexes[at]
        return Match(index, self._scores.get(index, 0.0), Marks(self._sessions[index], self._leaves) if self._leaves else {})


class Rows:
    """The folded texts of a list of sessions, made once and used for every key press."""

    def __init__(self, sessions: Sequence[Session], earlier: Sequence[Rows] = ()) -> None:
        self.sessions = list(sessions)
        known: dict[int, Texts] = {}
        for rows in reversed(earlier):
            known.update(rows.by_row)  # the rows of `earlier` are alive, so the same number is the same row
        self.by_row: dict[int, Texts] = {id(row): known.get(id(row)) or _folded(row) for row in self.sessions}
        texts = [self.by_row[id(row)] for row in self.sessions]
        self._titles = Haystacks([text[0] for text in texts])
        self._groups = tuple(Groups([text[place] for text in texts]) for place in (1, 2))
        self._texts = texts
        self.ids = [row.id.lower() for row in self.sessions]
        self._recency: tuple[float, list[float]] = (-1.0, [])
        self._folders: dict[str, list[int]] | None = None  # directories and the rows of each, made when they are asked for
        self._found: dict[tuple[str, ...], dict[int, float]] = {}  # the last asked at the end

    def renewed(self, sessions: list[Session]) -> Rows | None:
        """The same for a list in which a few rows were replaced by rows with the same texts; None for any other list."""
        if len(sessions) != len(self.sessions):
            return None
        changed = [at for at, (old, new) in enumerate(zip(self.sessions, sessions, strict=True)) if old is not new]
        if len(changed) > _FEW or any(self._reads_otherwise(at, sessions[at]) for at in changed):
            return None
        made = copy(self)
        made.sessions = sessions
        made.by_row = {id(row): texts for row, texts in zip(sessions, self._texts, strict=True)}
        made._recency = (-1.0, [])
        made._folders = None
        return made

    def _reads_otherwise(self, at: int, row: Session) -> bool:
        return _folded(row) != self._texts[at] or row.id.lower() != self.ids[at]

    def word(self, text: str) -> dict[int, float]:
        """The rows a word matches and how well: fuzzy in the marked fields, as a part of a prompt or id else."""
        needle = fold(text)
        best = self._titles.match(needle)
        for group, weight in zip(self._groups, _WEIGHTS[1:], strict=True):
            group.raise_best(needle, weight, best)
        if "\0" not in needle:
            found = {index: _IN_PROMPT for index, texts in enumerate(self._texts) if needle in texts[3] and index not in best}
            best.update(found)
        if is_path(needle):
            best.update({index: _IN_PROMPT for index in self.below(needle) if index not in best})
        if len(needle) >= _BEGINNING:
            best.update(dict.fromkeys(self.beginning(needle), 1.0))
        return best

    def word_among(self, text: str, among: Sequence[int]) -> dict[int, float]:
        """`word`, looked for in some rows only."""
        needle, texts = fold(text), self._texts
        best = self._titles.match(needle, among)
        for place, group, weight in zip((1, 2), self._groups, _WEIGHTS[1:], strict=True):
            if matching := {text: how * weight for text, how in group.matching(needle).items()}:
                for index in among:
                    how = matching.get(texts[index][place], 0.0)
                    if how > best.get(index, 0.0):
                        best[index] = how
        if "\0" not in needle:
            found = {index: _IN_PROMPT for index in among if index not in best and needle in texts[index][3]}
            best.update(found)
        if is_path(needle):
            below = set(self.below(needle))
            best.update({index: _IN_PROMPT for index in among if index in below and index not in best})
        if len(needle) >= _BEGINNING and (begun := self.beginning(needle)):
            there = set(among)
            best.update({index: 1.0 for index in begun if index in there})
        return best

    def below(self, path: str) -> list[int]:
        """The rows whose directory is `path`, or below it."""
        if self._folders is None:
            self._folders = {}
            for index, row in enumerate(self.sessions):
                if row.cwd:
                    self._folders.setdefault(row.cwd, []).append(index)
        holds = path_test(path, False, "")
        return [index for folder, indexes in self._folders.items() if holds(folder) for index in indexes]

    def words(self, words: tuple[str, ...]) -> dict[int, float]:
        """The rows that all of `words` match, with how well, added up. Kept, as the next key asks for nearly the same."""
        found = self._found.pop(words, None)  # another thread may rank too: it then works out the same
        if found is None:
            found = self._work_out(words)
        self._found[words] = found
        for oldest in list(self._found)[:-_ASKED]:
            self._found.pop(oldest, None)
        return found

    def _work_out(self, words: tuple[str, ...]) -> dict[int, float]:
        last = words[-1]
        if len(words) == 1:
            shorter = self._shorter(last)
            return self.word(last) if shorter is None else self.word_among(last, shorter)
        before = self.words(words[:-1])
        found = self.word_among(last, list(before)) if len(before) < len(self.sessions) // 2 else self.words((last,))
        return {index: score + found[index] for index, score in before.items() if index in found}

    def _shorter(self, word: str) -> Sequence[int] | None:
        """The rows a word can be in because they hold its beginning, when that was asked just before."""
        beginning = word[:-1]
        found = self._found.get((beginning,))
        if found is None or len(fold(word)) == SHORT + 1:  # from three letters on they may stand apart
            return None
        begun = self.beginning(fold(word)) if len(fold(word)) >= _BEGINNING else []
        return [*found, *(index for index in begun if index not in found)]

    def beginning(self, identity: str) -> list[int]:
        """The rows whose id begins with `identity`."""
        if not _ID.fullmatch(identity):
            return []
        return [index for index, own in enumerate(self.ids) if own.startswith(identity)]

    def recency(self, now: float) -> list[float]:
        """What each row gains for being new, kept for a minute."""
        if abs(self._recency[0] - now) > 60:
            ages = (max(now - (row.updated or row.created or 0.0), 0.0) for row in self.sessions)
            self._recency = (now, [_RECENT / (1 + age / _WEEK) for age in ages])
        return self._recency[1]


Texts = tuple[str, str, str, str]  # title, project, branch, both prompts


def _folded(row: Session) -> Texts:
    prompts = fold(f"{row.first_prompt}\n{row.last_prompt}")
    return fold(row.title), fold(row.project), fold(row.branch or ""), prompts.replace("\0", "")


_KEPT = 3  # the list shown, everything, and what a search in another thread looks through
_kept: tuple[Rows, ...] = ()


def rows_of(sessions: Sequence[Session]) -> Rows:
    """The texts of `sessions`, kept from the last time where they are the same rows."""
    global _kept
    wanted = list(sessions)
    kept = _kept
    for held in kept:
        if held.sessions == wanted:
            return held
    made = next((made for held in kept if (made := held.renewed(wanted)) is not None), None) or Rows(wanted, kept)
    _kept = (made, *kept[: _KEPT - 1])
    return made


def rank(query: Query, sessions: Sequence[Session], here: str = "") -> Ranked:
    """The rows `query` asks for, best first when it has words, else in the given order."""
    rows = rows_of(sessions)
    last = query.ranked
    if last is None or last[0] is not rows or last[1] != here:
        query.ranked = last = (rows, here, _rank(query, rows, here))
    return last[2]


def _rank(query: Query, rows: Rows, here: str) -> Ranked:
    own = rows.sessions
    if (whole := _by_id(query, rows)) is not None and rows.ids[whole] == query.words[0].lower():
        return Ranked(own, (), [whole], {whole: 2.0})
    if not query.rows_can_match:
        return Ranked(own, (), [])
    tests = query.row_tests(here)
    left: Sequence[int] = range(len(own))
    if tests:
        left = [index for index, row in enumerate(own) if all(test(row) is True for test in tests)]
    for leaf in query.unwanted:
        left = [index for index in left if not text_in_row(leaf, rows.by_row[id(own[index])], own[index])]
    wanted = query.wanted
    if not wanted:
        return Ranked(own, (), list(left))
    scores = _scores(rows, wanted, left)
    recency, many = rows.recency(query.now), len(wanted)
    ordered = sorted(scores)
    total = {index: scores[index] / many + recency[index] for index in ordered}
    if whole in total:
        total[whole] += 2.0
    ordered.sort(key=total.__getitem__, reverse=True)
    return Ranked(own, wanted, ordered, total)


def _scores(rows: Rows, wanted: Sequence[Leaf], left: Sequence[int]) -> Mapping[int, float]:
    """The rows of `left` in which everything wanted is found, with how well, added up."""
    ordered = sorted(wanted, key=_selective)
    words = tuple(leaf.text for leaf in ordered if isinstance(leaf, Word))
    scores: Mapping[int, float] | None = rows.words(words) if words else None
    if not isinstance(left, range):
        scores = {index: scores[index] for index in left if index in scores} if scores is not None else dict.fromkeys(left, 0.0)
    own = rows.sessions
    for leaf in ordered:
        if not isinstance(leaf, Word):
            places = left if scores is None else scores
            scores = {index: (0.0 if scores is None else scores[index]) + 0.8 for index in places
                      if text_in_row(leaf, rows.by_row[id(own[index])], own[index])}  # fmt: skip
    return scores or {}


def _selective(leaf: Leaf) -> int:
    """Long words first: they leave fewer rows for the others; expressions last."""
    return -len(leaf.text) if isinstance(leaf, Word | Exact) else 0


def _by_id(query: Query, rows: Rows) -> int | None:
    """The one row whose id the query is, or begins."""
    if len(query.tree.parts) != 1 or len(query.words) != 1 or not _ID.fullmatch(query.words[0]):
        return None
    needle = query.words[0].lower()
    found = rows.beginning(needle)
    exact = [index for index in found if rows.ids[index] == needle]
    if exact:
        return exact[0]
    return found[0] if len(found) == 1 else None


def session_by_id(query: Query, sessions: Sequence[Session]) -> Session | None:
    """The one session whose id the query is, or begins; None when it is no id, or of several."""
    rows = rows_of(sessions)
    found = _by_id(query, rows)
    return None if found is None else rows.sessions[found]


def text_in_row(leaf: Leaf, texts: tuple[str, ...], row: Session) -> bool:
    """Whether a row's own text holds a word (together, not letter by letter), a quote or an expression."""
    if isinstance(leaf, Regexp):
        search = compiled(leaf).search
        return any(search(text) for text in (row.title, row.project, row.branch or "", row.first_prompt, row.last_prompt))
    if isinstance(leaf, Word | Exact):
        needle = fold(leaf.text)
        return any(needle in text for text in texts)
    return False


def is_path(needle: str) -> bool:
    """Whether a word is a whole path, so that sessions of that directory are meant as well."""
    return _PATH.match(needle) is not None
