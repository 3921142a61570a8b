"""The processes above this one: which they are, and which files they have open. Linux tells in /proc, others by `ps`."""

from __future__ import annotations

import os

DEEPEST = 64  # generations looked at


def ancestors(pid: int = 0, proc: str = "/proc") -> list[int]:
    """The process ids above `pid` (this process), the parent first."""
    found: list[int] = []
    at = pid or os.getpid()
    while len(found) < DEEPEST:
        at = _parent(at, proc)
        if at <= 1 or at in found:
            break
        found.append(at)
    return found


def open_files(pid: int, proc: str = "/proc") -> list[str]:
    """Paths (raw) of the files a process has open; [] where that can't be seen."""
    folder = os.path.join(proc, str(pid), "fd")
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    found = []
    for name in names:
        try:
            found.append(os.readlink(os.path.join(folder, name)))
        except OSError:
            continue
    return [path for path in found if path.startswith("/")]


def _parent(pid: int, proc: str) -> int:
    try:
        with open(os.path.join(proc, str(pid), "stat"), "rb") as file:
            text = file.read(4096)
    except OSError:
        return os.getppid() if pid == os.getpid() else _parent_by_ps(pid, proc)
    fields = text[text.rfind(b")") + 1 :].split()  # the name before it may hold blanks and brackets
    return int(fields[1]) if len(fields) > 1 and fields[1].isdigit() else 0


def _parent_by_ps(pid: int, proc: str) -> int:
    if os.path.isdir(os.path.join(proc, "self")) or os.name == "nt":
        return 0
    import subprocess

    try:
        done = subprocess.run(["ps", "-o", "ppid=", "-p", str(pid)], capture_output=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    said = done.stdout.strip()
    return int(said) if said.isdigit() else 0
