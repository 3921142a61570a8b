"""A list of sessions for a person at a terminal: as many columns as there is width for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sessionbrowser.commands import output
from sessionbrowser.commands.rows import tag_of
from sessionbrowser.model import Session
from sessionbrowser.paths import Environment
from sessionbrowser.text import age, amount, cells, fit

if TYPE_CHECKING:
    from sessionbrowser.library import Library
    from sessionbrowser.render.glyphs import Glyphs

_COLOURS = {"running": "32", "waiting": "1;33", "failed": "1;31", "interrupted": "33", "open": "34"}


def table(sessions: Sequence[Session], library: Library, width: int = 0, total: int = 0, *, every: bool = False) -> str:
    """One line a session and a last line that counts them, `total` when there are more than these; `every`: hidden ones are among them."""
    env = library.environment
    width = width or terminal_width(env)
    signs = signs_of(library)
    paint = _Paint(not env.get("NO_COLOR") and env.get("TERM") != "dumb")
    project, branch = _widths(sessions, width)
    lines = []
    for session in sessions:
        ago = age(max(0.0, env.now() - session.updated)) if session.updated else ""
        parts = [
            paint(_COLOURS.get(session.status, "2"), signs.status(session.status)),
            paint("2", fit(tag_of(session.source), 2)),
            paint("2", fit(session.project, project, ellipsis=signs.ellipsis)),
        ]
        if branch:
            parts.append(paint("35", fit(session.branch or signs.dash, branch, ellipsis=signs.ellipsis)))
        title = max(8, width - 1 - 2 - project - (branch + 1 if branch else 0) - 4 - 8)
        wide = width >= 110
        if wide:
            title -= 7
        parts.append(fit(_title(session), title, ellipsis=signs.ellipsis))
        if wide:
            parts.append(paint("2", fit(amount(session.tokens.total) if session.tokens and session.tokens.total else "", 6, right=True)))
        parts.append(paint("2", fit(ago, 4, right=True)))
        lines.append(" ".join(parts).rstrip())
    lines.append(paint("2", _summary(len(sessions), max(total, len(sessions)), 0 if every else sum(library.hidden().values()))))
    return "\n".join(map(signs.said, lines)) + "\n"


def signs_of(library: Library) -> Glyphs:
    """The signs that the configuration and the locale ask for."""
    from sessionbrowser.render import glyphs

    env = library.environment
    return glyphs.choose(ascii=library.config.glyphs == "ascii" or glyphs.needs_ascii(env.variables, env.platform))


def write_lines(lines: Iterable[str], library: Library) -> None:
    """Print lines for people, in signs that their terminal has. Raises OSError."""
    signs = signs_of(library)
    output.write_text("".join(signs.said(line) + "\n" for line in lines))


def terminal_width(env: Environment) -> int:
    """Columns of the terminal that standard output is, 80 when that is not known."""
    try:
        return os.get_terminal_size(1).columns or 80
    except (OSError, ValueError):
        said = env.get("COLUMNS")
        return int(said) if said.isdecimal() and 0 < int(said) < 10_000 else 80


def columns(env: Environment) -> int:
    """The cells that a line for people may take: those of the terminal, 0 elsewhere (as many as it likes)."""
    return terminal_width(env) if output.on_terminal() else 0


def _widths(sessions: Sequence[Session], width: int) -> tuple[int, int]:
    """Cells for project and branch: what they need, within their share; no branches below 70 columns."""
    project = max((cells(session.project) for session in sessions), default=4)
    branch = max((cells(session.branch or "") for session in sessions), default=0)
    return min(max(project, 4), max(8, width // 6)), min(branch, width // 6) if width >= 70 else 0


def _title(session: Session) -> str:
    mark = f"[{session.hidden}] " if session.hidden else ""
    return mark + (session.title or session.id) + (f"  ({session.unreadable})" if session.unreadable else "")


def _summary(shown: int, total: int, hidden: int) -> str:
    from sessionbrowser.text import plural

    return (f"{shown:,} of " if shown < total else "") + plural(total, "session") + (f", {hidden:,} hidden (--all shows them)" if hidden else "")


class _Paint:
    def __init__(self, on: bool) -> None:
        self.on = on

    def __call__(self, codes: str, text: str) -> str:
        return f"\x1b[{codes}m{text}\x1b[0m" if self.on and text.strip() else text
