"""One search through the index: which sessions hold every word, which passages to show, read at their places."""

from __future__ import annotations

import heapq
import time
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence

from sessionbrowser.index.fulltext import (
    KINDS,
    SESSION_BITS,
    TROUBLE,
    Entry,
    FullText,
    Identity,
    grows,
    place,
)
from sessionbrowser.index.matching import holds
from sessionbrowser.index.search_hit import Hit, Options, Sessions, allowed, hit
from sessionbrowser.index.search_scan import Alone, callers, scan
from sessionbrowser.index.search_shelf import Owner, Shelf, Told
from sessionbrowser.index.words import match_expression
from sessionbrowser.model import Passage
from sessionbrowser.query import Query, sets
from sessionbrowser.query.rows import rows_of
from sessionbrowser.query.tree import Exact, Leaf, Word


class Run:
    """One search over the texts of a shelf."""

    def __init__(self, library: Sessions, text: FullText | None, shelf: Shelf, query: Query, kinds: frozenset[str] | None,
                 options: Options, cancelled: Callable[[], bool]) -> None:  # fmt: skip
        self.library = library
        self.text = text
        self.shelf = shelf
        self.query = query
        self.options = options
        self.cancelled = cancelled
        self.leaves = query.wanted
        self.main = allowed(query, kinds, subagent=False)
        self.below = allowed(query, kinds, subagent=True)
        self.by_row = kinds is None and not query.names_places
        self._prompts: dict[int, list[int]] = {}
        tests = query.row_tests(options.here)
        self.admitted = sets.everything(len(shelf.owners))
        if tests:
            self.admitted = shelf.set_of(place for place, owner in enumerate(shelf.owners) if all(test(owner.session) is True for test in tests))

    def owners(self, places: int) -> list[Owner]:
        """The sessions of a set, newest first."""
        return [self.shelf.owners[place] for place in self._members(places)]

    def _members(self, places: int) -> Iterator[int]:
        return sets.members(places, len(self.shelf.owners))

    def _identities(self, places: int) -> set[Identity]:
        return {owner.session.identity for owner in self.owners(places)}

    def missing(self) -> int:
        """How many of the sessions asked about are not in the index, or were written to since."""
        return (self.shelf.behind & self.admitted).bit_count()

    def hits(self) -> Iterator[Hit]:
        """Every hit, newest session first, with its turn where the index can tell."""
        for found in self._hits():
            yield found._replace(turn=self._turn(found))

    def _turn(self, found: Hit) -> int | None:
        """The number of the turn a hit is in: of the prompts before it, the last."""
        handle = found.handle
        entry = self.shelf.known.get((handle.source, handle.path, handle.key)) if handle is not None else None
        if entry is None or self.text is None:
            return None
        if entry.number not in self._prompts:
            self._prompts[entry.number] = self.text.prompts(entry.number)
        return bisect_right(self._prompts[entry.number], found.start) or None

    def _hits(self) -> Iterator[Hit]:
        query = self.query
        if not self.leaves and not any(yes for _, yes in query.deep_fields):
            return
        among = self._allowed(self._likely()) if query.unwanted else self.admitted
        if query.needs_deep or self.text is None or not all(expression(leaf) for leaf in self.leaves):
            yield from self._scan(self.owners(self._narrowed(among, self.leaves)))
            return
        found = self._indexed(among)
        if self.options.unindexed:
            fresh = self._scan([owner._replace(entries=[]) for owner in self.owners(among) if owner.unread])
            found = heapq.merge(found, fresh, key=lambda each: self.shelf.place_of[each.identity])
        none = True
        for one in found:
            none = False
            yield one
        if none and any(isinstance(leaf, Exact) for leaf in self.leaves):
            yield from self._inside_words(among)

    def _inside_words(self, among: int) -> Iterator[Hit]:
        """The index knows words from their beginning on; a quote may begin inside one."""
        time.sleep(self.options.patience)
        if not self.cancelled():
            others = [leaf for leaf in self.leaves if not isinstance(leaf, Exact)]
            yield from self._scan(self.owners(self._narrowed(among, others)))

    def all_refused(self) -> set[Identity]:
        """The sessions that hold anything the query says must not be: words, tools, files."""
        likely = self._likely() if self.query.unwanted else 0
        found = self._identities(likely & ~self._allowed(likely))
        fields = tuple(field for field, yes in self.query.deep_fields if not yes)
        if fields:
            found |= callers(self.library, self.owners(self.admitted), fields, self.cancelled)
        return found

    def _scan(self, owners: Sequence[Owner]) -> Iterator[Hit]:
        return scan(self.library, owners, self.query, (self.main, self.below), self.options, self.cancelled)

    # ── which sessions ──

    def _indexed(self, among: int) -> Iterator[Hit]:
        somewhere, everything = 0, among
        for leaf in self.leaves:
            if self.cancelled():
                return
            held = self.holders(leaf)
            somewhere |= held
            everything &= held | self._rows_with(leaf) if len(self.leaves) > 1 else held
        yield from self._in_order(somewhere & everything)  # some in the row, but one at least in what was said

    def holders(self, leaf: Leaf) -> int:
        """The sessions in whose texts the index has a leaf."""
        return self._told(leaf).holders

    def rows(self, leaf: Leaf) -> Sequence[int]:
        """The row ids at which a leaf matches, ascending."""
        return self._told(leaf).rows

    def _told(self, leaf: Leaf) -> Told:
        """What the index says of a leaf. Who types on asks for the same words again with every letter."""
        asked = self.shelf.asked
        key = (leaf, self.main, self.below)
        told = asked.pop(key, None) or self._ask(leaf)
        asked[key] = told  # the newest behind all others
        if len(asked) > _KEPT:
            asked.pop(next(iter(asked)), None)
        return told

    def _ask(self, leaf: Leaf) -> Told:
        asked = expression(leaf)
        kinds = [KINDS.index(kind) for kind in self.main | self.below]
        if self.text is None or not asked or not kinds:
            return Told((), 0)
        rows = self.text.rows(asked, kinds)
        if self.main != self.below:
            nested = self.shelf.below
            ours = [{KINDS.index(kind) for kind in kinds} for kinds in (self.main, self.below)]
            rows = [row for row in rows if row & 7 in ours[row >> SESSION_BITS in nested]]
        owner_of = self.shelf.owner_of
        return Told(array("q", rows), self.shelf.set_of(owner_of[number] for number in numbers_of(rows) if number in owner_of))

    def _rows_with(self, leaf: Leaf) -> int:
        """The sessions whose row matches a leaf; none when the query says where to look."""
        return self.shelf.holding(rows_of(self.shelf.rows).holding(leaf, named=True)) if self.by_row else 0

    def _allowed(self, among: int) -> int:
        """Those of `among` that hold nothing of what must not be."""
        for leaf in sorted(self.query.unwanted, key=self._is_read_for):  # what the index knows leaves less to be read
            among &= ~self._refused(leaf, among)
        return among

    def _likely(self) -> int:
        """The sessions that may hold every word of the query, in their row or in what was said."""
        likely = self.admitted
        for leaf in self.leaves:
            if isinstance(leaf, Word) and not self._is_read_for(leaf):
                likely &= self.holders(leaf) | self._rows_with(leaf) | self.shelf.unread
        return likely

    def _refused(self, leaf: Leaf, among: int) -> int:
        """Those of `among` that hold what must not be."""
        refused = among & self.shelf.holding(rows_of(self.shelf.rows).holding(leaf, named=False))
        if self._is_read_for(leaf):
            return refused | self._read_for(leaf, among & ~refused)
        if isinstance(leaf, Word):
            return refused | self.holders(leaf)
        return refused | self.shelf.set_of(self._verified_holders(leaf))

    def _read_for(self, leaf: Leaf, among: int) -> int:
        """Those of `among` in whose files a leaf stands. The rows of the list and the search behind them ask the same."""
        read, key = self.shelf.read, (leaf, self.main, self.below, among)
        if key not in read:
            options = self.options._replace(per_session=1, context=0, report=None)
            hits = scan(self.library, self.owners(among), Alone((leaf,)), (self.main, self.below), options, self.cancelled)
            found = self.shelf.set_of({self.shelf.place_of[hit.identity] for hit in hits})
            if self.cancelled():
                return found
            if len(read) >= _KEPT:
                read.clear()
            read[key] = found
        return read[key]

    def _is_read_for(self, leaf: Leaf) -> bool:
        """Whether files have to be read to know who holds a leaf: for expressions, for what tools were given and said."""
        return self.text is None or not expression(leaf) or "tool" in self.main | self.below

    def _verified_holders(self, leaf: Leaf) -> Iterator[int]:
        for number in numbers_of(self.rows(leaf)):
            entry = self.shelf.entries.get(number)
            if entry is not None and next(self._read(entry, self._counted(entry, [leaf]), [leaf]), None):
                yield self.shelf.owner_of[number]

    def _narrowed(self, among: int, leaves: Sequence[Leaf]) -> int:
        """Sessions worth reading as a whole, by what the index knows of those of `leaves` that are words."""
        known = [leaf for leaf in leaves if expression(leaf)]
        if self.text is None or self.query.needs_deep or not known:
            return among
        left = among
        for leaf in known:
            left &= self.holders(leaf) | self.shelf.unread
        return left

    # ── which passages ──

    def _in_order(self, matched: int) -> Iterator[Hit]:
        """Hits session by session; what a session took over from an older one is left to that one."""
        held, also = self._shared(matched)
        for at in self._wanted_first(matched):
            if self.cancelled():
                return
            for given, (found, key) in enumerate(held[at] if at in held else self._of_session(self.shelf.owners[at]), 1):
                yield found._replace(also=tuple(dict.fromkeys(also[key]))) if key in also else found
                if given == self.options.per_session:
                    break

    def _wanted_first(self, matched: int) -> Iterator[int]:
        """The sessions of a set: those that are wanted first, then the newest."""
        places = (self.shelf.place_of.get(identity, -1) for identity in self.options.first)
        first = [place for place in places if place >= 0 and matched >> place & 1]
        yield from first
        yield from self._members(matched & ~self.shelf.set_of(first))

    def _shared(self, matched: int) -> tuple[dict[int, list[tuple[Hit, Key]]], dict[Key, list[str]]]:
        """The hits of sessions that begin with the same history, each in the oldest of them; and who else has it."""
        held: dict[int, list[tuple[Hit, Key]]] = {}
        also: dict[Key, list[str]] = {}
        first: dict[Key, Identity] = {}
        for family in self.shelf.families:
            hit_by = [at for at in family if matched >> at & 1]
            if self.cancelled():
                break
            for at in hit_by if len(hit_by) > 1 else ():
                kept = held.setdefault(at, [])
                for found, key in self._of_session(self.shelf.owners[at]):
                    if key is None or first.setdefault(key, found.identity) == found.identity:
                        kept.append((found, key))
                    else:
                        also.setdefault(key, []).append(found.session)
        return held, also

    def _of_session(self, owner: Owner) -> Iterator[tuple[Hit, Key]]:
        """The verified hits of one session, those that hold most of the words; with what tells the same passage elsewhere."""
        rows = {entry: self._counted(entry, self.leaves) for entry in owner.entries}
        most = max((count for found in rows.values() for count in found.values()), default=0)
        given = False
        while most and not given:
            for entry in sorted(rows, key=lambda entry: (owner.is_below(entry), entry.id)):
                best = {row: count for row, count in rows[entry].items() if count == most}
                for passage in self._read(entry, best, self.leaves):
                    given = True
                    key = None if passage.time is None else (passage.kind, passage.time, hash(passage.text))
                    yield hit(owner, entry.handle, passage, self.leaves, self.options), key
            most -= 1

    def _counted(self, entry: Entry, leaves: Sequence[Leaf]) -> dict[int, int]:
        """Row ids of a text at which leaves match, and how many of them do."""
        counted: dict[int, int] = {}
        low, high = entry.number << SESSION_BITS, (entry.number + 1) << SESSION_BITS
        for leaf in leaves:
            rows = self.rows(leaf)
            for row in rows[bisect_left(rows, low) : bisect_left(rows, high)]:
                counted[row] = counted.get(row, 0) + 1
        return counted

    def _read(self, entry: Entry, rows: Mapping[int, int], leaves: Sequence[Leaf]) -> Iterator[Passage]:
        """The passages at row ids, read from the file; those that do not hold what the index says are left out."""
        if not rows:
            return
        wanted = {place(row)[1:]: count for row, count in sorted(rows.items())}
        source, handle = self.library.source(entry.source), entry.handle
        try:
            if not grows(handle):
                yield from _verified(source.passages(handle, min(wanted)[0]), wanted, leaves)
                return
            for start in sorted({start for start, _ in wanted}):
                here = {key: count for key, count in wanted.items() if key[0] == start}
                yield from _verified(source.passages(handle, start), here, leaves)
                if self.cancelled():
                    return
        except TROUBLE:
            return


Key = tuple[str, float, int] | None


_KEPT = 8  # words whose answers are kept, and expressions


def numbers_of(rows: Sequence[int]) -> list[int]:
    """The numbers of the sessions that ascending row ids are of; many rows of one are leapt over."""
    found: list[int] = []
    at = 0
    while at < len(rows):
        number = rows[at] >> SESSION_BITS
        found.append(number)
        at = bisect_left(rows, (number + 1) << SESSION_BITS, at + 1)
    return found


def expression(leaf: Leaf) -> str:
    """What to ask the index for a leaf; "" when it cannot answer."""
    return match_expression(leaf.text) if isinstance(leaf, Word | Exact) else ""


def _verified(passages: Iterator[Passage], wanted: Mapping[tuple[int, int], int], leaves: Sequence[Leaf]) -> Iterator[Passage]:
    """Those passages at wanted places that hold as many leaves as the index says."""
    left = dict(wanted)
    last = max(left)[0]
    for passage in passages:
        key = (passage.start, KINDS.index(passage.kind) if passage.kind in KINDS else -1)
        if key in left and sum(holds(leaf, passage.text) for leaf in leaves) >= left[key]:
            del left[key]
            yield passage
        if not left or passage.start > last:
            return
