"""Showing a session in the transcript: read in a thread, newest turns first, followed while it grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from textual import work
from textual.message import Message
from textual.timer import Timer
from textual.worker import get_current_worker

from sessionbrowser.model import Block, Body, Handle, Transcript
from sessionbrowser.render import blocks
from sessionbrowser.render.blocks import Fold
from sessionbrowser.render.pictures import lightened
from sessionbrowser.render.rows import folders_of
from sessionbrowser.tui.transcript_asking import Asking
from sessionbrowser.tui.transcript_bodies import Bodies
from sessionbrowser.tui.transcript_find import Words, search
from sessionbrowser.tui.transcript_layout import Key, key_of
from sessionbrowser.tui.transcript_load import Arrival, Store, growth, is_recent, read, read_on


class Goal(NamedTuple):
    """A record to go to: where it begins (see Place), the kind of block wanted of it, its file when it is not the session's."""

    start: int
    kind: str = ""
    path: str = ""


class Spot(NamedTuple):
    """Where the reader of a transcript is, and what they opened: enough to come back to the same picture."""

    top: Key  # the block at the top of the screen
    offset: int  # how many of its lines are above it
    current: Key
    folds: Mapping[Key, Fold]
    branches: frozenset[int]  # rewound ones that are open
    at_end: bool


class Following(Asking):
    """One session at a time: `show` gives it one, `refresh_outline` says that the file may have grown."""

    class Loaded(Message, namespace="transcript_view"):
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
        self.live: str | None = None  # the session is running, waiting, "" neither; None: judge by the age of its last record
        self._store: Store | None = None
        self._generation = 0
        self._new_below = 0
        self._goal: Goal | None = None  # where to go once it has been read
        self._spot: Spot | None = None  # where to be again once it has been read
        self._reading_on = False
        self._again = False  # it grew once more while it was read
        self._ticking: Timer | None = None

    # ── showing ──

    def show(self, library: Store, handle: Handle, title: str, *, live: str | None = None, cwd: str | None = None,
             goal: Goal | None = None, spot: Spot | None = None) -> None:  # fmt: skip
        """Show a session (or subagent) from its end; from `goal` (see `goto`) or from a `spot` when there is one.

        `cwd` (raw) is the directory that paths are shown relative to.
        """
        self.clear()
        self._spot = spot
        self.page.look = self.page.look._replace(folders=folders_of(cwd, library.environment.home))
        self._store, self.handle, self.session_title, self.live, self._goal = library, handle, title, live, goal
        self.bodies = Bodies(lambda block: lightened(library.body(handle, block)), self._tell_came, self._prepare)
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
        self._new_below, self.current, self._stick, self._goal, self._spot = 0, 0, True, None, None
        self._asking = self._said_now = ""
        self.look_for(Words())
        self.drop_selection()
        self.page.items.opened.clear()
        self.page.put_folds({})
        self.page.status = ""
        self.page.load(())
        self._grow()
        self.scroll_to(y=0, animate=False)
        self.label()
        self.refresh()

    def _still_reading(self, generation: int) -> None:
        if generation == self._generation and self.outline is None and not self.message:
            self.message = "reading " + self.page.look.glyphs.ellipsis
            self.refresh()

    def _prepare(self, block: Block, body: Body) -> None:
        """Draw a long answer in the thread that read it; what was drawn is kept by the Markdown renderer."""
        if block.kind == "text":
            blocks.draw(block, body, self.page.look, blocks.OPEN)

    def _tell_came(self) -> None:
        if self.bodies is not None and self.is_running:
            self.post_message(self.BodiesCame(self.bodies))

    @work(thread=True, exclusive=True, group="transcript-read", exit_on_error=True)
    def _read(self, generation: int) -> None:
        store, handle, worker = self._store, self.handle, get_current_worker()
        if store is None or handle is None:
            return

        def stopped() -> bool:
            return worker.is_cancelled or generation != self._generation

        for arrival in read(store, handle, stopped):
            if stopped():
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

    def on_following_arrived(self, message: Arrived) -> None:
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
        spot, self._spot = (None, self._spot) if partial else (self._spot, None)
        if spot is not None:
            self.page.put_folds(spot.folds)
            self.page.items.opened |= spot.branches
        self.page.load(outline.blocks)
        self._strips.clear()
        self.message = "" if len(self.page) else "nothing was said in this session yet"
        self._grow()
        if spot is not None and not spot.at_end:
            self._stick = False
            self._return_to((spot.top, spot.offset), spot.current)
        elif place is not None and not self._stick:
            self._return_to(place)
        elif len(self.page):
            mine = self._item_with(spot.current) if spot is not None else None
            self.set_current(len(self.page) - 1 if mine is None else mine)
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

    @property
    def spot(self) -> Spot | None:
        """Where the reader is; None while nothing is shown."""
        place = self._place()
        if place is None or self.outline is None:
            return None
        current = key_of(self.page.items.block(min(self.current, len(self.page) - 1)))
        return Spot(*place, current, self.page.folds, frozenset(self.page.items.opened), self._stick)

    def _item_with(self, key: Key) -> int | None:
        """The item of a block."""
        index = next((i for i, block in enumerate(self.page.items.blocks) if key_of(block) == key), None)
        return self.page.items.item_of(index) if index is not None else None

    def _return_to(self, place: tuple[Key, int], current: Key | None = None) -> None:
        key, offset = place
        at = self._item_with(key)
        if at is None:
            return
        self._frame(0.03)
        self.page.settle(range(max(0, at - 3), at + 20))
        self._grow()
        mine = self._item_with(current) if current is not None else None
        self.current = at if mine is None else mine
        self.scroll_to(y=self.page.tops[at] + offset, animate=False)
        self.settle_view()

    # ── growing ──

    def _grown(self, outline: Transcript) -> None:
        old, self.outline = self.page.items.blocks, outline
        change = growth(old, outline)
        if not change.came and not change.changed and not change.other:
            self._judge_running()
            self.post_message(self.Loaded(outline, False))  # its row may have been read before what it counts
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
        self.page.status = ("running" if is_recent(self.outline.blocks, now) else "") if self.live is None else self.live
        self.page.look = self.page.look._replace(now=now)
        if self.page.status and self._ticking is None:
            self._ticking = self.set_interval(1.0, self._tick)
        elif not self.page.status and self._ticking is not None:
            self._ticking.stop()
            self._ticking = None

    def set_live(self, live: str | None) -> None:
        """The session began or ended its work, or waits for its person."""
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

    def searcher(self) -> Callable[[Words, Callable[[], bool]], Iterator[dict[int, int]]] | None:
        store, handle, bodies, blocks = self._store, self.handle, self.bodies, self.page.items.blocks
        if store is None or handle is None or bodies is None:
            return None
        source = store.source(handle.source)
        return lambda words, stopped: search(source, handle, blocks, words, bodies.read, stopped)

    def goto(self, start: int, kind: str = "", path: str = "") -> None:
        """Be at the block of a record, see Goal."""
        raise NotImplementedError
