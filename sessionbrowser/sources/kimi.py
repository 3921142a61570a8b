"""Kimi Code: `~/.kimi-code/sessions/<workspace>/session_<id>/` with `state.json` and one `wire.jsonl` an agent; and the
older kimi-cli: `~/.kimi/sessions/<md5>/<id>/wire.jsonl`.

A wire says the same content two or three times; only `context.append_message` and `context.append_loop_event` count.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from sessionbrowser.model import (
    Agent,
    Block,
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
from sessionbrowser.paths import project_of
from sessionbrowser.sources import jsonl, logs
from sessionbrowser.sources.lazy import lazily
from sessionbrowser.sources.logs import LogSource
from sessionbrowser.sources.numbered import load_or_none
from sessionbrowser.sources.pieces import (
    PICTURE,
    Assembly,
    Piece,
    items,
    mapping,
    number,
    printed,
    string,
    text_of,
)
from sessionbrowser.text import one_line, parse_time

if TYPE_CHECKING:
    from sessionbrowser.sources import kimi_cli
else:
    (kimi_cli,) = lazily("sessionbrowser.sources", "kimi_cli")

ID = re.compile(r"(?:session_)?[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
WIRE, STATE = "wire.jsonl", "state.json"
MAIN = os.path.join("agents", "main", WIRE)
_EXIT = re.compile(r"failed with exit code: (\d{1,5})")
_SKIP = b'{"type":"llm.tools_snapshot"'
_BASH = re.compile(r"<bash-(input|stdout|stderr)>(.*?)</bash-\1>", re.S)
_CONTEXT = re.compile(r"<git-context>.*?</git-context>\s*", re.S)
_HUMAN = ("user", "", "steer", "queue")


class Kimi(LogSource):
    name, tag, label, program = "kimi", "ki", "Kimi Code", "kimi"
    tells = ("models", "permission modes", "effort", "skills", "plugins proved")

    def roots(self) -> list[Root]:
        env = self.environment
        home = env.expand(env.get("KIMI_CODE_HOME") or env.under_home(".kimi-code"))
        return logs.roots_from(self.name, [os.path.join(home, "sessions"), env.under_home(".kimi", "sessions")])

    def root_at(self, path: str, label: str) -> Root | None:
        inside = ("sessions", os.path.join(".kimi-code", "sessions"), os.path.join(".kimi", "sessions"))
        found = logs.store_at(path, inside, _is_store)
        return Root(self.name, found, label, live=False) if found else None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        trouble: list[Unreadable] = []
        for workspace in logs.entries(root.path, trouble, self.name):
            if not logs.is_folder(workspace):
                continue
            for entry in logs.entries(workspace.path, trouble, self.name):
                if logs.is_folder(entry):
                    yield from self._session(root, entry, trouble, deep)
        yield from trouble

    def _session(self, root: Root, entry: os.DirEntry[str], trouble: list[Unreadable], deep: bool) -> Iterator[Handle | SetAside]:
        names = [found for found in (MAIN, WIRE, "context.jsonl") if os.path.isfile(os.path.join(entry.path, found))]
        if not names:
            yield SetAside(self.name, entry.path, "session folder without a wire")
            return
        yield logs.with_beside(self._handle(root, os.path.join(entry.path, names[0]), entry.name), os.path.join(entry.path, STATE))
        if deep:
            yield from self._subagents(root, entry.path, trouble)

    def folders(self, handle: Handle) -> tuple[str, ...]:
        return () if handle.parent else (os.path.join(_folder(handle.path), "agents"),)

    def _subagents(self, root: Root, folder: str, trouble: list[Unreadable]) -> Iterator[Handle]:
        for agent in logs.entries(os.path.join(folder, "agents"), trouble, self.name):
            path = os.path.join(agent.path, WIRE)
            if agent.name != "main" and logs.is_folder(agent) and os.path.isfile(path):
                session = os.path.basename(folder)
                yield self._handle(root, path, f"{session}/{agent.name}", hidden="subagent", parent=session)

    def _handle(self, root: Root, path: str, identity: str, **more: str) -> Handle:
        found = os.stat(path)
        return Handle(self.name, root, path, "", identity, found.st_size, found.st_mtime_ns, found.st_ino, **more)

    # ── records ──

    def pieces(self, record: jsonl.Record, handle: Handle) -> Iterator[Piece]:
        kind = string(record.get("type"))
        if not kind and ("role" in record or "message" in record):
            yield from kimi_cli.pieces(record)
            return
        read = _WIRE.get(kind)
        if read is None:
            return
        time = parse_time(record.get("time"))
        for piece in read(record):
            yield piece._replace(time=time)

    def _take(self, state: Assembly, line: jsonl.Line, handle: Handle) -> None:
        if not line.data.startswith(_SKIP):  # the longest line of a file, and nothing to see
            super()._take(state, line, handle)

    def finish(self, handle: Handle, row: Session) -> Session:
        if handle.parent:
            return row._replace(origin="subagent")
        known = _state(_folder(handle.path))
        cwd = string(known.get("cwd")) or string(known.get("workDir")) or row.cwd or _indexed(handle) or kimi_cli.directory(handle.path)
        given = string(known.get("custom_title"))  # as kimi-cli calls it
        title, custom = given or string(known.get("title")), bool(given) or known.get("isCustomTitle") is True
        line = one_line(title, 300)
        if line and (custom or not row.first_prompt.startswith(line.rstrip(".…"))):  # until one is made the title is the prompt
            row = row._replace(title=line, title_from="name" if custom else "ai")
        agents = [agent for agent in mapping(known.get("agents")).values() if mapping(agent).get("type") == "sub"]
        archived = known.get("archived") is True
        return row._replace(
            cwd=cwd or None, project=project_of(cwd) if cwd else "", created=row.created or parse_time(known.get("createdAt")),
            subagents=len(agents) if known else None, archived=archived, hidden=row.hidden or ("archived" if archived else ""),
        )  # fmt: skip

    # ── agents ──

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        folder = _folder(handle.path)
        found = [sub for sub in self._subagents(handle.root, folder, []) if sub.id != handle.id]
        read = {handle.id: outline or self.outline(handle)} | {sub.id: self.outline(sub) for sub in found}
        calls = {block.subagent: block for made in read.values() for block in made.blocks if block.subagent}
        owners = {block.subagent: owner for owner, made in read.items() for block in made.blocks if block.subagent}
        known = mapping(_state(folder).get("agents"))

        def below(owner: str, above: frozenset[str]) -> Iterator[Agent]:
            for sub in found:
                meta = mapping(known.get(_name(sub)))
                told = f"{sub.parent}/{string(meta.get('parentAgentId'))}"
                if sub.id not in above and owner == owners.get(sub.id, told if told in read else sub.parent):
                    children = tuple(below(sub.id, above | {sub.id}))
                    yield self._agent(sub, meta, read[sub.id], calls.get(sub.id), children)

        return logs.root_agent(self, handle, read[handle.id], tuple(below(handle.id, frozenset())))

    def _agent(self, sub: Handle, meta: Mapping[str, object], made: Transcript, call: Block | None, children: tuple[Agent, ...]) -> Agent:
        """A subagent, as its wire, the state of the session and the call that started it tell of it."""
        row = self.summarise(sub)
        kind = string(mapping(meta.get("labels")).get("profileName")) or string(made.facts.get("profile"))
        status = "unknown" if call is None or call.ok is None else "finished" if call.ok else "failed"
        return Agent(
            sub.id, "subagent", one_line(kind, 60), call.title.removeprefix(f"{kind}: ") if call else _name(sub), status, row.model or "", made.tokens,
            made.counts.tool_calls, row.created, row.updated, sub.path, sub, call.call if call else "", children,
        )  # fmt: skip

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        """Calls that started a subagent name it as its handle does: session and agent."""
        made = super().outline(handle, since)
        session = os.path.basename(_folder(handle.path))
        blocks = tuple(
            b._replace(subagent=f"{session}/{b.subagent}") if b.subagent and "/" not in b.subagent else b for b in made.blocks
        )
        return made._replace(blocks=blocks)

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        """Bound to the directory: from another Kimi says the session was created elsewhere."""
        if session.root or session.parent or not ID.fullmatch(session.id):
            return None
        if options.fork:
            return Resume(("kimi", "fork", session.id), session.cwd)
        return Resume(("kimi", "--session", session.id, *(("--yolo",) if options.skip_approvals else ())), session.cwd)


def _folder(path: str) -> str:
    """The folder of the session a wire belongs to."""
    folder = os.path.dirname(path)
    return os.path.dirname(os.path.dirname(folder)) if os.path.basename(os.path.dirname(folder)) == "agents" else folder


def _name(sub: Handle) -> str:
    """What a session calls one of its agents."""
    return os.path.basename(os.path.dirname(sub.path))


def _state(folder: str) -> Mapping[str, object]:
    return load_or_none(os.path.join(folder, STATE)) or {}


def _indexed(handle: Handle) -> str:
    """The directory that the index of a home gives a session; releases before 1.4 wrote it nowhere else."""
    path = os.path.join(os.path.dirname(handle.root.path), "session_index.jsonl")
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return _index(path, found.st_size, found.st_mtime_ns).get(os.path.basename(_folder(handle.path)), "")


@lru_cache(maxsize=4)
def _index(path: str, _size: int, _changed: int) -> Mapping[str, str]:
    records = (record for line in jsonl.lines(path) for record in jsonl.read(line.data).records)
    return {string(record.get("sessionId")): cwd for record in records if os.path.isabs(cwd := string(record.get("workDir")))}


def _is_store(folder: str) -> bool:
    for workspace in logs.entries(folder, [], "kimi")[:40]:
        for entry in logs.entries(workspace.path, [], "kimi")[:10] if logs.is_folder(workspace) else ():
            for name in (MAIN, WIRE):
                start = logs.first_record(os.path.join(entry.path, name))
                if start.get("type") in ("metadata", "config.update") or "message" in start:
                    return True
    return False


# ── wire records ──


def _config(record: jsonl.Record) -> Iterator[Piece]:
    cwd = record.get("cwd") or mapping(record.get("environmentDisclosure")).get("cwd")
    facts = {"effort": record.get("thinkingEffort"), "profile": record.get("profileName")}
    yield Piece("row", model=string(record.get("modelAlias")), row={
        "cwd": cwd, "facts": {k: one_line(string(v), 60) for k, v in facts.items() if v},
    })  # fmt: skip


def _message(record: jsonl.Record) -> Iterator[Piece]:
    message = mapping(record.get("message"))
    if message.get("role") != "user":
        return
    origin = string(mapping(message.get("origin")).get("kind"))
    text = text_of(message.get("content"))
    pictures = [part for part in items(message.get("content")) if "image" in string(part.get("type"))]
    key = string(message.get("id"))
    if origin == "system_trigger":
        yield Piece("prompt", text, "task", "subagent", key=key, title=_CONTEXT.sub("", text))
    elif origin == "shell_command":
        yield from _shell(text, key)
    elif origin in _HUMAN:
        yield Piece("prompt", text or (PICTURE if pictures else ""), "prompt", "typed", key=key)
    else:
        yield Piece("note", text, "injected", "injected", key=key)
    for index, part in enumerate(pictures):
        yield Piece("image", string(mapping(part.get("image_url") or part.get("imageUrl")).get("url")), f"image {index}", title="image")


def _shell(text: str, key: str) -> Iterator[Piece]:
    """A command the person ran with `!`, or what it printed."""
    found = {name: body.strip("\n") for name, body in _BASH.findall(text)}
    if command := found.get("input"):
        yield Piece("prompt", command, "prompt", "bash", key=key)
    elif output := "\n".join(filter(None, (found.get("stdout"), found.get("stderr")))):
        yield printed(output, None)._replace(key=key)


def _event(record: jsonl.Record) -> Iterator[Piece]:
    event = mapping(record.get("event"))
    read = _LOOP.get(string(event.get("type")))
    return read(event) if read is not None else iter(())


def _part(event: Mapping[str, object]) -> Iterator[Piece]:
    part, step = mapping(event.get("part")), string(event.get("stepUuid"))
    if part.get("type") == "text" and (text := string(part.get("text"))).strip():
        yield Piece("text", text, "text", answer=step or "@")
    elif part.get("type") == "think":
        text = string(part.get("think"))
        yield Piece("thinking", text, "think", "" if text else "encrypted" if part.get("encrypted") else "empty")


def _call(event: Mapping[str, object]) -> Iterator[Piece]:
    yield Piece("call", part="call", call=string(event.get("toolCallId")), name=string(event.get("name")) or "tool",
                arguments=mapping(event.get("args")))  # fmt: skip


def _report(text: str) -> str:
    """What a subagent answered, without what stands before and behind it for the model."""
    about, _, said = text.partition("\n\n")
    if not about.startswith("agent_id: "):
        return text
    answer, hint, rest = said.rpartition("\nresume_hint: ")
    return (answer if hint and "\n" not in rest.strip() else said).removeprefix("[summary]\n").strip("\n")


def _result(event: Mapping[str, object]) -> Iterator[Piece]:
    result = mapping(event.get("result"))
    text = _report(text_of(result.get("output")))
    failed = result.get("isError") is True
    found = _EXIT.search(text[-200:]) if failed else None
    yield Piece("result", text, "result", call=string(event.get("toolCallId")), ok=not failed,
                exit_code=int(found[1]) if found else None, outcome=f"exit {found[1]}" if found else "")  # fmt: skip


def _step(event: Mapping[str, object]) -> Iterator[Piece]:
    usage = mapping(event.get("usage"))
    spent = Usage(number(usage.get("inputOther")), number(usage.get("output")), number(usage.get("inputCacheRead")),
                  number(usage.get("inputCacheCreation")))  # fmt: skip
    yield Piece("row", key=f"step-{event.get('uuid')}", usage=spent, leaf=False)


_LOOP = {"content.part": _part, "tool.call": _call, "tool.result": _result, "step.end": _step}


def _request(record: jsonl.Record) -> Iterator[Piece]:
    yield Piece("row", model=string(record.get("model")))


def _spawned(record: jsonl.Record) -> Iterator[Piece]:
    """Told before the call's result: the call takes the name of its subagent."""
    yield Piece("amend", call=string(record.get("parentToolCallId")), subagent=string(record.get("subagentId")))


