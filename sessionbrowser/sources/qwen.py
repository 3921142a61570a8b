"""Qwen Code: `~/.qwen/projects/<folder>/chats/<id>.jsonl`, subagents in `…/subagents/<id>/agent-<type>-<call>.jsonl`.

Chats of early releases (`qwen_early.py`) lie in `~/.qwen/tmp`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sessionbrowser.model import (
    Agent,
    Block,
    Body,
    Handle,
    Live,
    Passage,
    Resume,
    ResumeOptions,
    Root,
    Session,
    SetAside,
    Transcript,
    Unreadable,
    Usage,
)
from sessionbrowser.paths import Environment
from sessionbrowser.sources import jsonl, logs
from sessionbrowser.sources.gemini.shell import shell_report
from sessionbrowser.sources.lazy import lazily, orjson
from sessionbrowser.sources.logs import LogSource
from sessionbrowser.sources.numbered import load_or_none
from sessionbrowser.sources.pieces import UNNAMED, Piece, code, mapping, number, parts_of, string, text_of
from sessionbrowser.sources.processes import alive
from sessionbrowser.sources.qwen_early import EarlyQwen, is_early
from sessionbrowser.text import one_line, parse_time

if TYPE_CHECKING:
    from sessionbrowser.sources.gemini import messages as words
else:
    (words,) = lazily("sessionbrowser.sources.gemini", "messages")

ID = re.compile(r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}")
_CONTEXT = re.compile(r"\s*<(qwen:[\w-]+|system-reminder|hook_context|session_context)\b.*?(?:</\1>|\Z)\s*", re.S)
_NO_LEAF = ("ui_telemetry", "attribution_snapshot", "session_artifact_snapshot", "file_history_snapshot")
_OPEN = 200  # files of processes that are looked at
_FRESH = 300  # seconds after its last line in which a subagent that is said to run is believed to
_LAUNCHED = "Background agent launched"
_HUMAN = ("", "mid_turn_user_message")


class Qwen(LogSource):
    name, tag, label, program = "qwen", "qw", "Qwen Code", "qwen"
    tells = ("models", "skills")
    naming = b'"custom_title"'
    tree = True
    ends = 64 << 10, 72 << 10  # a title is written again so that it is in the last 64 KB

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._early = EarlyQwen(environment)

    def roots(self) -> list[Root]:
        told = self.environment.get("QWEN_RUNTIME_DIR") or self.environment.get("QWEN_HOME")
        homes = [self.environment.expand(told)] if told else []
        homes.append(self.environment.under_home(".qwen"))
        return logs.roots_from(self.name, [place for home in homes for place in (os.path.join(home, "projects"), *_early_place(home))])

    def root_at(self, path: str, label: str) -> Root | None:
        found = logs.store_at(path, ("projects", os.path.join(".qwen", "projects")), _is_store)
        homes = [os.path.join(path, ".qwen"), *([path] if os.path.basename(path) == ".qwen" else [])]
        early = [place for home in homes for place in _early_place(home)]
        if not found and early:
            found = early[0]
        return Root(self.name, found, label, live=False) if found else None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        if os.path.basename(root.path) == "tmp":
            yield from self._early.discover(root, deep=deep)
            return
        trouble: list[Unreadable] = []
        for project in logs.entries(root.path, trouble, self.name):
            if not logs.is_folder(project):
                continue
            for entry in logs.entries(os.path.join(project.path, "chats"), trouble, self.name):
                if entry.name.endswith(".jsonl") and logs.is_file(entry):
                    yield logs.handle_at(self.name, root, entry, entry.name[:-6])
                elif logs.is_file(entry):
                    yield SetAside(self.name, entry.path, "not a session file")
            if deep:
                yield from self._subagents(root, project.path, trouble)
        yield from trouble

    def folders(self, handle: Handle) -> tuple[str, ...]:
        project = os.path.dirname(os.path.dirname(handle.path))
        return () if handle.parent or is_early(handle) else (os.path.join(project, "subagents", handle.id),)

    def _subagents(self, root: Root, project: str, trouble: list[Unreadable]) -> Iterator[Handle]:
        for folder in logs.entries(os.path.join(project, "subagents"), trouble, self.name):
            if logs.is_folder(folder):
                yield from self._subagents_in(root, folder.path, folder.name, trouble)

    def _subagents_in(self, root: Root, folder: str, parent: str, trouble: list[Unreadable]) -> Iterator[Handle]:
        for entry in logs.entries(folder, trouble, self.name):
            if entry.name.endswith(".jsonl") and logs.is_file(entry):
                identity = entry.name[:-6].removeprefix("agent-")
                yield logs.handle_at(self.name, root, entry, identity, hidden="subagent", parent=parent)

    # ── records ──

    def pieces(self, record: jsonl.Record, handle: Handle) -> Iterator[Piece]:
        kind, subtype = string(record.get("type")), string(record.get("subtype"))
        read = _TYPES.get(kind)
        if read is None:
            return
        time = parse_time(record.get("timestamp"))
        key, parent = string(record.get("uuid")), string(record.get("parentUuid"))
        if subtype in _NO_LEAF:
            yield Piece("row", key=key, parent=parent, time=time, leaf=False)
            for piece in read(record):  # what it tells stands where the record before it does
                yield piece._replace(time=time, key=parent, parent=UNNAMED, leaf=False)
            return
        yield Piece("row", key=key, parent=parent, time=time, row={
            "cwd": record.get("cwd"), "branch": record.get("gitBranch"), "version": record.get("version"),
        })  # fmt: skip
        for piece in read(record):
            if piece.kind == "prompt" and handle.parent:
                piece = piece._replace(what="subagent")
            elif piece.kind == "prompt" and (record.get("isSidechain") is True or string(record.get("agentId"))):
                piece = piece._replace(kind="note", what="injected")  # what a subagent was told, kept in the session itself
            yield piece._replace(time=time, key=key, parent=parent)

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        """Calls that started a subagent with a transcript name it."""
        if is_early(handle):
            return self._early.outline(handle, since)
        made = super().outline(handle, since)
        if handle.parent or not any(block.what == "agent" for block in made.blocks):
            return made
        started = {string(_meta(found.path).get("toolUseId")): found.id for found in self._own(handle)}
        blocks = tuple(b._replace(subagent=started.get(b.call, b.subagent)) if b.what == "agent" else b for b in made.blocks)
        return made._replace(blocks=blocks)

    def _own(self, handle: Handle) -> list[Handle]:
        """The subagents of a session."""
        project = os.path.dirname(os.path.dirname(handle.path))
        return list(self._subagents_in(handle.root, os.path.join(project, "subagents", handle.id), handle.id, []))

    def finish(self, handle: Handle, row: Session) -> Session:
        if not handle.parent:
            own = self._own(handle)
            return row._replace(subagents=len(own), facts={**row.facts, **(_modes(_meta(own[0].path)) if own else {})})
        meta = _meta(handle.path)
        title = string(meta.get("description"))
        return row._replace(
            origin="subagent", title=one_line(title, 300) or row.title, title_from="description" if title else row.title_from,
            model=row.model or one_line(string(meta.get("model")), 80) or None, facts={**row.facts, **_modes(meta)},
        )  # fmt: skip

    # ── chats of early releases ──

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        return self._early.summarise(handle, previous) if is_early(handle) else super().summarise(handle, previous)

    def body(self, handle: Handle, block: Block) -> Body:
        return self._early.body(handle, block) if is_early(handle) else super().body(handle, block)

    def passages(self, handle: Handle, offset: int = 0, *, tools: bool = False) -> Iterator[Passage]:
        return self._early.passages(handle, offset, tools=tools) if is_early(handle) else super().passages(handle, offset, tools=tools)

    # ── agents ──

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        if is_early(handle):
            return self._early.agents(handle, outline)
        made = outline or self.outline(handle)
        children = [] if handle.parent else [self._agent(found) for found in self._own(handle)]
        return logs.root_agent(self, handle, made, _nested(children))

    def _agent(self, handle: Handle) -> tuple[str, str, Agent]:
        meta = _meta(handle.path)
        made = self.outline(handle)
        state = string(meta.get("status"))
        status = {"completed": "finished", "failed": "failed", "cancelled": "interrupted", "running": "running"}.get(state, "unknown")
        times = [block.time for block in made.blocks if block.time is not None]
        if status == "running" and self.environment.now() - max(times, default=0.0) > _FRESH:
            status = "interrupted"  # its program ended without a word
        agent = Agent(
            handle.id, "subagent", one_line(string(meta.get("agentType")), 60), one_line(string(meta.get("description")), 200) or _task(made), status,
            one_line(string(meta.get("model")), 80), made.tokens, made.counts.tool_calls, min(times, default=None), max(times, default=None),
            handle.path, handle, string(meta.get("toolUseId")),
        )  # fmt: skip
        return string(meta.get("agentId")) or handle.id, string(meta.get("parentAgentId")), agent

    def live(self, root: Root) -> list[Live]:
        """Sessions that a file of their process calls open: `sessions/<pid>.json` beside the projects."""
        if not root.live:
            return []
        files = logs.entries(os.path.join(os.path.dirname(root.path), "sessions"), [], self.name)
        return [live for entry in files[:_OPEN] if entry.name.endswith(".json") and (live := _open(entry.path))]

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        """Bound to the project: from another directory Qwen finds no session."""
        if session.root or session.parent or session.path.endswith(".json") or not ID.fullmatch(session.id):
            return None
        argv = ["qwen", "--resume", session.id]
        if options.fork:
            argv.append("--fork-session")
        if options.skip_approvals:
            argv.append("--yolo")
        return Resume(tuple(argv), session.cwd)


def _open(path: str) -> Live | None:
    told = load_or_none(path) or {}
    session, pid = string(told.get("sessionId")), number(told.get("pid"))
    if not ID.fullmatch(session) or not 0 < pid < 1 << 31:
        return None
    start = string(told.get("procStart")).rpartition(":")[2]  # after the id of the boot
    if alive(pid, start):
        return Live(session, "", "it is open in Qwen Code", pid)
    return Live(session, "gone", "its process is no longer there", pid)


def _task(made: Transcript) -> str:
    """What a subagent was told, where nothing describes it."""
    return next((block.title for block in made.blocks if block.kind == "prompt"), "")


def _nested(found: list[tuple[str, str, Agent]]) -> tuple[Agent, ...]:
    """Agents as a tree by the agent that started each; those whose parent is unknown stay at the top."""
    above = {identity: parent for identity, parent, _ in found}
    for identity, parent in above.items():
        if parent not in above or _leads_back(identity, above):
            above[identity] = ""
    return _below("", found, above)


def _leads_back(identity: str, above: Mapping[str, str]) -> bool:
    """Whether agents started one another, as only damaged files say."""
    at = above[identity]
    for _ in above:
        if at == identity:
            return True
        at = above.get(at, "")
    return False


def _below(parent: str, found: list[tuple[str, str, Agent]], above: Mapping[str, str], depth: int = 0) -> tuple[Agent, ...]:
    if depth > 64:
        return ()
    return tuple(agent._replace(children=_below(i, found, above, depth + 1)) for i, _, agent in found if above[i] == parent)


def _modes(meta: Mapping[str, object]) -> dict[str, object]:
    """What the session let happen unasked when it started a subagent: written beside that one, and nowhere else."""
    flags = mapping(meta.get("persistedCliFlags"))
    mode = string(flags.get("approvalMode")) or string(meta.get("resolvedApprovalMode"))
    found = {"approval": mode, "sandbox": string(flags.get("sandbox"))}
    return {name: one_line(value, 60) for name, value in found.items() if value}


def _meta(path: str) -> Mapping[str, object]:
    try:
        value = orjson.loads(jsonl.read_at(path.removesuffix(".jsonl") + ".meta.json", 0, 1 << 20))
    except (OSError, orjson.JSONDecodeError):
        return {}
    return value if isinstance(value, dict) else {}


def _early_place(home: str) -> list[str]:
    """The folder of an early release's chats in its home, when it holds any."""
    folder = os.path.join(home, "tmp")
    projects = logs.entries(folder, [], "qwen")
    return [folder] if any(os.path.isdir(os.path.join(project.path, "chats")) for project in projects) else []


