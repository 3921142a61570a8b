"""Background sessions: the daemon's roster says which of them have a worker, `jobs/<short>/state.json` what it is at.

A state file outlives its worker, so it is believed only while the roster names one whose process is alive.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from sessionbrowser.model import Live, Root
from sessionbrowser.sources.claude.store import read_small_json
from sessionbrowser.sources.processes import alive
from sessionbrowser.text import one_line, parse_time

_SHORT = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WORDS = {
    "running": "at work in the background", "waiting": "a background session, blocked", "open": "a background session, at rest",
}  # fmt: skip


def running(root: Root) -> list[Live]:
    """The background sessions of `root` whose workers are listed; "gone" those whose worker is no longer there."""
    workers = read_small_json(os.path.join(root.path, "daemon", "roster.json")).get("workers")
    if not isinstance(workers, Mapping):
        return []
    return [
        live for short, worker in workers.items()
        if isinstance(short, str) and isinstance(worker, Mapping) and (live := _worker(root.path, short, worker)) is not None
    ]  # fmt: skip


def _worker(home: str, short: str, worker: Mapping[str, object]) -> Live | None:
    pid = worker.get("pid")
    if not isinstance(pid, int) or isinstance(pid, bool) or not 0 < pid < 1 << 31:
        return None
    state = read_small_json(os.path.join(home, "jobs", short, "state.json")) if _SHORT.fullmatch(short) else {}
    session = worker.get("sessionId") or state.get("sessionId")
    if not isinstance(session, str) or not session:
        return None
    if not alive(pid, worker.get("procStart")):
        return Live(session, "gone", "its background worker is no longer there", pid)
    status = _status(state)
    said = state.get("needs") if status == "waiting" else state.get("detail")
    why = one_line(said, 60) if isinstance(said, str) else ""
    since = parse_time(state.get("updatedAt")) or parse_time(worker.get("startedAt"))
    return Live(session, status, why or _WORDS[status], pid, since)


def _status(state: Mapping[str, object]) -> str:
    if "blocked" in (state.get("state"), state.get("tempo")):
        return "waiting"
    if state.get("state") in ("done", "failed", "stopped") or state.get("tempo") == "idle":
        return "open"
    return "running"
