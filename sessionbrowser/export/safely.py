"""A session fit to be handed to another program: no thinking, no raw tool input or output, secrets masked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sessionbrowser.export.views import Read
from sessionbrowser.model import Agent, Block, Body, Picture, Session
from sessionbrowser.safe import mask

# Notes whose text is what a program printed or injected; only that they are there is told.
_RAW_NOTES = {"output": "output of a command", "injected": "injected text", "result": "result of a tool", "hook": "a hook's output"}


def safe_session(session: Session) -> Session:
    """The row with secrets masked in everything that somebody wrote."""
    return session._replace(
        title=mask(session.title, cut=True), project=mask(session.project),
        branch=mask(session.branch) if session.branch else session.branch,
        first_prompt=mask(session.first_prompt, cut=True), last_prompt=mask(session.last_prompt, cut=True),
        tail_why=mask(session.tail_why, cut=True), status_why=mask(session.status_why, cut=True),
        unreadable=mask(session.unreadable, cut=True),
    )  # fmt: skip


def safe_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks without thinking, secrets masked in their titles."""
    for block in blocks:
        if block.kind != "thinking":
            yield safe_block(block)


def safe_block(block: Block) -> Block:
    """One block with nothing raw in its line."""
    if block.kind == "note" and block.what in _RAW_NOTES:
        return block._replace(title=_RAW_NOTES[block.what])
    return block._replace(title=mask(block.title, cut=True), outcome=mask(block.outcome, cut=True))


def safe_reader(read: Read, *, tools: bool = False) -> Read:
    """What reads bodies without raw tool input and output, everything else masked.

    With `tools`, calls are read as they are: for what is counted and never shown.
    """

    def safely(block: Block) -> Body:
        if block.kind == "tool" and tools:
            return read(block)
        if block.kind == "tool" or (block.kind == "note" and block.what in _RAW_NOTES):
            return Body()
        if block.kind == "thinking":
            return Body()
        body = read(block)
        if block.kind == "image":
            pictures = tuple(part._replace(data=None, name=mask(part.name)) for part in body.parts if isinstance(part, Picture))
            return Body(mask(body.text), pictures)
        return _masked(body)

    return safely


def _masked(body: Body) -> Body:
    """A text as prose: its parts say the same, and colours would not fit what was masked."""
    from sessionbrowser.model import Prose

    text = mask(body.text)
    return Body(text, (Prose(text),))


def safe_agent(agent: Agent) -> Agent:
    """A tree of subagents, secrets masked in what they were told to do."""
    return agent._replace(
        type=mask(agent.type), description=mask(agent.description, cut=True),
        children=tuple(safe_agent(child) for child in agent.children),
    )  # fmt: skip
