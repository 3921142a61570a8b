"""What an OpenCode message holds. A record is `{"id", "info": message, "parts": [part, …], "child": bool}`.

With `alone` it is one of several parts that are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import reduce

from sessionbrowser.model import Diff, Picture, Usage
from sessionbrowser.sources import forms
from sessionbrowser.sources.bodies import picture
from sessionbrowser.sources.numbered import listing
from sessionbrowser.sources.opencode.tree import SESSION_ID
from sessionbrowser.sources.pieces import (
    NOTHING,
    Piece,
    code,
    items,
    mapping,
    number,
    printable,
    printed,
    string,
)
from sessionbrowser.text import for_eyes, one_line, parse_time

Data = Mapping[str, object]

CHILD = re.compile(r"""(?:<task id="|task_id: |session_id: )(ses_[0-9A-Za-z]+)""")
_ANSWERED = re.compile(r"<task_result>\n?(.*?)\n?</task_result>", re.S)
_BY_HAND = "The following tool was executed by the user"
_FINISHED: Mapping[str, Data] = {
    "tool-calls": {"tail": "working", "why": "the last step ended in tool calls"},
    "stop": {"tail": "finished", "why": "the last answer stands"},
}
_QUIET = ("step-start", "step-finish", "snapshot", "patch", "agent", "subtask", "file", "text", "reasoning", "tool", "compaction", "retry")


def pieces(data: Data) -> Iterator[Piece]:
    """Prompts, paragraphs, calls and results of one message, then how it ended."""
    info = mapping(data.get("info"))
    if info.get("role") == "user":
        yield from _user(data, info)
    elif info.get("role") == "assistant":
        yield from _assistant(data, info)


def model_of(info: Data) -> str:
    """The model of a message or session: `modelID` in it, or in its `model`."""
    model = info.get("model")
    inner = mapping(model) if not isinstance(model, str) or model.lstrip()[:1] == "{" else {"id": model}
    return string(info.get("modelID")) or string(inner.get("modelID")) or string(inner.get("id"))


def usage_of(tokens: object) -> Usage | None:
    """Tokens of a response; what it spent on reasoning is output."""
    given = mapping(tokens)
    cache = mapping(given.get("cache"))
    usage = Usage(
        number(given.get("input")), number(given.get("output")) + number(given.get("reasoning")),
        number(cache.get("read")), number(cache.get("write")),
    )  # fmt: skip
    return usage if usage.total else None


def moment(info: Data, name: str) -> float | None:
    """A time of a message, part or session: milliseconds under `time`."""
    return parse_time(mapping(info.get("time")).get(name))


def unquoted(text: str) -> str:
    """A prompt given on the command line is kept in double quotes; they are not part of what was said."""
    bare = text.strip()
    if len(bare) >= 2 and bare[0] == '"' == bare[-1] and bare[1:-1].count('"') == bare[1:-1].count('\\"'):
        return bare[1:-1].replace('\\"', '"')
    return text


# ── a person's message ──


def _user(data: Data, info: Data) -> Iterator[Piece]:
    key, time = string(data.get("id")), moment(info, "created")
    said = [part for part in items(data.get("parts")) if part.get("type") == "text"]
    words = [string(part.get("text")) for part in said if not part.get("synthetic") and not part.get("ignored")]
    text = unquoted("\n\n".join(word for word in words if word.strip()))
    compaction = next((part for part in items(data.get("parts")) if part.get("type") == "compaction"), None)
    if not text and not said and compaction is None:
        text = _from_summary(info)
    if text.strip():
        yield Piece("prompt", text, "prompt", "subagent" if data.get("child") else "typed", time, key)
    elif _commands(data):
        yield Piece("prompt", _commands(data), "prompt", "slash", time, key)
    for part in said:
        if part.get("synthetic") and string(part.get("text")) == _BY_HAND:
            continue  # the next message tells which
        if (part.get("synthetic") or part.get("ignored")) and string(part.get("text")).strip():
            yield Piece("note", string(part.get("text")), _part(part), "injected", time, key)
    yield from _attached(data, time, key)
    if compaction is not None:
        how = "automatically" if compaction.get("auto") else "by command"
        yield Piece("note", f"The conversation so far was summarised {how}.", "compaction", "compaction", time, key)


def _from_summary(info: Data) -> str:
    """What an early release kept of a prompt whose parts are gone."""
    summary = mapping(info.get("summary")) if isinstance(info.get("summary"), Mapping) else NOTHING
    return string(summary.get("body")) or string(summary.get("title"))


