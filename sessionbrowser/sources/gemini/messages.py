"""What a message of a Gemini chat holds: prompts, thoughts, answers, tool calls with what came of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sessionbrowser.model import Diff, Picture, Usage
from sessionbrowser.sources import forms
from sessionbrowser.sources.gemini.shell import shell_report
from sessionbrowser.sources.pieces import (
    Piece,
    items,
    mapping,
    number,
    parts_of,
    printable,
    printed,
    string,
    text_of,
)
from sessionbrowser.text import for_eyes, parse_time

Data = Mapping[str, object]

INJECTED = ("<session_context>", "<hook_context>", "<state_snapshot>", "<system-reminder>", "<environment_context>",
            "This is the Gemini CLI. We are setting up the context", "System: Potential loop detected", "System: Please continue")  # fmt: skip
_RAN = re.compile(r"I ran the following shell command:\n```\w*\n(.*?)\n```\n\nThis produced the following result:\n```\n(.*)\n```\s*", re.S)
_WRAPPED = re.compile(r"\A\s*<untrusted_context>\n?(.*?)\n?</untrusted_context>\s*\Z", re.S)
_CUT = re.compile(r"\s*(IMPORTANT: The file content has been truncated|\[File content truncated)")


def pieces(message: Data) -> Iterator[Piece]:
    """The pieces of one message. Calls without an id get one from the message and their position."""
    kind = string(message.get("type")) or string(message.get("role"))
    if kind == "user":
        yield from _user(message)
    elif kind in ("gemini", "qwen", "model", "assistant"):
        yield from _model(message)
    elif kind == "compression":
        yield Piece("note", "The conversation so far was summarised.", "compaction", "compaction")
    elif kind in ("info", "warning", "error"):
        yield from _notice(kind, message)


def is_prompt(message: Data) -> bool:
    """Whether a person wrote the message."""
    return any(piece.kind == "prompt" for piece in pieces(message))


def _when(message: Data) -> float | None:
    return parse_time(message.get("timestamp")) or parse_time(message.get("ts"))


def _content(message: Data) -> object:
    return message.get("content") if message.get("content") is not None else message.get("parts")


# ── a person's ──


def _user(message: Data) -> Iterator[Piece]:
    key, time = string(message.get("id")), _when(message)
    parts = parts_of(_content(message))
    for index, part in enumerate(parts):
        answer = mapping(part.get("functionResponse"))
        if answer:
            yield _answered(answer, f"result{index}", key, time)
    shown = message.get("displayContent")
    said = [string(part.get("text")) for part in parts if string(part.get("text")).strip()]
    injected = [text for text in said if text.lstrip().startswith(INJECTED)]
    typed = [text for text in said if not text.lstrip().startswith(INJECTED)]
    if typed and shown and text_of(shown).strip():
        typed = [text_of(shown)]
    if typed and (ran := _RAN.fullmatch("\n".join(typed))):
        yield Piece("prompt", ran[1], "prompt", "bash", time, key)
        yield printed(ran[2], None)._replace(time=time, key=key)
    elif typed:
        text = "\n".join(typed)
        what = "slash" if re.match(r"\s*(/[a-z?][\w:-]*(\s|$)|\?\s*$)", text) else "typed"
        yield Piece("prompt", text, "prompt", what, time, key)
    for index, text in enumerate(injected):
        what = "injected" if not text.lstrip().startswith("<state_snapshot>") else "summary"
        yield Piece("note", text, f"injected{index}", what, time, key, title=_injected_title(text))
    for index, part in enumerate(parts):
        yield from _picture(part, f"image{index}", key, time)


def _injected_title(text: str) -> str:
    if text.lstrip().startswith("<state_snapshot>"):
        return "Summary of the conversation so far"
    if text.lstrip().startswith("<hook_context>"):
        return "Context from a hook"
    return "Context of the session" if text.lstrip().startswith("<") else ""


def _picture(part: Data, name: str, key: str, time: float | None) -> Iterator[Piece]:
    inline, file = mapping(part.get("inlineData")), mapping(part.get("fileData"))
    mime = string(inline.get("mimeType")) or string(file.get("mimeType"))
    if not mime:
        return
    data = string(inline.get("data"))
    if mime.startswith("image/"):
        card = Picture(mime.partition("/")[2], size=len(data) * 3 // 4, data=_decoded(data))
        yield Piece("image", data, name, time=time, key=key, title=string(file.get("fileUri")) or mime, extra=(card,))
    else:
        yield Piece("note", f"Attached {string(file.get('fileUri')) or mime}", name, "injected", time, key)


def _decoded(data: str) -> bytes | None:
    import base64
    import binascii

    try:
        return base64.b64decode(data, validate=True) if data and len(data) < 32 << 20 else None
    except (binascii.Error, ValueError):
        return None


def _notice(kind: str, message: Data) -> Iterator[Piece]:
    text, key, time = text_of(_content(message)), string(message.get("id")), _when(message)
    if kind == "info" and re.match(r"\s*(request cancell?ed|user cancell?ed)", text, re.I):
        yield Piece("note", text, "notice", "interrupt", time, key)
    elif text.strip():
        yield Piece("note", text, "notice", kind, time, key)


# ── the model's ──


def _model(message: Data) -> Iterator[Piece]:
    key, time, model = string(message.get("id")), _when(message), string(message.get("model"))
    yield Piece("row", key=key, time=time, model=model, usage=_usage(message.get("tokens")))
    for index, thought in enumerate(items(message.get("thoughts"))):
        text = "\n\n".join(filter(None, (_bold(string(thought.get("subject"))), string(thought.get("description")))))
        if text.strip():
            when = parse_time(thought.get("timestamp")) or time
            yield Piece("thinking", text, f"thought{index}", time=when, key=key, model=model)
    calls = items(message.get("toolCalls"))
    known = {string(call.get("id")) for call in calls}
    for index, part in enumerate(parts_of(_content(message))):
        yield from _said(part, index, key, time, model, known)
    for index, call in enumerate(calls):
        yield from _called(call, f"{key or '-'}:{index}", key, time, model)


def _bold(subject: str) -> str:
    return f"**{subject}**" if subject.strip() else ""


def _said(part: Data, index: int, key: str, time: float | None, model: str, known: set[str]) -> Iterator[Piece]:
    text, call = string(part.get("text")), mapping(part.get("functionCall"))
    if call:
        identity = string(call.get("id")) or f"{key or '-'}:part{index}"
        if identity not in known:
            name = string(call.get("name")) or "tool"
            yield Piece("call", part=identity, time=time, key=key, model=model, call=identity, name=name,
                        arguments=mapping(call.get("args")), again=True)  # fmt: skip
    elif text.strip() and part.get("thought"):
        yield Piece("thinking", text, f"part{index}", time=time, key=key, model=model)
    elif text.strip():
        yield Piece("text", text, f"part{index}", time=time, key=key, model=model, answer=key or f"\0{time}:{index}:{text[:40]}")
    yield from _picture(part, f"image{index}", key, time)


def _usage(tokens: object) -> Usage | None:
    """Tokens of one call of the model: what was cached is part of the input there, and stands by itself here."""
    given = mapping(tokens)
    cached, sent = number(given.get("cached")), number(given.get("input"))
    usage = Usage(
        max(0, sent - cached) + number(given.get("tool")), number(given.get("output")) + number(given.get("thoughts")), cached
    )  # fmt: skip
    return usage if usage.total else None


# ── tools ──


def _called(call: Data, unnamed: str, key: str, time: float | None, model: str) -> Iterator[Piece]:
    identity = string(call.get("id")) or unnamed
    name, given = string(call.get("name")) or "tool", mapping(call.get("args"))
    child = string(call.get("agentId"))
    yield Piece("call", part=identity, time=time, key=key, model=model, call=identity, name=name, arguments=given,
                subagent=child, again=True)  # fmt: skip
    status, ended = string(call.get("status")), parse_time(call.get("timestamp"))
    answers = [found for part in parts_of(call.get("result")) if (found := mapping(part.get("functionResponse")))]
    if not answers and status not in ("success", "error", "cancelled"):
        return
    raw = "\n".join(response_text(answer.get("response")) for answer in answers) or text_of(call.get("result")) or string(call.get("resultDisplay"))
    yield _outcome(identity, name, status, raw, call.get("resultDisplay"), ended or time, key, child)


def _answered(answer: Data, part: str, key: str, time: float | None) -> Piece:
    """A tool's answer in a record of its own."""
    response = mapping(answer.get("response"))
    status = "error" if "error" in response and "output" not in response else ""
    name = string(answer.get("name"))
    return _outcome(string(answer.get("id")), name, status, response_text(answer.get("response")), None, time, key, "")._replace(part=part)


