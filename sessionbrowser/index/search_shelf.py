"""Which conversation belongs to which row of the list: sessions with the texts of their subagents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sessionbrowser.index.fulltext import Entry, Identity
from sessionbrowser.model import Handle, Session

_CLIMB = 8  # subagents of subagents


class Owner(NamedTuple):
    """A session of the list with the texts that belong to it: its own and its subagents'."""

    session: Session
    entries: list[Entry]
    unread: list[Session]  # rows (its own, its subagents') that are not in the index

    def is_below(self, text: Entry | Handle) -> bool:
        """Whether a text is a subagent's."""
        own = (text.source, text.path, text.key) == self.session.identity
        return not own and text.id != self.session.id  # an earlier part of the session has its id


class Shelf:
    """The texts of the index put to the rows of a list, newest row first. A subagent's row belongs to its session's."""

    def __init__(self, rows: Sequence[Session], known: Mapping[Identity, Entry]) -> None:
        self.rows = rows
        self.known = known
        self.entries: dict[int, Entry] = {}
        self.owner_of: dict[int, Identity] = {}
        self.below: set[int] = set()
        self.behind: set[Identity] = set()  # sessions that the index does not have, or without their newest lines
        self._parents = {(entry.source, entry.id): entry.parent for entry in known.values() if entry.parent}
        self._parents.update({(row.source, row.id): row.parent for row in rows if row.parent})
        ordered = sorted(rows, key=lambda row: -(row.updated or 0.0))
        self._by_id = {(row.source, row.id): row.identity for row in ordered if row.hidden != "subagent"}
        nested = [row for row in ordered if row.hidden == "subagent" and self._above(row.source, row.id) is not None]
        within = {row.identity for row in nested}
        self.owners = {row.identity: Owner(row, [], []) for row in ordered if row.identity not in within}
        for entry in known.values():
            if not entry.excluded:
                self._put(entry)
        self.families = self._shared()
        for row in [*(owner.session for owner in self.owners.values()), *nested]:
            self._put_unread(row)

    def _shared(self) -> list[list[Owner]]:
        """Sessions that begin with the same history, the oldest of each family first."""
        families: dict[int, list[Owner]] = {}
        for owner in self.owners.values():
            for entry in owner.entries:
                if entry.opening and not owner.is_below(entry):
                    families.setdefault(entry.opening, []).append(owner)
        several = [family for family in families.values() if len(family) > 1]
        return [sorted(family, key=lambda owner: (owner.session.created or 0.0, owner.session.id)) for family in several]

    def _above(self, source: str, identity: str) -> Identity | None:
        """The listed session that a subagent belongs to, through subagents of subagents."""
        for _ in range(_CLIMB):
            above = self._parents.get((source, identity))
            if not above or above == identity:
                return None
            if (source, above) in self._by_id:
                return self._by_id[(source, above)]
            identity = above
        return None

    def _put(self, entry: Entry) -> None:
        own = entry.identity
        identity = own if own in self.owners else self._continued(entry) or self._above(entry.source, entry.id)
        if identity is None:
            return
        self.owners[identity].entries.append(entry)
        self.entries[entry.number] = entry
        self.owner_of[entry.number] = identity
        if self.owners[identity].is_below(entry):
            self.below.add(entry.number)

    def _continued(self, entry: Entry) -> Identity | None:
        """The listed row of the session that a file holds an earlier part of. One that begins alike is a copy."""
        listed = self._by_id.get((entry.source, entry.id))
        own = self.known.get(listed) if listed else None
        return listed if own is not None and entry.opening and entry.opening != own.opening else None

    def _put_unread(self, row: Session) -> None:
        entry = self.known.get(row.identity)
        if entry is not None and not entry.excluded and (not row.path.endswith(".jsonl") or row.key or (entry.done and entry.size >= row.size)):
            return
        identity = row.identity if row.identity in self.owners else self._above(row.source, row.id)
        if identity is None:
            return
        self.behind.add(identity)
        if entry is None or entry.excluded:
            self.owners[identity].unread.append(row)
