"""Subagents of a session: which there are, and whose a block is among those of its session (its place says it)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sessionbrowser.model import Agent, Block, Handle, Place


class Elsewhere(Place):
    """A place in the transcript of a subagent."""

    handle: Handle
    agent: Agent


def elsewhere(place: Place, handle: Handle, agent: Agent) -> Elsewhere:
    """`place` as one in the transcript `handle` of `agent`."""
    made = Elsewhere(*place)
    made.handle, made.agent = handle, agent
    return made


def owner(block: Block) -> Agent | None:
    """The subagent that a block belongs to; None for the session's own."""
    return block.place.agent if isinstance(block.place, Elsewhere) else None


def subagents(tree: Agent) -> Iterator[Agent]:
    """All subagents below a node, each before its own; neither forks nor continuations. The one way in which they are counted."""
    for child in tree.children:
        if child.kind == "subagent":
            yield child
            yield from subagents(child)


def started_in(tree: Agent, blocks: Sequence[Block]) -> Iterator[Agent]:
    """Those that calls among `blocks` started, with all below them."""
    calls = {block.call for block in blocks if block.kind == "tool"} - {""}
    ids = {block.subagent for block in blocks if block.kind == "tool"} - {""}
    for child in tree.children:
        if child.kind == "subagent" and (child.call in calls or child.id in ids):
            yield child
            yield from subagents(child)
        else:
            yield from started_in(child, blocks)
