"""Code in colours: lines of pieces by Pygments, which is imported when the first code is drawn."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from sessionbrowser.model import Code
from sessionbrowser.render.rows import Look, Piece, Row, Rows, TextRows, clip, wrap_pieces
from sessionbrowser.render.wrap import steady

if TYPE_CHECKING:
    from pygments.lexer import Lexer

HIGHLIGHT_LIMIT = 12_000  # characters; longer code is drawn without colours
LINE_LIMIT = 2_000  # characters of one line; minified code is drawn without colours

_STYLES = (
    ("Comment", "syntax.comment"), ("Keyword.Type", "syntax.type"), ("Keyword.Constant", "syntax.number"),
    ("Keyword", "syntax.keyword"), ("Literal.String.Interpol", "syntax.number"), ("Literal.String", "syntax.string"),
    ("Literal.Number", "syntax.number"), ("Name.Function", "syntax.name"), ("Name.Class", "syntax.type"),
    ("Name.Decorator", "syntax.name"), ("Name.Builtin", "syntax.type"), ("Name.Exception", "syntax.type"),
    ("Name.Tag", "syntax.keyword"), ("Name.Attribute", "syntax.name"), ("Name.Constant", "syntax.number"),
    ("Operator.Word", "syntax.keyword"), ("Operator", "syntax.operator"), ("Punctuation", "syntax.operator"),
    ("Generic.Inserted", "ok"), ("Generic.Deleted", "bad"), ("Generic.Heading", "heading"), ("Generic.Subheading", "diff.hunk"),
    ("Generic.Prompt", "dim"), ("Generic.Output", "dim"), ("Generic.Error", "bad"),
)  # fmt: skip


@lru_cache(maxsize=256)
def _style_of(token: str) -> str:
    for prefix, style in _STYLES:
        if token == prefix or token.startswith(prefix + "."):
            return style
    return ""


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    """The lexer for a language's name or a file's name."""
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
    from pygments.util import ClassNotFound

    name = language.strip().replace("\\", "/").rsplit("/", 1)[-1]
    if not name or len(name) > 120:
        return None
    try:
        return get_lexer_by_name(name.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        pass
    try:
        return get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def highlight(text: str, language: str) -> list[list[Piece]] | None:
    """The lines of `text` in colours; None where there are none to be had or it would take too long."""
    if not language or len(text) > HIGHLIGHT_LIMIT:
        return None
    lexer = _lexer(language)
    if lexer is None or any(len(line) > LINE_LIMIT for line in text.split("\n")):
        return None
    rows: list[list[Piece]] = [[]]
    for token, value in lexer.get_tokens(text):
        style = _style_of(str(token)[6:])
        for index, part in enumerate(value.split("\n")):
            if index:
                rows.append([])
            if part:
                rows[-1].append((part, style))
    want = text.count("\n") + 1
    del rows[want:]
    rows.extend([] for _ in range(want - len(rows)))
    return rows


def rows(code: Code, look: Look, *, lead: tuple[Piece, ...] = (), width: int = 0, style: str = "") -> Rows:
    """Code behind `lead`, with line numbers where it says where it begins."""
    width = width or look.inner
    text, _ = steady(code.text.rstrip("\n"))
    coloured = highlight(text, code.language)
    if not code.start and coloured is None:
        return TextRows(text, look, width=width, style=style or "text", lead=lead)
    lines = coloured if coloured is not None else [[(line, style)] if line else [] for line in text.split("\n")]
    if not code.start:
        return [Row((*lead, *part)) for line in lines for part in fold_line(line, width, look)]
    digits = max(3, len(str(code.start + len(lines) - 1)))
    made: list[Row] = []
    for number, line in enumerate(lines, code.start):
        for index, part in enumerate(fold_line(line, width - digits - 2, look)):
            shown = str(number).rjust(digits) if index == 0 else " " * digits
            made.append(Row((*lead, (shown + "  ", "diff.number"), *part)))
    return made


def fold_line(line: list[Piece], width: int, look: Look) -> list[list[Piece]]:
    """One line of code in as many rows as it takes; cut to one when lines are not wrapped."""
    if look.wrap:
        return wrap_pieces(line, width)
    return [clip(shifted(line, look.shift), width, look.glyphs.ellipsis)]


def shifted(line: list[Piece], cells: int) -> list[Piece]:
    """`line` without its first characters, for looking at what is right of the edge."""
    if not cells:
        return line
    left: list[Piece] = []
    for text, style in line:
        if cells < len(text):
            left.append((text[cells:], style))
            cells = 0
        else:
            cells -= len(text)
    return left


_FENCE_NAME = re.compile(r"[\w+#.-]+")


def fence_language(info: str) -> str:
    """The language an opening fence names: "python", from "python title=x" or "{.python}"."""
    found = _FENCE_NAME.search(info)
    return found[0].lstrip(".") if found else ""
