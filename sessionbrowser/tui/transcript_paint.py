"""Rows of a transcript as strips: the theme's colours, the cursor, marks and the selection."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from sessionbrowser.render.palette import Palette
from sessionbrowser.render.rows import Piece, Row
from sessionbrowser.text import cells
from sessionbrowser.tui.transcript_find import Words


class Painter:
    """Paints rows in one theme at one width."""

    def __init__(self, palette: Palette, base: Style, width: int) -> None:
        self.palette, self.base, self.width = palette, base, width
        self._styles: dict[str, Style] = {}

    def style(self, meaning: str) -> Style:
        """A style of the palette over the background of the widget."""
        made = self._styles.get(meaning)
        if made is None:
            if len(self._styles) > 3000:
                self._styles.clear()
            made = self._styles[meaning] = self.base + self.palette.style(meaning)
        return made

    def strip(self, row: Row, *, under: str = "", sign: Piece | None = None, words: Words | None = None,
              mark: str = "match") -> Strip:  # fmt: skip
        """One row. `under` is a style below all of it, `sign` stands in its first cell, `words` are marked as `mark`."""
        pieces: Sequence[Piece] = row.pieces
        if words is not None and words.words:
            pieces = marked(pieces, words, mark)
        if sign is not None:
            pieces = with_sign(pieces, sign)
        segments = [Segment(text, self.style(f"{under} {style}" if under else style)) for text, style in pieces if text]
        left = self.width - 1 - sum(cells(text) for text, _ in pieces)
        if row.fill and left > 0:
            segments.append(Segment(" " * left, self.style(f"{under} {row.fill}" if under else row.fill)))
        return Strip(segments).adjust_cell_length(self.width, self.style(under))


def with_sign(pieces: Sequence[Piece], sign: Piece) -> list[Piece]:
    """`pieces` with their first cell replaced, when it is blank."""
    if not pieces:
        return [sign]
    text, style = pieces[0]
    if not text.startswith(" "):
        return list(pieces)
    return [sign, (text[1:], style), *pieces[1:]]


def marked(pieces: Sequence[Piece], words: Words, style: str = "match") -> list[Piece]:
    """`pieces` with the words in another style."""
    ranges = words.ranges("".join(text for text, _ in pieces))
    if not ranges:
        return list(pieces)
    made: list[Piece] = []
    at = 0
    for text, own in pieces:
        end = at + len(text)
        done = at
        for start, stop in ranges:
            begin, finish = max(start, done), min(stop, end)
            if finish <= begin:
                continue
            if begin > done:
                made.append((text[done - at : begin - at], own))
            made.append((text[begin - at : finish - at], f"{own} {style}"))
            done = finish
        if done < end:
            made.append((text[done - at :], own))
        at = end
    return made


def selected(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """`strip` with its characters `start` to `end` (-1: to its end) in another style."""
    segments: list[Segment] = []
    at = 0
    if end < 0:
        end = len(strip.text.rstrip())
    for text, own, _ in strip:
        begin, finish = max(start - at, 0), min(end - at, len(text))
        if begin < finish:
            lit = own + style if own else style
            segments += [Segment(text[:begin], own), Segment(text[begin:finish], lit), Segment(text[finish:], own)]
        else:
            segments.append(Segment(text, own))
        at += len(text)
    return Strip([segment for segment in segments if segment.text], strip.cell_length)
