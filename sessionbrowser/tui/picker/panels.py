"""What stands in the picker when it is not the list: details, help, and words where there are no rows."""

from __future__ import annotations

from collections.abc import Sequence

from sessionbrowser.model import Session, Transcript
from sessionbrowser.paths import Environment, shown
from sessionbrowser.query import HELP
from sessionbrowser.render.glyphs import Glyphs
from sessionbrowser.render.rows import EMPTY, Piece, Row
from sessionbrowser.render.wrap import wrap
from sessionbrowser.text import cells, fit, for_eyes
from sessionbrowser.tui.facts import card
from sessionbrowser.tui.picker.actions import Keymap

_NAMES = {"escape": "esc", "down": "↓", "up": "↑", "left": "←", "right": "→", "pagedown": "pgdn", "pageup": "pgup", "delete": "del"}
_PLAIN = {"escape": "esc", "pagedown": "pgdn", "pageup": "pgup", "delete": "del"}


def details(session: Session, outline: Transcript | None, environment: Environment, width: int) -> list[Row]:
    """Every fact of a session that its row and its transcript know."""
    rows = [Row(((session.title or for_eyes(session.id), "heading.1"),)), EMPTY]
    for section in card(session, outline, environment):
        if len(rows) > 2:
            rows.append(EMPTY)
        if section.title:
            rows.append(Row(((section.title, "heading"),)))
        names = min(18, max((cells(name) for name, _, _ in section.facts), default=0))
        for name, value, style in section.facts:
            room = max(8, width - names - 3)
            for at, (start, end) in enumerate(wrap(value, room)):
                lead = fit(name if at == 0 else "", names)
                rows.append(Row(((lead + "  ", "faint"), (value[start:end], style))))
    return rows


def shown_key(key: str, *, ascii: bool = False) -> str:
    """A key as it is drawn."""
    *modifiers, last = key.split("+")
    return "+".join([*modifiers, (_PLAIN if ascii else _NAMES).get(last, last)])


def help_rows(keymap: Keymap, glyphs: Glyphs, width: int) -> list[Row]:
    """Keys and what they do, and the language of the box."""
    ascii = glyphs.rule == "-"
    rows = [Row(((" keys", "heading.1"), ("    any key closes this, up and down scroll", "faint"))), EMPTY]
    listed = [(" ".join(shown_key(key, ascii=ascii) for key in action.keys), action.does) for action in keymap.actions if action.keys]
    rows += _table(listed, width, "key")
    rows += [EMPTY, Row(((" what the box understands", "heading"),)), EMPTY]
    rows += _table([(line.example, line.meaning) for line in HELP], width, "field")
    return rows


def _table(lines: Sequence[tuple[str, str]], width: int, style: str) -> list[Row]:
    column = min(30, max(cells(name) for name, _ in lines), max(8, width // 2))
    return [Row(((" " + fit(name, column) + "  ", style), (for_eyes(words), "dim"))) for name, words in lines]


def nothing(text: str, *, complete: bool, searching: bool, known: int, hidden: int, waiting: bool,
            environment: Environment, glyphs: Glyphs) -> list[list[Piece]]:  # fmt: skip
    """What to say where there are no rows."""
    dots = glyphs.ellipsis
    if waiting:
        words = [f"waiting for ids on standard input {dots}"]
    elif not complete:
        words = [f"reading {dots}"]
    elif searching:
        words = [f"nothing in titles and prompts; searching the conversations {dots}"]
    elif text.strip() and known:
        words = [f"nothing matches {for_eyes(text.strip())}", "ctrl+u clears the box"]
    elif hidden:
        words = [f"all {hidden:,} sessions here are hidden: subagents, headless runs, empty files", "alt+x shows them"]
    else:
        words = [f"no sessions were found below {shown(environment.home)}", "sb doctor says where it looked"]
    return [[("", "")], *[[(f"  {line}", "text" if at == 0 else "dim")] for at, line in enumerate(words)]]
