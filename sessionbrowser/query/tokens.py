"""The text of the box cut into tokens with positions. Never fails: unfinished input is what the person means so far."""

from __future__ import annotations

import re
from typing import NamedTuple

from sessionbrowser.query.tree import escaped, looks_like_field

_SPACE = re.compile(r"\s*")
_PIECE = re.compile(r"\S*")
_PATTERN_SIGNS = re.compile(r"[\\^$*+?()\[\]{}|]")


class Token(NamedTuple):
    """A piece of the query. `start` counts a leading minus in; `at` is where the value begins."""

    kind: str  # word, exact, regexp, field
    value: str
    start: int
    end: int
    at: int
    negative: bool = False
    name: str = ""  # field: its name as typed
    quoted: bool = False  # field: its value stands in quotes
    open: bool = False  # the closing quote or slash is still to come


def tokens(text: str, names: frozenset[str]) -> list[Token]:
    """Every token of `text`; `names` are the fields (and their other spellings) there are."""
    found: list[Token] = []
    at = _SPACE.match(text, 0).end()  # type: ignore[union-attr]
    while at < len(text):
        token = _token(text, at, names)
        found.append(token)
        at = _SPACE.match(text, token.end).end()  # type: ignore[union-attr]
    return found


def _token(text: str, start: int, names: frozenset[str]) -> Token:
    negative = text[start] == "-"
    at = start + negative
    char = text[at : at + 1]
    if char == '"':
        value, end, is_open = _quoted(text, at)
        return Token("exact", value, start, end, at, negative, open=is_open)
    if char == "/" and (read := _regexp(text, at)):
        value, end, is_open = read
        return Token("regexp", value, start, end, at, negative, open=is_open)
    piece = _PIECE.match(text, at)[0]  # type: ignore[index]
    if looks_like_field(piece, names):
        return _field(text, start, at, piece, negative)
    value = piece[1:] if escaped(piece) else piece
    return Token("word", value, start, at + len(piece), at, negative)


def _field(text: str, start: int, at: int, piece: str, negative: bool) -> Token:
    name, _, value = piece.partition(":")
    begin = at + len(name) + 1
    if value[:1] == '"':
        value, end, is_open = _quoted(text, begin)
        return Token("field", value, start, end, begin, negative, name.lower(), quoted=True, open=is_open)
    return Token("field", value, start, at + len(piece), begin, negative, name.lower())


def _quoted(text: str, at: int) -> tuple[str, int, bool]:
    r"""The value of the quotes that open at `at`, where they end, and whether they are still open.

    A quote inside is written \"; other backslashes stand for themselves, so that Windows paths can be pasted.
    """
    out: list[str] = []
    at += 1
    while at < len(text):
        stop = at
        while stop < len(text) and text[stop] == "\\":
            stop += 1
        slashes = stop - at
        if stop < len(text) and text[stop] == '"':
            out.append("\\" * (slashes // 2))
            if slashes % 2 == 0:
                return "".join(out), stop + 1, False
            out.append('"')
            at = stop + 1
        elif slashes:
            out.append(text[at:stop])
            at = stop
        else:
            out.append(text[at])
            at += 1
    return "".join(out), at, True


def _regexp(text: str, at: int) -> tuple[str, int, bool] | None:
    """The pattern that opens at `at`; None when a path begins there instead."""
    piece = _PIECE.match(text, at)[0]  # type: ignore[index]
    close = _closing_slash(text, at)
    if close is not None and ("/" not in _without_escapes(piece[1:-1]) or close == at + len(piece) - 1):
        return text[at + 1 : close].replace("\\/", "/"), close + 1, False
    if "/" in _without_escapes(piece[1:]) or not _PATTERN_SIGNS.search(piece):
        return None
    return _unfinished(text[at + 1 :]).replace("\\/", "/"), len(text), True


def _unfinished(pattern: str) -> str:
    """A pattern nobody has closed yet, without the blanks behind it (but for an escaped one): none stands before a closing slash."""
    found = pattern.rstrip()
    is_escaped = (len(found) - len(found.rstrip("\\"))) % 2 == 1
    return pattern[: len(found) + is_escaped]


def _without_escapes(piece: str) -> str:
    return re.sub(r"\\.", "..", piece)


def _closing_slash(text: str, at: int) -> int | None:
    at += 1
    begin = behind = at
    while at < len(text):
        if text[at] == "\\":
            at += 2
            behind = at  # a blank before it is part of the expression
            continue
        if text[at] == "/":
            if at > behind and text[at - 1].isspace():
                return None
            if at + 1 >= len(text) or text[at + 1].isspace():
                return at if at > begin else None
        at += 1
    return None
