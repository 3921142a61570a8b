"""GitHub Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl` with `workspace.yaml` beside it; before 1.0 a flat
`session-state/<id>.jsonl`; before that `history-session-state/*.json` (`copilot_history.py`).
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import reduce

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
from sessionbrowser.sources.copilot_history import FOLDER, EarlyCopilot, is_early
from sessionbrowser.sources.copilot_history import pieces as early_pieces
from sessionbrowser.sources.lazy import orjson
from sessionbrowser.sources.logs import LogSource
from sessionbrowser.sources.numbered import load_or_none
from sessionbrowser.sources.pieces import Piece, code, items, mapping, number, printed, string
from sessionbrowser.sources.processes import alive
from sessionbrowser.text import for_eyes, one_line, parse_time

EVENTS, WORKSPACE = "events.jsonl", "workspace.yaml"
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
_INUSE = re.compile(r"inuse\.(\d{1,10})\.lock")
_STARTED = b'"subagent.started"'
_OPEN = 200  # sessions called open that are looked at
_FOLDED = re.compile(r"(?<!\\)\\ ")  # a quoted text that goes on in the next row without a blank
_SHELL_NOTE = re.compile(r"\n?<shellId: [^>\n]*>\s*\Z")  # says the exit code once more


class Copilot(LogSource):
    name, tag, label, program = "copilot", "cp", "Copilot CLI", "copilot"
    tells = ("models", "permission modes", "hooks", "skills")

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._early = EarlyCopilot(environment)

    def roots(self) -> list[Root]:
        """Its home, and where releases before 1.0 kept it when `XDG_STATE_HOME` said so."""
        state = self.environment.get("XDG_STATE_HOME")
        homes = [self.environment.get("COPILOT_HOME") or self.environment.under_home(".copilot"), *([os.path.join(state, ".copilot")] if state else [])]
        return [root for home in homes for root in _in_home(self.environment.expand(home))]

    def root_at(self, path: str, label: str) -> Root | None:
        inside = ("session-state", os.path.join(".copilot", "session-state"))
        found = logs.store_at(path, inside, _is_store) or next((root.path for home in (path, os.path.join(path, ".copilot")) for root in _in_home(home)), "")
        return Root(self.name, found, label, live=False) if found else None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        if os.path.basename(root.path) == FOLDER:
            yield from self._early.discover(root, deep=deep)
            return
        trouble: list[Unreadable] = []
        for entry in logs.entries(root.path, trouble, self.name):
            if logs.is_folder(entry):
                events = [e for e in logs.entries(entry.path, trouble, self.name) if e.name == EVENTS and logs.is_file(e)]
                if events:
                    yield logs.with_beside(logs.handle_at(self.name, root, events[0], entry.name), os.path.join(entry.path, WORKSPACE))
                else:
                    yield SetAside(self.name, entry.path, "session folder without events")
            elif entry.name.endswith(".jsonl") and logs.is_file(entry):
                yield logs.handle_at(self.name, root, entry, entry.name[:-6].removesuffix(".events"))
        yield from self._early.discover(root._replace(path=os.path.join(os.path.dirname(root.path), FOLDER)), deep=deep)
        yield from trouble

    def pieces(self, record: jsonl.Record, handle: Handle) -> Iterator[Piece]:
        kind = string(record.get("type"))
        data = mapping(record.get("data")) or record  # an older, flat shape has its fields beside the type
        agent = _agent_of(record)
        if kind == "subagent.started":
            yield Piece("amend", call=string(data.get("toolCallId")), subagent=agent or string(data.get("toolCallId")))
        if kind == "session.import_legacy":
            yield from (piece._replace(part=f"{number}/{piece.part}") for number, piece in early_pieces(mapping(data.get("legacySession"))))
        read = _EVENTS.get(kind)
        if read is None or agent != handle.key:
            return
        time, key, parent = parse_time(record.get("timestamp")), string(record.get("id")), string(record.get("parentId"))
        for piece in read(data):
            if handle.key and piece.kind == "prompt":
                piece = piece._replace(what="subagent")
            yield piece._replace(time=time, key=key, parent=parent)

    # ── sessions of early releases ──

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        return self._early.summarise(handle, previous) if is_early(handle.path) else super().summarise(handle, previous)

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        made = self._early.outline(handle, since) if is_early(handle.path) else super().outline(handle, since)
        unnamed = sum(block.what == "agent" and not block.subagent for block in made.blocks if block.kind == "tool")
        return made._replace(facts={**made.facts, "inline_agents_raw": unnamed}) if unnamed and not handle.key else made

    def body(self, handle: Handle, block: Block) -> Body:
        return self._early.body(handle, block) if is_early(handle.path) else super().body(handle, block)

    # ── rows and relations ──

    def finish(self, handle: Handle, row: Session) -> Session:
        if handle.key:
            return row._replace(origin="subagent", hidden="subagent")
        known = workspace(os.path.join(os.path.dirname(handle.path), WORKSPACE))
        if not known:
            return row
        facts = dict(row.facts)
        if root := known.get("git_root"):
            facts["git_root_raw"] = root
        named = known.get("name") or known.get("summary", "")  # as it was called before sessions had names
        if named and known.get("user_named") == "true":
            row = row._replace(title=one_line(named, 300), title_from="name")
        elif named and row.title_from in ("prompt", "id") and not row.first_prompt.startswith(one_line(named, 300).rstrip(".…")):
            row = row._replace(title=one_line(named, 300), title_from="ai")
        return row._replace(
            cwd=row.cwd or known.get("cwd") or None, branch=row.branch or one_line(known.get("branch", ""), 120) or None,
            created=row.created or parse_time(known.get("created_at")), facts=facts,
        )  # fmt: skip

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        made = outline or self.outline(handle)
        linked = sum(bool(block.subagent) for block in made.blocks)
        deeper = bool(linked) and sum(1 for _ in jsonl.last_with(handle.path, _STARTED)) > linked
        return logs.root_agent(self, handle, made, tuple(self._subagents(made, handle, frozenset((handle.key,)), deeper)))

    def _subagents(self, made: Transcript, handle: Handle, above: frozenset[str], deeper: bool) -> Iterator[Agent]:
        """Tasks given to subagents, and with `deeper` those they gave themselves. Their records stand in the same file; releases before 1.0 kept none."""
        for block in made.blocks:
            if block.kind == "tool" and block.what == "agent":
                key = block.subagent if block.subagent not in above else ""
                own = handle._replace(key=key, id=key, hidden="subagent", parent=handle.parent or handle.id) if key else None
                below = self._subagents(self.outline(own), own, above | {key}, deeper) if own and deeper else ()
                yield _task(block, own, tuple(below))

    def passages(self, handle: Handle, offset: int = 0, *, tools: bool = False) -> Iterator[Passage]:
        """What subagents said leads to the calls that started them."""
        if is_early(handle.path):
            yield from self._early.passages(handle, offset, tools=tools)
            return
        yield from super().passages(handle, offset, tools=tools)
        calls: dict[str, int] = {}
        for line in jsonl.lines(handle.path, offset) if tools else ():
            for record in jsonl.read(line.data).records if b"oolCallId" in line.data or b'"agentId"' in line.data else ():
                agent = _agent_of(record)
                for piece in self.pieces(record, handle._replace(key=agent)):
                    if piece.kind == "call":
                        calls.setdefault(piece.call, calls.get(agent, line.offset))
                    elif agent and piece.kind in ("prompt", "text", "thinking"):
                        yield Passage("tool", calls.get(agent, line.offset), for_eyes(piece.text), piece.time)
                if record.get("type") == "subagent.started":
                    calls[agent] = calls.get(string(mapping(record.get("data")).get("toolCallId")), line.offset)

    def live(self, root: Root) -> list[Live]:
        """Sessions that a list beside them calls open; which process has one open is told by a file in its folder."""
        found = load_or_none(os.path.join(os.path.dirname(root.path), "open-sessions-state.json")) if root.live else None
        return [live for identity in list(found or ())[:_OPEN] if ID.fullmatch(identity) and (live := _open(root.path, identity))]

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        if session.root or session.key or options.fork or not logs.UUID.fullmatch(session.id):
            return None
        approvals = ("--yolo",) if options.skip_approvals else ()
        return Resume(("copilot", f"--resume={session.id}", *approvals), session.cwd)


def _in_home(home: str) -> list[Root]:
    """The folder of sessions in Copilot's home, else that of early releases alone."""
    places = (os.path.join(home, name) for name in ("session-state", FOLDER))
    return logs.roots_from("copilot", [place for place in places if os.path.isdir(place)][:1])


