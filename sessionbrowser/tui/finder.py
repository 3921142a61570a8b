"""From the text in the box to the rows of the list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sessionbrowser.model import Session
from sessionbrowser.paths import Environment
from sessionbrowser.query import Match, Problem, Query, parse
from sessionbrowser.tui.store import Store

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

    def find(self) -> Found:
        """The rows the query asks for."""
        pool = self._store.pool()
        if self.query.is_empty:
            return Found(pool, None)
        matches: Sequence[Match] = self.query.rank(pool, here=self._environment.cwd)
        if not matches:
            return self._by_hidden_id() or Found(pool, matches)
        if not self.is_ranked:
            matches = sorted(matches, key=lambda match: match.index)
        return Found(pool, matches)

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