def _commands(data: Data) -> str:
    """The subtasks a slash command made of a message that says nothing else."""
    made = [part for part in items(data.get("parts")) if part.get("type") == "subtask"]
    return "\n".join(filter(None, (string(part.get("command")) or string(part.get("description")) for part in made)))


def _attached(data: Data, time: float | None, key: str) -> Iterator[Piece]:
    for part in items(data.get("parts")):
        if part.get("type") != "file":
            continue
        name = string(part.get("filename")) or string(part.get("url"))[:80]
        if string(part.get("mime")).startswith("image/"):
            address = string(part.get("url"))
            yield Piece("image", address.partition(",")[2] if address.startswith("data:") else "", _part(part), time=time, key=key, title=name)
        elif name:
            yield Piece("note", f"Attached {name}", _part(part), "injected", time, key)


def _part(part: Data) -> str:
    return string(part.get("id"))


# ── a model's message ──


def _assistant(data: Data, info: Data) -> Iterator[Piece]:
    key, time, model = string(data.get("id")), moment(info, "created"), model_of(info)
    path = info.get("path")
    cwd = string(path.get("cwd")) if isinstance(path, Mapping) else string(path)
    facts = {"agent": for_eyes(string(info.get("agent")) or string(info.get("mode")))}
    yield Piece("row", key=key, time=time, model=model, usage=_spent(data, info), row={"cwd": cwd, "facts": facts})
    if by_hand := _by_hand(data, info):
        state = mapping(by_hand.get("state"))
        yield Piece("prompt", string(mapping(state.get("input")).get("command")), "prompt", "bash", time, key)
        yield printed(string(state.get("output")), code(mapping(state.get("metadata")).get("exit")))._replace(time=time, key=key)
        return
    if info.get("summary") is True:
        yield Piece("note", "Summary of the conversation so far", "summary", "compaction-summary", time, key)
    for part in items(data.get("parts")):
        for piece in _said(part, key, time, model):
            yield piece._replace(extra=_pictures(part)) if piece.kind == "result" and data.get("alone") else piece
    yield from _ending(info, key, [part for part in items(data.get("parts")) if _is_open(part)])


def _spent(data: Data, info: Data) -> Usage | None:
    """Tokens of a message: where it was made in several steps, of all of them; the message itself names the last."""
    steps = [usage for part in items(data.get("parts")) if part.get("type") == "step-finish" and (usage := usage_of(part.get("tokens")))]
    return reduce(Usage.plus, steps) if len(steps) > 1 else usage_of(info.get("tokens"))


def _by_hand(data: Data, info: Data) -> Data | None:
    """The command of the person that a message holds instead of anything a model did: no step of a model, no tokens."""
    parts = [] if data.get("alone") else items(data.get("parts"))
    if len(parts) != 1 or parts[0].get("type") != "tool" or parts[0].get("tool") != "bash" or usage_of(info.get("tokens")) or info.get("finish"):
        return None
    return parts[0] if string(mapping(parts[0].get("state")).get("status")) == "completed" and "callID" in parts[0] and "tokens" in info else None


def _is_open(part: Data) -> bool:
    return part.get("type") == "tool" and string(mapping(part.get("state")).get("status")) in ("pending", "running")


def _said(part: Data, key: str, time: float | None, model: str) -> Iterator[Piece]:
    kind, name = part.get("type"), _part(part)
    when = moment(part, "start") or time
    text = string(part.get("text"))
    if kind == "text":
        if text.strip():
            yield Piece("text", text, name, time=when, key=key, model=model, answer=key)
    elif kind == "reasoning":
        if text.strip():
            yield Piece("thinking", text, name, time=when, key=key, model=model)
    elif kind == "tool":
        yield from _tool(part, key, when, model)
    elif kind == "compaction":
        yield Piece("note", "The conversation so far was summarised.", name, "compaction", when, key)
    elif kind == "retry":
        error = _error_text(part.get("error"))
        yield Piece("note", f"Attempt {number(part.get('attempt')) or 1} failed: {error}", name, "retry", moment(part, "created") or time, key)
    elif kind not in _QUIET and text.strip():
        yield Piece("note", text, name, "unknown", when, key)


