"""Prompts that exist only in the queue: typed while a turn was running, absorbed by it, and written as no row.

Builds before attachments (2.1.5 to 2.1.42 and their neighbours) left nothing else of them.
"""

from __future__ import annotations

from typing import NamedTuple

from sessionbrowser.model import Place
from sessionbrowser.sources.claude import rows
from sessionbrowser.sources.jsonl import Record


class Waiting(NamedTuple):
    """A prompt put into the queue: its words, where they stand, and how many blocks stood before it."""

    text: str
    place: Place
    time: float | None
    at: int


class Queue:
    """The queue replayed, and the words that did become rows."""

    def __init__(self, *, apart: bool = False) -> None:
        self._unplayed: list[tuple[object, Waiting]] | None = [] if apart else None  # nobody knows what waits before them
        self._waiting: list[Waiting] = []
        self._taken: list[Waiting] = []
        self._said: set[str | int] = set()

    def operation(self, record: Record, place: Place, time: float | None, at: int) -> None:
        """Replay one queue operation. Old builds do not say which prompt left: it was the first."""
        done = record.get("operation"), Waiting(rows.text_of(record.get("content")).strip(), place, time, at)
        if self._unplayed is not None:
            self._unplayed.append(done)
        else:
            self._play(*done)

    def _play(self, name: object, item: Waiting) -> None:
        if name == "enqueue":
            self._waiting.append(item)
        elif name == "popAll":  # back into the input box
            self._waiting.clear()
        elif name in ("dequeue", "remove") and self._waiting:
            index = next((i for i, other in enumerate(self._waiting) if item.text and other.text == item.text), 0)
            gone = self._waiting.pop(index)
            if name == "remove" and self._is_prompt(gone.text):
                self._taken.append(gone._replace(text=rows.human_part(gone.text)))

    def said(self, text: str) -> None:
        """Words that stand in a row."""
        self._said.add(_mark(text.strip()))

    def join(self, behind: Queue, shift: int) -> None:
        """Take in what was read apart behind this, `shift` blocks further on."""
        for name, item in behind._unplayed or ():
            self._play(name, item._replace(at=item.at + shift))
        self._said |= behind._said

    def lost(self) -> list[Waiting]:
        """The prompts of which the queue is the only record, in order."""
        return [item for item in self._taken if _mark(item.text) not in self._said]

    @staticmethod
    def _is_prompt(text: str) -> bool:
        return bool(rows.human_part(text)) and not text.startswith(("/", '{"task_id"'))


def _mark(text: str) -> str | int:
    """What is kept of words to know them again: long ones would pile up."""
    return text if len(text) < 200 else hash(text)
