"""What keys do in the picker: those of fzf and of television, one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Action(NamedTuple):
    """One thing to do: its name, its keys, what help says of it."""

    name: str
    keys: tuple[str, ...]
    does: str


ACTIONS = (
    Action("accept", ("enter",), "choose"),
    Action("cancel", ("escape", "ctrl+c", "ctrl+g", "ctrl+q"), "cancel"),
    Action("accept_fork", ("alt+enter",), "choose, to go on in a copy (a fork)"),
    Action("print_query", (), "give what stands in the box instead of a session"),
    Action("down", ("down", "ctrl+j", "ctrl+n"), "down"),
    Action("up", ("up", "ctrl+k", "ctrl+p"), "up"),
    Action("page_down", ("pagedown",), "a page down"),
    Action("page_up", ("pageup",), "a page up"),
    Action("first", ("ctrl+home", "alt+<"), "to the first"),
    Action("last", ("ctrl+end", "alt+>"), "to the last"),
    Action("mark_down", ("tab",), "mark, and go down (without -m: complete the field or value)"),
    Action("mark_up", ("shift+tab",), "mark, and go up"),
    Action("mark_all", ("alt+a",), "mark all, or none"),
    Action("complete", ("ctrl+space",), "complete the field or value"),
    Action("preview", ("ctrl+o",), "fold the preview away, or show it"),
    Action("preview_next", ("ctrl+f", "alt+i"), "preview: the transcript, or the details"),
    Action("preview_down", ("shift+down", "alt+j"), "preview: down"),
    Action("preview_up", ("shift+up", "alt+k"), "preview: up"),
    Action("preview_page_down", ("shift+pagedown", "alt+pagedown"), "preview: a page down"),
    Action("preview_page_up", ("shift+pageup", "alt+pageup"), "preview: a page up"),
    Action("copy", ("ctrl+y",), "copy what would be printed"),
    Action("copy_specstory", ("alt+s",), "copy the path of the SpecStory file"),
    Action("source", ("ctrl+s",), "sessions of one agent after the other, then all again"),
    Action("scope", ("alt+h",), "everywhere, this repository, this folder"),
    Action("hidden", ("alt+x",), "show what is hidden, or hide it"),
    Action("line_start", ("ctrl+a", "home"), "to the beginning of the box"),
    Action("line_end", ("ctrl+e", "end"), "to the end of the box"),
    Action("left", ("left", "ctrl+b"), "left in the box"),
    Action("right", ("right",), "right in the box"),
    Action("word_left", ("alt+b", "ctrl+left", "shift+left"), "a word to the left"),
    Action("word_right", ("alt+f", "ctrl+right", "shift+right"), "a word to the right"),
    Action("delete_before", ("backspace", "ctrl+h"), "delete the character before"),
    Action("delete_at", ("delete",), "delete the character at the cursor"),
    Action("delete_or_cancel", ("ctrl+d",), "the same; cancel in an empty box"),
    Action("delete_word", ("ctrl+w",), "delete back to a blank"),
    Action("delete_word_letters", ("alt+backspace",), "delete the word before"),
    Action("delete_next_word", ("alt+d",), "delete the word after"),
    Action("delete_line", ("ctrl+u",), "delete everything before the cursor"),
    Action("earlier", ("alt+up",), "an earlier query"),
    Action("later", ("alt+down",), "a later query"),
    Action("redraw", ("ctrl+l",), "draw again"),
    Action("suspend", ("ctrl+z",), "suspend"),
    Action("help", ("f1",), "this"),
)  # fmt: skip

FOOTER = (("accept", "choose"), ("mark_down", "mark"), ("preview", "preview"), ("cancel", "cancel"), ("help", "help"))


class Keymap:
    """Which key does what, after the changes a person made (`{"pick.accept": "enter,ctrl+v"}`)."""

    def __init__(self, changes: Mapping[str, str] | None = None) -> None:
        self.actions: list[Action] = []
        for action in ACTIONS:
            said = (changes or {}).get(f"pick.{action.name}")
            keys = tuple(key.strip() for key in said.split(",") if key.strip()) if said is not None else action.keys
            self.actions.append(action._replace(keys=keys))
        self._by_key = {key: action.name for action in self.actions for key in action.keys}
        for action in self.actions:  # what was asked for wins over what a key did before
            if f"pick.{action.name}" in (changes or {}):
                self._by_key.update(dict.fromkeys(action.keys, action.name))

    def action(self, key: str) -> str:
        """The name of what a key does, "" when it does nothing."""
        return self._by_key.get(key, "")

    def key_of(self, name: str) -> str:
        """The first key of an action, "" when it has none."""
        return next((action.keys[0] for action in self.actions if action.name == name and action.keys), "")


NAMES = frozenset(f"pick.{action.name}" for action in ACTIONS)


def clashes(changes: Mapping[str, str]) -> list[str]:
    """Lines about keys of the picker that a configuration takes from another action, or gives to two."""
    keymap = Keymap(changes)
    return [
        f"{key} is for pick.{action.name} and for pick.{other.name}"
        for action in keymap.actions if f"pick.{action.name}" in changes
        for other in keymap.actions if other.name != action.name
        for key in action.keys if key in other.keys and keymap.action(key) == action.name
    ]  # fmt: skip
