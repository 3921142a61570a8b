"""What the list shows: news folded in, the box applied, counts and helpful words when there is nothing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sessionbrowser.library import Changed, Complete, Event, Found, Gone, Progress, Trouble
from sessionbrowser.library.status import calls
from sessionbrowser.model import Session, Unreadable
from sessionbrowser.tui import notes, tidying
from sessionbrowser.tui.changes import Changes
from sessionbrowser.tui.conversations import (
    Conversations,
    HitsCame,
    IndexGrew,
    SearchedOn,
    SumsCame,
    is_worth_it,
)
from sessionbrowser.tui.exactly import RowsRead, Settling
from sessionbrowser.tui.facts import status_word
from sessionbrowser.tui.feed import Broken, Cached, Feed, News
from sessionbrowser.tui.finder import Finder
from sessionbrowser.tui.groups import KINDS
from sessionbrowser.tui.keys import key_of
from sessionbrowser.tui.live import Attention
from sessionbrowser.tui.look import look_of
from sessionbrowser.tui.query_bar import Hint, QueryBar
from sessionbrowser.tui.scope import scopes
from sessionbrowser.tui.snippets import Snippet
from sessionbrowser.tui.status_bar import Said
from sessionbrowser.tui.store import SORT_LABELS, SORTS, Store
from sessionbrowser.tui.walk import Walk

if TYPE_CHECKING:
    from sessionbrowser.tui.browser import Browser


SOON, LAZILY = 5.0, 120.0  # seconds until the full text is brought up to date: when it is asked, when it is not


class Listing:
    """The browser's dealings with its list and its box."""

    def __init__(self, browser: Browser, first: Sequence[Session], *, full_text: bool = True, indexed: bool = True) -> None:
        self._browser = browser
        self.store = Store()
        self.store.fold(first)
        self.scopes = scopes(browser.environment)
        self.finder = Finder(self.store, browser.environment, browser.library.config.queries)
        self.trouble: list[Unreadable] = []
        self.feed: Feed | None = None
        self.is_complete = False
        self._progress = (0, 0)
        self._indexing = (0, 0)
        self._changes: Changes | None = None  # what a look that was asked for brings
        self._searched = (0, 0)  # files looked through for the query, of how many
        self._counted = (0, 0)  # rows read for the query, of how many
        self._about_to_ask = False
        self._typed = ""  # what was in the box last
        self.failed = ""  # why looking for sessions came to an end, for eyes
        self.attention = Attention(browser)
        self._stale = False  # whether sessions changed that the full text has not seen
        self._freshened = float("-inf")
        self._there: tuple[bool, ...] = (True, False, False)  # rows, lines under rows, hidden sessions
        self.walk = Walk(browser, self.finder, self.store)
        self.full_text = full_text
        self.conversations = Conversations(browser.library, browser, indexed=indexed)
        self.settling = Settling(browser.library, browser, browser.environment.cwd)

    @property
    def has_hits(self) -> bool:
        """Whether lines stand under rows."""
        return self._there[1]

    def start(self) -> None:
        """Show what is known."""
        self.finder.read(self._browser.box.value)
        self.refresh(keep=False)

    def go_on(self) -> None:
        """That is on the screen, and so is what was typed meanwhile: begin to look for the rest, which takes its time."""
        browser = self._browser
        browser.reading.show(browser.list.current, None)
        self.feed = Feed(browser.library, browser, lambda: browser.reading.path)
        self.feed.start(cached=True)

    @property
    def is_loading(self) -> bool:
        """Whether sessions are being looked for, at the start or because that was asked for."""
        return self.feed is not None and self.feed.is_loading

    def reload(self) -> None:
        """Look for changes, unless that is under way; then say what came of it."""
        if not self.is_loading:
            self._changes = Changes(self.store)
            self.look_again("looking for changes …")

    def look_again(self, why: str) -> None:
        """Read everything that is not known to be as it was, saying why."""
        if self.feed is not None:
            self.feed.start(cached=False)
            self._browser.say(why)

    def cursor_moved(self) -> Snippet | None:
        """The cursor stands on another session; returns the line to be at there."""
        self.moved()
        return self.walk.arrived()

    def tick(self) -> None:
        """Ages have grown."""
        self._browser.list.redraw()
        self._freshen(LAZILY)

    # ── news ──

    def cached(self, event: Cached) -> None:
        """Rows the catalogue remembers."""
        if self.store.fold(event.sessions):
            self.refresh()
            self.finder.warm_up()

    def news(self, event: News) -> None:
        """A batch from the library."""
        changed, was_complete = False, self.is_complete
        for item in event.events:
            if was_complete and isinstance(item, Changed):
                self.attention.news(item.sessions, self.store)
            changed = self._take(item) or changed
        if changed or self.is_complete:
            self.refresh(keep=was_complete or self._has_gone())
        else:
            self.moved()
        if changed and was_complete and self.finder.query.asks_counts:
            self.settling.ask(self.finder.query, self.store.pool())
        self._stale = self._stale or (changed and was_complete)
        self._browser.reading.news(event.events)

    def learned(self, session: Session) -> None:
        """More is known of a session than its row said."""
        if self.store.fold([session]):
            self.refresh()

    def broken(self, event: Broken) -> None:
        """The load came to an end it should not have."""
        self.is_complete = True
        self.failed = event.reason
        self._browser.say(f"looking for sessions failed: {event.reason}  (sb doctor)", "bad")
        self.refresh()

    def _take(self, event: Event) -> bool:
        """Fold one event in; whether the rows differ."""
        if self._changes is not None:
            self._changes.take(event)
        if isinstance(event, Found | Changed):
            return self.store.fold(event.sessions)
        if isinstance(event, Gone):
            return self.store.drop(event.identities)
        if isinstance(event, Trouble):
            if (items := list(event.items)) != self.trouble:
                self.trouble = items
                self._browser.status.say(notes.shut(items, self._browser.environment), "warn", 12)
        elif isinstance(event, Progress):
            self._progress = (event.done, event.total)
        elif isinstance(event, Complete):
            self._settle()
        return False

    def _settle(self) -> None:
        """Everything is there."""
        if self._changes is not None:
            self._browser.say(self._changes.words)
            self._changes = None
        self.is_complete = True
        self.failed = ""
        self._progress = (0, 0)
        if self.full_text:
            self._stale = True
            self._freshen(0.0)
        if not self.finder.query.is_empty:
            self._ask()
        self.store.renew()
        self.finder.warm_up()
        tidying.settle()

    # ── the box ──

    def typed(self, text: str) -> None:
        """The box changed: echo and list share this frame."""
        before = self.finder.query
        readable = self.finder.read(text)
        self._hint()
        if bool(text) != bool(self._typed):
            self._browser.call_after_refresh(self._browser.show_keys)  # what escape does is another thing
        self._typed = text
        if readable:
            self.conversations.drop()  # what is asked no more must not hold up the list
            self.finder.forget_hits(before)
            self._searched = self._counted = (0, 0)
            self.finder.searching = self.full_text and is_worth_it(self.finder.query)
            self._browser.typed()
            if not self._browser.app.text_follows:  # type: ignore[attr-defined]
                self.refresh(keep=False)
                self._ask_soon()

    def _ask_soon(self) -> None:
        """Ask the conversations once the list is on the screen: what else runs would hold it up."""
        if not self._about_to_ask:
            self._about_to_ask = True
            self._browser.call_after_refresh(self._ask_now)

    def _ask_now(self) -> None:
        self._about_to_ask = False
        self._ask()

    def _freshen(self, after: float) -> None:
        """Bring the full text up to date when sessions changed and that was last done `after` so many seconds."""
        now = time.monotonic()
        if self._stale and self.full_text and now - self._freshened >= after:
            self._stale, self._freshened = False, now
            self.conversations.keep_fresh()

    def _ask(self) -> None:
        """Put the query to the conversations too, and have read what rows do not know of it."""
        query = self.finder.query
        if query.asks_counts:
            self.settling.ask(query, self.store.pool())
        else:
            self.settling.drop()
        question = self.finder.question(self._browser.list.in_sight()) if self.full_text else None
        if question is not None and self.is_complete:
            self._freshen(SOON)
        if question is None:
            self.conversations.drop()
        else:
            self.finder.searching = True
            self.conversations.ask(question)

    def hits(self, event: HitsCame) -> None:
        """Lines of conversations that match."""
        if event.text == self.finder.query.text:
            self.finder.take(event)
            if event.done:
                self._searched = (0, 0)
            self.refresh()
            self._browser.reading.hits_came()

    def searched_on(self, event: SearchedOn) -> None:
        """A search that reads files got on."""
        if event.text == self.finder.query.text and self.finder.searching:
            self._searched = (event.done, event.total)
            self.moved()

    def rows_read(self, event: RowsRead) -> None:
        """Rows that could not answer the query can now."""
        if event.text != self.finder.query.text:
            return
        ended = event.done >= event.total
        self._counted = (0, 0) if ended else (event.done, event.total)
        if self.store.fold(event.rows):
            self.refresh()
        else:
            self.moved()
        if ended and self.full_text and (question := self.finder.question()) is not None:
            self.conversations.ask(question)

    def index_grew(self, event: IndexGrew) -> None:
        """The index is further than it was: it may know more of what is asked."""
        before, self._indexing = self._indexing, (event.done, event.total)
        self._browser.query_one("#bar", QueryBar).show_indexing(*(self._indexing if event.first else (0, 0)))
        question = self.finder.question()
        if before != self._indexing and question is not None and not self.finder.searching and not question.reads_files:
            self.conversations.ask(question)
        elif question is None and not event.total:
            self.conversations.get_ready(self.store.searched())
        self.moved()

    def sums_came(self, event: SumsCame) -> None:
        """Rows know their counts and tokens."""
        if self.store.fill(event.rows):
            self.refresh()

    def _hint(self) -> None:
        hint = self._browser.query_one("#hint", Hint)
        problem = self.finder.problem
        if problem is None:
            hint.say_nothing(keep=bool(self._browser.box.value))
        else:
            column = self._browser.query_one("#bar", QueryBar).text_column
            hint.say_problem(problem.message, column + problem.start)

    # ── showing ──

    def refresh(self, *, keep: bool = True) -> None:
        """Ask the query again and show its rows.

        The cursor stays where it is (unless not `keep`); while sessions still come, on the newest of them until the
        person has gone elsewhere.
        """
        browser, store = self._browser, self.store
        keep = keep and (self.is_complete or self._has_gone())
        found, lines = self.finder.find(), self.finder.snippets()
        with browser.app.batch_update():
            browser.list.hold_snippets(lines, found.lines)
            browser.list.show(found.sessions, found.matches, keep=keep, widths=self.finder.widths)
            browser.show_heads()
            hidden = sum(store.hidden().values())
            where = store.scope.name if store.scope.folders else ""
            browser.query_one("#bar", QueryBar).show_counts(browser.list.count, len(store.pool()), hidden, shown=store.show_hidden, where=where)
            there = (browser.list.count > 0, bool(lines), hidden > 0)
            if there != self._there:
                self._there = there
                browser.set_class(not browser.list.count, "-empty")
                browser.call_after_refresh(browser.focus_again)
                browser.show_keys()
            if browser.list.count == 0:
                browser.query_one("#nothing", notes.Note).say(self._nothing())
            self.moved()
            self.label()

    def _has_gone(self) -> bool:
        """Whether the person went anywhere but to the first row."""
        shown = self._browser.list
        return shown.by_hand or shown.scroll_offset.y > 0 or self._browser.active != "sessions"

    def label(self) -> None:
        """What stands over the list: the order, and the scope when it is not everything."""
        order = "best first" if self.finder.is_ranked else SORT_LABELS[self.store.sort]
        scope = self.store.scope
        title = "sessions" if not scope.folders else f"sessions {scope.name}"
        if kind := self._browser.list.kind:
            title += f", by {kind}"
        self._browser.pane("sessions").label(title, order)

    def _nothing(self) -> notes.Lines:
        store, browser = self.store, self._browser
        if not self.finder.query.is_empty and len(store):
            hidden, outside = self.finder.elsewhere()
            searching = self.finder.searching
            query = self.finder.query
            tools = key_of(browser, "box.tools") if query.wanted and "tools" not in query.places else ""
            return notes.no_match(query.text, hidden, outside, store.scope.name, searching, tools)
        if not self.is_complete:
            return notes.loading(*self._progress)
        if self.failed:
            return notes.failed(self.failed)
        if not len(store):
            asked = browser.library.asked
            if asked and not self.trouble:
                return notes.nothing_there(asked, browser.environment)
            return notes.first_run(browser.environment, self.trouble)
        shown = sum(1 for session in store.everything() if not session.hidden)
        if store.scope.folders and shown:
            return notes.nothing_in_scope(store.scope.name, shown)
        return notes.all_hidden(len(store))

    def moved(self) -> None:
        """What stands at the bottom may have changed."""
        self._browser.status.show(self._status())

    def _status(self) -> Said:
        done, total = self._progress
        if total and not self.is_complete:
            return [(f"reading {done:,} of {total:,}", "dim")]
        if working := self._working():
            return [(working, "dim")]
        session = self._browser.list.current
        if session is None:
            return [] if self.is_complete else [("looking for sessions …", "dim")]
        _, glyphs = look_of(self._browser)
        said = [(f"{glyphs.status(session.status)} ", f"status.{session.status}"), (status_word(session.status), "dim")]
        now = self._browser.environment.now()
        waiting = self.store.calling(now)
        if waiting > calls(session, now):  # the only one says so itself
            said.append((f"   {waiting} {'need' if waiting > 1 else 'needs'} you", "dim"))
        return said

    def _working(self) -> str:
        """What is being done for the query, in a few words."""
        if self.finder.query.is_empty:
            return ""
        for what, (done, total) in (("searching", self._searched), ("counting", self._counted), ("indexing", self._indexing)):
            if total:
                return f"{what} {done:,} of {total:,}"
        return ""

    # ── order, scope, hidden ──

    def next_sort(self) -> None:
        """Go round: best first (when there are words), activity, start, size, tokens."""
        store, finder = self.store, self.finder
        if finder.is_ranked:
            finder.by_relevance = False
            store.set_sort("activity")
        elif store.sort == SORTS[-1]:
            store.set_sort(SORTS[0])
            finder.by_relevance = True
        else:
            store.set_sort(SORTS[SORTS.index(store.sort) + 1])
        self.refresh(keep=self._browser.list.by_hand)
        order = "best first" if finder.is_ranked else SORT_LABELS[store.sort]
        self._browser.say(order)

    def next_scope(self) -> None:
        """Go round: everything, this repository, this folder."""
        names = [scope.name for scope in self.scopes]
        at = names.index(self.store.scope.name)
        self.store.set_scope(self.scopes[(at + 1) % len(self.scopes)])
        self.refresh()
        scope = self.store.scope
        self._browser.say("sessions everywhere" if not scope.folders else f"sessions {scope.name}: {scope.project}")

    def next_grouping(self) -> None:
        """Go round: by repository, folder, agent, day, not at all."""
        browser = self._browser
        kind = KINDS[(KINDS.index(browser.list.kind) + 1) % len(KINDS)]
        browser.list.group_by(kind)
        self.label()
        browser.say(f"by {kind}" if kind else "not grouped")

    def toggle_hidden(self) -> None:
        """Show what is hidden by default, or hide it again, saying what it is."""
        store = self.store
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in store.hidden().items())
        store.set_show_hidden(not store.show_hidden)
        self.refresh()
        if not reasons:
            self._browser.say("nothing is hidden here")
        else:
            self._browser.say(f"{'shown too' if store.show_hidden else 'hidden'}: {reasons}")
