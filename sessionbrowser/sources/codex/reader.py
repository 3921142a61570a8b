"""Reading a rollout into an outline: each record goes to the one function that knows its kind."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from zlib import crc32

from sessionbrowser.model import Handle, Place, Transcript
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.codex import calls, files, notes, talk, tools
from sessionbrowser.sources.codex.origin import origin_of
from sessionbrowser.sources.codex.pages import Base, Locate, base_of, same_session
from sessionbrowser.sources.codex.ranks import raise_by
from sessionbrowser.sources.codex.records import Item, Payload, parse, whole, within, words
from sessionbrowser.sources.codex.state import (
    ANSWER_RANKS,
    THINKING_RANKS,
    Better,
    State,
    settings_of,
    total_in,
)
from sessionbrowser.sources.jsonl import Line

Handler = Callable[[State, Item, Place], None]

_BASES = 64  # forks of forks, pages after pages: deeper than this no history is joined
_HEAD = 128 << 10  # bytes; nearly always holds the first prompt, answer and thought
_META_LINES = 8  # the first record is the session; a damaged line or two before it is forgiven
_BIG, _OPENING = 4 << 20, 1 << 20  # bytes: files from the first on are opened by their end of the second
_GAP = 0.25  # seconds: records copied by a fork are written in one go


def outline(path: str, since: Transcript | None, locate: Locate) -> Transcript:
    """The outline of the rollout at `path`; with `since`, only what was appended is read. Raises OSError, SourceError."""
    found = os.stat(path)
    state = _continued(path, since, found)
    restarted = since is not None and state is None
    ranks = state.ranks if state is not None else _expected(path)
    while True:
        try:
            if state is None:
                state = _begin(path, ranks, locate)
            _read(state, path)
            break
        except Better as better:
            ranks[better.role] = better.rank
            state, restarted = None, since is not None
    state.stamp = (found.st_ino, found.st_size, found.st_mtime_ns)
    return state.transcript(_facts(state), restarted)


def opening(handle: Handle) -> Transcript | None:
    """The newest turns of a big rollout, from its last megabyte. Raises OSError, SourceError."""
    path = handle.path
    if handle.size < _BIG or not path.endswith(".jsonl"):
        return None
    lines, everything = jsonl.tail(path, _OPENING)
    if everything or not lines:
        return None
    ranks, meta = _expected(path), head_of(path)
    while True:
        state = State(ranks)
        state.offset = lines[0].offset
        if meta is not None:
            _know(state, meta)
            state.first_ordinal = 0  # what a subagent took over from its parent stands at the beginning
        try:
            _read(state, path)
        except Better as better:
            ranks[better.role] = better.rank
            continue
        return state.transcript(_facts(state), False)._replace(state=None)


def _expected(path: str) -> dict[str, int]:
    """The forms that the head of a file shows, which spares starting again; the rest is found while reading."""
    ranks: dict[str, int] = {}
    if path.endswith(".jsonl"):
        begin = jsonl.read_at(path, 0, _HEAD)
        raise_by(begin[: begin.rfind(b"\n") + 1], ranks)
    return ranks


def _continued(path: str, since: Transcript | None, found: os.stat_result) -> State | None:
    """The reading to go on with, None when there is none or the file is no longer the one that was read."""
    if since is None or not isinstance(since.state, State) or since.state.offset != since.offset:
        return None
    state = since.state
    if not path.endswith(".jsonl"):
        return state if state.stamp == (found.st_ino, found.st_size, found.st_mtime_ns) else None
    start, length, checksum = state.check
    if state.stamp[0] != found.st_ino or found.st_size < state.offset:
        return None
    return state if crc32(jsonl.read_at(path, start, length)) == checksum else None


def _begin(path: str, ranks: dict[str, int], locate: Locate) -> State:
    """A new reading, with the history before the file's own already in it."""
    state = State(ranks)
    meta = head_of(path)
    if meta is None:
        return state
    _know(state, meta)
    if within(meta, "history_base"):
        _read_base(state, meta, path, locate, {path})
    elif source := words(meta, "forked_from_id"):
        state.copied_until = copied_head(path, source, locate)
    return state


def head_of(path: str) -> Payload | None:
    """The record that says which session a rollout is: the first of its kind."""
    for number, line in enumerate(files.lines(path)):
        if number >= _META_LINES:
            break
        for record in jsonl.read(line.data).records:
            item = parse(record)
            if item.kind == "meta":
                return item.payload
    return None


