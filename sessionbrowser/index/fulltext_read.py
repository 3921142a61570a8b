"""Reading the text of one session for the index, a piece at a time: what a worker process does."""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

from sessionbrowser.index.fulltext import KINDS, TROUBLE, grows
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
    """What was read: (start, kind, text) in file order, and whether there is more behind it."""

    rows: list[tuple[int, int, str]]
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
        rows: list[tuple[int, int, str]] = []
        last, opening, more = job.after, 0, False
        try:
            passages = self.source(job.handle.source).passages(job.handle, max(job.after, 0))
            size = 0
            for passage in passages:
                if passage.start <= job.after or passage.kind not in KINDS:
                    continue
                if size > PIECE and passage.start != last:
                    more = True
                    break
                kind = KINDS.index(passage.kind)
                if job.after < 0 and not rows and passage.time is not None:
                    opening = crc32(f"{kind} {passage.time} {passage.text[:2000]}".encode("utf-8", "replace"))
                text = indexed(passage.text)
                if rows and rows[-1][:2] == (passage.start, kind):
                    text = f"{rows.pop()[2]}\n{text}"
                rows.append((passage.start, kind, text))
                last = passage.start
                size += len(text)
        except TROUBLE as error:
            return Piece(rows, last, False, opening, 0, str(error) or type(error).__name__)
        rows.sort(key=lambda row: row[:2])  # within one record the order of kinds is the source's
        return Piece(_joined(rows), last, more, opening, seal(job.handle, last))


def _joined(rows: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """`rows` with texts of one place and kind put together: each has one row id."""
    out: list[tuple[int, int, str]] = []
    for row in rows:
        if out and out[-1][:2] == row[:2]:
            out[-1] = (*row[:2], f"{out[-1][2]}\n{row[2]}")
        else:
            out.append(row)
    return out


def seal(handle: Handle, start: int) -> int:
    """A checksum of the record at `start`; the same after a file grew, another when it was rewritten."""
    if not grows(handle) or start < 0:
        return 0
    try:
        with open(handle.path, "rb", buffering=0) as file:
            file.seek(start)
            return crc32((file.read(_SEAL) or b"").split(b"\n", 1)[0])
    except OSError:
        return 0
