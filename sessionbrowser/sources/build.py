"""Putting a transcript together: turns are numbered, calls meet their results, responses are counted once.

Every source reads its own records and says what they are; the order of turns, the pairing of tool calls over parallel
calls, and the counts are the same for all of them and live here. The builder is the state that `outline` carries from
one reading to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sessionbrowser.model import Block, Counts, Damage, Facts, Place, Transcript, Usage
from sessionbrowser.sources.texts import Texts
from sessionbrowser.text import one_line

TITLE_LIMIT = 160
_FIELDS = {name: index for index, name in enumerate(Block._fields)}
_OK, _RESULT, _SIZE, _LINES = (_FIELDS[name] for name in ("ok", "result", "size", "lines"))


class Builder:
    """Blocks in the order they were written, and what is counted over all of them."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.turn = 0
        self.prompts = 0
        self.tool_calls = 0
        self.tool_results = 0
        self.tool_errors = 0
        self.compactions = 0
        self.interrupts = 0
        self.damage: list[Damage] = []
        self.texts: Texts | None = None  # what keeps prompts and answers, when somebody wants them
        self.facts: dict[str, object] = {}
        self._answers: set[str] = set()
        self._usage: dict[str, tuple[str, Usage]] = {}
        self._open: dict[str, int] = {}
        self._calls: dict[str, int] = {}

    # ── adding ──

    def prompt(self, kind: str, via: str, text: str, place: Place, *, time: float | None = None, key: str = "", name: str = "") -> None:
        """Something a person entered; it begins a turn. `kind` is one of PROMPT_KINDS; `subagent` is not counted. See Block.name."""
        self.turn += 1
        self.prompts += kind != "subagent"
        self.add("prompt", text, place, kind, via, time, key=key)
        if name:
            self.blocks[-1] = self.blocks[-1]._replace(name=name)

    def text(self, text: str, place: Place, *, time: float | None = None, model: str = "", key: str = "") -> None:
        """A piece of an answer."""
        self.add("text", text, place, time=time, model=model, key=key)

    def thinking(self, text: str, place: Place, *, time: float | None = None, model: str = "", key: str = "", what: str = "") -> None:
        """Thinking; `text` is "" and `what` says why ("redacted", "encrypted", "empty") when it cannot be read."""
        self.add("thinking", text, place, what=what, time=time, model=model, key=key)

    def note(self, what: str, text: str, place: Place, *, time: float | None = None, key: str = "", title: str = "") -> None:
        """Something neither said nor done by person or model: see Block.what for the kinds."""
        self.compactions += what == "compaction"
        self.interrupts += what == "interrupt"
        self.add("note", text, place, what=what, time=time, key=key, title=title)

    def image(self, title: str, place: Place, *, time: float | None = None, size: int = 0, key: str = "") -> None:
        """A picture somebody pasted or a tool gave; `size` in bytes of the picture."""
        self.blocks.append(Block("image", place, self.turn, title, time=time, size=size, key=key))

    def add(self, kind: str, text: str, place: Place, what: str = "", via: str = "", time: float | None = None,
            model: str = "", key: str = "", title: str = "") -> None:  # fmt: skip
        """A block that holds a text; nothing is counted."""
        lines = text.count("\n") + 1 if text else 0
        if self.texts is not None and kind in ("prompt", "text"):
            self.texts.keep(place, text)
        self.blocks.append(
            Block(kind, place, self.turn, one_line(title or text, TITLE_LIMIT), what, time, model, len(text), lines, key, 0, via)
        )

    def answer(self, key: str) -> bool:
        """A response of the model, told apart by `key`, however many records it is spread over; whether it is a new one."""
        if key in self._answers:
            return False
        self._answers.add(key)
        return True

    def use(self, key: str, model: str, usage: Usage) -> None:
        """The tokens of the response `key`; said again, the last word counts."""
        self._usage[key] = (model, usage)

    def call(self, block: Block) -> None:
        """A tool call in the turn at hand, open until its result comes."""
        self.tool_calls += 1
        if block.turn != self.turn:
            block = block._replace(turn=self.turn)
        index = len(self.blocks)
        self.blocks.append(block)
        if block.call:
            self._open[block.call] = index
            self._calls[block.call] = index

    def result(self, call: str, place: Place, *, ok: bool = True, text: str = "", size: int = 0, lines: int = 0,
               **changes: object) -> bool:  # fmt: skip
        """The result of a call: counted, and the call closed in place. False when no such call is open.

        `text` (or `size` and `lines` when it is not at hand) says how long the output is; `changes` are other fields
        of Block (exit_code, outcome, ended, added, removed, subagent, …).
        """
        self.tool_results += 1
        self.tool_errors += not ok
        index = self._open.pop(call, None)
        if index is None:
            return False
        if text:
            size, lines = len(text), text.rstrip("\n").count("\n") + 1
        values: list[object] = [*self.blocks[index]]  # _replace takes twice as long
        values[_OK], values[_RESULT], values[_SIZE], values[_LINES] = ok, place, size, lines
        for name, value in changes.items():
            if value is not None:
                values[_FIELDS[name]] = value
        self.blocks[index] = Block._make(values)
        return True

    def amend(self, call: str, **changes: object) -> None:
        """More that became known of a call, open or closed."""
        index = self._calls.get(call)
        if index is not None:
            self.blocks[index] = self.blocks[index]._replace(**changes)  # type: ignore[arg-type]

    def called(self, call: str) -> Block | None:
        """The block of a call, open or closed."""
        index = self._calls.get(call)
        return None if index is None else self.blocks[index]

    def knows(self, call: str) -> bool:
        """Whether a call was met, open or closed."""
        return call in self._calls

    def open_calls(self) -> list[Block]:
        """Calls without a result so far."""
        return [self.blocks[index] for index in self._open.values()]

    def forget_counts(self) -> None:
        """What was read so far lies in another file: it is shown, but counted there."""
        self.prompts = self.tool_calls = self.tool_results = self.tool_errors = self.compactions = self.interrupts = 0
        self._answers.clear()
        self._usage.clear()
        self._open.clear()
        self.damage.clear()

    def damaged(self, offset: int, reason: str) -> None:
        """A line that could not be read, or only in part."""
        self.damage.append(Damage(offset, reason))

    # ── read apart ──

    def fits(self, behind: Builder) -> bool:
        """Whether no response and no call of what was read apart behind this stands here, too."""
        return self._answers.isdisjoint(behind._answers) and self._calls.keys().isdisjoint(behind._calls)

    def join(self, behind: Builder, blocks: Iterable[Block]) -> None:
        """Take in what was read apart behind this, and its blocks, whose turns are counted on; its open calls stay open."""
        self.blocks += blocks
        self.turn += behind.turn
        self.prompts += behind.prompts
        self.tool_calls += behind.tool_calls
        self.tool_results += behind.tool_results
        self.tool_errors += behind.tool_errors
        self.compactions += behind.compactions
        self.interrupts += behind.interrupts
        self.damage += behind.damage
        self._answers |= behind._answers
        self._usage |= behind._usage
        if self.texts is not None and behind.texts is not None:
            self.texts.join(behind.texts)

    # ── the result ──

    def counts(self) -> Counts:
        return Counts(self.prompts, len(self._answers), self.tool_calls, self.tool_results, self.tool_errors,
                      self.compactions, self.interrupts)  # fmt: skip

    def tokens_by_model(self) -> Mapping[str, Usage]:
        said: dict[str, list[Usage]] = {}
        for model, usage in self._usage.values():
            said.setdefault(model, []).append(usage)
        return {model: Usage(*map(sum, zip(*usages, strict=True))) for model, usages in said.items()}

    def transcript(self, offset: int, *, state: object = None, facts: Facts | None = None, restarted: bool = False) -> Transcript:
        """What was read so far, as a value that later readings leave alone."""
        by_model = self.tokens_by_model()
        total = Usage()
        for usage in by_model.values():
            total = total.plus(usage)
        return Transcript(
            blocks=tuple(self.blocks), counts=self.counts(), tokens=total, tokens_by_model=by_model,
            damage=tuple(self.damage), offset=offset, facts=facts if facts is not None else dict(self.facts),
            state=state if state is not None else self, restarted=restarted,
        )  # fmt: skip
