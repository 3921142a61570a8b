"""The program's own registry of running processes, `sessions/<pid>.json`: believed only while the process is alive."""

from __future__ import annotations

import os

from sessionbrowser.model import Live, Root
from sessionbrowser.sources.claude.store import read_small_json
from sessionbrowser.sources.processes import alive
from sessionbrowser.text import one_line, parse_time

_STATES = {"busy": "running", "waiting": "waiting", "idle": "open", "shell": "open"}
_WHY = {"busy": "at work", "idle": "at its prompt", "shell": "at its prompt, a background shell is running"}


def running(root: Root) -> list[Live]:
    """The sessions that are open now; "gone" those whose entry was left behind by a crash.

    Entries of a process in another container do not count.
    """
    if not root.live:
        return []
    folder = os.path.join(root.path, "sessions")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        names = []
    found = [live for name in names if name.endswith(".json") and (live := _entry(folder, name)) is not None]
    known = {live.id for live in found if live.status != "gone"}  # a process that speaks for itself knows best
    if os.path.exists(os.path.join(root.path, "daemon")):
        from sessionbrowser.sources.claude import jobs

        found += [live for live in jobs.running(root) if live.id not in known]
    newest: dict[str, Live] = {}
    for item in found:
        kept = newest.get(item.id)
        if kept is None or (item.status != "gone", item.since or 0) >= (kept.status != "gone", kept.since or 0):
            newest[item.id] = item
    return list(newest.values())


def _entry(folder: str, name: str) -> Live | None:
    values = read_small_json(os.path.join(folder, name))
    session = values.get("sessionId") or values.get("session_id")
    pid = values.get("pid")
    if not isinstance(pid, int) or isinstance(pid, bool):
        digits = name.removesuffix(".json").removeprefix("pid-")
        pid = int(digits) if digits.isdigit() and len(digits) < 12 else 0
    if not isinstance(session, str) or not session or not 0 < pid < 1 << 31:
        return None
    if not _here(values.get("pidDomain")):
        return None
    if not alive(pid, values.get("procStart")):
        return Live(session, "gone", "its process is no longer there", pid)
    status = values.get("status")
    state = _STATES.get(status, "open") if isinstance(status, str) else "open"
    waiting = values.get("waitingFor")
    why = one_line(waiting, 60) if state == "waiting" and isinstance(waiting, str) else _WHY.get(str(status), "")
    since = parse_time(values.get("statusUpdatedAt")) or parse_time(values.get("startedAt"))
    return Live(session, state, why, pid, since)


def _here(domain: object) -> bool:
    """Whether process ids of `domain` ("linux:<machine>:pid:[namespace]") mean anything to us."""
    if not isinstance(domain, str) or not domain.startswith("linux:"):
        return True
    parts = domain.split(":", 2)
    if len(parts) < 3:
        return True
    machine = _machine()
    if machine and parts[1] and parts[1] != machine:
        return False
    try:
        return os.readlink("/proc/self/ns/pid") == parts[2]
    except OSError:
        return True


def _machine() -> str:
    try:
        with open("/etc/machine-id", encoding="ascii", errors="replace") as file:
            return file.read(64).strip()
    except OSError:
        return ""
