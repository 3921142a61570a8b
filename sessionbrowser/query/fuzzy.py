"""Letters of words cut short: `flkauth` and `ftat` are "the flaky auth test". Texts and needles are folded by the caller."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

SHORT = 2  # so few letters in order say nothing: they have to stand together
SKIPPED = 2  # words that may be passed over between two letters
_WORD = re.compile(r"[^\W_]+")


def cut_up(text: str) -> str:
    """The words of a text, each behind a NUL, for `reach`."""
    return "\0" + "\0".join(_WORD.findall(text)) + "\0"


@lru_cache(maxsize=32)
def hopping(needle: str) -> Callable[[str], object]:
    """A test whether the first letters of `needle`, SHORT and one more, can be read as the words (`cut_up`) it is given, cut short."""
    first, *others = map(re.escape, needle[: SHORT + 1])
    steps = [rf"(?:[^\0]*?{letter}|[^\0]*(?:\0[^\0]*){{0,{SKIPPED}}}\0{letter})" for letter in others]
    return re.compile(rf"\0{first}" + "".join(steps)).search  # so few letters cannot take it long whatever the text


def reach(needle: str, words: str) -> list[int]:
    """Where the letters of `needle` can end when they are read as the words (`cut_up`) cut short, as `hops` says.

    That is the first place in each word; none when they cannot be read so.
    """
    first = "\0" + needle[0]
    reached: list[int] = []
    at = words.find(first)
    while at >= 0:
        reached.append(at + 1)
        at = words.find(first, at + 1)
    for letter in needle[1:]:
        reached = go_on(letter, words, reached)
    return reached


def go_on(letter: str, words: str, reached: list[int]) -> list[int]:
    """Where one more letter can end, from where those before it can."""
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
    return list(following.values())


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
        if at == 0 or not text[at - 1].isalnum():
            return at
        at = text.find(needle, at + 1)
    return first
