"""Where rows of several heights begin."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.tui.tops import Tops


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=300), st.data())
def test_rows_and_lines_lead_to_each_other(heights: list[int], data: st.DataObject) -> None:
    tops, whole = Tops(iter(heights), sum(heights)), list(accumulate(heights, initial=0))
    for _ in range(5):
        row = data.draw(st.integers(0, len(heights)))
        assert tops.top(row) == whole[row]
        line = data.draw(st.integers(0, sum(heights) - 1))
        assert whole[tops.row_on(line)] <= line < whole[tops.row_on(line) + 1]


def test_rows_far_below_are_not_looked_at() -> None:
    def heights() -> Iterator[int]:
        yield from [1] * 100
        raise AssertionError("so far down nobody looked")

    tops = Tops(heights(), 10_000)
    assert (tops.top(40), tops.row_on(40), tops.lines) == (40, 40, 10_000)
