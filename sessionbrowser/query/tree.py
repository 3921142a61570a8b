"""What a query says, as a tree whose leaves know where they stand in the text; and the tree printed back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Word(NamedTuple):
    """A word to find: fuzzy over title, project and branch, as a beginning of words in the conversation."""

    text: str
    start: int = 0
    end: int = 0


class Exact(NamedTuple):
    """Words in quotes: this text, whatever its case."""

    text: str
    start: int = 0
    end: int = 0


class Regexp(NamedTuple):
    """A regular expression; case matters only when it has a capital letter."""

    pattern: str
    start: int = 0
    end: int = 0


class Field(NamedTuple):
    """A field and its values, any of which will do. `quoted` values are compared whole."""

    name: str
    values: tuple[str, ...]
    quoted: bool = False
    start: int = 0
    end: int = 0


class Not(NamedTuple):
    """What must not be."""

    part: Word | Exact | Regexp | Field
    start: int = 0
    end: int = 0


class And(NamedTuple):
    """Everything a query asks for."""

    parts: tuple[Word | Exact | Regexp | Field | Not, ...] = ()


class Problem(NamedTuple):
    """What could not be read, in words for the person, and where."""

    message: str
    start: int
    end: int


Leaf = Word | Exact | Regexp | Field
Part = Leaf | Not
_LIKE_FIELD = re.compile(r"[A-Za-z]{2,12}:")
_ESCAPED = re.compile(r'\\(?:[-"/\\]|[A-Za-z]{2,12}:)')
_RUN = re.compile(r'(\\*)("|$)')


def quote(text: str) -> str:
    """`text` in quotes, so that reading it gives `text` again."""
    return '"' + _RUN.sub(lambda found: found[1] * 2 + ('\\"' if found[2] else ""), text) + '"'


def print_part(part: Part) -> str:
    """One part as a person would type it."""
    if isinstance(part, Not):
        return "-" + print_part(part.part)
    if isinstance(part, Word):
        return "\\" + part.text if _misread(part.text) else part.text
    if isinstance(part, Exact):
        return quote(part.text)
    if isinstance(part, Regexp):
        return "/" + _escape_slashes(part.pattern) + "/"
    values = part.values
    if part.quoted:
        return f"{part.name}:{quote(values[0])}"
    return f"{part.name}:{','.join(values)}"


def print_tree(tree: And) -> str:
    """The query in its plainest spelling."""
    return " ".join(print_part(part) for part in tree.parts)


def plain(part: And | Part) -> object:
    """A tree without positions, to compare."""
    if isinstance(part, And):
        return tuple(plain(item) for item in part.parts)
    if isinstance(part, Not):
        return ("not", plain(part.part))
    return (type(part).__name__, *part[:-2])


def leaves(tree: And) -> Iterator[tuple[Leaf, bool]]:
    """Every leaf, and whether it is wanted (False: it must not be)."""
    for part in tree.parts:
        if isinstance(part, Not):
            yield part.part, False
        else:
            yield part, True


def looks_like_field(text: str, names: frozenset[str]) -> bool:
    """Whether a word would be read as a field."""
    name, colon, _ = text.partition(":")
    return bool(colon) and name.lower() in names


def escaped(piece: str) -> bool:
    """Whether a piece begins with a backslash that takes the rest of it for a plain word."""
    return _ESCAPED.match(piece) is not None


def _misread(text: str) -> bool:
    return text[:1] in ("-", '"', "/") or _LIKE_FIELD.match(text) is not None or escaped(text)


def _escape_slashes(pattern: str) -> str:
    out, at = [], 0
    while at < len(pattern):
        if pattern[at] == "\\" and at + 1 < len(pattern):
            out.append(pattern[at : at + 2])
            at += 2
            continue
        out.append("\\/" if pattern[at] == "/" else pattern[at])
        at += 1
    return "".join(out)
