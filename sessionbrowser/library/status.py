"""What a session is doing now: from the agent's own registry when it has one, else from the end of its file."""

from __future__ import annotations

from sessionbrowser.model import Live, Session
from sessionbrowser.text import one_line

PATIENCE = 300.0  # seconds an open call or turn without a new line still counts as running
DAY = 86400.0
QUESTION_DAYS = 4  # midnights (UTC) after which nobody waits any more for an answer to the question a turn ended in

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
    if session.tail != "asking" or status == "waiting":
        why = session.tail_why or why
    return session._replace(status=status, status_from="inferred", status_why=why)


def inferred(tail: str, updated: float | None, now: float) -> tuple[str, str]:
    """The status that the end of a file, its last time and the clock give, and why."""
    if tail in ("calling", "working"):
        what = "a call is open" if tail == "calling" else "a turn is open"
        if updated is None:
            return "unknown", f"{what}, at an unknown time"
        if now - updated < PATIENCE:
            return "running", what
        return "interrupted", f"{what}, but nothing more was written"
    if tail == "asking" and (updated is None or day_of(now) - day_of(updated) >= QUESTION_DAYS):
        return "finished", "the last answer asks something, but was left alone for days"
    return _ENDED.get(tail, ("unknown", ""))


def day_of(moment: float) -> int:
    """The day of a moment: what lasts until midnight is kept under it."""
    return int(moment // DAY)


def has_aged(session: Session, now: float) -> bool:
    """Whether the clock alone has changed the status that `session` was given."""
    if session.status not in ("running", "waiting") or session.status_from != "inferred":
        return False
    return with_status(session, None, now).status != session.status


def is_settled(session: Session, now: float) -> bool:
    """Whether the status can no longer change by the clock alone before the day is over."""
    if session.tail not in ("calling", "working"):
        return True
    return session.updated is None or now - session.updated >= PATIENCE
