"""What a session is doing now: from the agent's own registry when it has one, else from the end of its file."""

from __future__ import annotations

from sessionbrowser.model import Live, Session
from sessionbrowser.text import one_line

PATIENCE = 300.0  # seconds an open call or turn without a new line still counts as running
FORGOTTEN = 4 * 86400.0  # seconds after which a question that a turn ended in calls for nobody any more

_AT_WORK = {"calling": "running", "working": "running", "asking": "waiting"}  # while the process lives
_ENDED = {
    "asking": ("waiting", "the last answer asks something"),
    "finished": ("finished", "the last turn ended"),
    "interrupted": ("interrupted", "the last turn was interrupted"),
    "failed": ("failed", "the last turn ended in an error"),
}


def with_status(session: Session, live: Live | None, now: float) -> Session:
    """`session` with its status, where that comes from, and the reason in a few words."""
    if live is not None and live.status == "gone":
        if session.tail in ("calling", "working") or (session.tail == "unknown" and live.pid):
            return session._replace(status="interrupted", status_from="registry", status_why=one_line(live.why))
    elif live is not None and not live.status:
        if session.tail in _AT_WORK:
            return session._replace(status=_AT_WORK[session.tail], status_from="registry", status_why=session.tail_why)
    elif live is not None:
        return session._replace(
            status=live.status, status_from="registry", status_why=one_line(live.why or "in the agent's registry")
        )
    if session.hidden == "subagent" and session.tail == "asking":
        return session._replace(status="finished", status_from="inferred", status_why="a subagent's last word: nobody can answer it")
    status, why = inferred(session.tail, session.updated, now)
    return session._replace(status=status, status_from="inferred", status_why=session.tail_why or why)


def inferred(tail: str, updated: float | None, now: float) -> tuple[str, str]:
    """The status that the end of a file, its last time and the clock give, and why."""
    if tail in ("calling", "working"):
        what = "a call is open" if tail == "calling" else "a turn is open"
        if updated is None:
            return "unknown", f"{what}, at an unknown time"
        if now - updated < PATIENCE:
            return "running", what
        return "interrupted", f"{what}, but nothing more was written"
    return _ENDED.get(tail, ("unknown", ""))


def calls(session: Session, now: float) -> bool:
    """Whether a session calls for its person: its agent's registry says so, or it asked something not long ago."""
    if session.status != "waiting":
        return False
    return session.status_from == "registry" or now - (session.updated or 0.0) < FORGOTTEN


def is_settled(session: Session, now: float) -> bool:
    """Whether the status can no longer change by the clock alone."""
    if session.tail not in ("calling", "working"):
        return True
    return session.updated is None or now - session.updated >= PATIENCE
