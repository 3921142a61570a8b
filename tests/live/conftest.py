"""A library over plain text files that is loaded and then watched, one round at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from library.conftest import write as write
from library.plain import PlainShelf

from sessionbrowser.library import Event, Library
from sessionbrowser.library.watch import Watcher
from sessionbrowser.library.watching import Rounds
from sessionbrowser.paths import Environment


class Watched:
    """A loaded library, its watcher and a clock that only goes when it is told to."""

    def __init__(self, library: Library, shelf: PlainShelf) -> None:
        self.library = library
        self.plain = shelf.plain
        self.seconds = 1000.0
        self.looked_at = ""
        self.watcher = Watcher(clock=lambda: self.seconds)
        for _ in library.load(deep=True):
            pass
        self.rounds = Rounds(library, self.watcher, lambda: self.looked_at, clock=lambda: self.seconds)
        self.rounds.begin()
        self.after(30.0)  # folders that were made just now are looked at once more
        self.after(5.0)

    def after(self, seconds: float) -> list[Event]:
        """What is said after so many seconds."""
        self.seconds += seconds
        return list(self.rounds.one())


@pytest.fixture
def shelf(env: Environment) -> PlainShelf:
    return PlainShelf(env)


@pytest.fixture
def watched(env: Environment, shelf: PlainShelf) -> Callable[[], Watched]:
    """Load what is there now, and watch it."""
    return lambda: Watched(Library(env, shelf=shelf), shelf)


def grow(path: Path, **values: object) -> None:
    """Append `name: value` lines to a plain session."""
    with open(path, "a", encoding="utf-8") as file:
        file.writelines(f"{name}: {value}\n" for name, value in values.items())


def said(events: list[Event], kind: type) -> Iterator[str]:
    """The ids of the sessions that events of one kind speak of."""
    for event in events:
        if isinstance(event, kind):
            yield from (session.id for session in event.sessions)  # type: ignore[attr-defined]


def replace(path: Path, **values: object) -> None:
    """Write a plain session anew, in place of the old file."""
    other = path.with_suffix(".new")
    other.write_text("".join(f"{name}: {value}\n" for name, value in values.items()), encoding="utf-8")
    os.replace(other, path)
