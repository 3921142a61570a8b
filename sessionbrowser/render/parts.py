"""The forms a body can take, each as rows: prose, output, code, edits, to-do lists, questions, named values, pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import overload

from sessionbrowser.model import (
    Checklist,
    Code,
    Diff,
    Fields,
    Part,
    Picture,
    Plain,
    Prose,
    Question,
    Questions,
)
from sessionbrowser.render import code, diff, markdown, pictures
from sessionbrowser.render.rows import (
    EMPTY,
    INDENT,
    Look,
    Piece,
    Row,
    Rows,
    Stack,
    TextRows,
    Window,
    indented,
    wrap_pieces,
)
from sessionbrowser.text import amount, cells, cut, plural, weight

LONG_LINE, LONGEST_LINE = 4_000, 1_000_000  # characters of one line that are shown at first, and at all

INDENTED: Piece = (" " * INDENT, "")


def draw(part: Part, look: Look, *, named: bool = False, bad: bool = False) -> Rows:
    """One part of a body as rows, indented."""
    return _DRAW[type(part)](part, look, named, bad)


def edge(look: Look) -> Piece:
    return (look.glyphs.edge + " ", "edge")


def _prose(part: Prose, look: Look, named: bool, bad: bool) -> Rows:
    return markdown.rows(part.text, look._replace(width=look.width - 2), lead=(INDENTED, edge(look)))


def _plain(part: Plain, look: Look, named: bool, bad: bool) -> Rows:
    lead = (INDENTED, edge(look))
    text = part.text.rstrip("\n")
    head: Rows = [Row((*lead, (cut(_flat(part.label), look.inner - 2, look.glyphs.ellipsis), "label")))] if part.label else []
    if not text:
        return head
    end = _long_line(text, LONG_LINE if look.limit else LONGEST_LINE)
    if end:
        spans = tuple(span._replace(end=min(span.end, end)) for span in part.spans if span.start < end)
        body = TextRows(text[:end], look, width=look.inner - 2, style="output", spans=spans, lead=lead)
        left = f"{amount(len(text) - end)} characters" + (" more" if look.limit else " more are left out")
        return Stack([head, body, [Row((*lead, (f"{look.glyphs.ellipsis} {left}", "more")))]])
    body = TextRows(text, look, width=look.inner - 2, style="output", spans=part.spans, lead=lead)
    return Stack([head, middle_cut(body, look, lead, tail=part.error or bad)])


def _long_line(text: str, longest: int) -> int:
    """Where to end a text with a line longer than `longest` among its first; 0 when there is none."""
    at = 0
    for _ in range(60):
        stop = text.find("\n", at)
        if (len(text) if stop < 0 else stop) - at > longest:
            return at + longest
        if stop < 0:
            return 0
        at = stop + 1
    return 0


def _code(part: Code, look: Look, named: bool, bad: bool) -> Rows:
    if _long_line(part.text, LONG_LINE):
        return _plain(Plain(part.text), look, named, bad)
    if part.language == "bash" and not part.start:
        lines = code.rows(part, look, lead=(), width=look.inner - 2)
        return [Row((INDENTED, ("$ " if i == 0 else "  ", "marker"), *row.pieces)) for i, row in enumerate(lines)]
    return middle_cut(code.rows(part, look, lead=(INDENTED,)), look, (INDENTED,))


def _diff(part: Diff, look: Look, named: bool, bad: bool) -> Rows:
    made = diff.rows(part, look, lead=(INDENTED,), named=named or part.created or part.deleted)
    return middle_cut(made, look._replace(limit=look.limit * 2), (INDENTED,))


def _checklist(part: Checklist, look: Look, named: bool, bad: bool) -> Rows:
    glyphs = look.glyphs
    signs = {"done": (glyphs.finished, "ok", "dim"), "active": (glyphs.running, "accent", "strong"),
             "dropped": (glyphs.failed, "faint", "strike")}  # fmt: skip
    made: list[Row] = []
    for state, text in part.items:
        sign, sign_style, style = signs.get(state, (glyphs.box, "faint", "text"))
        lead = (INDENTED, (sign + " ", sign_style))
        made.extend(indented(wrap_pieces([(_flat(text), style)], look.prose - 2), lead, (INDENTED, ("  ", ""))))
    return made


def _questions(part: Questions, look: Look, named: bool, bad: bool) -> Rows:
    made: list[Row] = []
    for index, item in enumerate(part.items):
        if index:
            made.append(EMPTY)
        made.extend(_question(item, look))
    return made


def _question(item: Question, look: Look) -> list[Row]:
    glyphs, width = look.glyphs, look.prose
    head = [(_flat(item.header) + "  ", "faint")] if item.header else []
    made = list(indented(wrap_pieces([*head, (_flat(item.text), "strong")], width), (INDENTED,)))
    known = {label for label, _ in item.options}
    for label, about in item.options:
        taken = label in item.answers or any(label in answer.split(", ") for answer in item.answers)
        sign: Piece = (glyphs.running + " ", "accent") if taken else (glyphs.box + " ", "faint")
        words: list[Piece] = [(_flat(label), "strong" if taken else "dim"), ("  " + _flat(about) if about else "", "faint")]
        made.extend(indented(wrap_pieces(words, width - 2), (INDENTED, sign), (INDENTED, ("  ", ""))))
    for answer in item.answers:
        if answer not in known and not all(word in known for word in answer.split(", ")):
            made.extend(indented(wrap_pieces([(_flat(answer), "text")], width - 2),
                                 (INDENTED, (glyphs.arrow + " ", "accent")), (INDENTED, ("  ", ""))))  # fmt: skip
    return made


def _fields(part: Fields, look: Look, named: bool, bad: bool) -> Rows:
    size = min(18, max((cells(name) for name, _ in part.pairs), default=0))
    runs: list[Rows] = []
    for name, value in part.pairs:
        shown = cut(_flat(name), size, look.glyphs.ellipsis)
        label: Piece = (shown + " " * (size - cells(shown) + 2), "label")
        body = TextRows(value.strip("\n"), look, width=max(12, look.inner - size - 2), style="dim")
        pad: Piece = (" " * (size + 2), "")
        runs.append(_Labelled(body, (INDENTED, label), (INDENTED, pad)))
    return middle_cut(Stack(runs), look, (INDENTED,))


class _Labelled(Window):
    """Rows with a label in front of the first."""

    def __init__(self, rows: Rows, lead: tuple[Piece, ...], then: tuple[Piece, ...]) -> None:
        super().__init__(rows, 0, len(rows))
        self._lead, self._then = lead, then

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Rows: ...
    def __getitem__(self, at: int | slice) -> Row | Rows:
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        row = super().__getitem__(at)
        return Row((*(self._lead if at == 0 else self._then), *row.pieces), row.fill)


def _picture(part: Picture, look: Look, named: bool, bad: bool) -> Rows:
    lead = (INDENTED, edge(look))
    card = Row((*lead, (look.glyphs.said(cut(picture_words(part), look.inner - 2, look.glyphs.ellipsis)), "dim")))
    if not look.pictures or not part.data:
        return [card]
    return [card, *(Row((*lead, *pieces)) for pieces in pictures.rows(part.data, look.prose - 2))]


def picture_words(part: Picture) -> str:
    """What a picture is, in words: "image  png  800×600  120k"."""
    size = f"{part.width}×{part.height}" if part.width and part.height else ""
    return _flat("  ".join(filter(None, ("image", part.format, size, weight(part.size) if part.size else "", part.name))))


def _flat(text: str) -> str:
    """A text of one line; several are joined."""
    return "  ".join(text.split()) if "\n" in text or "\t" in text else text


def middle_cut(rows: Rows, look: Look, lead: tuple[Piece, ...], *, tail: bool = False) -> Rows:
    """At most about `look.limit` rows: the first of them, or with `tail` the first and the last, and how many are left out."""
    if not look.limit or len(rows) <= look.limit + 2:
        return rows
    first = look.limit // 3 if tail else look.limit
    last = look.limit - first
    left = len(rows) - first - last
    more = Row((*lead, (f"{look.glyphs.ellipsis} {plural(left, 'line')} more", "more")))
    return Stack([Window(rows, 0, first), [more], Window(rows, len(rows) - last, len(rows))])


_DRAW: dict[type, Callable[..., Rows]] = {
    Prose: _prose, Plain: _plain, Code: _code, Diff: _diff, Checklist: _checklist, Questions: _questions,
    Fields: _fields, Picture: _picture,
}  # fmt: skip
