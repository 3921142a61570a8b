"""The graph of rows: which of them lie on the way to the newest leaf, and which were left behind by a rewind.

A transcript is shown in file order. What is dropped from the way is only what a person took back: a prompt whose place
another, later prompt has taken. Everything else that hangs off the way (parallel calls, progress, phantom parents,
earlier segments of a compacted session) stays where it was written.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple

NOBODY = -1
OTHER, USER, ANSWER, PROMPT, COMMAND = range(5)  # what a row is to the graph; the last two come from a person


class Rewind(NamedTuple):
    """A prompt that was taken back: its row, the row of the prompt written instead (NOBODY: none yet), all rows of the branch."""

    root: int
    instead: int
    rows: frozenset[int]


class Graph:
    """Rows by number in file order, with parents that may come later or never."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._parents = array("i")
        self._roles = bytearray()
        self._unmet: dict[int, str] = {}
        self._checkpoint: tuple[int, str] | None = None
        self._first = self._last = NOBODY
        self._segments: list[tuple[int, object]] = []  # rows that begin one, with what they go on from, met in no row before
        self._suspicious = False
        self._emptied = False  # the conversation was once rewound to its very beginning

    def __len__(self) -> int:
        return len(self._roles)

    def add(self, key: str, parent: object, role: int, aside: bool = False) -> bool:
        """A row; False when a row with this key was there before. `aside` rows (side chains) are never the leaf."""
        numbers = self.numbers
        if key in numbers:
            return False
        numbers[key] = number = len(numbers)
        above = NOBODY
        if isinstance(parent, str) and parent:
            if parent in numbers:
                above = numbers[parent]
            else:
                self._unmet[number] = parent
        self._parents.append(above)
        if aside:
            self._roles.append(OTHER)
            return True
        self._roles.append(role)
        if role >= PROMPT and above != self._last and self._last != NOBODY:
            self._suspicious = True
        if self._last == NOBODY:
            self._first = number
        self._last = number
        return True

    def add_root(self, key: str, before: object) -> bool:
        """A row that begins a new segment (a compaction): it goes on from `before`, else from the newest row."""
        known = isinstance(before, str) and before in self.numbers
        newest = self._last
        fresh = self.add(key, before if known else None, OTHER)
        if fresh and not known:
            self._segments.append((len(self._parents) - 1, before))
            self._parents[-1] = newest
        return fresh

    def checkpoint(self, leaf: str) -> None:
        """The program's note that the conversation goes on from `leaf` ("" for the very beginning)."""
        self._checkpoint = (len(self._roles), leaf)
        self._emptied |= not leaf
        if not leaf or self._last == NOBODY or self.numbers.get(leaf, NOBODY) != self._last:
            self._suspicious = True

    def fits(self, behind: Graph) -> bool:
        """Whether the rows that were read apart behind these can be taken in: none of them was written twice."""
        return self.numbers.keys().isdisjoint(behind.numbers)

    def join(self, behind: Graph) -> None:
        """Take in rows that were read apart behind these."""
        numbers, shift, last = self.numbers, len(self), self._last
        parents = array("i", (above + shift if above >= 0 else above for above in behind._parents))
        for number, key in behind._unmet.items():
            if key in numbers:
                parents[number] = numbers[key]
            else:
                self._unmet[number + shift] = key
        for number, before in behind._segments:
            if isinstance(before, str) and before in numbers:
                parents[number] = numbers[before]
            elif behind._parents[number] == NOBODY:
                parents[number] = last
        if (first := behind._first) != NOBODY:
            self._suspicious |= last != NOBODY and behind._roles[first] >= PROMPT and parents[first] != last
            self._first = self._first if last != NOBODY else first + shift
            self._last = behind._last + shift
        numbers.update(zip(behind.numbers, range(shift, shift + len(behind)), strict=True))
        self._parents.extend(parents)
        self._roles += behind._roles
        self._suspicious |= behind._suspicious
        self._emptied |= behind._emptied
        if behind._checkpoint is not None:
            self._checkpoint = behind._checkpoint[0] + shift, behind._checkpoint[1]

    def rewinds(self) -> list[Rewind]:
        """What was taken back, in file order."""
        if not self._suspicious:
            return []
        parents = self._resolved()
        leaf = self._leaf()
        on_way, next_prompt = self._way(leaf, parents)
        children: dict[int, list[int]] = {}
        for number, above in enumerate(parents):
            if above != number:
                children.setdefault(above, []).append(number)
        found: list[Rewind] = []
        gone: set[int] = set()
        for number, role in enumerate(self._roles):
            if role not in (PROMPT, COMMAND) or number in on_way or number in gone:
                continue
            fork = self._fork(number, parents, on_way)
            if fork is None:
                continue
            instead = self._instead(number, fork, next_prompt)
            if instead is None:
                continue
            rows = _below(number, children)
            if role == COMMAND and not any(self._roles[row] == ANSWER for row in rows):
                continue  # old builds hang local commands side by side on one row: nothing was taken back
            gone |= rows
            found.append(Rewind(number, instead, frozenset(rows)))
        return found

    def _resolved(self) -> list[int]:
        parents = list(self._parents)
        for number, key in self._unmet.items():
            parents[number] = self.numbers.get(key, NOBODY)
        return parents

    def _leaf(self) -> int:
        if self._checkpoint is not None:
            count, key = self._checkpoint
            if count == len(self._roles):
                return self.numbers.get(key, self._newest()) if key else NOBODY
        return self._newest()

    def _newest(self) -> int:
        for number in range(len(self._roles) - 1, -1, -1):
            if self._roles[number] != OTHER:
                return number
        return NOBODY

    def _way(self, leaf: int, parents: list[int]) -> tuple[set[int], dict[int, int]]:
        """The rows from `leaf` up to its root, and for each the nearest prompt below it on the way."""
        way: set[int] = set()
        below: dict[int, int] = {}
        prompt, at, answered = NOBODY, leaf, False
        while at != NOBODY and at not in way:
            way.add(at)
            below[at] = prompt
            role = self._roles[at]
            if role == PROMPT or (role == COMMAND and answered):
                prompt, answered = at, False
            answered = role == ANSWER or (answered and role != COMMAND)
            at = parents[at]
        below[NOBODY] = prompt
        return way, below

    def _fork(self, number: int, parents: list[int], on_way: set[int]) -> int | None:
        """The row of the way off which the prompt `number` hangs by nothing but bookkeeping; None when it does not."""
        seen = {number}
        at = parents[number]
        while at != NOBODY:
            if at in on_way:
                return at
            if at in seen or self._roles[at] != OTHER:
                return None
            seen.add(at)
            at = parents[at]
        if any(row in self._unmet for row in seen):
            return None  # a phantom parent: nobody knows what it hung off
        return NOBODY if self._emptied else None

    def _instead(self, number: int, fork: int, next_prompt: dict[int, int]) -> int | None:
        """The prompt that took the place of `number`; NOBODY when the person stopped at the rewind; None: it was none."""
        later = next_prompt.get(fork, NOBODY)
        if later != NOBODY:
            return later if later > number else None
        return NOBODY if self._checkpoint is not None else None


def _below(number: int, children: dict[int, list[int]]) -> set[int]:
    found: set[int] = set()
    todo = [number]
    while todo:
        at = todo.pop()
        if at not in found:
            found.add(at)
            todo.extend(children.get(at, ()))
    return found
