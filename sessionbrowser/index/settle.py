"""Rows that cannot answer a field by themselves (`turns:`, `has:images`, …), read until they can."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from sessionbrowser.model import Session
from sessionbrowser.query import Query


class Reading(Protocol):
    """What reading rows exactly needs of the library."""

    def exact(self, sessions: Iterable[Session], *, facts: bool = False) -> Iterator[Session]: ...


def settle(query: Query, library: Reading, sessions: Sequence[Session], here: str = "") -> Iterator[Session]:
    """Those of `sessions` whose rows do not know what the query asks, one by one, with what it asks filled in.

    Reads whole files: a list that shows them as they come stays alive meanwhile.
    """
    for row in query.unknown(sessions, here):
        for exact in library.exact([row]):
            yield from library.exact([exact], facts=True) if query.admits(exact, here) is None else [exact]
