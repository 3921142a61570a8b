"""What there is to choose from, what of it is shown for the text in the box, and what is marked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.library import names
from sessionbrowser.model import Session
from sessionbrowser.paths import Environment
from sessionbrowser.query import Problem, Query, Ranked, Word, breaks_off, expand, parse
from sessionbrowser.tui.columns import Widths, measure
from sessionbrowser.tui.store import Identity, Store

if TYPE_CHECKING:
    from sessionbrowser.index.search_hit import Hit

SHORT = 2  # letters from which a word is looked for in the conversations

Ranges = tuple[tuple[int, int], ...]
NO_MARKS: Mapping[str, Ranges] = {}
NO_SAVED: Mapping[str, str] = {}


class Order(NamedTuple):
    """In which order rows stand, and how many can be marked (None: none, 0: any number)."""

    ranked: bool = True  # best first when there are words
    reverse: bool = False
    limit: int | None = None


class Line(NamedTuple):
    """A line of the list: the row it belongs to, and the hit below it that it shows, if it is one."""

    row: int
    hit: Hit | None = None


class Choice:
    """The rows, the cursor, the marks. `wanted` are names of sessions to choose among (None: every one that is shown),
    `saved` the queries of the configuration by name."""

    def __init__(
        self, store: Store, environment: Environment, order: Order, wanted: list[str] | None = None,
        saved: Mapping[str, str] = NO_SAVED,
    ) -> None:  # fmt: skip
        self.store = store
        self.order = order
        self.wanted = wanted
        self.saved = saved
        self.marked: dict[Identity, Session] = {}
        self.rows: Sequence[Session] = ()
        self.cursor = 0
        self.query: Query = parse("", environment.now())
        self.problem: Problem | None = None
        self.source = ""  # only this source
        self._environment = environment
        self._pool: list[Session] = []
        self._pool_of: tuple[list[Session], str, int] | None = None
        self._marks: Callable[[int], Mapping[str, Ranges]] = _no_marks
        self._hits: dict[Identity, Hit] = {}
        self._refused: frozenset[Identity] = frozenset()
        self._last: tuple[Query, list[Session], Ranked] | None = None
        self._measured: tuple[list[Session], Widths] | None = None

    # ── what is searched ──

    def pool(self) -> list[Session]:
        """What the box searches, in the order it stands in without words; made anew only after a change."""
        key = (self.store.pool(), self.source, len(self.wanted or ()))
        if self._pool_of is None or key[0] is not self._pool_of[0] or key[1:] != self._pool_of[1:]:
            found = key[0] if self.wanted is None else self._named(self.wanted)
            if self.source:
                found = [session for session in found if session.source == self.source]
            self._pool = found[::-1] if self.order.reverse else found
            self._pool_of = key
        return self._pool

    def widths(self) -> Widths:
        """How wide the columns would like to be."""
        if self.wanted is None:
            return self.store.widths
        pool = self.pool()
        if self._measured is None or self._measured[0] is not pool:
            self._measured = (pool, measure(pool))
        return self._measured[1]

    def _named(self, wanted: Iterable[str]) -> list[Session]:
        everything = self.store.everything()
        found: dict[Identity, Session] = {}
        for name in wanted:
            session = self.store.find_id(name) or self._called(name, everything)
            if session is not None and self.store.scope.holds(session):
                found.setdefault(session.identity, session)
        return list(found.values())

    def _called(self, name: str, everything: Sequence[Session]) -> Session | None:
        if name.startswith("@"):
            rows = sorted(names.recent(everything, self._environment), key=lambda session: -(session.updated or 0.0))
            return names.special(name, rows, self._environment)
        same = names.chosen([session for session in everything if session.id.startswith(name)], name)
        return same[0] if len(same) == 1 else None

    # ── the query ──

    def read(self, text: str) -> bool:
        """Take the text of the box; whether it could be read. One that could not leaves the rows as they are."""
        expanded = expand(text, self.saved)
        query = parse(expanded.text, self._environment.now())
        self.problem = query.problem and expanded.placed(query.problem)
        if query.problem is not None or (self.query.text and text.startswith(self.query.text) and breaks_off(text)):
            return False
        self.query = query
        self._hits = {}
        self._refused = frozenset()
        return True

    @property
    def is_worth_searching(self) -> bool:
        """Whether the conversations are to be asked: not for nothing, and not for a single letter."""
        query = self.query
        if not query.needs_text:
            return False
        words = [leaf for leaf in query.wanted if isinstance(leaf, Word)]
        short = bool(words) and all(len(word.text) < SHORT and word.text.isascii() for word in words)
        return not short or query.needs_deep or len(words) < len(query.wanted)

    def searched(self) -> list[Session]:
        """What the conversations are asked about: the pool, and its subagents."""
        if self.wanted is None and not self.source:
            return self.store.searched()
        return self.pool()

    def take(self, hits: Iterable[Hit], refused: frozenset[Identity]) -> None:
        """What the conversations say: the first hit of each session, and the sessions that must not be here."""
        for hit in hits:
            self._hits.setdefault(hit.identity, hit)
        self._refused = refused

    def refresh(self, *, keep: bool = True) -> None:
        """Ask the query again. With `keep` the cursor stays on its session, else it goes to the first row."""
        held = self.current if keep else None
        self.rows, self._marks = self._find()
        self.cursor = max(0, min(self.cursor, len(self.rows) - 1)) if keep else 0
        if held is not None:
            self.go_to(held.identity)

    def _find(self) -> tuple[Sequence[Session], Callable[[int], Mapping[str, Ranges]]]:
        pool = self.pool()
        if self.query.is_empty:
            return pool, _no_marks
        matches = self._ranked(pool)
        found: Sequence[int] = matches.indexes
        if self._refused:
            found = [at for at in found if pool[at].identity not in self._refused]
        if not self.order.ranked:
            found = sorted(found)
        if self._hits:
            found = self._joined(matches, list(found))
        places = None if found is matches.indexes else {at: place for place, at in enumerate(matches.indexes)}

        def marks(row: int) -> Mapping[str, Ranges]:
            place = row if places is None else places.get(found[row], -1)
            return matches[place].marks if place >= 0 else NO_MARKS

        return [pool[at] for at in found], marks

    def _joined(self, matches: Ranked, found: list[int]) -> list[int]:
        """Rows that hold the words, those whose conversations do, and those that hold only the letters."""
        pool = self.pool()
        ranked = self.order.ranked
        brought = [at for at, session in enumerate(pool) if session.identity in self._hits and session.identity not in self._refused
                   and not (matches.is_literal(at) if ranked else matches.holds(at))]  # fmt: skip
        first = [at for at in found if matches.is_literal(at)] if ranked else found
        return list(dict.fromkeys([*first, *brought, *found]))

    def _ranked(self, pool: list[Session]) -> Ranked:
        """The rows that match by themselves; kept while neither the query nor the pool is another."""
        if self._last is None or self._last[0] is not self.query or self._last[1] is not pool:
            self._last = (self.query, pool, self.query.rank(pool, here=self._environment.cwd))
        return self._last[2]

    def marks(self, row: int) -> Mapping[str, Ranges]:
        """The characters of a row's fields to mark."""
        return self._marks(row)

    @property
    def words(self) -> tuple[str, ...]:
        return self.query.words

    # ── lines ──

    def hit(self, row: int) -> Hit | None:
        """The line of its conversation that is shown below a row."""
        return self._hits.get(self.rows[row].identity) if self._hits else None

    def lines(self, first: int, height: int) -> list[Line]:
        """The lines of the list from row `first` on, `height` of them at most."""
        made: list[Line] = []
        for row in range(first, len(self.rows)):
            made.append(Line(row))
            if (hit := self.hit(row)) is not None:
                made.append(Line(row, hit))
            if len(made) >= height:
                break
        return made[:height]

    def first_for(self, first: int, height: int) -> int:
        """The first row to draw so that the cursor is in sight, as near to `first` as can be."""
        first = max(0, min(first, self.cursor))
        tall = [1 + (self.hit(row) is not None) for row in range(first, self.cursor + 1)] if self.rows else []
        while tall and sum(tall) > height and len(tall) > 1:
            tall.pop(0)
            first += 1
        return first

    # ── cursor and marks ──

    @property
    def current(self) -> Session | None:
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def move(self, by: int) -> None:
        self.cursor = max(0, min(self.cursor + by, len(self.rows) - 1))

    def go_to(self, identity: Identity) -> None:
        if self.current is not None and self.current.identity == identity:
            return
        for at, session in enumerate(self.rows):
            if session.identity == identity:
                self.cursor = at
                return

    def toggle(self) -> bool:
        """Mark or unmark the row under the cursor; False when no more can be marked."""
        session, limit = self.current, self.order.limit
        if session is None or limit is None:
            return True
        if self.marked.pop(session.identity, None) is None:
            if limit and len(self.marked) >= limit:
                return False
            self.marked[session.identity] = session
        return True

    def mark_all(self) -> None:
        """Mark every row that is shown; unmark them when all are."""
        limit = self.order.limit
        if limit is None:
            return
        if self.rows and all(session.identity in self.marked for session in self.rows):
            for session in self.rows:
                self.marked.pop(session.identity)
            return
        for session in self.rows:
            if limit and len(self.marked) >= limit:
                return
            self.marked.setdefault(session.identity, session)

    def chosen(self) -> list[Session]:
        """What is marked, in the order it was; else the row under the cursor."""
        if self.marked:
            return [self.store.get(identity) or session for identity, session in self.marked.items()]
        return [self.current] if self.current is not None else []


def _no_marks(row: int) -> Mapping[str, Ranges]:
    return NO_MARKS
