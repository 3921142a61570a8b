"""Which conversation belongs to which row of the list: sessions with the texts of their subagents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sessionbrowser.index.fulltext import Entry, Identity
from sessionbrowser.model import Session

_CLIMB = 8  # subagents of subagents


class Owner(NamedTuple):
    """A session of the list with the texts that belong to it: its own and its subagents'."""

    session: Session
    entries: list[Entry]

    def is_below(self, entry: Entry) -> bool:
        """Whether a text is a subagent's."""
        return entry.identity != self.session.identity


class Shelf:
    """The texts of the index put to the rows of a list, newest row first."""

    def __init__(self, rows: Sequence[Session], known: Mapping[Identity, Entry]) -> None:
        self.rows = rows
        self.known = known
        ordered = sorted(rows, key=lambda row: -(row.updated or 0.0))
        self.owners = {row.identity: Owner(row, []) for row in ordered}
        self.entries: dict[int, Entry] = {}
        self.owner_of: dict[int, Identity] = {}
        self.below: set[int] = set()
        by_id = {(row.source, row.id): row.identity for row in ordered if row.hidden != "subagent"}
        parents = {(row.source, row.id): row.parent for row in rows if row.parent}
        parents.update({(entry.source, entry.id): entry.parent for entry in known.values() if entry.parent})
        for entry in known.values():
            identity = None if entry.excluded else self._owner(entry, by_id, parents)
            if identity is not None:
                owner = self.owners[identity]
                owner.entries.append(entry)
                self.entries[entry.number] = entry
                self.owner_of[entry.number] = identity
                if owner.is_below(entry):
                    self.below.add(entry.number)

    def _owner(self, entry: Entry, by_id: Mapping[tuple[str, str], Identity], parents: Mapping[tuple[str, str], str]) -> Identity | None:
        own = entry.identity
        listed = own in self.owners
        if not entry.parent and (not listed or self.owners[own].session.hidden != "subagent"):
            return own if listed else None
        at = entry.id
        for _ in range(_CLIMB):
            above = parents.get((entry.source, at))
            if not above or above == at:
                break
            at = above
        return by_id.get((entry.source, at)) or (own if listed else None)
