"""Text as the full-text index sees it, and a query in the same terms.

FTS5's `unicode61` splits at everything that is no letter or digit and folds case and accents. What it does not do is
done here, the same way for texts and for queries: composed and decomposed forms are one, the parts of camelCase names
are words too, and scripts without spaces (Chinese, Japanese, Thai, …) are cut into overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

PREFIX = 3  # from so many letters on a word also finds the words it begins
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_HUMP = re.compile("[a-z][A-Z]")
_CAMEL = re.compile("[A-Za-z][A-Za-z0-9]*?[a-z][A-Z][A-Za-z0-9]*")
_KINDS = bytes(97 if 97 <= code <= 122 else 65 if 65 <= code <= 90 else 48 if 48 <= code <= 57 else 32 for code in range(256))
_HUMPS = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+")
_LONGEST_NAME = 200  # characters; a longer one is data, as of a picture
_TOKEN = re.compile(r"[^\W_]+")
_MARKS = re.compile("[\u0300-\u036f]")


def indexed(text: str) -> str:
    """`text` as it goes into the index."""
    if not text.isascii():
        text = _UNSPACED.sub(_pairs_and_last, _composed(text))
    if names := _camel_names(text):
        text = f"{text}\n{' | '.join(map(_parts, names))}"
    return text


@lru_cache(maxsize=1 << 14)  # a conversation says the same names over and over
def _parts(name: str) -> str:
    """The parts of a camelCase name: "parse Http Url"."""
    return " ".join(_HUMPS.findall(name))


def _composed(text: str) -> str:
    """`text` in composed form, without what SQLite has no text for."""
    if _SURROGATE.search(text):
        text = text.encode("utf-8", "replace").decode()
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def _camel_names(text: str) -> dict[str, None]:
    """The words of `text` that have a capital letter inside, each once, in order."""
    names: dict[str, None] = {}
    kinds = text.encode("ascii", "replace").translate(_KINDS)  # a byte a character, so that places are the same
    hump = kinds.find(b"aA")
    while hump >= 0:
        end = kinds.find(b" ", hump)
        if end < 0:
            end = len(text)
        begin = kinds.rfind(b" ", 0, hump) + 1
        if end - begin <= _LONGEST_NAME:
            names[text[begin:end]] = None
        hump = kinds.find(b"aA", end)
    return names


def _pairs_and_last(found: re.Match[str]) -> str:
    """Pairs for phrases, and the last character alone, so that every character begins some word."""
    run = found[0]
    return f" {' '.join([run[at : at + 2] for at in range(len(run) - 1)] + [run[-1]])} "


def _pairs(found: re.Match[str]) -> str:
    run = found[0]
    return f" {' '.join(run[at : at + 2] for at in range(max(len(run) - 1, 1)))} "


def match_expression(text: str) -> str:
    """An FTS5 expression for `text` as a phrase, its last word as a beginning; "" when it holds no letter or digit."""
    text = _composed(text)
    cut = _UNSPACED.sub(_pairs, text)
    tokens = _TOKEN.findall(cut)
    if not tokens:
        return ""
    phrase = _phrase(cut, tokens)
    if _HUMP.search(text):
        humps = _CAMEL.sub(lambda name: _parts(name[0]), text)
        phrase = f"{phrase} OR {_phrase(humps, _TOKEN.findall(humps))}"
    return phrase


def _phrase(text: str, tokens: list[str]) -> str:
    last = tokens[-1]
    single = len(last) == 1 and _UNSPACED.fullmatch(last) is not None
    open_end = len(last) >= PREFIX or single or (len(tokens) > 1 and len(last) > 1 and last.isascii())
    at_end = text.rstrip().endswith(last)
    return '"' + text.replace('"', " ").strip() + '"' + ("*" if open_end and at_end else "")


def begins_word(text: str, at: int) -> bool:
    """Whether what stands in `text` at `at` begins a word of the index, or is none of its words' letters."""
    if at == 0 or not (text[at].isalnum() and text[at - 1].isalnum()) or _UNSPACED.search(text, at - 1, at + 1):
        return True
    begin, end = at - 1, at + 1
    while begin and text[begin - 1].isalnum() and at - begin < _LONGEST_NAME:
        begin -= 1
    while end < len(text) and text[end].isalnum() and end - at < _LONGEST_NAME:
        end += 1
    name = text[begin:end]
    if _HUMP.search(name) is None or len(name) > _LONGEST_NAME:
        return False
    return any(begin + part.start() == at for part in _HUMPS.finditer(name))


def loose(text: str) -> str:
    """`text` as words of a query are compared with it: without case and accents."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text.casefold())))
