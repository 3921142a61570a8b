"""A session as other programs see it: the fields of the contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sessionbrowser import resume as way_back
from sessionbrowser.model import Counts, Session
from sessionbrowser.text import iso

if TYPE_CHECKING:
    from sessionbrowser.library import Library

_NO_COUNTS: Mapping[str, None] = dict.fromkeys(Counts._fields)


def session_json(session: Session, library: Library) -> dict[str, object]:
    """The fields of one session as the contract says."""
    counts = session.counts
    tokens = session.tokens
    return {
        "id": session.id,
        "source": session.source,
        "path": session.path,
        "key": session.key or None,
        "root": session.root or None,
        "title": session.title,
        "title_from": session.title_from,
        "cwd": session.cwd,
        "project": session.project,
        "branch": session.branch,
        "created": iso(session.created),
        "updated": iso(session.updated),
        "status": session.status,
        "status_from": session.status_from,
        "status_why": session.status_why,
        "origin": session.origin,
        "model": session.model,
        "version": session.version,
        **(counts._asdict() if counts is not None else _NO_COUNTS),
        "tokens": tokens.recorded() if tokens is not None else None,
        "subagents": session.subagents,
        "parent": session.parent,
        "forked_from": session.forked_from,
        "size": session.size,
        "damaged_lines": session.damaged_lines,
        "archived": session.archived,
        "expires": iso(session.expires),
        "specstory": session.specstory,
        "hidden": session.hidden or None,
        "unreadable": session.unreadable or None,
        "resume": resume_json(session, library),
    }


def resume_json(session: Session, library: Library) -> dict[str, object] | None:
    """How to resume a session, None when nothing can."""
    found = library.resume(session)
    if found is None:
        return None
    return {
        "argv": list(found.argv),
        "cwd": found.cwd,
        "command": way_back.command(found, library.environment),
        "warnings": list(found.warnings),
        **({"before": [list(argv) for argv in found.before]} if found.before else {}),
    }
