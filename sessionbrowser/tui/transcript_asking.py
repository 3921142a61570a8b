"""The last line of the transcript: words to find, a turn to go to, a message for a moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events, work
from textual.message import Message
from textual.strip import Strip
from textual.worker import get_current_worker

from sessionbrowser.model import Block
from sessionbrowser.render.blocks import OPEN, WHOLE
from sessionbrowser.render.rows import Piece, Row, width_of
from sessionbrowser.text import cut, for_eyes
from sessionbrowser.tui.transcript_find import MOST, Hits, Words
from sessionbrowser.tui.transcript_moves import Moving

MOMENT = 2.5  # seconds a message stays


class Asking(Moving):
    """Takes typed words on its last line, and goes from hit to hit."""

    class Counted(Message):
        """A search got on: how often each block holds the words."""

        def __init__(self, words: Words, found: dict[int, int], complete: bool) -> None:
            self.words, self.found, self.complete = words, found, complete
            super().__init__()

    class Passed(Message, namespace="transcript_view"):
        """The hits of the box's query in this transcript are at an end; `step` says at which."""

        def __init__(self, step: int) -> None:
            self.step = step
            super().__init__()

    SIGNS: ClassVar[dict[str, str]] = {"find": "/", "turn": "turn "}

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.hits = Hits()
        self._asking = ""  # "find", "turn", or "" when nothing is being typed
        self._typed = ""
        self._before: tuple[Words, Hits] = (Words(), Hits())
        self._at_hit = -1  # position in hits.blocks
        self._in_hit = 0  # which of that block's hits
        self._landed = -1  # the block of a hit that was gone to before all were counted
        self._said_now = ""
        self._wanted_hit = False  # go to the first hit when it comes

    # ── the line ──

    def ask(self, what: str, typed: str = "") -> None:
        """Take words on the last line: "find" or "turn"."""
        if what == "find":
            self._before = (self.words, self.hits)
        self._asking, self._typed, self._said_now = what, typed, ""  # what was said before is no answer to this
        self._refresh_bottom()

    @property
    def _has_bottom_line(self) -> bool:
        return bool(self._asking or self._said_now or (self.words.words and not self.words.of_box))

    def bottom_line(self) -> Strip | None:
        if not self._has_bottom_line:
            return None
        width, glyphs = self.scrollable_content_region.width, self.page.look.glyphs
        if self._asking:
            left: list[Piece] = [(f" {self.SIGNS[self._asking]}", "accent"), (self._typed, "text"), (glyphs.caret, "accent")]
            right = self._counted() if self._asking == "find" else f"of {self.last_turn}"
        elif self._said_now:
            left, right = [(" " + self._said_now, "dim")], ""
        else:
            left, right = [(" /" + " ".join(self.words.words), "faint")], self._counted()
        room = max(0, width - width_of(left) - len(right) - 1)
        shown = Row((*left, (" " * room, ""), (cut(right, width), "faint"), (" ", "")))
        return self.painter.strip(shown, under="surface")

    def _counted(self) -> str:
        """Which hit, of how many."""
        if not self._typed and self._asking:
            return ""
        total = self.hits.total
        if not total:
            return "nothing found" if self.hits.complete else "looking"
        many = f"{total:,}" + ("" if self.hits.complete else "+")
        if self._at_hit < 0:
            return many
        return f"{self.hits.before(self._at_hit) + self._in_hit + 1:,} of {many}"

    def _refresh_bottom(self) -> None:
        """Draw the last line again, which is a line of its own below the transcript while it says something."""
        taken = int(self._has_bottom_line)
        if taken != self.taken:
            self.take_lines(taken)
        self.refresh_line(self.scroll_offset.y + self.size.height - 1)

    def say(self, words: str) -> None:
        self._said_now = for_eyes(words)
        self._refresh_bottom()
        self.set_timer(MOMENT, lambda: self._unsay(words))

    def _unsay(self, words: str) -> None:
        if self._said_now == words:
            self._said_now = ""
            self._refresh_bottom()

    @property
    def last_turn(self) -> int:
        blocks = self.page.items.blocks
        return blocks[-1].turn if blocks else 0

    # ── keys while words are typed ──

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return bool(self._asking) and character is not None and character.isprintable()

    async def _on_key(self, event: events.Key) -> None:
        if self._asking:
            if self._typing(event):
                event.stop()
                event.prevent_default()
        elif event.character is not None and event.character in "123456789" and len(self.page):
            self.ask("turn", event.character)
            event.stop()
            event.prevent_default()

    def _typing(self, event: events.Key) -> bool:
        key, character = event.key, event.character
        if key == "enter" or (self._asking == "turn" and key in ("g", "G")):
            self._accept()
        elif key in ("escape", "ctrl+c", "ctrl+g"):
            self._cancel()
        elif key in ("backspace", "ctrl+h"):
            if not self._typed:
                self._cancel()
            else:
                self._type(self._typed[:-1])
        elif key == "ctrl+u":
            self._type("")
        elif key == "ctrl+w":
            self._type(self._typed.rstrip().rpartition(" ")[0])
        elif key in ("down", "ctrl+n") and self._asking == "find":
            self.action_hit(1)
        elif key in ("up", "ctrl+p") and self._asking == "find":
            self.action_hit(-1)
        elif character is not None and character.isprintable() and (self._asking == "find" or character.isdigit()):
            self._type(self._typed + character)
        else:
            return character is not None and (self._asking == "find" or character.isprintable())  # no command meanwhile
        return True

    def on_paste(self, event: events.Paste) -> None:
        if self._asking == "find":
            self._type(self._typed + for_eyes(event.text).split("\n")[0].replace("\t", " "))
            event.stop()

    def _type(self, typed: str) -> None:
        self._typed = typed
        if self._asking == "find":
            self.find(typed)
        self._refresh_bottom()

    def _accept(self) -> None:
        what, typed, self._asking = self._asking, self._typed, ""
        if what == "turn" and typed:
            self.go_to_turn(int(typed[:9]))
        elif what == "find" and not typed:
            self.find("")
        self._refresh_bottom()

    def _cancel(self) -> None:
        if self._asking == "find":
            self.find("")
        self._asking = ""
        self._refresh_bottom()

    # ── finding ──

    def action_find(self) -> None:
        self.ask("find")

    def action_turn(self) -> None:
        self.ask("turn")

    def action_unfind(self) -> None:
        """Forget the words; where there are none, the key is somebody else's."""
        from textual.actions import SkipAction

        if not self.words.words:
            raise SkipAction
        self.find("")

    def find(self, text: str, *, go: bool = True) -> None:
        """Mark `text` and count it; with `go`, be at the first hit from here on."""
        self.look_for(Words.of(text), go=go)

    def look_for(self, words: Words, *, go: bool = True) -> None:
        """Mark these words; see `find`."""
        if self._at_hit >= 0 and words == self.words:
            self._landed = self.hits.blocks[self._at_hit]
        elif go or not words.words:
            self._landed = -1
        self.words, self.hits = words, Hits(complete=not words.words)
        self._at_hit, self._in_hit, self._wanted_hit = -1, 0, go
        self.hit_row = (-1, -1)
        self._strips.clear()
        self._refresh_bottom()
        self.refresh()
        if words.words:
            self._search(words)

    def searcher(self) -> Callable[[Words, Callable[[], bool]], object] | None:
        """How to search the session that is shown; None when there is none."""
        return None

    @work(thread=True, exclusive=True, group="transcript-find", exit_on_error=True)
    def _search(self, words: Words) -> None:
        """Count in a thread; overtaken by the next words."""
        worker, seek = get_current_worker(), self.searcher()
        if seek is None:
            return

        def stopped() -> bool:
            return worker.is_cancelled or self.words != words

        last: dict[int, int] = {}
        for found in seek(words, stopped):  # type: ignore[attr-defined]
            last = found
            self.post_message(self.Counted(words, found, False))
        if not stopped():
            self.post_message(self.Counted(words, last, True))

    def on_asking_counted(self, message: Counted) -> None:
        if message.words != self.words:
            return
        known = self.hits.blocks[self._at_hit] if self._at_hit >= 0 else self._landed
        blocks = tuple(sorted(message.found))
        self.hits = Hits(blocks, tuple(message.found[index] for index in blocks), message.complete)
        self._at_hit = blocks.index(known) if known in message.found else -1
        if self._wanted_hit and blocks:
            self._wanted_hit = False
            self._go_from_here()
        self._refresh_bottom()
        if self.words.of_box:
            self.label()

    def _go_from_here(self) -> None:
        """The first hit in or behind the current block; from the start when there is none."""
        items = self.page.items
        here = items.order[self.current] if len(items) else 0
        here = here if here >= 0 else -1 - here
        position = next((at for at, index in enumerate(self.hits.blocks) if index >= here), 0)
        self._show_hit(position, 0)

    def action_hit(self, step: int) -> None:
        """The next hit, or the one before."""
        if not self.words.words:
            self.say("nothing was looked for yet: / finds")
            return
        if not self.hits.blocks:
            self._nothing_further(step, "nothing found")
            return
        if self._at_hit < 0:
            self._go_from_here()
            return
        inside = self._in_hit + step
        here = self.page.items.item_of(self.hits.blocks[self._at_hit])
        if here is not None and 0 <= inside < min(self.hits.counts[self._at_hit], len(self._marks(here, inside + 1))):
            self._show_hit(self._at_hit, inside)
            return
        position = self._at_hit + step
        if self.words.of_box and not 0 <= position < len(self.hits.blocks):
            self._nothing_further(step, "no more hits")
            return
        self._show_hit(position % len(self.hits.blocks), 0 if step > 0 else -1)

    def _nothing_further(self, step: int, words: str) -> None:
        """The hits here are at an end: those of the box go on in the next session."""
        if not self.hits.complete:
            self.say("still looking")
        elif self.words.of_box:
            self.post_message(self.Passed(step))
        else:
            self.say(words)

    def _marks(self, at: int, wanted: int) -> list[int]:
        """The rows of an item, one entry a hit, in which the words can be seen: the first `wanted`, and no more than MOST."""
        rows: list[int] = []
        for number, row in enumerate(self.page.rows(at)):
            rows.extend([number] * self.words.count(row.text))
            if len(rows) >= min(wanted, MOST):
                break
        return rows

    def _unfolded(self, index: int, at: int, wanted: int) -> list[int]:
        """The same for item `at`, block `index`, opened as far as it takes to see `wanted` hits."""
        if self.bodies is not None:
            self.bodies.read(self.page.items.blocks[index])
        marks = self._marks(at, wanted)
        for fold in (OPEN, WHOLE):
            if len(marks) < min(wanted, MOST) and self.page.fold(at) not in (fold, WHOLE):
                self.page.set_fold(at, fold)
                marks = self._marks(at, wanted)
        return marks

    def land(self, index: int, at: int) -> None:
        """Be at the first of the words in block `index`, which is item `at`; at its beginning when it holds none."""
        marks = self._unfolded(index, at, 1) if self.words.words else []
        self._landed = index
        self._at_hit = self.hits.blocks.index(index) if index in self.hits.blocks else -1
        self._in_hit = 0
        self.hit_row = (at, marks[0]) if marks else (-1, -1)
        self._strips.clear()
        line = marks[0] if marks else 0
        near = line < self.size.height // 2  # the block's own heading fits above it
        self.show_item(at, top=near, line=0 if near else line)
        self._refresh_bottom()
        self.label()

    def hit_of(self) -> str:
        """Which of the hits of the box's query the reader is at; "" for none."""
        total = self.hits.total
        if not self.words.of_box or not total:
            return ""
        many = f"{total:,}" + ("" if self.hits.complete else "+")
        if self._at_hit < 0:
            return f"{many} {'hit' if total == 1 else 'hits'}"
        return f"hit {self.hits.before(self._at_hit) + self._in_hit + 1:,} of {many}"

    def _show_hit(self, position: int, inside: int) -> None:
        index = self.hits.blocks[position]
        at = self.page.items.item_of(index)
        if at is None:
            return
        block: Block = self.page.items.blocks[index]
        if self.page.items.is_marker(at):
            self.page.items.opened |= {block.branch}
            self.page.load(self.page.items.blocks)
            at = self.page.items.item_of(index) or 0
        marks = self._unfolded(index, at, self.hits.counts[position])
        self._at_hit = position
        self._in_hit = max(0, len(marks) - 1) if inside < 0 else min(inside, max(0, len(marks) - 1))
        self.hit_row = (at, marks[self._in_hit]) if marks else (-1, -1)
        self._strips.clear()
        self.show_item(at, line=marks[self._in_hit] if marks else 0)
        self._refresh_bottom()
        if self.words.of_box:
            self.label()
