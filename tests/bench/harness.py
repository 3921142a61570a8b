"""Measuring two things in turn: machines are noisy, so ratios of medians count, never single times."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple


class Run(NamedTuple):
    """One process: seconds on the wall, seconds of CPU, MiB at most."""

    wall: float
    cpu: float
    peak: float


class Row(NamedTuple):
    """A line of the table: what, beside what, what it must be at most, and the ratio's measure (wall or cpu)."""

    what: str
    beside: str
    must: str
    ours: Sequence[Run]
    theirs: Sequence[Run]


def process(argv: Sequence[str], variables: Mapping[str, str]) -> Run:
    """Run `argv` with its output thrown away. Raises RuntimeError when it fails."""
    null = os.open(os.devnull, os.O_WRONLY)
    begin = time.perf_counter()
    pid = os.posix_spawn(argv[0], list(argv), dict(variables), file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
    _, status, used = os.wait4(pid, 0)
    wall = time.perf_counter() - begin
    os.close(null)
    if status:
        raise RuntimeError(f"{' '.join(argv)} ended with {status}")
    return Run(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def in_turn(ours: Callable[[], Run], theirs: Callable[[], Run], times: int) -> tuple[list[Run], list[Run]]:
    """A B A B, after one of each that does not count."""
    ours(), theirs()
    pairs = [(ours(), theirs()) for _ in range(times)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def median(runs: Sequence[Run]) -> Run:
    return Run(*(statistics.median(values) for values in zip(*runs, strict=True)))


def show(row: Row) -> None:
    """Print a row: both in milliseconds, the ratio by wall and by CPU, our peak."""
    ours, theirs = median(row.ours), median(row.theirs)
    print(
        f"{row.what:<52} {ours.wall * 1000:8.0f} ms  {row.beside:<34} {theirs.wall * 1000:8.0f} ms"
        f"   {ours.wall / theirs.wall:5.2f}x  cpu {ours.cpu / theirs.cpu:5.2f}x  must {row.must:<8} {ours.peak:5.0f} MiB"
    )
    sys.stdout.flush()
