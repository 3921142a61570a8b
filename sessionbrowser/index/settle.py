"""Rows that cannot answer a field by themselves (`turns:`, `has:images`, …), read until they can."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from sessionbrowser.index.fulltext import TROUBLE
from sessionbrowser.model import Block, Handle, Session, Transcript
from sessionbrowser.query import Query


class Reading(Protocol):
    """What reading rows exactly needs of the library."""

    def exact(self, sessions: Iterable[Session]) -> Iterator[Session]: ...
    def handle(self, session: Session) -> Handle: ...
    def outline(self, handle: Handle) -> Transcript: ...


def settle(query: Query, library: Reading, sessions: Sequence[Session], here: str = "") -> Iterator[Session]:
    """Those of `sessions` whose rows do not know what the query asks, one by one, with what it asks filled in.

    Reads whole files: a list that shows them as they come stays alive meanwhile.
    """
    for row in query.unknown(sessions, here):
        for exact in library.exact([row]):
            yield _with_facts(exact, library) if query.admits(exact, here) is None else exact


def _with_facts(row: Session, library: Reading) -> Session:
    """A row that knows whether it holds images, plans and subagents. What can't be read holds none."""
    try:
        blocks: Sequence[Block] = library.outline(library.handle(row)).blocks
    except TROUBLE:
        blocks = ()
    facts = {
        **row.facts,
        "images": any(block.kind == "image" for block in blocks),
        "plan": any(block.what == "plan" for block in blocks),
    }
    started = row.subagents if row.subagents is not None else sum(bool(block.subagent) for block in blocks)
    return row._replace(facts=facts, subagents=started)
