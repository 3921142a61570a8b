"""A card: a titled panel to read and scroll, closed by escape, enter or the key that opened it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from sessionbrowser.text import cells, cut
from sessionbrowser.tui.look import look_of
from sessionbrowser.tui.scrolling import draw_plainly

LOW, NARROW = 12, 40  # lines and columns of a screen below which there is no room for air around words
LEAST = 12  # cells in which a value can be read beside its name


class Fact(NamedTuple):
    """A line of a card: a name, a value that may wrap, its style; a heading when there is no value."""

    name: str
    value: str = ""
    style: str = "text"
    name_style: str = "faint"


class Panel(ModalScreen[str | None]):
    """What cards and menus share: a frame in the middle, a click outside closes it."""

    DEFAULT_CSS = """
    Panel { align: center middle; background: $background 60%; }
    Panel:ansi { background: ansi_default; }
    Panel > VerticalScroll {
        width: auto; max-width: 96%; height: auto; max-height: 92%; padding: 1 2; background: $background;
        border: round $sb-accent; border-title-color: $sb-accent; border-title-style: bold;
        border-subtitle-color: $sb-dim; scrollbar-size-vertical: 1;
    }
    Panel.-small > VerticalScroll { max-width: 100%; max-height: 100%; padding: 0 1; }
    Panel > VerticalScroll.-ascii { border: ascii $sb-accent; }
    Panel > VerticalScroll > Static { width: auto; height: auto; }
    """
    title_words = ""
    keys_words = "esc close"

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="panel", can_focus=False):  # its keys would come before ours
            yield Static("", markup=False, id="content")

    def on_mount(self) -> None:
        panel = self.query_one("#panel", VerticalScroll)
        panel.border_title = Text(self._drawable(self.title_words))
        panel.border_subtitle = Text(self._drawable(self.keys_words))
        panel.set_class(look_of(self)[1].rule == "-", "-ascii")
        draw_plainly(panel)
        self.draw()

    def on_resize(self) -> None:
        self.set_class(self.size.height < LOW or self.size.width < NARROW, "-small")
        self.draw()

    def draw(self) -> None:
        """Fill the panel for the width there is."""
        around = 5 if self.has_class("-small") else self.size.width * 4 // 100 + 7  # frame, air, scroll bar
        text = self.content(max(12, self.size.width - around))
        text.plain = self._drawable(text.plain)
        self.query_one("#content", Static).update(text)

    def _drawable(self, words: str) -> str:
        """Words of ours with the signs of the set that is drawn with."""
        _, glyphs = look_of(self)
        return words if glyphs.ellipsis == "…" else words.replace("…", glyphs.ellipsis).replace("·", glyphs.dot)

    def content(self, width: int) -> Text:
        """What the panel shows in at most `width` cells."""
        raise NotImplementedError

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss(None)


class Card(Panel):
    """Facts by name, under headings."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,i,question_mark,f1", "close", "Close", id="card.close"),
        Binding("down,j", "scroll(1)", "Down", show=False, id="card.down"),
        Binding("up,k", "scroll(-1)", "Up", show=False, id="card.up"),
        Binding("pagedown,space", "scroll(12)", "A page down", show=False, id="card.page_down"),
        Binding("pageup", "scroll(-12)", "A page up", show=False, id="card.page_up"),
        Binding("home,g", "scroll(-100000)", "Top", show=False, id="card.top"),
        Binding("end,G", "scroll(100000)", "Bottom", show=False, id="card.bottom"),
    ]

    def __init__(self, title: str, facts: Sequence[Fact], *, least: int = 0) -> None:
        super().__init__()
        self.title_words = title
        self.facts = facts
        self._least = least  # cells the content is wide at least, where there is room

    def action_close(self) -> None:
        self.dismiss(None)

    def action_scroll(self, by: int) -> None:
        self.query_one("#panel", VerticalScroll).scroll_relative(y=by, animate=False)

    def content(self, width: int) -> Text:
        from sessionbrowser.tui.dialogs.wrap import wrapped

        palette, _ = look_of(self)
        width = min(width, 110)
        names = min(24, max((cells(fact.name) for fact in self.facts if fact.value), default=0))
        text = Text()
        for fact in self.facts:
            if not fact.value:
                text.append("\n".join(wrapped(fact.name, width)) + "\n", palette.style("heading" if fact.style == "text" else fact.style))
                continue
            if names + 2 + LEAST > width:  # one below the other
                text.append(cut(fact.name, width) + "\n", palette.style(fact.name_style))
                text.append("".join(f"  {line}\n" for line in wrapped(fact.value, width - 2)), palette.style(fact.style))
                continue
            for at, line in enumerate(wrapped(fact.value, width - names - 2)):
                name = fact.name if at == 0 else ""
                text.append(name + " " * (max(0, names - cells(name)) + 2), palette.style(fact.name_style))
                text.append(line + "\n", palette.style(fact.style))
        if self._least and text.plain:
            text.append(" " * min(width, self._least))
        text.rstrip()
        return text
