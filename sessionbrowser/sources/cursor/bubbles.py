"""What a message of the editor's chats (a "bubble") holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sessionbrowser.model import REMARK, Diff, Hunk, Usage
from sessionbrowser.sources import forms
from sessionbrowser.sources.cursor.messages import prompt_of
from sessionbrowser.sources.lazy import orjson
from sessionbrowser.sources.pieces import (
    NOTHING,
    Piece,
    code,
    items,
    mapping,
    number,
    printable,
    string,
    text_of,
)
from sessionbrowser.text import for_eyes, parse_time

Data = Mapping[str, object]

USER, MODEL = 1, 2
_KINDS = {"1": USER, "user": USER, "2": MODEL, "ai": MODEL, "assistant": MODEL}
_OUTPUTS = ("output", "contents", "content", "stdout", "result", "text", "error", "errorMessage", "message")


def pieces(bubble: Data) -> Iterator[Piece]:
    """The pieces of one bubble: a prompt, or thinking, an answer and a tool call."""
    kind = _KINDS.get(str(bubble.get("type")), bubble.get("type"))
    key, time = string(bubble.get("bubbleId")), _when(bubble)
    text = said(bubble)
    if kind == USER:
        yield from _user(bubble, text, key, time)
        return
    if kind not in (MODEL, None) and not text.strip():
        return
    model = _model(bubble)
    yield Piece("row", key=key, time=time, model=model, usage=_usage(bubble))
    thought = bubble.get("thinking")
    thinking = string(thought) or string(mapping(thought).get("text")) if thought else ""
    if thinking.strip():
        yield Piece("thinking", thinking, "thinking", time=time, key=key, model=model)
    if text.strip():
        yield Piece("text", text, "text", time=time, key=key, model=model, answer=key)
    tool = mapping(bubble.get("toolFormerData"))
    if string(tool.get("name")) or tool.get("tool"):
        yield from _tool(tool, key, time, model)
    for index, error in enumerate(items([bubble.get("errorDetails")])):
        yield Piece("note", text_of(error.get("message")) or string(error.get("error")) or "error", f"error{index}", "error", time, key)


def said(bubble: Data) -> str:
    """The words of a bubble, whichever field a release keeps them in."""
    for name in ("text", "rawText", "content", "message"):
        value = bubble.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return _rich(bubble.get("richText"))


def _rich(value: object) -> str:
    """The words of an editor document (a tree of nodes with `text`)."""
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return ""
    words: list[str] = []
    nodes = [value]
    while nodes and len(words) < 10_000:
        node = nodes.pop()
        if not isinstance(node, Mapping):
            continue
        if isinstance(node.get("text"), str):
            words.append(str(node["text"]))
        elif node.get("type") == "linebreak":
            words.append("\n")
        children = node.get("children") or ([node["root"]] if "root" in node else [])
        nodes += reversed(children) if isinstance(children, list) else []
        if node.get("type") == "paragraph" and words:
            words.append("\n")
    return "".join(words).strip()


def _when(bubble: Data) -> float | None:
    timing = mapping(bubble.get("timingInfo"))
    for value in (bubble.get("createdAt"), bubble.get("timestamp"), timing.get("clientStartTime"), timing.get("clientRpcSendTime")):
        if (found := parse_time(value)) is not None and found > 1e9:
            return found
    return None


def _model(bubble: Data) -> str:
    return string(mapping(bubble.get("modelInfo")).get("modelName")) or string(bubble.get("modelType"))


def _usage(bubble: Data) -> Usage | None:
    given = mapping(bubble.get("tokenCount"))
    usage = Usage(number(given.get("inputTokens")), number(given.get("outputTokens")))
    return usage if usage.total else None


def _user(bubble: Data, text: str, key: str, time: float | None) -> Iterator[Piece]:
    typed, around = prompt_of(text)
    for index, word in enumerate(around):
        yield Piece("note", word, f"around{index}", "injected", time, key, title="Context of the session")
    if typed.strip():
        yield Piece("prompt", typed, "prompt", "typed", time, key)
    for index, image in enumerate(items(bubble.get("images"))):
        name = string(image.get("path")) or string(image.get("uuid")) or "image"
        yield Piece("image", "", f"image{index}", time=time, key=key, title=name)


# ── tools ──


def arguments(tool: Data) -> Data:
    """The arguments of a call: as the model gave them, else as the editor understood them."""
    raw, understood = _object(tool.get("rawArgs")), _object(tool.get("params"))
    given = {**understood, **raw} if not raw or not understood else raw
    listed = items(understood.get("tools"))
    if not raw and len(listed) == 1:  # a tool of another server, wrapped
        return _object(listed[0].get("parameters")) or listed[0]
    if path := string(given.get("relativeWorkspacePath")) or string(given.get("targetFile")):
        return {"path": path, **given}
    return given


def _object(value: object) -> Data:
    if isinstance(value, Mapping):
        return value
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            found = orjson.loads(value)
        except orjson.JSONDecodeError:
            return {"input": value}
        return found if isinstance(found, dict) else NOTHING
    return NOTHING


def _tool(tool: Data, key: str, time: float | None, model: str) -> Iterator[Piece]:
    name = string(tool.get("name")) or "tool"
    call = string(tool.get("toolCallId")) or key
    result, status = tool.get("result"), string(tool.get("status"))
    answer = _object(result)
    child = string(answer.get("agentId")) if forms.action(name) == "agent" else ""
    yield Piece("call", part="tool", time=time, key=key, model=model, call=call, name=name, arguments=arguments(tool), subagent=child)
    if not result and not tool.get("error") and status not in ("completed", "error", "cancelled", "rejected"):
        return
    left = code(answer.get("exitCode")) if answer.get("exitCode") is not None else code(answer.get("exitCodeV2"))
    refused = bool(answer.get("rejected")) or status == "rejected" or string(tool.get("userDecision")) == "rejected"
    failed = status in ("error", "cancelled") or bool(left) or bool(tool.get("error"))
    outcome = "rejected" if refused else status if status in ("error", "cancelled") else ""
    text = _text(result, answer) or text_of(tool.get("error")) or string(_object(tool.get("error")).get("clientVisibleErrorMessage"))
    read = string(answer.get("contents")) if forms.action(name) == "read" and not failed else ""
    first = number(arguments(tool).get("start_line_one_indexed")) or 1
    yield Piece("result", text, "tool", code=read or None, start=first, time=parse_time(tool.get("completedAt")) or time, key=key, call=call,
                ok=not failed and not refused, exit_code=left, outcome=outcome, diffs=_diffs(answer, arguments(tool)))  # fmt: skip


def _text(result: object, answer: Data) -> str:
    if not answer:
        return printable(result)
    for name in _OUTPUTS:
        value = answer.get(name)
        if isinstance(value, str) and value.strip():
            return value
    if "diff" in answer:
        return ""
    listed = [text for name in ("contents", "content", "results", "files") if (text := text_of(answer.get(name)))]
    if listed:
        return listed[0]
    shown = {name: value for name, value in answer.items() if value not in (None, "", [], {}, False) and name not in ("exitCode", "exitCodeV2")}
    return orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode() if shown else ""


def _diffs(answer: Data, given: Data) -> tuple[Diff, ...]:
    """The change an edit made, in the chunks the editor recorded."""
    chunks = items(mapping(answer.get("diff")).get("chunks"))
    path = string(given.get("target_file")) or string(given.get("path")) or string(given.get("file_path"))
    hunks = []
    for chunk in chunks:
        rows = for_eyes(string(chunk.get("diffString"))).rstrip("\n").split("\n")
        lines = tuple(row or " " for row in rows if row[:1] in ("", " ", "-", "+", REMARK))
        if any(row[0] in "-+" for row in lines):
            hunks.append(Hunk(number(chunk.get("oldStart")), number(chunk.get("newStart")), lines))
    return (Diff(for_eyes(path), tuple(hunks)),) if hunks else ()
