"""The box: one line at the top of the screen, the count at its right, a hint below when there is something to say."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.highlighter import Highlighter
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widget import Widget
from textual.widgets import Input, Static

from sessionbrowser.query import Completion
from sessionbrowser.text import cells, cut, fit, for_eyes
from sessionbrowser.tui.keys import clicks
from sessionbrowser.tui.look import look_of

EVERYWHERE = "in:all"
LONGEST, MOST = 1000, 100  # characters of a query that is remembered, and how many are
_FIELD = re.compile(r"(?<!\S)-?([A-Za-z]+:)")


class _Fields(Highlighter):
    """Colours the field names of a query."""

    def __init__(self, widget: Input) -> None:
        self._widget = widget

    def highlight(self, text: Text) -> None:
        style = look_of(self._widget)[0].style("field")
        for found in _FIELD.finditer(text.plain):
            text.stylize(style, *found.span(1))


class QueryInput(Input):
    """The input of the box. It tells about a change in the same turn of the loop: echo and list share a frame."""

    HELP = "Words narrow the list as you type; fields like branch: or after: narrow it further."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "accept", "Open", priority=True, id="box.open"),
        Binding("escape", "leave", "Clear, then leave", id="box.leave"),
        Binding("tab", "complete", "Complete", id="box.complete"),
        Binding("shift+tab", "to_list", "To the list, with what is in the box", show=False, id="box.to_list"),
        Binding("down", "up_down(1)", "Down in the list; later queries", show=False, id="box.down"),
        Binding("up", "up_down(-1)", "Up in the list; earlier queries from the empty box", show=False, id="box.up"),
        Binding("ctrl+n,ctrl+j", "list('move', 1)", "Down in the list", show=False, id="box.list_down"),
        Binding("pagedown", "list('page', 1)", "A page down", show=False, id="box.page_down"),
        Binding("pageup", "list('page', -1)", "A page up", show=False, id="box.page_up"),
        Binding("alt+up", "recall(1)", "Earlier query", show=False, id="box.earlier"),
        Binding("alt+down", "recall(-1)", "Later query", show=False, id="box.later"),
        Binding("ctrl+t", "tools", "Look into what tools were given and said, too", show=False, id="box.tools"),
        Binding("alt+n", "next_hit(1)", "Next hit", show=False, id="box.next_hit"),
        Binding("alt+p", "next_hit(-1)", "Previous hit", show=False, id="box.previous_hit"),
    ]

    class Accepted(Message):
        """Enter: open what is under the cursor."""

    class Left(Message):
        """The focus is for the list again."""

    class Moved(Message):
        """A key for the list was pressed in the box."""

        def __init__(self, what: str, by: int) -> None:
            self.what = what
            self.by = by
            super().__init__()

    class NextHit(Message):
        def __init__(self, by: int) -> None:
            self.by = by
            super().__init__()

    virtual_size = Reactive(Size(0, 0))  # without the layout that Textual's asks for: its place depends on nothing in it

    def __init__(
        self,
        on_query: Callable[[str], None],
        completions: Callable[[str, int], Sequence[Completion]],
        on_hint: Callable[[Sequence[Completion], int], None],
        history: list[str],
        value: str = "",
    ) -> None:
        super().__init__(value, compact=True, select_on_focus=False, id="query")
        self.highlighter = _Fields(self)
        self.cursor_blink = False
        self._on_query = on_query
        self._completions = completions
        self._on_hint = on_hint
        self.history = history
        self._recalled = -1  # which of the earlier queries stands in the box
        self._recalled_text: str | None = None
        self._kept = ""
        self._offered: tuple[Sequence[Completion], int, str] | None = None

    def _watch_value(self, value: str) -> None:
        super()._watch_value(value)
        if self.is_mounted:
            if value != self._recalled_text:
                self._recalled = -1
            self._on_query(value)

    def _on_paste(self, event: events.Paste) -> None:
        super()._on_paste(events.Paste(for_eyes(event.text).replace("\n", " ").replace("\t", " ")))
        event.stop()
        event.prevent_default()

    def action_accept(self) -> None:
        self.remember()
        self.post_message(self.Accepted())

    def action_leave(self) -> None:
        if self.value:
            self.value = ""
        else:
            self.post_message(self.Left())

    def action_up_down(self, by: int) -> None:
        """Move in the list; from the empty box go up to earlier queries, and down again among them."""
        if self._recalled >= 0 or (by < 0 and not self.value and self.history):
            self.action_recall(-by)
        else:
            self.action_list("move", by)

    def action_tools(self) -> None:
        """Look into tool input and output as well; once more: not any more."""
        before = self.value.rstrip()
        self.value = before.removesuffix(EVERYWHERE).rstrip() if before.endswith(EVERYWHERE) else f"{before} {EVERYWHERE}"
        self.cursor_position = len(self.value)

    def action_list(self, what: str, by: int) -> None:
        self.post_message(self.Moved(what, by))

    def action_next_hit(self, by: int) -> None:
        self.post_message(self.NextHit(by))

    def action_to_list(self) -> None:
        self.post_message(self.Left())

    def action_complete(self) -> None:
        """Put in the first completion, the next one when pressed again. The focus stays: what is typed next is for the box."""
        if self._offered is not None and self._offered[2] == self.value and len(self._offered[0]) > 1:
            offers, at, _ = self._offered
            before = offers[at]
            at = (at + 1) % len(offers)
            start, end = before.start, before.start + len(before.text)
        else:
            offers, at = self._completions(self.value, self.cursor_position), 0
            if not offers or [self.value[offer.start : offer.end] for offer in offers] == [offers[0].text]:
                self._on_hint((), 0)
                return
            start, end = offers[0].start, offers[0].end
        chosen = offers[at]
        value = self.value[:start] + chosen.text + self.value[end:]
        self.value = value
        self.cursor_position = start + len(chosen.text)
        self._offered = (offers, at, value)
        self._on_hint(offers, at)

    def remember(self) -> None:
        """Keep what is in the box as the newest of the earlier queries."""
        query = self.value.strip()
        self._recalled = -1
        if query and len(query) <= LONGEST:
            self.history[:] = [query, *(old for old in self.history if old != query)][:MOST]

    def action_recall(self, by: int) -> None:
        """Walk through earlier queries; walking back past the newest gives what was typed."""
        if self._recalled < 0:
            self._kept = self.value
        self._recalled = max(-1, min(self._recalled + by, len(self.history) - 1))
        self._recalled_text = self._kept if self._recalled < 0 else self.history[self._recalled]
        self.value = self._recalled_text
        self.cursor_position = len(self.value)


class CountOf(Widget):
    """"214 of 1,903 in this folder · 57 hidden (x)", shorter where there is no room; its width does not follow its words.

    Once they are in the list: "1,960 · 57 hidden ones shown (x)". A click on it does what the key does.
    """

    auto_links = False  # no underlines

    def __init__(self) -> None:
        super().__init__(id="count")
        self._counts = (0, 0, 0)
        self._shown = False  # the hidden ones are in the list
        self._where = ""  # the scope; beside panes with frames theirs names it
        self._indexing = (0, 0)

    def show_indexing(self, done: int, total: int) -> None:
        """How far the first index is; nothing for a total of 0."""
        if (done, total) != self._indexing:
            self._indexing = (done, total)
            self.refresh()

    @property
    def is_indexing(self) -> bool:
        return bool(self._indexing[1])

    def show(self, matched: int, total: int, hidden: int, *, shown: bool, where: str) -> None:
        """Listed, in all, hidden by default; whether these are `shown`; `where` all of them are, "" for everywhere."""
        if ((matched, total, hidden), shown, where) != (self._counts, self._shown, self._where):
            self._counts, self._shown, self._where = (matched, total, hidden), shown, where
            self.refresh()

    def render(self) -> Text:
        _, glyphs = look_of(self)
        matched, total, hidden = self._counts
        words = f"{total:,}" if matched == total else f"{matched:,} of {total:,}"
        if self._where and self.screen.has_class("-narrow"):
            words += f" {self._where}" if cells(words) + cells(self._where) + 3 <= self.size.width else " here"
        said = ("hidden ones shown (x)", "hidden shown (x)", "shown") if self._shown else ("hidden (x)", "hidden")
        for more in (f" {glyphs.dot} {hidden:,} {how}" for how in said if hidden):
            if cells(words + more) + 2 <= self.size.width:
                words += more
                break
        done, building = self._indexing
        before = f"indexing {done:,} of {building:,} {glyphs.dot} "
        if building and cells(before + words) + 2 <= self.size.width:
            words = before + words
        line = Text(fit(f"{words} ", self.size.width, right=True), no_wrap=True, end="")
        if hidden:
            line.stylize(clicks("screen.hidden"), max(0, len(line) - len(words) - 1), len(line) - 1)
        return line


class QueryBar(Horizontal):
    """The top line: the program's name, the box, how many sessions are shown and hidden."""

    DEFAULT_CSS = """
    QueryBar { height: 1; background: $sb-surface; dock: top; }
    QueryBar > #name { width: auto; color: $sb-dim; background: $sb-surface; }
    QueryBar > CountOf { height: 1; color: $sb-dim; background: $sb-surface; }
    QueryBar > QueryInput {
        width: 1fr; height: 1; border: none; padding: 0; background: $sb-surface; background-tint: $foreground 0%;
        &:focus { border: none; background: $sb-surface; background-tint: $foreground 0%; }
    }
    """

    def __init__(self, box: QueryInput) -> None:
        super().__init__(id="bar")
        self.box = box

    def compose(self) -> ComposeResult:
        yield Static("", id="name", markup=False)
        yield self.box
        yield CountOf()

    def on_mount(self) -> None:
        self.redraw()

    def on_resize(self) -> None:
        self.redraw()

    def redraw(self) -> None:
        palette, glyphs = look_of(self)
        name = Text(" sb ", style=palette.style("accent bold"))
        if self.size.width >= 40:
            name.append(f" {glyphs.chevron} ", style=palette.style("faint"))
        self.query_one("#name", Static).update(name)
        count = self.query_one(CountOf)
        width = self.size.width
        count.styles.width = 0 if width < 24 else 14 if width < 50 else 24 if width < 70 else 60 if count.is_indexing and width >= 100 else 36
        count.refresh()

    def show_counts(self, matched: int, total: int, hidden: int, *, shown: bool = False, where: str = "") -> None:
        """How many sessions are listed, of how many, and how many are hidden by default, in the list or not; see CountOf."""
        self.query_one(CountOf).show(matched, total, hidden, shown=shown, where=where)

    def show_indexing(self, done: int, total: int) -> None:
        """How far the first index is."""
        count = self.query_one(CountOf)
        before = count.is_indexing
        count.show_indexing(done, total)
        if count.is_indexing != before:
            self.redraw()

    @property
    def text_column(self) -> int:
        """The column of the screen where the text of the box begins."""
        return self.box.region.x


