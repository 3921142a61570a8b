"""`python -m tests.soak.following [--sessions N] [--seconds S]`: what it costs to be open while agents work.

Prints the CPU of `sb` at rest and while ten sessions are written to, and the time from a write to the screen beside
`tail -f` on the same file. Everything is invented and in a folder of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import random
import select
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

BIG = 10_000


def make_home(folder: Path, sessions: int) -> list[Path]:
    """A home with so many Claude Code sessions in forty projects; the newest first."""
    now = time.time()
    made = []
    for number in range(sessions):
        cwd = f"/srv/work/project{number % 40}"
        place = folder / ".claude" / "projects" / cwd.replace("/", "-")
        place.mkdir(parents=True, exist_ok=True)
        path = place / f"{number:08x}-1111-4222-8333-444455556666.jsonl"
        began = now - 60 - number * 60
        with open(path, "w", encoding="utf-8") as file:
            file.write(prompt(f"task {number}", path.stem, cwd, began) + answer(f"done {number}", path.stem, cwd, began + 5))
        os.utime(path, (began + 5, began + 5))
        made.append(path)
    return made


def prompt(text: str, session: str, cwd: str, when: float) -> str:
    return _line("user", {"role": "user", "content": text}, session, cwd, when)


def answer(text: str, session: str, cwd: str, when: float) -> str:
    message = {"id": f"msg_{random.getrandbits(64):x}", "role": "assistant", "model": "claude-sonnet-4-5",
               "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
               "usage": {"input_tokens": 10, "output_tokens": 5}}  # fmt: skip
    return _line("assistant", message, session, cwd, when)


def _line(kind: str, message: object, session: str, cwd: str, when: float) -> str:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(when)) + f".{int(when * 1000) % 1000:03d}Z"
    uuid = f"{random.getrandbits(32):08x}-{random.getrandbits(16):04x}-4000-8000-{random.getrandbits(48):012x}"
    return json.dumps({"type": kind, "message": message, "uuid": uuid, "parentUuid": None, "timestamp": stamp, "cwd": cwd,
                       "sessionId": session, "version": "2.1.300", "gitBranch": "main", "userType": "external",
                       "isSidechain": False, "entrypoint": "cli"}) + "\n"  # fmt: skip


class Screen:
    """A program on a terminal of its own."""

    def __init__(self, argv: list[str], variables: dict[str, str]) -> None:
        import fcntl
        import struct
        import termios

        self.written = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(argv[0], argv, variables)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 160, 0, 0))

    def read(self, seconds: float, until: bytes = b"") -> bool:
        """Take in what is written for so long, or until something is in it."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                try:
                    self.written += os.read(self.fd, 65536)
                except OSError:
                    return False
                if until and until in self.written:
                    return True
        return False

    def cpu(self) -> float:
        """Seconds of CPU so far, of the program and the children it waited for."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def peak(self) -> float:
        """MiB of memory now."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

    def end(self) -> None:
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def latencies(screen: Screen, path: Path, times: int) -> list[float]:
    """Seconds from a line written to `path` until its words are on the screen."""
    found = []
    for number in range(times):
        word = f"mark{random.getrandbits(40):010x}"
        screen.written = b""
        with open(path, "a", encoding="utf-8") as file:
            file.write(answer(word, path.stem, "/srv/work/project0", time.time()))
        began = time.perf_counter()
        if screen.read(10, word.encode()):
            found.append(time.perf_counter() - began)
        screen.read(0.4 + random.random() * 0.6)
        del number
    return found


def cpu_over(screen: Screen, seconds: float, files: Sequence[Path] = ()) -> float:
    """Per cent of a core that the program uses, while each of `files` gets a line a second."""
    before, end = screen.cpu(), time.monotonic() + seconds
    while time.monotonic() < end:
        for path in files:
            with open(path, "a", encoding="utf-8") as file:
                file.write(answer("working", path.stem, "/srv/work/x", time.time()))
            screen.read(1.0 / len(files))
        if not files:
            screen.read(1.0)
    return (screen.cpu() - before) / seconds * 100


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.soak.following", description=__doc__)
    parser.add_argument("--sessions", type=int, default=BIG)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--times", type=int, default=40)
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="sb-following-"))
    try:
        _measure(args, folder)
    finally:
        shutil.rmtree(folder)


def _measure(args: argparse.Namespace, folder: Path) -> None:
    files = make_home(folder, args.sessions)
    variables = {"HOME": str(folder), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", "COLORTERM": "truecolor"}
    screen = Screen([sys.executable, "-m", "sessionbrowser"], variables)
    screen.read(20 + args.sessions / 400)  # until everything was read and indexed once
    print(f"at rest, {args.sessions:,} sessions       {cpu_over(screen, args.seconds):6.2f} % of a core   {screen.peak():.0f} MiB")
    ours = latencies(screen, files[0], args.times)
    tail = Screen([shutil.which("tail") or "tail", "-n0", "-f", str(files[0])], variables)
    tail.read(1)
    theirs = latencies(tail, files[0], args.times)
    tail.end()
    for name, found in (("write to screen", ours), ("tail -f", theirs)):
        found.sort()
        if found:
            print(f"{name:<26} median {statistics.median(found) * 1000:6.1f} ms   p95 {found[int(len(found) * 0.95)] * 1000:6.1f} ms   seen {len(found)} of {args.times}")
    print(f"ten sessions writing        {cpu_over(screen, args.seconds, files[1:11]):6.2f} % of a core   {screen.peak():.0f} MiB")
    screen.end()


if __name__ == "__main__":
    main()
