"""The palette of commands: what can be done here by name, with the key that does it; typing narrows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.widgets import Static

from sessionbrowser.text import cells, cut, fit, for_eyes
from sessionbrowser.tui.dialogs.card import Panel
from sessionbrowser.tui.look import look_of

WIDTH = 64  # cells, where there is room: the panel keeps its size while one types


class Command(NamedTuple):
    """One thing that can be done: its name, the key it has (or what it stands for), and how it is done."""

    name: str
    key: str
    run: Callable[[], object]


class Palette(Panel):
    """Commands by name. What is chosen is what the screen returns, as a number in the order they came."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+p,ctrl+c", "close", "Close", id="palette.close"),
        Binding("down,ctrl+n", "move(1)", "Down", show=False, id="palette.down"),
        Binding("up", "move(-1)", "Up", show=False, id="palette.up"),
        Binding("pagedown", "move(10)", "Ten down", show=False, id="palette.page_down"),
        Binding("pageup", "move(-10)", "Ten up", show=False, id="palette.page_up"),
        Binding("enter", "choose", "Do it", id="palette.choose"),
    ]
    title_words = "commands"
    keys_words = "enter does it · esc close"

    def __init__(self, commands: Sequence[Command]) -> None:
        super().__init__()
        self.commands = commands
        self.typed = ""
        self._cursor = 0

    @property
    def found(self) -> list[int]:
        """The commands whose names have what was typed, those that begin with it first."""
        words = self.typed.lower().split()
        names = [command.name.lower() for command in self.commands]
        at = [number for number, name in enumerate(names) if all(word in name for word in words)]
        return sorted(at, key=lambda number: _distance(names[number], words))

    # ── keys ──

    def on_key(self, event: events.Key) -> None:
        if event.key in ("backspace", "ctrl+h"):
            self._type(self.typed[:-1])
        elif event.key in ("ctrl+u", "ctrl+w"):
            self._type("")
        elif event.character is not None and event.character.isprintable():
            self._type(self.typed + event.character)
        else:
            return
        event.stop()

    def on_paste(self, event: events.Paste) -> None:
        self._type(self.typed + for_eyes(event.text).split("\n")[0])

    def _type(self, typed: str) -> None:
        self.typed, self._cursor = typed, 0
        self.draw()

    def action_move(self, by: int) -> None:
        self._cursor = max(0, min(self._cursor + by, len(self.found) - 1))
        self.draw()

    def action_choose(self) -> None:
        found = self.found
        self.dismiss(str(found[self._cursor]) if found else None)

    def action_close(self) -> None:
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        super().on_click(event)
        if isinstance(event.widget, Static):
            place = event.y - 2 + self._top
            if event.y >= 2 and place < len(self.found):
                self._cursor = place
                self.action_choose()

    # ── drawing ──

    @property
    def _lines(self) -> int:
        """How many commands are shown at a time."""
        return max(1, min(len(self.commands), self.size.height * 92 // 100 - 6))

    @property
    def _top(self) -> int:
        return max(0, min(self._cursor - self._lines // 2, len(self.found) - self._lines))

    def content(self, width: int) -> Text:
        palette, glyphs = look_of(self)
        width = min(width, WIDTH)
        text = Text(f"{glyphs.chevron} ", palette.style("accent"), no_wrap=True)
        text.append(cut(self.typed, width - 4, glyphs.ellipsis), palette.style("text"))
        text.append(glyphs.caret + "\n\n", palette.style("accent"))
        found, top = self.found, self._top
        if not found:
            text.append(fit("no command is called that", width), palette.style("dim"))
        for place, number in enumerate(found[top : top + self._lines], top):
            command = self.commands[number]
            base = palette.style("cursor" if place == self._cursor else "text")
            key = cut(command.key, width // 2, glyphs.ellipsis)
            row = Text(f" {fit(command.name, width - cells(key) - 3, ellipsis=glyphs.ellipsis)} ", palette.style("text"), no_wrap=True)
            row.append(f"{key} ", palette.style("key"))
            row.stylize_before(base)
            text.append_text(row).append("\n")
        text.append("\n" * (self._lines - max(1, len(found[top : top + self._lines]))))
        text.right_crop(1)
        return text


def _distance(name: str, words: Sequence[str]) -> int:
    """0 for a name that begins with what was typed, 1 where words of it do, 2 for parts of words."""
    if not words or name.startswith(words[0]):
        return 0
    starts = name.split()
    return 1 if all(any(start.startswith(word) for start in starts) for word in words) else 2
