"""Where in a session a hit stands: the number of its turn and of its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessionbrowser.index.fulltext import TROUBLE, grows
from sessionbrowser.sources.jsonl import open_file

if TYPE_CHECKING:
    from sessionbrowser.index.search import Hit
    from sessionbrowser.library import Library
    from sessionbrowser.model import Handle

CHUNK = 1 << 20
Turns = list[tuple[int, int]]  # (start of a block, number of its turn), in file order


class Places:
    """Turns and lines, each file read once however many hits it has."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._turns: dict[tuple[str, str], Turns] = {}
        self._lines: dict[str, tuple[int, int]] = {}  # path -> (start, line) of the last answer

    def of(self, hit: Hit) -> tuple[int | None, int | None]:
        """(turn, line) of a hit; None for what cannot be told."""
        if hit.handle is None:
            return None, None
        return self._turn(hit, hit.handle), self._line(hit, hit.handle)

    def _turn(self, hit: Hit, handle: Handle) -> int | None:
        key = (handle.path, handle.key)
        if key not in self._turns:
            try:
                blocks = self._library.outline(handle).blocks
            except TROUBLE:
                blocks = ()
            self._turns[key] = [(block.place.start, block.turn) for block in blocks if not block.place.path]
        turns = self._turns[key]
        exact = next((turn for start, turn in turns if start == hit.start), None)
        if exact is not None:
            return exact
        before = [(start, turn) for start, turn in turns if start < hit.start]
        return max(before)[1] if before else None

    def _line(self, hit: Hit, handle: Handle) -> int | None:
        if not grows(handle):
            return None
        start, line = self._lines.get(handle.path, (0, 1))
        if hit.start < start:
            start, line = 0, 1
        try:
            with open_file(handle.path) as file:
                file.seek(start)
                left = hit.start - start
                while left > 0 and (chunk := file.read(min(CHUNK, left))):
                    line += chunk.count(b"\n")
                    left -= len(chunk)
        except OSError:
            return None
        self._lines[handle.path] = (hit.start, line)
        return line
