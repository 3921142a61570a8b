"""What is kept of a session for one question: its prompts, its errors, the files it touched. No colours, no widths.

A view chooses blocks; how they are written (rows, Markdown, JSON) is somebody else's. Bodies are read through a
function, one at a time, so that a long session costs no more than its longest block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sessionbrowser.export.nested import owner
from sessionbrowser.model import Block, Body, Picture
from sessionbrowser.text import iso, one_line

Read = Callable[[Block], Body]

VIEWS: Mapping[str, str] = {
    "full": "everything",
    "conversation": "prompts and answers",
    "prompts": "what the person entered",
    "skeleton": "prompts, answers, and one line a tool call with its outcome",
    "errors": "calls that failed, and errors, with the beginning of why",
    "tools": "tool calls with their input and output",
    "files": "paths read, edited and created, with counts",
    "final": "the last answer",
    "brief": "six lines: what, where, how it stands, what was done",
    "advisor": "answers of an advisor",
    "special": "advisors, plans, questions, skills, reviews, recaps, compactions",
    "environment": "agent, versions, models, modes, effort, hooks, skills, plugins",
    "before-compaction": "the last exchanges before the newest compaction; --last says how many",
}

BONES = ("compaction", "interrupt", "error")  # notes without which a skeleton would not be understood
WHY_LINES = 12  # of a failed call's output in the view of errors


class Turn(NamedTuple):
    """A prompt and what answers it; `prompt` is None for what stands before the first."""

    number: int
    prompt: Block | None
    blocks: tuple[Block, ...]


class BadRange(ValueError):
    """A range of turns that can't be read; the message is one line for eyes."""


def turns(blocks: Iterable[Block]) -> Iterator[Turn]:
    """The turns of a session in order, rewound ones included; with some of their blocks, when a view left some out."""
    number, prompt = 0, None
    inside: list[Block] = []
    for block in blocks:
        begins = block.kind == "prompt" and owner(block) is None  # a subagent's task stays in the turn of its call
        if begins or block.turn != number:
            if prompt is not None or inside:
                yield Turn(number, prompt, tuple(inside))
            number, prompt, inside = block.turn, None, []
        if begins:
            prompt = block
        else:
            inside.append(block)
    if prompt is not None or inside:
        yield Turn(number, prompt, tuple(inside))


_RANGE = re.compile(r"(-?\d+)?(\.\.)?(-?\d+)?")


def turn_range(text: str, last: int) -> tuple[int, int]:
    """First and last turn of "3..5", "3..", "..5", "7", or "-2.." counted from the end. Raises BadRange."""
    found = _RANGE.fullmatch(text.strip())
    if not found or not (found[1] or found[3]) or (found[3] and not found[2]):
        raise BadRange(f'turns are written A..B, A.., ..B or A, not "{one_line(text, 40)}"')
    first = _from_end(int(found[1]), last) if found[1] else 1
    if not found[2]:
        return first, first
    return first, _from_end(int(found[3]), last) if found[3] else last


def _from_end(number: int, last: int) -> int:
    return number if number >= 0 else max(1, last + 1 + number)


def within(blocks: Sequence[Block], wanted: str = "", newest: int = 0) -> list[Block]:
    """The blocks of the turns in range `wanted`, and of those the `newest`. Raises BadRange."""
    last = blocks[-1].turn if blocks else 0
    first, end = turn_range(wanted, last) if wanted else (0, last)
    if newest:
        first = max(first, end - newest + 1)
    if not wanted and not newest:
        return list(blocks)
    return [block for block in blocks if first <= block.turn <= end]


