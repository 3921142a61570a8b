"""Subagents folded in: their blocks behind the calls that started them, as one sequence that every view can take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sessionbrowser.export.nested import Elsewhere, elsewhere
from sessionbrowser.export.views import Read
from sessionbrowser.library.places import why
from sessionbrowser.model import Agent, Block, Body, Handle, Place, Transcript
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.texts import Texts
from sessionbrowser.text import one_line

if TYPE_CHECKING:
    from sessionbrowser.library import Library


MADE = "made here"  # the part of notes that stand in no file: where a subagent begins and ends


def reader(library: Library, handle: Handle, texts: Texts | None = None) -> Read:
    """What reads the body of a block wherever it lies; what can't be read says so in its place.

    A body that is among `texts` is not read again: it is its text and nothing else.
    """

    def read(block: Block) -> Body:
        place = block.place
        if isinstance(place, Elsewhere) and place.part == MADE:
            return Body()
        home = place.handle if isinstance(place, Elsewhere) else handle
        if texts is not None and home is handle and (said := texts.get(place)) is not None:
            return Body(said)
        try:
            return library.body(home, block)
        except (OSError, SourceError) as error:
            return Body(f"could not be read: {why(error)}")

    return read


def folded(library: Library, handle: Handle, outline: Transcript) -> list[Block]:
    """The session's blocks with those of its subagents among them; a subagent no call names comes last."""
    tree = library.agents(handle, outline)
    return list(_with(library, outline.blocks, [child for child in tree.children if child.kind == "subagent"]))


def _with(library: Library, blocks: Sequence[Block], children: Iterable[Agent]) -> Iterator[Block]:
    waiting = {child.id: child for child in children if child.handle is not None}
    by_call = {child.call: child for child in waiting.values() if child.call}
    last = 0
    for block in blocks:
        yield block
        last = block.turn
        child = waiting.get(block.subagent) or by_call.get(block.call) if block.kind == "tool" else None
        if child is not None and waiting.pop(child.id, None) is not None:
            yield from _inside(library, child, block.turn)
    for child in waiting.values():
        yield from _inside(library, child, last)


def _inside(library: Library, child: Agent, turn: int) -> Iterator[Block]:
    """All blocks of a subagent and of those below it, in the turn of its parent."""
    handle = child.handle
    if handle is None:
        return
    place = elsewhere(Place(0, part=MADE), handle, child)
    try:
        blocks = library.outline(handle).blocks
    except (OSError, SourceError) as error:
        yield Block("note", place, turn, f"{name_of(child)}: could not be read: {one_line(str(error))}", "agent")
        return
    yield Block("note", place, turn, f"{name_of(child)} begins", "agent", child.started)
    deeper = [grandchild for grandchild in child.children if grandchild.kind == "subagent"]
    for block in _with(library, blocks, deeper):
        at = block.place if isinstance(block.place, Elsewhere) else elsewhere(block.place, handle, child)
        yield block._replace(place=at, turn=turn)
    yield Block("note", place, turn, f"{name_of(child)} ends", "agent", child.ended)


def name_of(agent: Agent) -> str:
    """What a subagent is called in a line: "Agent Explore: find the callers"."""
    said = one_line(agent.description, 80) or one_line(agent.id)
    return f"Agent {agent.type}: {said}" if agent.type else f"Agent {said}"
