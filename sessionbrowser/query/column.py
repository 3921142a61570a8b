"""One field of all rows, folded, as a column in which words are looked for. What is found are sets of rows (`sets`).

For every two letters that stand together somewhere, the column knows the rows they stand in, so that few rows are left to be
looked at for a word. Rows that came since `settle` are looked at one by one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from sessionbrowser.query import sets
from sessionbrowser.query.fuzzy import SHORT, cut_up, go_on, hopping, reach

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_EDGE = "\0"  # stands before and behind every word
_ROOM = 64  # bytes by which what is known of letters grows
_PLAIN = re.compile("[a-z0-9]+").fullmatch
_NUMBERS = {letter: number for number, letter in enumerate(_EDGE + _LETTERS)}
_OTHER = len(_NUMBERS)  # every other letter
_TOGETHER, _FIRST, _WITHIN = 0, 1 << 12, 2 << 12  # what words have: two letters together, as their first, the second behind the first


class Column:
    """Texts by the number of their row. Needles hold no white space. In some only `holding` is asked (`apart` is False)."""

    def __init__(self, *, apart: bool = True) -> None:
        self._apart = apart
        self._texts: list[str] = []
        self._words: list[str] = [] if apart else self._texts  # the same cut up
        self._bits: dict[int, bytearray] = {}  # for what words have, a bit for each row
        self._settled = 0  # how many rows they tell of
        self._sets: dict[int, int] = {}  # the same as sets, as they are needed
        self._followed, self._reached = "", dict[int, list[int]]()  # the last needle that was read as words cut short, see `_follow`

    def add(self, text: str, words: str = "") -> None:
        """Put in the text of the next row."""
        self._texts.append(text)
        if self._apart:
            self._words.append(words or cut_up(text))

    def settle(self, most: int) -> bool:
        """Learn the letters of so many more rows; whether there are others still."""
        bits, traits = self._bits, _all_traits if self._apart else _pairs
        end = min(self._settled + most, len(self._texts))
        for row in range(self._settled, end):
            byte, bit = row >> 3, 1 << (row & 7)
            words = self._words[row] if self._apart else cut_up(self._texts[row])
            for trait in set().union(*map(traits, words.split(_EDGE))):
                try:
                    bits[trait][byte] |= bit
                except (KeyError, IndexError):
                    known = bits.setdefault(trait, bytearray())
                    known.extend(bytes(byte + _ROOM - len(known)))
                    known[byte] |= bit
        self._settled = end
        self._sets.clear()
        return end < len(self._texts)

    def holding(self, needle: str, among: int) -> int:
        """Those of `among` that hold `needle`."""
        texts = self._words if needle.isalnum() else self._texts
        settled, others = self._parted(needle, among)
        if settled:
            settled &= self._knowing(needle)
            if len(needle) > 2:
                settled = sets.holding(texts, needle, settled)
        return settled | sets.holding(texts, needle, others)

    def beginning(self, needle: str, among: int) -> int:
        """Those of `among`, which all hold `needle`, in which it stands at the beginning of a word."""
        if not needle.isalnum():
            return sets.passing(re.compile(r"(?:^|[\W_])" + re.escape(needle)).search, self._texts, among)
        begin = "\0" + needle
        settled, others = self._parted(needle, among)
        if settled:
            settled &= self._having(_FIRST, *needle[:2]) if len(needle) > 1 else self._having(_TOGETHER, _EDGE, needle)
            if len(needle) > 2:
                settled = sets.holding(self._words, begin, settled)
        return settled | sets.holding(self._words, begin, others)

    def _parted(self, needle: str, among: int) -> tuple[int, int]:
        """Those of `among` whose letters are known, if those of `needle` can be, and the others."""
        others = among & -(1 << self._settled) if _PLAIN(needle) else among
        return among ^ others, others

    def hopping(self, needle: str, among: int) -> int:
        """Those of `among` in which `needle` is the beginnings of words (see `fuzzy.hops`)."""
        if len(needle) <= SHORT or not needle.isalnum():
            return 0
        settled, others = self._parted(needle, among)
        among = others | (settled and settled & self._may_hop(needle))
        if len(needle) == SHORT + 1:
            return sets.passing(hopping(needle), self._words, among)
        return sets.of(self._follow(needle, among), len(self._words))

    def _follow(self, needle: str, among: int) -> dict[int, list[int]]:
        """Which of `among` can be read so, and how far that goes in each: from there the next letter that is typed goes on."""
        before = self._reached if needle[:-1] == self._followed else {}
        begins, last, words = hopping(needle), needle[-1], self._words
        reached: dict[int, list[int]] = {}
        for row in sets.members(among, len(words)) if among else ():
            if row in before:
                places = go_on(last, words[row], before[row])
            elif begins(words[row]):
                places = reach(needle, words[row])
            else:
                continue
            if places:
                reached[row] = places
        self._followed, self._reached = needle, reached
        return reached

    def _may_hop(self, needle: str) -> int:
        """Settled rows in which every letter begins a word or stands in one that an earlier letter begins; more for the first three."""
        begin = [self._having(_TOGETHER, _EDGE, letter) for letter in needle]
        within = {(at, to): self._having(_WITHIN, needle[at], needle[to]) for to in range(len(needle)) for at in range(to)}
        found = begin[0] & (begin[1] & begin[2] | within[0, 1] & (begin[2] | within[0, 2]) | within[1, 2])
        for to in range(SHORT + 1, len(needle)):
            found &= sets.joined((begin[to], *(within[at, to] for at in range(to))))
        return found

    def _knowing(self, letters: str) -> int:
        """The settled rows in which each two of these letters stand together, or the one stands at all."""
        if len(letters) == 1:
            return sets.joined(self._having(_TOGETHER, letters, other) for other in (*_NUMBERS, "other"))
        found = -1
        for first, second in pairwise(letters):
            found &= self._having(_TOGETHER, first, second)
        return found

    def _having(self, how: int, first: str, second: str) -> int:
        trait = how | _NUMBERS.get(first, _OTHER) << 6 | _NUMBERS.get(second, _OTHER)
        if trait not in self._sets:
            self._sets[trait] = int.from_bytes(self._bits.get(trait, b""), "little")
        return self._sets[trait]


@lru_cache(maxsize=16_384)
def _pairs(word: str) -> tuple[int, ...]:
    """What two letters stand TOGETHER in a word, its edges counted as letters."""
    numbers = [_NUMBERS.get(letter, _OTHER) for letter in f"{_EDGE}{word}{_EDGE}"]
    return tuple(_TOGETHER | one << 6 | other for one, other in pairwise(numbers))


@lru_cache(maxsize=16_384)
def _all_traits(word: str) -> tuple[int, ...]:
    """The same, and what its FIRST two letters are, and what stands WITHIN it behind the first."""
    numbers = [_NUMBERS.get(letter, _OTHER) for letter in word]
    first = numbers[0] << 6 if numbers else 0
    return (*_pairs(word), *(_WITHIN | first | letter for letter in numbers[1:]), *(_FIRST | first | letter for letter in numbers[1:2]))


def forget_words() -> None:
    """Let go of what was kept of single words: it is of use only while many rows are settled."""
    _pairs.cache_clear()
    _all_traits.cache_clear()
