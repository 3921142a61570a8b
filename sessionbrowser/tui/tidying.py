"""When garbage is collected: while nobody waits for a frame, which a collection in its midst would hold up."""

from __future__ import annotations

import gc
import time

EVERY, PAUSE = 0.5, 0.15  # seconds between two looks; without a key or a mouse before anything is done
SOME = 4_000  # new objects that are worth it
MOST = 200_000  # new objects at which it is done whoever waits


def settle() -> None:
    """Everything is loaded and stays: no later collection need look at it."""
    gc.freeze()
    gc.set_threshold(MOST, 20, 50)
    gc.enable()


class Tidying:
    """Looks now and then whether there is garbage, and a moment to collect it in."""

    def __init__(self) -> None:
        self._touched = 0.0

    def touched(self) -> None:
        """A key or the mouse: what it leads to comes first."""
        self._touched = time.monotonic()

    def look(self) -> None:
        """Collect what is new, and what stayed before every so many times; nothing until everything is loaded."""
        new, young, old = gc.get_count()
        if gc.isenabled() and new > SOME and time.monotonic() - self._touched > PAUSE:
            gc.collect(2 if old > 50 else 1 if young > 20 else 0)