def _agent_of(record: jsonl.Record) -> str:
    """The subagent whose record it is, "" for the session's own."""
    return string(record.get("agentId")) or string(mapping(record.get("data")).get("parentToolCallId"))


def _open(folder: str, identity: str) -> Live | None:
    """Whether a session's folder names a process that has it open."""
    names = (_INUSE.fullmatch(entry.name) for entry in logs.entries(os.path.join(folder, identity), [], "copilot"))
    pids = [int(name[1]) for name in names if name]
    running = next((pid for pid in pids if alive(pid)), 0)
    if running:
        return Live(identity, "", "it is open in Copilot CLI", running)
    return Live(identity, "gone", "its process is no longer there", pids[0]) if pids else None


def _task(block: Block, own: Handle | None, below: tuple[Agent, ...]) -> Agent:
    """The subagent that a call started."""
    status = "unknown" if block.ok is None else "finished" if block.ok else "failed"
    kind, colon, about = block.title.partition(": ")
    return Agent(block.subagent or block.call, "subagent", kind if colon else block.name, about or block.title, status, block.model,
                 started=block.time, ended=block.ended, path=own.path if own else "", handle=own, call=block.call, children=below)  # fmt: skip


def _is_store(folder: str) -> bool:
    for entry in logs.entries(folder, [], "copilot")[:40]:
        path = os.path.join(entry.path, EVENTS) if logs.is_folder(entry) else entry.path
        if path.endswith(".jsonl") and string(logs.first_record(path).get("type")).startswith(("session.", "user.")):
            return True
    return False