def _ended(record: jsonl.Record) -> Iterator[Piece]:
    reason = string(record.get("reason"))
    if reason in ("cancelled", "canceled", "aborted", "interrupted"):
        yield Piece("note", "Interrupted", "end", "interrupt")
    elif reason in ("error", "failed"):
        message = text_of(record.get("error")) or string(mapping(record.get("error")).get("message"))
        yield Piece("note", message or "The turn ended in an error", "end", "error")
    else:
        yield Piece("row", row={"ended": ("finished", "the turn ended")})


def _compaction(record: jsonl.Record) -> Iterator[Piece]:
    before = number(record.get("tokensBefore"))
    title = "Conversation compacted" + (f" from {before:,} tokens" if before else "")
    yield Piece("note", string(record.get("summary")), "compaction", "compaction", title=title)


def _plan(record: jsonl.Record) -> Iterator[Piece]:
    entered = string(record.get("type")).endswith("enter")
    yield Piece("note", "Plan mode on" if entered else "Plan mode off", "plan", "mode", row={"facts": {"modes": ("plan",)}})


def _mode(record: jsonl.Record) -> Iterator[Piece]:
    if mode := one_line(string(record.get("mode")), 60):
        yield Piece("row", row={"facts": {"modes": (mode,)}})


def _plugins(record: jsonl.Record) -> Iterator[Piece]:
    """What plugins gave the model at the start of the session: none is named, and nothing is there where none did."""
    if text := string(record.get("content")):
        yield Piece("note", text, "plugins", "injected", title="What plugins said at the start", row={"facts": {"hook_plugins": Counter(("one that is not named",))}})


