"""`sb pick` on a real terminal: what it prints and what it leaves, however its streams are tied and however it ends."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from terminal import Terminal, sb, variables
from test_terminal import HOSTILE, write_session

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are Unix things")

ALTERNATE, BACK = b"\x1b[?1049h", b"\x1b[?1049l"
FIRST, SECOND = "00000001-0000-4000-8000-000000000000", "00000002-0000-4000-8000-000000000000"


@pytest.fixture
def environment(home: Path, tmp_path: Path) -> dict[str, str]:
    write_session(home, "Mend the flaky test", cwd=str(home), number=1)
    write_session(home, "Bump the compiler", cwd=str(home), number=2)
    return variables(home, tmp_path / "cache", SHELL="/bin/sh")


class Run:
    """`sb pick` with its standard output and errors in files, as under `$(…)`."""

    def __init__(self, terminal: Terminal, folder: Path) -> None:
        self.terminal = terminal
        self._folder = folder

    def ready(self, words: str = "Mend the flaky test") -> None:
        assert self.terminal.wait_for(words), (self.terminal.written[-800:], self.err)
        self.terminal.read(0.3)

    def press(self, keys: str) -> None:
        self.terminal.press(keys)
        self.terminal.read(0.12)

    @property
    def out(self) -> bytes:
        return (self._folder / "out").read_bytes()

    @property
    def err(self) -> bytes:
        return (self._folder / "err").read_bytes()


@contextmanager
def picking(environment: dict[str, str], folder: Path, *arguments: str, stdin: str = "", size: tuple[int, int] = (100, 24)) -> Iterator[Run]:
    folder.mkdir(exist_ok=True)
    # where nothing else has the terminal open it would seem closed to us: descriptor 9 is the shell that usually has
    line = "exec " + shlex.join(sb("pick", *arguments)) + f" >{folder}/out 2>{folder}/err" + (f" <{stdin} 9<>/dev/tty" if stdin else "")
    terminal = Terminal(["/bin/sh", "-c", line], environment, size)
    try:
        yield Run(terminal, folder)
    finally:
        terminal.close()


def test_the_choice_alone_is_on_standard_output(environment: dict[str, str], tmp_path: Path) -> None:
    """The screen is on the terminal, the line that resumes the session in the pipe, and the terminal as before."""
    with picking(environment, tmp_path / "run") as run:
        run.ready()
        run.press("mend")
        run.press("\r")
        assert run.terminal.ended() == 0
        assert run.out == f"cd {environment['HOME']} && claude --resume {FIRST}\n".encode()
        assert all(line.startswith(b"sb: ") for line in run.err.splitlines())
        assert run.terminal.is_as_before
        assert run.terminal.written.count(ALTERNATE) == run.terminal.written.count(BACK) == 1


@pytest.mark.parametrize("key", ["\x1b", "\x03", "\x07", "\x04", "\x11"], ids=["esc", "ctrl+c", "ctrl+g", "ctrl+d", "ctrl+q"])
def test_a_key_cancels(environment: dict[str, str], tmp_path: Path, key: str) -> None:
    """With 130, nothing printed, and the terminal as before."""
    with picking(environment, tmp_path / "run") as run:
        run.ready()
        run.terminal.press(key)
        assert run.terminal.ended() == 130
        assert run.out + run.err == b""
        assert run.terminal.is_as_before
        assert run.terminal.written.endswith(b"\x1b[?25h")


def test_hidden_sessions_are_counted_shown_or_not(environment: dict[str, str], tmp_path: Path) -> None:
    """And each says why it is one."""
    write_session(Path(environment["HOME"]), "Look at the logs", cwd=environment["HOME"], number=3)
    (path,) = Path(environment["HOME"]).rglob("00000003-*.jsonl")
    path.write_text(path.read_text().replace('"sessionId"', '"entrypoint": "sdk-cli", "sessionId"'))
    with picking(environment, tmp_path / "run", size=(160, 24)) as run:
        run.ready()
        assert b"2 \xc2\xb7 1 hidden " in run.terminal.written
        run.terminal.press("\x1bx")
        assert run.terminal.wait_for("3 · 1 hidden ones shown")
        assert b"headless" in run.terminal.written
        run.press("\x1b")


def test_nothing_chosen_is_no_match(environment: dict[str, str], tmp_path: Path) -> None:
    """Enter on an empty list: exit status 1."""
    with picking(environment, tmp_path / "run") as run:
        run.ready()
        run.press("zzzz")
        run.press("\r")
        assert run.terminal.ended() == 1
        assert run.out == b""


def test_all_three_streams_redirected(environment: dict[str, str], tmp_path: Path) -> None:
    """Names come from a file, the choice goes to another, keys and picture are the terminal's."""
    (tmp_path / "ids").write_text(f"{SECOND}\n")
    with picking(environment, tmp_path / "run", "--print", "id", stdin=str(tmp_path / "ids")) as run:
        run.ready("Bump the compiler")
        assert b"Mend the flaky" not in run.terminal.written
        run.press("\r")
        assert run.terminal.ended() == 0
        assert run.out == f"{SECOND}\n".encode()


