"""Moving and folding in a transcript, by keys and by mouse."""

from __future__ import annotations

from collections.abc import Callable

from textual import events

from sessionbrowser.model import Block
from sessionbrowser.render.blocks import FOLDED
from sessionbrowser.render.items import MARKER
from sessionbrowser.text import plural
from sessionbrowser.tui.keys import key_of
from sessionbrowser.tui.transcript_surface import Surface

NAMES = {"tool": "tool call", "agent": "agent call"}  # of kinds that are not called as their keys are
AIR = 2  # lines kept between the current block and the edge of the screen

KINDS: dict[str, Callable[[Block], bool]] = {
    "prompt": lambda block: block.kind == "prompt",
    "tool": lambda block: block.kind == "tool",
    "error": lambda block: block.ok is False or (block.kind == "note" and block.what == "error"),
    "edit": lambda block: block.kind == "tool" and block.what in ("edit", "write"),
    "agent": lambda block: block.kind == "tool" and block.what == "agent",
}


class Moving(Surface):
    """Every key does something one sees: it moves to the next block, or scrolls through one that is longer than the screen."""

    # ── by lines and pages ──

    def action_line(self, step: int) -> None:
        if not len(self.page):
            return
        self._catch_up()
        if step > 0:
            self._line_down()
        else:
            self._line_up()

    def _line_down(self) -> None:
        page, bottom = self.page, self.scroll_offset.y + self._height
        if page.tops[self.current + 1] > bottom or self.current == len(page) - 1:
            self.scroll_to(y=self.scroll_offset.y + 1, animate=False)
            return
        page.settle([self.current + 1])
        self._grow(soon=True)
        self.set_current(self.current + 1)
        end = page.tops[self.current + 1]
        wanted = min(end + AIR, page.head(self.current) + 1 + AIR if end - page.head(self.current) > self._height else end + AIR)
        if wanted > bottom:
            self.scroll_to(y=min(wanted - self._height, page.tops[self.current]), animate=False)

    def _line_up(self) -> None:
        page, top = self.page, self.scroll_offset.y
        if page.tops[self.current] < top:
            self.scroll_to(y=top - 1, animate=False)
            return
        if self.current == 0:
            self.scroll_to(y=0, animate=False)
            return
        pin = self.current
        moved = page.settle([self.current - 1], pin)
        if moved:
            self._grow(soon=True)
            self._jump(self.scroll_y + moved)
            top = self.scroll_offset.y
        self.set_current(self.current - 1)
        begin, end = page.tops[self.current], page.tops[self.current + 1]
        wanted = begin - AIR if end - begin < self._height - AIR else end - AIR
        if wanted < top:
            self.scroll_to(y=wanted, animate=False)

    def action_page(self, step: int) -> None:
        if not len(self.page):
            return
        move = max(1, self._height - 2)
        before = self.scroll_offset.y
        self.scroll_to(y=before + step * move, animate=False)
        if self.scroll_offset.y == before:
            self.set_current(len(self.page) - 1 if step > 0 else 0)
        else:
            self.set_current(self._first_on_screen())

    def action_top(self) -> None:
        self.scroll_to(y=0, animate=False)
        self.set_current(0)

    def action_bottom(self) -> None:
        self.to_end()
        self.set_current(len(self.page) - 1)

    @property
    def _height(self) -> int:
        return max(1, self.size.height - self.taken)

    def _catch_up(self) -> None:
        """After a wheel or a scrollbar moved the screen: the current block is one that is on it."""
        page, top = self.page, self.scroll_offset.y
        if page.tops[self.current + 1] <= top or page.tops[self.current] >= top + self._height:
            self.set_current(self._first_on_screen())

    def _first_on_screen(self) -> int:
        at = self.page.at_line(self.scroll_offset.y)
        if self.page.head(at) < self.scroll_offset.y and at + 1 < len(self.page):
            head = self.page.head(at + 1)
            if head < self.scroll_offset.y + self._height // 2:
                return at + 1
        return at

    # ── by meaning ──

    def show_item(self, at: int, *, top: bool = False, line: int = 0) -> None:
        """Bring item `at` (its row `line`) onto the screen and make it current; with `top` to the screen's upper part."""
        page = self.page
        if not len(page):
            return
        self._frame(0.03)
        self._stick = False
        page.settle(range(max(0, at - 3), at + 4))
        self._grow()
        self.set_current(at)
        begin = page.head(at) + line
        end = min(page.tops[at + 1], begin + self._height - 2 * AIR)
        above = self.scroll_offset.y
        if top or begin < above + AIR or end > above + self._height:
            room = AIR if top or end - begin > self._height // 2 else self._height // 3
            self.scroll_to(y=begin - room, animate=False)
        self.settle_view()
        self.refresh()

    def action_next(self, kind: str) -> None:
        self._seek(kind, 1)

    def action_previous(self, kind: str) -> None:
        self._seek(kind, -1)

    def _seek(self, kind: str, step: int) -> None:
        self._catch_up_for_seek()
        page = self.page
        ahead = range(self.current + 1, len(page)) if step > 0 else range(self.current - 1, -1, -1)
        at = next((at for at in ahead if self._is_kind(at, kind)), None)
        if at is None:
            self.say(self._nothing_ahead(kind, step))
        else:
            self.show_item(at, top=kind == "prompt")

    def _is_kind(self, at: int, kind: str) -> bool:
        items = self.page.items
        return not items.is_marker(at) and KINDS[kind](items.blocks[items.order[at]])

    def _nothing_ahead(self, kind: str, step: int) -> str:
        """What a key says that has nowhere to go: the key of the other way, and how many there are that way."""
        page, name = self.page, NAMES.get(kind, kind)
        behind = range(self.current) if step > 0 else range(self.current + 1, len(page))
        count = sum(self._is_kind(at, kind) for at in behind)
        if not count:
            here = len(page) and self._is_kind(self.current, kind)
            return f"this is the only {name}" if here else f"no {plural(2, name).removeprefix('2 ')} here"
        way, binding = ("up", "previous") if step > 0 else ("down", "next")
        key = key_of(self.screen, f"transcript.{binding}_{kind}", ascii=self.page.look.glyphs.rule == "-")
        return f"no {name} further {'down' if step > 0 else 'up'}" + (f": {key} goes {way} ({count:,})" if key else "")

    def _catch_up_for_seek(self) -> None:
        if len(self.page):
            self._catch_up()

    def say(self, words: str) -> None:
        """A few words for a moment, at the bottom of the screen."""

    def go_to_turn(self, turn: int) -> None:
        """Bring a turn's prompt to the top of the screen; the nearest one when there is no such turn."""
        items, best = self.page.items, -1
        for index, block in enumerate(items.blocks):
            if block.turn <= turn and (block.turn > (items.blocks[best].turn if best >= 0 else -1)):
                best = index
            if block.turn > turn:
                break
        at = items.item_of(max(0, best))
        if at is not None:
            self.show_item(at, top=True)

    # ── folding ──

    def action_fold(self) -> None:
        """Fold or open the current block."""
        if not len(self.page):
            return
        self._catch_up()
        self.toggle(self.current)

    def toggle(self, at: int) -> None:
        page = self.page
        if page.items.is_marker(at):
            self._toggle_branch(at)
            return
        if not page.is_foldable(at):
            return
        fold = page.next_fold(at)
        page.set_fold(at, fold)
        self._folded(at)

    def _toggle_branch(self, marker: int) -> None:
        page = self.page
        index = MARKER - page.items.order[marker]
        page.items.opened ^= {page.items.branch_at(marker)}
        page.load(page.items.blocks)
        at = page.items.item_of(index) or 0
        while at > 0 and not page.items.is_marker(at):
            at -= 1
        self._strips.clear()
        self.current = 0
        self.drop_selection()
        self.show_item(at)

    def _folded(self, at: int) -> None:
        """Item `at` was folded or opened: its heading stays on the screen."""
        page = self.page
        self.drop_selection()
        self._stick = False
        self._frame(0.03)
        with self.app.batch_update():
            page.settle([at])
            self._strips.clear()
            self._grow()
            if page.head(at) < self.scroll_offset.y:
                self.scroll_to(y=page.head(at) - AIR, animate=False)
            self.settle_view()
            self.refresh()
        self.label()

    def action_unfold(self, open: bool) -> None:
        """Open, or fold, the current block; where there is nothing to fold and lines are cut, look to the side."""
        page = self.page
        if not len(page):
            return
        self._catch_up()
        at = self.current
        if page.items.is_marker(at):
            if (page.items.branch_at(at) in page.items.opened) != open:
                self.toggle(at)
        elif not page.look.wrap and page.fold(at).open == open:
            self._relook(shift=max(0, page.look.shift + (16 if open else -16)))
        elif page.is_foldable(at) and (page.fold(at).open != open or (open and page.is_cut(at))):
            page.set_fold(at, page.next_fold(at) if open else FOLDED)
            self._folded(at)

    def action_fold_kind(self, kind: str) -> None:
        """Open all blocks of a kind, or fold them all again."""
        if not len(self.page):
            return
        self._catch_up()
        at, row = self.current, self.page.head(self.current) - self.scroll_offset.y
        opened = self.page.toggle_kind(kind)
        self._rearranged(at, row)
        name = {"tool": "tool calls", "thinking": "thinking", "note": "notes"}[kind]
        self.say(f"{name} {'open' if opened else 'folded'}")

    def action_fold_all(self) -> None:
        """Everything folded as it was at first."""
        if len(self.page):
            self._catch_up()
            at, row = self.current, self.page.head(self.current) - self.scroll_offset.y
            self.page.fold_all()
            self._rearranged(at, row)
            self.say("everything folded")

    def _rearranged(self, at: int, row: int) -> None:
        """All heights changed: item `at` goes back to the row of the screen where it was."""
        page = self.page
        self.drop_selection()
        self._stick = False
        self._frame(0.03)
        with self.app.batch_update():
            page.settle(range(max(0, at - self._height), at + 3), at)
            self._strips.clear()
            self._grow()
            self.scroll_to(y=page.head(at) - max(0, min(row, self._height - 2)), animate=False)
            self.settle_view()
            self.refresh()

    def action_wrap(self) -> None:
        """Wrap long lines of code and output, or cut them."""
        wrap = not self.page.look.wrap
        self._relook(wrap=wrap, shift=0)
        self.say("long lines wrapped" if wrap else "long lines cut; left and right move them")

    def action_branches(self) -> None:
        """Open the next rewound branch, or fold the one the cursor is in."""
        page = self.page
        if not len(page):
            return
        self._catch_up()
        if page.items.is_marker(self.current):
            self.toggle(self.current)
            return
        branch = page.items.block(self.current).branch
        order = [*range(self.current, -1, -1)] if branch else [*range(self.current, len(page)), *range(self.current)]
        at = next((at for at in order if page.items.is_marker(at)), None)
        if at is None:
            self.say("nothing was rewound here")
            return
        self.show_item(at)
        if branch:
            self.toggle(at)

    # ── mouse ──

    def on_click(self, event: events.Click) -> None:
        line = event.y + self.scroll_offset.y
        if not len(self.page) or line >= self.page.height or event.y >= self._height or self.text_selection is not None:
            return
        at = self.page.at_line(line)
        self.set_current(at)
        if line == self.page.head(at) and self.page.items.block(at).kind not in ("prompt", "text"):
            self.action_enter()
        elif self._is_more(at, line):
            self.toggle(at)

    def _is_more(self, at: int, line: int) -> bool:
        pieces = self.page.row(at, line - self.page.tops[at]).pieces
        return bool(pieces) and pieces[-1][1] == "more"

    def action_enter(self) -> None:
        """What enter does on the current block."""
        self.action_fold()

