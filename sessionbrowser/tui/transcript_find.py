"""Finding inside a transcript: which blocks hold the words, in one pass over the file, and what to mark in a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sessionbrowser.model import Block, Body, Handle
from sessionbrowser.query import parse
from sessionbrowser.query.tree import Exact, Field, Leaf, Regexp
from sessionbrowser.sources.base import Source, SourceError

MOST = 5_000  # hits of one block that are gone to: behind them, the next block


class Words(NamedTuple):
    """What is looked for, whatever its case.

    What `leaves`, parts of a query, match is decided as the search does it. `of_box`: they are those that found the session.
    """

    words: tuple[str, ...] = ()
    leaves: tuple[Leaf, ...] = ()
    of_box: bool = False

    @classmethod
    def of(cls, text: str) -> Words:
        """`text` as one phrase; in quotes or as a regular expression between slashes as the box has it, too."""
        parts = parse(text).wanted if text[:1] in ("/", '"') else ()
        if len(parts) == 1 and isinstance(parts[0], Exact):
            return cls((parts[0].text,))
        if len(parts) == 1 and isinstance(parts[0], Regexp):
            return cls((text,), (parts[0],))
        return cls((text,)) if text else cls()

    @classmethod
    def asked(cls, leaves: Sequence[Leaf]) -> Words:
        """What a query looks for."""
        wanted = tuple(leaf for leaf in leaves if not isinstance(leaf, Field))
        return cls(tuple(leaf.pattern if isinstance(leaf, Regexp) else leaf.text for leaf in wanted), wanted, of_box=True)

    def ranges(self, text: str) -> list[tuple[int, int]]:
        """Where the words stand in `text`, in order, without overlaps."""
        if self.leaves:
            from sessionbrowser.index.matching import spots  # not for the first screen

            return list(spots(self.leaves, text, MOST))
        found: list[tuple[int, int]] = []
        for word, hay in self._hays(text):
            at = hay.find(word)
            while at >= 0:
                found.append((at, at + len(word)))
                at = hay.find(word, at + len(word))
        if len(self.words) < 2:
            return found
        found.sort()
        apart: list[tuple[int, int]] = []
        for start, end in found:
            if not apart or start >= apart[-1][1]:
                apart.append((start, end))
        return apart

    def count(self, text: str) -> int:
        """How many ranges there are. For one phrase they are not made: a text can hold it ten million times."""
        if self.leaves or len(self.words) != 1:
            return len(self.ranges(text))
        return sum(hay.count(word) for word, hay in self._hays(text))

    def _hays(self, text: str) -> Iterator[tuple[str, str]]:
        """Each word and `text` in small letters, as long as the text is."""
        low = text.lower()
        if len(low) != len(text):
            low = "".join(small if len(small := char.lower()) == 1 else char for char in text)
        for word in self.words:
            yield word.lower(), low


class Hits(NamedTuple):
    """Blocks that hold the words, and how often, in the order they are shown."""

    blocks: tuple[int, ...] = ()  # indices of blocks
    counts: tuple[int, ...] = ()
    complete: bool = False

    @property
    def total(self) -> int:
        return sum(self.counts)

    def before(self, position: int) -> int:
        """How many hits are in the blocks before the one at `position`."""
        return sum(self.counts[:position])


def search(
    source: Source, handle: Handle, blocks: Sequence[Block], words: Words, body: Callable[[Block], Body],
    stopped: Callable[[], bool],
) -> Iterator[dict[int, int]]:  # fmt: skip
    """How often each block holds the words, in growing answers. One pass over the file where the source has one."""
    places: dict[tuple[int, str], list[int]] = {}
    for index, block in enumerate(blocks):
        if not block.place.path:
            places.setdefault((block.place.start, block.kind), []).append(index)
        if block.result is not None and not block.result.path and block.result.start != block.place.start:
            places.setdefault((block.result.start, block.kind), []).append(index)
    found: dict[int, int] = {}
    counted: dict[tuple[int, int], int] = {}  # of a block and a record it is made from
    try:
        for number, passage in enumerate(source.passages(handle, 0, tools=True)):
            if stopped():
                return
            count = words.count(passage.text)
            if count:
                for index in _which(places.get((passage.start, passage.kind), []), blocks, words, body):
                    before = counted.get((index, passage.start), 0)
                    if count > before:
                        counted[index, passage.start] = count
                        found[index] = found.get(index, 0) + count - before
            if number % 2000 == 1999:
                yield dict(found)
    except (OSError, SourceError):
        pass
    for index, block in enumerate(blocks):  # notes, and records in other files, are not among the passages
        if (block.kind == "note" or block.place.path) and (count := words.count(block.title)):
            found[index] = count
    yield found


def _which(places: list[int], blocks: Sequence[Block], words: Words, body: Callable[[Block], Body]) -> list[int]:
    """Of the blocks made from one record, those that hold the words themselves."""
    if len(places) < 2:
        return places
    return [index for index in places if words.count(body(blocks[index]).text + blocks[index].title)]
