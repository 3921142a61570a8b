"""The statistics of the sessions in the list: counted while one looks, one table at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.timer import Timer

from sessionbrowser.model import Session
from sessionbrowser.render.bars import bar
from sessionbrowser.statistics import USUAL, Statistics, gather
from sessionbrowser.statistics.lines import Look, head, table
from sessionbrowser.text import one_line, plural
from sessionbrowser.tui.background import Latest
from sessionbrowser.tui.dialogs.card import Panel
from sessionbrowser.tui.dialogs.wrap import wrapped
from sessionbrowser.tui.look import look_of

if TYPE_CHECKING:
    from sessionbrowser.library import Library

ROWS = 200  # of a table
BARS = "█▉▊▋▌▍▎▏#"


class StatisticsCard(Panel):
    """Sums and tables with bars; the arrows go from table to table. Closing it ends the counting."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,S", "close", "Close", id="statistics.close"),
        Binding("right,tab,l", "table(1)", "Next table", id="statistics.next"),
        Binding("left,shift+tab,h", "table(-1)", "Table before", show=False, id="statistics.previous"),
        Binding("down,j", "scroll(1)", "Down", show=False, id="statistics.down"),
        Binding("up,k", "scroll(-1)", "Up", show=False, id="statistics.up"),
        Binding("pagedown,space", "scroll(12)", "A page down", show=False, id="statistics.page_down"),
        Binding("pageup", "scroll(-12)", "A page up", show=False, id="statistics.page_up"),
    ]
    title_words = "statistics"
    keys_words = "← → table · esc close"

    def __init__(self, library: Library, sessions: Sequence[Session]) -> None:
        super().__init__()
        self.library = library
        self.sessions = list(sessions)
        self.found: Statistics | None = None
        self.wrong = ""
        self.at = 0  # which table
        self._done = 0
        self._closed = False
        self._work: Latest[Statistics] = Latest(self, patience=0.0)
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        super().on_mount()
        if look_of(self)[1].rule == "-":
            self.query_one("#panel", VerticalScroll).border_subtitle = Text("left/right table, esc close")
        self._timer = self.set_interval(0.1, self.draw)
        self._work.ask(self._gather, self._came)

    def on_unmount(self) -> None:
        self._closed = True
        self._work.drop()

    def _gather(self) -> Statistics:
        return gather(self.library, self.sessions, USUAL, progress=self._progress, stopped=lambda: self._closed)

    def _progress(self, done: int, total: int) -> None:
        self._done = done

    def _came(self, found: Statistics | None, wrong: str) -> None:
        self.found, self.wrong = found, wrong
        if self._timer is not None:
            self._timer.stop()
        self.draw()

    def action_close(self) -> None:
        self.dismiss(None)

    def action_table(self, by: int) -> None:
        self.at = (self.at + by) % len(USUAL)
        self.query_one("#panel", VerticalScroll).scroll_home(animate=False)
        self.draw()

    def action_scroll(self, by: int) -> None:
        self.query_one("#panel", VerticalScroll).scroll_relative(y=by, animate=False)

    def content(self, width: int) -> Text:
        palette, glyphs = look_of(self)
        width = min(width, 110)
        ascii_only = glyphs.rule == "-"
        text = Text(no_wrap=True)
        if self.found is None:
            total = len(self.sessions)
            text.append((self.wrong and f"not counted: {one_line(self.wrong)}") or f"counting {self._done:,} of {plural(total, 'session')}\n", palette.style("text"))
            text.append(bar(self._done, total, min(40, width), ascii_only=ascii_only), palette.style("accent"))
            return text
        look = Look(width, self.library.environment.home, ROWS, ascii_only)
        for line in (part for sentence in head(self.found) for part in wrapped(sentence, width)):
            text.append(line + "\n", palette.style("text"))
        if self.found.unreadable:
            text.append(f"{plural(len(self.found.unreadable), 'session')} could not be read\n", palette.style("warn"))
        text.append("\n")
        for index, name in enumerate(USUAL):
            text.append(f" {name} ", palette.style("cursor" if index == self.at else "dim"))
        text.append("\n\n")
        first, *rows = table(self.found, USUAL[self.at], look)
        text.append(first + "\n", palette.style("heading"))
        for row in rows:
            words = row.rstrip(BARS)
            text.append(words, palette.style("text"))
            text.append(row[len(words) :] + "\n", palette.style("accent"))
        text.rstrip()
        return text
