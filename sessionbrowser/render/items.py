"""What a transcript shows, in order: its blocks, with what stands above each, and rewound branches folded to one line.

Plain arrays rather than objects: a session may have hundreds of thousands of blocks.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from sessionbrowser.model import Block
from sessionbrowser.render import notes
from sessionbrowser.render.rows import EMPTY, Look, Row
from sessionbrowser.text import plural

GAP = 1  # an empty row
DAY = 2  # a rule with the date
WHO = 4  # who answers, and when
BACK = 8  # a rule: a rewound branch ends here
FORK = 16  # a rule: history shared with another session ends here

MARKER = -1  # order values below zero stand for the marker of the branch that begins at block -value - 1


class Items:
    """Indices of blocks in the order they are shown, and the flags of what stands above each."""

    def __init__(self) -> None:
        self.blocks: Sequence[Block] = ()
        self.order: list[int] = []
        self.above = bytearray()
        self.opened: set[int] = set()  # rewound branches that are shown, by number
        self._next = 0
        self._before: Block | None = None  # the block shown last
        self._model = ""
        self._day: tuple[int, int] = (0, 0)

    def __len__(self) -> int:
        return len(self.order)

    def rebuild(self, blocks: Sequence[Block]) -> None:
        """Begin again with `blocks`."""
        self.order, self.above = [], bytearray()
        self._next, self._before, self._model, self._day = 0, None, "", (0, 0)
        self.extend(blocks)

    def extend(self, blocks: Sequence[Block]) -> int:
        """Go on with `blocks`, of which those seen before are a part; how many items came."""
        came = len(self.order)
        self.blocks = blocks
        index, count = self._next, len(blocks)
        while index < count:
            branch = blocks[index].branch
            begins = branch and (self._before is None or self._before.branch != branch or index == 0)
            if begins:
                self._add(MARKER - index, GAP if self._before else 0)
            if branch and branch not in self.opened:
                if begins:  # the marker stands for all of it, however much comes later
                    self._before = blocks[index]
                index = self._run_end(index, branch)
                continue
            self._show(index)
            index += 1
        self._next = count
        return len(self.order) - came

    def _run_end(self, index: int, branch: int) -> int:
        while index < len(self.blocks) and self.blocks[index].branch == branch:
            index += 1
        return index

    def _show(self, index: int) -> None:
        block, before = self.blocks[index], self._before
        if block.what == "branch" and before is not None and before.branch:
            return  # the marker says as much
        above = 0
        if block.kind == "prompt":
            self._model = ""
            above = self._day_above(block) | (GAP if before else 0)
        elif block.kind in ("text", "thinking", "tool") and block.model and block.model != self._model:
            self._model = block.model
            above = WHO | (GAP if before else 0)
        elif before is not None and _apart(before, block):
            above = GAP
        if before is not None:
            if before.branch and not block.branch:
                above |= GAP | (BACK if before.branch in self.opened else 0)
            if before.copied and not block.copied:
                above |= GAP | FORK
        self._before = block
        self._add(index, above)

    def _day_above(self, block: Block) -> int:
        if block.time is None:
            return 0
        moment = time.localtime(block.time)
        day = (moment.tm_year, moment.tm_yday)
        known, self._day = self._day, day
        return DAY if known != day and known != (0, 0) else 0

    def _add(self, value: int, above: int) -> None:
        self.order.append(value)
        self.above.append(above)

    # ── asking ──

    def block(self, at: int) -> Block:
        """The block of item `at`; for a branch's marker, a note that stands for it."""
        value = self.order[at]
        return self.blocks[value] if value >= 0 else self._marker(MARKER - value)

    def is_marker(self, at: int) -> bool:
        return self.order[at] < 0

    def branch_at(self, at: int) -> int:
        """The branch whose marker item `at` is; 0 for a block."""
        value = self.order[at]
        return self.blocks[MARKER - value].branch if value < 0 else 0

    def item_of(self, index: int) -> int | None:
        """The item that shows block `index`, or the marker it is folded behind."""
        low, high = 0, len(self.order)
        while low < high:  # order rises by block; a marker stands just before its block
            middle = (low + high) // 2
            if self._place(middle) <= (index, 1):
                low = middle + 1
            else:
                high = middle
        return low - 1 if low else None

    def _place(self, at: int) -> tuple[int, int]:
        value = self.order[at]
        return (value, 1) if value >= 0 else (MARKER - value, 0)

    def _marker(self, index: int) -> Block:
        first = self.blocks[index]
        end = self._run_end(index, first.branch)
        prompts = [block for block in self.blocks[index:end] if block.kind == "prompt"]
        title = f"{'rewound' if prompts else 'taken back'}: {plural(end - index, 'block')}"
        if prompts:
            title += f"  {prompts[0].title}"
        return Block("note", first.place, first.turn, title, what="branch", branch=first.branch, time=first.time)


def _apart(before: Block, block: Block) -> bool:
    """Whether an empty row stands between two blocks."""
    if block.kind == "text" or before.kind in ("text", "prompt"):
        return True
    return "compaction" in (block.what, before.what) and "note" in (block.kind, before.kind)


def height_above(flags: int) -> int:
    """How many rows stand above an item."""
    return bool(flags & GAP) + 2 * (bool(flags & BACK) + bool(flags & FORK) + bool(flags & DAY)) + bool(flags & WHO)


def rows_above(block: Block, flags: int, look: Look) -> list[Row]:
    """The rows that stand above an item."""
    rows = [EMPTY] if flags & GAP else []
    if flags & BACK:
        rows += [notes.rule("end of what was rewound", look), EMPTY]
    if flags & FORK:
        rows += [notes.rule("forked here: what is above is shared", look), EMPTY]
    if flags & DAY:
        rows += [notes.day(block.time or 0.0, look), EMPTY]
    if flags & WHO:
        rows.append(Row(((" " * 4, ""), *notes.answerer(block))))
    return rows
