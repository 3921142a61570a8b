"""Sessions as rows for other programs: the fields of the contract, JSON, TSV and formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sessionbrowser import resume as way_back
from sessionbrowser.commands.output import json_bytes, raw_or_shown
from sessionbrowser.export.record import resume_json, session_json
from sessionbrowser.model import Session
from sessionbrowser.paths import shown
from sessionbrowser.text import age, date

if TYPE_CHECKING:
    from sessionbrowser.library import Library

__all__ = [
    "TSV_HEADER", "formatted", "line_of", "line_version", "resume_json", "session_json", "tag_of", "tsv", "unescaped",
    "unreadable_json",
]  # fmt: skip

TSV_HEADER = ("tag", "time", "id", "directory", "title", "specstory")

_FIELD = re.compile(r"\{\{|\}\}|\{(\w+)\}|[{}]")
_ESCAPE = re.compile(r"\\([tn0\\])")


def line_of(library: Library) -> Callable[[Session], bytes]:
    """What makes the JSON line of a session."""
    return lambda session: json_bytes(session_json(session, library))


def line_version(library: Library) -> str:
    """What the JSON line of a session depends on besides the session."""
    from sessionbrowser import __version__

    return f"json 3 {__version__} {way_back.shell_of(library.environment)} {library.environment.home}".encode(
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


def unreadable_json(library: Library, *, safe: bool = False) -> list[dict[str, str]]:
    """The places and sessions of the last load that could not be read, as the contract says; `safe`: secrets masked."""
    found = library.unreadable()
    if safe and found:
        from sessionbrowser.safe import mask

        found = [item._replace(reason=mask(item.reason, cut=True)) for item in found]
    return [{"path": item.path, "reason": item.reason} for item in found]


class BadTemplate(ValueError):
    """A template that can't be read; the message is for eyes."""


def formatted(template: str, session: Session, library: Library) -> str:
    """`template` with `{field}`s of a session in it. Raises KeyError for a field there is not, BadTemplate."""
    values = session_json(session, library)
    resume = values["resume"]
    values["tag"] = tag_of(session.source)
    values["age"] = age(max(0.0, library.environment.now() - session.updated)) if session.updated else ""
    values["directory"] = shown(session.cwd or "", library.environment.home)
    values["command"] = resume["command"] if isinstance(resume, dict) else ""
    values["tokens_total"] = (session.tokens.total or None) if session.tokens else None
    values["turns"] = values["prompts"]  # the word of the query language
    return _FIELD.sub(lambda found: _value(values, found), template)


def _value(values: Mapping[str, object], found: re.Match[str]) -> str:
    if found[0] in ("{{", "}}"):
        return found[0][0]
    if found[1] is None:
        raise BadTemplate("in a template a brace stands around the name of a field; one that is meant itself is written twice, {{ or }}")
    value = values[found[1]]
    if value is None:
        return ""
    if isinstance(value, str):
        return raw_or_shown(value)
    return json_bytes(value).decode()


def unescaped(template: str) -> str:
    """A template as it was meant: \\t, \\n, \\0 and \\\\ stand for characters."""
    return _ESCAPE.sub(lambda found: {"t": "\t", "n": "\n", "0": "\0", "\\": "\\"}[found[1]], template)
