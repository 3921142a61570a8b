"""The picker itself: from keys, news and answers to frames, until something is chosen."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.library import Changed, Complete, Event, Found, Gone, Progress
from sessionbrowser.model import Session
from sessionbrowser.query import Completion, complete, parse, warm_up
from sessionbrowser.render.glyphs import Glyphs
from sessionbrowser.text import one_line
from sessionbrowser.tui.picker.actions import Keymap
from sessionbrowser.tui.picker.choice import Choice
from sessionbrowser.tui.picker.draw import Drawing
from sessionbrowser.tui.picker.keys import Event as Input
from sessionbrowser.tui.picker.keys import Key, Mouse, Paste
from sessionbrowser.tui.picker.layout import Layout, lay_out
from sessionbrowser.tui.picker.line import Line
from sessionbrowser.tui.picker.showing import picture_of
from sessionbrowser.tui.picker.terminal import Terminal
from sessionbrowser.tui.picker.work import Conversations, Counting, Make, Post, Previews, load, start

if TYPE_CHECKING:
    from sessionbrowser.index.search_hit import Hit
    from sessionbrowser.library import Library
    from sessionbrowser.tui.store import Identity, Scope

CANCELLED, NO_MATCH = 130, 1
ESCAPE = 0.05  # seconds after which an escape is a key by itself
SAID = 4.0  # seconds a message stays
DOUBLE = 0.4  # seconds between two clicks on one row


class Settings(NamedTuple):
    """How this picker is to be."""

    query: str = ""
    preview: str = "on"
    expect: Mapping[str, str] = {}  # our name of a key: what to call it
    keys: Mapping[str, str] = {}
    full_text: bool = True
    loaded: bool = False  # every session is there already
    scopes: Sequence[Scope] = ()
    history: Sequence[str] = ()
    header: str = ""


class Outcome(NamedTuple):
    """How it ended: the exit status, what is chosen, by which key of `expect`, and what stood in the box."""

    code: int
    sessions: Sequence[Session] = ()
    key: str = ""
    query: str = ""
    fork: bool = False
    query_only: bool = False


class Tools(NamedTuple):
    """What the picker asks of others: rows of a preview and of details, the text to copy of a session, a way to copy it."""

    preview: Make
    facts: Make
    text_of: Callable[[Session], str]
    copy: Callable[[str], str]  # copies, and says what became of it; runs in a thread


class Picker:
    """One run. `run` returns when something was chosen or nothing is to be."""

    def __init__(self, library: Library, choice: Choice, terminal: Terminal, drawing: Drawing, glyphs: Glyphs,
                 tools: Tools, settings: Settings) -> None:  # fmt: skip
        self.choice: Choice = choice
        self.box: Line = Line(settings.query)
        self.post = Post()
        self.outcome: Outcome | None = None
        self.ids_pending = False  # names are still coming in on standard input
        self.library = library
        self.terminal = terminal
        self._drawing = drawing
        self.glyphs = glyphs
        self.tools = tools
        self.settings = settings
        self.keymap = Keymap(settings.keys)
        self.preview = settings.preview
        self.folded = "on" if settings.preview == "off" else settings.preview
        self.previews = Previews(tools.preview, self.post, lambda: None)
        self.facts = Previews(tools.facts, self.post, lambda: None)
        self.conversations = Conversations(library, self.post)
        self._counting = Counting(library, self.post)
        self.layout: Layout = lay_out(80, 24, "off", framed=False)
        self.first = 0
        self.scrolled = 0  # lines of the preview above the first shown
        self.details = False
        self.help: int | None = None  # first line of the help when it is open
        self.said: tuple[str, str, float] = ("", "", 0.0)
        self.is_complete = settings.loaded
        self.progress = (0, 0)
        self._clicked: tuple[float, int] = (0.0, -1)
        self.offered: tuple[Sequence[Completion], int, str] | None = None
        self._recalled = -1
        self._kept = ""
        self.shown: Identity | None = None
        self._index_started = False

    # ── the loop ──

    def run(self) -> Outcome:
        """Show it until it ends. The terminal was begun, and is released by whoever did that."""
        before = signal.signal(signal.SIGWINCH, self._window_changed)
        try:
            self.arrange()
            self.choice.read(self.box.text)
            self.choice.refresh(keep=False)
            self._draw()
            if not self.settings.loaded:
                start(lambda: load(self.library, self.post, self._cached, self._news, self._broken), "load")
            self.ask()
            for event in self.terminal.early:
                self._take(event)
            while self.outcome is None:
                self._wait()
                if self.outcome is None:
                    self._draw()
            return self.outcome
        finally:
            self.conversations.drop()
            signal.signal(signal.SIGWINCH, before)

    def _wait(self) -> None:
        """Wait for the next thing to happen, and let it."""
        decoder = self.terminal.decoder
        patience = ESCAPE if decoder.is_waiting else self._until_something()
        ready, _, _ = select.select([self.terminal.fd, self.post.fd], [], [], patience)
        events: list[Input] = []
        if self.terminal.fd in ready:
            data = self._read()
            if not data:
                self.outcome = Outcome(CANCELLED)
                return
            events = decoder.feed(data)
        elif not ready and decoder.is_waiting:
            events = decoder.flush()
        for event in events:
            if self.outcome is None:
                self._take(event)
        for call in self.post.take():
            call()

    def _until_something(self) -> float:
        """Seconds until something on the screen is out of date."""
        message = self.said[2] - time.monotonic()
        return min(20.0, message) if message > 0 else 20.0

    def _read(self) -> bytes:
        try:
            return os.read(self.terminal.fd, 65536)
        except OSError:  # the terminal is gone
            return b""

    def _window_changed(self, number: int, frame: FrameType | None) -> None:
        self.post(self.resized)

    def resized(self) -> None:
        self.terminal.resized()
        self.arrange()

    def arrange(self) -> None:
        width, height = self.terminal.measure()
        self.layout = lay_out(width, height, self.preview, framed=not self.terminal.is_inline)

    def shows_preview(self, where: str) -> bool:
        """Put the preview somewhere; whether there is room for it."""
        self.preview = where
        self.arrange()
        return bool(self.layout.preview)

    # ── news ──

    def _cached(self, sessions: list[Session]) -> None:
        if self.choice.store.fold(sessions):
            self._refresh()

    def _news(self, events: Sequence[Event]) -> None:
        changed = False
        for event in events:
            if isinstance(event, Found | Changed):
                changed = self.choice.store.fold(event.sessions) or changed
            elif isinstance(event, Gone):
                changed = self.choice.store.drop(event.identities) or changed
            elif isinstance(event, Progress):
                self.progress = (event.done, event.total)
            elif isinstance(event, Complete):
                self.is_complete, self.progress = True, (0, 0)
                self._keep_fresh()
                self.post(self.ask)
        if changed:
            self._refresh()

    def _broken(self, reason: str) -> None:
        self.is_complete = True
        self.say(one_line(reason), "bad")

    def named(self, names: Sequence[str], *, ended: bool) -> None:
        """Names of sessions came in on standard input."""
        assert self.choice.wanted is not None
        self.choice.wanted += names
        self.ids_pending = not ended
        self._refresh()

    def _refresh(self) -> None:
        at_top = self.choice.cursor == 0
        self.choice.refresh(keep=not at_top)
        if at_top:
            self.choice.cursor = 0

    # ── the conversations ──

    def ask(self) -> None:
        """Put the query to what the rows do not say: whole files, and the conversations."""
        self._counting.ask(self.choice.query, self.choice.pool(), self._cached)
        if self.settings.full_text and self.choice.is_worth_searching:
            self.conversations.ask(self.choice.query, self.choice.searched(), self._hits)
        else:
            self.conversations.drop()

    def _hits(self, hits: list[Hit], refused: frozenset[Identity]) -> None:
        self.choice.take(hits, refused)
        self.choice.refresh()

    def _keep_fresh(self) -> None:
        """Fold the rows' texts before the first key, and bring the index up to date beside us."""
        pool, query = self.choice.pool(), parse("first", self.library.environment.now())
        start(lambda: warm_up(query, pool), "texts")
        if not self.settings.full_text or self._index_started or self.library.environment.clock:
            return
        self._index_started = True

        def work() -> None:
            time.sleep(0.5)  # a picker that was open for a moment starts nothing
            if self.outcome is None:
                from sessionbrowser.index import worker

                try:
                    worker.start(self.library.environment)
                except OSError:
                    return

        start(work, "index")

    # ── keys ──

    def _take(self, event: Input) -> None:
        if isinstance(event, Key):
            self._press(event)
        elif isinstance(event, Paste):
            self.box.insert(event.text)
            self.typed()
        elif isinstance(event, Mouse):
            self._point(event)

    def _press(self, key: Key) -> None:
        if key.name in self.settings.expect:
            self.end(key=self.settings.expect[key.name])
            return
        action = self.keymap.action(key.name)
        if self.help is not None:
            self._in_help(action)
            return
        if action:
            from sessionbrowser.tui.picker import doing

            doing.DO[action](self)
        elif key.text:
            self.box.insert(key.text)
            self.typed()

    def _in_help(self, action: str) -> None:
        assert self.help is not None
        by = {"down": 1, "up": -1, "page_down": self.layout.body - 1, "page_up": 1 - self.layout.body}.get(action)
        self.help = max(0, self.help + by) if by else None

    def _point(self, mouse: Mouse) -> None:
        layout = self.layout
        over_preview = (layout.preview == "right" and mouse.x > layout.list_width + layout.framed) or (
            layout.preview == "bottom" and mouse.y > layout.list_height + 1 + 2 * layout.framed)  # fmt: skip
        if mouse.what in ("up", "down"):
            by = 1 if mouse.what == "down" else -1
            if over_preview:
                self.scroll_preview(3 * by)
            else:
                self.choice.move(by)
            return
        lines = self.choice.lines(self.first, layout.list_height)
        at = mouse.y - 1 - layout.framed
        if over_preview or not 0 <= at < len(lines):
            return
        row, now = lines[at].row, time.monotonic()
        self.choice.cursor = row
        if self._clicked[1] == row and now - self._clicked[0] < DOUBLE:
            self.end()
        self._clicked = (now, row)

    def typed(self) -> None:
        """The box changed: the list follows in the same frame."""
        self.offered = None
        self._query_changed()

    def _query_changed(self) -> None:
        if self.choice.read(self.box.text):
            self.choice.refresh(keep=False)
            self.ask()

    # ── ways out ──

    def end(self, *, key: str = "", fork: bool = False) -> None:
        chosen = self.choice.chosen()
        self.outcome = Outcome(0 if chosen else NO_MATCH, chosen, key, self.box.text, fork)

    def cancel(self) -> None:
        self.outcome = Outcome(CANCELLED, query=self.box.text)

    # ── what is said, and drawn ──

    def say(self, message: str, style: str = "text") -> None:
        self.said = (message, style, time.monotonic() + SAID)

    def scroll_preview(self, by: int) -> None:
        self.scrolled = max(0, self.scrolled + by)

    def _draw(self) -> None:
        self.terminal.frame(*self._drawing.lines(picture_of(self)))

    # ── completions and earlier queries ──

    def complete_box(self) -> bool:
        """Put in the first completion, the next one when asked again; whether there was one."""
        if self.offered is not None and self.offered[2] == self.box.text:
            offers, at, _ = self.offered
            start, end = offers[at].start, offers[at].start + len(offers[at].text)
            at = (at + 1) % len(offers)
        else:
            offers, at = complete(self.box.text, self.box.cursor, self.choice.pool()), 0
            if not offers or not self.box.text.strip():
                return False
            start, end = offers[0].start, offers[0].end
        text = self.box.text
        self.box.set(text[:start] + offers[at].text + text[end:], start + len(offers[at].text))
        self._query_changed()
        self.offered = (offers, at, self.box.text)
        return True

    def recall(self, by: int) -> None:
        """Walk through earlier queries; back past the newest stands what was typed."""
        history = self.settings.history
        if self._recalled < 0:
            self._kept = self.box.text
        self._recalled = max(-1, min(self._recalled + by, len(history) - 1))
        self.box.set(self._kept if self._recalled < 0 else history[self._recalled])
        self.typed()
