"""How a word may stand in a file of JSON: with accents or without, composed or not, as UTF-8 or escaped."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from sessionbrowser.index.words import loose

_ACCENTED = (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))  # the letters of Latin scripts that carry marks
_TOGETHER = {"ss": "ßẞ", "fi": "ﬁ", "fl": "ﬂ", "ff": "ﬀ"}
_MARK = r"(?:[\xcc\xcd][\x80-\xbf]|\\u03[0-6][0-9a-fA-F])"
_ESCAPED_BY_SOME = "<>&'"
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_LONGEST = 24  # bytes that one letter with its marks takes at most

_LETTER = r"(?:[\xc3-\xc9\xcc\xcd][\x80-\xbf]|\xe1[\xb8-\xbb][\x80-\xbf]|\xef\xac[\x80-\x82])"
_ESCAPE = r"\\u(?:00[c-fC-F]|01[0-9a-fA-F]|02[0-4]|03[0-6]|1[eE][0-9a-fA-F]|[fF][bB]0)[0-9a-fA-F]"
TAILS = tuple(f"(?-u){one}(?:[a-zA-Z]|{one})*" for one in (_LETTER, _ESCAPE))  # an accented letter and the letters behind it


class Loose(NamedTuple):
    """An expression over bytes (as `rg` and `re` read it, whatever the case), the bytes it matches at most, and its word.

    `plain` is the word without accents as JSON writes it; b"" for one that is written in several ways even so.
    """

    pattern: str
    longest: int
    word: str
    plain: bytes

    def test(self) -> Callable[[bytes], bool]:
        """Whether some bytes, in small letters, hold the word. Most hold nothing but ASCII: it can't be hidden there."""
        search, plain = re.compile(self.pattern.encode(), re.IGNORECASE | re.DOTALL).search, self.plain
        if not plain:
            return lambda data: search(data) is not None
        return lambda data: plain in data or ((not data.isascii() or b"\\u" in data) and search(data) is not None)

    def goes_on(self, tail: bytes) -> bool:
        """Whether in what TAILS found, an accented letter and the letters behind it, the word may end."""
        text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), tail.decode("utf-8", "replace"))
        for at, char in enumerate(text):
            is_mark = "\u0300" <= char < "\u0370"
            if is_mark and not at:  # the letter it belongs to is before it
                return True
            if not char.isascii() and self._ends_as(loose(text[at - is_mark :])):
                return True
        return False

    def _ends_as(self, rest: str) -> bool:
        """Whether some end of the word begins like `rest`, as far as that has letters."""
        ends = (self.word[at:] for at, letter in enumerate(self.word) if letter == rest[:1])
        return any(rest.startswith(end) or (end.startswith(rest) and not end[len(rest)].isalpha()) for end in ends)


def of_word(word: str) -> Loose | None:
    """Every spelling of `word` that a search without accents takes for it; None where that is not only ASCII and marks."""
    low = loose(word)
    if not low.isascii() or not low:
        return None
    pattern, at = "", 0
    while at < len(low):
        pair = low[at : at + 2]
        one = pair if pair in _TOGETHER else low[at]
        pattern += _pair(one) if len(one) == 2 else _letter(one)
        at += len(one)
    plain = b"" if any(char in _ESCAPED_BY_SOME for char in low) else json.dumps(low)[1:-1].encode()
    return Loose(pattern, _LONGEST * len(low), low, plain)


@cache
def _pair(pair: str) -> str:
    """Two letters, or the one sign that stands for both."""
    return f"(?:{_letter(pair[0])}{_letter(pair[1])}|{'|'.join(way for sign in _TOGETHER[pair] for way in _ways(sign))})"


def _ways(char: str) -> tuple[str, str]:
    return "".join(f"\\x{byte:02x}" for byte in char.encode()), rf"\\u{ord(char):04x}"


@cache
def _letter(char: str) -> str:
    escaped = re.escape(json.dumps(char)[1:-1]).replace("\\ ", " ")
    if char in _ESCAPED_BY_SOME:
        return rf"(?:{escaped}|\\u00{ord(char):02x})"
    if not char.isalpha():
        return escaped
    found = [chr(code) for code in _ACCENTED if loose(chr(code)) == char]
    written = [escaped, *(way for one in found for way in _ways(one))]
    return f"(?:{'|'.join(written)}){_MARK}*"


def is_accented(text: str) -> bool:
    """Whether `text` has letters with marks."""
    return any(unicodedata.category(char) == "Mn" or unicodedata.normalize("NFD", char) != char for char in text)
