"""What is shown while the real Claude Code runs, waits, idles, is killed, and ends. Skipped where it is not installed.

`pip install claude-agent-sdk` brings the program; SB_TEST_CLAUDE names another. Nothing leaves this machine.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sessionbrowser.library import Changed, Event, Found, Gone, Library
from sessionbrowser.library.watch import Watcher
from sessionbrowser.library.watching import Rounds
from sessionbrowser.model import Session
from sessionbrowser.paths import Environment

from .stand_in import StandIn

pyte = pytest.importorskip("pyte", reason="pyte (of the test extra) is not installed")
from .claude_program import Program, find_program, settle_home  # noqa: E402

PROGRAM = find_program()
pytestmark = pytest.mark.skipif(not PROGRAM, reason="Claude Code is not here: pip install claude-agent-sdk, or SB_TEST_CLAUDE=…")
ID = "11111111-2222-4333-8444-555555555555"


class Shown:
    """The rows a screen would show, kept true round by round."""

    def __init__(self, home: Path) -> None:
        env = Environment(str(home), {"SB_CACHE_DIR": str(home / "cache")}, str(home), "linux")
        self.library = Library(env)
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

    def becomes(self, status: str, program: Program | None, seconds: float = 8.0) -> Session:
        """Wait until the session has this status; fails when it does not get it."""
        end = time.monotonic() + seconds
        while True:
            self._fold(list(self._rounds.one()))
            session = next((row for row in self.rows.values() if row.id == ID), None)
            if session is not None and session.status == status:
                return session
            on_screen = program.text if program is not None else ""
            assert time.monotonic() < end, f"{session and (session.status, session.status_why)} instead of {status}\n{on_screen}"
            if program is None:
                time.sleep(0.1)
            else:
                program.run(0.1)


@pytest.fixture
def service() -> Iterator[StandIn]:
    service = StandIn()
    yield service
    service.close()


@pytest.fixture
def start(home: Path, tmp_path: Path, service: StandIn) -> Iterator[Callable[..., Program]]:
    """Start the program in a project of its own."""
    (home / ".claude" / "projects").mkdir(parents=True)
    project = tmp_path / "project"
    settle_home(home, project)
    running: list[Program] = []

    def start(*arguments: str) -> Program:
        program = Program(PROGRAM, ["--session-id", ID, "--model", "claude-sonnet-4-5", *arguments], home, project, service.address)
        running.append(program)
        program.wait_for("❯")
        program.run(1.0)
        return program

    yield start
    for program in running:
        program.close()


def test_idle_running_and_finished(home: Path, start: Callable[..., Program], service: StandIn) -> None:
    """Open at its prompt, at work while a turn runs, finished after exit."""
    shown = Shown(home)
    program = start()
    program.type("hello")
    program.wait_for("All done.")
    session = shown.becomes("open", program)
    assert session.status_from == "registry"
    program.type("answer slowly")
    assert shown.becomes("running", program).status_from == "registry"
    service.enough.set()
    shown.becomes("open", program)
    program.type("/exit")
    program.wait()
    assert shown.becomes("finished", None).status_from == "inferred"


def test_waiting_at_a_permission_prompt(home: Path, start: Callable[..., Program]) -> None:
    """It needs its person, and says for what."""
    shown = Shown(home)
    program = start()
    program.type("use the shell")
    session = shown.becomes("waiting", program, 20)
    assert (session.status_from, session.status_why) == ("registry", "permission prompt")


def test_killed_in_the_middle_of_a_turn(home: Path, start: Callable[..., Program]) -> None:
    """Its registry still has it, and its last line is of this minute: interrupted all the same."""
    shown = Shown(home)
    program = start()
    program.type("use the shell")
    shown.becomes("waiting", program, 20)
    program.kill()
    assert list((home / ".claude" / "sessions").glob("*.json"))
    session = shown.becomes("interrupted", None)
    assert session.status_why == "its process is no longer there"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc: the start of a process can't be told")
def test_a_process_that_took_over_the_number_of_a_killed_one(home: Path, start: Callable[..., Program]) -> None:
    """The number lives, the session does not."""
    shown = Shown(home)
    program = start()
    program.type("use the shell")
    shown.becomes("waiting", program, 20)
    program.kill()
    (entry,) = (home / ".claude" / "sessions").glob("*.json")
    values = json.loads(entry.read_text())
    entry.unlink()
    (entry.parent / f"{os.getpid()}.json").write_text(json.dumps(values | {"pid": os.getpid()}))
    shown.becomes("interrupted", None)
