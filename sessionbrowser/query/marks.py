"""Which characters of a row's fields the words of a query are."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from sessionbrowser.model import Session
from sessionbrowser.query.fields import fold
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
