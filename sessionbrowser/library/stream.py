"""A generator's items on an event loop: it runs in a thread of its own and rests often enough for the screen."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

REST = 0.001  # seconds; a bare yield of the interpreter's lock is often not enough


class _Stopped(Exception):
    """Nobody listens any more."""


async def streamed(start: Callable[[Callable[[], None]], Iterator[T]]) -> AsyncGenerator[T, None]:
    """The items of `start(pause)`, made in one thread. What it raises is raised here; leaving early stops it."""
    loop = asyncio.get_running_loop()
    stopped = threading.Event()
    end = object()

    def rest() -> None:
        if stopped.is_set():
            raise _Stopped
        time.sleep(REST)

    items = start(rest)
    thread = ThreadPoolExecutor(1, "library")
    try:
        while (item := await loop.run_in_executor(thread, next, items, end)) is not end:
            yield item  # type: ignore[misc]
    finally:
        stopped.set()
        thread.submit(items.close)  # type: ignore[attr-defined]
        thread.shutdown(wait=False)
