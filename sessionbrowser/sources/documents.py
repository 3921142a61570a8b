"""Sources whose session is one document, read as a whole through pieces; places say where each piece stands in it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sessionbrowser.model import Agent, Block, Body, Handle, Passage, Place, Session, Transcript
from sessionbrowser.sources.base import Source
from sessionbrowser.sources.bodies import body
from sessionbrowser.sources.logs import call_start, passage_of, root_agent
from sessionbrowser.sources.pieces import Assembly, Piece, session

Placed = tuple[Place, Piece]


class _Reading(NamedTuple):
    """What a document was when it was read."""

    size: int
    mtime_ns: int
    inode: int


class DocumentSource(Source):
    """A source that says with `placed` what a document holds. Documents are rewritten whole: no reading goes on."""

    def placed(self, handle: Handle) -> Iterable[Placed]:
        """Every piece with its place. Raises OSError or SourceError when nothing can be read."""
        raise NotImplementedError

    def finish(self, handle: Handle, row: Session) -> Session:
        """The row with what is known from beside the document."""
        return row

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        made = self._assembly(handle)
        return self.finish(handle, session(handle, made, made, whole=True))

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        now = _now(handle)
        if since is not None and since.state == now:
            return since._replace(restarted=False)
        return self._assembly(handle).transcript(now.size, restarted=since is not None)._replace(state=now)

    def _assembly(self, handle: Handle) -> Assembly:
        made = Assembly()
        for place, piece in self.placed(handle):
            made.take(piece, place)
        return made

    def body(self, handle: Handle, block: Block) -> Body:
        places = (block.place, block.result)
        found = [(place, piece) for place, piece in self.placed(handle) if _within(place, places)]
        return body(
            block,
            [piece for place, piece in found if place.start == block.place.start],
            [piece for place, piece in found if block.result is not None and place.start == block.result.start],
        )

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        return root_agent(self, handle, outline or self.outline(handle))

    def passages(self, handle: Handle, offset: int = 0, *, tools: bool = False) -> Iterator[Passage]:
        calls: dict[str, int] = {}
        for place, piece in self.placed(handle):
            start = call_start(piece, place.start, calls)
            if place.start >= offset and (passage := passage_of(piece, start, tools)):
                yield passage


def _within(place: Place, wanted: tuple[Place, Place | None]) -> bool:
    return any(other is not None and other.start == place.start for other in wanted)


def _now(handle: Handle) -> _Reading:
    found = os.stat(handle.path)
    return _Reading(found.st_size, found.st_mtime_ns, found.st_ino)
