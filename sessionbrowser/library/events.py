"""What a load says while it runs. Batches are newest first; a session said again replaces the one said before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sessionbrowser.model import Session, SetAside, Unreadable


class Found(NamedTuple):
    """Sessions this library had not spoken of yet."""

    sessions: tuple[Session, ...]


class Changed(NamedTuple):
    """Sessions said before of which something is different now."""

    sessions: tuple[Session, ...]


class Gone(NamedTuple):
    """Sessions that went away, by `Session.identity`."""

    identities: tuple[tuple[str, str, str], ...]


class Aside(NamedTuple):
    """Files that are no sessions, and why."""

    items: tuple[SetAside, ...]


class Trouble(NamedTuple):
    """Places that could not be read."""

    items: tuple[Unreadable, ...]


class Progress(NamedTuple):
    """How far one stage of the load is; `total` is 0 while it is not known."""

    done: int
    total: int
    what: str


class Complete(NamedTuple):
    """The end: how many sessions are shown, how many are hidden or were set aside, by reason."""

    total: int
    hidden: Mapping[str, int]
    aside: Mapping[str, int]


Event = Found | Changed | Gone | Aside | Trouble | Progress | Complete
