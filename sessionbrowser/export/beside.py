"""Two transcripts side by side by time: what the one did while, or as long after its beginning as, the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sessionbrowser.export.skeleton import Bone


class Pair(NamedTuple):
    """What happened at one time: seconds since the epoch, or since each one's beginning."""

    time: float
    left: tuple[Bone, ...]
    right: tuple[Bone, ...]


def overlap(left: Sequence[Bone], right: Sequence[Bone]) -> bool:
    """Whether the two were going on at the same time."""
    (a, b), (c, d) = span(left), span(right)
    return a <= d and c <= b


def span(bones: Sequence[Bone]) -> tuple[float, float]:
    """First and last moment; (0, 0) without any."""
    times = [bone.time for bone in bones if bone.time is not None]
    return (min(times), max(times)) if times else (0.0, 0.0)


def pairs(left: Sequence[Bone], right: Sequence[Bone], *, absolute: bool, near: float = 1.0) -> Iterator[Pair]:
    """Both merged in order; what lies within `near` seconds stands side by side."""
    starts = (0.0, 0.0) if absolute else (span(left)[0], span(right)[0])
    events = sorted([*_placed(left, 0, starts[0]), *_placed(right, 1, starts[1])], key=lambda event: (event[0], event[1], event[2]))
    held: list[tuple[float, int, int, Bone]] = []
    for event in events:
        if held and event[0] - held[0][0] > near:
            yield _pair(held)
            held = []
        held.append(event)
    if held:
        yield _pair(held)


def _placed(bones: Sequence[Bone], side: int, start: float) -> Iterator[tuple[float, int, int, Bone]]:
    """Each bone with its time; one without stays by the one before it."""
    now = start
    for index, bone in enumerate(bones):
        now = max(now, bone.time) if bone.time is not None else now
        yield now - start, side, index, bone


def _pair(held: Sequence[tuple[float, int, int, Bone]]) -> Pair:
    return Pair(held[0][0], tuple(e[3] for e in held if e[1] == 0), tuple(e[3] for e in held if e[1] == 1))
