"""The transcript of one session: shown, followed while it grows, folded, searched, and left for its agents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.timer import Timer
from textual.worker import get_current_worker

from sessionbrowser.model import Body, Handle, Transcript
from sessionbrowser.render import parts
from sessionbrowser.render.rows import folders_of
from sessionbrowser.text import plural
from sessionbrowser.tui.transcript_asking import Asking
from sessionbrowser.tui.transcript_bodies import Bodies
from sessionbrowser.tui.transcript_find import Words, search
from sessionbrowser.tui.transcript_layout import Key, key_of
from sessionbrowser.tui.transcript_load import Arrival, Store, growth, is_recent, read, read_on


class TranscriptView(Asking):
    """One session as blocks. `show` gives it one; `refresh_outline` tells it that the file grew."""

    DEFAULT_CSS = """
    TranscriptView {
        overflow-x: hidden; overflow-y: scroll; scrollbar-gutter: stable; scrollbar-size-vertical: 1; padding: 0 0 0 1;
    }
    """
    HELP = "The transcript. Enter opens what is folded, and goes to an agent from the call that started it."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Fold", id="transcript.enter"),
        Binding("space,o", "fold", "Fold or open", show=False, id="transcript.fold"),
        Binding("down,j", "line(1)", "Down", show=False, id="transcript.down"),
        Binding("up,k", "line(-1)", "Up", show=False, id="transcript.up"),
        Binding("pagedown,ctrl+f,ctrl+d", "page(1)", "A page down", show=False, id="transcript.page_down"),
        Binding("pageup,ctrl+b,ctrl+u", "page(-1)", "A page up", show=False, id="transcript.page_up"),
        Binding("home,g", "top", "To the beginning", show=False, id="transcript.top"),
        Binding("end,G", "bottom", "To the end, and follow", show=False, id="transcript.bottom"),
        Binding("right", "unfold(True)", "Open", show=False, id="transcript.open"),
        Binding("left", "unfold(False)", "Fold", show=False, id="transcript.close"),
        Binding("right_square_bracket", "next('prompt')", "Next prompt", id="transcript.next_prompt"),
        Binding("left_square_bracket", "previous('prompt')", "Previous prompt", show=False, id="transcript.previous_prompt"),
        Binding("right_curly_bracket,full_stop", "next('tool')", "Next tool call", show=False, id="transcript.next_tool"),
        Binding("left_curly_bracket,comma", "previous('tool')", "Previous tool call", show=False, id="transcript.previous_tool"),
        Binding("e", "next('error')", "Next error", id="transcript.next_error"),
        Binding("E", "previous('error')", "Previous error", show=False, id="transcript.previous_error"),
        Binding("d", "next('edit')", "Next edit", show=False, id="transcript.next_edit"),
        Binding("D", "previous('edit')", "Previous edit", show=False, id="transcript.previous_edit"),
        Binding("a", "next('agent')", "Next agent call", show=False, id="transcript.next_agent"),
        Binding("A", "previous('agent')", "Previous agent call", show=False, id="transcript.previous_agent"),
        Binding("slash", "find", "Find", id="transcript.find"),
        Binding("n", "hit(1)", "Next hit", show=False, id="transcript.next_hit"),
        Binding("N", "hit(-1)", "Previous hit", show=False, id="transcript.previous_hit"),
        Binding("escape", "unfind", "Clear the marks", show=False, id="transcript.unfind"),
        Binding("colon", "turn", "Go to a turn", show=False, id="transcript.turn"),
        Binding("t", "fold_kind('tool')", "All tool calls", show=False, id="transcript.tools"),
        Binding("h", "fold_kind('thinking')", "All thinking", show=False, id="transcript.thinking"),
        Binding("m", "fold_kind('note')", "All notes", show=False, id="transcript.notes"),
        Binding("z", "fold_all", "Fold everything", show=False, id="transcript.fold_all"),
        Binding("b", "branches", "Rewound branches", show=False, id="transcript.branches"),
        Binding("w", "wrap", "Wrap long lines", show=False, id="transcript.wrap"),
        Binding("y", "copy_block", "Copy the block", show=False, id="transcript.copy"),
    ]

    class AgentOpened(Message):
        """The transcript of a subagent is asked for. Both ids are raw; `agent` may be "" while only the call is known."""

        def __init__(self, agent: str, call: str) -> None:
            self.agent = agent
            self.call = call
            super().__init__()

    class CopyAsked(Message):
        """A block's text is to go to the clipboard; `what` says in a few words what it is."""

        def __init__(self, text: str, what: str) -> None:
            self.text = text
            self.what = what
            super().__init__()

    class Loaded(Message):
        """A session, or its newest turns, was read."""

        def __init__(self, outline: Transcript, partial: bool) -> None:
            self.outline = outline
            self.partial = partial
            super().__init__()

    class Arrived(Message):
        """What a thread read; from the widget to itself."""

        def __init__(self, generation: int, arrival: Arrival, since: Transcript | None) -> None:
            self.generation, self.arrival, self.since = generation, arrival, since
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.outline: Transcript | None = None
        self.session_title = ""
        self.handle: Handle | None = None
        self.partial = False  # only the newest turns are here yet
        self.live: bool | None = None  # whether the session is at work; None: judge by the age of its last record
        self._store: Store | None = None
        self._generation = 0
        self._new_below = 0
        self._goal: tuple[int, str] | None = None  # where to go once it has been read
        self._reading_on = False
        self._again = False  # it grew once more while it was read
        self._ticking: Timer | None = None

    # ── showing ──

    def show(self, library: Store, handle: Handle, title: str, *, live: bool | None = None, cwd: str | None = None,
             goal: tuple[int, str] | None = None) -> None:  # fmt: skip
        """Show a session (or subagent) from its end; from `goal` (see `goto`) when there is one.

        `cwd` (raw) is the directory that paths are shown relative to.
        """
        self.clear()
        self.page.look = self.page.look._replace(folders=folders_of(cwd, library.environment.home))
        self._store, self.handle, self.session_title, self.live, self._goal = library, handle, title, live, goal
        self.bodies = Bodies(lambda block: library.body(handle, block), self._tell_came)
        self.set_timer(0.3, lambda generation=self._generation: self._still_reading(generation))
        self.label()
        self._read(self._generation)

    def clear(self, message: str = "") -> None:
        """Show nothing but a message."""
        self._generation += 1
        if self.bodies is not None:
            self.bodies.close()
        self.bodies = self.outline = self._store = self.handle = None
        self.session_title, self.message, self.partial = "", message, False
        self._new_below, self.current, self._stick, self._goal = 0, 0, True, None
        self._asking = ""
        self.look_for(Words())
        self.drop_selection()
        self.page.items.opened.clear()
        self.page.running = False
        self.page.load(())
        self._grow()
        self.scroll_to(y=0, animate=False)
        self.label()
        self.refresh()

    def _still_reading(self, generation: int) -> None:
        if generation == self._generation and self.outline is None and not self.message:
            self.message = "reading " + self.page.look.glyphs.ellipsis
            self.refresh()

    def _tell_came(self) -> None:
        if self.bodies is not None and self.is_running:
            self.post_message(self.BodiesCame(self.bodies))

    @work(thread=True, exclusive=True, group="transcript-read", exit_on_error=True)
    def _read(self, generation: int) -> None:
        store, handle, worker = self._store, self.handle, get_current_worker()
        if store is None or handle is None:
            return
        for arrival in read(store, handle):
            if worker.is_cancelled or generation != self._generation:
                return
            self.post_message(self.Arrived(generation, arrival, None))

    def refresh_outline(self) -> None:
        """The file may have grown: read what came and show it, following when the reader is at the end."""
        if self.outline is None or self.partial:
            return
        if self._reading_on:
            self._again = True
            return
        self._reading_on = True
        self._read_on(self._generation, self.outline)

    @work(thread=True, group="transcript-read-on", exit_on_error=True)
    def _read_on(self, generation: int, since: Transcript) -> None:
        store, handle = self._store, self.handle
        if store is not None and handle is not None:
            self.post_message(self.Arrived(generation, read_on(store, handle, since), since))

    def on_transcript_view_arrived(self, message: Arrived) -> None:
        message.stop()
        if message.since is not None:
            self._reading_on = False
        if message.generation != self._generation:
            return
        outline, problem = message.arrival.transcript, message.arrival.problem
        if outline is None:
            self._trouble(problem)
        elif message.since is None or self.outline is None:
            self._opened(outline, message.arrival.partial)
        else:
            self._grown(outline)
        if self._again:
            self._again = False
            self.refresh_outline()

    def _trouble(self, problem: str) -> None:
        if self.outline is None:
            self.message = f"this session could not be read: {problem}"
            self.refresh()
        else:
            self.say(f"could not be read again: {problem}")

    def _opened(self, outline: Transcript, partial: bool) -> None:
        """The first reading, or all of it after its newest turns."""
        place = self._place() if self.outline is not None else None
        self.outline, self.partial = outline, partial
        self._judge_running()
        self.page.load(outline.blocks)
        self._strips.clear()
        self.message = "" if len(self.page) else "nothing was said in this session yet"
        self._grow()
        if place is not None and not self._stick:
            self._return_to(place)
        elif len(self.page):
            self.set_current(len(self.page) - 1)
            self.to_end()
        if not partial and self._goal is not None:
            goal, self._goal = self._goal, None
            self.goto(*goal)
        if self.words.words and not partial:
            self.look_for(self.words, go=self._wanted_hit)
        self.label()
        self.refresh()
        self.post_message(self.Loaded(outline, partial))

    def _place(self) -> tuple[Key, int] | None:
        """The block at the top of the screen, and how many of its lines are above it."""
        if not len(self.page):
            return None
        at = self.page.at_line(self.scroll_offset.y)
        return key_of(self.page.items.block(at)), self.scroll_offset.y - self.page.tops[at]

    def _return_to(self, place: tuple[Key, int]) -> None:
        key, offset = place
        index = next((i for i, block in enumerate(self.page.items.blocks) if key_of(block) == key), None)
        at = self.page.items.item_of(index) if index is not None else None
        if at is None:
            return
        self._frame(0.03)
        self.page.settle(range(max(0, at - 3), at + 20))
        self._grow()
        self.current = at
        self.scroll_to(y=self.page.tops[at] + offset, animate=False)
        self.settle_view()

    # ── growing ──

    def _grown(self, outline: Transcript) -> None:
        old, self.outline = self.page.items.blocks, outline
        change = growth(old, outline)
        if not change.came and not change.changed and not change.other:
            self._judge_running()
            return
        for index in change.changed:
            if self.bodies is not None:
                self.bodies.forget(old[index])
        self._judge_running()
        last = self.current >= len(self.page) - 1
        if change.other:
            place = self._place()
            self.page.load(outline.blocks)
            self.say("the file was replaced" if outline.restarted else "")
            if place is not None and not self._stick:
                self._return_to(place)
        else:
            self.page.extend(outline.blocks)
            self._refresh_changed(change.changed)
            if not self._stick:
                self._new_below += change.came
        self._strips.clear()
        self.message = ""
        if self._stick:
            if last:
                self.set_current(len(self.page) - 1)
            self.to_end()
        else:
            self.settle_view()
            self._grow()
        self.label()
        self.refresh()
        self.post_message(self.Loaded(outline, False))

    def _refresh_changed(self, changed: tuple[int, ...]) -> None:
        """Calls that were closed in place, and what was drawn as running."""
        for index in changed:
            at = self.page.items.item_of(index)
            if at is not None:
                self.page.forget(at)

    def _judge_running(self) -> None:
        """Whether calls without a result are under way, and a clock for their ages."""
        if self.outline is None or self._store is None:
            return
        now = self._store.environment.now()
        self.page.running = is_recent(self.outline.blocks, now) if self.live is None else self.live
        self.page.look = self.page.look._replace(now=now)
        if self.page.running and self._ticking is None:
            self._ticking = self.set_interval(1.0, self._tick)
        elif not self.page.running and self._ticking is not None:
            self._ticking.stop()
            self._ticking = None

    def set_live(self, live: bool | None) -> None:
        """The session began or ended its work."""
        if live != self.live:
            self.live = live
            self._judge_running()
            self.page.reset_rows()
            self._strips.clear()
            self.refresh()

    def _tick(self) -> None:
        """A second went by for what runs on the screen."""
        if self._store is None or not len(self.page):
            return
        self.page.look = self.page.look._replace(now=self._store.environment.now())
        top = self.scroll_offset.y
        first, last = self.page.at_line(top), self.page.at_line(top + self.size.height)
        for at in range(first, last + 1):
            if self.page.is_running(at):
                self.page.forget(at)
                self._strips.clear()
                self._refresh_item(at)

    # ── going somewhere ──

    def goto(self, start: int, kind: str = "") -> None:
        """Be at the block whose record begins at `start` (see Place), opened; later, when it has not been read yet."""
        if self.outline is None or self.partial:
            self._goal = (start, kind)
            return
        blocks = self.page.items.blocks
        index = next((i for i, b in enumerate(blocks) if b.place.start == start and (not kind or b.kind == kind)), None)
        if index is None:
            index = next((i for i in range(len(blocks) - 1, -1, -1) if blocks[i].place.start <= start), None)
        if index is None:
            return
        if blocks[index].branch:
            self.page.items.opened |= {blocks[index].branch}
            self.page.load(blocks)
            self._strips.clear()
        at = self.page.items.item_of(index)
        if at is not None:
            if self.page.is_foldable(at) and not self.page.fold(at).open:
                self.page.set_fold(at, self.page.next_fold(at))
            self.show_item(at, top=True)

    def mark(self, words: tuple[str, ...]) -> None:
        """Mark words that were found elsewhere, without going anywhere."""
        self.look_for(Words(tuple(word for word in words if word)), go=False)

    def searcher(self) -> Callable[[Words, Callable[[], bool]], Iterator[dict[int, int]]] | None:
        store, handle, bodies, blocks = self._store, self.handle, self.bodies, self.page.items.blocks
        if store is None or handle is None or bodies is None:
            return None
        source = store.source(handle.source)
        return lambda words, stopped: search(source, handle, blocks, words, bodies.read, stopped)

    # ── words for the frame ──

    def describe(self) -> tuple[str, str]:
        if self.outline is None or not len(self.page):
            return self.session_title, ""
        facts = []
        block = self.page.items.block(min(self.current, len(self.page) - 1))
        if self.partial:
            facts.append("newest turns, reading on")
        elif self.last_turn:
            facts.append(f"turn {max(1, block.turn):,} of {self.last_turn:,}")
        if self.outline.damage:
            facts.append(plural(len(self.outline.damage), "damaged line"))
        if self._stick:
            self._new_below = 0
            if self.page.running:
                facts.append("following")
        elif self._new_below:
            facts.append(f"{self._new_below:,} new below")
        return self.session_title, f" {self.page.look.glyphs.dot} ".join(facts)

    # ── actions ──

    def action_enter(self) -> None:
        if not len(self.page):
            return
        self._catch_up()
        block = self.page.items.block(self.current)
        if block.kind == "tool" and block.what == "agent" and (block.subagent or block.call):
            self.post_message(self.AgentOpened(block.subagent, block.call))
        else:
            self.toggle(self.current)

    def action_copy_block(self) -> None:
        """The text of the current block for the clipboard."""
        if not len(self.page) or self.bodies is None or self.page.items.is_marker(self.current):
            return
        self._catch_up()
        block = self.page.items.block(self.current)
        text = copied_text(self.bodies.read(block)) or block.title
        what = {"text": "the answer", "prompt": "the prompt", "tool": f"{block.name}'s output"}.get(block.kind, f"the {block.kind}")
        self.post_message(self.CopyAsked(text, what))


def copied_text(body: Body) -> str:
    """What copying a block gives: its text; for a call without output, what was asked of it."""
    if body.text.strip():
        return body.text
    from sessionbrowser.render.rows import Look

    look = Look(100, limit=0)
    return "\n".join(row.text.strip() for part in body.parts for row in parts.draw(part, look))