def _is_store(folder: str) -> bool:
    for project in logs.entries(folder, [], "qwen")[:40]:
        for entry in logs.entries(os.path.join(project.path, "chats"), [], "qwen")[:5] if logs.is_folder(project) else ():
            start = logs.first_record(entry.path)
            if "sessionId" in start and ("parts" in mapping(start.get("message")) or "systemPayload" in start):
                return True
    return False


# ── records ──


def _parts(record: jsonl.Record) -> list[Mapping[str, object]]:
    said = record.get("message")
    given = said.get("parts") or said.get("content") if isinstance(said, Mapping) else said
    return parts_of(given)


def _user(record: jsonl.Record) -> Iterator[Piece]:
    subtype, provenance = string(record.get("subtype")), string(record.get("provenance"))
    parts = _parts(record)
    shown = string(mapping(record.get("systemPayload")).get("displayText"))
    texts = [string(part.get("text")) for part in parts if not part.get("thought")]
    if subtype not in _HUMAN or provenance not in ("", "real_user"):
        yield Piece("note", "\n".join(texts) or shown, "note", "injected", title=shown)
        return
    said = shown.strip() or "\n\n".join(rest for text in texts if (rest := _CONTEXT.sub("", text).strip()))
    if said:
        yield Piece("prompt", said, "prompt", "queued" if subtype else "typed")
    for index, part in enumerate(parts):
        text = string(part.get("text"))
        if text and not _CONTEXT.sub("", text).strip():
            yield Piece("note", text, f"context {index}", "injected")
        elif data := mapping(part.get("inlineData")):
            yield Piece("image", string(data.get("data")), f"image {index}", title=string(data.get("mimeType")).removeprefix("image/"))