def test_several_are_printed_in_the_order_they_were_marked(environment: dict[str, str], tmp_path: Path) -> None:
    """Tab marks and goes down, ends are NUL when asked for."""
    with picking(environment, tmp_path / "run", "-m", "--print", "id", "--print0", "--no-sort") as run:
        run.ready()
        run.press("\t\t")
        assert b"2 marked" in run.terminal.written
        run.press("\r")
        assert run.terminal.ended() == 0
        assert sorted(run.out.split(b"\0")) == [b"", FIRST.encode(), SECOND.encode()]


def test_the_query_and_the_key_come_first(environment: dict[str, str], tmp_path: Path) -> None:
    """As fzf prints them."""
    with picking(environment, tmp_path / "run", "--print-query", "--expect", "ctrl-v,alt-enter", "--print", "id") as run:
        run.ready()
        run.press("mend")
        run.press("\x16")
        assert run.terminal.ended() == 0
        assert run.out == f"mend\nctrl-v\n{FIRST}\n".encode()


def test_the_window_may_change(environment: dict[str, str], tmp_path: Path) -> None:
    """Everything is drawn anew for the size there is, and a choice can be made."""
    with picking(environment, tmp_path / "run", "--print", "id", size=(120, 30)) as run:
        run.ready()
        run.terminal.resize(60, 12)
        os.kill(run.terminal.pid, signal.SIGWINCH)
        run.ready()
        last = run.terminal.written[run.terminal.written.rindex(b"\x1b[2J") :]
        assert b"\x1b[12;1H" in last
        assert b"\x1b[13;1H" not in last
        run.press("\r")
        assert run.terminal.ended() == 0


def test_ctrl_z_and_back(environment: dict[str, str], tmp_path: Path) -> None:
    """Stopped, the shell has its terminal; back, the picker is drawn again and goes on."""
    with picking(environment, tmp_path / "run", "--print", "id") as run:
        run.ready()
        run.terminal.press("\x1a")
        status = 0
        for _ in range(100):
            run.terminal.read(0.05)
            pid, status = os.waitpid(run.terminal.pid, os.WNOHANG | os.WUNTRACED)
            if pid:
                break
        assert os.WIFSTOPPED(status)
        assert run.terminal.is_as_before
        os.kill(run.terminal.pid, signal.SIGCONT)
        run.ready()
        run.press("\r")
        assert run.terminal.ended() == 0
        assert run.terminal.is_as_before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_gives_the_terminal_back(environment: dict[str, str], tmp_path: Path, number: signal.Signals) -> None:
    """With the status a shell expects, and nothing printed."""
    with picking(environment, tmp_path / "run") as run:
        run.ready()
        os.kill(run.terminal.pid, number)
        assert run.terminal.ended() == 128 + number
        assert run.terminal.is_as_before
        assert run.terminal.written.count(BACK) == 1
        assert run.out == b""


def test_a_terminal_that_closes_ends_it(environment: dict[str, str], tmp_path: Path) -> None:
    """No process is left behind, nothing is printed."""
    with picking(environment, tmp_path / "run") as run:
        run.ready()
        terminal = run.terminal
        os.close(terminal.fd)
        terminal.fd = os.open(os.devnull, os.O_RDONLY)
        for _ in range(200):
            pid, status = os.waitpid(terminal.pid, os.WNOHANG)
            if pid:
                terminal.status = os.waitstatus_to_exitcode(status)
                break
            signal.sigtimedwait([], 0.02)
        assert terminal.status in (128 + signal.SIGHUP, 130, -signal.SIGHUP)
        assert run.out == b""


