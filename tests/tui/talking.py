"""Invented sessions in which something was said: searched by reading them, without an index."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fakelibrary import NOW, FakeLibrary, session
from textual.pilot import Pilot

from sessionbrowser.model import (
    Agent,
    Block,
    Body,
    Counts,
    Handle,
    Passage,
    Place,
    Prose,
    Root,
    Session,
    Transcript,
    Usage,
)
from sessionbrowser.paths import Environment
from sessionbrowser.sources.base import Source
from sessionbrowser.tui.browser import Browser

Said = tuple[str, str]  # kind of block, text


class Talk(Source):
    """What was said in each session, by id. A gate, when there is one, is waited for before each session is read."""

    def __init__(self, environment: Environment, said: Mapping[str, Sequence[Said]], gate: threading.Event | None) -> None:
        super().__init__(environment)
        self.said = said
        self.gate = gate
        self.read: list[str] = []

    def passages(self, handle: Handle, offset: int = 0, *, tools: bool = False) -> Iterator[Passage]:
        self.read.append(handle.id)
        if self.gate is not None:
            self.gate.wait(5)
        for start, (kind, text) in enumerate(self.said.get(handle.id, ())):
            if start >= offset and (kind != "tool" or tools):
                yield Passage(kind, start, text, NOW - 60 + start)

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        blocks, turn = [], 0
        for start, (kind, text) in enumerate(self.said.get(handle.id, ())):
            turn += kind == "prompt"
            blocks.append(Block(kind, Place(start), turn, text.split("\n")[0], "typed" if kind == "prompt" else "", size=len(text), lines=text.count("\n") + 1))
        return Transcript(tuple(blocks), counts=Counts(prompts=turn), tokens=Usage(output=turn * 1000))

    def body(self, handle: Handle, block: Block) -> Body:
        text = self.said[handle.id][block.place.start][1]
        return Body(text, (Prose(text),))


class TalkingLibrary(FakeLibrary):
    """Sessions by what was said in them; those called in `below` are subagents of another."""

    def __init__(self, said: Mapping[str, Sequence[Said]], *, below: Mapping[str, str] | None = None, counted: bool = True,
                 gate: threading.Event | None = None) -> None:  # fmt: skip
        below = below or {}
        rows = [self._row(number, name, below.get(name), counted) for number, name in enumerate(said)]
        super().__init__(rows)
        self.talk = Talk(self.environment, said, gate)

    @staticmethod
    def _row(number: int, name: str, parent: str | None, counted: bool) -> Session:
        made = session(number, id=name, source="claude", status="finished", path=f"/home/ada/.fake/{name}", title=f"Session {name}", branch=None, project="api")
        if parent:
            made = made._replace(hidden="subagent", parent=parent, facts={"agent_type": "Explore"})
        return made if counted else made._replace(counts=None, tokens=None)

    def source(self, name: str) -> Source:
        return self.talk

    def handle(self, session: Session) -> Handle:
        return Handle(session.source, Root(session.source, "/home/ada"), session.path, "", session.id, session.size, 0, 0, session.hidden)

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        return self.talk.outline(handle)

    def body(self, handle: Handle, block: Block) -> Body:
        return self.talk.body(handle, block)

    def exact(self, sessions: Iterable[Session]) -> Iterator[Session]:
        for row in sessions:
            outline = self.outline(self.handle(row))
            yield row._replace(counts=outline.counts, tokens=outline.tokens)

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        return Agent(handle.id, "session", started=NOW - 60, ended=NOW)


async def until(pilot: Pilot[object], done: object) -> None:
    """Wait until `done()` holds; the assertion behind it says what did not."""
    assert callable(done)
    for _ in range(400):
        await pilot.pause(0.005)
        if done():
            return


def browser(pilot: Pilot[object]) -> Browser:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, Browser)
    return screen
