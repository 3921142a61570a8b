"""Finding in the conversations: the index says where, the file itself is read at the hit's place and has the last word.

Words may be spread over a session: every word of a query has to be in its row or somewhere in its conversation (its
subagents' included), and the passages shown are those that hold most of them. Newest sessions come first. History that
several sessions share gives one hit, in the session it was first said in, the others named.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from sessionbrowser.index import deep
from sessionbrowser.index.fulltext import KINDS, TROUBLE, Entry, FullText, Identity, State, grows, place
from sessionbrowser.index.matching import Ranges, holds, lines_around, snippet
from sessionbrowser.index.store import NoCache, connect
from sessionbrowser.index.words import match_expression
from sessionbrowser.index.worker import state, state_of
from sessionbrowser.model import Handle, Passage, Session
from sessionbrowser.paths import Environment
from sessionbrowser.query import Query
from sessionbrowser.query.rank import rows_of, text_in_row
from sessionbrowser.query.tree import Exact, Field, Leaf, Word
from sessionbrowser.sources.base import Source

_PLACE_OF_KIND = {"prompt": "prompts", "text": "answers", "thinking": "thinking", "tool": "tools"}
_CLIMB = 8  # subagents of subagents


class Hit(NamedTuple):
    """One passage that matches. `session` is the session it belongs to, also when a subagent said it."""

    session: str  # raw id
    identity: Identity
    subagent: str | None  # raw id
    source: str
    title: str
    turn: int | None
    kind: str  # prompt, text, thinking, tool
    time: float | None
    snippet: str
    marks: Ranges
    path: str  # raw; the file it is in
    start: int  # Place.start
    line: int | None
    also: tuple[str, ...] = ()  # raw ids of sessions that share this piece of history
    lines: tuple[str, ...] = ()  # with context: the line and those around it
    at: int = 0  # which of `lines` matches


class Sessions(Protocol):
    """What a search needs of the library."""

    environment: Environment

    def source(self, name: str) -> Source: ...
    def handle(self, session: Session) -> Handle: ...
    def sessions(self) -> list[Session]: ...


class Options(NamedTuple):
    """How to search: at most `per_session` hits of each session, with `context` lines around; unindexed files too."""

    per_session: int | None = None
    context: int = 0
    unindexed: bool = False
    use_index: bool = True
    here: str = ""


class Searcher:
    """Searches one after the other: a new one ends the one before it, as does `interrupt`."""

    def __init__(self, library: Sessions, sessions: Sequence[Session] | None = None) -> None:
        self.library = library
        self.missing = 0  # sessions of the last search that are not in the index (yet)
        self._sessions = sessions
        self._generation = 0
        self._local = threading.local()
        self._busy: sqlite3.Connection | None = None

    def search(self, query: Query, *, kinds: Iterable[str] | None = None, limit: int | None = None,
               sessions: Sequence[Session] | None = None, options: Options | None = None) -> Iterator[Hit]:
        """Hits of `query` among `sessions` (those given before, or all of the library), newest session first.

        Only sessions that the query's fields admit are searched. `kinds` narrows what `in:` allows. The iterator ends
        early when a newer search begins.
        """
        self._generation += 1
        mine = self._generation
        self._stop_statement()
        rows = sessions if sessions is not None else self._sessions if self._sessions is not None else self.library.sessions()
        run = Run(self, query, rows, frozenset(kinds) if kinds is not None else None, options or Options(), lambda: self._generation != mine)
        return self._guarded(run, limit)

    def _guarded(self, run: Run, limit: int | None) -> Iterator[Hit]:
        given = 0
        try:
            for hit in run.hits():
                if run.cancelled() or (limit is not None and given >= limit):
                    return
                yield hit
                given += 1
        except sqlite3.OperationalError as error:
            if "interrupted" not in str(error):
                raise

    def interrupt(self) -> None:
        """End the search that runs, from any thread."""
        self._generation += 1
        self._stop_statement()

    def _stop_statement(self) -> None:
        busy = self._busy
        if busy is not None:
            try:
                busy.interrupt()
            except sqlite3.ProgrammingError:  # closed meanwhile
                return

    def state(self) -> State:
        """How far the index is."""
        text = self.text()
        return state_of(text, self.library.environment) if text is not None else state(self.library.environment)

    def text(self) -> FullText | None:
        """The index for this thread; None while there is none."""
        held: FullText | None = getattr(self._local, "text", None)
        if held is None:
            try:
                held = FullText(connect(self.library.environment, readonly=True))
                held.entries()
            except (NoCache, sqlite3.Error):
                return None
            self._local.text = held
        self._busy = held.connection
        return held

    def entries(self, text: FullText) -> dict[Identity, Entry]:
        """What is in the index, read again only when another process wrote."""
        version = text.version()
        if getattr(self._local, "version", None) != version:
            self._local.entries, self._local.version = text.entries(), version
        found: dict[Identity, Entry] = self._local.entries
        return found

    def close(self) -> None:
        """Close the connection of this thread."""
        held: FullText | None = getattr(self._local, "text", None)
        if held is not None:
            self._busy = None
            held.close()
            self._local.text = None


class Owner(NamedTuple):
    """A session of the list with the texts that belong to it: its own and its subagents'."""

    session: Session
    entries: list[Entry]


