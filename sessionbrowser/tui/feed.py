"""News from the library, read in a thread of its own and handed to the screen in batches; then what changes, as it does.

A daemon thread, so that leaving never waits for a scan; it gives way to the one that draws after every batch.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from textual.message import Message
from textual.message_pump import MessagePump

from sessionbrowser.library import Event, failure
from sessionbrowser.model import Session
from sessionbrowser.paths import Environment

PAUSE = 0.05  # seconds between two batches once the first rows are there


class Loads(Protocol):
    """The part of the library that the feed needs."""

    @property
    def environment(self) -> Environment: ...

    def cached(self, limit: int | None = None) -> list[Session]: ...

    def load(self, *, pause: Callable[[], None]) -> Iterator[Event]: ...

    def watch(self, wait: Callable[[float], bool], *, looked_at: Callable[[], str]) -> Iterator[list[Event]]: ...


class News(Message):
    """What the library found since the last batch."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        super().__init__()


class Cached(Message):
    """The rows the catalogue remembers, before anything is read."""

    def __init__(self, sessions: list[Session]) -> None:
        self.sessions = sessions
        super().__init__()


class Broken(Message):
    """Loading came to an end it should not have."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class Feed:
    """Runs `load()`, then watches until it is asked to load again."""

    def __init__(self, library: Loads, target: MessagePump, looked_at: Callable[[], str] = lambda: "") -> None:
        self._library = library
        self._looked_at = looked_at  # the path of the file on screen: its changes come at once
        self._target = target
        self._thread: threading.Thread | None = None
        self._again = threading.Event()
        self.is_loading = False

    def start(self, *, cached: bool = True) -> None:
        """Begin; look at everything again when it runs already."""
        self.is_loading = True
        if self._thread is not None and self._thread.is_alive():
            self._again.set()
            return
        self._thread = threading.Thread(target=self._run, args=(cached,), name="sb-feed", daemon=True)
        self._thread.start()

    def _run(self, cached: bool) -> None:
        try:
            if cached:
                self._target.post_message(Cached(self._library.cached()))
            while True:
                self._again.clear()
                self.is_loading = True
                self._pass_on(self._library.load(pause=_rest), self._target.post_message)
                self.is_loading = False
                if self._library.environment.clock:  # a stopped clock: nothing will happen
                    return
                for events in self._library.watch(self._wait, looked_at=self._looked_at):
                    self._target.post_message(News(events))
                if not self._again.is_set():
                    return
        except Exception as error:  # noqa: BLE001 (whatever ends this thread has to be said: nobody else would)
            failure.keep(self._library.environment, error, "looking for sessions")
            self._target.post_message(Broken(failure.described(error)))
        finally:
            self.is_loading = False

    def _wait(self, seconds: float) -> bool:
        return not self._again.wait(seconds)

    def _pass_on(self, events: Iterator[Event], post: Callable[[Message], bool]) -> None:
        waiting: list[Event] = []
        last = 0.0
        for event in events:
            waiting.append(event)
            now = time.monotonic()
            if now - last >= PAUSE:
                post(News(waiting))
                waiting, last = [], now
                time.sleep(0.001)
        if waiting:
            post(News(waiting))


def _rest() -> None:
    """Let the one that draws have its turn."""
    time.sleep(0.001)