class Hint(Static):
    """A line under the box: what is wrong with the query, or what it can be completed to.

    It takes its line when there is first something to say, and gives it back once the box is empty or left: panes do not
    jump while one types.
    """

    DEFAULT_CSS = """
    Hint { height: 1; width: 100%; background: $sb-surface; display: none; }
    Hint.-said { display: block; }
    """

    def __init__(self) -> None:
        super().__init__("", markup=False, id="hint")

    def say_nothing(self, *, keep: bool = False) -> None:
        """Say no more; with `keep` the line stays, empty."""
        if self.has_class("-said"):
            self.update("", layout=False)
        if not keep:
            self.remove_class("-said")

    def say_problem(self, message: str, column: int) -> None:
        """Point at the place of the query that cannot be read, and say why."""
        palette, glyphs = look_of(self)
        room = self.screen.size.width
        message = for_eyes(message)
        column = max(0, min(column, room - cells(message) - 4))
        line = Text(" " * column, no_wrap=True)
        line.append(f"{glyphs.up} ", style=palette.style("warn bold"))
        line.append(cut(message, max(4, room - column - 2), glyphs.ellipsis), style=palette.style("warn"))
        self.update(line, layout=False)
        self.add_class("-said")

    def offer(self, completions: Sequence[Completion], chosen: int, column: int) -> None:
        """The completions there are, the one that was put in marked."""
        palette, glyphs = look_of(self)
        line = Text(" " * column, no_wrap=True)
        first = max(0, chosen - 3)
        for at, completion in enumerate(completions[first : first + 12], first):
            style = "accent bold" if at == chosen else "dim"
            line.append(for_eyes(completion.text).strip() + "  ", style=palette.style(style))
        if completions[chosen].help:
            line.append(f"{glyphs.dot} {for_eyes(completions[chosen].help)}", style=palette.style("faint"))
        self.update(line, layout=False)
        self.add_class("-said")
