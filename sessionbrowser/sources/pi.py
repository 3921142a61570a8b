"""Pi: `~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl`, a tree of entries; oh-my-pi writes the same records.

The active branch leads from the last entry back to the root; the others stay in the file. A fork copies entries with
their ids and names the file it came from.
"""

from __future__ import annotations

import os
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
from sessionbrowser.sources.logs import LogSource
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
from sessionbrowser.text import for_eyes, one_line, parse_time


class Pi(LogSource):
    name, tag, label, program = "pi", "pi", "Pi", "pi"
    tells = ("models", "effort")
    tree = True
    naming = b'"session_info"'

    def roots(self) -> list[Root]:
        env = self.environment
        places = [env.expand(own)] if (own := env.get("PI_CODING_AGENT_SESSION_DIR")) else []
        home = env.get("PI_CODING_AGENT_DIR") or env.under_home(".pi", "agent")
        places.append(os.path.join(env.expand(home), "sessions"))
        places.append(env.under_home(".omp", "agent", "sessions"))
        return logs.roots_from(self.name, places)

    def root_at(self, path: str, label: str) -> Root | None:
        inside = ("sessions", os.path.join("agent", "sessions"), os.path.join(".pi", "agent", "sessions"))
        found = logs.store_at(path, inside, _is_store)
        return Root(self.name, found, label, live=False) if found else None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        trouble: list[Unreadable] = []
        for entry in logs.entries(root.path, trouble, self.name):
            inner = logs.entries(entry.path, trouble, self.name) if logs.is_folder(entry) else [entry]
            for file in inner:
                if file.name.endswith(".jsonl") and logs.is_file(file):
                    yield logs.handle_at(self.name, root, file, _id_of(file.name))
        yield from trouble

    def pieces(self, record: jsonl.Record, handle: Handle) -> Iterator[Piece]:
        read = _ENTRIES.get(string(record.get("type")))
        time, key, parent = parse_time(record.get("timestamp")), string(record.get("id")), string(record.get("parentId"))
        if record.get("type") == "session":
            key = parent = ""
        if key:  # whatever an entry holds, others may follow it
            yield Piece("row", key=key, parent=parent)
        for piece in read(record) if read is not None else ():
            yield piece._replace(time=time, key=key, parent=parent)

    def finish(self, handle: Handle, row: Session) -> Session:
        source = string(row.facts.get("forked_from_raw"))
        if source:
            row = row._replace(forked_from=_id_of(os.path.basename(source.replace("\\", "/"))))
            if row.counts is not None:
                own = any(b.kind == "prompt" and not b.copied for b in self.outline(handle).blocks)
                row = row._replace(facts={**row.facts, "own_prompt": own})
        return row._replace(id=string(row.facts.get("id_raw")) or row.id)

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        """Entries older than a fork's first line were copied from the session it came from."""
        made = super().outline(handle, since)
        start = made.facts.get("began")
        if not made.facts.get("forked_from_raw") or not isinstance(start, float):
            return made
        blocks = tuple(b._replace(copied=True) if b.time is not None and b.time < start else b for b in made.blocks)
        return made._replace(blocks=blocks)

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        return logs.root_agent(self, handle, outline or self.outline(handle), tuple(self._forks(handle)))

    def _forks(self, handle: Handle) -> Iterator[Agent]:
        """Sessions that name this file as the one they were forked from."""
        name = os.path.basename(handle.path)
        for found in self.discover(handle.root):
            if isinstance(found, Handle) and found.path != handle.path:
                start = logs.first_record(found.path)
                source = string(start.get("parentSession")) or string(start.get("branchedFrom"))
                if source.replace("\\", "/").endswith(f"/{name}"):
                    row = self.summarise(found)
                    yield Agent(row.id, "fork", "", row.title, started=row.created, ended=row.updated, path=found.path, handle=found)

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        """By path: an id from another directory makes Pi ask, and without a terminal do nothing."""
        if session.root or not os.path.isabs(session.path):
            return None
        return Resume(("pi", "--fork" if options.fork else "--session", session.path), session.cwd)


def _id_of(name: str) -> str:
    return name.removesuffix(".jsonl").rsplit("_", 1)[-1]


def _is_store(folder: str) -> bool:
    for entry in logs.entries(folder, [], "pi")[:40]:
        inner = logs.entries(entry.path, [], "pi")[:10] if logs.is_folder(entry) else [entry]
        for file in inner:
            if file.name.endswith(".jsonl"):
                start = logs.first_record(file.path)
                if start.get("type") == "session" and "cwd" in start:
                    return True
    return False


# ── entries ──


def _session(record: jsonl.Record) -> Iterator[Piece]:
    source = string(record.get("parentSession")) or string(record.get("branchedFrom"))
    facts = {"forked_from_raw": source, "id_raw": string(record.get("id")), "began": parse_time(record.get("timestamp")), "format": record.get("version") or 1}
    if effort := string(record.get("thinkingLevel")):
        facts["effort"] = one_line(effort, 40)
    yield Piece("row", row={
        "cwd": record.get("cwd"), "model": record.get("modelId"), "created": parse_time(record.get("timestamp")),
        "facts": {k: v for k, v in facts.items() if v},
    })  # fmt: skip


def _message(record: jsonl.Record) -> Iterator[Piece]:
    message = mapping(record.get("message"))
    read = _ROLES.get(string(message.get("role")))
    return read(message) if read is not None else iter(())


