"""Markdown as styled rows, on markdown-it's tokens: calm, dense, and never a link that a terminal would follow."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from sessionbrowser.model import Code
from sessionbrowser.render import code
from sessionbrowser.render.markdown_inline import inline
from sessionbrowser.render.markdown_table import table
from sessionbrowser.render.rows import EMPTY, Look, Piece, Row, Rows, TextRows, indented, wrap_pieces
from sessionbrowser.text import for_eyes

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LIMIT = 64_000  # characters; a longer text is drawn as it is
LONG = 6_000  # characters from which on drawing takes so long (2 ms a KB) that it is better done by a thread, and kept


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"maxNesting": 20}).enable(["table", "strikethrough"])


def rows(text: str, look: Look, *, lead: tuple[Piece, ...] = (), style: str = "text") -> Rows:
    """`text` as Markdown behind `lead`, prose within the measure, code as wide as there is room."""
    text = text.strip("\n")
    if len(text) > LIMIT or not _has_marks(text):
        return TextRows(text, look._replace(wrap=True), width=look.prose, style=style, lead=lead)
    if len(text) > LONG:
        return _kept(text, look._replace(now=0.0, limit=0), lead, style)
    return _drawn(text, look, lead, style)


def _drawn(text: str, look: Look, lead: tuple[Piece, ...], style: str) -> list[Row]:
    return Drawing(look, style).draw(_parser().parse(text.expandtabs(4)), lead)


_kept = lru_cache(maxsize=24)(_drawn)


def _has_marks(text: str) -> bool:
    """Whether anything in `text` could be Markdown: a plain sentence need not be parsed."""
    return any(mark in text for mark in "`*_#[>|~<&\\") or any(
        line.lstrip()[:1] in ("-", "+", "=", "1", "2", "3", "4", "5", "6", "7", "8", "9", "0") or line.startswith("    ")
        for line in text.split("\n")
    )


class Drawing:
    """One pass over the tokens of a text."""

    def __init__(self, look: Look, style: str) -> None:
        self.look, self.style = look, style
        self.out: list[Row] = []
        self.lead: list[Piece] = []  # in front of every row: what was given, then indents and bars of quotes
        self.given = 0
        self.first: list[Piece] | None = None  # in front of the next row only: a list's marker
        self.lists: list[tuple[int | None, bool]] = []  # number of the next item (None: bullets), tight
        self.quotes = 0
        self.gap = False
        self.barred = False  # what was given shows on empty rows as well

    def draw(self, tokens: Sequence[Token], lead: tuple[Piece, ...]) -> list[Row]:
        self.lead, self.given = list(lead), len(lead)
        self.barred = any(text.strip() for text, _ in lead)
        at = 0
        while at < len(tokens):
            at = self._token(tokens, at)
        return self.out

    def _token(self, tokens: Sequence[Token], at: int) -> int:
        token = tokens[at]
        kind = token.type
        if kind == "inline":
            self._paragraph(token, tokens[at - 1])
        elif kind in ("fence", "code_block"):
            self._fence(token)
        elif kind == "table_open":
            return self._table(tokens, at)
        elif kind in ("bullet_list_open", "ordered_list_open"):
            self._space()
            self.lists.append((int(token.attrs.get("start", 1)) if kind[0] == "o" else None, _tight(tokens, at)))
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self.lists.pop()
            self.gap = True
        elif kind == "list_item_open":
            self._item()
        elif kind == "list_item_close":
            self._end_item()
        elif kind == "blockquote_open":
            self._space()
            self.lead.append((self.look.glyphs.edge + " ", "edge"))
            self.quotes += 1
        elif kind == "blockquote_close":
            self.lead.pop()
            self.quotes -= 1
            self.gap = True
        elif kind == "hr":
            self._space()
            self._row([(self.look.glyphs.rule * min(24, self._width()), "line")])
            self.gap = True
        elif kind == "html_block":
            self._space()
            self._lines([(for_eyes(token.content.rstrip("\n")), "dim")])
            self.gap = True
        return at + 1

    # ── pieces of a page ──

    def _paragraph(self, token: Token, before: Token) -> None:
        self._space()
        if before.type == "heading_open":
            style = "heading.1" if before.tag == "h1" else "heading"
        else:
            style = "quote" if self.quotes else self.style
        pieces = inline(token.children or [], style)
        self._lines(self._ticked(pieces) if self.first is not None else pieces)
        self.gap = not (before.hidden and self.lists and self.lists[-1][1])

    def _fence(self, token: Token) -> None:
        self._space()
        language = code.fence_language(token.info) if token.info else ""
        edge = (self.look.glyphs.edge + " ", "edge")
        width = max(8, self.look.inner - self._used() - 2)
        lead = (*self._take_lead(), edge)
        body = code.rows(Code(for_eyes(token.content), language), self.look, lead=lead, width=width)
        self.out.extend(body)
        self.gap = True

    def _table(self, tokens: Sequence[Token], at: int) -> int:
        self._space()
        end = next((i for i in range(at, len(tokens)) if tokens[i].type == "table_close"), len(tokens) - 1)
        lead = self._take_lead()
        self.out.extend(indented(table(tokens[at : end + 1], self.look, self.look.inner - self._used()), lead))
        self.gap = True
        return end + 1

    def _item(self) -> None:
        number, tight = self.lists[-1]
        if self.gap and not tight:
            self._space()
        self.gap = False
        marker = f"{number}. " if number is not None else self.look.glyphs.bullet + " "
        if number is not None:
            self.lists[-1] = (number + 1, tight)
        self.first = [*(self.first or self.lead), (marker, "marker")]
        self.lead.append((" " * len(marker), ""))

    def _end_item(self) -> None:
        if self.first is not None:  # an item with nothing in it still has its marker
            self._row([])
        self.lead.pop()
        self.gap = not self.lists[-1][1]

    def _ticked(self, pieces: list[Piece]) -> list[Piece]:
        """A task list's brackets as signs."""
        text = pieces[0][0] if pieces else ""
        if text[:4].lower() not in ("[ ] ", "[x] "):
            return pieces
        glyphs = self.look.glyphs
        sign = (glyphs.box, "faint") if text[1] == " " else (glyphs.finished, "ok")
        return [sign, (" " + text[4:], pieces[0][1]), *pieces[1:]]

    # ── rows ──

    def _used(self) -> int:
        return sum(len(text) for text, _ in self.lead[self.given :])

    def _width(self) -> int:
        return max(8, self.look.prose - self._used())

    def _space(self) -> None:
        if self.gap and self.out:
            self.out.append(Row(tuple(self.lead)) if self.quotes or self.barred else EMPTY)
        self.gap = False

    def _take_lead(self) -> tuple[Piece, ...]:
        lead, self.first = (self.first or self.lead), None
        return tuple(lead)

    def _row(self, pieces: Sequence[Piece]) -> None:
        self.out.append(Row((*self._take_lead(), *pieces)))

    def _lines(self, pieces: Sequence[Piece]) -> None:
        for row in wrap_pieces(pieces, self._width()):
            self._row(row)


def _tight(tokens: Sequence[Token], at: int) -> bool:
    """Whether the items of the list that opens at `at` stand without blank lines between them."""
    level = tokens[at].level
    for token in tokens[at + 1 :]:
        if token.level == level and token.nesting < 0:
            return True
        if token.level == level + 2 and token.type == "paragraph_open":
            return token.hidden
    return True
