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

    def __init__(self) -> None:
        self._waiting: list[Waiting] = []
        self._taken: list[Waiting] = []
        self._said: set[str | int] = set()

    def operation(self, record: Record, place: Place, time: float | None, at: int) -> None:
        """Replay one queue operation. Old builds do not say which prompt left: it was the first."""
        name = record.get("operation")
        text = rows.text_of(record.get("content")).strip()
        if name == "enqueue":
            self._waiting.append(Waiting(text, place, time, at))
        elif name == "popAll":  # back into the input box
            self._waiting.clear()
        elif name in ("dequeue", "remove") and self._waiting:
            index = next((i for i, item in enumerate(self._waiting) if text and item.text == text), 0)
            gone = self._waiting.pop(index)
            if name == "remove" and self._is_prompt(gone.text):
                self._taken.append(gone._replace(text=rows.human_part(gone.text)))

    def said(self, text: str) -> None:
        """Words that stand in a row."""
        self._said.add(_mark(text.strip()))

    def lost(self) -> list[Waiting]:
        """The prompts of which the queue is the only record, in order."""
        return [item for item in self._taken if _mark(item.text) not in self._said]

    @staticmethod
    def _is_prompt(text: str) -> bool:
        return bool(rows.human_part(text)) and not text.startswith(("/", '{"task_id"'))


def _mark(text: str) -> str | int:
    """What is kept of words to know them again: long ones would pile up."""
    return text if len(text) < 200 else hash(text)
