"""The whole program on a terminal: ways in, ways out, and what the terminal is like afterwards."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from terminal import Terminal, sb, variables

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are Unix things")

ALTERNATE, BACK = b"\x1b[?1049h", b"\x1b[?1049l"


@contextmanager
def running(arguments: list[str], environment: dict[str, str], size: tuple[int, int] = (100, 30)) -> Iterator[Terminal]:
    terminal = Terminal(arguments, environment, size)
    try:
        yield terminal
    finally:
        terminal.close()


def write_session(home: Path, title: str, *, cwd: str = "/home/ada/src/api", number: int = 1) -> None:
    """One Claude Code session whose first prompt is `title`."""
    name = f"{number:08d}-0000-4000-8000-000000000000"
    folder = home / ".claude" / "projects" / "-home-ada-src-api"
    folder.mkdir(parents=True, exist_ok=True)
    common = {"sessionId": name, "cwd": cwd, "version": "2.1.0", "gitBranch": title, "userType": "external", "isSidechain": False}
    rows = [
        {**common, "type": "user", "uuid": "u1", "parentUuid": None, "timestamp": "2026-05-14T10:00:00.000Z",
         "message": {"role": "user", "content": title}},
        {**common, "type": "assistant", "uuid": "a1", "parentUuid": "u1", "timestamp": "2026-05-14T10:00:05.000Z",
         "message": {"id": "msg_1", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "end_turn",
                     "usage": {"input_tokens": 1, "output_tokens": 2},
                     "content": [{"type": "text", "text": f"I have read: {title}"}]}},
    ]  # fmt: skip
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def environment(home: Path, tmp_path: Path) -> dict[str, str]:
    write_session(home, "Mend the flaky test")
    return variables(home, tmp_path / "cache")


def test_quitting_gives_the_terminal_back(environment: dict[str, str]) -> None:
    """Echo, line editing and the ordinary screen are there again, and the exit status is 0."""
    with running(sb(), environment) as terminal:
        assert terminal.wait_for("Mend the flaky test")
        terminal.read(0.5)
        terminal.press("q")
        assert terminal.ended() == 0
        assert terminal.is_as_before
        assert BACK in terminal.written[terminal.written.rindex(ALTERNATE) :]


def test_the_agent_that_is_resumed_has_the_surroundings_of_the_screen(home: Path, tmp_path: Path) -> None:
    """NO_COLOR too, which is taken away while the screen is there."""
    write_session(home, "Mend the flaky test", cwd=str(home))
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "resumed without colour: $NO_COLOR"\n')
    program.chmod(0o755)
    environment = variables(home, tmp_path / "cache", NO_COLOR="yes")
    environment["PATH"] = f"{program.parent}{os.pathsep}{environment['PATH']}"
    with running(sb(), environment) as terminal:
        assert terminal.wait_for("Mend the flaky test")
        terminal.read(0.5)
        terminal.press("r")
        assert terminal.wait_for("resume it")
        terminal.press("\r")
        assert terminal.wait_for("resumed without colour: yes")


def test_rows_are_painted_before_the_screen_is_ready(environment: dict[str, str]) -> None:
    """With a cache there, they come in the very first write, before Textual asks the terminal anything."""
    with running(sb(), environment) as terminal:
        assert terminal.wait_for("Mend the flaky test")
        terminal.read(1.0)
        terminal.press("q")
        terminal.ended()
    with running(sb(), environment) as terminal:
        assert terminal.wait_for("Mend the flaky test")
        assert b"\x1b[?2026$p" not in terminal.written[: terminal.written.index(b"Mend the flaky test")]


def test_keys_typed_early_are_not_lost(environment: dict[str, str]) -> None:
    """What is typed before the screen is there goes where it would have gone, and is not echoed."""
    with running(sb(), environment) as terminal:
        assert terminal.wait_for("\x1b[?1049h")
        terminal.press("/zzz")
        assert terminal.wait_for("Nothing matches")
        assert b"/zzz" not in terminal.written


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_gives_the_terminal_back(environment: dict[str, str], number: signal.Signals) -> None:
    """The screen is left in order, with the status a shell expects."""
    with running(sb(), environment) as terminal:
        assert terminal.wait_for("Mend the flaky test")
        terminal.read(1.0)
        os.kill(terminal.pid, number)
        assert terminal.ended() == 128 + number
        assert terminal.is_as_before
        assert BACK in terminal.written


def test_a_signal_in_the_first_moment_gives_the_terminal_back(environment: dict[str, str]) -> None:
    """Also while Textual is still being imported."""
    with running(sb(), environment) as terminal:
        assert terminal.wait_for("\x1b[?1049h")
        os.kill(terminal.pid, signal.SIGTERM)
        assert terminal.ended() == 128 + signal.SIGTERM
        assert terminal.is_as_before
        assert BACK in terminal.written


def test_ctrl_z_and_back(home: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    """Suspended, the shell has its terminal; back, the screen is drawn again."""
    with running(sb(), environment) as terminal:
        assert terminal.wait_for("Mend the flaky test")
        terminal.read(1.0)
        terminal.press("\x1a")
        pid, status = 0, 0
        for _ in range(100):
            terminal.read(0.05)
            pid, status = os.waitpid(terminal.pid, os.WNOHANG | os.WUNTRACED)
            if pid:
                break
        assert os.WIFSTOPPED(status)
        assert terminal.is_as_before
        os.kill(terminal.pid, signal.SIGCONT)
        assert terminal.wait_for("Mend the flaky test")
        terminal.read(0.5)
        terminal.press("q")
        assert terminal.ended() == 0
        assert terminal.is_as_before


def test_a_dumb_terminal_is_refused_in_one_line(environment: dict[str, str]) -> None:
    """And pointed to what works there."""
    with running(sb(), {**environment, "TERM": "dumb"}) as terminal:
        assert terminal.ended() == 2
        assert terminal.written.startswith(b"sb: this terminal cannot show a screen")
        assert terminal.written.count(b"\n") == 1


def test_a_tiny_terminal_works(environment: dict[str, str]) -> None:
    """Twenty columns and five lines: a list, and a way out."""
    with running(sb(), environment, (20, 5)) as terminal:
        assert terminal.wait_for("Mend")
        terminal.read(0.5)
        terminal.press("q")
        assert terminal.ended() == 0


def test_no_terminal_at_all_is_one_line(environment: dict[str, str]) -> None:
    """In a job without one: exit status 2, and what to use instead."""
    import subprocess

    done = subprocess.run(sb(), env=environment, capture_output=True, text=True, start_new_session=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert done.stderr.startswith("sb: there is no terminal to draw on")
    assert done.stderr.count("\n") == 1


HOSTILE = (
    "\x1b]52;c;cm0gLXJmIH4=\x07 clip",
    "\x1bc reset",
    "\x1b[2J\x1b[31m red",
    "\x9b31m c1",
    "\x1b]0;title\x07 osc",
    "\x1bPq dcs \x1b\\",
    "\x90 c1 dcs \x9c",
    "\u202e rtl",
    "\x07\x08\x7f bells",
    "\x1b]8;;http://example.com\x07link\x1b]8;;\x07",
)


def test_nothing_of_a_file_drives_the_terminal(home: Path, tmp_path: Path) -> None:
    """Titles, branches, directories, answers: no sequence of a file comes out, in any pane, on the card or in the box."""
    for number, evil in enumerate(HOSTILE, 1):
        write_session(home, f"evil{number} {evil}", cwd=f"/home/ada/{evil}".replace("\x00", ""), number=number)
    with running(sb(), variables(home, tmp_path / "cache"), (140, 40)) as terminal:
        assert terminal.wait_for("evil"), terminal.written[-600:]
        terminal.read(0.8)
        for _ in HOSTILE:
            terminal.press("j")
            terminal.read(0.05)
        for keys in ("\r", "\t", "Y", "i", "\x1b", "/clip"):
            terminal.press(keys)
            terminal.read(0.6)
        assert b"clip" in terminal.written[-4000:]  # the last of them came through
        written = terminal.written.replace(b"\x1b]22;default\x07", b"")  # the shape of the mouse pointer, our own
    for bad in (b"\x1b]52", b"\x1bc", b"\x1b]0;", b"\x1bPq", b"\x1b]8;", b"\x1b[2J\x1b[31m", b"\x07", b"\x08", b"\x7f"):
        assert bad not in written
    decoded = written.decode("utf-8", "replace")
    assert [char for char in decoded if "\x80" <= char <= "\x9f" or char == "\u202e"] == []
