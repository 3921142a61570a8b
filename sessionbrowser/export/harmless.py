"""Markdown of others, made safe for a viewer that renders it: raw HTML is text, no link runs anything, code stays as it is.

What is code is CommonMark's to say (markdown-it, with tables), read as if there were no HTML: there is none any more once
the `<` that would begin it is an entity. A text is a whole by itself: a fence that it leaves open is closed, so that what
comes behind it reads as it would alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_SUSPECT = re.compile(r"<[A-Za-z/!?]|\][(:]|`{3}|~{3}")
_PIECE = re.compile(
    r"(?P<kept>\\[\s\S]|<(?:https?|ftp|mailto):[^\s<>]*>)"  # escaped, or an address that is a link by itself
    r"|(?P<ticks>`+)|(?P<tag><(?=[A-Za-z/!?]))|(?P<link>\])(?=[(:])"
)
_TICKS = re.compile(r"`+")
_FIRST = re.compile(r"(\n[\s>]*)<(?=[A-Za-z/!?])")  # begins HTML even where a line goes on with code
_CELL = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(r"[\s>*+\-\d.)]*")
_LEAD = re.compile(r"[\s>]*<?")
_INVISIBLE = re.compile(r"[\x00-\x20\\]+")
_RUNS = ("javascript:", "vbscript:", "data:")
_PICTURES = ("data:image/png", "data:image/gif", "data:image/jpeg", "data:image/webp")
_ADDRESS = 400  # characters in which a scheme stands, however it is disguised
_ABOVE = "x\n"


def harmless(text: str, *, continues: bool = False) -> str:
    """`text` with nothing alive in it. `continues`: it stands right below another line, with no empty one between."""
    if not _SUSPECT.search(text):
        return text
    text = _ABOVE + text if continues else text
    while (made := _once(text)) != text:  # a definition that is none any more lets other lines be read otherwise
        text = made
    return _closed(text).removeprefix(_ABOVE if continues else "")


def quoted(text: str) -> str:
    """`text` as a quotation, with nothing alive in it."""
    text = text.strip("\n").rstrip()
    return "".join(f"> {line}\n" if line else ">\n" for line in harmless(_even(text)).split("\n"))


def _even(text: str) -> str:
    """`text` with the tabs that lines begin with as blanks: behind a sign of quotation they would be narrower."""
    if "\t" not in text:
        return text
    lines = text.split("\n")
    fences = [range(*token.map) for token in _tokens(text) if token.type == "fence" and not token.level and token.map]
    for at, line in enumerate(lines):
        lead = _MARKS.match(line)
        if lead and "\t" in lead[0] and not any(at in fence for fence in fences):
            lines[at] = lead[0].expandtabs(4) + line[lead.end() :]
    return "\n".join(lines)


def code(text: str) -> str:
    """A line of text as inline code."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{'`' * (longest + 1)}{pad}{text}{pad}{'`' * (longest + 1)}"


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable("html_block")


def _tokens(text: str) -> list[Token]:
    """The blocks of a text; what stands in them is not looked at."""
    made: list[Token] = []
    parser = _parser()
    parser.block.parse(text, parser, {}, made)
    return made


def _once(text: str) -> str:
    lines = text.split("\n")
    rest = set(range(len(lines)))
    for kind, start, end in _parts(_tokens(text)):
        if not rest.issuperset(range(start, end)):
            continue
        rest.difference_update(range(start, end))
        if kind == "table":
            lines[start:end] = ["|".join(map(_line, _CELL.split(line))) for line in lines[start:end]]
        elif kind == "inline":
            lines[start:end] = _line("\n".join(lines[start:end])).split("\n")
    for at in rest:  # definitions of links
        lines[at] = _line(lines[at], spans=False)
    return "\n".join(lines)


def _parts(tokens: list[Token]) -> Iterator[tuple[str, int, int]]:
    """What a text is made of, and its lines: code, tables, and the rest of what holds words."""
    kinds = {"fence": "code", "code_block": "code", "table_open": "table", "inline": "inline"}
    for token in tokens:
        if token.type in kinds and token.map:
            yield kinds[token.type], token.map[0], token.map[1]


def _line(text: str, *, spans: bool = True) -> str:
    """Words with what is alive in them made text; `spans`: code between backticks stays."""
    made: list[str] = []
    at = 0
    while found := _PIECE.search(text, at):
        made.append(text[at : found.start()])
        at = found.end()
        if found["tag"]:
            made.append("&lt;")
        elif found["link"]:
            made.append("]\\" if _runs(text, at + 1) else "]")
        elif found["ticks"] and spans and (end := _span_end(text, at, found["ticks"])):
            made.append(_FIRST.sub(r"\1&lt;", text[found.start() : end]))
            at = end
        else:
            made.append(found[0])
    return "".join([*made, text[at:]])


def _span_end(text: str, at: int, ticks: str) -> int:
    """Where the code that began before `at` with `ticks` ends, 0 when it does not."""
    return next((found.end() for found in _TICKS.finditer(text, at) if found[0] == ticks), 0)


def _runs(text: str, at: int) -> bool:
    """Whether the address of a link, which begins at `at`, is one that runs something."""
    lead = _LEAD.match(text, at)
    start = lead.end() if lead else at
    scheme = _INVISIBLE.sub("", unescape(text[start : start + _ADDRESS])).lower()
    return scheme.startswith(_RUNS) and not scheme.startswith(_PICTURES)


def _closed(text: str) -> str:
    """`text` with the fence that it leaves open closed."""
    last = next((token for token in reversed(_tokens(text)) if token.nesting == 0), None)
    if last is None or last.type != "fence" or last.level or not last.map:
        return text
    lines = text.split("\n")[last.map[0] + 1 : last.map[1]]
    sign = last.markup[0]
    closed = bool(lines) and len(lines[-1].strip()) >= len(last.markup) and not lines[-1].strip().strip(sign) and not lines[-1].startswith("    ")
    return text if closed else f"{text.rstrip(chr(10))}\n{last.markup}"
