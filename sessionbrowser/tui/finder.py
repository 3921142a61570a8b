"""From the text in the box to the rows of the list."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

from sessionbrowser.model import Session
from sessionbrowser.paths import Environment
from sessionbrowser.query import Match, Problem, Query, Ranked, breaks_off, expand, parse, warm_up
from sessionbrowser.query.tree import Leaf
from sessionbrowser.text import one_line
from sessionbrowser.tui.columns import Widths
from sessionbrowser.tui.conversations import HitsCame, Question, is_worth_it
from sessionbrowser.tui.snippets import Snippet
from sessionbrowser.tui.store import Identity, Store

if TYPE_CHECKING:
    from sessionbrowser.index.search import Hit

ID_LENGTH = 4  # characters from which a lone word may be the beginning of a hidden session's id


class Found(NamedTuple):
    """Rows to show: `sessions` and which of them (`matches`; None: all, in order); how many snippets are under them, where it is known."""

    sessions: Sequence[Session]
    matches: Sequence[Match] | None
    lines: int | None = None


class Rows(Sequence[Match]):
    """Matches in an order of our own, made when somebody looks at them: ten thousand are never looked at.

    `indexes` are the rows; `place_of` says of each (counted in this order) where it stands in `ranked`, -1 for nowhere.
    """

    def __init__(self, ranked: Sequence[Match], indexes: Sequence[int], place_of: Callable[[int], int]) -> None:
        self._ranked = ranked
        self.indexes = indexes
        self._place_of = place_of

    def __len__(self) -> int:
        return len(self.indexes)

    @overload
    def __getitem__(self, at: int) -> Match: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Match]: ...
    def __getitem__(self, at: int | slice) -> Match | Sequence[Match]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        place = self._place_of(at)
        return self._ranked[place] if place >= 0 else Match(self.indexes[at], 0.0, {})


class Joined(Sequence[int]):
    """Rows that hold the words, those whose conversations do (`more`), and those that hold only the letters.

    `places` are the rows' own places in `ranked`. The last are put together when somebody looks at them.
    """

    def __init__(self, ranked: Ranked, places: Sequence[int], more: Sequence[int]) -> None:
        self._ranked = ranked
        self._places = places
        self._more = more
        whole = isinstance(places, range)
        self._first = ranked.literal if whole else sum(ranked.is_literal(ranked.indexes[place]) for place in places)
        self._size = len(places) + len(more) - sum(map(ranked.holds, more))
        self._others: list[int] | None = None

    def place_of(self, at: int) -> int:
        """Where a row stands in `ranked`; -1 for one that its conversation brought in."""
        if at < self._first:
            return self._places[at]
        at -= self._first + len(self._more)
        return self._last()[at] if at >= 0 else -1

    def _last(self) -> list[int]:
        if self._others is None:
            brought, indexes = set(self._more), self._ranked.indexes
            self._others = [place for place in self._places[self._first :] if indexes[place] not in brought]
        return self._others

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: int | slice) -> int | list[int]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        place = self.place_of(at)
        return self._ranked.indexes[place] if place >= 0 else self._more[at - self._first]


class Finder:
    """Keeps the last query that could be read: a half-typed one does not disturb what is shown."""

    def __init__(self, store: Store, environment: Environment, saved: Mapping[str, str] | None = None) -> None:
        self._store = store
        self._environment = environment
        self.saved = saved or {}  # queries of the configuration by name
        self.query: Query = parse("", environment.now())
        self.problem: Problem | None = None
        self.searching = False  # whether the conversations are being searched
        self._hits: dict[Identity, list[Hit]] = {}
        self._snippets: dict[Identity, list[Snippet]] | None = None
        self._stale = False  # whether the hits are those of a query that this one goes on with
        self._refused: frozenset[Identity] = frozenset()
        self.by_relevance = True  # words put the best first, until another order is asked for

    def read(self, text: str) -> bool:
        """Take the text of the box; whether it could be read. What is half a field that there is not leaves the rows as they are."""
        expanded = expand(text, self.saved)
        query = parse(expanded.text, self._environment.now())
        self.problem = query.problem and expanded.placed(query.problem)
        if query.problem is not None or (self.query.text and text.startswith(self.query.text) and breaks_off(text)):
            return False
        self.query = query
        return True

    @property
    def is_ranked(self) -> bool:
        """Whether the rows stand best first."""
        return bool(self.query.words) and self.by_relevance

    @property
    def widths(self) -> Widths:
        """What the columns of the list have to hold, and the order that its rows are in."""
        return self._store.widths._replace(order="" if self.is_ranked else self._store.sort)

    def warm_up(self) -> None:
        """Make ready, in a thread, what the first letter typed would have to wait for."""
        pool, now = self._store.pool(), self._environment.now()
        threading.Thread(target=lambda: warm_up(parse("w", now), pool), name="sb-warm", daemon=True).start()

    def question(self, in_sight: Sequence[Session] = ()) -> Question | None:
        """What to ask the conversations, None when the rows say it all; lines of those `in_sight` are wanted first."""
        if self.query.is_empty or not is_worth_it(self.query):
            return None
        return Question(self.query, self._store.searched(), in_sight)

    def forget_hits(self, before: Query | None = None) -> None:
        """Another query than `before`: what the conversations said of that one is void.

        Where only letters were added it stays until the answer is there, so that lines do not come and go with every key.
        """
        self.searching = False
        if before is not None and self._hits and before.words and self.query.text.startswith(before.text) and is_worth_it(self.query):
            self._stale = True
            return
        self._clear()

    def _clear(self) -> None:
        self._hits.clear()
        self._snippets = None
        self._stale = False
        self._refused = frozenset()

    def take(self, event: HitsCame) -> None:
        """More of what the conversations say."""
        if event.first or self._stale:
            self._clear()
        for hit in event.hits:
            self._hits.setdefault(hit.identity, []).append(hit)
        self._snippets = None
        self._refused = event.refused
        self.searching = not event.done

    def snippets(self) -> dict[Identity, list[Snippet]]:
        """The lines to show under rows."""
        if self._snippets is None:
            self._snippets = {identity: [self._snippet(hit) for hit in hits] for identity, hits in self._hits.items()}
        return self._snippets

    def _snippet(self, hit: Hit) -> Snippet:
        return Snippet(self._label(hit), hit.snippet, hit.marks, hit, self._elsewhere(hit))

    def _label(self, hit: Hit) -> str:
        """Where a line is from, in a word or two: "prompt 12", "Explore" for what a subagent said."""
        kind = _KINDS.get(hit.kind, hit.kind)
        if hit.subagent is None:
            return f"{kind} {hit.turn}" if hit.turn else kind
        handle = hit.handle
        row = self._store.get((handle.source, handle.path, handle.key)) if handle is not None else None
        name = row.facts.get("agent_type") if row is not None else None
        name = one_line(name, 20) if isinstance(name, str) and name else "agent"
        return f"{name} {hit.turn}" if hit.turn and hit.turn > 1 else name

    def _elsewhere(self, hit: Hit) -> str:
        """The sessions that share this piece of history, by their titles."""
        titles = [row.title or row.id for name in hit.also if (row := self._store.find_id(name)) is not None]
        if not hit.also:
            return ""
        return f"also in {titles[0]}" + (f" and {len(hit.also) - 1} more" if len(hit.also) > 1 else "") if titles else f"also in {len(hit.also)} more"

    @property
    def marked(self) -> tuple[Leaf, ...]:
        """What to mark in a transcript."""
        return self.query.wanted

    def find(self) -> Found:
        """The rows the query asks for: those that match themselves, then those whose conversations do."""
        pool = self._store.pool()
        if self.query.is_empty:
            return Found(pool, None)
        ranked = self.query.rank(pool, here=self._environment.cwd)
        indexes = ranked.indexes
        places: Sequence[int] = range(len(indexes))
        if self._refused:
            places = [place for place in places if pool[indexes[place]].identity not in self._refused]
        more, lines = self._brought_in(ranked)
        if not places and not more:
            return self._by_hidden_id() or Found(pool, ())
        if self.is_ranked and more:
            joined = Joined(ranked, places, more)
            return Found(pool, Rows(ranked, joined, joined.place_of), lines)
        if self.is_ranked:
            given = indexes if isinstance(places, range) else [indexes[place] for place in places]
            return Found(pool, Rows(ranked, given, places.__getitem__), lines)
        brought = [(index, -1) for index in more if not ranked.holds(index)]
        everyone = sorted([*((indexes[place], place) for place in places), *brought])
        return Found(pool, Rows(ranked, [index for index, _ in everyone], [place for _, place in everyone].__getitem__), lines)

    def _brought_in(self, ranked: Ranked) -> tuple[list[int], int]:
        """Where in the pool the sessions are of which only the conversations hold the words, in the order they were found; snippets in all."""
        places = self._store.places() if self._hits else {}
        more, lines = [], 0
        for identity, hits in self._hits.items():
            at = places.get(identity)
            if at is None:
                continue
            if ranked.holds(at) and identity in self._refused:
                continue
            if not ranked.is_literal(at):
                more.append(at)
            lines += len(hits)
        return more, lines

    def elsewhere(self) -> tuple[int, int]:
        """Where nothing matched: how many hidden sessions of the scope would, and how many of other places."""
        everything = self._store.everything()
        rows = [everything[index] for index in self.query.rank(everything, here=self._environment.cwd).indexes]
        inside = [session for session in rows if self._store.scope.holds(session)]
        hidden = 0 if self._store.show_hidden else sum(1 for session in inside if session.hidden)
        outside = sum(1 for session in rows if not session.hidden) if self._store.scope.folders else 0
        return hidden, outside

    def _by_hidden_id(self) -> Found | None:
        """A session that is hidden or elsewhere, when the text is its id or the beginning of it."""
        word = self.query.text.strip()
        if len(word) < ID_LENGTH or " " in word:
            return None
        found = [session for session in self._store.everything() if session.id.startswith(word)]
        return Found(found, None) if found else None


_KINDS = {"prompt": "prompt", "text": "answer", "thinking": "thinking", "tool": "tool"}
