"""Keys from the bytes a terminal sends, by the names the rest of the program uses: "ctrl+j", "alt+enter", "shift+tab"."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from typing import NamedTuple


class Key(NamedTuple):
    """A key: its name, and the text it types ("" when it types none)."""

    name: str
    text: str = ""


class Paste(NamedTuple):
    """Text that was pasted."""

    text: str


class Mouse(NamedTuple):
    """A mouse button pressed ("left"), or the wheel turned ("up", "down"), at a cell counted from 0."""

    what: str
    x: int
    y: int


class Position(NamedTuple):
    """The terminal's answer where its cursor is, counted from 1."""

    line: int
    column: int


Event = Key | Paste | Mouse | Position

_CONTROLS = {0: "ctrl+space", 9: "tab", 10: "ctrl+j", 13: "enter", 27: "escape", 28: "ctrl+backslash",
             29: "ctrl+right_square_bracket", 30: "ctrl+circumflex_accent", 31: "ctrl+underscore", 127: "backspace"}  # fmt: skip
_LETTERS = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end", "P": "f1", "Q": "f2", "R": "f3", "S": "f4", "Z": "shift+tab"}
_NUMBERS = {1: "home", 2: "insert", 3: "delete", 4: "end", 5: "pageup", 6: "pagedown", 7: "home", 8: "end", 11: "f1", 12: "f2",
            13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8", 20: "f9", 21: "f10", 23: "f11", 24: "f12"}  # fmt: skip
_MODIFIERS = ((4, "ctrl"), (2, "alt"), (1, "shift"))

_CSI = re.compile(r"\x1b\[([0-?]*)([ -/]*)([@-~])")
_SS3 = re.compile(r"\x1bO(\d*)([A-Za-z])")
_BEGUN = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O\d*)?\Z")
_PASTE, _PASTED = "\x1b[200~", "\x1b[201~"

# What fzf calls keys, for --expect: ours for theirs.
_FZF = {"ret": "enter", "return": "enter", "esc": "escape", "bspace": "backspace", "bs": "backspace", "btab": "shift+tab",
        "space": "space", "pgup": "pageup", "page-up": "pageup", "pgdn": "pagedown", "page-down": "pagedown", "del": "delete"}  # fmt: skip
_OLD = {"alt-ret": "alt+enter", "alt-return": "alt+enter", "ctrl-m": "enter", "ctrl-i": "tab", "alt-bs": "alt+backspace",
        "alt-bspace": "alt+backspace", "ctrl-\\": "ctrl+backslash", "ctrl-]": "ctrl+right_square_bracket",
        "ctrl-^": "ctrl+circumflex_accent", "ctrl-_": "ctrl+underscore", "ctrl-/": "ctrl+underscore"}  # fmt: skip


def expected(name: str) -> str:
    """Our name for a key as fzf writes it ("ctrl-v", "alt-enter", "f1", "v"). Raises ValueError for what is no key."""
    if len(name) == 1 and name.isprintable():
        return "space" if name == " " else name
    low = name.lower()
    if low in _OLD:
        return _OLD[low]
    *modifiers, last = low.split("-") if low not in _FZF else [low]
    last = _FZF.get(last, last)
    known = last in (*_LETTERS.values(), *_NUMBERS.values(), *_CONTROLS.values(), "space", "enter")
    plain = len(last) == 1 and bool(modifiers)
    if not (known or plain) or set(modifiers) - {"ctrl", "alt", "shift"}:
        raise ValueError(f"there is no key {name!r}")
    if modifiers == ["alt"] and len(last) == 1:
        last = name[-1]  # alt-A is another key than alt-a
    return "+".join([*(word for _, word in _MODIFIERS if word in modifiers), last])


class Decoder:
    """Turns bytes into keys. What is cut short waits for the rest, or for `flush`."""

    def __init__(self) -> None:
        self._decode = getincrementaldecoder("utf-8")(errors="replace").decode
        self._held = ""

    @property
    def is_waiting(self) -> bool:
        """Whether something was begun: an escape that may be a key by itself, or the beginning of another."""
        return bool(self._held)

    def feed(self, data: bytes) -> list[Event]:
        self._held += self._decode(data)
        found: list[Event] = []
        while self._held:
            event, taken = self._next(self._held)
            if not taken:
                break
            self._held = self._held[taken:]
            if event is not None:
                found.append(event)
        return found

    def flush(self) -> list[Event]:
        """Nothing more came: what is held is what it is."""
        held, self._held = self._held, ""
        if held.startswith(_PASTE):
            return [Paste(held[len(_PASTE) :])]
        return [Key("escape"), *Decoder().feed(held[1:].encode("utf-8", "replace"))] if held else []

    def _next(self, text: str) -> tuple[Event | None, int]:
        """The first event in `text` and how many characters it took; 0 when it is not complete."""
        if text[0] != "\x1b":
            return _plain(text[0]), 1
        if text.startswith(_PASTE):
            end = text.find(_PASTED)
            return (Paste(text[len(_PASTE) : end]), end + len(_PASTED)) if end >= 0 else (None, 0)
        if found := _CSI.match(text):
            return _sequence(found[1], found[3]), found.end()
        if found := _SS3.match(text):
            return _lettered(found[1], found[2]), found.end()
        if _BEGUN.match(text):
            return None, 0
        if text[1] == "\x1b":
            return Key("escape"), 1
        key = _plain(text[1])
        return (Key(f"alt+{key.text if key.text.strip() else key.name}"), 2) if key else (None, 2)


def _plain(char: str) -> Key:
    number = ord(char)
    if number in _CONTROLS:
        return Key(_CONTROLS[number])
    if number < 27:
        return Key(f"ctrl+{chr(number + 96)}")
    return Key("space" if char == " " else char, char)


def _sequence(parameters: str, final: str) -> Event | None:
    if final in "Mm" and parameters.startswith("<"):
        return _mouse(parameters[1:], final)
    numbers = [int(number.split(":")[0] or 0) for number in parameters.split(";") if re.fullmatch(r"[\d:]*", number)]
    if final == "R" and len(numbers) == 2:
        return Position(*numbers)
    if final == "~" and numbers:
        name = _NUMBERS.get(numbers[0], "")
        return Key(_modified(name, numbers[1:])) if name else None
    if final == "u" and numbers:
        return _unicode(numbers)
    return _lettered(parameters, final) if final in _LETTERS else None


def _lettered(parameters: str, final: str) -> Key | None:
    name = _LETTERS.get(final)
    numbers = [int(number) for number in parameters.split(";") if number.isdigit()]
    return Key(_modified(name, numbers[-1:] if len(numbers) > 1 else [])) if name else None


def _unicode(numbers: list[int]) -> Key | None:
    """A key as newer protocols send it: its code and its modifiers."""
    code = numbers[0]
    if not 0 < code < 0x110000:
        return None
    key = _plain(chr(code))
    if len(numbers) < 2 or numbers[1] <= 1:
        return key
    if numbers[1] == 2 and key.name == "tab":
        return Key("shift+tab")
    return Key(_modified(key.name, numbers[1:2]))


def _modified(name: str, numbers: list[int]) -> str:
    bits = max(0, numbers[0] - 1) if numbers else 0
    return "+".join([*(word for bit, word in _MODIFIERS if bits & bit), name])


def _mouse(parameters: str, final: str) -> Mouse | None:
    parts = parameters.split(";")
    if len(parts) != 3 or not all(part.isdigit() for part in parts) or final == "m":
        return None
    button, x, y = (int(part) for part in parts)
    what = {0: "left", 64: "up", 65: "down"}.get(button)
    return Mouse(what, x - 1, y - 1) if what else None
