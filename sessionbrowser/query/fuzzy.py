"""Words found as fzf finds them: letters in order, better where words begin and where they stand together.

`frizbee`, where it is installed, says in a fraction of a millisecond which texts hold the letters at all; the fallback
finds the same, slower. Haystacks and needles are folded (`fields.fold`) by the caller.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any


def _optional() -> Any:
    """The matcher of the optional extra, None without it."""
    try:
        import frizbee
    except ImportError:
        return None
    return frizbee


frizbee: Any = _optional()

SHORT = 2  # so few letters in order say nothing: they have to stand together
SKIPPED = 2  # words that may be passed over between two letters
WHOLE, INSIDE, HOPPED = 1.0, 0.7, 0.5  # how well: from a word's beginning, inside of one, letters of several
_BOUNDARIES = "\0 /\\-_.:,;()[]\"'#\t\n"
_WORD = re.compile(r"[^\W_]+")


class Joined:
    """Many short texts in one, so that looking through all of them is one search."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.text = "\0" + "\0".join(texts) + "\0"
        self._starts = [1]
        for text in texts:
            self._starts.append(self._starts[-1] + len(text) + 1)

    def holding(self, needle: str) -> Iterator[tuple[int, int]]:
        """The texts that hold `needle`, in order, and where it is in all of them. A needle that begins with NUL is held at the beginning only."""
        at = self.text.find(needle)
        while at >= 0:
            index = bisect_right(self._starts, at + needle.startswith("\0")) - 1
            yield index, at
            at = self.text.find(needle, self._starts[index + 1] - 1)


