"""Which conversation belongs to which row of the list: sessions with the texts of their subagents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import NamedTuple

from sessionbrowser.index.fulltext import Entry, Identity
from sessionbrowser.model import Handle, Session
from sessionbrowser.query import sets

_CLIMB = 8  # subagents of subagents


class Owner(NamedTuple):
    """A session of the list with the texts that belong to it: its own and its subagents'."""

    session: Session
    entries: list[Entry]
    unread: Sequence[Session] = ()  # rows (its own, its subagents') that are not in the index

    def is_below(self, text: Entry | Handle) -> bool:
        """Whether a text is a subagent's."""
        own = (text.source, text.path, text.key) == self.session.identity
        return not own and text.id != self.session.id  # an earlier part of the session has its id


class Told(NamedTuple):
    """What the index says of a word: the row ids of its passages, ascending, and the set of the sessions they are of."""

    rows: Sequence[int]
    holders: int


class Shelf:
    """The texts of the index put to the rows of a list. A subagent's row belongs to its session's.

    Sessions are told by their place in `owners`, newest first, so that many of them make a set of numbers (`query.sets`).
    """

    def __init__(self, rows: Sequence[Session], known: Mapping[Identity, Entry]) -> None:
        self.rows = rows
        self.known = known
        self.entries: dict[int, Entry] = {}
        self.owner_of: dict[int, int] = {}  # the place of the session that a text belongs to, by the text's number
        self.below: set[int] = set()
        self.asked: dict[object, Told] = {}  # what the index said of the words that were looked for last
        self.read: dict[object, int] = {}  # the sessions whose files were read to know that they hold what must not be
        self._parents = {(entry.source, entry.id): entry.parent for entry in known.values() if entry.parent}
        self._parents.update({(row.source, row.id): row.parent for row in rows if row.parent})
        ordered = sorted(range(len(rows)), key=lambda at: -(rows[at].updated or 0.0))
        self._by_id = {(row.source, row.id): row.identity for row in map(rows.__getitem__, ordered) if row.hidden != "subagent"}
        nested = dict.fromkeys(at for at in ordered if rows[at].hidden == "subagent" and self._above(rows[at].source, rows[at].id) is not None)
        self._rows_of_owners = [at for at in ordered if at not in nested]
        self.owners = [Owner(rows[at], []) for at in self._rows_of_owners]
        self.place_of = {owner.session.identity: place for place, owner in enumerate(self.owners)}
        for entry in known.values():
            if not entry.excluded:
                self._put(entry)
        self.families = self._shared()
        behind = [self._put_unread(rows[at]) for at in (*self._rows_of_owners, *nested)]
        self.behind = self.set_of(place for place in behind if place is not None)  # without (the newest of) their lines in the index
        self.unread = self.set_of(place for place, owner in enumerate(self.owners) if owner.unread)  # of which the index lacks a file

    def set_of(self, places: Iterable[int]) -> int:
        """The set of these places."""
        return sets.of(places, len(self.owners))

    def holding(self, marks: bytes | bytearray) -> int:
        """The set of the sessions whose row is marked with anything but 0."""
        return self.set_of(compress(range(len(self.owners)), map(marks.__getitem__, self._rows_of_owners)))

    def _shared(self) -> list[list[int]]:
        """Sessions that begin with the same history, the oldest of each family first."""
        families: dict[int, list[int]] = {}
        for place, owner in enumerate(self.owners):
            for entry in owner.entries:
                if entry.opening and entry.number not in self.below:
                    families.setdefault(entry.opening, []).append(place)
        several = [family for family in families.values() if len(family) > 1]
        return [sorted(family, key=self._age) for family in several]

    def _age(self, place: int) -> tuple[float, str]:
        session = self.owners[place].session
        return session.created or 0.0, session.id

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
        identity = own if own in self.place_of else self._continued(entry) or self._above(entry.source, entry.id)
        if identity is None:
            return
        place = self.place_of[identity]
        self.owners[place].entries.append(entry)
        self.entries[entry.number] = entry
        self.owner_of[entry.number] = place
        if self.owners[place].is_below(entry):
            self.below.add(entry.number)

    def _continued(self, entry: Entry) -> Identity | None:
        """The listed row of the session that a file holds an earlier part of. One that begins alike is a copy."""
        listed = self._by_id.get((entry.source, entry.id))
        own = self.known.get(listed) if listed else None
        return listed if own is not None and entry.opening and entry.opening != own.opening else None

    def _put_unread(self, row: Session) -> int | None:
        """The place of a row's session when the index does not have it, or not its newest lines."""
        entry = self.known.get(row.identity)
        if entry is not None and not entry.excluded and (not row.path.endswith(".jsonl") or row.key or (entry.done and entry.size >= row.size)):
            return None
        identity = row.identity if row.identity in self.place_of else self._above(row.source, row.id)
        place = self.place_of.get(identity) if identity is not None else None
        if place is not None and (entry is None or entry.excluded):
            owner = self.owners[place]
            self.owners[place] = owner._replace(unread=[*owner.unread, row])
        return place