def _user(message: Mapping[str, object]) -> Iterator[Piece]:
    content = message.get("content")
    pictures = any(part.get("type") == "image" for part in items(content))
    if text := text_of(content).strip() or (PICTURE if pictures else ""):
        yield Piece("prompt", text, "prompt")
    for index, part in enumerate(items(content)):
        if part.get("type") == "image":
            kind = string(part.get("mimeType")).removeprefix("image/")
            yield Piece("image", string(part.get("data")), f"image {index}", title=f"{kind or 'image'}")


def _assistant(message: Mapping[str, object]) -> Iterator[Piece]:
    model = string(message.get("model"))
    content = message.get("content")
    parts = parts_of(content)
    for index, part in enumerate(parts):
        kind, name = part.get("type"), str(index)
        if kind == "text" and (text := string(part.get("text"))).strip():
            yield Piece("text", text, name, model=model, answer="@")
        elif kind == "thinking":
            text = string(part.get("thinking"))
            what = "redacted" if part.get("redacted") is True else "" if text else "empty"
            yield Piece("thinking", text, name, what, model=model)
        elif kind == "toolCall":
            yield Piece("call", part=name, call=string(part.get("id")), name=string(part.get("name")) or "tool",
                        arguments=mapping(part.get("arguments")), model=model)  # fmt: skip
    usage = mapping(message.get("usage"))
    if usage:
        spent = Usage(number(usage.get("input")), number(usage.get("output")), number(usage.get("cacheRead")), number(usage.get("cacheWrite")))
        yield Piece("row", usage=spent, model=model)
    yield from _stopped(message)


def _stopped(message: Mapping[str, object]) -> Iterator[Piece]:
    reason = string(message.get("stopReason"))
    if reason == "aborted":
        yield Piece("note", "Interrupted", "stop", "interrupt")
    elif reason == "error":
        yield Piece("note", string(message.get("errorMessage")) or "The model's answer ended in an error", "stop", "error")


def _result(message: Mapping[str, object]) -> Iterator[Piece]:
    text = text_of(message.get("content"))
    failed = message.get("isError") is True
    status = _status(text) if failed else None
    yield Piece("result", text, "result", call=string(message.get("toolCallId")), ok=not failed, exit_code=status,
                outcome=f"exit {status}" if status else "", extra=shown(message.get("content")))  # fmt: skip


def _status(text: str) -> int | None:
    _, mark, rest = text.rpartition("exited with code ")
    digits = rest.strip().split("\n", 1)[0].strip(" .")
    return int(digits) if mark and digits.isdigit() and len(digits) < 6 else None


def _bash(message: Mapping[str, object]) -> Iterator[Piece]:
    """`!command`, run by the person."""
    command, status = string(message.get("command")), code(message.get("exitCode"))
    yield Piece("prompt", command, "command", "bash")
    yield printed(string(message.get("output")), status)


def _summary(message: Mapping[str, object]) -> Iterator[Piece]:
    what = "branch" if message.get("role") == "branchSummary" else "compaction"
    title = "Came back from another branch" if what == "branch" else "Conversation compacted"
    yield Piece("note", string(message.get("summary")) or text_of(message.get("content")), "summary", what, title=title)


def _system(message: Mapping[str, object]) -> Iterator[Piece]:
    sections = "\n\n".join(string(value) for value in mapping(message.get("sections")).values())
    yield Piece("note", text_of(message.get("content")) or sections, "system", "injected", title="System prompt")


def _custom(message: Mapping[str, object]) -> Iterator[Piece]:
    if text := text_of(message.get("content")):
        yield Piece("note", text, "custom", "injected")


_ROLES = {
    "user": _user, "assistant": _assistant, "toolResult": _result, "bashExecution": _bash, "system": _system,
    "branchSummary": _summary, "compactionSummary": _summary, "custom": _custom, "hookMessage": _custom,
}  # fmt: skip


def _model(record: jsonl.Record) -> Iterator[Piece]:
    model = string(record.get("modelId"))
    yield Piece("note", f"Model: {model}", "model", "model", row={"model": model})


def _effort(record: jsonl.Record) -> Iterator[Piece]:
    yield Piece("row", row={"facts": {"effort": one_line(string(record.get("thinkingLevel")), 40)}})


def _compaction(record: jsonl.Record) -> Iterator[Piece]:
    before = number(record.get("tokensBefore"))
    title = "Conversation compacted" + (f" from {before:,} tokens" if before else "")
    yield Piece("note", string(record.get("summary")), "compaction", "compaction", title=title)


def _branch(record: jsonl.Record) -> Iterator[Piece]:
    yield Piece("note", string(record.get("summary")), "branch", "branch", title="Came back from another branch")


def _info(record: jsonl.Record) -> Iterator[Piece]:
    yield Piece("row", row={"name": string(record.get("name")) or " "})  # a name that was taken back replaces it, too


def _label(record: jsonl.Record) -> Iterator[Piece]:
    if label := string(record.get("label")):
        yield Piece("note", f"Label: {for_eyes(label)}", "label", "label")


def _injected(record: jsonl.Record) -> Iterator[Piece]:
    if record.get("display") is not False and (text := text_of(record.get("content"))):
        yield Piece("note", text, "custom", "injected")


_ENTRIES = {
    "session": _session, "message": _message, "model_change": _model, "thinking_level_change": _effort,
    "compaction": _compaction, "branch_summary": _branch, "session_info": _info, "label": _label,
    "custom_message": _injected,
}  # fmt: skip

SOURCE = Pi