def _ending(info: Data, key: str, still: list[Data]) -> Iterator[Piece]:
    """How the message ended, for the status of the session."""
    ended = moment(info, "completed")
    told = info.get("error")
    error = told if isinstance(told, Mapping) else {"message": told} if isinstance(told, str) and told.strip() else NOTHING
    if string(error.get("name")) == "MessageAbortedError":
        yield Piece("note", "Stopped by the person", "error", "interrupt", ended, key)
    elif error:
        yield Piece("note", _error_text(error), "error", "error", ended, key)
    elif ended is None and still and forms.action(string(still[-1].get("tool"))) == "question":
        yield Piece("row", row={"tail": "asking", "why": "a question is open"})
    elif ended is None and still:
        yield Piece("row", row={"tail": "calling", "why": f"{one_line(string(still[-1].get('tool')), 40)} is open"})
    elif ended is None and not string(info.get("finish")):
        yield Piece("row", row={"tail": "working", "why": "the last answer was not completed"})
    else:
        finish = string(info.get("finish"))
        yield Piece("row", time=ended, key=key, row=_FINISHED.get(finish, NOTHING))


def _error_text(error: object) -> str:
    if isinstance(error, str):
        return error
    given = mapping(error)
    data = mapping(given.get("data"))
    return ": ".join(filter(None, (string(given.get("name")), string(data.get("message")) or string(given.get("message"))))) or "error"


# ── tools ──


def _tool(part: Data, key: str, time: float | None, model: str) -> Iterator[Piece]:
    state, call = mapping(part.get("state")), _part(part) or string(part.get("callID"))
    name, given = string(part.get("tool")) or "tool", mapping(state.get("input"))
    extra = mapping(state.get("metadata"))
    begun, ended = moment(state, "start") or time, moment(state, "end")
    child = _child(name, state, extra)
    yield Piece("call", part=call, time=begun, key=key, model=model, call=call, name=name, arguments=given, subagent=child)
    status = string(state.get("status"))
    if _is_open(part) or not (status in ("completed", "success", "error") or _came_back(state)):
        return
    left = code(extra.get("exit"))
    failed = status == "error" or bool(left) or name == "invalid"
    text = printable(state.get("output")) or printable(state.get("error"))
    if child and (answered := _ANSWERED.search(text)):
        text = answered[1]
    outcome = _outcome(name, status, text, extra)
    lines, first = listing(text) if forms.action(name) == "read" and not failed else (None, 1)
    yield Piece(
        "result", text, call, time=ended or begun, key=key, call=call, ok=not failed, exit_code=left, outcome=outcome,
        subagent=child, diffs=_diffs(extra, given), code=lines, start=first,
    )  # fmt: skip


def _pictures(part: Data) -> tuple[Picture, ...]:
    """The pictures a tool gave besides its text."""
    files = items(mapping(part.get("state")).get("attachments"))
    return tuple(
        picture(string(file.get("url")), string(file.get("filename")) or "image") for file in files if string(file.get("mime")).startswith("image/")
    )  # fmt: skip


def _came_back(state: Data) -> bool:
    """Whether a state of a name nobody knows holds what came of the call."""
    return state.get("output") is not None or state.get("error") is not None


def _outcome(name: str, status: str, text: str, extra: Data) -> str:
    if name == "invalid":
        return "the call could not be read"
    if status == "error":
        return "rejected" if "rejected permission" in text or "dismissed" in text else "failed"
    matches = extra.get("matches") if isinstance(extra.get("matches"), int) else extra.get("count")
    return f"{matches} matches" if isinstance(matches, int) and not isinstance(matches, bool) else ""


def _child(name: str, state: Data, extra: Data) -> str:
    """The session a task started: in its metadata, else in the text it answered."""
    if forms.action(name) != "agent":
        return ""
    found = string(extra.get("sessionId")) or string(extra.get("sessionID"))
    if not found and (seen := CHILD.search(string(state.get("output"))[:4000])):
        found = seen[1]
    return found if SESSION_ID.fullmatch(found) else ""


def _diffs(extra: Data, given: Data) -> tuple[Diff, ...]:
    """The diff an edit recorded, with its real line numbers."""
    files = [file for file in items(extra.get("files")) if string(file.get("diff")) or string(file.get("patch"))]
    if files:
        return tuple(
            diff for file in files
            for diff in forms.unified(string(file.get("diff")) or string(file.get("patch")), string(file.get("filePath")) or string(file.get("file")))
        )  # fmt: skip
    name = string(given.get("filePath")) or string(extra.get("filepath"))
    return forms.unified(string(extra.get("diff")), name) if string(extra.get("diff")).strip() else ()
