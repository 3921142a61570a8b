"""A library of invented sessions in memory, with the interface of the real one: quick, and free to be changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sessionbrowser.config import Config
from sessionbrowser.library import Complete, Event, Found
from sessionbrowser.model import (
    Agent,
    Block,
    Body,
    Counts,
    Handle,
    Live,
    Passage,
    Resume,
    ResumeOptions,
    Root,
    Session,
    Transcript,
    Usage,
)
from sessionbrowser.paths import Environment
from sessionbrowser.sources.base import Source
from sessionbrowser.text import age

NOW = 1778770800.0  # 2026-05-14 15:00 UTC
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0

_ROWS = (
    ("running", "claude", "api", "feat/login", "Make the login test deterministic", 0.0, 182_000),
    ("waiting", "codex", "web", "main", "Bump Node to 24 and fix the build", 2 * MINUTE, 41_000),
    ("finished", "claude", "api", "main", "Add retries to the payment client", HOUR, 96_000),
    ("interrupted", "claude", "infra", "tf-upgrade", "Upgrade the Terraform providers", 3 * HOUR, 210_000),
    ("open", "claude", "notes", None, "Summarise last week’s meetings", 5 * HOUR, 12_000),
    ("failed", "codex", "api", "fix/auth", "Rotate the signing keys", DAY, 58_000),
    ("finished", "claude", "site", "main", "Translate the landing page to 日本語", 11 * DAY, 18_000),
)


def session(number: int, **changes: object) -> Session:
    """One invented row; `changes` replace its fields."""
    status, source, project, branch, title, ago, tokens = _ROWS[number % len(_ROWS)]
    made = Session(
        id=f"{number:08x}-0000-4000-8000-000000000000",
        source=source,
        path=f"/home/ada/.{source}/{number}.jsonl",
        title=title,
        cwd=f"/home/ada/src/{project}",
        project=project,
        branch=branch,
        created=NOW - ago - HOUR,
        updated=NOW - ago - number,
        status=status,
        model="claude-sonnet-4-5",
        version="2.1.0",
        counts=Counts(prompts=number + 1, answers=2),
        tokens=Usage(output=tokens),
        size=2048 * (number + 1),
    )
    return made._replace(**changes)  # type: ignore[arg-type]


def seven() -> list[Session]:
    """The rows of the painted screen, newest first."""
    return [session(number) for number in range(len(_ROWS))]


def many(count: int) -> list[Session]:
    """As many rows as wanted, each with a title of its own."""
    return [session(number, title=f"{_ROWS[number % 7][4]} {number}", updated=NOW - number * 60.0) for number in range(count)]

PLAIN = ResumeOptions()


class Silent(Source):
    """A source in whose sessions nothing was said."""

    def passages(self, handle: Handle, offset: int = 0, *, tools: bool = False) -> Iterator[Passage]:
        return iter(())


class FakeLibrary:
    """Gives its sessions in one batch; whatever else happened since comes with the next load."""

    def __init__(self, sessions: Sequence[Session] = (), environment: Environment | None = None) -> None:
        self.environment = environment or Environment("/home/ada", {}, "/home/ada/src/api", "linux", NOW)
        self.config = Config()
        self.rows = list(sessions)
        self.asked: tuple[str, ...] = ()
        self.events: list[Event] = []
        self.trees: dict[str, Agent] = {}

    def cached(self, limit: int | None = None) -> list[Session]:
        return []

    def load(self, **_: object) -> Iterator[Event]:
        if self.rows:
            yield Found(tuple(self.rows))
        yield from self.events
        yield Complete(len(self.rows), {}, {})

    def watch(self, wait: Callable[[float], bool], **_: object) -> Iterator[list[Event]]:
        return iter(())

    def live(self, session: Session) -> Live | None:
        return None

    def handle(self, session: Session) -> Handle:
        root = Root(session.source, "/home/ada")
        return Handle(session.source, root, session.path, "", session.id, session.size, 0, 0)

    def source(self, name: str) -> Source:
        return Silent(self.environment)

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        row = next((row for row in self.rows if row.id == handle.id), None)
        return Transcript((), counts=(row and row.counts) or Counts(), tokens=(row and row.tokens) or Usage())

    def body(self, handle: Handle, block: Block) -> Body:
        return Body()

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        return self.trees.get(handle.id) or Agent(handle.id, "session", started=NOW - 41 * MINUTE, ended=NOW)

    def resume(self, session: Session, options: ResumeOptions = PLAIN) -> Resume | None:
        fork = ("--fork-session",) if options.fork else ()
        return Resume(("claude", "--resume", session.id, *fork), session.cwd)


def ages(sessions: Sequence[Session]) -> list[str]:
    """The ages as the list shows them."""
    return [age(NOW - (row.updated or 0)) for row in sessions]
