"""Which characters of a row's fields the words of a query are."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from sessionbrowser.model import Session
from sessionbrowser.query.fields import fold, needle_of
from sessionbrowser.query.fuzzy import ranges
from sessionbrowser.query.tree import Exact, Leaf, Regexp, Word

Ranges = tuple[tuple[int, int], ...]
MARKED = ("title", "project", "branch")


class Marks(Mapping[str, Ranges]):
    """What to mark in a row, worked out when somebody looks."""

    def __init__(self, session: Session, leaves: Sequence[Leaf]) -> None:
        self._session = session
        self._leaves = leaves
        self._found: dict[str, Ranges] | None = None

    def _all(self) -> dict[str, Ranges]:
        if self._found is None:
            texts = [(name, text, fold(text)) for name in MARKED if (text := getattr(self._session, name))]
            found: dict[str, list[tuple[int, int]]] = {}
            for leaf in self._leaves:
                places = [(name, marks) for name, text, low in texts if (marks := _merged(_places(leaf, text, low)))]
                if isinstance(leaf, Word) and any(len(marks) == 1 for _, marks in places):
                    places = [(name, marks) for name, marks in places if len(marks) == 1]  # letters here and there would only distract
                for name, marks in places:
                    found.setdefault(name, []).extend(marks)
            self._found = {name: _merged(marks) for name, marks in found.items()}
        return self._found

    def __getitem__(self, name: str) -> Ranges:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def marks_in(text: str, leaves: Sequence[Leaf]) -> Ranges:
    """The characters of `text` that match words (fuzzily), quotes and expressions, in order and without overlap."""
    low = fold(text)
    return _merged([place for leaf in leaves for place in _places(leaf, text, low)])


def _places(leaf: Leaf, text: str, low: str) -> list[tuple[int, int]]:
    """Where a leaf matches `text`, which is `low` when it is folded."""
    if isinstance(leaf, Regexp):
        return [(hit.start(), hit.end()) for hit in compiled(leaf).finditer(text) if hit.end() > hit.start()]
    if len(low) != len(text):  # every mark would be shifted
        return []
    if isinstance(leaf, Word):
        return ranges(needle_of(leaf.text), low)
    if isinstance(leaf, Exact) and leaf.text:
        return [(hit.start(), hit.end()) for hit in re.finditer(re.escape(needle_of(leaf.text)), low)]
    return []


def _merged(found: list[tuple[int, int]]) -> Ranges:
    if len(found) < 2:
        return tuple(found)
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
