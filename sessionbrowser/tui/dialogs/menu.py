"""A menu: a few choices, each with a letter; the one chosen is what the screen returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from sessionbrowser.text import cells, cut, cut_middle, fit
from sessionbrowser.tui.dialogs.card import Panel
from sessionbrowser.tui.dialogs.wrap import wrapped
from sessionbrowser.tui.look import look_of

HEADING = "strong"  # the style of words that keep to one line
LEAST = 12  # cells in which what goes before the agent's words says anything


class Choice(NamedTuple):
    """One line of a menu: what it returns, its letter, its name, and what it would give (a command line, or else)."""

    result: str
    key: str
    label: str
    detail: str = ""
    style: str = "text"
    command: bool = False


class Menu(Panel):
    """Choices under a few lines of explanation; arrows and enter, or a letter, or a click."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="menu.close"),
        Binding("down", "move(1)", "Down", show=False, id="menu.down"),
        Binding("up", "move(-1)", "Up", show=False, id="menu.up"),
        Binding("enter", "choose", "Choose", id="menu.choose"),
    ]
    keys_words = "enter choose · esc cancel"

    def __init__(
        self, title: str, choices: Sequence[Choice], said: Sequence[tuple[str, str]] = (), cursor: int = 0
    ) -> None:
        super().__init__()
        self.title_words = title
        self.choices = choices
        self.said = said
        self._cursor = cursor
        self._first_line = 0

    def action_close(self) -> None:
        self.dismiss(None)

    def action_move(self, by: int) -> None:
        self._cursor = (self._cursor + by) % max(1, len(self.choices))
        self.draw()
        panel, line = self.query_one("#panel", VerticalScroll), self._first_line + self._cursor
        top, height = panel.scroll_offset.y, panel.scrollable_content_region.height
        panel.scroll_to(y=min(line, max(top, line - height + 1)), animate=False)

    def action_choose(self) -> None:
        self.dismiss(self.choices[self._cursor].result if self.choices else None)

    def on_key(self, event: events.Key) -> None:
        for choice in self.choices:
            if choice.key and event.character == choice.key:
                event.stop()
                self.dismiss(choice.result)
                return

    def on_click(self, event: events.Click) -> None:
        super().on_click(event)
        if isinstance(event.widget, Static):
            place = event.y - self._first_line
            if 0 <= place < len(self.choices):
                self.dismiss(self.choices[place].result)

    def content(self, width: int) -> Text:
        palette, glyphs = look_of(self)
        width = min(width, 100)
        text = Text(no_wrap=True)
        lines = 0
        for words, style in self.said:
            for line in [cut(words, width, glyphs.ellipsis)] if style == HEADING else wrapped(words, width):
                text.append(line + "\n", palette.style(style))
                lines += 1
        if self.said:
            text.append("\n")
            lines += 1
        self._first_line = lines
        labels = max((cells(choice.label) for choice in self.choices), default=0)
        for at, choice in enumerate(self.choices):
            base = palette.style("cursor" if at == self._cursor else "text")
            room = max(8, width - labels - 8)
            detail = shortened(choice, room, glyphs.ellipsis)
            row = Text(no_wrap=True)
            row.append(f" {choice.key or ' '}  ", palette.style("key"))
            row.append(fit(choice.label, labels) + "   ", palette.style(choice.style))
            row.append(detail, palette.style("dim"))
            row.append(" " * max(0, min(width, 60) - row.cell_len))
            row.stylize_before(base)
            text.append_text(row)
            text.append("\n")
        text.right_crop(1)
        return text


def shortened(choice: Choice, room: int, ellipsis: str) -> str:
    """The detail in `room` cells: a path loses its middle, a command what goes before the agent's own words."""
    detail = choice.detail
    before, then, agent = detail.rpartition(" && ") if choice.command else ("", "", detail)
    if cells(detail) > room and choice.command:
        left = room - cells(then + agent)
        return cut_middle(before, left, ellipsis) + then + agent if then and left >= LEAST else cut(agent, room, ellipsis)
    return cut_middle(detail, room, ellipsis) if "/" in detail else cut(detail, room, ellipsis)