def test_no_terminal_at_all_is_one_line(environment: dict[str, str]) -> None:
    """In a job without one: exit status 2."""
    done = subprocess.run(sb("pick"), env=environment, capture_output=True, text=True, start_new_session=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "sb: there is no terminal to draw on; sb pick -f TEXT draws nothing\n"


def test_below_the_prompt_the_screen_is_left_as_it_was(environment: dict[str, str], tmp_path: Path) -> None:
    """No other screen is gone to; lines are cleared one by one, and the cursor is where it was."""
    with picking(environment, tmp_path / "run", "--height", "6", "--print", "id") as run:
        assert run.terminal.wait_for("\x1b[6n")
        run.terminal.press("\x1b[3;9R")
        run.ready()
        run.press("\r")
        assert run.terminal.ended() == 0
        written = run.terminal.written
        assert ALTERNATE not in written
        assert b"\x1b[2J" not in written
        assert b"\x1b[J" not in written
        assert re.search(rb"\x1b\[6n\r+\n", written)
        assert b"\x1b[A\x1b[9G" in written
        assert run.terminal.is_as_before
        assert run.out.count(b"\n") == 1


def test_a_terminal_that_does_not_say_where_its_cursor_is(environment: dict[str, str], tmp_path: Path) -> None:
    """Is waited for a moment only, and keys typed meanwhile are kept."""
    with picking(environment, tmp_path / "run", "--height", "50%", "--print", "id") as run:
        assert run.terminal.wait_for("\x1b[6n")
        run.terminal.press("bump")
        run.ready("Bump the")
        run.press("\r")
        assert run.terminal.ended() == 0
        assert run.out == f"{SECOND}\n".encode()


def test_keys_typed_early_are_not_lost(environment: dict[str, str], tmp_path: Path) -> None:
    """What is typed before the first row goes into the box."""
    with picking(environment, tmp_path / "run", "--print", "id") as run:
        assert run.terminal.wait_for("\x1b[?1049h")
        run.terminal.press("bump")
        run.ready("1 of 2")
        run.press("\r")
        assert run.terminal.ended() == 0
        assert run.out == f"{SECOND}\n".encode()


def test_preview_details_and_help(environment: dict[str, str], tmp_path: Path) -> None:
    """The preview shows the transcript, is folded away and comes back as details; help shows the keys."""
    with picking(environment, tmp_path / "run", "mend", size=(120, 60)) as run:
        run.ready(" the flaky test\x1b")
        assert b"I have read: " in run.terminal.written
        start = len(run.terminal.written)
        run.press("\x0f")
        assert b"I have read" not in run.terminal.written[start:]
        run.press("\x0f\x06")
        assert FIRST.encode() in run.terminal.written[start:]
        run.press("\x1bOP")
        assert b"fold the preview away" in run.terminal.written
        run.press("\x1b")
        run.press("\x1b")
        assert run.terminal.ended() == 130


def test_one_match_is_chosen_without_a_screen(environment: dict[str, str], tmp_path: Path) -> None:
    """And none ends it, when asked for."""
    with picking(environment, tmp_path / "one", "-1", "-q", "mend", "--print", "id") as run:
        assert run.terminal.ended() == 0
        assert run.out == f"{FIRST}\n".encode()
        assert run.terminal.written == b""
    with picking(environment, tmp_path / "none", "-0", "-q", "zzzz") as run:
        assert run.terminal.ended() == 1
        assert run.out + run.terminal.written == b""
    with picking(environment, tmp_path / "two", "-1", "-0", "--print", "id") as run:
        run.ready()
        run.press("\r")
        assert run.terminal.ended() == 0


def test_titles_of_a_file_do_nothing(home: Path, tmp_path: Path) -> None:
    """Drawn, chosen and printed they are text; in a command line they are quoted."""
    folder = home / "it's; touch pwned"
    folder.mkdir()  # there is no line into a directory that is gone
    for number, evil in enumerate(HOSTILE, 1):
        write_session(home, f"evil{number} {evil}", cwd=str(folder), number=number)
    environment = variables(home, tmp_path / "cache", SHELL="/bin/sh")
    with picking(environment, tmp_path / "run", "-m", "--print", "{title}") as run:
        run.ready("evil")
        run.press("\x1ba\r")
        assert run.terminal.ended() == 0
        for bad in (b"\x1b]52", b"\x1bc", b"\x1b]0;", b"\x1bPq", b"\x1b]8;", b"\x1b[31m red", b"\x07", b"\x7f", b"\xc2\x9b", b"\xe2\x80\xae"):
            assert bad not in run.terminal.written + run.out
        assert b"\x1b" not in run.out
        assert run.out.count(b"\n") == len(HOSTILE)
    with picking(environment, tmp_path / "line", "evil1", "-1") as run:
        run.ready("evil1")
        run.press("\r")
        assert run.terminal.ended() == 0
        there, resumed = shlex.split(run.out.decode())[1], shlex.split(run.out.decode())[2:]
        assert there == str(folder)
        assert resumed[:3] == ["&&", "claude", "--resume"]
