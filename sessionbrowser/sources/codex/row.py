"""The row of a session, from the head and the tail of its file: never from what is between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sessionbrowser.model import Handle, Session, Usage
from sessionbrowser.paths import project_of
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.codex import files, injected
from sessionbrowser.sources.codex.ending import Ending
from sessionbrowser.sources.codex.origin import Origin, origin_of
from sessionbrowser.sources.codex.records import NOTHING, Item, Payload, parse, text_of, within, words
from sessionbrowser.sources.codex.state import PROMPT_RANKS, settings_of, total_in
from sessionbrowser.text import for_eyes, iso, one_line, parse_time

WHOLE = 64 << 10  # bytes; a file up to this size is read in full
HEAD, HEAD_LIMIT = 32 << 10, 2 << 20
TAIL, TAIL_LIMIT = 16 << 10, 512 << 10
PROMPT_LIMIT = 300
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
        if self.first_ordinal and (item.ordinal if item.ordinal is not None else number) < self.first_ordinal:
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
            first = payload.get("subagent_history_start_ordinal")
            self.first_ordinal = first if isinstance(first, int) else 0

    def prompt(self) -> str:
        return self.prompts[max(self.prompts)] if self.prompts else ""


def prompt_of(item: Item) -> tuple[int, str] | None:
    """The rank and the words of a prompt, None when a record is none."""
    if item.kind == "event:user_message":
        text = injected.event_prompt(item.payload)
    elif item.kind == "done:UserMessage":
        text = None if injected.done_label(item.payload) else injected.done_prompt(item.payload)
    elif item.kind == "item:message" and item.payload.get("role") == "user":
        mine = [said.text for said in injected.said(item.payload) if not said.label and not said.picture]
        text = injected.request("\n".join(mine)) if mine else None
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


def _both(head: list[jsonl.Line], tail: list[jsonl.Line], *, whole: bool) -> Read:
    if not whole:
        first = _head(head)
        return Read(first, _tail(tail, first.tasks), False)
    first, last = Head(), Tail(False)
    for number, line in enumerate(head):
        reading = jsonl.read(line.data)
        last.damaged += bool(reading.damage) and line.whole
        for record in reading.records:
            item = parse(record)
            first.take(item, number)
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
        tail = _tail(lines, head.tasks)
        if whole or size >= TAIL_LIMIT or tail.knows_enough():
            break
        size *= 4
    if not tail.settings or not tail.prompts:
        _look_back(path, tail, max(size, 128 << 10))
    return Read(head, tail, False)


def _look_back(path: str, tail: Tail, size: int) -> None:
    """The last settings and the last prompt, farther up than lines were parsed: found by their bytes."""
    lines, _ = jsonl.tail(path, size)
    settings, prompt = bool(tail.settings), bool(tail.prompts)
    for line in reversed(lines):
        if settings and prompt:
            return
        begin = line.data[:400]
        if not settings and b'"turn_context"' in begin:
            for item in _items(line):
                if item.kind == "turn":
                    tail.settings, tail.cwd, settings = settings_of(item), words(item.payload, "cwd"), True
        elif not prompt and (b'"user_message"' in begin or b'"UserMessage"' in begin):
            for item in _items(line):
                if found := prompt_of(item):
                    tail.prompts[found[0]] = found[1]
                    prompt = True


def _items(line: jsonl.Line) -> Iterator[Item]:
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


def _tail(lines: list[jsonl.Line], tasks: bool) -> Tail:
    tail = Tail(tasks)
    for line in lines:
        reading = jsonl.read(line.data)
        tail.damaged += bool(reading.damage) and line.whole
        for record in reading.records:
            tail.take(parse(record))
    return tail


# ── the row ──


def session(handle: Handle, read: Read, name: str, archived: bool, orphan: bool) -> Session:
    """The row. `name` is what the indexes beside the files say; `orphan` that the file of its parent is not there."""
    head, tail = read.head, read.tail
    meta = head.meta
    origin = origin_of(meta)
    first = one_line(head.prompt(), PROMPT_LIMIT)
    title, title_from = _title(one_line(name or tail.name), one_line(head.prompt()), origin, handle.id)
    cwd = tail.cwd or head.cwd or words(meta, "cwd") or None
    created = head.first_time or parse_time(meta.get("timestamp"))
    updated = tail.time or handle.mtime_ns / 1e9 or None
    git = within(meta, "git")
    forked = words(meta, "forked_from_id")
    hidden = _hidden(origin, orphan, archived, bool(head.prompts or tail.prompts), read.whole and not forked)
    settings = {**head.settings, **tail.settings}
    return Session(
        id=words(meta, "id") or handle.id, source="codex", path=handle.path, root=handle.root.label,
        title=title, title_from=title_from, cwd=cwd, project=project_of(cwd) if cwd else "",
        branch=one_line(words(git, "branch")) or None, created=created, updated=updated,
        tail=tail.ending.tail, tail_why=tail.ending.why, origin=origin.name,
        model=str(settings.get("model", "")) or head.model or None, version=one_line(words(meta, "cli_version"), 40) or None,
        tokens=_tokens(read, forked), parent=origin.parent or None, forked_from=forked or None, size=handle.size,
        damaged_lines=tail.damaged if read.whole else head.damaged + tail.damaged, archived=archived, hidden=hidden,
        first_prompt=first, last_prompt=one_line(tail.prompt(), PROMPT_LIMIT) or (first if read.whole else ""),
        facts=_facts(handle, meta, settings, origin, git),
    )  # fmt: skip


def _title(name: str, prompt: str, origin: Origin, id: str) -> tuple[str, str]:
    if name:
        return name, "name"
    if prompt:
        return prompt, "prompt"
    if origin.nickname or origin.type:
        return one_line(" ".join(filter(None, (origin.nickname, origin.type)))), "agent"
    return one_line(id), "id"


def _hidden(origin: Origin, orphan: bool, archived: bool, prompts: bool, certain: bool) -> str:
    if origin.hidden and not (origin.hidden == "subagent" and orphan):
        return origin.hidden
    if archived:
        return "archived"
    return "empty" if certain and not prompts else ""


def _tokens(read: Read, forked: str) -> Usage | None:
    """The last count in the file; a fork's includes its source's, so that only a whole reading can tell."""
    return None if forked else read.tail.recorded or read.tail.counted


def _facts(handle: Handle, meta: Payload, settings: dict[str, object], origin: Origin, git: Payload) -> dict[str, object]:
    facts: dict[str, object] = {
        "provider": for_eyes(words(meta, "model_provider")),
        "originator": for_eyes(words(meta, "originator")),
        "history": for_eyes(words(meta, "history_mode")),
        "commit": for_eyes(words(git, "commit_hash")),
        "repository": for_eyes(words(git, "repository_url")),
        "effort": settings.get("effort"),
        "approval": settings.get("approval"),
        "sandbox": settings.get("sandbox"),
        "agent_type": origin.type,
        "agent_name": origin.nickname,
        "compressed": handle.path.endswith(".zst"),
    }
    if forked_at := parse_time(meta.get("timestamp")) if words(meta, "forked_from_id") else None:
        facts["forked"] = iso(forked_at)
    return {name: value for name, value in facts.items() if value}
