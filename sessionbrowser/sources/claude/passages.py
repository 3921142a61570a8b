"""The text of a transcript for the full-text index: one pass, as little parsed as can be."""

from __future__ import annotations

from collections.abc import Iterator

from sessionbrowser.model import Passage, Place
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.base import strings
from sessionbrowser.sources.claude import lines, rows
from sessionbrowser.sources.claude.queue import Queue
from sessionbrowser.sources.jsonl import Record
from sessionbrowser.text import for_eyes, parse_time

_ROW = b'{"parentUuid":'
_TYPE = b'"type":"'
_ATTACHMENT = b'"attachment":{"type":"'
_CONTENT = b'"content":'
_NEAR = 1200  # bytes in which a row says what it is
_SILENT = (b'progress"', b'system"')
_RESULT = (b'[{"tool_use_id":"', b'[{"type":"tool_result"')
_CALL = b'[{"type":"tool_use"'
_KEPT_BACK = b'[{"type":"thinking","thinking":""'
_TEXT = b'"type":"text"'
_MORE = b'"type":"t'  # another text, a thought or a call
_DETAIL = b',"toolUseResult":'
_DETAIL_OF_TEXT = _DETAIL + b"{" + _TEXT
_CUT_FROM = 2048  # shorter lines are parsed faster than they are cut


def passages(path: str, offset: int, *, tools: bool) -> Iterator[Passage]:
    """Prompts, answers and thinking of the transcript at `path` from byte `offset` on; with `tools` calls and output.

    Prompts that only the queue knows come last: which they are shows at the end.
    """
    seen: set[str] = set()
    queue = Queue()
    for start, data in jsonl.raw_lines(path, offset):
        heard = _of_row(data) if data.startswith(_ROW) and not tools else _of_any(data)
        if not heard:
            continue
        sound = jsonl.record(heard)
        for record in (sound,) if sound is not None else jsonl.read(data).records:
            key = record.get("uuid")
            if isinstance(key, str) and key in seen:
                continue
            if record.get("type") == "queue-operation":
                queue.operation(record, Place(start), parse_time(record.get("timestamp")), 0)
                continue
            for passage in _of_record(record, start, tools):
                if passage.kind == "prompt":
                    queue.said(passage.text)
                if isinstance(key, str):
                    seen.add(key)  # a row that says nothing may be written once more
                yield passage
    for item in queue.lost():
        yield Passage("prompt", item.place.start, for_eyes(item.text), item.time)


_NO_TEXT = frozenset(
    ("summary", "custom-title", "ai-title", "agent-name", "agent-color", "agent-setting", "last-prompt", "tag", "mode", "permission-mode",
     "pr-link", "worktree-state", "relocated", "cost-state", "continued-in")
)  # fmt: skip


def _of_any(data: bytes) -> bytes:
    """A line, b"" for one in which nobody says anything."""
    kind = lines.kind_of(data)
    if kind and lines.holds_another(data):
        return data
    silent = lines.skippable(kind) or kind in _NO_TEXT or (kind.startswith("attachment:") and kind != "attachment:queued_command")
    return b"" if silent else data


def _of_row(row: bytes) -> bytes:
    """A row without the details of a call's result; b"" for one in which nobody says anything.

    Its first type and how its content begins tell; as rows are long and most are passed over, little else is looked at.
    """
    if lines.holds_another(row):
        return row
    kind = row.find(_TYPE, len(_ROW), _NEAR) + len(_TYPE)
    if row.startswith(_SILENT, kind):
        return b""
    if row.startswith(b'attachment"', kind):
        kind = row.find(_ATTACHMENT, kind, _NEAR) + len(_ATTACHMENT)
    if row.startswith(_ATTACHMENT, kind - len(_ATTACHMENT)):
        return row if row.startswith(b'queued_command"', kind) else b""
    content = row.find(_CONTENT, len(_ROW), _NEAR) + len(_CONTENT)
    if row.startswith(_RESULT, content):
        return _of_result(row, content)
    if row.startswith(_CALL, content):
        return row if row.find(_MORE, content + len(_CALL)) > 0 else b""
    if row.startswith(_KEPT_BACK, content):
        return row if row.find(_MORE, content + len(_KEPT_BACK)) > 0 else b""
    return row


def _of_result(row: bytes, content: int) -> bytes:
    """A row that begins with a call's result, whose `content` begins there: without details, b"" when there is no text."""
    text = row.find(_TEXT, content)
    if text < 0 or row.startswith(_DETAIL_OF_TEXT, text - len(_DETAIL_OF_TEXT) + len(_TEXT)):
        return b""
    detail = row.find(_DETAIL, content)
    if 0 < detail < text:
        return b""
    return row[:detail] + b"}" if detail > 0 and len(row) > _CUT_FROM else row


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
            elif piece.kind == "tool" and tools and (text := "\n".join(strings(piece.value.get("input")))):
                yield _passage("tool", start, text, record)
    elif kind == "attachment" and isinstance(attachment := record.get("attachment"), dict):
        found = rows.queued_piece(attachment) if attachment.get("type") == "queued_command" else None
        if found is not None and found.kind == "prompt":
            yield _passage("prompt", start, found.text, record)


def _passage(kind: str, start: int, text: str, record: Record) -> Passage:
    return Passage(kind, start, for_eyes(text), parse_time(record.get("timestamp")))
