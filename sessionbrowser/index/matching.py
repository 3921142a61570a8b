"""Whether a piece of conversation holds what a query asks for, and where: the text itself has the last word.

Words are compared without case and accents, as beginnings of words, quotes without case and with any white space for a
blank, expressions as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from sessionbrowser.index.words import PREFIX, begins_word, loose
from sessionbrowser.query.fields import fold
from sessionbrowser.query.marks import compiled
from sessionbrowser.query.tree import Exact, Field, Leaf, Regexp, Word
from sessionbrowser.text import for_eyes

Ranges = tuple[tuple[int, int], ...]
SNIPPET = 160  # characters
_LONGEST_LINE = 2000  # characters of a line around a match
_LONGEST = 4 << 20  # characters of one passage that are looked at by expressions


@lru_cache(maxsize=256)
def _pattern(leaf: Leaf) -> re.Pattern[str]:
    """What to look for in a folded text (in the text as it is, for an expression)."""
    if isinstance(leaf, Regexp):
        return compiled(leaf)
    text = loose(leaf.text) if isinstance(leaf, Word) else fold(leaf.text) if isinstance(leaf, Exact) else ""
    body = r"\s+".join(re.escape(piece) for piece in text.split()) or re.escape(text)
    if isinstance(leaf, Word) and len(text) < PREFIX and text.isascii() and text.isalnum():
        body = rf"(?<![^\W_]){body}(?![^\W_])"  # so short a word has to be a whole one
    return re.compile(body)


def holds(leaf: Leaf, text: str) -> bool:
    """Whether `text` holds a word, a quote or an expression."""
    if isinstance(leaf, Field):
        return False
    pattern = _pattern(leaf)
    if isinstance(leaf, Regexp):
        return pattern.search(text, 0, _LONGEST) is not None
    if isinstance(leaf, Word):
        return pattern.search(loose(text)) is not None and next(_places(leaf, text), None) is not None
    return pattern.search(fold(text)) is not None


def spots(leaves: Sequence[Leaf], text: str, most: int = 200) -> Ranges:
    """The characters of `text` that match, in order and without overlap."""
    found: list[tuple[int, int]] = []
    for leaf in leaves:
        if isinstance(leaf, Regexp):
            found += [hit.span() for hit in islice(compiled(leaf).finditer(text), most) if hit.end() > hit.start()]
        elif isinstance(leaf, Word | Exact):
            found += islice(_places(leaf, text), most)
    merged: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def _places(leaf: Word | Exact, text: str) -> Iterator[tuple[int, int]]:
    """Where a word (or words that begin with it) or a quote stands in `text`."""
    low, places = _folded(text, accents=isinstance(leaf, Exact))
    for hit in _pattern(leaf).finditer(low):
        start, end = (places[hit.start()], places[hit.end() - 1] + 1) if places and hit.end() > hit.start() else hit.span()
        if end > start and (isinstance(leaf, Exact) or begins_word(text, start)):
            yield start, end


def _folded(text: str, *, accents: bool) -> tuple[str, list[int]]:
    """`text` folded, and for each character of that where it comes from (nothing when they are the same)."""
    if text.isascii():
        return text.lower(), []
    low = fold(text) if accents else loose(text)
    if len(low) == len(text) and unicodedata.is_normalized("NFC", text):
        return low, []
    pieces: list[str] = []
    places: list[int] = []
    for at, char in enumerate(text):
        piece = char.lower() if char.isascii() else char.casefold()
        if not accents and not piece.isascii():
            piece = loose(char)
        pieces.append(piece)
        places += [at] * len(piece)
    low = "".join(pieces)
    if accents and (composed := unicodedata.normalize("NFC", low)) != low:
        return (composed, []) if len(composed) == len(text) else (low, places)
    return low, places


def first_place(leaves: Sequence[Leaf], text: str) -> int | None:
    """Where the first match in `text` begins; None when there is none."""
    near = spots(leaves, text, 1)
    return near[0][0] if near else None


def snippet(text: str, leaves: Sequence[Leaf], at: int = 0, width: int = SNIPPET) -> tuple[str, Ranges]:
    """One line of `text` around a place in it, fit for eyes, and what to mark there."""
    start = max(0, at - width // 3)
    if start:
        blank = text.find(" ", start, at)
        start = blank + 1 if blank >= 0 else start
    line_start = text.rfind("\n", start, at) + 1 or start
    window = text[line_start : line_start + width * 3]
    line = " ".join(for_eyes(window).split())
    cut = line[:width].rstrip()
    if len(line) > width or line_start + width * 3 < len(text):
        cut += "…"
    if line_start:
        cut = "…" + cut
    return cut, spots(leaves, cut)


def lines_around(text: str, at: int, context: int) -> tuple[tuple[str, ...], int]:
    """The line of a place in `text` with `context` lines before and after, and which of them it is."""
    lines = for_eyes(text).split("\n")
    line = min(for_eyes(text[:at]).count("\n"), len(lines) - 1)
    first = max(0, line - context)
    return tuple(_no_longer(each) for each in lines[first : line + context + 1]), line - first


def _no_longer(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "…"