def _approval(record: jsonl.Record) -> Iterator[Piece]:
    decision = string(mapping(record.get("result")).get("decision"))
    if decision and decision != "approved":
        yield Piece("note", f"{string(record.get('action'))}: {decision}", "approval", "permission")


def _cancelled(record: jsonl.Record) -> Iterator[Piece]:
    """Wires of 1.4 have no end of a turn; those of 1.5 say it with the end."""
    if "agentId" not in record:
        yield Piece("note", "Interrupted", "cancel", "interrupt")


def _cleared(record: jsonl.Record) -> Iterator[Piece]:
    yield Piece("note", "Conversation cleared", "clear", "clear")


def _undone(record: jsonl.Record) -> Iterator[Piece]:
    yield Piece("note", "Went back to an earlier message", "undo", "branch")


_WIRE = {
    "config.update": _config, "profile.bind": _config, "context.append_message": _message, "context.append_loop_event": _event,
    "llm.request": _request, "subagent.spawned": _spawned, "turn.ended": _ended, "context.apply_compaction": _compaction,
    "turn.cancel": _cancelled, "context.clear": _cleared, "context.undo": _undone, "plan_mode.enter": _plan, "plan_mode.exit": _plan, "permission.record_approval_result": _approval,
    "permission.set_mode": _mode, "plugin.session_start": _plugins,
}  # fmt: skip


SOURCE = Kimi
