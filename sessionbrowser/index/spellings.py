"""How a word may stand in a file of JSON: with accents or without, composed or not, as UTF-8 or escaped."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache
from typing import NamedTuple

from sessionbrowser.index.words import loose

_ACCENTED = (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))  # the letters of Latin scripts that carry marks
_TOGETHER = {"ss": "ßẞ", "fi": "ﬁ", "fl": "ﬂ", "ff": "ﬀ"}
_MARK = r"(?:[\xcc\xcd][\x80-\xbf]|\\u03[0-6][0-9a-fA-F])"
_LONGEST = 24  # bytes that one letter with its marks takes at most


class Loose(NamedTuple):
    """An expression over bytes (as `rg` and `re` read it, whatever the case), and the bytes it matches at most."""

    pattern: str
    longest: int

    def compiled(self) -> re.Pattern[bytes]:
        return re.compile(self.pattern.encode(), re.IGNORECASE | re.DOTALL)


def of_word(word: str) -> Loose | None:
    """Every spelling of `word` that a search without accents takes for it; None where that is not only ASCII and marks."""
    plain = loose(word)
    if not plain.isascii() or not plain:
        return None
    pattern, at = "", 0
    while at < len(plain):
        pair = plain[at : at + 2]
        one = pair if pair in _TOGETHER else plain[at]
        pattern += _pair(one) if len(one) == 2 else _letter(one)
        at += len(one)
    return Loose(pattern, _LONGEST * len(plain))


@cache
def _pair(pair: str) -> str:
    """Two letters, or the one sign that stands for both."""
    return f"(?:{_letter(pair[0])}{_letter(pair[1])}|{'|'.join(way for sign in _TOGETHER[pair] for way in _ways(sign))})"


def _ways(char: str) -> tuple[str, str]:
    return "".join(f"\\x{byte:02x}" for byte in char.encode()), rf"\\u{ord(char):04x}"


@cache
def _letter(char: str) -> str:
    escaped = re.escape(json.dumps(char)[1:-1]).replace("\\ ", " ")
    if char in "<>&'":  # some writers escape these
        return rf"(?:{escaped}|\\u00{ord(char):02x})"
    if not char.isalpha():
        return escaped
    found = [chr(code) for code in _ACCENTED if loose(chr(code)) == char]
    written = [escaped, *(way for one in found for way in _ways(one))]
    return f"(?:{'|'.join(written)}){_MARK}*"


def is_accented(text: str) -> bool:
    """Whether `text` has letters with marks."""
    return any(unicodedata.category(char) == "Mn" or unicodedata.normalize("NFD", char) != char for char in text)
