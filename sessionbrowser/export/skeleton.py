"""The bones of a session: when, what was asked, what was answered, and one line for a run of calls of one tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sessionbrowser.export.nested import owner
from sessionbrowser.export.views import BONES, Read
from sessionbrowser.labels import label
from sessionbrowser.model import Block
from sessionbrowser.render.going import UnderWay, none_is
from sessionbrowser.text import change, duration, plural

BOUND = 600  # characters of a prompt or an answer
NAMED = 3  # targets named in a run of calls


class Bone(NamedTuple):
    """One line of a skeleton, or one text cut at the bound."""

    kind: str  # prompt, text, tool, note
    turn: int
    time: float | None
    text: str  # for a run of calls: the whole line
    blocks: tuple[Block, ...]
    bad: bool = False
    came: str = ""  # of calls: how they went, the end of `text`

    @property
    def agent(self) -> str:
        """The subagent it belongs to, raw id; "" for the session itself."""
        found = owner(self.blocks[0])
        return found.id if found else ""


def skeleton(blocks: Iterable[Block], read: Read, bound: int = BOUND, under_way: UnderWay = none_is) -> Iterator[Bone]:
    """The bones of `blocks` in order; `bound` cuts prompts and answers, 0 leaves them whole. What was rewound stands between two notes."""
    branch = 0
    for bone in _bones(blocks, read, bound, under_way):
        first = bone.blocks[0]
        if first.branch != branch:
            for note in ("End of what was rewound" if branch else "", "Rewound: what follows was taken back" if first.branch else ""):
                if note:
                    yield Bone("note", bone.turn, bone.time, note, (first,))
            branch = first.branch
        yield bone


def _bones(blocks: Iterable[Block], read: Read, bound: int, under_way: UnderWay) -> Iterator[Bone]:
    run: list[Block] = []
    for block in blocks:
        if block.kind == "tool" and (not run or _joins(run[-1], block)):
            run.append(block)
            continue
        if block.kind in ("thinking", "image") or (block.kind == "note" and block.what not in BONES):
            continue
        if run:
            yield _calls(run, under_way)
            run = []
        if block.kind == "tool":
            run.append(block)
        elif block.kind == "note":
            yield Bone("note", block.turn, block.time, block.title, (block,), block.what == "error")
        else:
            text = (read(block).text if block.size else "") or block.title
            yield Bone(block.kind, block.turn, block.time, shortened(text, bound), (block,))
    if run:
        yield _calls(run, under_way)


def _joins(last: Block, block: Block) -> bool:
    return last.name == block.name and last.turn == block.turn and last.branch == block.branch and owner(last) == owner(block)


def shortened(text: str, bound: int) -> str:
    """A text cut at `bound` characters, at a line's end or between words where one is near, saying how much is left."""
    text = text.strip()
    if not bound or len(text) <= bound:
        return text
    at = max(text.rfind("\n", bound * 3 // 4, bound), text.rfind(" ", bound * 3 // 4, bound))
    at = at if at > 0 else bound
    return f"{text[:at].rstrip()} … [{plural(len(text) - at, 'character')} more]"


def _calls(run: Sequence[Block], under_way: UnderWay) -> Bone:
    first = run[0]
    states = [block.ok for block in run]
    bad = False in states
    running = None in states and any(map(under_way, run))
    came = how_it_went(run, running=running)
    return Bone("tool", first.turn, first.time, called(run) + came, tuple(run), bad, came)


def how_it_went(run: Sequence[Block], *, running: bool = False) -> str:
    """How a run of calls went, or a single one: ` → 2 ok, 1 error`. `running`: what is open is at work."""
    if len(run) > 1:
        return f" → {tally(run, running=running)}"
    return " → running" if running else f" → {outcome(run[0])}"


def called(run: Sequence[Block]) -> str:
    """What was called: `Read a`, of a run of calls `3× Read (a, b, +1)`."""
    name = label(run[0])
    if len(run) == 1:
        return f"{name} {run[0].title}" if run[0].title else name
    targets = list(dict.fromkeys(block.title for block in run if block.title))
    shown = ", ".join(targets[:NAMED]) + (f", +{len(targets) - NAMED}" if len(targets) > NAMED else "")
    return f"{len(run)}× {name}" + (f" ({shown})" if shown else "")


def outcome(block: Block) -> str:
    """How one call went, in a few words."""
    if block.ok is None:
        return "no result"
    words = []
    if block.ok is False:
        words.append(f"exit {block.exit_code}" if block.exit_code else block.outcome or "error")
    elif block.added or block.removed:
        words.append(change(block.added, block.removed))
    else:
        words.append(block.outcome or "ok")
    if block.ended and block.time and block.ended - block.time >= 10:
        words.append(duration(block.ended - block.time))
    return ", ".join(words)


def tally(run: Sequence[Block], *, running: bool = False) -> str:
    """How many calls went well, failed or have no result (yet, when they are `running`)."""
    ok, wrong, open_ = (sum(block.ok is state for block in run) for state in (True, False, None))
    parts = [f"{ok} ok" if ok else "", plural(wrong, "error") if wrong else "", f"{open_} {'running' if running else 'without result'}" if open_ else ""]
    return ", ".join(part for part in parts if part)
