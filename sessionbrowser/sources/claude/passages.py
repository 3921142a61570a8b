"""The text of a transcript for the full-text index: one pass, as little parsed as can be."""

from __future__ import annotations

from collections.abc import Iterator

from sessionbrowser.model import Passage, Place
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.claude import lines, rows
from sessionbrowser.sources.claude.queue import Queue
from sessionbrowser.sources.jsonl import Record
from sessionbrowser.text import for_eyes, parse_time

_RESULT = b'"type":"tool_result"'
_DETAIL = b',"toolUseResult":'
_TEXT = b'"type":"text"'
_THINKING = b'"type":"thinking"'
_CALL = b'"content":[{"type":"tool_use"'
_KEPT_BACK = b'"content":[{"type":"thinking","thinking":""'
_ROW = b'{"parentUuid":'
_ANSWER = b'"role":"assistant"'
_NEAR = 1200  # bytes in which a row says what it is
_CUT_FROM = 2048  # shorter lines are parsed faster than they are cut


def passages(path: str, offset: int, *, tools: bool) -> Iterator[Passage]:
    """Prompts, answers and thinking of the transcript at `path` from byte `offset` on; with `tools` calls and output.

    Prompts that only the queue knows come last: which they are shows at the end.
    """
    seen: set[str] = set()
    queue = Queue()
    for start, data in jsonl.raw_lines(path, offset):
        kind = lines.kind_of(data)
        if kind and (lines.skippable(kind) or kind in _NO_TEXT or (kind.startswith("attachment:") and kind != "attachment:queued_command")):
            continue
        heard = data if tools or not data.startswith(_ROW) else _what_may_speak(data)
        if not heard:
            continue
        reading = jsonl.read(heard)
        if not reading.records and heard is not data:
            reading = jsonl.read(data)
        for record in reading.records:
            key = record.get("uuid")
            if isinstance(key, str):
                if key in seen:
                    continue
                seen.add(key)
            if kind == "queue-operation":
                queue.operation(record, Place(start), parse_time(record.get("timestamp")), 0)
                continue
            for passage in _of_record(record, start, tools):
                if passage.kind == "prompt":
                    queue.said(passage.text)
                yield passage
    for item in queue.lost():
        yield Passage("prompt", item.place.start, for_eyes(item.text), item.time)


_NO_TEXT = frozenset(
    ("summary", "custom-title", "ai-title", "agent-name", "agent-color", "agent-setting", "last-prompt", "tag", "mode", "permission-mode",
     "pr-link", "worktree-state", "relocated", "cost-state", "continued-in")
)  # fmt: skip


def _what_may_speak(data: bytes) -> bytes:
    """A row without the details of a call's result; b"" for one in which nobody says anything.

    Each look is over as little of the row as can be: rows are long, and most are passed over.
    """
    if data.find(_CALL, 0, _NEAR) > 0:
        return data if data.find(_TEXT) > 0 or data.find(_THINKING) > 0 else b""
    if data.find(_KEPT_BACK, 0, _NEAR) > 0:
        return data if data.find(_TEXT) > 0 or data.count(_THINKING) > 1 else b""
    if data.find(_ANSWER, 0, _NEAR) > 0:
        return data
    result = data.find(_RESULT)
    if result < 0:
        return data
    detail = data.find(_DETAIL, result)
    if data.find(_TEXT, 0, detail if detail > 0 else len(data)) < 0:
        return b""
    return data[:detail] + b"}" if detail > 0 and len(data) > _CUT_FROM else data


def _of_record(record: Record, start: int, tools: bool) -> Iterator[Passage]:
    kind = record.get("type")
    if kind == "user":
        for piece in rows.user_pieces(record):
            if piece.kind == "prompt" and piece.text:
                yield _passage("prompt", start, piece.text, record)
            elif piece.kind == "result" and tools and (text := rows.text_of(piece.value.get("content"))):
                yield _passage("tool", start, text, record)
    elif kind == "assistant":
        for piece in rows.assistant_pieces(record):
            if piece.kind in ("text", "thinking") and piece.text:
                yield _passage(piece.kind, start, piece.text, record)
            elif piece.kind == "tool" and tools and (text := "\n".join(_strings(piece.value.get("input")))):
                yield _passage("tool", start, text, record)
    elif kind == "attachment" and isinstance(attachment := record.get("attachment"), dict):
        found = rows.queued_piece(attachment) if attachment.get("type") == "queued_command" else None
        if found is not None and found.kind == "prompt":
            yield _passage("prompt", start, found.text, record)


def _passage(kind: str, start: int, text: str, record: Record) -> Passage:
    return Passage(kind, start, for_eyes(text), parse_time(record.get("timestamp")))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