def _outcome(identity: str, name: str, status: str, raw: str, display: object, time: float | None, key: str, child: str) -> Piece:
    text = wrapped[1] if (wrapped := _WRAPPED.match(raw)) else raw
    code = None
    if forms.action(name) == "shell":
        code, text = shell_report(text, display)
    diffs = shown_diffs(display)
    failed = status in ("error", "cancelled") or bool(code)
    outcome = "cancelled" if status == "cancelled" else "failed" if status == "error" else ""
    read = text if name == "read_file" and not failed and not _CUT.match(text) else None
    return Piece("result", text, identity, time=time, key=key, call=identity, ok=not failed, exit_code=code,
                 outcome=outcome, diffs=diffs, subagent=child, code=read)  # fmt: skip


def response_text(response: object) -> str:
    """What a tool gave: the output in it, else all of it."""
    if not isinstance(response, Mapping):
        return printable(response)
    names = ("output", "error", "content", "result")
    return printable(next((response[name] for name in names if response.get(name) is not None), response))


def shown_diffs(display: object) -> tuple[Diff, ...]:
    """The diff an edit showed."""
    given = mapping(display) if isinstance(display, Mapping) else {}
    text = string(given.get("fileDiff"))
    name = string(given.get("filePath")) or string(given.get("fileName"))
    if not text:
        return ()
    found = forms.unified(text, name)
    path = for_eyes(name) if name and len(found) == 1 else ""
    return tuple(diff._replace(path=path or diff.path, created=bool(given.get("isNewFile"))) for diff in found)
