"""Words found as fzf finds them: letters in order, better where words begin and where they stand together.

`frizbee` does it in a fraction of a millisecond where it is installed; the fallback finds the same rows, scored
by the same ideas. Haystacks and needles are folded (`fields.fold`) by the caller.
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
_BOUNDARIES = "\0 /\\-_.:,;()[]\"'#\t\n"
_BOUNDARY = re.compile(r"[\s/\\\-_.:,;()\[\]\"'#]")


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
        self._joined: Joined | None = None
        self._last: tuple[str, list[int]] | None = None

    def match(self, needle: str) -> dict[int, float]:
        """Which texts hold `needle`, and how well: about 1 for a whole word at the beginning."""
        if not needle:
            return {}
        if len(needle) <= SHORT or not needle.isascii() or self._native is None or len(needle) > 64:
            return self._slow(needle)
        matcher = frizbee.Matcher(needle, max_typos=0, sort="index_asc")
        best = ceiling(needle)
        return {found.index: min(found.score / best, 1.2) for found in matcher.match_list(self._native)}

    def _slow(self, needle: str) -> dict[int, float]:
        if len(needle) <= SHORT:
            return self._short(needle)
        texts = self.texts
        places: Sequence[int] = range(len(texts))
        if self._last is not None and needle.startswith(self._last[0]):
            places = self._last[1]
        found = {index: quality(needle, texts[index]) for index in places if _end_of(needle, texts[index])}
        self._last = (needle, list(found))
        return found

    def _short(self, needle: str) -> dict[int, float]:
        """Letters that have to stand together: nearly every text holds them, so nothing is worked out for each."""
        if "\0" in needle:
            return {}
        joined = self._joined = self._joined or Joined(self.texts)
        text = joined.text
        return {index: 1.0 if text[at - 1] in _BOUNDARIES else 0.7 for index, at in joined.holding(needle)}


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


def holds(needle: str, text: str) -> bool:
    """Whether `text` matches `needle` at all: its letters in order, or together when there are few."""
    return needle in text if len(needle) <= SHORT else _end_of(needle, text) > 0


def _end_of(needle: str, text: str) -> int:
    """Where the letters of `needle`, in order, are first complete in `text`; 0 when they never are."""
    at = 0
    for char in needle:
        at = text.find(char, at) + 1
        if not at:
            return 0
    return at


def ceiling(needle: str) -> float:
    """What frizbee gives a needle found whole at a word's beginning."""
    if frizbee is None:
        return 1.0
    found = frizbee.Matcher(needle, max_typos=0).match_list([needle + " x"])
    return float(found[0].score) if found else 1.0


def ranges(needle: str, text: str) -> list[tuple[int, int]]:
    """Where `needle` stands in `text`: together at a word's beginning, else together, else letter by letter."""
    if not needle:
        return []
    if (at := _together(needle, text)) >= 0:
        return [(at, at + len(needle))]
    if len(needle) <= SHORT:
        return []
    spots = _tightest(needle, text)
    joined: list[tuple[int, int]] = []
    for spot in spots:
        if joined and joined[-1][1] == spot:
            joined[-1] = (joined[-1][0], spot + 1)
        else:
            joined.append((spot, spot + 1))
    return joined


def quality(needle: str, text: str) -> float:
    """How well a text that matches does so, from just above 0 to 1."""
    spots = [start for start, _ in ranges(needle, text)]
    return score_of(spots, needle, text)


def score_of(spots: list[int], needle: str, text: str) -> float:
    """The share of pieces that begin a word, less for every piece the needle fell into."""
    if not spots:
        return 0.01
    begins = sum(spot == 0 or _BOUNDARY.match(text, spot - 1) is not None for spot in spots) / len(spots)
    broken = (len(spots) - 1) / max(len(needle) - 1, 1)
    return max(0.7 + 0.3 * begins - 0.6 * broken, 0.05)


def _together(needle: str, text: str) -> int:
    first = at = text.find(needle)
    while at >= 0:
        if at == 0 or _BOUNDARY.match(text, at - 1):
            return at
        at = text.find(needle, at + 1)
    return first


def _tightest(needle: str, text: str) -> list[int]:
    """The letters of the shortest stretch that holds them in order, read from its end."""
    at = _end_of(needle, text)
    spots: list[int] = []
    if not at:
        return spots
    for char in reversed(needle):
        at = text.rindex(char, 0, at)
        spots.append(at)
    return spots[::-1]
