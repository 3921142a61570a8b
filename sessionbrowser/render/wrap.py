"""Breaking text into rows of cells: ranges of characters, so that styles and copies keep their places."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessionbrowser.model import Span

Range = tuple[int, int]

TAB = 4
_UNSTEADY = re.compile("[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")  # terminals disagree about the width of these


def wrap(text: str, width: int) -> list[Range]:
    """The rows of `text`, each at most `width` cells (a wide character in a single cell excepted).

    Breaks at blanks where there are some, else inside a word. Only blanks at a break, and newlines, are in no row.
    """
    width = max(1, width)
    rows: list[Range] = []
    at = 0
    plain = text.isascii()
    while True:
        stop = text.find("\n", at)
        end = len(text) if stop < 0 else stop
        if plain or text.isascii():
            if end - at <= width:
                rows.append((at, end))
            else:
                _wrap_ascii(text, at, end, width, rows)
        else:
            _wrap_line(text, at, end, width, rows)
        if stop < 0:
            return rows
        at = stop + 1


def _wrap_ascii(text: str, at: int, end: int, width: int, rows: list[Range]) -> None:
    while end - at > width:
        body = _first_ink(text, at, at + width)
        blank = text.rfind(" ", body, at + width + 1)
        if blank <= body:
            rows.append((at, at + width))
            at += width
        else:
            rows.append((at, _last_ink(text, at, blank)))
            at = blank + 1
        while at < end and text[at] == " ":
            at += 1
    if at < end:
        rows.append((at, end))


def _first_ink(text: str, at: int, end: int) -> int:
    while at < end and text[at] == " ":
        at += 1
    return at


def _last_ink(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] == " ":
        end -= 1
    return end


def _wrap_line(text: str, at: int, end: int, width: int, rows: list[Range]) -> None:
    line = text[at:end]
    if line.isascii():
        if end - at <= width:
            rows.append((at, end))
        else:
            _wrap_ascii(text, at, end, width, rows)
        return
    from rich.cells import cell_len

    if len(line) < 2000 and cell_len(line) <= width:
        rows.append((at, end))
        return
    start, used, blank, inked = at, 0, -1, False  # blank: the last place in this row where it may be broken
    pieces = _graphemes(line)
    index = 0
    while index < len(pieces):
        begin, stop, size = pieces[index]
        begin, stop = begin + at, stop + at
        if text[begin:stop] == " ":
            if used >= width:  # the row is full: blanks at its end are dropped
                rows.append((start, begin))
                index = _skip_blanks(pieces, index, text, at)
                start, used, blank, inked = _begin_of(pieces, index, at, end), 0, -1, False
                continue
            if inked:
                blank = index
        elif used + size > width and begin > start:
            if blank >= 0:
                rows.append((start, _last_ink(text, start, pieces[blank][0] + at)))
                index = _skip_blanks(pieces, blank, text, at)
            else:
                rows.append((start, begin))
            start, used, blank, inked = _begin_of(pieces, index, at, end), 0, -1, False
            continue
        else:
            inked = True
        used += size
        index += 1
    if start < end or not rows:
        rows.append((start, end))


def _graphemes(line: str) -> list[tuple[int, int, int]]:
    """What must not be taken apart: from where, to where, how many cells. A joiner that joins nothing hides no width."""
    from rich.cells import cell_len, split_graphemes

    pieces, _ = split_graphemes(line)
    return [(start, end, cell_len(line[start:end]) if line[start] == "\u200d" else size) for start, end, size in pieces]


def _skip_blanks(pieces: list[tuple[int, int, int]], index: int, text: str, at: int) -> int:
    while index < len(pieces) and text[pieces[index][0] + at : pieces[index][1] + at] == " ":
        index += 1
    return index


def _begin_of(pieces: list[tuple[int, int, int]], index: int, at: int, end: int) -> int:
    return pieces[index][0] + at if index < len(pieces) else end


def lines(text: str) -> list[Range]:
    """The lines of `text` as they are, for rows that are cut and not wrapped."""
    rows: list[Range] = []
    at = 0
    while (stop := text.find("\n", at)) >= 0:
        rows.append((at, stop))
        at = stop + 1
    rows.append((at, len(text)))
    return rows


def steady(text: str, spans: tuple[Span, ...] = ()) -> tuple[str, tuple[Span, ...]]:
    """`text` with its tabs expanded and without what terminals draw in different widths; spans moved along."""
    if "\t" not in text and (text.isascii() or not _UNSTEADY.search(text)):
        return text, spans
    if not spans:
        return _UNSTEADY.sub("", text).expandtabs(TAB), ()
    pieces: list[str] = []
    places: list[int] = []  # new place of each old character
    length = column = 0
    for char in text:
        places.append(length)
        if char == "\t":
            char = " " * (TAB - column % TAB)
        elif _UNSTEADY.match(char):
            continue
        pieces.append(char)
        length += len(char)
        column = 0 if char == "\n" else column + len(char)
    places.append(length)
    moved = (Span(places[min(s.start, len(text))], places[min(s.end, len(text))], s.style) for s in spans)
    return "".join(pieces), tuple(span for span in moved if span.end > span.start)


def pieces_of(text: str, start: int, end: int, spans: list[Span], base: str) -> Iterator[tuple[str, str]]:
    """The characters `start` to `end` as (text, style); `spans` are those that reach into them, in order."""
    at = start
    for span in spans:
        begin, stop = max(span.start, at), min(span.end, end)
        if stop <= begin:
            continue
        if begin > at:
            yield text[at:begin], base
        yield text[begin:stop], f"{base} {span.style}".strip()
        at = stop
    if at < end:
        yield text[at:end], base
