"""Sessions as rows for other programs: the fields of the contract, JSON, TSV and formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sessionbrowser import resume as way_back
from sessionbrowser.commands.output import json_bytes, raw_or_shown
from sessionbrowser.model import Counts, Session
from sessionbrowser.paths import shown
from sessionbrowser.text import age, date, iso

if TYPE_CHECKING:
    from sessionbrowser.library import Library

TSV_HEADER = ("tag", "time", "id", "directory", "title", "specstory")

_FIELD = re.compile(r"\{\{|\}\}|\{(\w+)\}")
_ESCAPE = re.compile(r"\\([tn0\\])")
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
        "tokens": tokens._asdict() if tokens is not None else None,
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


def line_of(library: Library) -> Callable[[Session], bytes]:
    """What makes the JSON line of a session."""
    return lambda session: json_bytes(session_json(session, library))


def line_version(library: Library) -> str:
    """What the JSON line of a session depends on besides the session."""
    from sessionbrowser import __version__

    return f"json 1 {__version__} {way_back.shell_of(library.environment)} {library.environment.home}".encode(
        "utf-8", "backslashreplace"
    ).decode()


def tag_of(source: str) -> str:
    """The two letters of a source."""
    from sessionbrowser import sources

    found = sources.entry(source)
    return found.tag if found else source[:2]


def tsv(session: Session, library: Library) -> tuple[str, ...]:
    """The columns of one row: tag, local time, id, directory, title, SpecStory path; fit for eyes but for id and path."""
    home = library.environment.home
    return (
        tag_of(session.source),
        date(session.updated),
        raw_or_shown(session.id),
        shown(session.cwd or "", home),
        session.title.replace("\t", " ").replace("\n", " "),
        raw_or_shown(session.specstory or ""),
    )


EXTRA = ("tag", "age", "directory", "command", "tokens_total")


def formatted(template: str, session: Session, library: Library) -> str:
    """`template` with `{field}`s of a session in it. Raises KeyError for a field there is not."""
    values = session_json(session, library)
    resume = values["resume"]
    values["tag"] = tag_of(session.source)
    values["age"] = age(max(0.0, library.environment.now() - session.updated)) if session.updated else ""
    values["directory"] = shown(session.cwd or "", library.environment.home)
    values["command"] = resume["command"] if isinstance(resume, dict) else ""
    values["tokens_total"] = session.tokens.total if session.tokens else None
    return _FIELD.sub(lambda found: _value(values, found), template)


def _value(values: Mapping[str, object], found: re.Match[str]) -> str:
    if found[0] in ("{{", "}}"):
        return found[0][0]
    value = values[found[1]]
    if value is None:
        return ""
    if isinstance(value, str):
        return raw_or_shown(value)
    return json_bytes(value).decode()


def unescaped(template: str) -> str:
    """A template as it was meant: \\t, \\n, \\0 and \\\\ stand for characters."""
    return _ESCAPE.sub(lambda found: {"t": "\t", "n": "\n", "0": "\0", "\\": "\\"}[found[1]], template)
