"""A session in memory, and an app that shows nothing but its transcript."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from sessionbrowser.model import Block, Body, Diff, Handle, Hunk, Place, Plain, Prose, Root, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.sources.base import Source, SourceError
from sessionbrowser.tui.transcript import TranscriptView

NOW = 1778770800.0
HANDLE = Handle("fake", Root("fake", "/home/ada"), "/home/ada/session", "", "fake-1", 100, 1, 1)


class Session:
    """Blocks put together by tests, with bodies by their place."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.bodies: dict[int, Body] = {}
        self.turn = 0
        self.time = NOW - 3600

    def add(self, kind: str, text: str = "", body: Body | None = None, **fields: object) -> Block:
        self.time += 1
        self.turn += kind == "prompt"
        start = len(self.blocks)
        values: dict[str, object] = {
            "title": text.split("\n")[0][:100], "size": len(text), "lines": text.count("\n") + 1, "time": self.time,
            "what": "typed" if kind == "prompt" else "",
        }  # fmt: skip
        block = Block(kind, Place(start, 10), self.turn, **{**values, **fields})  # type: ignore[arg-type]
        self.blocks.append(block)
        self.bodies[start] = body or Body(text, (Prose(text),))
        return block

    def tool(self, title: str, output: str = "done", *, what: str = "shell", name: str = "Bash", **fields: object) -> Block:
        body = fields.pop("body", None) or Body(output, (Plain(output),))
        values: dict[str, object] = {"ok": True, "call": f"call{len(self.blocks)}", "size": len(output), "lines": output.count("\n") + 1}
        return self.add("tool", title, body, what=what, name=name, **{**values, **fields})  # type: ignore[arg-type]

    def edit(self, path: str) -> Block:
        diff = Diff(path, (Hunk(3, 3, (" a", "-b", "+c")),))
        return self.tool(path, "", what="edit", name="Edit", added=1, removed=1, body=Body("", (diff,)))


class FakeSource(Source):
    """Reads a `Session`."""

    name, tag, label, program = "fake", "fk", "Fake", ""

    def __init__(self, environment: Environment, session: Session) -> None:
        super().__init__(environment)
        self.session = session
        self.broken = ""
        self.restarted = False

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        if self.broken:
            raise SourceError(self.broken)
        return Transcript(tuple(self.session.blocks), offset=len(self.session.blocks), restarted=self.restarted)

    def body(self, handle: Handle, block: Block) -> Body:
        return self.session.bodies[block.place.start]


class FakeLibrary:
    """What the transcript asks of a library."""

    def __init__(self, session: Session) -> None:
        self.environment = Environment("/home/ada", {}, "/home/ada", "linux", NOW)
        self.fake = FakeSource(self.environment, session)

    def source(self, name: str) -> Source:
        return self.fake

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        return self.fake.outline(handle, since)

    def body(self, handle: Handle, block: Block) -> Body:
        return self.fake.body(handle, block)


class TranscriptApp(App[None]):
    """The transcript and nothing else."""

    CSS = "Screen { layout: vertical; }"
    ENABLE_COMMAND_PALETTE = False
    handle = HANDLE

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.library = FakeLibrary(session)
        self.heard: list[object] = []
        self.view = TranscriptView()

    def compose(self) -> ComposeResult:
        yield self.view

    def on_mount(self) -> None:
        self.view.focus()
        self.view.show(self.library, self.handle, "A session")

    def on_transcript_view_agent_opened(self, event: TranscriptView.AgentOpened) -> None:
        self.heard.append(event)

    def on_transcript_view_copy_asked(self, event: TranscriptView.CopyAsked) -> None:
        self.heard.append(event)

    # ── looking at it ──

    def lines(self) -> list[str]:
        """What the screen shows, without what is right of it."""
        return [self.view.render_line(y).text.rstrip() for y in range(self.view.size.height)]

    def shown(self) -> str:
        return "\n".join(self.lines())

    @property
    def here(self) -> Block:
        """The current block."""
        return self.view.page.items.block(self.view.current)


async def ready(pilot: Pilot[None]) -> TranscriptApp:
    """The app once the session has been read and laid out."""
    app = pilot.app
    assert isinstance(app, TranscriptApp)
    for _ in range(200):
        await pilot.pause(0.005)
        if app.view.outline is not None or app.view.message:
            break
    await pilot.pause(0.02)
    return app


def long_session(turns: int = 40) -> Session:
    """Turns of a prompt, an answer of several lines, and two calls."""
    session = Session()
    for number in range(turns):
        session.add("prompt", f"question {number}")
        session.add("text", "\n\n".join(f"paragraph {line} of answer {number} " + "word " * 20 for line in range(3)), model="sonnet")
        session.tool(f"echo {number}", "\n".join(f"out {line}" for line in range(6)))
        session.edit(f"src/file{number}.py")
    return session