def _assistant(record: jsonl.Record) -> Iterator[Piece]:
    model = string(record.get("model"))
    for index, part in enumerate(_parts(record)):
        name, text = str(index), string(part.get("text"))
        if call := mapping(part.get("functionCall")):
            yield Piece("call", part=name, call=string(call.get("id")), name=string(call.get("name")) or "tool",
                        arguments=mapping(call.get("args")), model=model)  # fmt: skip
        elif text.strip() and part.get("thought") is True:
            yield Piece("thinking", text, name, model=model)
        elif text.strip():
            yield Piece("text", text, name, model=model, answer="@")
    if usage := mapping(record.get("usageMetadata")):
        cached = number(usage.get("cachedContentTokenCount"))
        sent = number(usage.get("promptTokenCount"))
        yield Piece("row", usage=Usage(max(0, sent - cached), _written(usage, sent), cached), model=model)


def _written(usage: Mapping[str, object], sent: int) -> int:
    """Tokens of an answer. What was thought is part of it, except where the total counts it besides."""
    answer, thought = number(usage.get("candidatesTokenCount")), number(usage.get("thoughtsTokenCount"))
    return answer + thought if number(usage.get("totalTokenCount")) >= sent + answer + thought else answer


def _result(record: jsonl.Record) -> Iterator[Piece]:
    told = mapping(record.get("toolCallResult"))
    display = told.get("resultDisplay")
    shell = mapping(display) if isinstance(display, Mapping) else {}
    status = code(shell.get("exitCode"))
    state = string(told.get("status"))
    answers = [answer for part in _parts(record) if (answer := mapping(part.get("functionResponse")))]
    for index, answer in enumerate(answers or [told] if told else answers):
        response = answer.get("response")
        error = string(response.get("error")) if isinstance(response, Mapping) else ""
        text = string(shell.get("output")) or error or words.response_text(response) or string(display)
        if not shell and answer.get("name") == "run_shell_command":
            status, text = shell_report(text, display)
        failed = state in ("error", "cancelled") or bool(status) or bool(error)
        outcome = f"exit {status}" if status else "cancelled" if state == "cancelled" else ""
        if answer.get("name") == "agent" and text.startswith(_LAUNCHED):
            outcome, text = "in background", text.split("\n", 1)[0]  # the rest tells the model how to behave
        yield Piece("result", text, f"result {index}", call=string(answer.get("id")) or string(told.get("callId")), ok=not failed,
                    exit_code=status, outcome=outcome, subagent=_started(display), diffs=words.shown_diffs(display))  # fmt: skip


