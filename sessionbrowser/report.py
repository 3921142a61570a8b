"""How long it took: wall time, the agent's working time, and the person's attention.

*Wall*: of a session, from the first to the last thing that happened; of several together, the time in which any of them
was going on or had the person's attention, each second once. *Working*: the time in a turn, from its prompt to the last
thing in it, without pauses longer than the break in which no call ran. *Attention*: all prompts of all sessions are
one stream of a person's doings; the time between two of them that are no further apart than the break was spent on
the session of the later one. A prompt after a longer pause begins anew and counts nothing by itself.

All within a half-open window; every second of attention counts once, whatever ran side by side.
"""

from __future__ import annotations

import time as _time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.model import Block, Session
from sessionbrowser.timeline import Window, outlines

if TYPE_CHECKING:
    from sessionbrowser.library import Library

GROUPS = ("session", "project", "source", "day")
BREAK = 600.0  # seconds

Interval = tuple[float, float]


class Activity(NamedTuple):
    """The times of one session: its prompts, all that happened, and when the agent worked."""

    session: Session
    prompts: tuple[float, ...]
    moments: tuple[float, ...]
    working: tuple[Interval, ...]
    untimed: int = 0  # prompts that the format gives no time
    shared: int = 0  # prompts of history shared with the session it was forked from: told there


class Line(NamedTuple):
    """One row of a report. Times are seconds; `sessions` are raw ids."""

    name: str
    sessions: tuple[str, ...]
    first: float
    last: float
    prompts: int
    wall: float
    working: float
    attention: float
    session: Session | None = None


def activity(session: Session, blocks: Iterable[Block], window: Window, pause: float) -> Activity:
    """When what happened in a session, within the window."""
    prompts: list[float] = []
    moments: list[float] = []
    working: list[Interval] = []
    turn: list[Block] = []
    untimed = shared = 0
    for block in blocks:
        if block.time is None or block.copied:
            if block.kind == "prompt" and block.what != "subagent":
                shared += block.copied
                untimed += not block.copied
            continue
        if block.kind == "prompt":
            working += _working(turn, pause)
            turn = []
            if block.what != "subagent" and window.holds(block.time):
                prompts.append(block.time)
        turn.append(block)
        moments += [moment for moment in (block.time, block.ended) if moment is not None and window.holds(moment)]
    working += _working(turn, pause)
    return Activity(session, tuple(prompts), tuple(sorted(moments)), tuple(clipped(union(working), window)), untimed, shared)


def _working(turn: Sequence[Block], pause: float) -> list[Interval]:
    """When the agent worked in one turn."""
    if not turn:
        return []
    moments = sorted({moment for block in turn for moment in (block.time, block.ended) if moment is not None})
    found = [(a, b) for a, b in pairwise(moments) if b - a <= pause]
    found += [(block.time, block.ended) for block in turn if block.time is not None and block.ended is not None and block.ended > block.time]
    return union(found)


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """The same time, each second once."""
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def clipped(intervals: Iterable[Interval], window: Window) -> Iterator[Interval]:
    """What of `intervals` lies in the window."""
    for start, end in intervals:
        start = max(start, window.since) if window.since is not None else start
        end = min(end, window.until) if window.until is not None else end
        if end > start:
            yield start, end


def attention(activities: Sequence[Activity], pause: float) -> Iterator[tuple[float, float, Activity]]:
    """The pieces of the person's time: (seconds, when, whose session)."""
    stream = sorted(((moment, index) for index, item in enumerate(activities) for moment in item.prompts))
    for (before, _), (moment, index) in pairwise(stream):
        if moment - before <= pause:
            yield moment - before, moment, activities[index]


def length(intervals: Iterable[Interval]) -> float:
    return sum(end - start for start, end in intervals)


class Report(NamedTuple):
    """The rows, most attention first (days in order), and all of it together."""

    lines: list[Line]
    total: Line
    unreadable: list[tuple[str, str]]
    untimed: int = 0  # prompts without a time: in no row
    shared: int = 0  # prompts of shared history, in the row of the session they were entered in


def report(library: Library, sessions: Sequence[Session], window: Window, *, by: str = "session", pause: float = BREAK,
           progress: Callable[[int, int], None] | None = None) -> Report:  # fmt: skip
    """Sum up what was done in the window."""
    unreadable: list[tuple[str, str]] = []
    every = [activity(session, blocks, window, pause) for session, blocks in outlines(library, sessions, window, unreadable, progress)]
    found = [item for item in every if item.moments]
    spent = list(attention(found, pause))
    groups: dict[str, list[Activity]] = {}
    for item in found:
        for name in _groups(item, by):
            groups.setdefault(name, []).append(item)
    lines = [_line(name, by, items, spent) for name, items in groups.items()]
    lines.sort(key=(lambda line: line.name) if by == "day" else lambda line: (-line.attention, -line.working, line.name))
    total = together(found, spent)
    return Report(lines, total, unreadable, sum(item.untimed for item in every), sum(item.shared for item in every))


def _groups(item: Activity, by: str) -> Iterable[str]:
    if by == "session":
        return ["\0".join(item.session.identity)]
    if by == "day":
        return dict.fromkeys(day(moment) for moment in item.moments)
    return [getattr(item.session, by) or "–"]


def day(moment: float) -> str:
    """The local day of a moment."""
    return _time.strftime("%Y-%m-%d", _time.localtime(moment))


def _line(name: str, by: str, items: Sequence[Activity], spent: Sequence[tuple[float, float, Activity]]) -> Line:
    window = _day_window(name) if by == "day" else Window()
    mine = {id(item) for item in items}
    pieces = [(took, moment, item) for took, moment, item in spent if id(item) in mine and window.holds(moment)]
    line = together([_within(item, window) for item in items] if by == "day" else items, pieces)
    if by != "session":
        return line._replace(name=name)
    session = items[0].session
    return line._replace(name=session.title or session.id, wall=line.last - line.first, session=session)


def _within(item: Activity, window: Window) -> Activity:
    return Activity(item.session, tuple(p for p in item.prompts if window.holds(p)), tuple(m for m in item.moments if window.holds(m)),
                    tuple(clipped(item.working, window)))  # fmt: skip


def _day_window(name: str) -> Window:
    from datetime import datetime, timedelta

    start = datetime.strptime(name, "%Y-%m-%d")
    try:
        return Window(start.timestamp(), (start + timedelta(days=1)).timestamp())
    except OverflowError:  # the last day there is
        return Window(start.timestamp())


def together(items: Sequence[Activity], spent: Sequence[tuple[float, float, Activity]]) -> Line:
    """Several sessions as one row, with the pieces of attention that went to them."""
    spans = union((item.moments[0], item.moments[-1]) for item in items if item.moments)
    working = (interval for item in items for interval in item.working)  # a turn may go on past the day's last moment
    wall = union([*spans, *working, *((moment - took, moment) for took, moment, _ in spent)])
    return Line(
        "all", tuple(item.session.id for item in items), spans[0][0] if spans else 0.0, spans[-1][1] if spans else 0.0,
        sum(len(item.prompts) for item in items), length(wall), sum(length(item.working) for item in items),
        sum(took for took, _, _ in spent),
    )  # fmt: skip
