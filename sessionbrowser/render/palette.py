"""What colours mean: names of meanings, and how each theme shows them.

Everything drawn names a meaning ("tool.bad", "branch", "diff.add"), never a colour. A style is a string of such names
and of Rich's own words ("code bold", "diff.add keyword", "bold red"); `Palette.style` turns it into a Rich style.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.style import Style

THEMES = ("dark", "light", "ansi", "none")

# The colours of a theme. Everything below is said in these.
_DARK = {
    "background": "#0f1216", "surface": "#161a20", "line": "#2b313b", "foreground": "#d5d9e0", "dim": "#8b94a3",
    "faint": "#5f6876", "accent": "#82aaff", "ok": "#8fce8f", "warn": "#e6b566", "bad": "#ef7d87", "violet": "#b69df8",
    "add": "#13281c", "del": "#2d171b", "cursor": "#1f2a3d", "string": "#a9cf9b", "number": "#e0a37e", "cyan": "#7cc7d8",
}  # fmt: skip
_LIGHT = {
    "background": "#fbfbfa", "surface": "#f0f1f3", "line": "#d3d7dd", "foreground": "#22272e", "dim": "#59626e",
    "faint": "#848d99", "accent": "#2b5fc7", "ok": "#2c7a35", "warn": "#946100", "bad": "#c0303c", "violet": "#6d45b8",
    "add": "#dcf1e0", "del": "#fae2e4", "cursor": "#dfe8f7", "string": "#3d7a33", "number": "#a4551e", "cyan": "#16788a",
}  # fmt: skip

_COLOURED = {
    "text": "{foreground}", "dim": "{dim}", "faint": "{faint}", "line": "{line}", "accent": "{accent}", "ok": "{ok}",
    "warn": "{warn}", "bad": "{bad}", "violet": "{violet}", "screen": "{foreground} on {background}",
    "surface": "{dim} on {surface}", "border": "{line}", "border.focus": "{accent}",
    "cursor": "on {cursor}", "match": "bold underline {warn}", "match.current": "bold {background} on {warn}",
    "key": "bold {accent}", "field": "{violet}",
    "code": "{warn}", "link": "{accent}", "url": "{faint}", "quote": "{dim} italic", "heading": "bold {foreground}",
    "heading.1": "bold {accent}", "strong": "bold", "emphasis": "italic", "strike": "strike {dim}", "marker": "{dim}",
    "prompt.bar": "{accent}", "prompt.name": "bold {accent}", "prompt.number": "{faint}", "prompt": "{foreground}",
    "thinking": "italic {dim}", "tool.name": "bold {dim}", "tool.name.open": "bold {foreground}", "tool.main": "{dim}",
    "tool.main.open": "{foreground}", "tool.fact": "{faint}", "tool.ok": "{faint}", "tool.bad": "bold {bad}",
    "tool.running": "{ok}", "fold": "{faint}", "fold.bad": "{bad}", "output": "{dim}", "output.bad": "{bad}",
    "edge": "{line}", "label": "{faint}", "more": "{faint}", "note": "{faint}", "note.bad": "{bad}",
    "diff.add": "on {add}", "diff.del": "on {del}", "diff.add.sign": "{ok}", "diff.del.sign": "{bad}", "diff.number": "{faint}",
    "diff.context": "{dim}", "diff.hunk": "{faint}",
    "syntax.keyword": "{violet}", "syntax.string": "{string}", "syntax.number": "{number}", "syntax.comment": "italic {faint}",
    "syntax.name": "{accent}", "syntax.type": "{cyan}", "syntax.operator": "{dim}", "syntax.error": "{foreground}",
    "project": "{dim}", "branch": "{violet}", "tag": "{faint}", "age": "{dim}", "count": "{faint}", "title": "{foreground}",
    "status.running": "{ok}", "status.waiting": "bold {warn}", "status.open": "{accent}", "status.interrupted": "{warn}",
    "status.failed": "bold {bad}", "status.finished": "{faint}", "status.unknown": "{faint}",
}  # fmt: skip

# Sixteen colours are the terminal's own, whatever they are there; two steps of dim become one.
_ANSI_COLOURS = {
    "background": "default", "surface": "default", "line": "bright_black", "foreground": "default", "dim": "dim",
    "faint": "dim", "accent": "blue", "ok": "green", "warn": "yellow", "bad": "red", "violet": "magenta",
    "add": "default", "del": "default", "cursor": "default", "string": "green", "number": "yellow", "cyan": "cyan",
}  # fmt: skip
_ANSI_CHANGES = {
    "screen": "", "surface": "dim", "cursor": "reverse", "match": "bold underline yellow", "match.current": "reverse bold",
    "text": "", "prompt": "", "title": "", "tool.main.open": "", "heading": "bold", "syntax.error": "",
    "diff.add": "green", "diff.del": "red",
}  # fmt: skip
# Without colour, weight and line carry what must not be lost.
_NONE = {
    "cursor": "reverse", "match": "bold underline", "match.current": "reverse bold", "key": "bold", "heading": "bold",
    "heading.1": "bold underline", "strong": "bold", "emphasis": "italic", "strike": "strike", "quote": "italic",
    "prompt.name": "bold", "thinking": "italic", "tool.name": "bold", "tool.name.open": "bold", "tool.bad": "bold",
    "fold.bad": "bold", "dim": "dim", "faint": "dim", "line": "dim", "border": "dim", "border.focus": "bold", "edge": "dim",
    "tool.fact": "dim", "tool.ok": "dim", "tool.main": "dim", "output": "dim", "label": "dim", "more": "dim", "note": "dim",
    "note.bad": "bold", "diff.number": "dim", "diff.context": "dim", "diff.hunk": "dim", "diff.add.sign": "bold",
    "diff.del.sign": "bold", "url": "dim", "marker": "dim", "fold": "dim", "prompt.number": "dim", "link": "underline",
    "status.waiting": "bold", "status.failed": "bold", "status.finished": "dim", "status.unknown": "dim", "tag": "dim",
    "age": "dim", "count": "dim", "project": "dim", "surface": "dim", "syntax.comment": "dim",
}  # fmt: skip
# What programs call the terminal's colours, in the colours of a theme that has its own.
_TERMINAL = {
    "black": "line", "red": "bad", "green": "ok", "yellow": "warn", "blue": "accent", "magenta": "violet", "cyan": "cyan",
    "white": "foreground", "bright_black": "faint", "bright_red": "bad", "bright_green": "ok", "bright_yellow": "warn",
    "bright_blue": "accent", "bright_magenta": "violet", "bright_cyan": "cyan", "bright_white": "foreground",
}  # fmt: skip
_COLOURLESS = frozenset(("bold", "dim", "italic", "underline", "reverse", "strike"))


class Palette:
    """A theme: meanings to Rich style strings, and Rich styles made from them once each."""

    def __init__(self, name: str, colours: Mapping[str, str], styles: Mapping[str, str], *, dark: bool) -> None:
        self.name = name
        self.colours = colours  # background, surface, line, foreground, … as Rich colour names; "default" where the terminal decides
        self.styles = styles
        self.dark = dark
        self._own = colours["background"] != "default"
        self._made: dict[str, Style] = {}

    def __getitem__(self, meaning: str) -> str:
        """The Rich style string of one meaning; "" for a meaning this theme does not show."""
        return self.styles.get(meaning, "")

    @property
    def has_any_colour(self) -> bool:
        """Whether any colour can be shown, not only those that the terminal names."""
        return self._own

    def style(self, style: str) -> Style:
        """The Rich style of meanings and Rich words, later ones over earlier ones."""
        made = self._made.get(style)
        if made is None:
            if len(self._made) > 4000:  # output may bring any number of colours
                self._made.clear()
            made = self._made[style] = self._make(style)
        return made

    def _make(self, style: str) -> Style:
        from rich.errors import StyleSyntaxError
        from rich.style import Style

        made, loose = Style.null(), []
        for word in style.split():
            if word in _COLOURED:
                made = made + Style.parse(self.styles.get(word, ""))
            elif word != "link" and "/" not in word and (self.name != "none" or word in _COLOURLESS):
                loose.append(self.colours[_TERMINAL[word]] if word in _TERMINAL and self._own else word)
        if loose:
            try:
                made = made + Style.parse(" ".join(loose))
            except StyleSyntaxError:
                return made
        return made


def _of(colours: Mapping[str, str], changes: Mapping[str, str] = {}) -> dict[str, str]:
    return {name: said.format_map(colours) for name, said in _COLOURED.items()} | dict(changes)


_PALETTES: dict[str, Palette] = {}


def palette(name: str) -> Palette:
    """The theme called `name`, one of THEMES. Raises KeyError for another name."""
    if name not in _PALETTES:
        _PALETTES[name] = {
            "dark": lambda: Palette("dark", _DARK, _of(_DARK), dark=True),
            "light": lambda: Palette("light", _LIGHT, _of(_LIGHT), dark=False),
            "ansi": lambda: Palette("ansi", _ANSI_COLOURS, _of(_ANSI_COLOURS, _ANSI_CHANGES), dark=True),
            "none": lambda: Palette("none", _ANSI_COLOURS, _NONE, dark=True),
        }[name]()
    return _PALETTES[name]


def chosen(variables: Mapping[str, str], wanted: str = "") -> str:
    """The name of the theme to draw with: `wanted` unless it is "" or "auto", else what the terminal says of itself."""
    if variables.get("NO_COLOR"):
        return "none"
    if wanted in THEMES:
        return wanted
    if _deep(variables):
        return "light" if _is_light(variables) else "dark"
    return "ansi"


def _deep(variables: Mapping[str, str]) -> bool:
    """Whether the terminal shows more than sixteen colours."""
    term, depth = variables.get("TERM", ""), variables.get("COLORTERM", "").lower()
    if depth in ("truecolor", "24bit") or variables.get("WT_SESSION"):
        return True
    return any(part in term for part in ("256color", "direct", "kitty", "ghostty", "alacritty", "wezterm", "foot"))


def _is_light(variables: Mapping[str, str]) -> bool:
    paper = variables.get("COLORFGBG", "").rsplit(";", 1)[-1]
    return paper in ("7", "15")
