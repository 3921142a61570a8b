"""The process that keeps the full text fresh: `python -m sessionbrowser.index.worker`.

One at a time (a lock file says so), at low priority; it can be killed at any moment. Progress is read from the
index itself (`state`), so that whoever shows it need not be the one that started it.
"""

from __future__ import annotations

import gc
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from sessionbrowser.index.fulltext import FullText, State
from sessionbrowser.index.store import NoCache, discard, store_path
from sessionbrowser.paths import Environment, cache_folder, environment

if TYPE_CHECKING:
    from subprocess import Popen

LOCK_NAME = "index.lock"
SUMS_LOCK_NAME = "sums.lock"  # of its own: nobody waits for what only fills columns
PATIENCE = 0.2  # seconds; whoever only looks whether the lock is free holds it for a moment


_held: set[int] = set()


def _let_go() -> None:
    """A forked reader must not keep the lock of a parent that was killed."""
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


class Busy(Exception):
    """Another process is updating the index."""


@contextmanager
def only_one(env: Environment, patience: float = PATIENCE, name: str = LOCK_NAME) -> Iterator[None]:
    """Hold a lock for the block. Raises Busy when another process keeps it that long, OSError."""
    folder = cache_folder(env)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    descriptor = os.open(os.path.join(folder, name), os.O_CREAT | os.O_RDWR, 0o600)
    with os.fdopen(descriptor, "r+b") as file:
        until = time.monotonic() + patience
        while not _lock(file):
            if time.monotonic() >= until:
                raise Busy
            time.sleep(0.02)
        file.truncate()
        file.write(str(os.getpid()).encode())
        file.flush()
        _held.add(descriptor)
        try:
            yield
        finally:
            _held.discard(descriptor)


def _lock(file: BinaryIO) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(1 << 20)  # the bytes behind a lock there can't be read by others
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            file.seek(0)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_running(env: Environment) -> bool:
    """Whether some process is updating the index now."""
    return _is_held(env, LOCK_NAME)


def is_adding_up(env: Environment) -> bool:
    """Whether some process is reading what sessions add up to now."""
    return _is_held(env, SUMS_LOCK_NAME)


def _is_held(env: Environment, name: str) -> bool:
    try:
        with only_one(env, 0.0, name):
            return False
    except Busy:
        return True
    except OSError:
        return False


def start(env: Environment, *, config: str | None = None, low: bool = True) -> Popen[bytes] | None:
    """Start the worker in the background; None when one is running already or none can be started."""
    if is_running(env):
        return None
    import subprocess

    variables = {**env.variables, "HOME": env.home, "SB_WORKER": "1"}
    command = [sys.executable, "-m", "sessionbrowser.index.worker", *(["--config", config] if config else []), *([] if low else ["--quick"])]
    try:
        return subprocess.Popen(command, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, start_new_session=True, close_fds=True)  # fmt: skip
    except OSError:
        return None


def bring_up_to_date(env: Environment, *, exclude: tuple[str, ...] = (), rebuild: bool = False, settled: float | None = None,
                     report: Callable[[int, int], None] | None = None, wait: float = 0.0) -> None:
    """Update the index in this process. Raises Busy (after `wait` seconds), NoCache, sqlite3.Error, OSError."""
    from sessionbrowser.index.fulltext_build import SETTLED, update

    until = time.monotonic() + wait
    while True:
        try:
            with only_one(env):
                text = FullText.open(env)
                try:
                    update(text, env, exclude=exclude, rebuild=rebuild, settled=SETTLED if settled is None else settled, report=report)
                finally:
                    text.close()
            return
        except Busy:
            if time.monotonic() > until:
                raise
            if report is not None:
                now = state(env)
                report(now.done, now.total)
            time.sleep(0.1)


def add_up(env: Environment) -> None:
    """Fill the rows of the list with what their sessions add up to. Raises Busy, NoCache, sqlite3.Error, OSError."""
    from sessionbrowser.index.summing import fill

    with only_one(env, name=SUMS_LOCK_NAME):
        fill(env)


def state(env: Environment) -> State:
    """How far the index is. An index that is not there yet is empty."""
    from sessionbrowser.index.store import connect

    try:
        text = FullText(connect(env, readonly=True))
    except NoCache:
        return State()
    try:
        return state_of(text, env)
    finally:
        text.close()


def state_of(text: FullText, env: Environment) -> State:
    """How far the index behind an open connection is."""
    try:
        (sessions,) = text.connection.execute("select count(*) from text_session where done and not excluded").fetchone()
        rows, dead = text.count()
        progress = text.note("progress")
    except sqlite3.OperationalError:  # not built yet
        return State()
    size = sum(_size(store_path(env) + ending) for ending in ("", "-wal"))
    if isinstance(progress, list) and is_running(env):
        return State(sessions, int(progress[0]), int(progress[1]), True, rows, dead, size)
    return State(sessions, 0, 0, False, rows, dead, size)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def purge(env: Environment, wait: float = 10.0) -> bool:
    """Delete the index with every word in it; whether there was one. Raises Busy when a worker does not end, OSError."""
    until = time.monotonic() + wait
    while True:
        try:
            with only_one(env):
                return discard(env)
        except Busy:
            _stop(env)
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def _stop(env: Environment) -> None:
    """Ask the process that holds the lock to end; it may be killed at any moment without harm."""
    try:
        with open(os.path.join(cache_folder(env), LOCK_NAME), "rb") as file:
            pid = int(file.read(32) or b"0")
        if pid > 1 and pid != os.getpid():
            os.kill(pid, 15)
    except (OSError, ValueError):
        return


def main(arguments: list[str]) -> int:
    """Update the index once, add up what changed, and end. 0 done, 1 another process is at it or the cache can't be used."""
    from sessionbrowser.config import load

    env = environment()
    if "--quick" not in arguments and hasattr(os, "nice"):
        os.nice(10)
    path = arguments[arguments.index("--config") + 1] if "--config" in arguments else None
    gc.set_threshold(50_000, 50, 100)  # what is read is handed over and gone: looking for garbage in it finds none
    try:
        bring_up_to_date(env, exclude=load(env, path).exclude)
        add_up(env)
    except (Busy, NoCache, sqlite3.Error, OSError):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
