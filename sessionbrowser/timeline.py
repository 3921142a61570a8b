"""What happened when, over all sessions: their events as one stream, in stretches with pauses between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.export.skeleton import called, how_it_went
from sessionbrowser.library.places import why
from sessionbrowser.model import Block, Session
from sessionbrowser.sources.base import SourceError

if TYPE_CHECKING:
    from sessionbrowser.library import Library

KINDS = ("prompt", "answer", "error", "tools", "compaction", "interrupt")
USUAL = ("prompt", "answer", "error", "compaction", "interrupt")


class Happening(NamedTuple):
    """Something that happened in a session. `text` is one line for eyes."""

    time: float
    session: Session
    kind: str
    turn: int
    text: str
    came: str = ""  # of calls: how they went, the end of `text`


class Stretch(NamedTuple):
    """Happenings without a long pause between them."""

    happenings: tuple[Happening, ...]

    @property
    def start(self) -> float:
        return self.happenings[0].time

    @property
    def end(self) -> float:
        return self.happenings[-1].time


def happenings(session: Session, blocks: Iterable[Block], kinds: Sequence[str] = USUAL) -> Iterator[Happening]:
    """What happened in one session: prompts, the last answer of each turn, errors, and what else `kinds` asks for.

    History shared with another session is left to that one; tasks given to subagents and blocks without a time are left out.
    """
    answer: Block | None = None
    run: list[Block] = []

    def told(kind: str, block: Block, calls: Sequence[Block] = ()) -> Happening:
        came = how_it_went(calls) if calls else ""
        return Happening(block.time or 0.0, session, kind, block.turn, called(calls) + came if calls else block.title, came)

    for block in blocks:
        if block.time is None or block.copied:
            continue
        if run and (block.kind != "tool" or block.name != run[-1].name):
            yield told("tools", run[0], run)
            run = []
        if block.kind == "prompt" and block.what != "subagent":
            if answer is not None and "answer" in kinds:
                yield told("answer", answer)
            answer = None
            if "prompt" in kinds:
                yield told("prompt", block)
        elif block.kind == "text":
            answer = block
        elif block.kind == "tool":
            if block.ok is False and "error" in kinds:
                yield told("error", block, [block])
            if "tools" in kinds:
                run.append(block)
        elif block.kind == "note" and (what := "error" if block.ok is False else block.what) in ("error", "compaction", "interrupt") and what in kinds:
            yield told(what, block)
    if run:
        yield told("tools", run[0], run)
    if answer is not None and "answer" in kinds:
        yield told("answer", answer)


class Window(NamedTuple):
    """A span of time, half-open; None: without a bound."""

    since: float | None = None
    until: float | None = None

    def holds(self, moment: float) -> bool:
        return (self.since is None or moment >= self.since) and (self.until is None or moment < self.until)

    def may_touch(self, session: Session) -> bool:
        """Whether anything of a session can lie in it, by its row alone."""
        first = session.created if session.created is not None else session.updated
        if self.since is not None and session.updated is not None and session.updated < self.since:
            return False
        return not (self.until is not None and first is not None and first >= self.until)


class Gathered(NamedTuple):
    """What happened, in order; what could not be read (path, why); and how much happened at no known time."""

    happenings: list[Happening]
    unreadable: list[tuple[str, str]]
    untimed: int = 0


def gather(library: Library, sessions: Sequence[Session], window: Window, kinds: Sequence[str] = USUAL, *,
           progress: Callable[[int, int], None] | None = None) -> Gathered:  # fmt: skip
    """Everything that happened in the window."""
    found: list[Happening] = []
    unreadable: list[tuple[str, str]] = []
    untimed = 0
    for session, blocks in outlines(library, sessions, window, unreadable, progress):
        found += [item for item in happenings(session, blocks, kinds) if window.holds(item.time)]
        if lost := [block._replace(time=0.0) for block in blocks if block.time is None]:
            untimed += sum(1 for _ in happenings(session, lost, kinds))
    found.sort(key=lambda item: (item.time, item.session.id))
    return Gathered(found, unreadable, untimed)


def outlines(library: Library, sessions: Sequence[Session], window: Window, unreadable: list[tuple[str, str]],
             progress: Callable[[int, int], None] | None = None) -> Iterator[tuple[Session, Sequence[Block]]]:  # fmt: skip
    """The blocks of each session that may touch the window, one session at a time."""
    for done, session in enumerate(sessions):
        if progress is not None:
            progress(done, len(sessions))
        if not window.may_touch(session):
            continue
        try:
            yield session, library.outline(library.handle(session)).blocks
        except (OSError, SourceError, KeyError) as error:
            unreadable.append((session.path, why(error)))


def stretches(found: Sequence[Happening], gap: float) -> Iterator[Stretch]:
    """The happenings in stretches: a pause longer than `gap` seconds ends one."""
    start = 0
    for at in range(1, len(found) + 1):
        if at == len(found) or found[at].time - found[at - 1].time > gap:
            if at > start:
                yield Stretch(tuple(found[start:at]))
            start = at
