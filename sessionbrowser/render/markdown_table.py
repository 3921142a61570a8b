"""Tables of Markdown: columns as wide as they need and the room allows, cells wrapped, no box around."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.render.markdown_inline import inline
from sessionbrowser.render.rows import Look, Piece, width_of, wrap_pieces

if TYPE_CHECKING:
    from markdown_it.token import Token

_GAP = 3
_NARROWEST = 6


class Cell(NamedTuple):
    pieces: list[Piece]
    right: bool


def table(tokens: Sequence[Token], look: Look, width: int) -> list[list[Piece]]:
    """The rows of a table, from its opening token to its closing one, in at most `width` cells where that can be."""
    grid = _grid(tokens)
    if not grid:
        return []
    columns = max(len(row) for row in grid)
    for row in grid:
        row.extend(Cell([], False) for _ in range(columns - len(row)))
    widths = _widths(grid, columns, width)
    made: list[list[Piece]] = []
    for index, row in enumerate(grid):
        made.extend(_lines(row, widths))
        if index == 0:
            rule = look.glyphs.rule
            made.append([((rule + look.glyphs.cross + rule).join(rule * size for size in widths), "line")])
    return made


def _grid(tokens: Sequence[Token]) -> list[list[Cell]]:
    grid: list[list[Cell]] = []
    head, right = False, False
    for token in tokens:
        if token.type == "tr_open":
            grid.append([])
        elif token.type in ("th_open", "td_open"):
            head, right = token.tag == "th", "right" in str(token.attrs.get("style", ""))
        elif token.type == "inline" and grid:
            pieces = inline(token.children or [], "heading" if head else "text")
            grid[-1].append(Cell(pieces, right))
    return grid


def _widths(grid: list[list[Cell]], columns: int, room: int) -> list[int]:
    """Natural widths; when they are too much, the widest columns give way first."""
    widths = [max(1, *(_natural(row[column]) for row in grid)) for column in range(columns)]
    spare = room - _GAP * (columns - 1)
    while sum(widths) > spare:
        widest = max(range(columns), key=widths.__getitem__)
        if widths[widest] <= _NARROWEST:
            break
        second = max((w for i, w in enumerate(widths) if i != widest), default=_NARROWEST)
        over = sum(widths) - spare
        widths[widest] = max(_NARROWEST, widths[widest] - max(1, min(over, widths[widest] - second)))
    return widths


def _natural(cell: Cell) -> int:
    return max((width_of(row) for row in wrap_pieces(cell.pieces, 10_000)), default=0)


def _lines(row: list[Cell], widths: list[int]) -> list[list[Piece]]:
    wrapped = [wrap_pieces(cell.pieces, size) for cell, size in zip(row, widths, strict=True)]
    lines: list[list[Piece]] = []
    for at in range(max(len(rows) for rows in wrapped)):
        line: list[Piece] = []
        for column, (rows, size) in enumerate(zip(wrapped, widths, strict=True)):
            pieces = rows[at] if at < len(rows) else []
            pad = " " * max(0, size - width_of(pieces))
            if column:
                line.append((" " * _GAP, ""))
            line += [(pad, ""), *pieces] if row[column].right else [*pieces, (pad, "")]
        lines.append([piece for piece in line if piece[0]])
    return lines
