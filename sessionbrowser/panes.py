"""Where a running session lives: its process, and the tmux pane that holds it."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import NamedTuple

from sessionbrowser.paths import Environment

WAIT = 3.0  # seconds that tmux and ps are given
_FORMAT = "#{pane_id}\t#{pane_pid}\t#{session_name}:#{window_index}.#{pane_index}"
_LONGEST = 64  # ancestors of a process that are looked at


class Pane(NamedTuple):
    """A pane of tmux. `id` is tmux's own ("%3") and safe as an argument; `name` is raw."""

    id: str
    pid: int  # of the program it was opened with
    name: str  # session:window.pane


def panes(env: Environment) -> list[Pane]:
    """Every pane of the tmux server that is reached from here; [] without one."""
    found = []
    for line in _said(["tmux", "list-panes", "-a", "-F", _FORMAT], env).splitlines():
        number, pid, name = [*line.split("\t", 2), "", ""][:3]
        if number.startswith("%") and number[1:].isdigit() and pid.isdigit():
            found.append(Pane(number, int(pid), name))
    return found


def pane_of(pid: int, known: Collection[Pane], parents: Mapping[int, int]) -> Pane | None:
    """The pane in which process `pid` runs, itself or as a child of what was opened there."""
    by_pid = {pane.pid: pane for pane in known}
    for _ in range(_LONGEST):
        if pid in by_pid:
            return by_pid[pid]
        pid = parents.get(pid, 0)
        if pid <= 1:
            return None
    return None


def parents(env: Environment) -> dict[int, int]:
    """The parent of every process."""
    if os.path.isdir("/proc/self"):
        numbers = (int(name) for name in os.listdir("/proc") if name.isdigit())
        return {pid: parent for pid in numbers if (parent := _parent(pid)) is not None}
    found = {}
    for line in _said(["ps", "-Ao", "pid=,ppid="], env).splitlines():
        number, _, above = line.strip().partition(" ")
        if number.isdigit() and above.strip().isdigit():
            found[int(number)] = int(above)
    return found


def _parent(pid: int) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read(4096)
    except OSError:
        return None
    fields = text[text.rfind(b")") + 1 :].split()
    return int(fields[1]) if len(fields) > 1 and fields[1].isdigit() else None


def writers(paths: Collection[str]) -> dict[str, int]:
    """For each of the files `paths` (raw) that a process has open for writing: that process. Linux only, else {}.

    Agents without a registry of their own keep the file of the session that they write open.
    """
    found: dict[str, int] = {}
    wanted = set(paths)
    try:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return found
    for pid in numbers:
        if pid == os.getpid():
            continue
        try:
            descriptors = os.listdir(f"/proc/{pid}/fd")
        except OSError:  # another person's, or gone
            continue
        for number in descriptors:
            try:
                path = os.readlink(f"/proc/{pid}/fd/{number}")
            except OSError:
                continue
            if path in wanted and _is_writing(pid, number):
                found[path] = pid
    return found


def _is_writing(pid: int, number: str) -> bool:
    try:
        with open(f"/proc/{pid}/fdinfo/{number}", encoding="ascii", errors="replace") as file:
            flags = next((line.split()[1] for line in file if line.startswith("flags:")), "0")
        return int(flags, 8) & 3 != os.O_RDONLY
    except (OSError, ValueError, IndexError):
        return False


def go_to(pane: Pane, env: Environment) -> list[str]:
    """The argument list that shows a pane: from inside tmux by switching, from outside by attaching."""
    return ["tmux", "switch-client" if env.get("TMUX") else "attach-session", "-t", pane.id]


def _said(argv: list[str], env: Environment) -> str:
    import subprocess
    from shutil import which

    if which(argv[0], path=env.get("PATH") or os.defpath) is None:
        return ""
    try:
        done = subprocess.run(argv, capture_output=True, timeout=WAIT, env=dict(env.variables))
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
