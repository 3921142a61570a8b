"""Work done in a copy of the process."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")


def said(script: str) -> str:
    """What a fresh process prints: this one has threads, and may not be copied."""
    begin = "import os, sys, threading, time\nfrom sessionbrowser.beside import Beside, possible\n"
    done = subprocess.run([sys.executable, "-c", begin + script], capture_output=True, text=True, timeout=30, check=True)
    return done.stdout


def test_the_result_is_what_the_work_gave() -> None:
    script = 'with Beside(lambda: b"x" * 300000) as other:\n    print(len(other.result()))'
    assert said(script) == "300000\n"


def test_work_that_fails_gives_nothing_and_says_nothing_twice() -> None:
    script = 'print("once", end=" ")\nwith Beside(lambda: bytes(1 // 0)) as other:\n    print(other.result())'
    assert said(script) == "once b''\n"


def test_where_nobody_is_told_how_processes_end_there_is_no_result() -> None:
    """The work is done here, then; nothing is raised."""
    script = (
        'import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n'
        'with Beside(lambda: b"x") as other:\n    print(other.result())\nwith Beside(lambda: b""):\n    time.sleep(0.3)\nwith Beside(lambda: time.sleep(20) or b""):\n    pass'
    )
    assert said(script) == "b''\n"


def test_who_leaves_early_does_not_wait() -> None:
    script = 'began = time.monotonic()\nwith Beside(lambda: time.sleep(20) or b""):\n    pass\nprint(time.monotonic() - began < 10)'
    assert said(script) == "True\n"


def test_a_process_with_a_thread_is_not_copied() -> None:
    script = "stop = threading.Event()\nthread = threading.Thread(target=stop.wait)\nthread.start()\nprint(possible())\nstop.set()"
    assert said(script) == "False\n"