def _know(state: State, meta: Payload) -> None:
    state.meta = meta
    state.subagent = origin_of(meta).name == "subagent"
    state.first_ordinal = whole(meta, "subagent_history_start_ordinal") or 0


# ── history in other files ──


def _read_base(state: State, meta: Payload, path: str, locate: Locate, seen: set[str]) -> None:
    """The part of the conversation that a paginated fork left in its parent's file, and in its parent's parent's.

    A page of a session has its beginning in another file in the same way; that is no copy.
    """
    base = base_of(meta, locate)
    if base is None or base.path in seen or len(seen) >= _BASES:
        return
    seen.add(base.path)
    try:
        parent = head_of(base.path)
        if parent is not None and within(parent, "history_base"):
            _read_base(state, parent, base.path, locate, seen)
        if base.end > 0:
            for line in files.lines(base.path, 0, base.end):
                _feed(state, line, base.path)
        if same_session(path, base.path):
            _read_taken_back(state, base)
    except (OSError, SourceError):
        pass  # the parent's part is lost; what is here is shown
    if not same_session(path, base.path):
        state.begin_own()
        state.builder.forget_counts()


def _read_taken_back(state: State, base: Base) -> None:
    """What a session's file holds after the place to which the conversation was taken back: a branch of its own."""
    begin, counted, recorded = len(state.builder.blocks), state.counted.last, state.recorded.last
    for line in files.lines(base.path, base.end):
        _feed(state, line, base.path)
    state.counted.last, state.recorded.last = counted, recorded  # the page counts on from where it was taken back to
    state.leave(begin)


def copied_head(path: str, source: str, locate: Locate) -> int:
    """How many bytes at the head of a fork are a copy: lines that say the same as its source's, the time aside."""
    mine = files.lines(path)
    first, second = next(mine, None), next(mine, None)
    if first is None or second is None or not _is_meta_of(second, source):
        return 0
    end = second.offset + len(second.data) + 1
    there = locate(source)
    if not there:
        return _written_at_once(path, end)
    theirs = files.lines(there)
    next(theirs, None)
    for line, other in zip(mine, theirs, strict=False):
        if _content(line.data) != _content(other.data):
            break
        end = line.offset + len(line.data) + 1
    return end


def _is_meta_of(line: Line, id: str) -> bool:
    records = jsonl.read(line.data).records
    return bool(records) and parse(records[0]).kind == "meta" and words(parse(records[0]).payload, "id") == id


def _content(data: bytes) -> bytes:
    return data[max(0, data.find(b'"type"')) :]


def _written_at_once(path: str, end: int) -> int:
    """Without the source: what was written in one go with the fork's first records."""
    last: float | None = None
    for line in files.lines(path):
        records = jsonl.read(line.data).records
        time = parse(records[0]).time if records else None
        if last is not None and time is not None and time - last > _GAP:
            break
        last = time if time is not None else last
        end = max(end, line.offset + len(line.data) + 1)
    return end


# ── records ──


def _read(state: State, path: str) -> None:
    """Every whole line from where reading stopped. A last line without its end waits, unless it is complete."""
    document = path.endswith(".json")
    last: Line | None = None
    try:
        for line in files.lines(path, state.offset):
            if not line.whole and not is_complete(line.data):
                break
            if state.copied_until and line.offset >= state.copied_until:
                state.copied_until = 0
                state.begin_own()
            _feed(state, line, "", document)
            state.offset = line.offset + (1 if document else len(line.data) + line.whole)
            last = line
    finally:
        if last is not None:
            state.check = (last.offset, len(last.data), crc32(last.data))
    if state.copied_until:
        state.begin_own()


def is_complete(data: bytes) -> bool:
    """Whether a last line without a line end holds a whole record all the same."""
    reading = jsonl.read(data)
    return bool(reading.records) and not reading.damage


def _feed(state: State, line: Line, path: str, document: bool = False) -> None:
    state.number += 1
    if _says_nothing_new(line.data, state.ranks):
        return
    reading = jsonl.read(line.data)
    if reading.damage and not path:
        state.builder.damaged(line.offset, reading.damage)
    for index, record in enumerate(reading.records):
        part = f"record:{index}" if index else ""
        take(state, parse(record), Place(line.offset, 0 if document else len(line.data), part, path))


