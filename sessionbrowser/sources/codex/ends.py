"""Head and tail of a rollout: what they say, without what lies between."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from sessionbrowser.model import Handle, Usage
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.codex import files, injected, pages
from sessionbrowser.sources.codex.ending import Ending
from sessionbrowser.sources.codex.records import NOTHING, Item, Payload, parse, text_of, whole, words
from sessionbrowser.sources.codex.state import PROMPT_RANKS, settings_of, total_in
from sessionbrowser.text import for_eyes

WHOLE = 64 << 10  # bytes; a file up to this size is read in full
HEAD, HEAD_LIMIT = 32 << 10, 2 << 20
TAIL, TAIL_LIMIT = 16 << 10, 512 << 10
_BACK, _FARTHEST = 128 << 10, 4 << 20  # how far up the last settings and prompt are looked for, in growing pieces
_CWD = ("<cwd>", "</cwd>")


class Head:
    """What the beginning of a file says."""

    def __init__(self) -> None:
        self.meta: Payload = NOTHING
        self.metas = 0
        self.first_time: float | None = None
        self.settings: dict[str, object] = {}
        self.cwd = ""
        self.model = ""
        self.prompts: dict[int, str] = {}  # the first prompt of each form
        self.own_prompt = False
        self.tasks = False  # the file marks where turns begin and end
        self.first_ordinal = 0
        self.damaged = 0

    def take(self, item: Item, number: int) -> None:
        if self.first_time is None:
            self.first_time = item.time
        if item.kind == "meta":
            self._meta(item.payload)
        if self.is_anothers(item, number):
            return
        if item.kind == "turn":
            self.settings = self.settings or settings_of(item)
            self.cwd = self.cwd or words(item.payload, "cwd")
        elif item.kind == "event:task_started":
            self.tasks = self.tasks or "turn_id" in item.payload
        elif found := prompt_of(item):
            self.prompts.setdefault(*found)
        elif item.kind == "item:message" and not self.cwd:
            self.cwd = _environment_cwd(item.payload)
        if item.kind.startswith("item:") and not self.model:
            self.model = for_eyes(words(item.payload, "model"))

    def _meta(self, payload: Payload) -> None:
        self.metas += 1
        if not self.meta:
            self.meta = payload
            self.first_ordinal = whole(payload, "subagent_history_start_ordinal") or 0

    def is_anothers(self, item: Item, number: int) -> bool:
        """Whether the line `number` is a subagent's copy of what its parent had done before."""
        return (item.ordinal if item.ordinal is not None else number) < self.first_ordinal

    def prompt(self) -> str:
        return self.prompts[max(self.prompts)] if self.prompts else ""


def prompt_of(item: Item) -> tuple[int, str] | None:
    """The rank and the words of a prompt, None when a record is none."""
    if item.kind == "event:user_message":
        text = injected.event_prompt(item.payload)
    elif item.kind == "done:UserMessage":
        text = None if injected.done_label(item.payload) else injected.done_prompt(item.payload)
    elif item.kind == "item:message" and item.payload.get("role") == "user":
        text = injected.message_prompt(item.payload)
    elif item.kind == "item:agent_message":
        words_of = text_of(item.payload.get("content"))
        text = words_of.partition("Payload:")[2].strip() if "NEW_TASK" in words_of[:400] else None
        return (0, text) if text else None
    else:
        return None
    return None if text is None else (PROMPT_RANKS[item.kind], text)


def _environment_cwd(payload: Payload) -> str:
    text = text_of(payload.get("content"))
    start, end = text.find(_CWD[0]), text.find(_CWD[1])
    return text[start + len(_CWD[0]) : end].strip() if 0 <= start < end else ""


class Tail:
    """What the end of a file says: the last settings, count of tokens, prompt and time; and how it ends."""

    def __init__(self, tasks: bool) -> None:
        self.ending = Ending(tasks)
        self.settings: dict[str, object] = {}
        self.cwd = ""
        self.time: float | None = None
        self.recorded: Usage | None = None
        self.counted: Usage | None = None
        self.prompts: dict[int, str] = {}
        self.name = ""
        self.damaged = 0
        self.own_prompt = False

    def take(self, item: Item) -> None:
        if item.time is not None:
            self.time = item.time if self.time is None else max(self.time, item.time)
        if item.kind == "turn":
            self.settings = settings_of(item)
            self.cwd = words(item.payload, "cwd") or self.cwd
        elif item.kind == "event:thread_name_updated":
            self.name = words(item.payload, "thread_name")
        elif (total := total_in(item)) is not None:
            if item.kind == "usage":
                self.recorded = total
            else:
                self.counted = total
        found = prompt_of(item)
        if found:
            self.prompts[found[0]] = found[1]
        self.ending.take(item, found is not None)

    def prompt(self) -> str:
        return self.prompts[max(self.prompts)] if self.prompts else ""

    def knows_enough(self) -> bool:
        return self.time is not None and self.ending.tail != "unknown"


class Read(NamedTuple):
    head: Head
    tail: Tail
    whole: bool


