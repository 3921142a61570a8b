"""A big file read in two halves at once.

The second reader knows nothing of what stands before its half. Nearly always it need not: turns and rows are counted on,
and what it was told of calls and of the queue is told again to the first. Where more hangs on what stood before (a row or
a response that is on both sides, a model that changed just there), the first reader reads on itself.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable
from typing import NamedTuple

from sessionbrowser import beside
from sessionbrowser.model import Block, Damage, Place
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.claude import lines
from sessionbrowser.sources.claude.reader import Reader
from sessionbrowser.sources.texts import Texts

LARGE = 16 << 20  # bytes from which on a second process is worth its while
_FIRST = 0.54  # what the first reader reads: the second has to hand over what it read
_NEAR = 16 << 20  # bytes in which a place to cut is looked for
_PLACES = Block._fields.index("place"), Block._fields.index("result")
_TURN = Block._fields.index("turn")


class Half(NamedTuple):
    """What the second reader hands over. Blocks go apart, as plain columns: as they are they take three times as long."""

    reader: Reader
    unfinished: Damage | None
    blocks: list[list[object]]


def read(path: str, first: Reader) -> Damage | None:
    """Read `path` with `first`, a part of it by means of a second reader where that is quicker. Raises OSError."""
    size = os.stat(path).st_size
    cut = cut_near(path, int(size * _FIRST)) if size >= LARGE and not first.chain and beside.possible() else None
    begun = beside.begin(lambda: read_from(path, like(first), cut)) if cut is not None else None
    if cut is None or begun is None:
        return first.read(path)
    with begun as other:
        first.read(path, cut)
        half = other.result()
    return finish(path, first, half if first.offset == cut else b"")


def like(first: Reader) -> Reader:
    """A reader for what stands behind what `first` reads."""
    second = Reader(subagent=first.subagent, shared=first.shared, apart=True)
    second.builder.texts = Texts() if first.builder.texts is not None else None
    return second


def read_from(path: str, second: Reader, cut: int) -> bytes:
    """All that `second` finds from `cut` on: a Half, packed. Raises OSError."""
    second.offset = cut
    unfinished = second.read(path)
    columns = [list(column) for column in zip(*second.builder.blocks, strict=True)]
    for at in _PLACES if columns else ():
        columns[at] = [place and tuple(place) for place in columns[at]]
    second.builder.blocks = []
    return pickle.dumps(Half(second, unfinished, columns), pickle.HIGHEST_PROTOCOL)


def finish(path: str, first: Reader, packed: bytes) -> Damage | None:
    """Take in the second half, or read it where there is none, or where it does not fit. Raises OSError."""
    if packed:
        half: Half = pickle.loads(packed)
        if first.fits(half.reader):
            first.join(half.reader, _blocks(half.blocks, first.builder.turn))
            return half.unfinished
    return first.read(path)


def _blocks(columns: list[list[object]], turns: int) -> Iterable[Block]:
    for at in _PLACES if columns else ():
        columns[at] = [Place._make(place) if isinstance(place, tuple) else None for place in columns[at]]
    if columns:
        columns[_TURN] = [turn + turns for turn in columns[_TURN] if isinstance(turn, int)]
    return map(Block._make, zip(*columns, strict=True))


def cut_near(path: str, start: int) -> int | None:
    """Where a response of the main conversation begins, the first one from byte `start` on; None: there is none near. Raises OSError."""
    identity: object = None
    with jsonl.opened(path, start) as file:
        file.readline()
        offset = file.tell()
        for data in file:
            if offset - start > _NEAR:
                return None
            record = None if lines.kind_of(data) else jsonl.record(data)
            if record and record.get("type") == "assistant" and not record.get("isSidechain"):
                message = record.get("message")
                found = message.get("id") if isinstance(message, dict) else None
                if identity and found and found != identity:
                    return offset
                identity = found
            offset += len(data)
    return None
