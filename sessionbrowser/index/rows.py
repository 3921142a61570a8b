"""The rows of the catalogue in memory and on disk: what is kept of a session, and how it is packed."""

from __future__ import annotations

from sys import intern
from typing import Any, NamedTuple

from sessionbrowser.model import Counts, Handle, Root, Session, Usage

Identity = tuple[str, str, str]


class Derived(NamedTuple):
    """What the list as a whole says of one session."""

    hidden: str = ""
    forked_from: str | None = None
    specstory: str | None = None
    subagents: int | None = None


class Kin(NamedTuple):
    """What lineage is worked out from; see Source.summarise for the facts."""

    identity: Identity
    id: str
    parent: str
    live: bool
    size: int
    mtime_ns: int
    inode: int
    updated: float
    hidden: str
    first: str
    last_prompt: str
    own_prompt: bool | None
    forked_from: str | None
    mirrors: str
    subagents: int | None
    derived: Derived


class Row(NamedTuple):
    """One row as it is read: the handle it was made from and the session, what was derived filled in."""

    handle: Handle
    session: Session


_COUNTS, _TOKENS, _FACTS = (Session._fields.index(name) for name in ("counts", "tokens", "facts"))
_SHARED = tuple(Session._fields.index(name) for name in (  # said by so many rows that they share one text
    "source", "root", "title_from", "cwd", "project", "branch", "tail", "tail_why", "status", "status_from", "status_why", "origin",
    "model", "version", "hidden", "resume_cwd",
))  # fmt: skip


def pack(session: Session) -> bytes:
    """A session as bytes. Raises TypeError for text that is no Unicode."""
    import orjson  # 13 ms that an unchanged list does not pay

    values: list[object] = list(session)
    if session.counts is not None:
        values[_COUNTS] = list(session.counts)
    if session.tokens is not None:
        values[_TOKENS] = list(session.tokens)
    return orjson.dumps(values, default=str)


def unpack(data: bytes) -> Session:
    """The session that `pack` was given."""
    import orjson

    values = orjson.loads(data)
    if values[_COUNTS] is not None:
        values[_COUNTS] = Counts(*values[_COUNTS])
    if values[_TOKENS] is not None:
        values[_TOKENS] = Usage(*values[_TOKENS])
    for at in _SHARED:
        if (value := values[at]) is not None:
            values[at] = intern(value)
    if folders := values[_FACTS].get("folders_raw"):
        values[_FACTS]["folders_raw"] = [intern(folder) for folder in folders if isinstance(folder, str)]
    return Session(*values)


def apply(session: Session, derived: Derived) -> Session:
    """`session` with what the list as a whole says of it."""
    hidden, forked_from, specstory, subagents = derived
    if session[_HIDDEN] == hidden and session.forked_from == forked_from and session.specstory == specstory:
        return session if session.subagents == subagents else session._replace(subagents=subagents)
    return session._replace(hidden=hidden, forked_from=forked_from, specstory=specstory, subagents=subagents)


_HIDDEN = Session._fields.index("hidden")


def own(session: Session) -> Derived:
    """What a session says of itself."""
    return Derived(session.hidden, session.forked_from, session.specstory, session.subagents)


def kin_of(handle: Handle, session: Session) -> Kin:
    """What lineage is worked out from, of a session that is not in the catalogue."""
    facts = session.facts
    mine = facts.get("own_prompt")
    return Kin(
        session.identity, session.id, session.parent or handle.parent, handle.root.live, handle.size, handle.mtime_ns,
        handle.inode, session.updated or 0.0, session.hidden or handle.hidden, _text(facts.get("first_raw")),
        _text(facts.get("last_prompt_raw")), mine if isinstance(mine, bool) else None, session.forked_from,
        _text(facts.get("mirrors_raw")), session.subagents, own(session),
    )  # fmt: skip


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def columns(handle: Handle, session: Session) -> tuple[object, ...]:
    """The values of the session table for a row."""
    kin = kin_of(handle, session)
    return (
        handle.source, handle.path, handle.key, handle.size, handle.mtime_ns, handle.inode,
        handle.root.path, handle.root.label, handle.root.live, session.id, kin.parent, handle.hidden,
        session.updated, session.created, session.tokens.total if session.tokens else None,
        kin.first, kin.last_prompt, kin.own_prompt, session.forked_from, kin.mirrors, kin.hidden, session.subagents,
        session.damaged_lines + bool(session.unreadable), kin.hidden, session.forked_from, session.specstory, session.subagents,
    )  # fmt: skip


def read_row(values: tuple[Any, ...]) -> Row:
    """A row from the columns of a handle, the derived ones and the packed session."""
    return Row(read_handle(values[:12]), apply(unpack(values[16]), Derived(*values[12:16])))


def read_handle(values: tuple[Any, ...]) -> Handle:
    """A handle from its columns."""
    source, root, label, live, path, key, id_, size, mtime_ns, inode, given, parent = values
    return Handle(source, Root(source, root, label, bool(live)), path, key, id_, size, mtime_ns, inode, given, parent)


def read_kin(values: tuple[Any, ...]) -> Kin:
    """What lineage is worked out from, from its columns."""
    return Kin(
        values[:3], values[3], values[4], bool(values[5]), values[6], values[7], values[8], values[9] or 0.0,
        values[10], values[11], values[12], None if values[13] is None else bool(values[13]), values[14], values[15],
        values[16], Derived(*values[17:]),
    )  # fmt: skip


