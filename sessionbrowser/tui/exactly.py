"""Rows that cannot answer the query yet (`turns:`, `tokens:`, `has:`): read in a thread, handed over as they are known."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.message import Message
from textual.message_pump import MessagePump

from sessionbrowser.model import Session
from sessionbrowser.query import Query, parse

if TYPE_CHECKING:
    from sessionbrowser.index.settle import Reading

PATIENCE = 0.3  # seconds without a key before files are read
BATCH = 0.4  # seconds between two batches


class RowsRead(Message):
    """Rows with what the query asks of them; `done` of `total` were read."""

    def __init__(self, text: str, rows: list[Session], done: int, total: int) -> None:
        self.text = text
        self.rows = rows
        self.done = done
        self.total = total
        super().__init__()


class Settling:
    """Reads what a query needs to know. The next query ends it."""

    def __init__(self, library: Reading, target: MessagePump, here: str) -> None:
        self._library = library
        self._target = target
        self._here = here
        self._number = 0

    def ask(self, query: Query, rows: Sequence[Session]) -> None:
        """Read those of `rows` that do not know what `query` asks, those that match its words first."""
        self._number += 1
        threading.Thread(target=self._run, args=(self._number, query, rows), name="sb-exactly", daemon=True).start()

    def drop(self) -> None:
        """Nothing has to be known any more."""
        self._number += 1

    def _run(self, number: int, query: Query, rows: Sequence[Session]) -> None:
        from sessionbrowser.index.settle import settle  # not for the first screen

        time.sleep(PATIENCE)
        if number != self._number:
            return
        asked = _likely_first(query, query.unknown(rows, self._here))
        if not asked:
            return
        batch: list[Session] = []
        last, done, total = time.monotonic(), 0, len(asked)
        self._target.post_message(RowsRead(query.text, [], 0, total))
        try:
            for row in settle(query, self._library, asked, self._here):
                if number != self._number:
                    return
                batch.append(row)
                done += 1
                time.sleep(0)  # the one that draws comes first
                now = time.monotonic()
                if now - last > BATCH:
                    self._target.post_message(RowsRead(query.text, batch, done, total))
                    batch, last = [], now
        except sqlite3.Error:  # shown is what was read so far
            pass
        if number == self._number:
            self._target.post_message(RowsRead(query.text, batch, total, total))


def _likely_first(query: Query, rows: list[Session]) -> list[Session]:
    """`rows`, those that hold the words of the query in front."""
    if not query.words or not rows:
        return rows
    first = parse(" ".join(query.words), query.now).rank(rows).indexes
    there = set(first)
    return [rows[at] for at in (*first, *(at for at in range(len(rows)) if at not in there))]
