"""From the blocks of a reading to the transcript that is shown: rewound branches marked, queued prompts put in their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessionbrowser.model import Block, Place
from sessionbrowser.sources.build import TITLE_LIMIT
from sessionbrowser.sources.claude import graph, notes
from sessionbrowser.text import one_line, plural

if TYPE_CHECKING:
    from sessionbrowser.sources.claude.reader import Reader


def compose(reader: Reader) -> tuple[tuple[Block, ...], int]:
    """All blocks in order, and how many prompts were found only in the queue."""
    blocks = list(reader.builder.blocks)
    inserted: list[tuple[int, Block]] = []
    if rewinds := reader.graph.rewinds():
        rows = [reader.graph.numbers.get(block.key, graph.NOBODY) for block in blocks]
        inserted += [_branch(rows, blocks, number, rewind) for number, rewind in enumerate(rewinds, start=1)]
    for keys in reader.retracted:
        _take_back(blocks, keys)
    lost = reader.queue.lost()
    for item in lost:
        prompt = Block("prompt", item.place, 0, one_line(item.text, TITLE_LIMIT), "queued", item.time,
                       size=len(item.text), lines=item.text.count("\n") + 1, via="queue")  # fmt: skip
        inserted.append((item.at, prompt))
    inserted += reader.pairing.alone()
    if inserted:
        blocks = _merged(blocks, inserted)
    if reader.boundary is not None:
        row = reader.boundary
        title = one_line(notes.compaction_title(row.record), TITLE_LIMIT)
        turn = blocks[-1].turn if blocks else 0
        blocks.append(Block("note", Place(row.start, row.length, "title"), turn, title, "boundary", row.time, key=row.key))
    return tuple(blocks), len(lost)


def _branch(rows: list[int], blocks: list[Block], number: int, rewind: graph.Rewind) -> tuple[int, Block]:
    """Mark the blocks of a rewound branch, `rows` being their rows; the note that tells of it and where it stands."""
    prompts = answers = 0
    at = len(blocks)
    for index, row in enumerate(rows):
        if row == rewind.instead and at == len(blocks):
            at = index
        if row in rewind.rows:
            blocks[index] = blocks[index]._replace(branch=number)
            prompts += blocks[index].kind == "prompt"
            answers += blocks[index].kind == "text"
    place = blocks[at].place if at < len(blocks) else blocks[-1].place if blocks else Place(0)
    title = f"Rewound: {plural(prompts, 'prompt')} and {plural(answers, 'answer')} left behind"
    return at, Block("note", place._replace(part="title"), 0, title, "branch", key=str(number))


def _take_back(blocks: list[Block], keys: frozenset[str]) -> None:
    """Mark what a model had said before another took over as a branch of its own."""
    number = 1 + max((block.branch for block in blocks), default=0)
    for index, block in enumerate(blocks):
        if block.key in keys and not block.branch:
            blocks[index] = block._replace(branch=number)


def _merged(blocks: list[Block], inserted: list[tuple[int, Block]]) -> list[Block]:
    """`blocks` with others put before their places; the turns behind a queued prompt count on."""
    made: list[Block] = []
    waiting = sorted(inserted, key=lambda pair: pair[0])
    shift = turn = 0
    for index, block in enumerate([*blocks, None]):
        while waiting and waiting[0][0] <= index:
            extra = waiting.pop(0)[1]
            if extra.kind == "prompt":
                shift += 1
                turn += 1
            made.append(extra._replace(turn=turn))
        if block is not None:
            turn = block.turn + shift
            made.append(block._replace(turn=turn) if shift else block)
    return made
