"""kimi-cli, the program before Kimi Code: wires of typed messages, and contexts of plain roles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sessionbrowser.sources import jsonl
from sessionbrowser.sources.pieces import Piece, items, mapping, string, text_of
from sessionbrowser.text import parse_time


def pieces(record: jsonl.Record) -> Iterator[Piece]:
    """What a line of `wire.jsonl` or of the `context.jsonl` beside it holds."""
    time = parse_time(record.get("timestamp"))
    message = mapping(record.get("message"))
    read = _MESSAGES.get(string(message.get("type")))
    if read is not None:
        for piece in read(mapping(message.get("payload"))):
            yield piece._replace(time=time)
    elif record.get("role") == "user" and (text := text_of(record.get("content"))):
        yield Piece("prompt", text, "prompt")
    elif record.get("role") == "assistant":
        if text := text_of(record.get("content")):
            yield Piece("text", text, "text", answer="@")
        for index, call in enumerate(items(record.get("tool_calls"))):
            yield from (piece._replace(part=f"call {index}") for piece in _call(call))
    elif record.get("role") == "tool":
        yield Piece("result", text_of(record.get("content")), "result", call=string(record.get("tool_call_id")))


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
    yield Piece("result", text, "result", call=string(payload.get("tool_call_id")), ok=not failed)


def _stop(payload: Mapping[str, object]) -> Iterator[Piece]:
    yield Piece("note", "Interrupted", "stop", "interrupt")


_MESSAGES = {"TurnBegin": _turn, "ContentPart": _part, "ToolCall": _call, "ToolResult": _result, "StepInterrupted": _stop}
