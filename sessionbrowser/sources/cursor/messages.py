"""What a message of the command line holds: in its store, and in the readable transcripts beside it."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping

from sessionbrowser.sources.numbered import listing
from sessionbrowser.sources.pieces import Piece, code, mapping, parts_of, printed, string, text_of
from sessionbrowser.text import parse_time

Data = Mapping[str, object]

_QUERY = re.compile(r"<user_query>\n?(.*?)\n?</user_query>", re.S)
_INJECTED = re.compile(
    r"\s*<(user_info|project_layout|rules|always_applied_workspace_rules|agent_requestable_workspace_rules|git_status|"
    r"system_reminder|system-reminder|open_and_recently_viewed_files|additional_data|attached_files|agent_transcripts|"
    r"agent_skills|available_skills|cursor_commands|timestamp|mcp_instructions|terminal_files_information|user_rules|"
    r"current_file|linter_errors|environment_context|task_notification|manually_attached_skills)\b"
)
_WHEN = re.compile(r"\s*<timestamp>(.*?)</timestamp>\n?", re.S)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_REDACTED = "[REDACTED]"  # stands for a thought
_EXIT = re.compile(r"^(?:Exit code|exit code|exitCode): ?(-?\d{1,9})\b", re.M)
_EXIT_LINE = re.compile(r"\AExit code: ?-?\d+\n+(?:Command output:\n+)?")
_CALLS = ("tool_use", "tool-call", "tool_call")
_RESULTS = ("tool_result", "tool-result")
_THOUGHTS = ("thinking", "reasoning")


def pieces(data: Data) -> Iterator[Piece]:
    """The pieces of one message; `key` and `number` in it tell it and its calls without ids apart."""
    inner = data.get("message")
    inner = {"content": inner} if isinstance(inner, str) else mapping(inner) or data
    role = string(data.get("role")) or string(inner.get("role")) or string(data.get("type"))
    key = string(data.get("key")) or string(inner.get("id"))
    time = parse_time(data.get("timestamp"))
    if role == "turn_ended":
        yield from _turn_ended(data, key, time)
    elif mapping(mapping(inner.get("providerOptions")).get("cursor")).get("isSummary") is True:
        yield Piece("note", text_of(inner.get("content")), "summary", "compaction", time, key, title="Conversation compacted")
    elif role == "system":
        text = text_of(inner.get("content"))
        if text.strip():
            yield Piece("note", text, "system", "injected", time, key, title="Instructions of the agent")
    elif role == "tool" and "tool_name" in inner:
        yield from _tool_line(inner, key, time)
    elif role == "command":
        yield from _command(data, key)
    elif role == "tool" and isinstance(inner.get("content"), str):
        yield _result({**inner, "result": inner.get("content")}, inner, "result0", key, time)
    elif role in ("user", "tool"):
        yield from _user(inner, key, time, bool(data.get("child")), parse_time(data.get("begun")))
    elif role == "assistant":
        yield from _assistant(inner, key, time, string(data.get("model")))


def prompt_of(text: str) -> tuple[str, list[str]]:
    """What a person typed, and what was put around it."""
    if "<user_query>" in text and "</user_query>" not in text:
        text = f"{text.rstrip()}\n</user_query>"  # cut short
    queries = _QUERY.findall(text)
    if queries:
        around = _WHEN.sub("", _QUERY.sub("\n", text)).strip()
        return "\n\n".join(queries), [around] if around else []
    text = _WHEN.sub("", text) if _WHEN.match(text) else text
    return ("", [text]) if _INJECTED.match(text) else (text, [])


def _told(parts: list[Data]) -> float | None:
    """When a prompt was typed, as it is put before it: "Sunday, Sep 20, 2026, 12:31 AM (UTC+3)"."""
    found = next((match for part in parts if (match := _WHEN.match(string(part.get("text"))))), None)
    date = re.search(r"([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4}),? (\d{1,2}):(\d\d)(?::\d\d)? ([AP]M)(?: \(UTC(?:([+-])(\d{1,2})(?::(\d\d))?)?\))?", found[1]) if found else None
    if date is None or date[1] not in _MONTHS:
        return None
    hour = int(date[4]) % 12 + (12 if date[6] == "PM" else 0)
    offset = f"{date[7]}{int(date[8]):02}:{date[9] or '00'}" if date[7] else "+00:00"
    return parse_time(f"{date[3]}-{_MONTHS.index(date[1]) + 1:02}-{int(date[2]):02}T{hour:02}:{date[5]}:00{offset}")


def _user(inner: Data, key: str, time: float | None, child: bool, begun: float | None) -> Iterator[Piece]:
    parts = parts_of(inner.get("content"))
    time = time or _told(parts) or begun
    for index, part in enumerate(parts):
        if part.get("type") in _RESULTS:
            yield _result(part, inner, f"result{index}", key, time)
    typed, around = [], []
    for part in parts:
        if part.get("type") == "text":
            said, put = prompt_of(string(part.get("text")))
            typed.append(said)
            around += put
    text = "\n".join(word for word in typed if word.strip())
    for index, word in enumerate(around):
        yield Piece("note", word, f"around{index}", "injected", time, key, title="Context of the session")
    if text.strip():
        what = "subagent" if child else "slash" if re.match(r"/[a-z][\w-]*(\s|$)", text) else "typed"
        yield Piece("prompt", text, "prompt", what, time, key)
    for index, part in enumerate(parts):
        if part.get("type") in ("image", "file") and string(part.get("mimeType") or part.get("mediaType") or "image/").startswith("image/"):
            yield Piece("image", _pictured(part), f"image{index}", time=time, key=key, title=string(part.get("filename")) or "image")


def _pictured(part: Data) -> str:
    """The base64 of a picture, which may stand there as hexadecimal digits."""
    given = part.get("image") or part.get("data") or part.get("source")
    if isinstance(given, str):
        return given
    inside = mapping(given)
    try:
        return string(inside.get("data")) or b64encode(bytes.fromhex(string(inside.get("hex")))).decode()
    except ValueError:
        return ""


def _command(data: Data, key: str) -> Iterator[Piece]:
    """A command the person ran by `!`, and what it printed."""
    time, text = parse_time(data.get("begun")), string(data.get("output"))
    yield Piece("prompt", string(data.get("command")), "prompt", "bash", time, key)
    if text.strip() or data.get("exit"):
        yield printed(text, code(data.get("exit")))._replace(time=time, key=key)


def _assistant(inner: Data, key: str, time: float | None, model: str) -> Iterator[Piece]:
    options = mapping(mapping(inner.get("providerOptions")).get("cursor"))
    model = model or string(options.get("modelName"))
    for index, part in enumerate(parts_of(inner.get("content"))):
        kind, name = string(part.get("type")), f"part{index}"
        text = string(part.get("text")) or string(part.get("thinking"))
        if kind == "text" and text.rstrip().endswith(_REDACTED):
            text = text.rstrip().removesuffix(_REDACTED)
            yield Piece("thinking", "", f"{name} redacted", "redacted", time, key, model)
        if kind == "text" and text.strip():
            yield Piece("text", text, name, time=time, key=key, model=model, answer=key)
        elif kind in _THOUGHTS and text.strip():
            yield Piece("thinking", text, name, time=time, key=key, model=model)
        elif kind == "redacted-reasoning":
            yield Piece("thinking", "", name, "redacted", time, key, model)
        elif kind in _CALLS:
            yield _call(part, name, key, time, model)
        elif kind not in (*_RESULTS, "text", *_THOUGHTS) and text.strip():
            yield Piece("note", text, name, "unknown", time, key)
        if kind in _RESULTS:
            yield _result(part, inner, f"result{index}", key, time)


def _call(part: Data, name: str, key: str, time: float | None, model: str) -> Piece:
    call = string(part.get("toolCallId")) or string(part.get("id")) or string(part.get("tool_use_id"))
    tool = string(part.get("toolName")) or string(part.get("name")) or "tool"
    given = part.get("args") if part.get("args") is not None else part.get("input")
    return Piece("call", part=name, time=time, key=key, model=model, call=call, name=tool, arguments=mapping(given))


def _result(part: Data, message: Data, name: str, key: str, time: float | None) -> Piece:
    call = string(part.get("toolCallId")) or string(part.get("tool_use_id"))
    value = next((part[field] for field in ("result", "content", "output", "experimental_content") if part.get(field) is not None), "")
    text = value if isinstance(value, str) else text_of(value) or _json(value)
    high = mapping(mapping(mapping(message.get("providerOptions")).get("cursor")).get("highLevelToolCallResult"))
    output = mapping(high.get("output"))
    told = mapping(output.get("success")) or mapping(output.get("failure"))
    left = code(told.get("exitCode"))
    if left is None and (found := _EXIT.search(text[:400]) or _EXIT.search(text[-400:])):
        left = int(found[1])
    failed = bool(part.get("isError") or part.get("is_error") or high.get("isError") or left)
    outcome = "rejected" if "rejected" in output else ""
    if left is not None:
        text = _EXIT_LINE.sub("", text)
    lines, first = listing(text) if not failed else (None, 1)
    return Piece("result", text, name, time=time, key=key, call=call, ok=not failed and not outcome, exit_code=left,
                 outcome=outcome, code=lines, start=first)  # fmt: skip


def _json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, indent=2, default=str) if value not in ("", None, [], {}) else ""


def _tool_line(inner: Data, key: str, time: float | None) -> Iterator[Piece]:
    """A call and what came of it on one line, as one exporter writes them."""
    name = string(inner.get("tool_name")) or "tool"
    yield Piece("call", part="call", time=time, key=key, call=key, name=name, arguments=mapping(inner.get("tool_input")))
    ok = string(inner.get("status")) not in ("error", "failed")
    yield Piece("result", text_of(inner.get("tool_output")), "result", time=time, key=key, call=key, ok=ok)


def _turn_ended(data: Data, key: str, time: float | None) -> Iterator[Piece]:
    status = string(data.get("status"))
    if status in ("error", "failed"):
        yield Piece("note", text_of(data.get("error")) or "The turn ended in an error", "ended", "error", time, key)
    elif status in ("aborted", "cancelled", "canceled", "interrupted"):
        yield Piece("note", "Stopped by the person", "ended", "interrupt", time, key)
    else:
        yield Piece("row", row={"tail": "finished", "why": "the turn ended"})
