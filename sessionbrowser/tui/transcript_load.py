"""Reading a session for the transcript, off the event loop: its newest turns first, then all of it, then what comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sessionbrowser.library.places import why
from sessionbrowser.model import Block, Body, Handle, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.sources.base import Source, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

BIG = 1_500_000  # bytes from which on the end of a file is shown before all of it is read
PAUSE = 0.25  # seconds a person stays on a big session before all of it is read
RECENT = 600.0  # seconds after the last record in which a call without a result may still be running


class Store(Protocol):
    """What the transcript asks of the library."""

    @property
    def environment(self) -> Environment: ...
    def source(self, name: str) -> Source: ...
    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript: ...
    def body(self, handle: Handle, block: Block) -> Body: ...


class Arrival(NamedTuple):
    """What a reading brought."""

    transcript: Transcript | None
    partial: bool = False  # the newest turns only
    problem: str = ""  # why nothing could be read, for eyes


def read(store: Store, handle: Handle, stopped: Callable[[], bool] = lambda: False) -> Iterator[Arrival]:
    """The session in one or two steps; the second is not begun when by then it is `stopped`."""
    try:
        if handle.size >= BIG:
            opening = store.source(handle.source).opening(handle)
            if opening is not None and opening.blocks:
                yield Arrival(opening, partial=True)
                until = time.monotonic() + PAUSE
                while time.monotonic() < until:
                    time.sleep(0.03)
                    if stopped():
                        return
        yield Arrival(store.outline(handle))
    except (OSError, SourceError) as error:
        yield Arrival(None, problem=why(error))


def read_on(store: Store, handle: Handle, since: Transcript) -> Arrival:
    """What was appended since."""
    try:
        return Arrival(store.outline(handle, since))
    except (OSError, SourceError) as error:
        return Arrival(None, problem=why(error))


class Growth(NamedTuple):
    """How one outline differs from the one before it."""

    changed: tuple[int, ...]  # blocks closed or amended in place
    came: int  # blocks that are new
    other: bool  # not a continuation: show it from the start


def growth(old: Sequence[Block], new: Transcript) -> Growth:
    """What became of `old`."""
    blocks = new.blocks
    if new.restarted or len(blocks) < len(old):
        return Growth((), len(blocks), True)
    changed = tuple(at for at, block in enumerate(old) if blocks[at] is not block and blocks[at] != block)
    moved = any(blocks[at].branch != old[at].branch or blocks[at].place != old[at].place for at in changed)
    return Growth(changed, len(blocks) - len(old), moved)


def is_recent(blocks: Sequence[Block], now: float) -> bool:
    """Whether the last record is so young that what is open in it may still run."""
    times = [moment for block in blocks[-8:] for moment in (block.time, block.ended) if moment]
    return bool(times) and now - max(times) < RECENT
