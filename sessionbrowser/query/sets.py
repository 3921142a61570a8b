"""Sets of numbers, a bit for each in one integer: joined, cut and counted without a loop over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import compress, repeat
from operator import contains, or_

_MARKS = bytes.maketrans(b"01", b"\0\1")
_DIGITS = bytes.maketrans(b"\0\1", b"01")


def everything(size: int) -> int:
    """All numbers below `size`."""
    return (1 << size) - 1


def of(members: Iterable[int], size: int) -> int:
    """The set of these numbers, all below `size`."""
    marks = bytearray(size)
    for member in members:
        marks[member] = 1
    return int(marks.translate(_DIGITS)[::-1] or b"0", 2)


def joined(sets: Iterable[int]) -> int:
    """What is in any of these sets."""
    return reduce(or_, sets, 0)


def marks(found: int, size: int) -> bytes:
    """A byte for each number below `size`: 1 for those in the set."""
    return f"{found:0{size}b}"[::-1].encode().translate(_MARKS)


def members(found: int, size: int) -> Iterator[int]:
    """The numbers in a set, ascending."""
    return where(marks(found, size))


def where(marks: bytes | bytearray) -> Iterator[int]:
    """The places that are not 0, ascending."""
    return compress(range(len(marks)), marks)


def holding(texts: Sequence[str], part: str, among: int) -> int:
    """Those of `among` whose text holds `part`."""
    if not among:
        return 0
    places = list(members(among, len(texts)))  # texts that are not asked for are not touched: they are all over the memory
    return of(compress(places, map(contains, map(texts.__getitem__, places), repeat(part))), len(texts))


def passing(test: Callable[[str], object], texts: Sequence[str], among: int) -> int:
    """Those of `among` whose text passes a test."""
    return of([at for at in members(among, len(texts)) if test(texts[at])], len(texts)) if among else 0
