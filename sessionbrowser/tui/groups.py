"""Grouping rows: by repository, folder, source or day. Plain data in, plain data out."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from sessionbrowser.library.repository import home_of
from sessionbrowser.model import Session
from sessionbrowser.paths import Environment, project_of, shown
from sessionbrowser.tui.facts import source_label

KINDS = ("", "repository", "folder", "source", "day")
DAY = 86400.0
NOWHERE = "no directory"


class Row(NamedTuple):
    """A row in its group: which session, and the characters of its fields to mark."""

    index: int  # type: ignore[assignment]
    marks: Mapping[str, tuple[tuple[int, int], ...]] = {}


class Header(NamedTuple):
    """What stands over a group."""

    key: str
    label: str  # for eyes
    size: int
    statuses: Mapping[str, int]
    folded: bool


class Grouped(NamedTuple):
    """Rows in groups: positions of the rows as they were, and the headers by the place they stand over."""

    places: list[int]
    headers: dict[int, Header]


def namer(kind: str, environment: Environment) -> Callable[[Session], tuple[str, str]]:
    """What gives a session's group as (key, label); `kind` is one of KINDS but the first."""
    now = environment.now()

    def repository(session: Session) -> tuple[str, str]:
        home = home_of(session.cwd) if session.cwd else ""
        return home, f"{project_of(home)}  {shown(home, environment.home)}" if home else NOWHERE

    def folder(session: Session) -> tuple[str, str]:
        return session.cwd or "", shown(session.cwd, environment.home) if session.cwd else NOWHERE

    def source(session: Session) -> tuple[str, str]:
        return session.source, source_label(session.source)

    def day(session: Session) -> tuple[str, str]:
        return day_of(session.updated, now)

    return {"repository": repository, "folder": folder, "source": source, "day": day}[kind]


def day_of(updated: float | None, now: float) -> tuple[str, str]:
    """The day of an activity as people say it."""
    if updated is None:
        return "", "at an unknown time"
    key = time.strftime("%Y-%m-%d", time.localtime(updated))
    for ago, words in ((0, "today"), (1, "yesterday")):
        if key == time.strftime("%Y-%m-%d", time.localtime(now - ago * DAY)):
            return key, words
    return key, time.strftime("%A, ", time.localtime(updated)) + key if now - updated < 7 * DAY else key


def group(sessions: Iterable[Session], name: Callable[[Session], tuple[str, str]], folded: set[str]) -> Grouped:
    """Sessions in groups, the groups in the order of their first ones. Of a folded group only the first is left."""
    members: dict[str, list[int]] = {}
    labels: dict[str, str] = {}
    statuses: dict[str, Counter[str]] = {}
    for place, session in enumerate(sessions):
        key, label = name(session)
        labels.setdefault(key, label)
        members.setdefault(key, []).append(place)
        statuses.setdefault(key, Counter())[session.status] += 1
    places: list[int] = []
    headers: dict[int, Header] = {}
    for key, places_of in members.items():
        headers[len(places)] = Header(key, labels[key], len(places_of), statuses[key], key in folded)
        places += places_of[:1] if key in folded else places_of
    return Grouped(places, headers)


def key_at(headers: Mapping[int, Header], place: int) -> Header | None:
    """The header of the group that a place belongs to."""
    starts = [start for start in headers if start <= place]
    return headers[max(starts)] if starts else None


def rows_of(grouped: Grouped, rows: Sequence[Row] | None) -> list[Row]:
    """The rows in their groups."""
    if rows is None:
        return [Row(place) for place in grouped.places]
    return [Row(rows[place].index, rows[place].marks) for place in grouped.places]
