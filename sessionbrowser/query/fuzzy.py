"""Words found as fzf finds them: letters in order, better where words begin and where they stand together.

`frizbee`, where it is installed, says in a fraction of a millisecond which texts hold the letters at all; the fallback
finds the same, slower. Haystacks and needles are folded (`fields.fold`) by the caller.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
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


class Haystacks:
    """Texts to be searched again and again, each narrowed list of one query serving the next, longer one."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._native = frizbee.Haystacks(list(texts)) if frizbee is not None else None
        self._cut: list[str | None] = [None] * len(texts)  # see `cut_up`; made when first needed
        self._last: tuple[str, list[int]] | None = None

    def match(self, needle: str, among: Sequence[int] | None = None) -> dict[int, float]:
        """Which texts (of those `among`) hold `needle`, and how well: 1 for the beginning of a word, less for letters here and there."""
        if not needle or "\0" in needle:
            return {}
        texts, begins = self.texts, _BOUNDARIES
        places = enumerate(texts) if among is None else zip(among, map(texts.__getitem__, among), strict=True)
        found = {
            index: WHOLE if not at or text[at - 1] in begins else INSIDE
            for index, text in places if needle in text and (at := text.find(needle)) >= 0
        }  # fmt: skip
        if len(needle) > SHORT:
            cut, begin, first = self._cut, _begin(needle[: SHORT + 1]), "\0" + needle[0]
            for index in self._candidates(needle, among):
                if index not in found:
                    words = cut[index]
                    if words is None:
                        words = cut[index] = cut_up(texts[index])
                    if first in words and begin(words) and (len(needle) == SHORT + 1 or hop_through(needle, words)):
                        found[index] = HOPPED
            if among is None:
                self._last = (needle, list(found))
        return found

    def _candidates(self, needle: str, among: Sequence[int] | None) -> Sequence[int]:
        """The texts that may hold the letters of `needle`: those that held the beginning of it, where that was asked before."""
        texts = self.texts
        if among is not None:
            return [index for index in among if _in_order(needle, texts[index])]
        last = self._last
        if last is not None and needle.startswith(last[0]):
            return last[1]
        if self._native is not None and needle.isascii() and len(needle) <= 64:
            return [found.index for found in frizbee.Matcher(needle, max_typos=0, sort="index_asc").match_list(self._native)]
        return [index for index, text in enumerate(texts) if _in_order(needle, text)]


class Groups:
    """Texts of which many are the same (projects, branches): each different one is looked at once."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._members: dict[str, list[int]] = {}
        for index, text in enumerate(texts):
            self._members.setdefault(text, []).append(index)
        self._different = list(self._members)

    def matching(self, needle: str) -> dict[str, float]:
        """The different texts that match, and how well."""
        return {text: how for text in self._different if (how := well(needle, text))} if "\0" not in needle else {}

    def raise_best(self, needle: str, weight: float, best: dict[int, float]) -> None:
        """Put what matches into `best` where it is better than what stands there."""
        for text, how in self.matching(needle).items():
            weighted, known = how * weight, best.get
            best.update({index: weighted for index in self._members[text] if known(index, 0.0) < weighted})


def well(needle: str, text: str) -> float:
    """How well one text matches, 0 when it does not."""
    if not needle:
        return 0.0
    at = text.find(needle)
    if at >= 0:
        return WHOLE if not at or text[at - 1] in _BOUNDARIES else INSIDE
    return HOPPED if len(needle) > SHORT and _in_order(needle, text) and hop_through(needle, cut_up(text)) else 0.0


def cut_up(text: str) -> str:
    """The words of a text, each behind a NUL, for `hop_through`."""
    return "\0" + "\0".join(_WORD.findall(text)) + "\0"


@lru_cache(maxsize=32)
def _begin(needle: str) -> Callable[[str], object]:
    """`hop_through` as an expression, for so few letters that it cannot take long whatever the text: the most fail here."""
    first, *others = map(re.escape, needle)
    steps = [rf"(?:[^\0]*?{letter}|[^\0]*(?:\0[^\0]*){{0,{SKIPPED}}}\0{letter})" for letter in others]
    return re.compile(rf"\0{first}" + "".join(steps)).search


def hop_through(needle: str, words: str) -> bool:
    """Whether the letters of `needle` can be read as the words (`cut_up`) cut short, as `hops` says."""
    first = "\0" + needle[0]
    reached: list[int] = []  # where the letters so far can end, the first place in each word
    at = words.find(first)
    while at >= 0:
        reached.append(at + 1)
        at = words.find(first, at + 1)
    for letter in needle[1:]:
        if not reached:
            return False
        initial = "\0" + letter
        following: dict[int, int] = {}  # the first place in a word, by the word's end
        for place in reached:
            end = words.index("\0", place)
            at = words.find(letter, place + 1, end)
            if at >= 0 and at < following.get(end, at + 1):
                following[end] = at
            begin = end
            for _ in range(SKIPPED + 1):
                end = words.find("\0", begin + 1)
                if end < 0:
                    break
                if words.startswith(initial, begin):
                    following[end] = begin + 1  # no place in a word comes before its first letter
                begin = end
        reached = list(following.values())
    return bool(reached)


def holds(needle: str, text: str) -> bool:
    """Whether `text` matches `needle` at all."""
    return not needle or well(needle, text) > 0


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
