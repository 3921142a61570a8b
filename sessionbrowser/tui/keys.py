"""Keys as people read them, and which of them matter where: for the footer and for help."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rich.style import Style
from textual.binding import ActiveBinding, Binding
from textual.screen import Screen

NAMES = {
    "escape": "esc",
    "question_mark": "?",
    "slash": "/",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "plus": "+",
    "minus": "-",
    "full_stop": ".",
    "comma": ",",
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "delete": "del",
    "equals_sign": "=",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "circumflex_accent": "^",
    "asterisk": "*",
    "number_sign": "#",
    "dollar_sign": "$",
    "colon": ":",
    "semicolon": ";",
    "underscore": "_",
    "apostrophe": "'",
    "grave_accent": "`",
    "tilde": "~",
    "vertical_line": "|",
    "backslash": "\\",
    "at": "@",
    "ampersand": "&",
    "percent_sign": "%",
    "exclamation_mark": "!",
    "quotation_mark": '"',
}
_PLAIN_ARROWS = {"↓": "down", "↑": "up", "←": "left", "→": "right"}


class KeyHelp(NamedTuple):
    """One action: its id, all its keys as people read them, what it does."""

    id: str
    keys: tuple[str, ...]
    does: str


class FooterKey(NamedTuple):
    """A key of the bottom line: as people read it, a word for what it does, the id of the action."""

    key: str
    does: str
    id: str


def shown_key(key: str, *, ascii: bool = False) -> str:
    """A key as it is drawn: "esc", "ctrl+p", "?"."""
    *modifiers, last = key.split("+") if key != "+" else ["+"]
    name = NAMES.get(last, last)
    if ascii:
        name = _PLAIN_ARROWS.get(name, name)
    return "+".join([*modifiers, name])


def key_of(screen: Screen[Any], binding_id: str, *, ascii: bool = False) -> str:
    """The key to name for an action: of those that work now the one written down first, "" when none does."""
    return _named(bindings_of(screen, binding_id), ascii=ascii)


def bindings_of(screen: Screen[Any], binding_id: str) -> list[ActiveBinding]:
    """The keys of an action that work now."""
    return _working(screen).get(binding_id, [])


def _working(screen: Screen[Any]) -> dict[str, list[ActiveBinding]]:
    """The keys that work now, by the id of their action. Textual looks through every widget around the focus for it."""
    working: dict[str, list[ActiveBinding]] = {}
    for item in screen.active_bindings.values():
        if item.enabled and item.binding.id:
            working.setdefault(item.binding.id, []).append(item)
    return working


def _named(active: Sequence[ActiveBinding], *, ascii: bool) -> str:
    """The key to name for an action that all of these lead to."""
    if not active:
        return ""
    written = _written(active[0].node, active[0].binding.id or "")
    keys = [item.binding.key for item in active]
    return shown_key(min(keys, key=lambda key: written.index(key) if key in written else -1), ascii=ascii)


def clicks(action: str) -> Style:
    """A style for words that do what `action` says when they are clicked on."""
    return Style(meta={"@click": action})


def _written(node: object, binding_id: str) -> list[str]:
    """The keys of an action as its class has them."""
    for kind in type(node).__mro__:
        for item in vars(kind).get("BINDINGS", ()):
            if isinstance(item, Binding) and item.id == binding_id:
                return [key.strip() for key in item.key.split(",")]
    return []


def footer(
    screen: Screen[Any], wanted: Sequence[tuple[str, str]], *, ascii: bool = False
) -> list[FooterKey]:
    """Keys for the bottom line: those of the `wanted` (action id, word) that work now, each word once."""
    made: dict[str, FooterKey] = {}
    working = _working(screen)
    for binding_id, word in wanted:
        if word not in made and (key := _named(working.get(binding_id, ()), ascii=ascii)):
            made[word] = FooterKey(key, word, binding_id)
    return list(made.values())


def help_of(screen: Screen[Any], node: object, *, ascii: bool = False) -> list[KeyHelp]:
    """What the keys that belong to `node` do, in the order its class names them."""
    active = [item.binding for item in screen.active_bindings.values() if item.node is node and item.enabled]
    return _grouped(_ordered(active, node), ascii)


def _ordered(bindings: list[Binding], node: object) -> list[Binding]:
    ids = {name: at for at, name in enumerate(_declared(node))}
    places = {key: at for name in ids for at, key in enumerate(_written(node, name))}
    return sorted(bindings, key=lambda binding: (ids.get(binding.id or "", len(ids)), places.get(binding.key, -1)))


def _declared(node: object) -> Iterable[str]:
    """The ids of a widget's own bindings, in the order they are written down."""
    for item in getattr(type(node), "BINDINGS", ()):
        if isinstance(item, Binding) and item.id:
            yield item.id


def _grouped(bindings: Iterable[Binding], ascii: bool) -> list[KeyHelp]:
    keys: dict[str, list[str]] = {}
    words: dict[str, str] = {}
    for binding in bindings:
        if binding.id and binding.description:
            keys.setdefault(binding.id, []).append(shown_key(binding.key, ascii=ascii))
            words[binding.id] = binding.description
    return [KeyHelp(name, tuple(keys[name]), words[name]) for name in keys]



class Action(NamedTuple):
    """Something a key does here: whose it is, and what it is to Textual."""

    id: str
    keys: tuple[str, ...]
    does: str
    action: str
    node: Any


# What the palette of commands begins with; what only moves the cursor or a frame comes last.
FIRST = (
    "list.open", "agents.open", "transcript.enter", "session.resume", "session.copy", "session.fork", "session.copy_menu",
    "session.details", "session.box", "transcript.find", "session.export", "session.statistics", "session.next_waiting",
    "session.hidden", "session.scope", "session.sort", "session.group", "app.theme", "session.help", "app.quit",
)  # fmt: skip
MOVES = {"move", "page", "edge", "line", "top", "bottom", "widen", "heighten", "pane", "back", "escape", "list", "up_down", "unfold"}


def actions_of(screen: Screen[Any], *, ascii: bool = False) -> list[Action]:
    """What can be done where the focus is, letters that are text there included: the pane's, the screen's, the app's."""
    made: dict[str, Action] = {}
    names: set[str] = set()
    for node in screen.focused.ancestors_with_self if screen.focused is not None else (screen, screen.app):
        bindings = node._bindings.copy()
        bindings.apply_keymap(screen.app._keymap)
        active = [binding for same in bindings.key_to_bindings.values() for binding in same]
        for binding in _ordered(active, node):
            key, name = shown_key(binding.key, ascii=ascii), binding.id or ""
            if name in made:
                made[name] = made[name]._replace(keys=(*made[name].keys, key))
            elif name and binding.description and binding.description not in names and _is_possible(node, binding.action):
                names.add(binding.description)
                made[name] = Action(name, (key,), binding.description, binding.action, node)
    return list(made.values())


def _is_possible(node: Any, action: str) -> bool:
    return node.check_action(action.partition("(")[0], ()) is True


def in_order(actions: Sequence[Action]) -> list[Action]:
    """Those that matter most first, moves last."""
    places = {name: at for at, name in enumerate(FIRST)}
    moves = {item.id: item.action.partition("(")[0] in MOVES for item in actions}
    return sorted(actions, key=lambda item: (moves[item.id], places.get(item.id, len(places))))