def read_ends(handle: Handle) -> Read:
    """Head and tail of a rollout. Raises OSError or SourceError."""
    path, size = handle.path, handle.size
    if path.endswith(".json"):
        lines = list(files.lines(path))
        return _both(lines, lines, whole=True)
    if path.endswith(".zst"):
        first, last = files.first_and_last(path, HEAD_LIMIT, TAIL_LIMIT)
        whole = len(first) < HEAD_LIMIT
        head = files.split(first if whole else first[: first.rfind(b"\n") + 1])
        return _both(head, files.split(last[last.find(b"\n") + 1 :]), whole=whole)
    if size <= WHOLE:
        lines = jsonl.head(path, max(size, 0) + HEAD)
        return _both(lines, lines, whole=True)
    return _growing(path)


def with_beginning(read: Read, handle: Handle, locate: pages.Locate) -> Read:
    """The ends of a page with the beginning of its session, which is in another file. Raises OSError or SourceError.

    A page that holds no prompt yet ends as the conversation did where it was taken back to.
    """
    page, seen = handle.path, {handle.path}
    while (base := pages.base_of(read.head.meta, locate)) and base.path not in seen and pages.same_session(page, base.path):
        seen.add(base.path)
        page = base.path
        found = read_ends(handle._replace(path=base.path, size=os.stat(base.path).st_size))
        tail = read.tail if read.tail.prompts or not base.path.endswith(".jsonl") else _tail_before(base, read.tail, found.head)
        read = Read(found.head, tail, False)
    return read


def _tail_before(base: pages.Base, page: Tail, head: Head) -> Tail:
    begin = max(0, base.end - TAIL_LIMIT)
    tail = _tail(files.split(jsonl.read_at(base.path, begin, base.end - begin))[bool(begin) :], head)
    tail.time = max(filter(None, (tail.time, page.time)), default=None)
    return tail


def _both(head: list[jsonl.Line], tail: list[jsonl.Line], *, whole: bool) -> Read:
    if not whole:
        first = _head(head)
        return Read(first, _tail(tail, first), False)
    first, last = Head(), Tail(False)
    for number, line in enumerate(head):
        reading = jsonl.read(line.data)
        last.damaged += bool(reading.damage) and line.whole
        for record in reading.records:
            item = parse(record)
            first.take(item, number)
            if not first.is_anothers(item, number):
                last.take(item)
    return Read(first, last, True)


def _growing(path: str) -> Read:
    size = HEAD
    while True:
        lines = jsonl.head(path, size)
        head = _head(lines)
        if size >= HEAD_LIMIT or (head.prompts and head.meta):
            break
        size *= 4
    size = TAIL
    while True:
        lines, whole = jsonl.tail(path, size)
        tail = _tail(lines, head)
        if whole or size >= TAIL_LIMIT or tail.knows_enough():
            break
        size *= 4
    marks = _MARKS.get(max(head.prompts, default=0), ())
    size = max(size, _BACK)
    while (head.settings and not tail.settings) or (marks and not tail.prompts):
        lines, whole = jsonl.tail(path, size)
        _look_back(lines, tail, marks)
        if whole or size >= _FARTHEST:
            break
        size *= 4
    return Read(head, tail, False)


_MARKS: dict[int, tuple[bytes, ...]] = {  # of the best form of prompts that a file shows
    PROMPT_RANKS["item:message"]: (b'"role":"user"', b'"role": "user"'),
    PROMPT_RANKS["event:user_message"]: (b'"user_message"', b'"UserMessage"'),
    PROMPT_RANKS["done:UserMessage"]: (b'"user_message"', b'"UserMessage"'),
}


def _look_back(lines: list[jsonl.Line], tail: Tail, marks: tuple[bytes, ...]) -> None:
    """The last settings and the last prompt, farther up than lines were parsed: found by their bytes."""
    settings, prompt = bool(tail.settings), bool(tail.prompts) or not marks
    for line in reversed(lines):
        if settings and prompt:
            return
        begin = line.data[:400]
        if not settings and b'"turn_context"' in begin:
            for item in items_of(line):
                if item.kind == "turn":
                    tail.settings, tail.cwd, settings = settings_of(item), words(item.payload, "cwd"), True
        elif not prompt and any(mark in begin for mark in marks):
            for item in items_of(line):
                if found := prompt_of(item):
                    tail.prompts[found[0]] = found[1]
                    prompt = True


def items_of(line: jsonl.Line) -> Iterator[Item]:
    for record in jsonl.read(line.data).records:
        yield parse(record)


def _head(lines: list[jsonl.Line]) -> Head:
    head = Head()
    for number, line in enumerate(lines):
        reading = jsonl.read(line.data)
        head.damaged += bool(reading.damage) and line.whole
        for record in reading.records:
            head.take(parse(record), number)
    return head


def _tail(lines: list[jsonl.Line], head: Head) -> Tail:
    tail = Tail(head.tasks)
    for line in lines:
        reading = jsonl.read(line.data)
        tail.damaged += bool(reading.damage) and line.whole
        for record in reading.records:
            item = parse(record)
            if item.ordinal is None or not head.is_anothers(item, 0):
                tail.take(item)
    return tail
