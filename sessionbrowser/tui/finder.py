"""From the text in the box to the rows of the list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sessionbrowser.index.search import Hit
from sessionbrowser.model import Session
from sessionbrowser.paths import Environment
from sessionbrowser.query import Exact, Match, Problem, Query, Word, parse
from sessionbrowser.tui.conversations import Question, is_worth_it
from sessionbrowser.tui.session_list import Snippet
from sessionbrowser.tui.store import Identity, Store

ID_LENGTH = 4  # characters from which a lone word may be the beginning of a hidden session's id


class Found(NamedTuple):
    """Rows to show: `sessions` and which of them (`matches`; None: all, in order)."""

    sessions: Sequence[Session]
    matches: Sequence[Match] | None


class Finder:
    """Keeps the last query that could be read: a half-typed one does not disturb what is shown."""

    def __init__(self, store: Store, environment: Environment) -> None:
        self._store = store
        self._environment = environment
        self.query: Query = parse("", environment.now())
        self.problem: Problem | None = None
        self.searching = False  # whether the conversations are being searched
        self._hits: dict[Identity, list[Hit]] = {}
        self._refused: frozenset[Identity] = frozenset()
        self.by_relevance = True  # words put the best first, until another order is asked for

    def read(self, text: str) -> bool:
        """Take the text of the box; whether it could be read."""
        query = parse(text, self._environment.now())
        self.problem = query.problem
        if query.problem is None:
            self.query = query
        return query.problem is None

    @property
    def is_ranked(self) -> bool:
        """Whether the rows stand best first."""
        return bool(self.query.words) and self.by_relevance

    def question(self) -> Question | None:
        """What to ask the conversations, None when the rows say it all."""
        if self.query.is_empty or not is_worth_it(self.query):
            return None
        return Question(self.query, self._store.searched())

    def forget_hits(self) -> None:
        """Another query: what the conversations said of the last one is void."""
        self._hits.clear()
        self._refused = frozenset()
        self.searching = False

    def take(self, hits: Sequence[Hit], refused: frozenset[Identity], done: bool) -> None:
        """More of what the conversations say."""
        for hit in hits:
            self._hits.setdefault(hit.identity, []).append(hit)
        self._refused = refused
        self.searching = not done

    def snippets(self) -> dict[Identity, list[Snippet]]:
        """The lines to show under rows."""
        return {
            identity: [Snippet(_label(hit), hit.snippet, hit.marks, hit) for hit in hits]
            for identity, hits in self._hits.items()
        }

    @property
    def words(self) -> tuple[str, ...]:
        """The words to mark in a transcript."""
        return tuple(leaf.text for leaf in self.query.wanted if isinstance(leaf, Word | Exact))

    def find(self) -> Found:
        """The rows the query asks for: those that match themselves, then those whose conversations do."""
        pool = self._store.pool()
        if self.query.is_empty:
            return Found(pool, None)
        matches: Sequence[Match] = self.query.rank(pool, here=self._environment.cwd)
        if self._refused:
            matches = [match for match in matches if pool[match.index].identity not in self._refused]
        if self._hits:
            matches = [*matches, *self._more(matches)]
        if not matches:
            return self._by_hidden_id() or Found(pool, matches)
        if not self.is_ranked:
            matches = sorted(matches, key=lambda match: match.index)
        return Found(pool, matches)

    def _more(self, matches: Sequence[Match]) -> list[Match]:
        """Sessions that only their conversations bring in, in the order they were found."""
        there = {match.index for match in matches}
        places = self._store.places()
        found = (places.get(identity) for identity in self._hits)
        return [Match(at, 0.0, {}) for at in found if at is not None and at not in there]

    def elsewhere(self) -> tuple[int, int]:
        """Where nothing matched: how many hidden sessions of the scope would, and how many of other places."""
        everything = self._store.everything()
        rows = [everything[match.index] for match in self.query.rank(everything, here=self._environment.cwd)]
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


def _label(hit: Hit) -> str:
    """Where a line is from, in a word or two."""
    kind = _KINDS.get(hit.kind, hit.kind)
    place = f"agent {kind}" if hit.subagent else kind
    return f"{place} {hit.turn}" if hit.turn else place
