"""A terminal of our own: a program on a pseudo-terminal, what it writes, what state it leaves."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path


class Terminal:
    """Runs `sb` (or any argument list) as the leader of a session with this terminal as its controlling one."""

    def __init__(self, arguments: list[str], variables: dict[str, str], size: tuple[int, int] = (100, 30)) -> None:
        self.written = b""
        self.status: int | None = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.execve(arguments[0], arguments, variables)
        self.resize(*size)
        self.before = termios.tcgetattr(self.fd)

    def resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def press(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def read(self, seconds: float) -> None:
        """Take in what is written within some time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            ready, _, _ = select.select([self.fd], [], [], left)
            if ready and not self._take():
                return

    def wait_for(self, words: str, seconds: float = 10.0) -> bool:
        """Read until `words` were written since the last call; whether they were."""
        end, start = time.monotonic() + seconds, len(self.written)
        while time.monotonic() < end:
            ready, _, _ = select.select([self.fd], [], [], 0.1)
            if ready and not self._take():
                break
            if words.encode() in self.written[start:]:
                return True
        return words.encode() in self.written[start:]

    def _take(self) -> bool:
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other end is closed
            return False
        self.written += data
        return bool(data)

    def ended(self, seconds: float = 10.0) -> int:
        """Wait for the end; the exit status. Kills what does not end."""
        end = time.monotonic() + seconds
        while self.status is None and time.monotonic() < end:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            raise AssertionError("it did not end")
        self.read(0.1)
        return self.status

    @property
    def is_as_before(self) -> bool:
        """Whether echo, line editing and everything else of the terminal is as it was."""
        return termios.tcgetattr(self.fd)[:4] == self.before[:4]

    def close(self) -> None:
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.status = -9
        os.close(self.fd)


def variables(home: Path, cache: Path, **more: str) -> dict[str, str]:
    """The environment of a person with a home of their own."""
    return {
        "HOME": str(home),
        "SB_CACHE_DIR": str(cache),
        "PATH": os.environ.get("PATH", os.defpath),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        **more,
    }


def sb(*arguments: str) -> list[str]:
    """The argument list that runs this checkout."""
    return [sys.executable, "-m", "sessionbrowser", *arguments]
