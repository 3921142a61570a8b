"""Leaving while a thread is stuck in reading: nothing waits for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from terminal import Terminal, variables
from test_terminal import write_session

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are Unix things")

# `sb` in which something of the library never comes back, as on a network folder that went away
STUCK = """
import sys, time
from sessionbrowser.__main__ import main
from sessionbrowser.library import Library

def never(*_, **__):
    while True:
        time.sleep(60)

setattr(Library, {what!r}, never)
sys.argv = ["sb"]
main()
"""


@pytest.mark.parametrize("what", ["outline", "agents", "load", "watch"])
def test_a_thread_that_is_stuck_keeps_nobody_from_leaving(home: Path, tmp_path: Path, what: str) -> None:
    write_session(home, "Mend the flaky test")
    given = variables(home, tmp_path / "cache")
    shown = Terminal([sys.executable, "-m", "sessionbrowser", "list"], given)  # so that the catalogue knows it
    assert shown.ended() == 0
    shown.close()
    terminal = Terminal([sys.executable, "-c", STUCK.format(what=what)], given)
    try:
        assert terminal.wait_for("Mend the flaky test")
        terminal.read(1.0)
        terminal.press("q")
        assert terminal.ended() == 0
        assert terminal.is_as_before
    finally:
        terminal.close()
