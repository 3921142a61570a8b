"""Work done in a copy of this process, while this one goes on: where a process can be copied, and there is a core for it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import TracebackType
from typing import NoReturn

from sessionbrowser.undo import OrUndo


def possible() -> bool:
    """Whether this process may be copied: on Linux, where that is usual; without threads, which a copy would lack; on two cores."""
    if sys.platform != "linux" or not hasattr(os, "memfd_create") or len(os.sched_getaffinity(0)) < 2:
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def begin(work: Callable[[], bytes]) -> Beside | None:
    """Begin some work beside this process; None where it has to be done in this one."""
    try:
        return Beside(work) if possible() else None
    except OSError:  # no process or no memory to be had
        return None


class Beside:
    """`with Beside(work) as other:` begins the work, `other.result()` waits for what it gave. Raises OSError."""

    def __init__(self, work: Callable[[], bytes]) -> None:
        self._paper = os.memfd_create("work")  # in memory, of no size that could make the writer wait
        with OrUndo(lambda: os.close(self._paper)):
            self._process = os.fork()
        if self._process == 0:
            _work(work, self._paper)

    def result(self) -> bytes:
        """What the work gave; b"" when it failed, or the copy was killed."""
        return os.pread(self._paper, os.fstat(self._paper).st_size, 0) if self._went_well() else b""

    def _went_well(self) -> bool:
        """Wait for the copy; False when it failed, or when nobody is told how it ended (whoever began us wanted it so)."""
        process, self._process = self._process, 0
        try:
            return os.waitpid(process, 0)[1] == 0
        except ChildProcessError:
            return False

    def __enter__(self) -> Beside:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._process:
            import signal

            try:
                os.kill(self._process, signal.SIGKILL)  # it holds nothing that could be lost
            except ProcessLookupError:  # gone, where nobody is told
                pass
            self._went_well()
        os.close(self._paper)


def _work(work: Callable[[], bytes], paper: int) -> NoReturn:
    """What the copy does. It leaves in one way only, and in silence: what was open or unwritten when it was made is not its own."""
    code = 1
    try:
        data = memoryview(work())
        while data:
            data = data[os.write(paper, data) :]
        code = 0
    finally:
        os._exit(code)