class Haystacks:
    """Texts to be searched again and again, each narrowed list of one query serving the next, longer one."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._native = frizbee.Haystacks(list(texts)) if frizbee is not None else None
        self._joined = Joined(texts)
        self._words: dict[int, Words] = {}
        self._last: tuple[str, list[int]] | None = None

    def match(self, needle: str) -> dict[int, float]:
        """Which texts hold `needle`, and how well: 1 for the beginning of a word, less for letters here and there."""
        if not needle or "\0" in needle:
            return {}
        text = self._joined.text
        found = {index: WHOLE if text[at - 1] in _BOUNDARIES else INSIDE for index, at in self._joined.holding(needle)}
        if len(needle) > SHORT:
            words = self._words
            for index in self._candidates(needle):
                if index not in found:
                    held = words.get(index) or words.setdefault(index, Words(self.texts[index]))
                    if held.hold(needle):
                        found[index] = HOPPED
            self._last = (needle, list(found))
        return found

    def score(self, index: int, needle: str) -> float:
        """How well one text holds `needle`, as `match` says it; 0 when it does not."""
        if found := together(needle, self.texts[index]):
            return found
        if len(needle) <= SHORT or "\0" in needle:
            return 0.0
        held = self._words.get(index) or self._words.setdefault(index, Words(self.texts[index]))
        return HOPPED if held.hold(needle) else 0.0

    def _candidates(self, needle: str) -> Sequence[int]:
        """The texts that may hold the letters of `needle`: those that held the beginning of it, where that was asked before."""
        if self._last is not None and needle.startswith(self._last[0]):
            return self._last[1]
        if self._native is not None and needle.isascii() and len(needle) <= 64:
            return [found.index for found in frizbee.Matcher(needle, max_typos=0, sort="index_asc").match_list(self._native)]
        return [index for index, text in enumerate(self.texts) if _in_order(needle, text)]


class Words:
    """The words of a text and their first letters, to look for words cut short (see `hops`)."""

    __slots__ = ("_initials", "_words")

    def __init__(self, text: str) -> None:
        self._words = _WORD.findall(text)
        self._initials = "".join([word[0] for word in self._words])

    def hold(self, needle: str) -> bool:
        """Whether `hops` finds a way."""
        at = self._initials.find(needle[0])
        failed: set[tuple[int, int]] = set()
        while at >= 0:
            if self._from(needle, 0, at, failed):
                return True
            at = self._initials.find(needle[0], at + 1)
        return False

    def _from(self, needle: str, count: int, number: int, failed: set[tuple[int, int]]) -> bool:
        """Whether the letters from `count` on can be found, that one being the first of word `number`."""
        if (count, number) in failed:
            return False
        word, at = self._words[number], 0
        begin = count
        while True:
            count += 1
            if count == len(needle):
                return True
            upto = number + SKIPPED + 2
            following = self._initials.find(needle[count], number + 1, upto)
            while following >= 0:
                if self._from(needle, count, following, failed):
                    return True
                following = self._initials.find(needle[count], following + 1, upto)
            at = word.find(needle[count], at + 1)
            if at < 0:
                failed.add((begin, number))
                return False


class Groups:
    """Texts of which many are the same (projects, branches): each different one is looked at once."""

    def __init__(self, texts: Sequence[str]) -> None:
        members: dict[str, list[int]] = {}
        for index, text in enumerate(texts):
            members.setdefault(text, []).append(index)
        self._members = list(members.values())
        self._different = Haystacks(list(members))

    def raise_best(self, needle: str, weight: float, best: dict[int, float]) -> None:
        """Put what matches into `best` where it is better than what stands there."""
        for group, score in self._different.match(needle).items():
            weighted = score * weight
            for index in self._members[group]:
                if weighted > best.get(index, 0.0):
                    best[index] = weighted

    def matching(self, needle: str) -> dict[str, float]:
        """The texts that match, each once, and how well."""
        return {self._different.texts[group]: score for group, score in self._different.match(needle).items()}


def together(needle: str, text: str) -> float:
    """How well a text holds `needle` in one piece, by where it stands first; 0 when it does not."""
    at = text.find(needle)
    if at < 0:
        return 0.0
    return WHOLE if at == 0 or text[at - 1] in _BOUNDARIES else INSIDE


def holds(needle: str, text: str) -> bool:
    """Whether `text` matches `needle` at all."""
    return needle in text or (len(needle) > SHORT and Words(text).hold(needle))


def ranges(needle: str, text: str) -> list[tuple[int, int]]:
    """Where `needle` stands in `text`: together at a word's beginning, else together, else letter by letter."""
    if not needle:
        return []
    if (at := _together(needle, text)) >= 0:
        return [(at, at + len(needle))]
    if len(needle) <= SHORT:
        return []
    joined: list[tuple[int, int]] = []
    for spot in hops(needle, text):
        if joined and joined[-1][1] == spot:
            joined[-1] = (joined[-1][0], spot + 1)
        else:
            joined.append((spot, spot + 1))
    return joined


def hops(needle: str, text: str) -> tuple[int, ...]:
    """The places of the letters of `needle`, in order, where they can be read as words cut short; () where they cannot.

    Each word they are taken from gives its first letter and any of those behind it, and not many words are passed
    over between two: `flkauth` and `ftat` are "the flaky auth test", six letters strewn over a long title are nothing.
    """
    if not _in_order(needle, text):
        return ()
    size = len(needle)
    states: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}  # letters found: the word of the last, and all places
    for number, word in enumerate(_WORD.finditer(text)):
        first, start, end = text[word.start()], word.start(), word.end()
        for taken, (last, spots) in [item for item in states.items() if item[0] < size and needle[item[0]] == first]:
            if taken and number - last > SKIPPED + 1:
                continue
            at, count = start, taken
            while True:
                spots, count = (*spots, at), count + 1
                if count not in states or states[count][0] < number:
                    states[count] = (number, spots)
                if count == size:
                    return spots
                at = text.find(needle[count], at + 1, end)
                if at < 0:
                    break
    return ()


def _in_order(needle: str, text: str) -> bool:
    at = 0
    for char in needle:
        at = text.find(char, at) + 1
        if not at:
            return False
    return True


def _together(needle: str, text: str) -> int:
    first = at = text.find(needle)
    while at >= 0:
        if at == 0 or text[at - 1] in _BOUNDARIES:
            return at
        at = text.find(needle, at + 1)
    return first