def _says_nothing_new(data: bytes, ranks: Mapping[str, int]) -> bool:
    """Whether a whole line is bookkeeping, or a lesser form of what another line tells: known by its first bytes."""
    begin = data[:200]
    if data[-1:] != b"}":
        return False
    if b'"type":"agent_reasoning"' in begin:
        return ranks.get("thinking") == THINKING_RANKS["summary"]
    if b'"role":"assistant"' in begin:
        return ranks.get("answer", 0) > ANSWER_RANKS["item:message"] and b'"type":"response_item"' in begin
    return b'"type":"world_state"' in begin


def take(state: State, item: Item, place: Place) -> None:
    """One record, at its place."""
    total = total_in(item)
    if total is not None:
        counter = state.recorded if item.kind == "usage" else state.counted
        counter.says(total, state.model)
    if state.first_ordinal:
        number = item.ordinal if item.ordinal is not None else state.number - 1
        if number < state.first_ordinal:
            return
        state.first_ordinal = 0
        state.begin_own()
    handler = _HANDLERS.get(item.kind)
    if handler is not None:
        handler(state, item, place)


def _meta(state: State, item: Item, place: Place) -> None:
    if not state.meta and not place.path:
        _know(state, item.payload)


def _turn(state: State, item: Item, place: Place) -> None:
    settings = settings_of(item)
    state.settings.update(settings)
    model = str(settings.get("model", ""))
    if model and state.model and model != state.model:
        state.builder.note("model", f"Model changed to {model}", place, time=item.time)
    state.model = model or state.model


def _applied(state: State, item: Item, place: Place) -> None:
    """Settings of the next turn: what they say until it says it itself."""
    given = item.payload.get("thread_settings")
    for name, value in settings_of(item._replace(payload=given)).items() if isinstance(given, dict) else ():
        state.settings.setdefault(name, value)


def _facts(state: State) -> dict[str, object]:
    seen = {fact: dict(counts) for fact, counts in state.seen.items()}
    return {**state.settings, **seen, **({"subagents_raw": dict(state.children)} if state.children else {})}


_HANDLERS: Mapping[str, Handler] = {
    "meta": _meta,
    "turn": _turn,
    "compacted": notes.compaction,
    "item:message": talk.message,
    "item:reasoning": talk.reasoning,
    "item:agent_message": talk.agent_message,
    "event:user_message": talk.event_prompt,
    "event:agent_message": talk.event_answer,
    "event:agent_reasoning": talk.event_reasoning,
    "event:agent_reasoning_raw_content": talk.event_reasoning,
    "event:exec_command_end": tools.command_end,
    "event:patch_apply_end": tools.patch_end,
    "event:mcp_tool_call_end": tools.mcp_end,
    "event:thread_settings_applied": _applied,
    "event:collab_agent_spawn_end": tools.spawned,
    "event:sub_agent_activity": tools.activity,
    "event:context_compacted": notes.compaction,
    "event:turn_aborted": notes.aborted,
    "event:task_started": notes.begun,
    "event:task_complete": notes.completed,
    "event:thread_rolled_back": notes.rolled_back,
    "event:error": notes.error,
    "event:stream_error": notes.error,
    "event:warning": notes.warning,
    "event:entered_review_mode": notes.review_begins,
    "event:exited_review_mode": notes.review_ends,
    "event:thread_name_updated": notes.renamed,
    "event:undo_completed": notes.undone,
    "done:UserMessage": talk.done_prompt,
    "done:AgentMessage": talk.done_answer,
    "done:Reasoning": talk.done_reasoning,
    "done:CommandExecution": tools.command_end,
    "done:FileChange": tools.patch_end,
    "done:McpToolCall": tools.mcp_end,
    "done:CollabAgentToolCall": tools.spawned,
    "done:SubAgentActivity": tools.activity,
    "done:Plan": tools.plan,
    "done:ContextCompaction": notes.compaction,
    "done:EnteredReviewMode": notes.review_begins,
    "done:ExitedReviewMode": notes.review_ends,
    "done:HookPrompt": notes.hook,
    **dict.fromkeys(calls.CALLS, tools.call),
    **dict.fromkeys(calls.RESULTS, tools.result),
}
