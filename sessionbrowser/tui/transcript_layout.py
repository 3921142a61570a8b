"""Where every block of a transcript stands: heights guessed at first and exact near the screen, so that opening a
session of any length costs one addition a block."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate

from sessionbrowser.model import Block, Body
from sessionbrowser.render import blocks as drawing
from sessionbrowser.render.blocks import FOLDED, OPEN, WHOLE, Fold
from sessionbrowser.render.going import is_under_way
from sessionbrowser.render.items import Items, height_above, rows_above
from sessionbrowser.render.rows import EMPTY, Look, Row, Rows

Key = tuple[int, str, str, str]
ROWS_KEPT = 400  # blocks whose rows are kept
CHARACTERS_KEPT = 6_000_000  # of the bodies behind them


def key_of(block: Block) -> Key:
    """What stays the same of a block from one reading to the next."""
    return (block.place.start, block.place.part, block.place.path, block.kind)


class Layout:
    """Items with their heights. Line numbers count from the top of the transcript."""

    def __init__(self, body: Callable[[Block], Body | None]) -> None:
        self.items = Items()
        self.look = Look(80)
        self.status = ""  # running, waiting: calls without a result may be under way
        self.tops: list[int] = [0]
        self._body = body
        self._heights: list[int] = []
        self._exact = bytearray()
        self._folds: dict[Key, Fold] = {}
        self._open_kinds: set[str] = set()  # kinds that are open unless said otherwise
        self._rows: dict[int, tuple[Rows, int]] = {}
        self._kept = 0

    # ── data ──

    def load(self, blocks: Sequence[Block]) -> None:
        """Show `blocks` and nothing else."""
        self.items.rebuild(blocks)
        self.reset()

    def extend(self, blocks: Sequence[Block]) -> int:
        """Show the blocks that came behind those shown; how many items that made."""
        came = self.items.extend(blocks)
        fresh = [self._guess(at) for at in range(len(self.items) - came, len(self.items))]
        self._heights.extend(fresh)
        self._exact.extend(bytes(len(fresh)))
        self.tops.extend(accumulate(fresh, initial=self.tops.pop()))
        return came

    def reset(self) -> None:
        """Guess every height again: another width, other folds."""
        self._rows.clear()
        self._kept = 0
        self._heights = [self._guess(at) for at in range(len(self.items))]
        self._exact = bytearray(len(self.items))
        self._sum()

    def reset_rows(self) -> None:
        """Draw everything again; heights stay as they are known."""
        self._rows.clear()
        self._kept = 0

    def forget(self, at: int) -> None:
        """Item `at` changed: its height is made exact when it is next looked at."""
        self._drop(at)
        self._exact[at] = 0

    def _sum(self) -> None:
        self.tops = list(accumulate(self._heights, initial=0))

    # ── places ──

    def __len__(self) -> int:
        return len(self.items)

    @property
    def height(self) -> int:
        return self.tops[-1]

    def at_line(self, line: int) -> int:
        """The item at a line; the first or the last for lines outside."""
        return max(0, min(bisect_right(self.tops, line) - 1, len(self.items) - 1))

    def head(self, at: int) -> int:
        """The line of an item's first own row, below what stands above it."""
        return self.tops[at] + height_above(self.items.above[at])

    def settle(self, indices: Iterable[int], pin: int | None = None) -> int:
        """Make heights exact; by how many lines item `pin` moved down for it."""
        moved, changed = 0, False
        for at in indices:
            if not 0 <= at < len(self._heights) or self._exact[at]:
                continue
            rows, certain = self._draw(at)
            height = height_above(self.items.above[at]) + len(rows)
            if not certain:  # its body is on its way: keep the guess, so that nothing moves twice
                height = max(self._heights[at], height)
            self._exact[at] = certain
            if height != self._heights[at]:
                if pin is not None and at < pin:
                    moved += height - self._heights[at]
                self._heights[at] = height
                changed = True
        if changed:
            self._sum()
        return moved

    def is_exact(self, first: int, last: int) -> bool:
        return all(self._exact[first : last + 1])

    # ── folds ──

    @property
    def folds(self) -> dict[Key, Fold]:
        """Items that were opened or folded by hand."""
        return dict(self._folds)

    def put_folds(self, folds: Mapping[Key, Fold]) -> None:
        """Open and fold by hand what was so before; heights follow with the next `load`."""
        self._folds = dict(folds)

    def fold(self, at: int) -> Fold:
        """How far item `at` is open."""
        block = self.items.block(at)
        if self.items.is_marker(at):
            return OPEN if block.branch in self.items.opened else FOLDED
        return self._folds.get(key_of(block), self._default(block))

    def _default(self, block: Block) -> Fold:
        block = drawing.drawn(block)
        if block.kind in ("prompt", "text"):
            return OPEN
        return OPEN if block.kind in self._open_kinds else FOLDED

    def is_foldable(self, at: int) -> bool:
        block = self.items.block(at)
        return self.items.is_marker(at) or drawing.is_foldable(block) or self.is_cut(at) or self.fold(at).all

    def set_fold(self, at: int, fold: Fold) -> None:
        """Open or fold one item."""
        self._folds[key_of(self.items.block(at))] = fold
        self.forget(at)

    def next_fold(self, at: int) -> Fold:
        """What the next press of enter makes of an item: folded, open, nothing left out."""
        fold = self.fold(at)
        if not fold.open:
            return OPEN
        if self.is_cut(at):
            return WHOLE
        return OPEN if drawing.drawn(self.items.block(at)).kind in ("prompt", "text") else FOLDED

    def is_cut(self, at: int) -> bool:
        fold = self.fold(at)
        return fold.open and not fold.all and drawing.is_cut(self._draw(at)[0], self.items.block(at))

    def toggle_kind(self, kind: str) -> bool:
        """Open all blocks of a kind, or fold them all; whether they are open now."""
        self._folds = {key: fold for key, fold in self._folds.items() if key[3] != kind}
        self._open_kinds ^= {kind}
        self.reset()
        return kind in self._open_kinds

    def fold_all(self) -> None:
        """Every fold as it was when the session was opened."""
        self._folds.clear()
        self._open_kinds.clear()
        self.reset()

    # ── rows ──

    def row(self, at: int, offset: int) -> Row:
        """Row `offset` of item `at`, counted from its top."""
        above = self.above(at)
        if offset < len(above):
            return above[offset]
        rows, _ = self._draw(at)
        offset -= len(above)
        return rows[offset] if offset < len(rows) else EMPTY

    def rows(self, at: int) -> Rows:
        """An item's own rows."""
        return self._draw(at)[0]

    def above(self, at: int) -> list[Row]:
        """The rows that stand above an item."""
        flags = self.items.above[at]
        return rows_above(self.items.block(at), flags, self.look) if flags else []

    def is_running(self, at: int) -> bool:
        """Whether item `at` is a call under way."""
        value = self.items.order[at]
        blocks = self.items.blocks
        return value >= 0 and bool(self.status) and is_under_way(blocks[value], blocks[-1].turn, self.status)

    def _draw(self, at: int) -> tuple[Rows, bool]:
        """An item's rows, and whether they are final: its body was there."""
        known = self._rows.get(at)
        if known is not None:
            return known[0], True
        block, fold = self.items.block(at), self.fold(at)
        wanted = not self.items.is_marker(at) and drawing.needs_body(block, fold)
        body = self._body(block) if wanted else None
        rows = drawing.draw(block, body, self.look, fold, running=self.is_running(at))
        if wanted and body is None:
            return rows, False
        weight = len(body.text) + 200 if body is not None else 200
        self._keep(at, rows, weight)
        return rows, True

    def _keep(self, at: int, rows: Rows, weight: int) -> None:
        self._rows[at] = (rows, weight)
        self._kept += weight
        while len(self._rows) > ROWS_KEPT or (self._kept > CHARACTERS_KEPT and len(self._rows) > 60):
            self._drop(next(iter(self._rows)))

    def _drop(self, at: int) -> None:
        known = self._rows.pop(at, None)
        if known is not None:
            self._kept -= known[1]

    def _guess(self, at: int) -> int:
        above = height_above(self.items.above[at])
        value = self.items.order[at]
        if value < 0:
            return above + 1
        block = self.items.blocks[value]
        fold = self._folds.get(key_of(block)) if self._folds else None
        return above + drawing.estimate(block, self.look, fold or self._default(block))
