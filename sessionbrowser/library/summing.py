"""The sums of sessions: from the cache, else from the whole file, and kept where they can be."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from sessionbrowser.index.catalogue import Catalogue
from sessionbrowser.index.rows import Row
from sessionbrowser.index.sums import KeptSums, Sums, sums_of
from sessionbrowser.model import Handle, Transcript


class Summing:
    """Adds sessions up, one at a time. `outline` may raise OSError, SourceError and the like."""

    def __init__(self, catalogue: Catalogue, outline: Callable[[Handle], Transcript]) -> None:
        self._outline = outline
        try:
            self._kept: KeptSums | None = KeptSums(catalogue)
        except sqlite3.Error:
            self._kept = None

    def of(self, row: Row) -> Sums:
        """What a session adds up to. Raises what `outline` raises."""
        found = self._known(row)
        if found is None:
            found = sums_of(self._outline(row.handle))
            self._keep(row.handle, found)
        return found

    def _known(self, row: Row) -> Sums | None:
        if self._kept is None:
            return None
        try:
            found = self._kept.get(row.handle)
            if found is not None and row.session.tokens is None:
                self._kept.fill(row.handle, found)
        except sqlite3.Error:
            return None
        return found

    def _keep(self, handle: Handle, sums: Sums) -> None:
        if self._kept is None:
            return
        try:
            self._kept.keep(handle, sums)
        except sqlite3.Error:  # added up again the next time
            return
