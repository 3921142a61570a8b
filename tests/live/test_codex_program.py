"""What is shown while the real Codex runs, is quit, and its server is killed. Skipped unless SB_TEST_CODEX names it.

`npm install @openai/codex` brings the program. Nothing leaves this machine; its background server is ended afterwards.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .shown import Shown
from .stand_in import StandIn

pyte = pytest.importorskip("pyte", reason="pyte (of the test extra) is not installed")
from .programs import Program  # noqa: E402

PROGRAM = os.environ.get("SB_TEST_CODEX", "")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="Codex is not named: npm install @openai/codex, and SB_TEST_CODEX=…")

CONFIG = """
model = "gpt-5"
model_provider = "stand_in"
check_for_update_on_startup = false
[model_providers.stand_in]
name = "stand_in"
base_url = "{address}/v1"
wire_api = "responses"
env_key = "STAND_IN_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects."{project}"]
trust_level = "trusted"
"""


@pytest.fixture
def service() -> Iterator[StandIn]:
    service = StandIn()
    yield service
    service.close()


def servers(home: Path) -> list[int]:
    """The background processes that this home's Codex started."""
    found = []
    for name in ("daemon-updater.pid", "daemon.pid"):
        try:
            pid = json.loads((home / ".codex" / "app-server-daemon" / name).read_text()).get("pid")
        except (OSError, ValueError):
            continue
        if isinstance(pid, int) and str(home) in Path(f"/proc/{pid}/cmdline").read_text(errors="replace"):
            found.append(pid)
    return found


def end(home: Path, how: int = signal.SIGKILL) -> None:
    """End the background processes of this home's Codex."""
    for pid in servers(home):
        os.kill(pid, how)


@pytest.fixture
def start(home: Path, tmp_path: Path, service: StandIn) -> Iterator[Callable[[], Program]]:
    """Start the program in a project of its own."""
    project = tmp_path / "project"
    project.mkdir()
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(CONFIG.format(address=service.address, project=project))
    running: list[Program] = []

    def start() -> Program:
        program = Program(PROGRAM, [], home, project, service.address)
        running.append(program)
        program.wait_for("Ask Codex")
        program.run(2.0)
        program.type("answer slowly")
        for _ in range(20):  # until its server is up, enter does nothing
            if "interrupt" in program.text:
                break
            program.press("\r")
            program.run(1.0)
        return program

    yield start
    for program in running:
        program.close()
    end(home)


def test_running_and_finished(home: Path, start: Callable[[], Program], service: StandIn) -> None:
    """At work while a turn runs, whatever the clock says; finished when it ended, also after the program was left."""
    shown = Shown(home)
    program = start()
    shown.becomes("running", program, 20, by="registry")
    service.enough.set()
    shown.becomes("finished", program, 20)
    program.type("/quit")
    program.wait()
    shown.becomes("finished", None)


def test_killed_in_the_middle_of_a_turn(home: Path, start: Callable[[], Program]) -> None:
    """Its lock is left behind, and nobody holds it."""
    shown = Shown(home)
    program = start()
    shown.becomes("running", program, 20, by="registry")
    end(home)
    program.kill()
    time.sleep(0.2)
    assert shown.becomes("interrupted", None).status_why == "its process is no longer there"
