"""What is wrong with the keys of a configuration: names no action has, keys there are not, keys that two actions have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from textual import keys as textual_keys
from textual.binding import Binding
from textual.keys import key_to_character

from sessionbrowser.tui.keys import shown_key
from sessionbrowser.tui.picker import actions as picker

_HELD = {"ctrl", "alt", "shift", "super", "hyper", "meta"}
_NAMED = {key.value.split("+")[-1] for key in textual_keys.Keys} | {*textual_keys.KEY_NAME_REPLACEMENTS.values(), "space", "backspace"}
_NO_KEY = "\u2e80"  # characters have names from here on, too, and keyboards have none for them
Keys = dict[str, set[str]]  # by the id of an action


def key_problems(changes: Mapping[str, str]) -> list[str]:
    """Lines for eyes about `changes` (action id -> keys, as in "r,ctrl+r")."""
    chains = [[_keys_of(node) for node in chain] for chain in _chains()]
    known = {name for chain in chains for keys in chain for name in keys} | picker.NAMES
    unknown = [f"keys: there is no action {name!r}" for name in changes if name not in known]
    shared = [clash for chain in chains for clash in sorted(_shared(chain, changes) - _shared(chain, {}))]
    found = [f"keys: {key} is for {name} and for {other}" for key, name, other in shared]
    odd = [f"keys: {name}: there is no key {key!r}" for name, keys in changes.items() for key in map(str.strip, keys.split(",")) if key and not _is_key(key)]
    return [*unknown, *odd, *dict.fromkeys(found), *(f"keys: {line}" for line in picker.clashes(changes))]


def _is_key(name: str) -> bool:
    """Whether a terminal could say that such a key was pressed: a character, or a key with a name; with or without others held."""
    *held, last = name.split("+") if len(name) > 1 else [name]
    return set(held) <= _HELD and (len(last) == 1 or last in _NAMED or (key_to_character(last) or _NO_KEY) < _NO_KEY)


def _chains() -> Iterator[tuple[type[Any], ...]]:
    """Who is asked for the action of a key, one after the other, by what has the focus."""
    from sessionbrowser.tui.agent_tree import AgentTree
    from sessionbrowser.tui.app import SessionBrowserApp
    from sessionbrowser.tui.browser import Browser
    from sessionbrowser.tui.dialogs import card, commands, menu, statistics
    from sessionbrowser.tui.grouped_list import GroupedList
    from sessionbrowser.tui.query_bar import QueryInput
    from sessionbrowser.tui.transcript import TranscriptView

    yield from ((pane, Browser, SessionBrowserApp) for pane in (GroupedList, AgentTree, TranscriptView, QueryInput))
    yield from ((dialog, SessionBrowserApp) for dialog in (card.Card, commands.Palette, menu.Menu, statistics.StatisticsCard))


def _keys_of(node: type[Any]) -> Keys:
    """The keys of a class's own actions, as they are drawn."""
    found: Keys = {}
    for item in node.__dict__.get("BINDINGS", ()):
        if isinstance(item, Binding) and item.id:
            found.setdefault(item.id, set()).update(_read(item.key))
    return found


def _read(keys: str) -> set[str]:
    return {shown_key(key.strip()) for key in keys.split(",") if key.strip()}


def _shared(chain: list[Keys], changes: Mapping[str, str]) -> set[tuple[str, str, str]]:
    """Keys that two actions have where they can meet: (key, one of the two, the other), one that was changed first."""
    all_keys = [(name, _read(changes[name]) if name in changes else keys) for node in chain for name, keys in node.items()]
    return {
        (key, *((other, name) if other in changes and name not in changes else (name, other)))
        for at, (name, keys) in enumerate(all_keys)
        for other, others in all_keys[at + 1 :]
        if name != other
        for key in keys & others
    }
