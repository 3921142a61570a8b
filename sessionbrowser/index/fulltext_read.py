"""Reading the text of one session for the index, a piece at a time: what a worker process does."""

from __future__ import annotations

import os
from typing import NamedTuple
from zlib import crc32

from sessionbrowser.index.fulltext import KIND_BITS, KINDS, TROUBLE, grows
from sessionbrowser.index.words import indexed
from sessionbrowser.model import Handle
from sessionbrowser.paths import Environment
from sessionbrowser.sources import load
from sessionbrowser.sources.base import Source

PIECE = 4 << 20  # characters read before they are handed over
_SEAL = 256  # bytes of the last record that must be the same when a file has grown


class Job(NamedTuple):
    """What to read: a session, behind the passage that starts at `after` (-1: from the beginning)."""

    handle: Handle
    after: int = -1


class Piece(NamedTuple):
    """What was read: (place in the session, text) in file order, and whether there is more behind it."""

    rows: list[tuple[int, str]]
    last: int
    more: bool
    opening: int = 0
    seal: int = 0
    failed: str = ""


class Reader:
    """The sources of one process, imported as they are needed."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self._sources: dict[str, Source] = {}

    def source(self, name: str) -> Source:
        if name not in self._sources:
            self._sources[name] = load(name, self.env)
        return self._sources[name]

    def read(self, job: Job) -> Piece:
        """The next piece of a session's text. A session that can't be read is a piece that says why."""
        texts: dict[int, str] = {}
        last, opening, more, size = job.after, 0, False, 0
        try:
            for passage in self.source(job.handle.source).passages(job.handle, max(job.after, 0)):
                start, kind = passage.start, _NUMBERS.get(passage.kind)
                if start <= job.after or kind is None:
                    continue
                if size > PIECE and start != last:
                    more = True
                    break
                if job.after < 0 and not texts and passage.time is not None:
                    opening = crc32(f"{kind} {passage.time} {passage.text[:2000]}".encode("utf-8", "replace"))
                text, at = indexed(passage.text), start << KIND_BITS | kind
                texts[at] = f"{texts[at]}\n{text}" if at in texts else text
                last = start
                size += len(text)
        except TROUBLE as error:
            return Piece(list(texts.items()), last, False, opening, 0, str(error) or type(error).__name__)
        rows = sorted(texts.items())  # within one record the order of kinds is the source's
        return Piece(rows, last, more, opening, seal(job.handle, last))


def seal(handle: Handle, start: int) -> int:
    """A checksum of the record at `start`; the same after a file grew, another when it was rewritten."""
    if not grows(handle) or start < 0:
        return 0
    try:
        descriptor = os.open(handle.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return 0
    try:
        os.lseek(descriptor, start, os.SEEK_SET)
        return crc32(os.read(descriptor, _SEAL).split(b"\n", 1)[0])
    except OSError:
        return 0
    finally:
        os.close(descriptor)


_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
