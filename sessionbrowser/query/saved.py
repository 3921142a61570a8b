"""Saved queries: `@name` in the box stands for what the configuration has under that name."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from sessionbrowser.query.fields import NAMES
from sessionbrowser.query.tokens import tokens
from sessionbrowser.query.tree import Problem

SIGN = "@"
_NAME = re.compile(r"@[\w-]+")


class Expanded(NamedTuple):
    """A query with its saved queries written out, and where each piece of it was typed."""

    text: str
    starts: tuple[int, ...] = (0,)  # of the pieces in `text`
    typed: tuple[tuple[int, int], ...] = ((0, 0),)  # of the same pieces as typed; (start, -1) where both are the same

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where in the typed text the characters `start` to `end` of `text` stand."""
        first, last = self._piece(start), self._piece(max(start, end - 1))
        return self._there(first, start), max(self._there(last, end, end=True), self._there(first, start))

    def placed(self, problem: Problem) -> Problem:
        """A problem of `text`, where it was typed."""
        return Problem(problem.message, *self.place(problem.start, problem.end))

    def _piece(self, at: int) -> int:
        return max(0, bisect_right(self.starts, at) - 1)

    def _there(self, piece: int, at: int, *, end: bool = False) -> int:
        begin, stop = self.typed[piece]
        return begin + at - self.starts[piece] if stop < 0 else stop if end else begin


def expand(text: str, saved: Mapping[str, str], *, typing: bool = True) -> Expanded:
    """`text` with every `@name` that `saved` has written out; other words that begin so stay what they are.

    A name at the end says nothing yet as long as it could become one of `saved` and somebody is `typing`.
    """
    pieces: list[str] = []
    starts: list[int] = []
    typed: list[tuple[int, int]] = []
    at = size = 0
    for token in tokens(text, NAMES) if SIGN in text and saved else ():
        if token.kind != "word" or token.negative or not token.value.startswith(SIGN):
            continue
        written = _written(token.value[1:], saved, last=typing and token.end == len(text))
        if written is None:
            continue
        for piece, place in ((text[at : token.start], (at, -1)), (written, (token.start, token.end))):
            starts.append(size)
            typed.append(place)
            pieces.append(piece)
            size += len(piece)
        at = token.end
    return Expanded("".join([*pieces, text[at:]]), (*starts, size), (*typed, (at, -1)))


def unknown(text: str, saved: Mapping[str, str]) -> list[str]:
    """What stands behind the sign in words of `text` that look like the name of a saved query and are none."""
    return [name for name in named(text) if name not in saved]


def named(text: str) -> list[str]:
    """The names behind the sign in words of `text`."""
    if SIGN not in text:
        return []
    found = [token.value[1:] for token in tokens(text, NAMES) if token.kind == "word" and not token.negative and _NAME.fullmatch(token.value)]
    return list(dict.fromkeys(found))


def _written(name: str, saved: Mapping[str, str], *, last: bool) -> str | None:
    """What a name stands for; "" while it is the beginning of one, None for one nobody gave."""
    if name in saved:
        return saved[name].strip()
    return "" if last and any(known.startswith(name) for known in saved) else None
