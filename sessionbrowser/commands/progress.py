"""How far a command is: one line on stderr, on a terminal only, once the work has taken a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

MOMENT = 0.4  # seconds of work before anything is said
BETWEEN = 0.1  # seconds between two lines


class ProgressLine:
    """Called with how much is done of how much."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._on = sys.stderr is not None and sys.stderr.isatty()
        self._since = time.monotonic()
        self._shown = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._on and total and now - self._since > MOMENT and now - self._shown > BETWEEN:
            print(f"\r\x1b[K{self._what} {done:,} of {total:,}", end="", file=sys.stderr, flush=True)
            self._shown = now

    def clear(self) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def progress(what: str) -> Iterator[ProgressLine]:
    """A line that says how far the block is, and is gone after it."""
    line = ProgressLine(what)
    try:
        yield line
    finally:
        line.clear()
