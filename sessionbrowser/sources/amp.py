"""Amp: `~/.local/share/amp/threads/T-*.json`, one document a thread. Newer versions keep threads on their server only."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from sessionbrowser.model import (
    Handle,
    Place,
    Resume,
    ResumeOptions,
    Root,
    Session,
    SetAside,
    Unreadable,
    Usage,
)
from sessionbrowser.sources import jsonl, logs
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.documents import DocumentSource, Placed
from sessionbrowser.sources.lazy import lazily, orjson
from sessionbrowser.sources.numbered import load
from sessionbrowser.sources.pieces import (
    PICTURE,
    Piece,
    code,
    items,
    mapping,
    number,
    parts_of,
    printed,
    string,
    text_of,
)
from sessionbrowser.text import parse_time

if TYPE_CHECKING:
    from sessionbrowser.sources import diffs
else:
    (diffs,) = lazily("sessionbrowser.sources", "diffs")

ID = re.compile(r"T-[0-9a-fA-F-]{36}")
_FAILED = ("error", "cancelled", "rejected-by-user", "failed")


class Amp(DocumentSource):
    name, tag, label, program = "amp", "am", "Amp", "amp"
    tells = ("models",)

    def roots(self) -> list[Root]:
        return logs.roots_from(self.name, [os.path.join(self.environment.data_home(), "amp", "threads")])

    def root_at(self, path: str, label: str) -> Root | None:
        inside = ("threads", os.path.join("amp", "threads"), os.path.join(".local", "share", "amp", "threads"))
        found = logs.store_at(path, inside, _is_store)
        return Root(self.name, found, label, live=False) if found else None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        trouble: list[Unreadable] = []
        for entry in logs.entries(root.path, trouble, self.name):
            if entry.name.endswith(".json") and logs.is_file(entry):
                yield logs.handle_at(self.name, root, entry, entry.name[:-5])
        yield from trouble

    def placed(self, handle: Handle) -> Iterator[Placed]:
        thread = _read(handle)
        yield Place(0), Piece("row", row={
            "cwd": _cwd(thread), "created": parse_time(thread.get("created")), "ai": thread.get("title"),
            "forked_from": string(mapping(thread.get("forkedFrom")).get("threadID")),
        })  # fmt: skip
        ends = [end for trace in items(mapping(thread.get("meta")).get("traces")) if (end := parse_time(trace.get("endTime")))]
        yield Place(0), Piece("row", time=max(ends, default=None))
        for index, message in enumerate(items(thread.get("messages"))):
            for piece in _message(message):
                yield Place(index), piece

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        if session.root or not ID.fullmatch(session.id):
            return None
        return Resume(("amp", "threads", "fork" if options.fork else "continue", session.id), session.cwd)


def _read(handle: Handle) -> Mapping[str, object]:
    thread = load(handle.path)
    if not ("messages" in thread or "created" in thread):
        raise SourceError("not a thread")
    return thread


def _cwd(thread: Mapping[str, object]) -> str:
    start = mapping(mapping(thread.get("env")).get("initial"))
    if cwd := string(start.get("cwd")):
        return cwd
    for tree in items(start.get("trees")):
        parts = urlsplit(string(tree.get("uri")))
        if parts.scheme == "file":
            return unquote(parts.path)
    return ""


def _is_store(folder: str) -> bool:
    for entry in logs.entries(folder, [], "amp")[:20]:
        if entry.name.endswith(".json") and logs.is_file(entry):
            try:
                start = jsonl.read_at(entry.path, 0, 1 << 20)
            except OSError:
                continue
            if b'"messages"' in start and (entry.name.startswith("T-") or b'"trees"' in start):
                return True
    return False


def _message(message: Mapping[str, object]) -> Iterator[Piece]:
    usage = mapping(message.get("usage"))
    time = parse_time(mapping(message.get("meta")).get("sentAt")) or parse_time(message.get("createdAt")) or parse_time(usage.get("timestamp"))
    model = string(usage.get("model")) or string(message.get("model"))
    parts = parts_of(message.get("content", message.get("text")))
    read = {"assistant": _assistant_parts, "info": _info_parts}.get(string(message.get("role")), _user_parts)
    key = str(message.get("messageId", ""))
    hidden = [part for part in parts if part.get("hidden") is True and part.get("type") == "text"]
    for index, part in enumerate(hidden):
        yield Piece("note", string(part.get("text")), f"hidden {index}", "injected", time, f"message-{key}" if key else "")
    for piece in read([part for part in parts if part not in hidden], model):
        yield piece._replace(time=time, key=f"message-{key}" if key else "")
    if usage:
        spent = Usage(number(usage.get("inputTokens")), number(usage.get("outputTokens")),
                      number(usage.get("cacheReadInputTokens")), number(usage.get("cacheCreationInputTokens")))  # fmt: skip
        yield Piece("row", time=time, model=model, usage=spent)
    yield from _state(mapping(message.get("state")), time)


def _state(state: Mapping[str, object], time: float | None) -> Iterator[Piece]:
    if state.get("type") == "cancelled":
        yield Piece("note", "Interrupted", "state", "interrupt", time)
    elif state.get("type") == "error":
        message = string(mapping(state.get("error")).get("message")) or string(state.get("message"))
        yield Piece("note", message or "The answer ended in an error", "state", "error", time)


def _user_parts(parts: list[Mapping[str, object]], model: str) -> Iterator[Piece]:
    said = "\n\n".join(text for part in parts if part.get("type") == "text" and (text := string(part.get("text")).strip()))
    if said or any(part.get("type") == "image" for part in parts):
        yield Piece("prompt", said or PICTURE, "prompt")
    for index, part in enumerate(parts):
        if part.get("type") == "tool_result":
            yield _result(part, str(index))
        elif part.get("type") == "image":
            source = mapping(part.get("source"))
            yield Piece("image", string(source.get("data")), str(index), title=string(source.get("mediaType")).removeprefix("image/"))


def _result(part: Mapping[str, object], name: str) -> Piece:
    call = string(part.get("toolUseID")) or string(part.get("tool_use_id"))
    run = mapping(part.get("run"))
    if not run:
        failed = part.get("is_error") is True
        return Piece("result", text_of(part.get("content")), name, call=call, ok=not failed)
    result, state = run.get("result"), string(run.get("status"))
    status = code(mapping(result).get("exitCode")) if isinstance(result, Mapping) else None
    text = text_of(result) or string(mapping(run.get("error")).get("message")) or string(run.get("reason"))
    if not text and result is not None and not isinstance(result, str):
        text = orjson.dumps(result, option=orjson.OPT_INDENT_2, default=str).decode()
    failed = isinstance(result, Mapping) and result.get("success") is False
    outcome = f"exit {status}" if status else state if state in _FAILED else ""
    changed = string(mapping(result).get("diff")) if isinstance(result, Mapping) else ""
    made = diffs.unified(changed) if changed else ()
    return Piece("result", text, name, call=call, ok=state not in _FAILED and not status and not failed, exit_code=status, outcome=outcome, diffs=made)


def _info_parts(parts: list[Mapping[str, object]], model: str) -> Iterator[Piece]:
    """What is neither: commands the person ran, and summaries of what was said before."""
    for index, part in enumerate(parts):
        if part.get("type") == "manual_bash_invocation":
            yield Piece("prompt", string(mapping(part.get("args")).get("cmd")), str(index), "bash")
            run = _result({"run": part.get("toolRun")}, f"output {index}")
            yield printed(run.text, run.exit_code, f"output {index}")
        elif part.get("type") == "summary":
            text = text_of(part.get("summary"))
            yield Piece("note", text, str(index), "compaction", title="Conversation compacted")


def _assistant_parts(parts: list[Mapping[str, object]], model: str) -> Iterator[Piece]:
    for index, part in enumerate(parts):
        kind, name = part.get("type"), str(index)
        if kind == "text" and (text := string(part.get("text"))).strip():
            yield Piece("text", text, name, model=model, answer="@")
        elif kind in ("thinking", "redacted_thinking"):
            text = string(part.get("thinking"))
            yield Piece("thinking", text, name, "" if text else "redacted", model=model)
        elif kind == "tool_use":
            yield Piece("call", part=name, call=string(part.get("id")), name=string(part.get("name")) or "tool",
                        arguments=mapping(part.get("input")), model=model)  # fmt: skip


SOURCE = Amp
