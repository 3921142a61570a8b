"""Blocks of a subagent among those of its session: their places say whose they are."""

from __future__ import annotations

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
