"""Rows of a screen before they have colours: pieces of text, each with what it means."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, overload

from sessionbrowser.model import Span
from sessionbrowser.render.glyphs import UNICODE, Glyphs
from sessionbrowser.render.wrap import Range, lines, pieces_of, steady, wrap
from sessionbrowser.text import cells, cut

if TYPE_CHECKING:
    from rich.text import Text

    from sessionbrowser.render.palette import Palette

Piece = tuple[str, str]  # text without newlines or tabs, and a style of palette.py


class Row(NamedTuple):
    """One row. `fill` styles what is left of the width behind the pieces, from `fill_from` cells on."""

    pieces: tuple[Piece, ...] = ()
    fill: str = ""

    @property
    def text(self) -> str:
        return "".join([text for text, _ in self.pieces])


Rows = Sequence[Row]
EMPTY = Row()


class Look(NamedTuple):
    """How things are to be drawn: what every function here is told."""

    width: int  # cells from edge to edge
    glyphs: Glyphs = UNICODE
    wrap: bool = True  # False: long lines of output and code are cut instead
    now: float = 0.0  # for the age of what runs; 0: nothing runs
    limit: int = 40  # rows of a body before "… 12 lines more"; 0: all of them
    measure: int = 100  # widest line of prose
    shift: int = 0  # cells that unwrapped lines are moved to the left
    pictures: bool = False  # pictures are drawn: the terminal shows any colour
    own_names: bool = True  # open calls say how their agent calls the tool, where that is another word
    folders: tuple[tuple[str, str], ...] = ()  # beginnings of paths (raw), and what is shown for them

    @property
    def inner(self) -> int:
        """Cells for a body, between its indent and the right margin."""
        return max(12, self.width - INDENT - 2)

    @property
    def prose(self) -> int:
        return min(self.inner, self.measure)


    def path(self, path: str) -> str:
        """A path as short as it can be said here."""
        for folder, shown in self.folders:
            if path.startswith(folder):
                return shown + path[len(folder) :]
        return path


INDENT = 4


def folders_of(cwd: str | None, home: str) -> tuple[tuple[str, str], ...]:
    """How paths are shortened in a session of the directory `cwd` (both raw)."""
    made = []
    if cwd and len(cwd) > 1:
        made.append((cwd.rstrip("/\\") + ("\\" if "\\" in cwd and "/" not in cwd else "/"), ""))
    if len(home) > 1:
        made.append((home.rstrip("/\\") + "/", "~/"))
    return tuple(made)


class Stack(Sequence[Row]):
    """Several runs of rows as one, none of them copied or made before it is looked at."""

    def __init__(self, runs: Iterable[Rows]) -> None:
        self._runs = [run for run in runs if len(run)]
        self._ends = list(accumulate(len(run) for run in self._runs))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Rows: ...
    def __getitem__(self, at: int | slice) -> Row | Rows:
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        if at < 0:
            at += len(self)
        run = bisect_right(self._ends, at)
        if at < 0 or run >= len(self._runs):
            raise IndexError(at)
        return self._runs[run][at - (self._ends[run - 1] if run else 0)]


class Window(Sequence[Row]):
    """Some rows of others, from `start` to `end`."""

    def __init__(self, rows: Rows, start: int, end: int) -> None:
        self._rows, self._start, self._end = rows, start, min(end, len(rows))

    def __len__(self) -> int:
        return max(0, self._end - self._start)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Rows: ...
    def __getitem__(self, at: int | slice) -> Row | Rows:
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        if not 0 <= at < len(self):
            raise IndexError(at)
        return self._rows[self._start + at]


class TextRows(Sequence[Row]):
    """A text of any size, wrapped as ranges; a row is made when it is looked at."""

    def __init__(self, text: str, look: Look, *, width: int, style: str = "", spans: tuple[Span, ...] = (),
                 lead: tuple[Piece, ...] = ()) -> None:  # fmt: skip
        self._text, self._spans = steady(text, spans)
        self._starts = [span.start for span in self._spans]
        self._width, self._style, self._lead = width, style, lead
        self._ellipsis = look.glyphs.ellipsis
        self._shift = 0 if look.wrap else look.shift
        self._rows = wrap(self._text, width) if look.wrap else lines(self._text)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Rows: ...
    def __getitem__(self, at: int | slice) -> Row | Rows:
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        return self._row(self._rows[at])

    def _row(self, place: Range) -> Row:
        start, end = place
        start = min(start + self._shift, end)
        if end - start > self._width * 4:  # a line that is cut: look at no more of it than can be seen
            end = start + self._width * 4
        if not self._spans:
            text = self._text[start:end]
            return Row((*self._lead, (cut(text, self._width, self._ellipsis), self._style)))
        first = max(0, bisect_right(self._starts, start) - 1)
        last = bisect_right(self._starts, end)
        pieces = list(pieces_of(self._text, start, end, list(self._spans[first:last]), self._style))
        return Row((*self._lead, *clip(pieces, self._width, self._ellipsis)))


def width_of(pieces: Iterable[Piece]) -> int:
    """Cells that `pieces` take."""
    return sum(cells(text) for text, _ in pieces)


def clip(pieces: Sequence[Piece], width: int, ellipsis: str = "…") -> list[Piece]:
    """`pieces` in at most `width` cells, cut at their end."""
    if width_of(pieces) <= width:
        return list(pieces)
    kept: list[Piece] = []
    left = width
    for text, style in pieces:
        size = cells(text)
        if size < left:
            kept.append((text, style))
            left -= size
            continue
        kept.append((cut(text + " " * 2, left, ellipsis) if size == left else cut(text, left, ellipsis), style))
        break
    return kept


def wrap_pieces(pieces: Sequence[Piece], width: int) -> list[list[Piece]]:
    """Styled text broken into rows; a newline in a piece begins a new row."""
    text = "".join(part for part, _ in pieces)
    spans: list[Span] = []
    at = 0
    for part, style in pieces:
        spans.append(Span(at, at + len(part), style))
        at += len(part)
    return [list(pieces_of(text, start, end, spans, "")) for start, end in wrap(text, width)]


def indented(rows: Iterable[Sequence[Piece]], lead: Sequence[Piece], then: Sequence[Piece] | None = None) -> Iterator[Row]:
    """`rows` behind `lead`; behind `then` from the second row on."""
    for index, row in enumerate(rows):
        yield Row((*(lead if index == 0 or then is None else then), *row))


def to_text(row: Row, palette: Palette, width: int = 0) -> Text:
    """A row as Rich text, filled to `width` cells where it has a background."""
    from rich.text import Text

    text = Text(no_wrap=True, end="")
    for part, style in row.pieces:
        text.append(part, palette.style(style))
    if row.fill and (left := width - width_of(row.pieces)) > 0:
        text.append(" " * left, palette.style(row.fill))
    return text
