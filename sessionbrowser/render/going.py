"""Which calls without a result are being worked on, by how their session stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sessionbrowser.model import Block

UnderWay = Callable[[Block], bool]

YOURS = ("question", "plan")  # calls that wait for the person, not for the machine


def under_way(blocks: Sequence[Block], status: str) -> UnderWay:
    """Which calls are being worked on, in a session of all these blocks and of this status."""
    last = blocks[-1].turn if blocks else 0
    return lambda block: is_under_way(block, last, status)


def is_under_way(block: Block, last: int, status: str) -> bool:
    """Whether a call is being worked on, in a session of this status whose last turn is `last`.

    In one that waits for the person, only what the person is asked: any other open call may be what waits.
    """
    if block.kind != "tool" or block.ok is not None or block.turn != last:
        return False
    return status == "running" or (status == "waiting" and block.what in YOURS)


def none_is(block: Block) -> bool:
    """What is under way where it is not known how the session stands: nothing."""
    return False
