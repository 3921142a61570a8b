"""Prompts that exist only in the queue: typed while a turn was running, absorbed by it, and written as no row.

Builds before attachments (2.1.5 to 2.1.42 and their neighbours) left nothing else of them.
"""

from __future__ import annotations

from typing import NamedTuple

from sessionbrowser.model import Place
from sessionbrowser.sources.claude import rows
from sessionbrowser.sources.jsonl import Record

_LONG = 8000  # characters up to which a prompt of several lines is looked through for queued ones


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
        self._joined: list[str] = []

    def operation(self, record: Record, place: Place, time: float | None, at: int) -> None:
        """Replay one queue operation."""
        name = record.get("operation")
        text = rows.text_of(record.get("content")).strip()
        if name == "enqueue":
            self._waiting.append(Waiting(text, place, time, at))
        elif name == "popAll":
            if not self._pull(text):
                self._waiting.clear()
        elif name == "dequeue":
            self._leave(text)
        elif name == "remove":
            gone = self._leave(text)
            if gone is not None and self._is_prompt(gone.text):
                self._taken.append(gone)

    def said(self, text: str) -> None:
        """Words that stand in a row."""
        text = text.strip()
        self._said.add(_mark(text))
        if "\n" in text and len(text) < _LONG:
            self._joined.append(text)

    def lost(self) -> list[Waiting]:
        """The prompts of which the queue is the only record, in order."""
        return [item for item in self._taken if not self._was_said(item.text)]

    def _leave(self, text: str) -> Waiting | None:
        """Take the prompt with these words, or the first when the record names none."""
        if text:
            return self._pull(text)
        return self._waiting.pop(0) if self._waiting else None

    def _pull(self, text: str) -> Waiting | None:
        """Take the first waiting prompt with these words."""
        for index, item in enumerate(self._waiting):
            if text and item.text == text:
                return self._waiting.pop(index)
        return None

    @staticmethod
    def _is_prompt(text: str) -> bool:
        return bool(text) and not rows.any_tag(text) and not text.startswith(("/", '{"task_id"'))

    def _was_said(self, text: str) -> bool:
        if _mark(text) in self._said:
            return True
        return any(f"\n{text}\n" in f"\n{whole}\n" for whole in self._joined)


def _mark(text: str) -> str | int:
    """What is kept of words to know them again: long ones would pile up."""
    return text if len(text) < 200 else hash(text)