def _started(display: object) -> str:
    """The subagent a result tells of."""
    told = mapping(display) if isinstance(display, Mapping) else {}
    return string(told.get("agentId")) or string(told.get("subagentId"))


def _system(record: jsonl.Record) -> Iterator[Piece]:
    subtype, payload = string(record.get("subtype")), mapping(record.get("systemPayload"))
    if subtype == "custom_title":
        yield Piece("row", row={"name": payload.get("customTitle") or " "})  # without words it takes an earlier one back
    elif subtype == "rewind":
        yield Piece("note", "Went back to an earlier message", "rewind", "branch")
    elif subtype in ("chat_compression", "compression", "compact"):
        yield Piece("note", text_of(payload.get("summary")) or string(payload.get("summary")), "compaction", "compaction", title="Conversation compacted")
    elif subtype == "ui_telemetry":
        yield from _telemetry(mapping(payload.get("uiEvent")))
    elif subtype == "slash_command" and payload.get("phase") != "result":
        command = string(payload.get("rawCommand"))
        yield Piece("note", command, "command", "command", title=command)


def _telemetry(event: Mapping[str, object]) -> Iterator[Piece]:
    """Of all that is counted only what went wrong is said nowhere else."""
    if string(event.get("event.name")).endswith(".api_error"):
        yield Piece("note", string(event.get("error_message")) or string(event.get("error")) or "The model could not be asked", "error", "error")


_TYPES = {"user": _user, "assistant": _assistant, "tool_result": _result, "system": _system}

SOURCE = Qwen
