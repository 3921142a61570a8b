"""Factory Droid: `~/.factory/sessions/<folder>/<id>.jsonl` with `<id>.settings.json` beside each.

The first message is injected (system reminders), tool results are messages of the user, a fork copies every message
with its id. The dialect that `droid exec -o stream-json` prints is read too, where somebody saved it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from sessionbrowser.model import (
    Agent,
    Handle,
    Resume,
    ResumeOptions,
    Root,
    Session,
    SetAside,
    Transcript,
    Unreadable,
    Usage,
)
from sessionbrowser.sources import jsonl, logs
from sessionbrowser.sources.bodies import shown
from sessionbrowser.sources.lazy import orjson
from sessionbrowser.sources.logs import LogSource
from sessionbrowser.sources.numbered import load_or_none
from sessionbrowser.sources.pieces import (
    PICTURE,
    UNNAMED,
    Assembly,
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
from sessionbrowser.text import for_eyes, one_line, parse_time

_REMINDER = re.compile(r"\s*<system-(reminder|notification)>.*?</system-\1>\s*|\A\s*<system-(?:reminder|notification)>.*\Z", re.S)
_EXIT = re.compile(r"\A(?:Error: )?Command failed \(exit code: (\d{1,5})\)|\[Process exited with code (\d{1,5})\]\s*\Z")
_EXITED = re.compile(r"(?:\A|\n)\[Process exited with code \d{1,5}\]\s*\Z")  # a line of its own, which is told beside the call
_INTERRUPTED = re.compile("cancel|abort|interrupt", re.I)
_FAILED = re.compile("error|fail", re.I)
_UNNAMED = ("New Session", "Generating title…")
_INJECTED = ("context-", "__internal__system-reminder__")  # how the ids of such messages begin
_STOPPED = ("Request cancelled by user", "Request interrupted by user", "Interrupted")
_CANCELLED = ("Tool execution cancelled by user", "Tool execution was interrupted", "Tool cancelled:")
_REFUSED = re.compile(r"rejected by the user|exec ended early: insufficient permission", re.I)
_PENDING = "__TOOL_RESULT_PENDING__"


class Droid(LogSource):
    name, tag, label, program = "droid", "dr", "Factory Droid", "droid"
    tells = ("models", "permission modes", "effort", "skills")
    tree = True

    def roots(self) -> list[Root]:
        homes = (self.environment.get("FACTORY_HOME_OVERRIDE"), self.environment.home)
        return logs.roots_from(self.name, [os.path.join(home, ".factory", "sessions") for home in homes if home])

    def root_at(self, path: str, label: str) -> Root | None:
        found = logs.store_at(path, ("sessions", os.path.join(".factory", "sessions")), _is_store)
        return Root(self.name, found, label, live=False) if found else None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        trouble: list[Unreadable] = []
        for entry in logs.entries(root.path, trouble, self.name):
            if logs.is_folder(entry):
                for inner in logs.entries(entry.path, trouble, self.name):
                    yield from self._found(root, inner)
            else:
                yield from self._found(root, entry)
        yield from trouble

    def _found(self, root: Root, entry: os.DirEntry[str]) -> Iterator[Handle | SetAside]:
        if not logs.is_file(entry) or entry.name.endswith((".settings.json", ".bak")):
            return
        if entry.name.endswith(".jsonl"):
            yield logs.with_beside(logs.handle_at(self.name, root, entry, entry.name[:-6]), _settings_of(entry.path))
        else:
            yield SetAside(self.name, entry.path, "not a session file")

    # ── records ──

    def pieces(self, record: jsonl.Record, handle: Handle) -> Iterator[Piece]:
        read = _RECORDS.get(string(record.get("type")))
        return read(record) if read is not None else iter(())

    def finish(self, handle: Handle, row: Session) -> Session:
        if row.title_from == "ai" and row.first_prompt.startswith(row.title.rstrip(".…")):  # until it is renamed the title is the prompt
            row = row._replace(title=row.first_prompt, title_from="prompt")
        if row.forked_from and row.counts is not None:
            blocks = self.outline(handle).blocks
            own = any(block.kind == "prompt" and not block.copied for block in blocks)
            row = row._replace(facts={**row.facts, "own_prompt": own})
        settings = _settings(handle.path)
        if not settings:
            return row
        usage = _usage(settings)
        tags = [string(tag.get("name")) for tag in items(settings.get("tags"))]
        headless = "exec" in tags
        archived = row.archived or bool(settings.get("archivedAt"))
        facts = dict(row.facts)
        for name, key in (("effort", "reasoningEffort"), ("autonomy", "autonomyLevel"), ("mode", "interactionMode")):
            if value := string(settings.get(key)):
                facts[name] = one_line(value, 60)
        facts["modes"] = [f"{name}: {facts[key]}" for name, key in (("autonomy", "autonomy"), ("interaction", "mode")) if key in facts]
        if active := number(settings.get("assistantActiveTimeMs")):
            facts["active_seconds"] = active / 1000
        return row._replace(
            model=one_line(string(settings.get("model")).removeprefix("custom:"), 80) or row.model,
            tokens=usage if usage.total else row.tokens, facts=facts,
            origin="headless" if headless else row.origin, archived=archived,
            hidden=row.hidden or ("headless" if headless else "archived" if archived else ""),
        )  # fmt: skip

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        made = super().outline(handle, since)
        settings = _settings(handle.path)
        usage = _usage(settings)
        if usage.total:
            model = one_line(string(settings.get("model")).removeprefix("custom:"), 80)
            made = made._replace(tokens=usage, tokens_by_model={model: usage})
        if any(block.what == "agent" for block in made.blocks):
            started = {call: found.id for found, start in self._beside(handle, "callingSessionId") if (call := string(start.get("callingToolUseId")))}
            blocks = tuple(b._replace(subagent=started.get(b.call, "")) if b.what == "agent" else b for b in made.blocks)
            made = made._replace(blocks=blocks)
        return _copied(made)

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        return logs.root_agent(self, handle, outline or self.outline(handle), tuple(self._relatives(handle)))

    def _beside(self, handle: Handle, field: str) -> Iterator[tuple[Handle, jsonl.Record]]:
        """Sessions of the same folder whose first record names this one in `field`, and that record."""
        for entry in logs.entries(os.path.dirname(handle.path), [], self.name):
            if not entry.name.endswith(".jsonl") or entry.path == handle.path:
                continue
            start = logs.first_record(entry.path)
            if start.get("type") == "session_start" and start.get(field) == handle.id:
                yield logs.handle_at(self.name, handle.root, entry, entry.name[:-6]), start

    def _relatives(self, handle: Handle) -> Iterator[Agent]:
        """Subagents of this session, and sessions forked from it."""
        for other, start in self._beside(handle, "callingSessionId"):
            row = self.summarise(other)
            calls = row.counts.tool_calls if row.counts else None
            status = "finished" if row.tail == "asking" else row.tail  # nobody can answer a subagent
            status = status if status in ("finished", "failed", "interrupted") else "unknown"
            yield Agent(other.id, "subagent", "", row.title, status, row.model or "", row.tokens, calls, row.created, row.updated,
                        other.path, other, string(start.get("callingToolUseId")))  # fmt: skip
        for other, _ in self._beside(handle, "parent"):
            row = self.summarise(other)
            yield Agent(other.id, "fork", "", row.title, started=row.created, ended=row.updated, path=other.path, handle=other)

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        if session.root or not logs.UUID.fullmatch(session.id):
            return None
        argv = ("droid", "--fork" if options.fork else "--resume", session.id)
        return Resume(argv, session.cwd)


def _is_store(folder: str) -> bool:
    """A folder of folders with a session in one of the first of them."""
    for entry in logs.entries(folder, [], "droid")[:40]:
        inner = logs.entries(entry.path, [], "droid")[:20] if logs.is_folder(entry) else [entry]
        for file in inner:
            if file.name.endswith(".jsonl") and logs.first_record(file.path).get("type") == "session_start":
                return True
    return False


def _settings(path: str) -> Mapping[str, object]:
    """The settings file beside a session, {} when there is none worth reading."""
    return load_or_none(_settings_of(path)) or {}


def _settings_of(path: str) -> str:
    return path.removesuffix(".jsonl") + ".settings.json"


def _usage(settings: Mapping[str, object]) -> Usage:
    """What a session took, its subagents included where that is told."""
    told = (mapping(settings.get(name)) for name in ("inclusiveTokenUsage", "tokenUsage"))
    names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens")
    spent = (Usage(*(number(value.get(name)) for name in names)) for value in told)
    return next((usage for usage in spent if usage.total), Usage())


def _copied(made: Transcript) -> Transcript:
    """Blocks up to the message a fork was made at are history of the session it came from."""
    fork = made.facts.get("forked_at_raw")
    messages = list(made.state.parents) if isinstance(made.state, Assembly) else []
    if fork not in messages:
        return made
    before = set(messages[: messages.index(fork) + 1])
    last = max((index for index, block in enumerate(made.blocks) if block.key in before), default=-1)
    blocks = tuple(b._replace(copied=True) if i <= last else b for i, b in enumerate(made.blocks))
    return made._replace(blocks=blocks)


# ── the store's records ──


def _start(record: jsonl.Record) -> Iterator[Piece]:
    title = string(record.get("sessionTitle")).strip() or string(record.get("title"))  # the latter is the first prompt
    named = record.get("isSessionTitleManuallySet") is True
    facts = {"forked_at_raw": string(record.get("forkedAtMessageId")), "call_raw": string(record.get("callingToolUseId"))}
    caller = string(record.get("callingSessionId"))
    yield Piece("row", row={
        "cwd": record.get("cwd"), "forked_from": record.get("parent"), "parent": caller, "origin": "subagent" if caller else "",
        "facts": {name: value for name, value in facts.items() if value},
        "name" if named else "ai": "" if title in _UNNAMED else title,
    })  # fmt: skip


def _message(record: jsonl.Record) -> Iterator[Piece]:
    message = mapping(record.get("message"))
    time = parse_time(record.get("timestamp"))
    key, parent = string(record.get("id")), string(record.get("parentId", UNNAMED))
    role = string(message.get("role")) or string(record.get("role"))
    parts = parts_of(message.get("content", record.get("content", record.get("text", ""))))
    read = _assistant_parts if role == "assistant" else _user_parts
    injected = key.startswith(_INJECTED) or string(message.get("visibility")) in ("llm_only", "user_only") or role == "system"
    injected = injected or message.get("userMessageSource") == "automation" or bool(message.get("hookEventName"))
    injected = injected or message.get("isUserVisible") is False or message.get("hiddenFromUserViews") is True
    if key:  # whatever a message holds, others may follow it
        yield Piece("row", key=key, parent=parent)
    yield from _hooks(message)
    model = string(message.get("modelId")).removeprefix("custom:")
    for piece in read(parts, key, model, injected):
        yield piece._replace(time=time, key=key, parent=parent)


def _user_parts(parts: list[Mapping[str, object]], key: str, model: str, injected: bool) -> Iterator[Piece]:
    said: list[str] = []
    given: list[Piece] = []  # belongs to the words it came with
    for index, part in enumerate(parts):
        kind, name = part.get("type"), str(index)
        if kind == "tool_result":
            if part.get("content") != _PENDING:
                yield _result(string(part.get("tool_use_id")), part.get("content"), part.get("is_error"))._replace(part=name)
        elif kind == "image":
            source = mapping(part.get("source"))
            given.append(Piece("image", string(source.get("data")), name, title=string(source.get("media_type")).removeprefix("image/") or "image"))
        elif kind == "document":
            source = mapping(part.get("source"))
            text = string(source.get("parsed_data")) or (string(source.get("data")) if source.get("type") == "text" else "")
            given.append(Piece("note", text, name, "attachment", title=f"attached {string(source.get('name')) or 'document'}"))
        elif kind == "text" and (text := string(part.get("text"))):
            rest = "" if injected else _REMINDER.sub("\n", text).strip()
            if ran := _by_hand(rest):
                yield from ran
            elif rest:
                said.append(rest)
            elif text.strip():
                yield Piece("note", text, name, "injected")
                if text in _STOPPED:
                    yield Piece("row", row={"tail": "interrupted", "why": "stopped by the person"})
    if said or (not injected and any(piece.kind == "image" for piece in given)):
        yield Piece("prompt", "\n\n".join(said) or PICTURE, "prompt")
    yield from given


def _by_hand(text: str) -> list[Piece]:
    """A command the person ran by `!`, and what it printed: a document in place of words."""
    if not text.startswith("{") or '"bash_result"' not in text[:60]:
        return []
    try:
        ran = mapping(orjson.loads(text))
    except orjson.JSONDecodeError:
        return []
    if ran.get("type") != "bash_result" or not string(ran.get("command")).strip():
        return []
    output = "\n".join(part for name in ("stdout", "stderr") if (part := string(ran.get(name)).rstrip("\n")))
    left = code(ran.get("exitCode"))
    return [Piece("prompt", string(ran["command"]), "prompt", "bash"), *([printed(output, left)] if output or left else [])]


def _hooks(message: Mapping[str, object]) -> Iterator[Piece]:
    """Hooks that failed; the others say nothing worth a line."""
    event = string(message.get("hookEventName"))
    for index, result in enumerate(items(message.get("hookResults")) if event else ()):
        if status := code(result.get("exitCode")):
            text = string(result.get("stderr")) or string(result.get("stdout"))
            yield Piece("note", text, f"hook {index}", "hook", title=f"Hook {event} failed (exit {status})")


def _assistant_parts(parts: list[Mapping[str, object]], key: str, model: str, injected: bool) -> Iterator[Piece]:
    for index, part in enumerate(parts):
        kind, name = part.get("type"), str(index)
        if kind == "text" and (text := string(part.get("text"))).strip():
            yield Piece("text", text, name, model=model, answer=key or text[:200])
        elif kind == "thinking":
            text = string(part.get("thinking"))
            yield Piece("thinking", text, name, "" if text else "empty", model=model)
        elif kind == "redacted_thinking":
            yield Piece("thinking", "", name, "redacted", model=model)
        elif kind == "tool_use":
            yield Piece("call", part=name, call=string(part.get("id")), name=string(part.get("name")) or "tool",
                        arguments=mapping(part.get("input")), model=model)  # fmt: skip


def _result(call: str, content: object, error: object) -> Piece:
    """What came of a call; old releases leave out whether it is an `error`."""
    text = text_of(content)
    failed = error is True or (error is None and text.startswith("Error: "))
    found = _EXIT.search(text)
    status = int(found[1] or found[2]) if found else None
    ok = not failed and not status
    cancelled = failed and text.removeprefix("Error: ").startswith(_CANCELLED)
    refused = text.startswith("Plan not approved") or (failed and _REFUSED.search(text[:400]))
    outcome = f"exit {status}" if status else "rejected" if refused else "cancelled" if cancelled else ""
    return Piece("result", _EXITED.sub("", text), call=call, ok=ok, exit_code=status, outcome=outcome, extra=shown(content))


def _outcome(record: jsonl.Record) -> Iterator[Piece]:
    reason = string(record.get("reason")) or "completed"
    if _INTERRUPTED.search(reason):
        yield Piece("note", "Interrupted", what="interrupt")
    elif _FAILED.search(reason):
        yield Piece("note", f"The turn ended in an error ({for_eyes(reason)})", what="error")
    else:
        yield Piece("row", row={"facts": {"last_outcome": one_line(reason, 40)}, "ended": ("finished", "the turn ended")})


def _compaction(record: jsonl.Record) -> Iterator[Piece]:
    summary = record.get("summary", record.get("summaryText", ""))
    text = text_of(summary) if not isinstance(summary, str) else summary
    yield Piece("note", text, "compaction", "compaction", parse_time(record.get("timestamp")), title="Conversation compacted")


# ── `droid exec -o stream-json` ──


def _system(record: jsonl.Record) -> Iterator[Piece]:
    yield Piece("row", time=parse_time(record.get("timestamp")), row={
        "cwd": record.get("cwd"), "model": string(record.get("model")).removeprefix("custom:"), "origin": "headless",
    })  # fmt: skip


def _tool_call(record: jsonl.Record) -> Iterator[Piece]:
    yield Piece("call", time=parse_time(record.get("timestamp")), call=string(record.get("toolCallId")) or string(record.get("id")),
                name=string(record.get("toolName")) or "tool", arguments=mapping(record.get("parameters")))  # fmt: skip


def _tool_result(record: jsonl.Record) -> Iterator[Piece]:
    value = record.get("value")
    call = string(record.get("toolCallId")) or string(record.get("id"))
    time = parse_time(record.get("timestamp"))
    if isinstance(value, Mapping):
        status = code(value.get("exitCode"))
        text = "\n".join(filter(None, (string(value.get("stdout")), string(value.get("stderr"))))) or text_of(value)
        failed = bool(status) or record.get("isError") is True
        yield Piece("result", text, time=time, call=call, ok=not failed, exit_code=status, outcome=f"exit {status}" if status else "")
    else:
        yield _result(call, value, record.get("isError"))._replace(time=time)


def _completion(record: jsonl.Record) -> Iterator[Piece]:
    usage = mapping(record.get("usage"))
    spent = Usage(number(usage.get("input_tokens")), number(usage.get("output_tokens")),
                  number(usage.get("cache_read_input_tokens")), number(usage.get("cache_creation_input_tokens")))  # fmt: skip
    final = string(record.get("finalText"))
    if final:  # repeats the last message where there is one: shown, not counted as another answer
        yield Piece("text", final, "final", time=parse_time(record.get("timestamp")))
    yield Piece("row", row={"tail": "finished", "why": "completed", "tokens": spent if spent.total else None})


def _error(record: jsonl.Record) -> Iterator[Piece]:
    yield Piece("note", string(record.get("message")) or "error", what="error", time=parse_time(record.get("timestamp")))


def _old_message(record: jsonl.Record) -> Iterator[Piece]:
    """Another program's export of a Droid session, in Claude Code's shape."""
    yield from _message({**record, "id": record.get("uuid"), "parentId": record.get("parentUuid")})
    yield Piece("row", row={"cwd": record.get("cwd"), "version": record.get("version")})


_RECORDS = {
    "session_start": _start, "message": _message, "agent_turn_outcome": _outcome, "compaction_state": _compaction,
    "system": _system, "tool_call": _tool_call, "tool_result": _tool_result, "completion": _completion, "error": _error,
    "user": _old_message, "assistant": _old_message,
}  # fmt: skip

SOURCE = Droid
