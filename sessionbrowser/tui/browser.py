"""The main screen: the box, the list, the agents, the transcript, and how they share the space."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from sessionbrowser.model import Session
from sessionbrowser.query import Completion, complete
from sessionbrowser.tui.actions import Actions
from sessionbrowser.tui.agent_tree import AgentTree
from sessionbrowser.tui.compositing import paint_narrowly
from sessionbrowser.tui.facts_line import FactsLine
from sessionbrowser.tui.geometry import divide
from sessionbrowser.tui.grouped_list import GroupedList
from sessionbrowser.tui.heads import ColumnHeads
from sessionbrowser.tui.keys import footer
from sessionbrowser.tui.listing import Listing
from sessionbrowser.tui.memory import Memory, recall, remember
from sessionbrowser.tui.notes import Note
from sessionbrowser.tui.pane import Crumb, Pane
from sessionbrowser.tui.query_bar import Hint, QueryBar, QueryInput
from sessionbrowser.tui.reading import Reading
from sessionbrowser.tui.session_list import SessionList
from sessionbrowser.tui.status_bar import StatusBar
from sessionbrowser.tui.transcript import TranscriptView

if TYPE_CHECKING:
    from sessionbrowser.library import Library
    from sessionbrowser.tui.exporting import Exporting
    from sessionbrowser.tui.leaving import Leaving

TYPING = 0.09  # seconds without a key in the box until the session under the cursor is read
PANES = ("sessions", "agents", "reading")

# The keys that matter in each pane: action id and the word for it.
FOOTERS: dict[str, tuple[tuple[str, str], ...]] = {
    "sessions": (("list.open", "open"), ("session.box", "find"), ("session.copy", "copy"), ("session.resume", "resume"),
                 ("session.help", "help")),
    "agents": (("agents.open", "read"), ("session.back", "back"), ("session.pane", "next pane"),
               ("session.copy", "copy"), ("session.help", "help")),
    "reading": (("transcript.enter", "fold"), ("transcript.next_prompt", "next prompt"), ("transcript.next_error", "error"),
                ("transcript.find", "find"), ("session.copy", "copy"), ("session.help", "help")),
    "box": (("box.open", "open"), ("box.next_hit", "next hit"), ("box.leave", "clear"), ("box.complete", "complete"),
            ("session.help_box", "help")),
}  # fmt: skip

NOTHING_HERE = (
    ("box.leave", "clear"), ("session.box", "find"), ("session.hidden", "hidden"), ("session.help", "help"),
    ("session.help_box", "help"), ("app.quit", "quit"),
)  # fmt: skip


class Browser(Actions, Screen[None]):
    """Everything on one screen. What it does with sessions is in `listing.py`, `reading.py` and `leaving.py`."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "box", "Find", priority=True, id="session.box"),
        Binding("tab", "pane(1)", "Next pane", id="session.pane"),
        Binding("shift+tab", "pane(-1)", "Previous pane", show=False, id="session.pane_back"),
        Binding("c", "copy", "Copy the resume command", id="session.copy"),
        Binding("r", "resume", "Resume", id="session.resume"),
        Binding("f", "fork", "Resume as a fork", show=False, id="session.fork"),
        Binding("Y", "copy_menu", "Copy something else …", show=False, id="session.copy_menu"),
        Binding("i", "details", "Details", show=False, id="session.details"),
        Binding("W", "export", "Write to a file …", show=False, id="session.export"),
        Binding("S", "statistics", "Statistics of the sessions in the list", show=False, id="session.statistics"),
        Binding("x", "hidden", "Show or hide hidden sessions", show=False, id="session.hidden"),
        Binding("a", "scope", "Everywhere, this repository, this folder", show=False, id="session.scope"),
        Binding("s", "sort", "Sort by activity, start, size, tokens", show=False, id="session.sort"),
        Binding("o", "group", "Group by repository, folder, source, day", show=False, id="session.group"),
        Binding("R", "reload", "Look for changes", show=False, id="session.reload"),
        Binding("exclamation_mark,w", "next_waiting", "Next session that needs you", show=False, id="session.next_waiting"),
        Binding("backspace", "back", "Back", show=False, id="session.back"),
        Binding("escape", "escape", "Back, then clear the box", show=False, id="session.escape"),
        Binding("less_than_sign", "widen(-4)", "List narrower", show=False, id="session.narrower"),
        Binding("greater_than_sign", "widen(4)", "List wider", show=False, id="session.wider"),
        Binding("minus", "heighten(-2)", "Agents lower", show=False, id="session.lower"),
        Binding("plus,equals_sign", "heighten(2)", "Agents higher", show=False, id="session.higher"),
        Binding("z", "zoom", "One pane at a time", show=False, id="session.zoom"),
        Binding("question_mark", "help", "Help", id="session.help"),
        Binding("f1", "help", "Help", show=False, id="session.help_box"),
    ]

    def __init__(
        self, library: Library, first: Sequence[Session] = (), query: str = "", *, show_hidden: bool = False, full_text: bool = True,
        indexed: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(classes="-listing")  # given later, it would style every widget once more
        paint_narrowly(self)
        self.library = library
        self.environment = library.environment
        self.memory: Memory = recall(self.environment)
        self.history = list(self.memory.history)
        self.active = "sessions"
        self.zoomed = False
        self._list_width = 0  # cells of its rows
        self._alone = True  # the session has neither agents nor relatives, as far as is known
        self.listing = Listing(self, first, full_text=full_text, indexed=indexed)
        self.listing.store.set_show_hidden(show_hidden)
        self.reading = Reading(self)
        self._query = query
        self._typing: Timer | None = None

    @cached_property
    def leaving(self) -> Leaving:
        """The ways out: resuming and copying. The first screen needs nothing of them."""
        from sessionbrowser.tui.leaving import Leaving

        return Leaving(self)

    @cached_property
    def exporting(self) -> Exporting:
        from sessionbrowser.tui.exporting import Exporting

        return Exporting(self)

    def compose(self) -> ComposeResult:
        now = self.environment.now
        box = QueryInput(self.listing.typed, self._completions, self._offer, self.history, self._query)
        yield QueryBar(box)
        yield Hint()
        yield Crumb(lambda: None if self.active == "sessions" else self.pane(self.active), id="crumb")
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield Pane(
                    ColumnHeads(id="heads"),
                    GroupedList(self.environment, id="list"),
                    Note(id="nothing"),
                    FactsLine(self.environment, tall=False, id="facts-below"),
                    title="sessions",
                    right_does="screen.sort",
                    id="sessions",
                )
                yield Pane(
                    AgentTree(now=now, id="tree"),
                    FactsLine(self.environment, tall=True, id="facts"),
                    title="agents",
                    id="agents",
                )
            yield Pane(TranscriptView(id="transcript"), id="reading")
        yield StatusBar()

    # ── parts ──

    @property
    def box(self) -> QueryInput:
        return self.query_one("#query", QueryInput)

    @property
    def list(self) -> GroupedList:
        return self.query_one("#list", GroupedList)

    @property
    def tree_pane(self) -> AgentTree:
        return self.query_one("#tree", AgentTree)

    @property
    def transcript(self) -> TranscriptView:
        return self.query_one("#transcript", TranscriptView)

    @property
    def status(self) -> StatusBar:
        return self.query_one("#status", StatusBar)

    def pane(self, name: str) -> Pane:
        """A pane by its name, one of PANES."""
        return self.query_one(f"#{name}", Pane)

    def say(self, message: str, style: str = "text") -> None:
        """Say something at the bottom for a few seconds."""
        self.status.say(message, style)

    # ── space ──

    @property
    def is_narrow(self) -> bool:
        """Whether one pane is shown at a time."""
        return self.zoomed or self.has_class("-narrow")

    def on_mount(self) -> None:
        self._arrange()
        self.set_focus(self.list)
        self.listing.start()
        self.set_interval(30, self.listing.tick)
        self.app.call_later(self.app.take_early_keys, lambda: self.call_after_refresh(self.listing.go_on))  # type: ignore[attr-defined]
        self.bindings_updated_signal.subscribe(self, lambda _: self.show_keys())

    def _compositor_refresh(self) -> None:
        """Paint, but not between changes that are to be one picture: Textual would paint what it then throws away."""
        if not self.app._batch_count:
            super()._compositor_refresh()

    def on_resize(self, event: events.Resize) -> None:
        self._arrange()
        self.show_keys()

    def _arrange(self) -> None:
        """Give every pane its cells."""
        width, height = self.app.size
        shape = divide(width, height, self.memory.left, self.memory.agents, alone=self._alone)
        single = shape.narrow or self.zoomed
        self.set_class(shape.narrow, "-narrow")
        self.set_class(height < 12, "-low")
        left = self.query_one("#left", Vertical)
        left.styles.width = "1fr" if single else shape.left
        self.pane("agents").styles.height = "1fr" if single else shape.agents_height
        for name in PANES:
            away = name != self.active if single else name == "agents" and not shape.agents_height
            self.pane(name).set_class(away, "-away")
            self.pane(name).set_class(shape.narrow, "-bare")
        left.set_class(single and self.active == "reading", "-away")
        lines = 3 if shape.agents_height >= 13 or single else 2 if shape.agents_height >= 8 or self._alone else 1
        self.query_one("#facts", FactsLine).styles.height = lines
        self._list_width = (width if single else shape.left) - (1 if shape.narrow else 3)  # frame and scroll bar
        self.set_class(self.active == "sessions", "-listing")
        self.show_heads()
        self.query_one("#crumb", Crumb).refresh()
        self.reading.visible_again()

    def show_heads(self) -> None:
        """Say over the list what its columns are."""
        self.query_one("#heads", ColumnHeads).show(self._list_width, self.listing.finder.widths)

    def fit_agents(self) -> None:
        """The tree of agents changed: its pane takes what it needs."""
        alone = self.tree_pane.is_alone
        if alone != self._alone:
            self._alone = alone
            self._arrange()

    def show_pane(self, name: str) -> None:
        """Bring a pane to the front and give it the focus."""
        self.active = name
        if self.is_narrow:
            self._arrange()
        self.set_focus(self.widget_of(name))  # at once: the next key may be here already

    def focus_again(self) -> None:
        """A list that was empty, and so had been taken from the screen with its focus, is back."""
        if self.focused is None:
            self.set_focus(self.widget_of(self.active))

    def widget_of(self, pane: str) -> Widget:
        """The widget of a pane that takes the focus."""
        return {"sessions": self.list, "agents": self.tree_pane, "reading": self.transcript}[pane]

    def action_pane(self, by: int) -> None:
        names = [name for name in PANES if self.is_narrow or not self.pane(name).has_class("-away")]
        at = names.index(self.active) if self.active in names else 0
        self.show_pane(names[(at + by) % len(names)])

    def action_widen(self, by: int) -> None:
        width = max(1, self.app.size.width)
        self._remember(left=min(0.8, max(0.2, self.memory.left + by / width)))

    def action_heighten(self, by: int) -> None:
        height = max(1, self.app.size.height - 2)
        self._remember(agents=min(0.8, max(0.12, self.memory.agents + by / height)))

    def action_zoom(self) -> None:
        self.zoomed = not self.zoomed
        self._arrange()

    def _remember(self, *, left: float | None = None, agents: float | None = None) -> None:
        memory = self.memory
        self.memory = memory._replace(left=left or memory.left, agents=agents or memory.agents)
        self._arrange()
        self.keep_memory()

    def keep_memory(self) -> None:
        """Write down sizes and earlier queries for the next start."""
        self.memory = self.memory._replace(history=tuple(self.history))
        if not self.environment.clock:  # a stopped clock: the demo leaves nothing behind
            remember(self.environment, self.memory)

    # ── focus, and what it changes ──

    @property
    def focused_pane(self) -> str:
        """Which part has the focus: "box" or one of PANES."""
        return "box" if self.focused is self.box else self.active

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        for name in PANES:
            if self.focused is self.widget_of(name) and name != self.active:
                self.active = name
        if self.focused is not self.box and self.listing.finder.problem is None:
            self.query_one("#hint", Hint).say_nothing()
        self.show_keys()

    def show_keys(self) -> None:
        if not self.is_current:
            return
        ascii = self.app.glyphs.rule == "-"  # type: ignore[attr-defined]
        wanted = self._keys_wanted()
        if not self.listing.has_hits:
            wanted = tuple(item for item in wanted if item[0] != "box.next_hit")
        self.status.show_keys(footer(self, wanted, ascii=ascii))

    def _keys_wanted(self) -> tuple[tuple[str, str], ...]:
        """The keys to be shown, before any is left out that does not work."""
        pane = self.focused_pane
        wanted = FOOTERS[pane] if self.list.count else NOTHING_HERE
        if not self.listing.store.hidden():
            wanted = tuple(item for item in wanted if item[0] != "session.hidden")
        if not self.box.value:
            wanted = tuple((id, "leave" if id == "box.leave" else word) for id, word in wanted)
        if pane == "reading" and (self.is_narrow or self.reading.agent is not None):
            wanted = (("session.back", "back"), *wanted)
        return wanted

    # ── the box ──

    def action_box(self) -> None:
        if self.is_narrow and self.active != "sessions":
            self.show_pane("sessions")
        self.set_focus(self.box)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The key of the box comes first where it is no text and finds nothing else: what is typed next is for the box."""
        return self.focused in (self.list, self.tree_pane, None) if action == "box" else True

    def _completions(self, text: str, cursor: int) -> Sequence[Completion]:
        return complete(text, cursor, self.listing.store.pool(), self.library.config.queries)

    def _offer(self, completions: Sequence[Completion], chosen: int) -> None:
        if not completions:
            self.say("nothing to complete; shift+tab leaves")
            return
        bar = self.query_one("#bar", QueryBar)
        self.query_one("#hint", Hint).offer(completions, chosen, bar.text_column)

    def on_query_input_accepted(self) -> None:
        self.keep_memory()
        if self.list.count:
            self.list.action_choose()

    def on_query_input_left(self) -> None:
        self.show_pane("sessions")

    def on_query_input_moved(self, event: QueryInput.Moved) -> None:
        (self.list.action_move if event.what == "move" else self.list.action_page)(event.by)

    def ask(self, query: str) -> None:
        """Put a query into the box, as if it were typed."""
        self.action_box()
        self.box.value = query
        self.box.cursor_position = len(query)
        self.box.remember()

    def action_escape(self) -> None:
        if self.active != "sessions":
            self.show_pane("sessions")
        elif self.box.value:
            self.box.value = ""

    def typed(self) -> None:
        """The box changed: read what the cursor stands on as soon as the typing pauses."""
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(TYPING, self._typed)

    def _typed(self) -> None:
        self._typing = None
        self.reading.show(self.list.current, self.list.snippet)
        self.reading.mark()

    # ── the list ──

    def on_session_list_highlighted(self, event: SessionList.Highlighted) -> None:
        snippet = self.listing.cursor_moved()
        if self._typing is None or event.session is None:  # while one types, the list comes first
            self.reading.show(event.session, snippet)

    def on_session_list_chosen(self, event: SessionList.Chosen) -> None:
        self.show_pane("reading")
        self.reading.show(event.session, event.snippet, now=True)

    # ── another look ──

    def redraw(self) -> None:
        """Draw everything again after the theme or the glyphs changed."""
        for widget in (*self.query(Pane), *self.query(ColumnHeads), *self.query(Crumb), *self.query(FactsLine), *self.query(QueryBar), *self.query(Note)):
            widget.redraw()
        self.list.redraw()
        self.tree_pane.redraw()
        self.listing.moved()
        self.refresh(layout=True)
