"""What is shown while the real Claude Code runs, waits, idles, is killed, and ends. Skipped where it is not installed.

`pip install claude-agent-sdk` brings the program; SB_TEST_CLAUDE names another. Nothing leaves this machine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .shown import Shown
from .stand_in import StandIn

pyte = pytest.importorskip("pyte", reason="pyte (of the test extra) is not installed")
from .programs import Program, find_program, settle_home  # noqa: E402

PROGRAM = find_program()
pytestmark = pytest.mark.skipif(not PROGRAM, reason="Claude Code is not here: pip install claude-agent-sdk, or SB_TEST_CLAUDE=…")
ID = "11111111-2222-4333-8444-555555555555"


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
    shown = Shown(home, ID)
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
    shown = Shown(home, ID)
    program = start()
    program.type("use the shell")
    session = shown.becomes("waiting", program, 20)
    assert (session.status_from, session.status_why) == ("registry", "permission prompt")


def test_killed_in_the_middle_of_a_turn(home: Path, start: Callable[..., Program]) -> None:
    """Its registry still has it, and its last line is of this minute: interrupted all the same."""
    shown = Shown(home, ID)
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
    shown = Shown(home, ID)
    program = start()
    program.type("use the shell")
    shown.becomes("waiting", program, 20)
    program.kill()
    (entry,) = (home / ".claude" / "sessions").glob("*.json")
    values = json.loads(entry.read_text())
    entry.unlink()
    (entry.parent / f"{os.getpid()}.json").write_text(json.dumps(values | {"pid": os.getpid()}))
    shown.becomes("interrupted", None)
