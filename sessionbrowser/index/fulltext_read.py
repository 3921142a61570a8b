"""Reading the text of one session for the index, a piece at a time: what a worker process does."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Iterator
from threading import Thread
from typing import NamedTuple
from zlib import crc32

from sessionbrowser.index.fulltext import KINDS, TROUBLE, grows
from sessionbrowser.index.words import indexed
from sessionbrowser.model import Handle
from sessionbrowser.paths import Environment
from sessionbrowser.sources import load
from sessionbrowser.sources.base import Source

PIECE = 4 << 20  # characters read before they are handed over
BUNDLE = 4 << 20  # bytes of files that are worth a message between processes
LARGEST_BUNDLE = 32
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


def pieces(env: Environment, jobs: list[Job], processes: int) -> Iterator[tuple[Job, Piece]]:
    """What each job read, in order; jobs run ahead in other processes when there are several."""
    if processes < 2 or len(jobs) < 50:
        reader = Reader(env)
        for job in jobs:
            yield job, reader.read(job)
        return
    from concurrent.futures import BrokenExecutor

    done = 0
    try:
        for pair in _ahead(env, jobs, processes):
            yield pair
            done += 1
    except BrokenExecutor:  # a reader was killed (by the system, for its memory): go on alone
        yield from pieces(env, jobs[done:], 1)


def _ahead(env: Environment, jobs: list[Job], processes: int) -> Iterator[tuple[Job, Piece]]:
    """What each job read, in order, a few jobs read ahead in other processes."""
    import multiprocessing
    from concurrent.futures import Future, ProcessPoolExecutor

    # this process has no threads yet, so a fork is safe where it is usual; it spares the imports
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    plain = env._replace(variables=dict(env.variables))
    waiting: deque[tuple[list[Job], Future[list[Piece]]]] = deque()
    with ProcessPoolExecutor(processes, context, _start, (plain, os.getpid())) as pool:
        try:
            for bundle in bundles(jobs):
                waiting.append((bundle, pool.submit(_run, bundle)))
                if len(waiting) >= processes * 4:
                    first, future = waiting.popleft()
                    yield from zip(first, future.result(), strict=True)
            for first, future in waiting:
                yield from zip(first, future.result(), strict=True)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def bundles(jobs: list[Job]) -> Iterator[list[Job]]:
    """`jobs` in order, small ones together, so that handing them over costs less than reading them."""
    bundle: list[Job] = []
    size = 0
    for job in jobs:
        bundle.append(job)
        size += job.handle.size
        if size > BUNDLE or len(bundle) >= LARGEST_BUNDLE:
            yield bundle
            bundle, size = [], 0
    if bundle:
        yield bundle


_reader: Reader | None = None


def _start(env: Environment, parent: int) -> None:
    global _reader
    _reader = Reader(env)
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process when the one it reads for was killed: its queues would keep it waiting for ever."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _run(bundle: list[Job]) -> list[Piece]:
    assert _reader is not None
    return [_reader.read(job) for job in bundle]