class Run:
    """One search."""

    def __init__(self, searcher: Searcher, query: Query, rows: Sequence[Session], kinds: frozenset[str] | None,
                 options: Options, cancelled: Callable[[], bool]) -> None:  # fmt: skip
        self.searcher = searcher
        self.library = searcher.library
        self.query = query
        self.rows = rows
        self.kinds = kinds
        self.options = options
        self.cancelled = cancelled
        self.leaves = query.wanted
        self.text = searcher.text() if options.use_index else None
        self.known = searcher.entries(self.text) if self.text is not None else {}
        self._expressions = {leaf: _expression(leaf) for leaf in (*query.wanted, *query.unwanted)}

    def hits(self) -> Iterator[Hit]:
        """Every hit, newest session first."""
        if not self.leaves and not any(yes for _, yes in self.query.deep_fields):
            return
        owners = self._owners()
        self.searcher.missing = sum(not owner.entries for owner in owners.values())
        if self.query.needs_deep or not all(self._expressions.get(leaf) for leaf in self.leaves):
            yield from self._deep(owners)
            return
        found = self._indexed(owners)
        if self.options.unindexed:
            found = _newest_first(found, self._unindexed(owners), owners)
        yield from found

    # ── whose text is searched ──

    def _owners(self) -> dict[Identity, Owner]:
        """The sessions the query admits, newest first, each with the entries of its texts."""
        admitted = [row for row in self.rows if self.query.admits(row, self.options.here) is True]
        admitted.sort(key=lambda row: -(row.updated or 0.0))
        owners = {row.identity: Owner(row, []) for row in admitted}
        by_id = {(row.source, row.id): row.identity for row in admitted}
        parents = {(row.source, row.id): row.parent for row in self.rows if row.parent}
        parents.update({(entry.source, entry.id): entry.parent for entry in self.known.values() if entry.parent})
        for entry in self.known.values():
            owner = self._owner_of(entry, owners, by_id, parents)
            if owner is not None and not entry.excluded:
                owners[owner].entries.append(entry)
        return owners

    def _owner_of(self, entry: Entry, owners: Mapping[Identity, Owner], by_id: Mapping[tuple[str, str], Identity],
                  parents: Mapping[tuple[str, str], str]) -> Identity | None:  # fmt: skip
        own = entry.identity
        if not entry.parent and (own not in owners or owners[own].session.hidden != "subagent"):
            return own if own in owners else None
        at = entry.id
        for _ in range(_CLIMB):
            above = parents.get((entry.source, at))
            if not above or above == at:
                break
            at = above
        return by_id.get((entry.source, at)) or (own if own in owners else None)

    def _allowed(self, subagent: bool) -> frozenset[str]:
        """The kinds of text that are searched in a session, or in a subagent of it."""
        places = self.query.places
        if subagent and "subagents" in places:
            found = frozenset(kind for kind, name in _PLACE_OF_KIND.items() if kind != "tool" or name in places)
        elif subagent:
            found = frozenset({"tool"} if "tools" in places else ())
        else:
            found = frozenset(kind for kind, name in _PLACE_OF_KIND.items() if name in places)
        return found if self.kinds is None else found & self.kinds

    # ── through the index ──

    def _indexed(self, owners: Mapping[Identity, Owner]) -> Iterator[Hit]:
        assert self.text is not None or not self.known
        if self.text is None:
            return
        owner_of = {entry.number: identity for identity, owner in owners.items() for entry in owner.entries}
        numbers = [self._numbers(leaf, owner_of, owners) for leaf in self.leaves]
        matched: set[Identity] = set(owners)
        for leaf, found in zip(self.leaves, numbers, strict=True):
            matched &= {owner_of[number] for number in found} | self._by_row(leaf)
        matched &= {owner_of[number] for found in numbers for number in found}
        for leaf in self.query.unwanted:
            matched -= self._refused(leaf, owner_of, owners)
        yield from self._shared(owners, matched, numbers)

    def _numbers(self, leaf: Leaf, owner_of: Mapping[int, Identity], owners: Mapping[Identity, Owner]) -> set[int]:
        """The numbers of the texts in which the index has a leaf."""
        assert self.text is not None
        main, below = (tuple(KINDS.index(kind) for kind in self._allowed(subagent)) for subagent in (False, True))
        expression = self._expressions[leaf]
        found = self.text.sessions(expression, main) if main else set()
        if main == below:
            return {number for number in found if number in owner_of}
        subagents = {entry.number for owner in owners.values() for entry in owner.entries if _is_below(entry, owner)}
        nested = self.text.sessions(expression, below) if below else set()
        return {number for number in found if number in owner_of and number not in subagents} | (nested & subagents)

    def _by_row(self, leaf: Leaf) -> set[Identity]:
        """The sessions whose row matches a leaf; none when the query says where to look."""
        if self.kinds is not None or self.query.names_places:
            return set()
        rows = rows_of(self.rows)
        if isinstance(leaf, Word):
            return {rows.sessions[index].identity for index in rows.word(leaf.text)}
        return {row.identity for row in rows.sessions if text_in_row(leaf, rows.by_row[id(row)], row)}

    def _refused(self, leaf: Leaf, owner_of: Mapping[int, Identity], owners: Mapping[Identity, Owner]) -> set[Identity]:
        """The sessions that hold what must not be."""
        rows = rows_of(self.rows)
        refused = {row.identity for row in rows.sessions if text_in_row(leaf, rows.by_row[id(row)], row)}
        expression = self._expressions.get(leaf)
        if self.text is None or not expression:
            return refused
        entries = {entry.number: entry for owner in owners.values() for entry in owner.entries}
        for number in self._numbers(leaf, owner_of, owners):
            if isinstance(leaf, Word) or next(self._read(entries[number], self._rows_of(entries[number], [leaf]), [leaf]), None):
                refused.add(owner_of[number])
        return refused

    def _rows_of(self, entry: Entry, leaves: Sequence[Leaf]) -> dict[int, int]:
        """Row ids of an entry at which leaves match, and how many of them do."""
        assert self.text is not None
        kinds = [KINDS.index(kind) for kind in self._allowed(bool(entry.parent))]
        counted: dict[int, int] = {}
        for leaf in leaves:
            for row in self.text.rows(self._expressions[leaf], entry.number, kinds):
                counted[row] = counted.get(row, 0) + 1
        return counted

    def _shared(self, owners: Mapping[Identity, Owner], matched: set[Identity], numbers: list[set[int]]) -> Iterator[Hit]:
        """Hits session by session; what a session took over from an older one is left to that one."""
        hit_numbers = set().union(*numbers)
        families: dict[int, list[Owner]] = {}
        for identity, owner in owners.items():
            if identity in matched:
                for opening in {entry.opening for entry in owner.entries if entry.opening and not _is_below(entry, owner)}:
                    families.setdefault(opening, []).append(owner)
        held: dict[Identity, list[tuple[Hit, int]]] = {}
        also: dict[tuple[object, ...], list[str]] = {}
        claimed: dict[tuple[object, ...], Identity] = {}
        for family in families.values():
            if len(family) < 2:
                continue
            for owner in sorted(family, key=lambda owner: (owner.session.created or 0.0, owner.session.id)):
                held[owner.session.identity] = kept = []
                for hit, key in self._of_session(owner, hit_numbers):
                    shared = (opening_key := (hit.kind, hit.time, key))
                    if shared in claimed and claimed[shared] != hit.identity:
                        also.setdefault(opening_key, []).append(hit.session)
                        continue
                    claimed[shared] = hit.identity
                    kept.append((hit, key))
        for identity, owner in owners.items():
            if self.cancelled():
                return
            if identity not in matched:
                continue
            found = iter(held[identity]) if identity in held else self._of_session(owner, hit_numbers)
            for count, (hit, key) in enumerate(found):
                if self.options.per_session is not None and count >= self.options.per_session:
                    break
                others = also.get((hit.kind, hit.time, key))
                yield hit._replace(also=tuple(dict.fromkeys(others))) if others else hit

    def _of_session(self, owner: Owner, hit_numbers: set[int]) -> Iterator[tuple[Hit, int]]:
        """The verified hits of one session and a hash of the whole passage; only those that hold most of the words."""
        rows = {entry: self._rows_of(entry, self.leaves) for entry in owner.entries if entry.number in hit_numbers}
        most = max((count for found in rows.values() for count in found.values()), default=0)
        given = False
        while most and not given:
            for entry in sorted(rows, key=lambda entry: (_is_below(entry, owner), entry.id)):
                best = {row: count for row, count in rows[entry].items() if count == most}
                for passage in self._read(entry, best, self.leaves):
                    given = True
                    yield self._hit(owner, entry.handle, passage), hash(passage.text)
            most -= 1

    def _read(self, entry: Entry, rows: Mapping[int, int], leaves: Sequence[Leaf]) -> Iterator[Passage]:
        """The passages at row ids, read from the file; those that (no longer) hold what the index says are left out."""
        wanted = {place(row)[1:]: count for row, count in sorted(rows.items())}
        source, handle = self.library.source(entry.source), entry.handle
        try:
            if grows(handle):
                for start in sorted({start for start, _ in wanted}):
                    yield from _verified(source.passages(handle, start), {key: n for key, n in wanted.items() if key[0] == start}, leaves)
                    if self.cancelled():
                        return
            elif wanted:
                yield from _verified(source.passages(handle, min(wanted)[0]), wanted, leaves)
        except TROUBLE:
            return

    def _hit(self, owner: Owner, handle: Handle, passage: Passage) -> Hit:
        session = owner.session
        line, marks = snippet(passage.text, self.leaves)
        lines, at = lines_around(passage.text, self.leaves, self.options.context) if self.options.context else ((), 0)
        below = handle.id if (handle.source, handle.path, handle.key) != session.identity else None
        return Hit(session.id, session.identity, below, session.source, session.title, None, passage.kind, passage.time, line,
                   marks, handle.path, passage.start, None, (), lines, at)  # fmt: skip

    # ── through the files ──

    def _deep(self, owners: Mapping[Identity, Owner]) -> Iterator[Hit]:
        """Hits of what the index does not have."""
        narrowed = self._narrowed(owners)
        yield from self._scan(narrowed, tuple(field for field, yes in self.query.deep_fields if yes))

    def _unindexed(self, owners: Mapping[Identity, Owner]) -> Iterator[Hit]:
        """Hits of sessions that are not in the index."""
        yield from self._scan({identity: owner for identity, owner in owners.items() if not owner.entries}, ())

    def _narrowed(self, owners: Mapping[Identity, Owner]) -> Mapping[Identity, Owner]:
        """Sessions that may match, by what the index knows of the words beside an expression."""
        indexable = [leaf for leaf in self.leaves if self._expressions.get(leaf)]
        if self.text is None or "tools" in self.query.places or self.query.deep_fields or not indexable:
            return owners
        owner_of = {entry.number: identity for identity, owner in owners.items() for entry in owner.entries}
        left = {identity for identity, owner in owners.items()}
        for leaf in indexable:
            left &= {owner_of[number] for number in self._numbers(leaf, owner_of, owners)}
        left |= {identity for identity, owner in owners.items() if not owner.entries}
        return {identity: owner for identity, owner in owners.items() if identity in left}

    def _scan(self, owners: Mapping[Identity, Owner], fields: tuple[Field, ...]) -> Iterator[Hit]:
        handles: list[Handle] = []
        belongs: dict[Identity, Owner] = {}
        for owner in owners.values():
            own = [entry.handle for entry in owner.entries]
            if not any((handle.source, handle.path, handle.key) == owner.session.identity for handle in own):
                own.insert(0, self.library.handle(owner.session))
            for handle in own:
                belongs[(handle.source, handle.path, handle.key)] = owner
            handles += own
        refused = {identity for leaf in self.query.unwanted for identity in self._refused_deep(leaf, owners)}
        unwanted = tuple(field for field, yes in self.query.deep_fields if not yes)
        main, below = self._allowed(False), self._allowed(True)
        if fields:
            main = below = frozenset({"tool"})
        seen: dict[Identity, int] = {}
        checked: dict[Identity, bool] = {}
        for handle in deep.candidates(handles, deep.Wanted(self.leaves, main | below, fields), self.cancelled):
            owner = belongs[(handle.source, handle.path, handle.key)]
            identity = owner.session.identity
            if identity in refused or (self.options.per_session is not None and seen.get(identity, 0) >= self.options.per_session):
                continue
            kinds = below if (handle.source, handle.path, handle.key) != identity else main
            source = self.library.source(handle.source)
            for passage in deep.search(source, handle, deep.Wanted(self.leaves, kinds, fields), self.cancelled):
                if unwanted and identity not in checked:
                    checked[identity] = any(next(deep.search(source, handle, deep.Wanted((), frozenset({"tool"}), (field,)),
                                                             self.cancelled), None) is not None for field in unwanted)  # fmt: skip
                if checked.get(identity):
                    break
                yield self._hit(owner, handle, passage)
                seen[identity] = seen.get(identity, 0) + 1
                if self.options.per_session is not None and seen[identity] >= self.options.per_session:
                    break

    def _refused_deep(self, leaf: Leaf, owners: Mapping[Identity, Owner]) -> set[Identity]:
        owner_of = {entry.number: identity for identity, owner in owners.items() for entry in owner.entries}
        return self._refused(leaf, owner_of, owners)


def _verified(passages: Iterator[Passage], wanted: Mapping[tuple[int, int], int], leaves: Sequence[Leaf]) -> Iterator[Passage]:
    """Those passages at wanted places that hold as many leaves as the index says."""
    left = dict(wanted)
    for passage in passages:
        key = (passage.start, KINDS.index(passage.kind)) if passage.kind in KINDS else (passage.start, -1)
        if key in left and sum(holds(leaf, passage.text) for leaf in leaves) >= left[key]:
            del left[key]
            yield passage
        if not left or passage.start > max(left)[0]:
            return


def _expression(leaf: Leaf) -> str:
    """What to ask the index for a leaf; "" when it cannot answer."""
    return match_expression(leaf.text) if isinstance(leaf, Word | Exact) else ""


def _is_below(entry: Entry, owner: Owner) -> bool:
    return entry.identity != owner.session.identity


def _newest_first(first: Iterator[Hit], second: Iterator[Hit], owners: Mapping[Identity, Owner]) -> Iterator[Hit]:
    """Two streams of hits, both newest session first, as one."""
    import heapq

    return heapq.merge(first, second, key=lambda hit: -(owners[hit.identity].session.updated or 0.0))
