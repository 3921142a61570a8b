"""What was said in a session, kept while its outline is read: who shows all of it need not read every body again."""

from __future__ import annotations

from sys import getsizeof

from sessionbrowser.model import Place
from sessionbrowser.text import for_eyes

ROOM = 16 << 20  # bytes of text that are kept; what came later is read again


class Texts:
    """Prompts and answers by their places, raw inside, for eyes outside; the first ones, as many as there is room for."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._kept: dict[Place, str] = {}

    def __getstate__(self) -> dict[str, object]:
        """For another process: plain tuples are equal to places, and handed over three times as fast."""
        return {"_room": self._room, "_kept": {tuple(place): raw for place, raw in self._kept.items()}}

    def keep(self, place: Place, raw: str) -> None:
        """Keep what was said at `place`; of two texts of one place the first is its body."""
        self._room -= getsizeof(raw)
        if self._room >= 0:
            self._kept.setdefault(place, raw)

    def join(self, behind: Texts) -> None:
        """Keep what was said further on, as far as there is room."""
        for place, raw in behind._kept.items():
            self.keep(place, raw)

    def get(self, place: Place) -> str | None:
        """What was said at `place`; None when it was not kept."""
        raw = self._kept.get(place)
        return None if raw is None else for_eyes(raw)
