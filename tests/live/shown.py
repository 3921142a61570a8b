"""The rows that a screen would show while real agents run."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from sessionbrowser.library import Changed, Event, Found, Gone, Library
from sessionbrowser.library.watch import Watcher
from sessionbrowser.library.watching import Rounds
from sessionbrowser.model import Session
from sessionbrowser.paths import Environment

if TYPE_CHECKING:
    from .programs import Program


class Shown:
    """The rows a screen would show, kept true round by round."""

    def __init__(self, home: Path, id: str = "") -> None:
        env = Environment(str(home), {"SB_CACHE_DIR": str(home / "cache")}, str(home), "linux")
        self.library = Library(env)
        self.id = id  # of the session in question; "": the newest that is shown
        self.rows: dict[tuple[str, str, str], Session] = {}
        self._fold(list(self.library.load()))
        self._rounds = Rounds(self.library, Watcher(), lambda: "")
        self._rounds.begin()

    def _fold(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Found | Changed):
                self.rows.update((session.identity, session) for session in event.sessions)
            elif isinstance(event, Gone):
                for identity in event.identities:
                    self.rows.pop(identity, None)

    def _session(self) -> Session | None:
        rows = [row for row in self.rows.values() if (row.id == self.id if self.id else not row.hidden)]
        return max(rows, key=lambda row: row.updated or 0.0, default=None)

    def becomes(self, status: str, program: Program | None, seconds: float = 8.0, *, by: str = "") -> Session:
        """Wait until the session has this status (`by` "registry" or "inferred"); fails when it does not get it."""
        end = time.monotonic() + seconds
        while True:
            self._fold(list(self._rounds.one()))
            session = self._session()
            if session is not None and session.status == status and by in ("", session.status_from):
                return session
            on_screen = program.text if program is not None else ""
            assert time.monotonic() < end, f"{session and (session.status, session.status_why)} instead of {status}\n{on_screen}"
            if program is None:
                time.sleep(0.1)
            else:
                program.run(0.1)
