"""Which blocks of a session are asked for: turns, times, roles, tools. Every view starts from what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sessionbrowser.export.views import within
from sessionbrowser.labels import label
from sessionbrowser.model import Block

ROLES: Mapping[str, Callable[[Block], bool]] = {
    "user": lambda block: block.kind == "prompt" or (block.kind == "image" and not block.model),
    "assistant": lambda block: block.kind == "text",
    "thinking": lambda block: block.kind == "thinking",
    "tool": lambda block: block.kind == "tool",
    "note": lambda block: block.kind == "note",
}


class Selection(NamedTuple):
    """What of a session is wanted; empty: all of it. Times are a half-open window, seconds since the epoch."""

    turns: str = ""
    last: int = 0
    since: float | None = None
    until: float | None = None
    roles: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    @property
    def has_times(self) -> bool:
        return self.since is not None or self.until is not None


class NoTimes(Exception):
    """A format that holds no times was asked for a window."""


def chosen(blocks: Sequence[Block], wanted: Selection) -> list[Block]:
    """The blocks that are wanted, in order. Raises BadRange, NoTimes."""
    found: Iterable[Block] = within(blocks, wanted.turns, wanted.last)
    if wanted.has_times:
        found = _in_window(list(found), wanted)
    if wanted.roles:
        tests = [ROLES[role] for role in wanted.roles]
        found = (block for block in found if any(test(block) for test in tests))
    if wanted.tools:
        names = {name.lower() for name in wanted.tools}
        found = (block for block in found if block.kind == "tool" and called(block, names))
    return list(found)


def called(block: Block, names: Iterable[str]) -> bool:
    """Whether a call is of one of the tools `names` (in small letters): the agent's name for it, the one shown, or what it does."""
    return bool({block.name.lower(), label(block).lower(), block.what} & set(names))


def _in_window(blocks: Sequence[Block], wanted: Selection) -> Iterator[Block]:
    """Blocks without a time belong where the one before them does."""
    if blocks and all(block.time is None for block in blocks):
        raise NoTimes
    now = next((block.time for block in blocks if block.time is not None), 0.0)
    for block in blocks:
        now = block.time if block.time is not None else now
        if (wanted.since is None or now >= wanted.since) and (wanted.until is None or now < wanted.until):
            yield block
