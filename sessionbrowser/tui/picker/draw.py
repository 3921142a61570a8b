"""The picker as lines: the box, the list, the preview, the footer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sessionbrowser.model import Session
from sessionbrowser.paths import Environment
from sessionbrowser.render.glyphs import Glyphs
from sessionbrowser.render.rows import Row
from sessionbrowser.text import cells, cut, fit, for_eyes
from sessionbrowser.tui.columns import Widths, heads, plan, row
from sessionbrowser.tui.facts import summary
from sessionbrowser.tui.picker import choice, line
from sessionbrowser.tui.picker.layout import Layout
from sessionbrowser.tui.picker.pen import Pen, Piece, Pieces

_FIELD = re.compile(r"(?<!\S)-?([A-Za-z]+:)")
_KINDS = {"text": "answer"}


class Picture(NamedTuple):
    """All that one frame shows."""

    layout: Layout
    choice: choice.Choice
    box: line.Line
    first: int  # first row of the list
    widths: Widths  # of the columns
    counts: Pieces  # at the right of the box
    empty: Sequence[Pieces]  # instead of rows, when there are none
    preview_title: str
    preview: Sequence[Row]  # from the first line shown on
    covered: Sequence[Row] | None  # shown over list and preview: the help
    said: Pieces  # at the left of the footer, instead of facts
    keys: Sequence[tuple[str, str]]


class Drawing:
    """Makes lines of a picture."""

    _corners: tuple[str, str, str, str]

    def __init__(self, pen: Pen, glyphs: Glyphs, environment: Environment, *, whole: bool) -> None:
        self._pen = pen
        self._glyphs = glyphs
        self._environment = environment
        self._bar = "surface" if whole else "screen"
        self._corners = ("+", "+", "+", "+") if glyphs.rule == "-" else ("╭", "╮", "╰", "╯")

    def lines(self, picture: Picture) -> tuple[list[str], int]:
        """The lines, and the cell of the cursor in the first of them."""
        top, cursor = self._box(picture)
        layout = picture.layout
        made = [top]
        if picture.covered is not None:
            body = [self._fixed(shown.pieces, layout.width) for shown in picture.covered[: layout.body]]
            made += [self._pen.line(pieces, layout.width) for pieces in body]
        else:
            made += self._body(picture)
        made += [self._pen.line([], layout.width)] * (layout.height - layout.has_footer - len(made))
        made = made[: layout.height - layout.has_footer]
        if layout.has_footer:
            made.append(self._footer(picture))
        return made, cursor

    # ── the box ──

    def _box(self, picture: Picture) -> tuple[str, int]:
        width = picture.layout.width
        head: list[Piece] = [(" sb ", "accent bold")] if width >= 24 else []
        head.append((f" {self._glyphs.chevron} ", "faint"))
        counts = list(picture.counts)
        lead = sum(cells(text) for text, _ in head)
        tail = sum(cells(text) for text, _ in counts)
        if width - lead - tail < min(20, width // 2):
            counts, tail = [], 0
        room = max(1, width - lead - tail - 1)
        shown, cursor = picture.box.window(room)
        pieces = [*head, *self._query(shown, picture)]
        pieces.append((" " * max(0, room - cells(shown) + 1), ""))
        return self._pen.line([*pieces, *counts], width, self._bar), lead + cursor

    def _query(self, shown: str, picture: Picture) -> list[Piece]:
        """The text with its fields in colour, and what cannot be read marked."""
        problem = picture.choice.problem
        spans = [(found.start(1), found.end(1), "field") for found in _FIELD.finditer(shown)]
        if problem is not None and len(shown) == len(picture.box.text):
            spans = [span for span in spans if span[1] <= problem.start]
            spans.append((problem.start, max(problem.end, problem.start + 1), "warn underline"))
        pieces: list[Piece] = []
        at = 0
        for start, end, style in spans:
            pieces += [(shown[at:start], "text"), (shown[start:end], style)]
            at = end
        return [*pieces, (shown[at:], "text")]

    # ── list and preview ──

    def _body(self, picture: Picture) -> list[str]:
        layout, pen = picture.layout, self._pen
        rows = self._list(picture)
        shown = self._preview(picture) if layout.preview else []
        title = cut(picture.preview_title, layout.preview_width - 4, self._glyphs.ellipsis)
        if layout.framed:
            said = self._heads(picture) if picture.choice.rows else ""
            boxed = self._boxed("sessions", rows, layout.list_width, layout.list_height, focused=True, right=said)
            other = self._boxed(title, shown, layout.preview_width + 1, layout.preview_height) if layout.preview else []
            if layout.preview == "right":
                return [pen.line([*one, *two], layout.width) for one, two in zip(boxed, other, strict=True)]
            return [pen.line(pieces, layout.width) for pieces in [*boxed, *other]]
        rows = [self._fixed(pieces, layout.list_width) for pieces in _padded(rows, layout.list_height)]
        if layout.preview == "right":
            edge: Piece = (self._glyphs.edge, "line")
            shown = _padded(shown, layout.list_height)
            return [pen.line([*one, edge, *two], layout.width) for one, two in zip(rows, shown, strict=True)]
        made = [pen.line(pieces, layout.width) for pieces in rows]
        if layout.preview == "bottom":
            rule = self._glyphs.rule
            words = f"{rule} {title} " if title else ""
            made.append(pen.line([(words, "dim"), (rule * max(0, layout.width - cells(words)), "line")], layout.width))
            made += [pen.line(pieces, layout.width) for pieces in shown]
        return made

    def _heads(self, picture: Picture) -> str:
        """What the columns of numbers are, right above them, for the frame; "" where there are none."""
        width = picture.layout.list_width
        words = "".join(cell.text for cell in heads(plan(width, picture.widths)))
        return f" {fit(words, width).lstrip()}" if words else ""

    def _list(self, picture: Picture) -> list[Pieces]:
        layout, chosen = picture.layout, picture.choice
        if not chosen.rows:
            return list(picture.empty[: layout.list_height])
        columns = plan(layout.list_width, picture.widths)
        made: list[Pieces] = []
        for item in chosen.lines(picture.first, layout.list_height):
            session = chosen.rows[item.row]
            if item.hit is not None:
                made.append(self._hit(item.hit, layout.list_width))
                continue
            at_cursor = item.row == chosen.cursor
            under = "cursor" if at_cursor else ""
            plain = at_cursor and "reverse" in self._pen.palette["cursor"]  # colours would become backgrounds
            pieces: list[Piece] = []
            marks = chosen.marks(item.row)
            marked = session.identity in chosen.marked
            for cell in row(session, columns, self._environment.now(), self._glyphs, marked=marked):
                style = f"{under} {'' if plain else cell.style} {'bold' if at_cursor and cell.field == 'title' else ''}"
                pieces += _marked(cell.text, marks, cell.field, style)
            taken = sum(cells(text) for text, _ in pieces)
            pieces.append((" " * max(0, layout.list_width - taken), under))
            made.append(pieces)
        return made

    def _hit(self, hit: object, width: int) -> Pieces:
        """The line of a conversation that matches."""
        kind = str(getattr(hit, "kind", ""))
        place = _KINDS.get(kind, kind)
        label = f"       {'agent ' if getattr(hit, 'subagent', None) else ''}{place}  "
        text = cut(str(getattr(hit, "snippet", "")), max(1, width - cells(label) - 1), self._glyphs.ellipsis)
        return [(label, "faint"), *_marked(text, {"hit": getattr(hit, "marks", ())}, "hit", "dim")]

    def _preview(self, picture: Picture) -> list[Pieces]:
        layout = picture.layout
        words = picture.choice.words
        made: list[Pieces] = []
        for shown in picture.preview[: layout.preview_height]:
            pieces: list[Piece] = []
            for text, style in shown.pieces:
                pieces += _found(text, words, style)
            taken = sum(cells(text) for text, _ in pieces)
            if shown.fill and taken < layout.preview_width:
                pieces.append((" " * (layout.preview_width - taken), shown.fill))
            kept = self._fixed(pieces, layout.preview_width) if taken > layout.preview_width else pieces
            made.append([(" ", ""), *kept])
        return made

    def _boxed(self, title: str, rows: list[Pieces], width: int, height: int, *, focused: bool = False, right: str = "") -> list[Pieces]:
        """Rows in a frame of the browser's kind, with words at the right of its upper edge."""
        edge = "border.focus" if focused else "border"
        rule = self._glyphs.rule
        first, second, third, fourth = self._corners
        words = f" {title} " if title else ""
        rest = rule * max(0, width - (1 + cells(words) if title else 0) - cells(right))
        top: Pieces = [(first + (rule if title else ""), edge), (words, "accent bold" if focused else "dim"), (rest, edge), (right, "faint"), (second, edge)]
        wall: Piece = (self._glyphs.edge, edge)
        inside = [[wall, *self._fixed(pieces, width), wall] for pieces in _padded(rows, height)]
        return [top, *inside, [(third + rule * width + fourth, edge)]]

    def _fixed(self, pieces: Pieces, width: int) -> Pieces:
        """Pieces of exactly `width` cells."""
        made: list[Piece] = []
        left = width
        for text, style in pieces:
            if cells(text) > left:
                text = cut(text, left, self._glyphs.ellipsis)
            made.append((text, style))
            left -= cells(text)
            if left <= 0:
                break
        return [*made, (" " * left, "")] if left > 0 else made

    # ── the footer ──

    def _footer(self, picture: Picture) -> str:
        width = picture.layout.width
        keys = list(picture.keys)
        left = list(picture.said) or self._facts(picture.choice.current)
        taken = sum(cells(text) for text, _ in left)
        least = taken if picture.said else min(taken, width // 3)
        while keys and _width(keys) + least + 4 > width:
            keys.pop(-2 if len(keys) > 1 else 0)  # help goes last
        room = max(0, width - 1 - (_width(keys) + 3 if keys else 1))
        pieces: list[Piece] = [(" ", "")]
        for text, style in left:
            text = cut(text, room, self._glyphs.ellipsis)
            room -= cells(text)
            pieces.append((text, style))
        if keys:
            pieces.append((" " * (room + 2), ""))
        for at, (key, does) in enumerate(keys):
            pieces += [(key, "key"), (f" {does}" + ("" if at == len(keys) - 1 else "   "), "dim")]
        return self._pen.line(pieces, width, self._bar)

    def _facts(self, session: Session | None) -> list[Piece]:
        if session is None:
            return []
        return [("  ".join(for_eyes(fact) for fact in summary(session, self._environment)), "dim")]


def _padded(rows: Sequence[Pieces], height: int) -> list[Pieces]:
    return [*rows[:height], *([[]] * (height - len(rows)))]


def _width(keys: Sequence[tuple[str, str]]) -> int:
    return sum(cells(key) + 1 + cells(does) for key, does in keys) + 3 * max(0, len(keys) - 1)


def _marked(text: str, marks: Mapping[str, Sequence[tuple[int, int]]], field: str, style: str) -> list[Piece]:
    """`text` in pieces, the marked characters of its field in the style of a match."""
    spans = marks.get(field)
    if not spans:
        return [(text, style)]
    pieces: list[Piece] = []
    at = 0
    for start, end in spans:
        start, end = max(start, at), min(end, len(text))
        if start < end:
            pieces += [(text[at:start], style), (text[start:end], f"{style} match")]
            at = end
    return [piece for piece in (*pieces, (text[at:], style)) if piece[0]]


def _found(text: str, words: Sequence[str], style: str) -> list[Piece]:
    """`text` with the words of the query marked."""
    spans: list[tuple[int, int]] = []
    for word in words:
        if len(word) >= 2:
            spans += [found.span() for found in re.finditer(re.escape(word), text, re.IGNORECASE)]
    return _marked(text, {"": sorted(spans)}, "", style) if spans else [(text, style)]
