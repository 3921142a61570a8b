"""The transcript of one session: read, folded, searched, and left for its agents by keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from sessionbrowser.model import Body
from sessionbrowser.query.tree import Leaf
from sessionbrowser.render import parts
from sessionbrowser.render.rows import Look
from sessionbrowser.text import plural
from sessionbrowser.tui.transcript_find import Words
from sessionbrowser.tui.transcript_following import Following, Goal


class TranscriptView(Following):
    """One session as blocks. `show` gives it one; `refresh_outline` tells it that the file grew."""

    DEFAULT_CSS = """
    TranscriptView {
        overflow-x: hidden; overflow-y: scroll; scrollbar-gutter: stable; scrollbar-size-vertical: 1; padding: 0 0 0 1;
    }
    """
    HELP = "The transcript. Enter opens what is folded, and goes to an agent from the call that started it."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Fold", id="transcript.enter"),
        Binding("space", "fold", "Fold or open", show=False, id="transcript.fold"),
        Binding("down,j", "line(1)", "Down", show=False, id="transcript.down"),
        Binding("up,k", "line(-1)", "Up", show=False, id="transcript.up"),
        Binding("pagedown,ctrl+f,ctrl+d", "page(1)", "A page down", show=False, id="transcript.page_down"),
        Binding("pageup,ctrl+b,ctrl+u", "page(-1)", "A page up", show=False, id="transcript.page_up"),
        Binding("home,g", "top", "To the beginning", show=False, id="transcript.top"),
        Binding("end,G", "bottom", "To the end, and follow", show=False, id="transcript.bottom"),
        Binding("right", "unfold(True)", "Open", show=False, id="transcript.open"),
        Binding("left", "unfold(False)", "Fold", show=False, id="transcript.close"),
        Binding("right_square_bracket", "next('prompt')", "Next prompt", id="transcript.next_prompt"),
        Binding("left_square_bracket", "previous('prompt')", "Previous prompt", show=False, id="transcript.previous_prompt"),
        Binding("right_curly_bracket,full_stop", "next('tool')", "Next tool call", show=False, id="transcript.next_tool"),
        Binding("left_curly_bracket,comma", "previous('tool')", "Previous tool call", show=False, id="transcript.previous_tool"),
        Binding("e", "next('error')", "Next error", id="transcript.next_error"),
        Binding("E", "previous('error')", "Previous error", show=False, id="transcript.previous_error"),
        Binding("d", "next('edit')", "Next edit", show=False, id="transcript.next_edit"),
        Binding("D", "previous('edit')", "Previous edit", show=False, id="transcript.previous_edit"),
        Binding("right_parenthesis", "next('agent')", "Next agent call", show=False, id="transcript.next_agent"),
        Binding("left_parenthesis", "previous('agent')", "Previous agent call", show=False, id="transcript.previous_agent"),
        Binding("slash", "find", "Find", id="transcript.find"),
        Binding("n", "hit(1)", "Next hit", show=False, id="transcript.next_hit"),
        Binding("N", "hit(-1)", "Previous hit", show=False, id="transcript.previous_hit"),
        Binding("escape", "unfind", "Clear the marks", show=False, id="transcript.unfind"),
        Binding("colon", "turn", "Go to a turn", show=False, id="transcript.turn"),
        Binding("t", "fold_kind('tool')", "All tool calls", show=False, id="transcript.tools"),
        Binding("h", "fold_kind('thinking')", "All thinking", show=False, id="transcript.thinking"),
        Binding("m", "fold_kind('note')", "All notes", show=False, id="transcript.notes"),
        Binding("Z", "fold_all", "Fold everything", show=False, id="transcript.fold_all"),
        Binding("b", "branches", "Rewound branches", show=False, id="transcript.branches"),
        Binding("v", "wrap", "Wrap long lines, or cut them", show=False, id="transcript.wrap"),
        Binding("y", "copy_block", "Copy the block", show=False, id="transcript.copy"),
    ]

    class AgentOpened(Message):
        """The transcript of a subagent is asked for. Both ids are raw; `agent` may be "" while only the call is known."""

        def __init__(self, agent: str, call: str) -> None:
            self.agent = agent
            self.call = call
            super().__init__()

    class CopyAsked(Message):
        """A block's text is to go to the clipboard; `what` says in a few words what it is."""

        def __init__(self, text: str, what: str) -> None:
            self.text = text
            self.what = what
            super().__init__()

    # ── going somewhere ──

    def goto(self, start: int, kind: str = "", path: str = "") -> None:
        """Be at the block of a record (see Goal), opened; later, when it has not been read yet."""
        if self.outline is None or self.partial:
            self._goal = Goal(start, kind, path)
            return
        blocks = self.page.items.blocks
        index = self._block_at(start, kind, path)
        if index is None:
            index = next((at for at in range(len(blocks) - 1, -1, -1) if blocks[at].place.start <= start and blocks[at].place.path == path), None)
        if index is None:
            return
        if blocks[index].branch:
            self.page.items.opened |= {blocks[index].branch}
            self.page.load(blocks)
            self._strips.clear()
        at = self.page.items.item_of(index)
        if at is not None:
            if self.page.is_foldable(at) and not self.page.fold(at).open:
                self.page.set_fold(at, self.page.next_fold(at))
            self.land(index, at)

    def _block_at(self, start: int, kind: str, path: str) -> int | None:
        """The block made from the record at `start`: of several, and of calls whose output is there, one that holds the words."""
        blocks = self.page.items.blocks
        found = [at for at, block in enumerate(blocks)
                 if (not kind or block.kind == kind) and (not path or block.place.path == path)
                 and (block.place.start == start or (block.result is not None and block.result.start == start))]  # fmt: skip
        if len(found) > 1 and self.words.words and self.bodies is not None:
            for at in found:
                if self.words.count(f"{blocks[at].title}\n{self.bodies.read(blocks[at]).text}"):
                    return at
        return found[0] if found else None

    def mark(self, leaves: Sequence[Leaf]) -> None:
        """Mark what a query looks for, without going anywhere."""
        words = Words.asked(leaves)
        if words != self.words:
            self.look_for(words, go=False)

    # ── words for the frame ──

    def describe(self) -> tuple[str, str]:
        if self.outline is None or not len(self.page):
            return self.session_title, ""
        facts = [hit] if (hit := self.hit_of()) else []
        block = self.page.items.block(min(self.current, len(self.page) - 1))
        if self.partial:
            facts.append("newest turns, reading on")
        elif self.last_turn:
            facts.append(f"turn {max(1, block.turn):,} of {self.last_turn:,}")
        if self.outline.damage:
            facts.append(plural(len(self.outline.damage), "damaged line"))
        if self._stick:
            self._new_below = 0
            if self.page.status == "running":
                facts.append("following")
        elif self._new_below:
            facts.append(f"{self._new_below:,} new below")
        return self.session_title, f" {self.page.look.glyphs.dot} ".join(facts)

    # ── actions ──

    def action_enter(self) -> None:
        if not len(self.page):
            return
        self._catch_up()
        block = self.page.items.block(self.current)
        if block.kind == "tool" and block.what == "agent" and (block.subagent or block.call):
            self.post_message(self.AgentOpened(block.subagent, block.call))
        else:
            self.toggle(self.current)

    def action_copy_block(self) -> None:
        """The text of the current block for the clipboard."""
        if not len(self.page) or self.bodies is None or self.page.items.is_marker(self.current):
            return
        self._catch_up()
        block = self.page.items.block(self.current)
        text = copied_text(self.bodies.read(block)) or block.title
        what = {"text": "the answer", "prompt": "the prompt", "tool": f"{block.name}'s output"}.get(block.kind, f"the {block.kind}")
        self.post_message(self.CopyAsked(text, what))


def copied_text(body: Body) -> str:
    """What copying a block gives: its text; for a call without output, what was asked of it."""
    if body.text.strip():
        return body.text
    look = Look(100, limit=0)
    return "\n".join(row.text.strip() for part in body.parts for row in parts.draw(part, look))