def workspace(path: str) -> dict[str, str]:
    """The flat `key: value` lines of a workspace.yaml; quoted, long and block values too. {} when it can't be read."""
    try:
        if not os.path.isfile(path):
            return {}
        text = jsonl.read_at(path, 0, 64 << 10).decode("utf-8", "replace")
    except OSError:
        return {}
    found: dict[str, list[str]] = {}
    rows: list[str] = []
    for line in text.removeprefix("\ufeff").split("\n"):
        if line.startswith((" ", "\t")):
            rows.append(line.strip())
            continue
        name, colon, value = line.partition(":")
        if colon and name and not name.startswith(("#", "-")):
            rows = found[name] = [value.strip()]
    return {name: _scalar(*rows) for name, rows in found.items()}


def _scalar(first: str, *more: str) -> str:
    """The value of a key from the rows it stands on."""
    if first[:1] in ("|", ">") and len(first) <= 3:
        return ("\n" if first[0] == "|" else " ").join(more).strip()
    value = " ".join(filter(None, (first, *more)))
    if value[:1] == "'" and value.endswith("'"):
        return value[1:-1].replace("''", "'")
    if value[:1] == '"' and value.endswith('"'):
        try:
            return string(orjson.loads(_FOLDED.sub("", value)))
        except orjson.JSONDecodeError:
            return value[1:-1]
    value = value.partition(" #")[0].rstrip()
    return "" if value in ("null", "~") else value


# ── events ──


def _start(data: Mapping[str, object]) -> Iterator[Piece]:
    context = mapping(data.get("context")) or data  # a change of it alone holds nothing else
    yield Piece("row", row={
        "cwd": context.get("cwd"), "branch": context.get("branch"), "version": data.get("copilotVersion"),
        "model": data.get("selectedModel"), "created": parse_time(data.get("startTime")),
    })  # fmt: skip


