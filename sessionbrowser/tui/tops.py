"""Where the rows of a list begin when some are several lines high, worked out only as far as somebody looks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate, islice

_SOME = 64  # rows at a time


class Tops:
    """The first line of every row, from the rows' heights; `lines` is how many there are in all."""

    def __init__(self, heights: Iterable[int], lines: int) -> None:
        self.lines = lines
        self._more = accumulate(heights, initial=0)
        self._known = list(islice(self._more, 1))

    def top(self, row: int) -> int:
        """The first line of a row; where the last one ends, for a row behind it."""
        while len(self._known) <= row and self._look_further():
            pass
        return self._known[min(row, len(self._known) - 1)]

    def row_on(self, line: int) -> int:
        """The row that a line is of."""
        while self._known[-1] <= line and self._look_further():
            pass
        return bisect_right(self._known, line) - 1

    def _look_further(self) -> bool:
        more = list(islice(self._more, _SOME))
        self._known += more
        return bool(more)
