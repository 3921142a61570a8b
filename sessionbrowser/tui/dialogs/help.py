"""The help card: the keys that work where the focus is, read from the live bindings, then those that work everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from sessionbrowser.query import HELP
from sessionbrowser.tui.dialogs.card import Card, Fact
from sessionbrowser.tui.keys import KeyHelp

STATUS_HELP = (
    ("running", "at work"),
    ("waiting", "needs you: a permission, an answer"),
    ("open", "open and idle"),
    ("interrupted", "interrupted or killed"),
    ("failed", "ended in an error"),
    ("finished", "finished"),
    ("unknown", "not known"),
)


def help_card(
    pane: str, about: str, here: Sequence[KeyHelp], everywhere: Sequence[KeyHelp], statuses: Sequence[tuple[str, str, str]]
) -> Card:
    """Keys of one pane and of the whole screen; in the box also the language of queries."""
    taken = {item.id for item in here}
    facts = [Fact(about, style="dim"), Fact("")] if about else []
    facts += _keys(here)
    facts += [Fact(""), Fact("everywhere"), *_keys([item for item in everywhere if item.id not in taken])]
    if pane in ("box", "sessions"):
        facts += [Fact(""), Fact("what the box understands")]
        facts += [Fact(line.example, line.meaning, "dim", "field") for line in HELP]
    if pane != "box":
        facts += [Fact(""), Fact("the first column"), *(Fact(sign, words, "dim", style) for sign, words, style in statuses)]
    return Card(f"help · {pane}" if pane else "help", facts, least=50)


def _keys(items: Sequence[KeyHelp]) -> list[Fact]:
    """A line for each thing that can be done, whatever number of actions and keys it has."""
    keys: dict[str, list[str]] = {}
    for item in items:
        keys.setdefault(item.does, []).extend(item.keys)
    return [Fact(" ".join(all_keys), does, name_style="accent") for does, all_keys in keys.items()]
