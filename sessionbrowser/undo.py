"""What was begun and can't be finished is taken back, whatever ended it: an error, an interrupt, the way out."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType


class OrUndo:
    """`with OrUndo(undo):` calls `undo` when the block does not come to its end; what ended it goes on."""

    def __init__(self, undo: Callable[[], object]) -> None:
        self._undo = undo

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None:
            self._undo()
