"""Reading the texts of many sessions ahead, in processes of their own.

Every reader works off its share of the sessions and writes what it read into a pipe, whose size is how far it gets
ahead: no threads, no queues, nothing to be told on the way.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import time
from collections.abc import Iterator
from threading import Thread
from typing import TYPE_CHECKING

from sessionbrowser.index.fulltext_read import Job, Piece, Reader
from sessionbrowser.paths import Environment

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

FEW = 50  # sessions that are read sooner than a process is started
BUNDLE = 4 << 20  # bytes of files that are worth a message between processes
LARGEST_BUNDLE = 32
_AHEAD = 1 << 20  # bytes in a pipe, where the system lets us choose


def pieces(env: Environment, jobs: list[Job], processes: int) -> Iterator[tuple[Job, Piece]]:
    """What each job read, in order; several processes read ahead when there are many."""
    done = 0
    if processes > 1 and len(jobs) >= FEW:
        try:
            for pair in _ahead(env, jobs, processes):
                yield pair
                done += 1
        except EOFError:  # a reader was killed (by the system, for its memory): go on alone
            pass
    reader = Reader(env)
    for job in jobs[done:]:
        yield job, reader.read(job)


def _ahead(env: Environment, jobs: list[Job], processes: int) -> Iterator[tuple[Job, Piece]]:
    """The same from readers that take the bundles in turn. Raises EOFError when one of them ends too early."""
    work = list(bundles(jobs))
    readers = [_started(env, work[number::processes]) for number in range(processes)]
    try:
        for number, bundle in enumerate(work):
            pipe, _ = readers[number % processes]
            yield from zip(bundle, pickle.loads(pipe.recv_bytes()), strict=True)
    finally:
        for pipe, process in readers:
            process.terminate()
            process.join()
            pipe.close()


def _started(env: Environment, share: list[list[Job]]) -> tuple[Connection, BaseProcess]:
    """A process that reads its share, and the pipe into which it writes."""
    import multiprocessing

    # this process has no threads yet, so a fork is safe where it is usual; it spares the imports
    context = multiprocessing.get_context("fork") if sys.platform == "linux" else multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    _widen(theirs)
    plain = env._replace(variables=dict(env.variables))
    process = context.Process(target=_read, args=(plain, share, theirs, os.getpid()), daemon=True)
    process.start()
    theirs.close()  # so that its end is seen
    return ours, process


def _widen(pipe: Connection) -> None:
    if sys.platform == "linux":
        import fcntl

        try:
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _AHEAD)
        except OSError:  # more than this user may have
            return


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


def _read(env: Environment, share: list[list[Job]], pipe: Connection, parent: int) -> None:
    """What a reader does. An interrupt from the keyboard is for the process that it reads for, which then ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(50_000, 50, 100)  # what is read is handed over and gone; looking for garbage in it finds none
    Thread(target=_end_with, args=(parent,), daemon=True).start()
    reader = Reader(env)
    for bundle in share:
        pipe.send_bytes(pickle.dumps([reader.read(job) for job in bundle], pickle.HIGHEST_PROTOCOL))


def _end_with(parent: int) -> None:
    """End this process when the one it reads for was killed: a full pipe would keep it waiting for ever."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