def _user(data: Mapping[str, object]) -> Iterator[Piece]:
    text = string(data.get("content")) or string(data.get("prompt")) or string(data.get("text"))
    if text and string(data.get("source")).startswith(("skill-", "system")):
        yield Piece("note", text, "prompt", "injected")
    elif text:
        yield Piece("prompt", text, "prompt", "queued" if data.get("delivery") == "queued" else "typed")
    for index, item in enumerate(items(data.get("attachments"))):
        name = string(item.get("displayName")) or string(item.get("path")) or string(item.get("type"))
        yield Piece("note", name, f"attachment {index}", "attachment", title=f"attached {name}")


def _flat_user(data: Mapping[str, object]) -> Iterator[Piece]:
    yield from _user(data)
    yield Piece("row", row={"cwd": data.get("cwd")})


def _assistant(data: Mapping[str, object]) -> Iterator[Piece]:
    model = string(data.get("model"))
    if reasoning := string(data.get("reasoningText")):
        yield Piece("thinking", reasoning, "reasoning", model=model)
    text = string(data.get("content")) or string(data.get("output")) or string(data.get("result")) or string(data.get("text"))
    if text:
        yield Piece("text", text, "text", model=model, answer="@")
    for index, call in enumerate(items(data.get("toolRequests"))):
        yield _request(call, f"call {index}", model)


def _request(call: Mapping[str, object], part: str, model: str) -> Piece:
    name = string(call.get("name")) or string(call.get("toolName")) or "tool"
    return Piece("call", part=part, call=string(call.get("toolCallId")), name=name, arguments=mapping(call.get("arguments")), model=model, again=True)


def _execution(data: Mapping[str, object]) -> Iterator[Piece]:
    yield _request(data, "start", string(data.get("model")))


def _complete(data: Mapping[str, object]) -> Iterator[Piece]:
    error = mapping(data.get("error"))
    result = data.get("result")
    text = result if isinstance(result, str) else string(mapping(result).get("content")) or string(mapping(result).get("detailedContent"))
    if data.get("isUserRequested") is True:
        yield printed(text or string(error.get("message")), code(mapping(data.get("shellExecution")).get("exitCode")))
        return
    failed = data.get("success") is False
    status = code(mapping(data.get("shellExecution")).get("exitCode"))
    outcome = string(error.get("code")) or (f"exit {status}" if status else "")
    text = _SHELL_NOTE.sub("", text) if status is not None else text
    yield Piece("result", text or string(error.get("message")), "result", call=string(data.get("toolCallId")), ok=not failed and not status,
                exit_code=status, outcome=outcome)  # fmt: skip


def _permission(data: Mapping[str, object]) -> Iterator[Piece]:
    modes = tuple(one_line(mode, 60) for name in ("agentMode", "permissionMode") if (mode := string(data.get(name))))
    yield Piece("row", row={"tail": "asking", "why": "a permission is asked for", "facts": {"modes": modes} if modes else None})


def _permitted(data: Mapping[str, object]) -> Iterator[Piece]:
    yield Piece("row", row={"tail": "calling", "why": "a call is open"})


def _by_hand(data: Mapping[str, object]) -> Iterator[Piece]:
    """A command the person ran with `!`."""
    if command := string(mapping(data.get("arguments")).get("command")):
        yield Piece("prompt", command, "prompt", "bash")


def _usage(data: Mapping[str, object]) -> Iterator[Piece]:
    usage = mapping(data.get("usage"))
    yield Piece("row", model=string(usage.get("model")), usage=_spent(usage))


def _spent(usage: Mapping[str, object]) -> Usage:
    cached = number(usage.get("cacheReadTokens"))
    return Usage(max(0, number(usage.get("inputTokens")) - cached), number(usage.get("outputTokens")), cached, number(usage.get("cacheWriteTokens")))


