"""What a search gives, what it may be told, and what it needs of the library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from sessionbrowser.index.fulltext import Identity
from sessionbrowser.index.matching import Ranges, first_place, lines_around, snippet
from sessionbrowser.index.search_shelf import Owner
from sessionbrowser.model import Handle, Passage, Session
from sessionbrowser.paths import Environment
from sessionbrowser.query import Query
from sessionbrowser.query.tree import Leaf
from sessionbrowser.sources.base import Source
from sessionbrowser.text import for_eyes

_PLACE_OF_KIND = {"prompt": "prompts", "text": "answers", "thinking": "thinking", "tool": "tools"}


class Hit(NamedTuple):
    """One passage that matches. `session` is the session it belongs to, also when a subagent said it."""

    session: str  # raw id
    identity: Identity
    subagent: str | None  # raw id
    source: str
    title: str
    turn: int | None  # as far as the index can tell; who has the outline knows better
    kind: str  # prompt, text, thinking, tool
    time: float | None
    snippet: str
    marks: Ranges
    path: str  # raw; the file it is in
    start: int  # Place.start
    line: int | None  # filled by whoever shows it
    also: tuple[str, ...] = ()  # raw ids of sessions that share this piece of history
    lines: tuple[str, ...] = ()  # with context: the line and those around it
    at: int = 0  # which of `lines` matches
    handle: Handle | None = None  # the session or subagent it is in


class Options(NamedTuple):
    """How to search: at most `per_session` hits of each session, with `context` lines around; unindexed files too.

    With `safe`, no snippet and no line around it holds a secret.
    """

    per_session: int | None = None
    context: int = 0
    unindexed: bool = False
    use_index: bool = True
    here: str = ""
    patience: float = 0.0  # seconds until files are read because the index has nothing
    report: Callable[[int, int], None] | None = None  # told (files looked through, files) while files are read
    first: Sequence[Identity] = ()  # sessions whose hits are wanted before those of all others
    safe: bool = False


class Sessions(Protocol):
    """What a search needs of the library."""

    environment: Environment

    def source(self, name: str) -> Source: ...
    def handle(self, session: Session) -> Handle: ...
    def sessions(self) -> list[Session]: ...


def hit(owner: Owner, handle: Handle, passage: Passage, leaves: Sequence[Leaf], options: Options) -> Hit:
    """A passage as a hit of the session it belongs to."""
    session = owner.session
    text, place = _without_secrets(passage.text, leaves) if options.safe else (passage.text, first_place(leaves, passage.text))
    line, marks = snippet(text, leaves, place or 0)
    lines, at = lines_around(text, place or 0, options.context) if options.context else ((), 0)
    below = handle.id if owner.is_below(handle) else None
    return Hit(session.id, session.identity, below, session.source, session.title, None, passage.kind, passage.time, line, marks,
               handle.path, passage.start, None, (), lines, at, handle)  # fmt: skip


def _without_secrets(text: str, leaves: Sequence[Leaf]) -> tuple[str, int | None]:
    """A text with its secrets masked, as a whole so that none is cut in two, and where it matches.

    When only a secret matches, that is where the mask stands: that it matches is told, not what it is.
    """
    from sessionbrowser.safe import masked  # its patterns take long to make, and few searches need them

    text = for_eyes(text)
    found = masked(text, cut=True)
    place = first_place(leaves, found.text)
    if place is None and (hidden := first_place(leaves, text)) is not None:
        place = found.place(hidden)
    return found.text, place


def allowed(query: Query, kinds: frozenset[str] | None, *, subagent: bool) -> frozenset[str]:
    """The kinds of text that are searched in a session, or in a subagent of it (which has no prompts of a person)."""
    places = query.places
    if not subagent:
        found = frozenset(kind for kind, name in _PLACE_OF_KIND.items() if name in places)
    elif "subagents" in places:
        found = frozenset(kind for kind, name in _PLACE_OF_KIND.items() if kind != "tool" or name in places)
    else:
        found = frozenset({"tool"} if "tools" in places else ())
    return found if kinds is None else found & kinds
