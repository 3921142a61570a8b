"""Work off the event loop of which only the newest matters."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from textual.message_pump import MessagePump

from sessionbrowser.sources.base import SourceError

Result = TypeVar("Result")


class Latest(Generic[Result]):
    """Runs one question at a time for its owner; an answer that was overtaken is dropped by its number.

    Daemon threads: leaving never waits for one.
    """

    def __init__(self, owner: MessagePump, patience: float = 0.03) -> None:
        self._owner = owner
        self._patience = patience  # seconds in which a newer question spares the work altogether
        self._number = 0

    def ask(self, work: Callable[[], Result], done: Callable[[Result | None, str], None]) -> None:
        """Run `work` in a thread; `done` gets its result, or None and one line about what went wrong."""
        self._number += 1
        arguments = (self._number, work, done)
        threading.Thread(target=self._run, args=arguments, name="sb-latest", daemon=True).start()

    def drop(self) -> None:
        """Whatever is under way is not wanted any more."""
        self._number += 1

    def _run(
        self, number: int, work: Callable[[], Result], done: Callable[[Result | None, str], None]
    ) -> None:
        time.sleep(self._patience)
        if number != self._number:
            return
        result: Result | None = None
        wrong = ""
        try:
            result = work()
        except (OSError, SourceError, sqlite3.Error, ValueError, LookupError) as error:
            wrong = str(error) or type(error).__name__
        if number == self._number:
            self._owner.call_later(self._answer, number, result, wrong, done)

    def _answer(
        self, number: int, result: Result | None, wrong: str, done: Callable[[Result | None, str], None]
    ) -> None:
        if number == self._number:
            done(result, wrong)
