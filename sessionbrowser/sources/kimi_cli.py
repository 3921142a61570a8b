"""kimi-cli, the program before Kimi Code: wires of typed messages, and contexts of plain roles."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from hashlib import md5

from sessionbrowser.model import Usage
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.numbered import load_or_none
from sessionbrowser.sources.pieces import Piece, items, mapping, number, string, text_of
from sessionbrowser.text import parse_time

_EXIT = re.compile(r"exit code: (\d{1,5})")
_INJECTED = ("<system>", "<system-reminder>")


def pieces(record: jsonl.Record) -> Iterator[Piece]:
    """What a line of `wire.jsonl` or of the `context.jsonl` beside it holds."""
    time = parse_time(record.get("timestamp"))
    message = mapping(record.get("message"))
    read = _MESSAGES.get(string(message.get("type")))
    if read is not None:
        for piece in read(mapping(message.get("payload"))):
            yield piece._replace(time=time)
    elif record.get("role") == "user" and (text := text_of(record.get("content"))):
        yield Piece("note", text, "system", "injected") if text.startswith(_INJECTED) else Piece("prompt", text, "prompt")
    elif record.get("role") == "assistant":
        if text := text_of(record.get("content")):
            yield Piece("text", text, "text", answer="@")
        for index, call in enumerate(items(record.get("tool_calls"))):
            yield from (piece._replace(part=f"call {index}") for piece in _call(call))
    elif record.get("role") == "tool":
        text = text_of(record.get("content"))
        yield Piece("result", text, "result", call=string(record.get("tool_call_id")), ok=not text.startswith("<system>ERROR"))


def _turn(payload: Mapping[str, object]) -> Iterator[Piece]:
    said = payload.get("user_input")
    yield Piece("prompt", said if isinstance(said, str) else text_of(said), "prompt")


def _part(payload: Mapping[str, object]) -> Iterator[Piece]:
    if payload.get("type") == "text" and (text := string(payload.get("text"))).strip():
        yield Piece("text", text, "text", answer="@")
    elif payload.get("type") == "think":
        yield Piece("thinking", string(payload.get("think")), "think")


def _call(payload: Mapping[str, object]) -> Iterator[Piece]:
    function = mapping(payload.get("function"))
    yield Piece("call", part="call", call=string(payload.get("id")), name=string(function.get("name")) or "tool",
                arguments=mapping(function.get("arguments")))  # fmt: skip


def _result(payload: Mapping[str, object]) -> Iterator[Piece]:
    value = mapping(payload.get("return_value") or payload.get("result"))
    failed = value.get("is_error") is True
    text = text_of(value.get("output")) or string(value.get("message"))
    found = _EXIT.search(string(value.get("message"))) if failed else None
    yield Piece("result", text, "result", call=string(payload.get("tool_call_id")), ok=not failed,
                exit_code=int(found[1]) if found else None, outcome=f"exit {found[1]}" if found else "")  # fmt: skip


def _stop(payload: Mapping[str, object]) -> Iterator[Piece]:
    yield Piece("note", "Interrupted", "stop", "interrupt")


def _end(payload: Mapping[str, object]) -> Iterator[Piece]:
    yield Piece("row", row={"ended": ("finished", "the turn ended")})


def _compacted(payload: Mapping[str, object]) -> Iterator[Piece]:
    yield Piece("note", "", "compaction", "compaction", title="Conversation compacted")


def _status(payload: Mapping[str, object]) -> Iterator[Piece]:
    """What a step took; other statuses are of the moment."""
    if usage := mapping(payload.get("token_usage")):
        spent = Usage(number(usage.get("input_other")), number(usage.get("output")), number(usage.get("input_cache_read")),
                      number(usage.get("input_cache_creation")))  # fmt: skip
        yield Piece("row", key=string(payload.get("message_id")), usage=spent)


_MESSAGES = {
    "TurnBegin": _turn, "SteerInput": _turn, "TurnEnd": _end, "ContentPart": _part, "ToolCall": _call, "ToolResult": _result,
    "StepInterrupted": _stop, "CompactionEnd": _compacted, "StatusUpdate": _status,
}  # fmt: skip


def directory(path: str) -> str:
    """Where a session ran: its folder is named after the MD5 of the directory, and those that were used are listed in the home."""
    folder = os.path.dirname(os.path.dirname(path))
    known = load_or_none(os.path.join(os.path.dirname(os.path.dirname(folder)), "kimi.json")) or {}
    named = os.path.basename(folder).rpartition("_")[2]
    found = (string(used.get("path")) for used in items(known.get("work_dirs")))
    return next((used for used in found if os.path.isabs(used) and md5(used.encode("utf-8", "replace"), usedforsecurity=False).hexdigest() == named), "")
