"""What only the whole list shows: copies, forks, renderings by another tool, and how many subagents a session has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from sessionbrowser.index.rows import Derived, Identity, Kin


def derive(kin: Sequence[Kin]) -> dict[Identity, Derived]:
    """What the list as a whole says of each of its sessions."""
    hidden = {one.identity: one.hidden for one in kin}
    forked = {one.identity: one.forked_from for one in kin}
    visible = [one for one in kin if not one.hidden]
    for one in _copies(visible):
        hidden[one.identity] = "duplicate"
    for one, original in _forks([one for one in visible if not hidden[one.identity]]):
        forked[one.identity] = forked[one.identity] or original
    for one in _without_own(visible, hidden):
        hidden[one.identity] = "duplicate"
    mirrors = _mirrors(kin, hidden)
    for one in kin:
        if one.mirrors and one.identity in mirrors and not one.hidden:
            hidden[one.identity] = "mirrored"
    subagents = _subagents(kin)
    written = dict(mirrors.values())
    return {
        one.identity: Derived(
            hidden[one.identity],
            forked[one.identity],
            written.get(one.identity) or (one.derived.specstory if not one.mirrors else None),
            _told(one.subagents, *subagents.get((one.identity[0], one.id), (0, 0))),
        )
        for one in kin
    }


def _copies(kin: Iterable[Kin]) -> Iterator[Kin]:
    """Files that hold no more than another file of the same session: the same one twice, or an older copy."""
    kin = list(kin)
    one_file = _grouped(kin, lambda one: (one.inode, one.size, one.mtime_ns, one.identity[2]) if one.inode else None)
    for group in one_file:
        best = max(group, key=lambda one: (one.live, one.updated))
        yield from (one for one in group if one is not best)
    for group in _grouped(kin, lambda one: (one.identity[0], one.id) if one.id else None):
        best = max(group, key=lambda one: (one.live, one.updated, one.size, one.mtime_ns))
        for one in group:
            if one is not best and one.updated <= best.updated:
                yield one


def _forks(kin: Iterable[Kin]) -> Iterator[tuple[Kin, str]]:
    """Sessions that begin with another session's first record, and the id of that session."""
    for group in _grouped(kin, lambda one: (one.identity[0], one.first) if one.first else None):
        original = min(group, key=lambda one: (one.forked_from is not None, one.mtime_ns, one.id))
        for one in group:
            if one.id != original.id:
                yield one, original.id


def _without_own(kin: Sequence[Kin], hidden: Mapping[Identity, str]) -> list[Kin]:
    """Forks and copies in which nobody entered anything."""
    shown = [one for one in kin if not hidden[one.identity]]
    ids = {(one.identity[0], one.id) for one in shown}
    dropped = [one for one in shown if one.own_prompt is False and (one.identity[0], one.forked_from or "") in ids]
    gone = {one.identity for one in dropped}
    rest = [one for one in shown if one.identity not in gone and one.first and one.last_prompt]
    for group in _grouped(rest, lambda one: (one.identity[0], one.first, one.last_prompt)):
        best = max(group, key=lambda one: (one.live, one.updated, one.forked_from is None, -one.mtime_ns))
        dropped += [one for one in group if one is not best]
    return dropped


def _mirrors(kin: Sequence[Kin], hidden: Mapping[Identity, str]) -> dict[Identity, tuple[Identity, str]]:
    """For each rendering of a listed session: that session, and the rendering's path."""
    if not any(one.mirrors for one in kin):
        return {}
    natives = {one.id: one.identity for one in kin if not one.mirrors and hidden[one.identity] in ("", "headless", "archived")}
    return {
        one.identity: (natives[one.mirrors], one.identity[1]) for one in kin if one.mirrors and one.mirrors in natives
    }


def _subagents(kin: Iterable[Kin]) -> dict[tuple[str, str], tuple[int, int]]:
    """By session: how many subagents it has, and how many transcripts lie below it, warm-ups and the like included.

    They belong to the session they name, wherever they lie. The tree looks for those of old builds, which lie among the sessions
    of a project, in the session's own project only: for the others it would have to open every such file there is.
    """
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for one in kin:
        if one.hidden in ("subagent", "internal") and one.parent:
            own, every = counts.get((one.identity[0], one.parent), (0, 0))
            counts[one.identity[0], one.parent] = own + (one.hidden == "subagent"), every + 1
    return counts


def _told(said: int | None, counted: int, read: int) -> int | None:
    """How many subagents a session has that speaks of `said`, where `read` transcripts below it were read, `counted` of subagents.

    What it says may be older than the newest of them; and it knows files by their names, while only what is in one tells
    a warm-up, which nobody gave a task, from a subagent.
    """
    if said is None:
        return counted if read else None
    return counted if read >= said > 0 else max(said, counted)


def _grouped(kin: Iterable[Kin], key: Callable[[Kin], object]) -> Iterator[list[Kin]]:
    """Groups of more than one that share a key; those without one (None) are left out."""
    groups: dict[object, list[Kin]] = defaultdict(list)
    for one in kin:
        if (name := key(one)) is not None:
            groups[name].append(one)
    return (group for group in groups.values() if len(group) > 1)
