"""Every sign this program draws that is not a letter, each with an ASCII twin of the same width: one cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Glyphs(NamedTuple):
    """One set of signs. All take one cell, but for the tree's, which take three."""

    running: str
    waiting: str
    open: str
    interrupted: str
    failed: str
    finished: str
    unknown: str
    folded: str
    unfolded: str
    leaf: str  # where a fold sign would stand, on a block that has nothing to open
    ellipsis: str
    bar: str  # left edge of a prompt
    edge: str  # left edge of output
    rule: str  # a line across
    caret: str
    chevron: str
    dot: str  # between two facts
    arrow: str
    minus: str
    dash: str  # nothing known
    bullet: str
    box: str  # a to-do that nobody began
    branch: str  # tree: one of several children
    last: str  # tree: the last child
    trunk: str  # tree: goes on below
    blank: str  # tree: nothing goes on below
    cross: str  # where two rules of a table meet
    up: str
    down: str

    @property
    def is_ascii(self) -> bool:
        return self.ellipsis.isascii()

    def status(self, name: str) -> str:
        """The glyph of one of STATUSES."""
        index = _STATUS.get(name, _STATUS["unknown"])
        return self[index]

    def said(self, text: str) -> str:
        """Words of this program, or cut by it, with the signs in them taken from this set."""
        return text.translate(_TWINS) if self.is_ascii and not text.isascii() else text


_STATUS: Mapping[str, int] = {
    name: Glyphs._fields.index(name)
    for name in ("running", "waiting", "open", "interrupted", "failed", "finished", "unknown")
}

UNICODE = Glyphs(
    running="●", waiting="?", open="○", interrupted="!", failed="✗", finished="✓", unknown="·",
    folded="▸", unfolded="▾", leaf="·", ellipsis="…", bar="▍", edge="│", rule="─", caret="▏", chevron="❯",
    dot="·", arrow="→", minus="−", dash="–", bullet="•", box="○",
    branch="├─ ", last="└─ ", trunk="│  ", blank="   ", cross="┼", up="↑", down="↓",
)  # fmt: skip

ASCII = Glyphs(
    running="*", waiting="?", open="o", interrupted="!", failed="x", finished="+", unknown=".",
    folded=">", unfolded="v", leaf=".", ellipsis="~", bar="|", edge="|", rule="-", caret="|", chevron=">",
    dot="-", arrow=">", minus="-", dash="-", bullet="*", box="o",
    branch="|- ", last="`- ", trunk="|  ", blank="   ", cross="+", up="^", down="v",
)  # fmt: skip


_TWINS = str.maketrans({sign: twin for sign, twin in zip(UNICODE, ASCII, strict=True) if len(sign) == 1} | {UNICODE.dot: ASCII.dot, "×": "x"})


def choose(*, ascii: bool = False) -> Glyphs:
    """The set to draw with."""
    return ASCII if ascii else UNICODE


def needs_ascii(variables: Mapping[str, str], platform: str = "") -> bool:
    """Whether the locale in `variables` says that the terminal is not UTF-8."""
    if variables.get("TERM") in ("dumb", "linux"):
        return variables.get("TERM") == "dumb"
    locale = variables.get("LC_ALL") or variables.get("LC_CTYPE") or variables.get("LANG") or ""
    if not locale:
        return platform not in ("win32", "darwin") and variables.get("TERM", "") == ""
    if "utf-8" in locale.lower() or "utf8" in locale.lower():
        return False
    return "." in locale or locale in ("C", "POSIX")
