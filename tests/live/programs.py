"""Real agents on a terminal of their own, in a home of their own, with the stand-in as their service."""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import pty
import select
import signal
import struct
import termios
import time
from pathlib import Path

import pyte

KEY = "no-secret-000000000000000000000000"
SIZE = (40, 120)


def find_program() -> str:
    """SB_TEST_CLAUDE, or the program inside the package claude-agent-sdk; "" when neither is here."""
    if named := os.environ.get("SB_TEST_CLAUDE"):
        return named
    found = importlib.util.find_spec("claude_agent_sdk")
    if found is None or not found.origin:
        return ""
    program = Path(found.origin).parent / "_bundled" / "claude"
    return str(program) if os.access(program, os.X_OK) else ""


def settle_home(home: Path, project: Path) -> None:
    """Answer beforehand what the program asks a new person."""
    project.mkdir(parents=True, exist_ok=True)
    trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True, "allowedTools": [], "projectOnboardingSeenCount": 9}
    settings = {
        "hasCompletedOnboarding": True, "lastOnboardingVersion": "99.0.0", "theme": "dark", "autoUpdates": False,
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []}, "projects": {str(project): trusted},
        "bypassPermissionsModeAccepted": True, "shiftEnterKeyBindingInstalled": True,
    }  # fmt: skip
    (home / ".claude.json").write_text(json.dumps(settings))


class Program:
    """One run of the program: keys go in, the screen comes out."""

    def __init__(self, program: str, arguments: list[str], home: Path, project: Path, address: str) -> None:
        variables = {
            "HOME": str(home), "PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8", "TMPDIR": str(home), "STAND_IN_KEY": KEY,
            "ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": KEY, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1", "CLAUDE_CODE_MAX_RETRIES": "0",
        }  # fmt: skip
        self._screen = pyte.Screen(SIZE[1], SIZE[0])
        self._stream = pyte.ByteStream(self._screen)
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.chdir(project)
            os.execve(program, [program, *arguments], variables)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        self._ended = False

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display if line.strip())

    def run(self, seconds: float) -> None:
        """Let it go on for so long, taking in what it draws and answering what it asks of the terminal."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self._ended:
            if not select.select([self._fd], [], [], 0.05)[0]:
                continue
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                self._ended = True
                return
            self._stream.feed(data)
            for asked, answer in ((b"\x1b[c", b"\x1b[?62;c"), (b"\x1b[6n", b"\x1b[1;1R"), (b"\x1b]11;?", b"\x1b]11;rgb:0000/0000/0000\x1b\\")):
                if asked in data:
                    os.write(self._fd, answer)

    def wait_for(self, words: str, seconds: float = 30.0) -> None:
        """Until `words` are on its screen. Fails after `seconds`."""
        end = time.monotonic() + seconds
        while words not in self.text:
            assert time.monotonic() < end and not self._ended, f"{words!r} did not come:\n{self.text}"
            self.run(0.1)

    def press(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def type(self, text: str) -> None:
        """Type a prompt and send it."""
        os.write(self._fd, text.encode())
        self.run(0.5)
        os.write(self._fd, b"\r")
        self.run(0.3)

    def kill(self) -> None:
        """As a crash would."""
        os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def wait(self, seconds: float = 15.0) -> None:
        """Until it has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.run(0.1)
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                return
        raise AssertionError(f"it did not end:\n{self.text}")

    def close(self) -> None:
        """Whatever state it is in."""
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(self._fd)
