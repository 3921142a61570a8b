"""The first picture: rows the catalogue remembers, on the terminal before Textual is imported."""

from __future__ import annotations

from collections.abc import Sequence

from sessionbrowser.model import Session
from sessionbrowser.paths import Environment
from sessionbrowser.render.glyphs import Glyphs
from sessionbrowser.render.palette import Palette
from sessionbrowser.text import cells, cut, fit
from sessionbrowser.tui.columns import Widths, heads, measure, plan, row
from sessionbrowser.tui.geometry import Geometry, divide
from sessionbrowser.tui.memory import Memory

_WORDS = {"bold": "1", "dim": "2", "italic": "3", "underline": "4", "reverse": "7", "strike": "9", "default": "39"}
_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


def picture(
    sessions: Sequence[Session],
    size: tuple[int, int],
    environment: Environment,
    palette: Palette,
    glyphs: Glyphs,
    memory: Memory,
) -> str:
    """The browser's screen with these sessions, as one string of text and colours."""
    width, height = size
    shape = divide(width, height, memory.left, memory.agents, alone=True)
    pen = _Pen(palette, glyphs)
    lines = [pen.line([(" sb ", "accent bold"), (f" {glyphs.chevron} ", "faint")], width, "surface")]
    shown = [session for session in sessions if not session.hidden]
    if shape.narrow:
        said, rows = _rows(shown, width - 1, shape.list_height - 3, environment, glyphs)
        lines += [pen.line(pieces, width, "screen") for pieces in [said, *rows]]
    else:
        lines += _framed(shown, shape, width, environment, pen, glyphs)
    lines += [pen.line([], width, "screen")] * (height - 1 - len(lines))
    lines = [*lines[: height - 1], pen.line([(f" reading {glyphs.ellipsis}", "dim")], width, "surface")]
    return "".join(f"\x1b[{at};1H{line}" for at, line in enumerate(lines, 1)) + "\x1b[0m"


Pieces = list[tuple[str, str]]


def _rows(
    sessions: Sequence[Session], width: int, height: int, environment: Environment, glyphs: Glyphs
) -> tuple[Pieces, list[Pieces]]:
    """What stands over the columns, and the rows."""
    columns = plan(width, measure(sessions) if sessions else Widths())
    now = environment.now()
    made: list[Pieces] = []
    for at, session in enumerate(sessions[: max(0, height)]):
        under = "cursor" if at == 0 else ""
        pieces = row(session, columns, now, glyphs)
        bold = {"title": "bold"} if at == 0 else {}
        made.append([(cell.text, f"{cell.style} {under} {bold.get(cell.field, '')}") for cell in pieces])
        made[-1].append((" ", under))
    return [(cell.text, cell.style) for cell in heads(columns)] if made else [], made


def _framed(
    sessions: Sequence[Session], shape: Geometry, width: int, environment: Environment, pen: _Pen, glyphs: Glyphs
) -> list[str]:
    """The panes side by side, the right one and the agents still empty."""
    inner, right = shape.left - 2, width - shape.left - 2
    said, rows = _rows(sessions, inner - 1, shape.list_height - 2, environment, glyphs)
    rows = [said, *rows[: shape.list_height - 3]] if said and shape.list_height > 10 else rows
    rows += [[] for _ in range(shape.list_height - 2 - len(rows))]
    left = [pen.top("sessions", inner, True)]
    left += [pen.walls(pieces, inner, True) for pieces in rows]
    left.append(pen.bottom(inner, True))
    if shape.agents_height:
        left.append(pen.top("agents", inner, False))
        left += [pen.walls([], inner, False)] * (shape.agents_height - 2)
        left.append(pen.bottom(inner, False))
    title = cut(sessions[0].title, right - 4, glyphs.ellipsis) if sessions else ""
    beside = [pen.top(title, right, False), *[pen.walls([], right, False)] * (len(left) - 2), pen.bottom(right, False)]
    return [mine + other for mine, other in zip(left, beside, strict=True)]


class _Pen:
    """Draws pieces of text with the palette's styles, as SGR sequences of our own making."""

    def __init__(self, palette: Palette, glyphs: Glyphs) -> None:
        self.palette = palette
        self.rule, self.edge = glyphs.rule, glyphs.edge
        self.corners = "++++" if glyphs.rule == "-" else "╭╮╰╯"
        self._known: dict[str, str] = {}

    def line(self, pieces: Pieces, width: int, base: str) -> str:
        """Pieces on one line of exactly `width` cells."""
        taken = sum(cells(text) for text, _ in pieces)
        made = "".join(self._paint(text, f"{base} {style}") for text, style in pieces)
        return made + self._paint(" " * max(0, width - taken), base)

    def top(self, title: str, inner: int, focused: bool) -> str:
        edge = "border.focus" if focused else "border"
        start, end = self.corners[0], self.corners[1]
        if not title:
            return self.line([(start + self.rule * inner + end, edge)], inner + 2, "screen")
        words = f" {title} "
        rest = self.rule * max(0, inner - 1 - cells(words))
        style = "accent bold" if focused else "dim"
        return self.line([(start + self.rule, edge), (words, style), (rest + end, edge)], inner + 2, "screen")

    def bottom(self, inner: int, focused: bool) -> str:
        edge = "border.focus" if focused else "border"
        return self.line([(self.corners[2] + self.rule * inner + self.corners[3], edge)], inner + 2, "screen")

    def walls(self, pieces: Pieces, inner: int, focused: bool) -> str:
        edge = "border.focus" if focused else "border"
        taken = sum(cells(text) for text, _ in pieces)
        space = (fit("", max(0, inner - taken)), "")
        return self.line([(self.edge, edge), *pieces, space, (self.edge, edge)], inner + 2, "screen")

    def _paint(self, text: str, style: str) -> str:
        code = self._known.get(style)
        if code is None:
            code = self._known[style] = _sgr(self.palette, style)
        return f"\x1b[0;{code}m{text}" if code else f"\x1b[0m{text}"


def _sgr(palette: Palette, style: str) -> str:
    """The parameters of an SGR sequence for meanings and words."""
    said = " ".join(palette[word] or ("" if word in palette.styles else word) for word in style.split())
    codes: list[str] = []
    ground = 30
    for word in said.split():
        if word == "on":
            ground = 40
            continue
        if word in _WORDS and not (word == "default" and ground == 40):
            codes.append(_WORDS[word])
        elif word.startswith("#") and len(word) == 7:
            red, green, blue = (int(word[at : at + 2], 16) for at in (1, 3, 5))
            codes.append(f"{ground + 8};2;{red};{green};{blue}")
        else:
            codes.append(_named(word, ground))
        ground = 30
    return ";".join(code for code in codes if code)


def _named(word: str, ground: int) -> str:
    bright = word.startswith("bright_")
    name = word.removeprefix("bright_")
    return str(ground + (60 if bright else 0) + _COLOURS.index(name)) if name in _COLOURS else ""
