"""Which form of prompts, answers and thinking is the best that a file holds, found without parsing it.

The marks of the forms are searched as bytes (inside a string they would be escaped); a record that holds one is parsed
to make sure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sessionbrowser.sources import jsonl
from sessionbrowser.sources.codex import files
from sessionbrowser.sources.codex.records import Item, parse
from sessionbrowser.sources.codex.state import ANSWER_RANKS, PROMPT_RANKS, THINKING_RANKS
from sessionbrowser.sources.codex.talk import reasoning_text

Ranks = dict[str, int]
Test = Callable[[Item], bool]

_COMPLETED = b'"item_completed"'  # stands in every record of the third form
_FIRST, _CHUNK = 256 << 10, 2 << 20
_MARKS: dict[str, tuple[tuple[bytes, int, Test], ...]] = {
    "prompt": (
        (b'"UserMessage"', 3, lambda item: item.kind == "done:UserMessage"),
        (b'"user_message"', 2, lambda item: item.kind == "event:user_message"),
    ),
    "answer": (
        (b'"AgentMessage"', 3, lambda item: item.kind == "done:AgentMessage"),
        (b'"agent_message"', 2, lambda item: item.kind == "event:agent_message"),
    ),
    "thinking": (
        (b'"summary_text"', 4, lambda item: item.kind == "item:reasoning" and bool(reasoning_text(item))),
        (b'"reasoning_text"', 4, lambda item: item.kind == "item:reasoning" and bool(reasoning_text(item))),
        (b'"Reasoning"', 3, lambda item: item.kind == "done:Reasoning" and bool(reasoning_text(item))),
        (b'"agent_reasoning', 2, lambda item: item.kind.startswith("event:agent_reasoning")),
    ),
}
LEAST: Ranks = {
    "prompt": PROMPT_RANKS["item:message"], "answer": ANSWER_RANKS["item:message"], "thinking": THINKING_RANKS["encrypted"],
}  # fmt: skip


def best_forms(path: str, paginated: bool) -> Ranks:
    """The ranks that an outline of the whole file ends with. Raises OSError or SourceError.

    Only paginated threads are searched for completed items beyond their first records.
    """
    ranks = dict(LEAST)
    best = {role: marks[0][1] for role, marks in _MARKS.items()}
    if not paginated:
        best |= {"prompt": 2, "answer": 2}
    for number, chunk in enumerate(_chunks(path)):
        raise_by(chunk, ranks, completed=paginated or number == 0)
        if all(ranks[role] >= rank for role, rank in best.items()):
            break
    return ranks


def raise_by(chunk: bytes, ranks: Ranks, *, completed: bool = True) -> None:
    """Raise `ranks` by what stands in a piece of whole lines; `completed` items are looked for when asked."""
    completed = completed and _COMPLETED in chunk
    for role, marks in _MARKS.items():
        for mark, rank, test in marks:
            if rank > ranks.get(role, 0) and (rank != 3 or completed) and _is_there(chunk, mark, test):
                ranks[role] = rank
                break


def _chunks(path: str) -> Iterator[bytes]:
    """The text of a file in pieces of whole lines."""
    if not path.endswith(".jsonl"):
        yield b"\n".join(line.data for line in files.lines(path))
        return
    with jsonl.open_file(path) as file:
        rest, size = b"", _FIRST
        while data := file.read(size):
            size = _CHUNK
            piece = rest + data
            cut = piece.rfind(b"\n") + 1
            yield piece[:cut]
            rest = piece[cut:]
        yield rest


def _is_there(chunk: bytes, mark: bytes, test: Test) -> bool:
    at = chunk.find(mark)
    while at >= 0:
        begin, end = chunk.rfind(b"\n", 0, at) + 1, chunk.find(b"\n", at)
        line = chunk[begin : end if end >= 0 else len(chunk)]
        if any(test(parse(record)) for record in jsonl.read(line).records):
            return True
        at = chunk.find(mark, begin + len(line))
    return False