def _shutdown(data: Mapping[str, object]) -> Iterator[Piece]:
    models = {one_line(model, 80): _spent(mapping(mapping(item).get("usage"))) for model, item in mapping(data.get("modelMetrics")).items()}
    total = reduce(Usage.plus, models.values(), Usage())
    changes = mapping(data.get("codeChanges"))
    facts = {"lines_added": number(changes.get("linesAdded")), "lines_removed": number(changes.get("linesRemoved"))}
    yield Piece("row", row={
        "model": data.get("currentModel"), "tokens": total if total.total else None, "tokens_by_model": models if total.total else None,
        "facts": facts if any(facts.values()) else None, "ended": ("interrupted", "Copilot CLI was left before the turn ended"),
    })  # fmt: skip


def _error(data: Mapping[str, object]) -> Iterator[Piece]:
    status = code(data.get("statusCode"))
    message = string(data.get("message")) or "error"
    yield Piece("note", message, "error", "error", title=f"{status}: {message}" if status else message)


def _model(data: Mapping[str, object]) -> Iterator[Piece]:
    model = string(data.get("newModel")) or string(data.get("chosenModel"))
    yield Piece("note", f"Model: {model}", "model", "model", row={"model": model})


def _mode(data: Mapping[str, object]) -> Iterator[Piece]:
    modes = tuple(one_line(mode, 60) for name in ("previousMode", "newMode") if (mode := string(data.get(name))))
    if modes:
        yield Piece("note", f"Mode: {modes[-1]}", "mode", "mode", row={"facts": {"modes": modes}})


def _skill(data: Mapping[str, object]) -> Iterator[Piece]:
    if name := one_line(string(data.get("name")), 80):
        yield Piece("row", row={"facts": {"invoked_skills": Counter((name,))}})


def _truncated(data: Mapping[str, object]) -> Iterator[Piece]:
    dropped = number(data.get("tokensRemovedDuringTruncation")) or number(data.get("droppedTokens"))
    yield Piece("note", f"Conversation shortened{f' by {dropped:,} tokens' if dropped else ''}", "truncation", "compaction")


def _reasoning(data: Mapping[str, object]) -> Iterator[Piece]:
    if text := string(data.get("content")):
        yield Piece("thinking", text, "reasoning")


def _told(data: Mapping[str, object]) -> Iterator[Piece]:
    text = string(data.get("content")) or string(data.get("message"))
    if text:
        yield Piece("note", text, "note", "injected")


def _system(data: Mapping[str, object]) -> Iterator[Piece]:
    if text := string(data.get("content")):
        yield Piece("note", text, "system", "injected", title="System prompt")


def _hook(data: Mapping[str, object]) -> Iterator[Piece]:
    """A hook has run: one that failed says why, the others nothing worth a line."""
    if kind := one_line(string(data.get("hookType")), 60):
        yield Piece("row", row={"facts": {"hooks": Counter((kind,))}})
    if data.get("success") is False:
        error = string(mapping(data.get("error")).get("message"))
        yield Piece("note", error, "hook", "hook", title=f"Hook {string(data.get('hookType'))} failed{f': {error}' if error else ''}")


def _abort(data: Mapping[str, object]) -> Iterator[Piece]:
    yield Piece("note", "Interrupted", "abort", "interrupt")


def _compacted(data: Mapping[str, object]) -> Iterator[Piece]:
    if data.get("success") is not False:
        yield Piece("note", string(data.get("summaryContent")) or string(data.get("summary")), "compaction", "compaction", title="Conversation compacted")


_EVENTS = {
    "session.start": _start, "session.resume": _start, "session.context_changed": _start, "user.message": _user, "assistant.message": _assistant,
    "tool.execution_start": _execution, "tool.execution_complete": _complete, "session.usage_record": _usage,
    "tool.user_requested": _by_hand, "permission.requested": _permission, "permission.completed": _permitted,
    "session.shutdown": _shutdown, "session.error": _error, "session.model_change": _model,
    "session.auto_mode_resolved": _model, "session.truncation": _truncated, "assistant.reasoning": _reasoning,
    "session.info": _told, "system.notification": _told, "system.message": _system, "abort": _abort,
    "session.mode_changed": _mode, "skill.invoked": _skill, "hook.end": _hook, "session.compaction_complete": _compacted, "userpromptsubmitted": _flat_user, "assistantresponse": _assistant,
}  # fmt: skip

SOURCE = Copilot