def keep(view: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks that a view is made of, in order."""
    if view == "final":
        last = {getattr(owner(block), "id", ""): block for block in blocks if block.kind == "text" and not block.branch}
        return [block for block in blocks if last.get(getattr(owner(block), "id", "")) is block]
    return [block for block in blocks if _KEPT.get(view, _all)(block)]


def _all(block: Block) -> bool:
    return True


def failed(block: Block) -> bool:
    """Whether a block says that something went wrong."""
    return block.ok is False or (block.kind == "note" and block.what == "error")


def is_advisor(block: Block) -> bool:
    """Whether a block is an advisor's: a model or service that was asked for its opinion of the work."""
    return any("advisor" in word.lower() for word in (block.name, block.what))


def is_special(block: Block) -> bool:
    """Whether a block is neither talk nor plain work."""
    if block.kind == "tool":
        return block.what in ("plan", "question", "skill") or is_advisor(block)
    return block.kind == "note" and (block.what in ("review", "recap", "memory", "link", "compaction", "plan") or is_advisor(block))


EXCHANGES = 5  # shown before a compaction unless said otherwise


def before_compaction(blocks: Sequence[Block], exchanges: int = 0) -> list[Block] | None:
    """The last `exchanges` turns before the newest compaction; None when the session was never compacted.

    Only where no compaction is on the way to the newest turn is one of a rewound branch meant, with what led to it there.
    """
    ends = [index for index, block in enumerate(blocks) if block.kind == "note" and block.what == "compaction"]
    if not ends:
        return None
    end = max(ends, key=lambda index: (not blocks[index].branch, index))
    before = [block for block in blocks[:end] if block.branch in (0, blocks[end].branch)]
    prompts = [index for index, block in enumerate(before) if block.kind == "prompt"]
    return before[prompts[-(exchanges or EXCHANGES)] :] if len(prompts) > (exchanges or EXCHANGES) else before


_KEPT: Mapping[str, Callable[[Block], bool]] = {
    "conversation": lambda block: block.kind in ("prompt", "text", "image"),
    "prompts": lambda block: block.kind == "prompt" and (block.what != "subagent" or owner(block) is not None),
    "skeleton": lambda block: block.kind in ("prompt", "text", "tool") or (block.kind == "note" and block.what in BONES),
    "errors": failed,
    "tools": lambda block: block.kind == "tool",
    "files": lambda block: block.kind == "tool" and block.what in ("read", "edit", "write"),
    "advisor": is_advisor,
    "special": is_special,
}


# ── JSON of the contract ──


def turn_json(turn: Turn, view: str, read: Read) -> dict[str, object]:
    """One turn as the contract says."""
    prompt = turn.prompt
    return {
        "turn": turn.number,
        "prompt": prompt_json(prompt, read(prompt)) if prompt else None,
        "blocks": [block_json(block, view, read) for block in turn.blocks],
    }


def prompt_json(block: Block, body: Body) -> dict[str, object]:
    return {
        "kind": block.what, "via": block.via or "row", "text": body.text or block.title, "time": iso(block.time),
        **({"from": block.name} if block.name else {}), **_marks(block),
    }  # fmt: skip


def block_json(block: Block, view: str, read: Read) -> dict[str, object]:
    """One block as the contract says; in a skeleton a call is its name, target and outcome."""
    made: dict[str, object] = {"kind": block.kind, "time": iso(block.time), "model": block.model or None}
    if block.kind == "tool":
        made |= _tool_json(block, view, read)
    elif block.kind == "note":
        made |= {"what": block.what, "text": (read(block).text if block.size else "") or block.title}
        if block.ok is not None:
            made["ok"] = block.ok
    elif block.kind == "image":
        made |= {"text": block.title, **_picture_json(read(block))}
    else:
        made["text"] = read(block).text if block.size else ""
        if block.what:
            made["what"] = block.what
    return made | _marks(block)


def _tool_json(block: Block, view: str, read: Read) -> dict[str, object]:
    made: dict[str, object] = {"name": block.name, "action": block.what, "target": block.title}
    if view != "skeleton":
        body = read(block)
        output = body.text
        if view == "errors":
            output = "\n".join(output.split("\n")[:WHY_LINES])
        made |= {"input": body.input, "output": output if block.ok is not None else None}
    made |= {"ok": block.ok, "exit_code": block.exit_code, "outcome": block.outcome or None, "ended": iso(block.ended)}
    if block.added or block.removed:
        made |= {"added": block.added, "removed": block.removed}
    if block.via:
        made["via"] = block.via
    return made | {"subagent": block.subagent or None}


def _picture_json(body: Body) -> dict[str, object]:
    picture = next((part for part in body.parts if isinstance(part, Picture)), None)
    if picture is None:
        return {}
    return {"format": picture.format, "width": picture.width or None, "height": picture.height or None, "size": picture.size}


def _marks(block: Block) -> dict[str, object]:
    marks: dict[str, object] = {}
    if block.branch:
        marks["branch"] = block.branch
    if block.copied:
        marks["copied"] = True
    if (agent := owner(block)) is not None:
        marks["agent"] = agent.id
    return marks
