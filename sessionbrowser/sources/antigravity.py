"""Antigravity CLI: `~/.gemini/antigravity-cli/brain/<id>/.system_generated/logs/transcript(_full).jsonl`.

Steps are numbered; what a tool gave is a step of its own kind after the one that called it, without naming the call.
The editor keeps the same in `~/.gemini/antigravity`. Of conversations without a transcript only prompts are known
(`antigravity_sealed.py`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from sessionbrowser.model import (
    Block,
    Body,
    Handle,
    Passage,
    Resume,
    ResumeOptions,
    Root,
    Session,
    SetAside,
    Transcript,
    Unreadable,
)
from sessionbrowser.paths import Environment, project_of
from sessionbrowser.sources import jsonl, logs
from sessionbrowser.sources.antigravity_sealed import ENDINGS, Sealed, history, is_sealed
from sessionbrowser.sources.lazy import orjson
from sessionbrowser.sources.logs import LogSource
from sessionbrowser.sources.pieces import Piece, items, mapping, string
from sessionbrowser.text import parse_time

HOMES = ("antigravity-cli", "antigravity", "antigravity-ide")  # the program's own first: only its sessions can be resumed
LOGS = os.path.join(".system_generated", "logs")
NAMES = ("transcript_full.jsonl", "transcript.jsonl")
_REQUEST = re.compile(r"<USER_REQUEST>\s*(.*)</USER_REQUEST>|\A\s*<USER_REQUEST>\s*(.*)\Z", re.S)
_MODEL = re.compile(r"`Model Selection` from .* to (.+?)\.?\s*(?:\n|<|\Z)")
_EXIT = re.compile(r"exit code:? (\d{1,5})", re.I)


class Antigravity(LogSource):
    name, tag, label, program = "antigravity", "ag", "Antigravity", "agy"
    tells = ("models",)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._sealed = Sealed(environment)

    def roots(self) -> list[Root]:
        home = self.environment.get("GEMINI_CLI_HOME") or self.environment.home
        gemini = os.path.join(self.environment.expand(home), ".gemini")
        homes = (os.path.join(gemini, name) for name in HOMES)
        return logs.roots_from(self.name, [os.path.join(place, name) for place in homes for name in _folders(place)])

    def root_at(self, path: str, label: str) -> Root | None:
        inside = ("brain", *(os.path.join(*above, name, "brain") for name in HOMES for above in ((), (".gemini",))))
        found = logs.store_at(path, inside, _is_store)
        return Root(self.name, found, label, live=False) if found else None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        trouble: list[Unreadable] = []
        readable: set[str] = set()
        bare: list[str] = []
        for entry in logs.entries(root.path, trouble, self.name) if os.path.basename(root.path) != "conversations" else ():
            if not logs.is_folder(entry):
                continue
            found = {file.name: file for file in logs.entries(os.path.join(entry.path, LOGS), trouble, self.name)}
            name = next((name for name in NAMES if name in found and logs.is_file(found[name]) and found[name].stat().st_size), "")
            if name:
                readable.add(entry.name)
                yield logs.handle_at(self.name, root, found[name], entry.name)
            else:
                bare.append(entry.path)
        yield from self._without_transcript(root, readable)
        yield from (SetAside(self.name, path, "conversation without a readable transcript") for path in bare if os.path.basename(path) not in readable)
        yield from trouble

    def _without_transcript(self, root: Root, readable: set[str]) -> Iterator[Handle | SetAside]:
        """Conversations of the home of which no step can be read: one row each, the database before the older form."""
        for entry in logs.entries(os.path.join(os.path.dirname(root.path), "conversations"), [], self.name):
            identity, ending = os.path.splitext(entry.name)
            if identity in readable or ending not in ENDINGS or not logs.is_file(entry):
                continue
            if logs.UUID.fullmatch(identity):
                readable.add(identity)
                yield logs.handle_at(self.name, root, entry, identity)
            else:
                yield SetAside(self.name, entry.path, "not named like a conversation")

    def pieces(self, record: jsonl.Record, handle: Handle) -> Iterator[Piece]:
        kind, source = string(record.get("type")), string(record.get("source"))
        time = parse_time(record.get("created_at"))
        read = _STEPS.get(kind)
        if read is None:
            read = _output if source == "MODEL" and kind else _system
        for piece in read(record):
            yield piece._replace(time=time)

    # ── conversations without a transcript ──

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        return self._sealed.summarise(handle, previous) if is_sealed(handle.path) else super().summarise(handle, previous)

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        return self._sealed.outline(handle, since) if is_sealed(handle.path) else super().outline(handle, since)

    def opening(self, handle: Handle) -> Transcript | None:
        return None if is_sealed(handle.path) else super().opening(handle)

    def body(self, handle: Handle, block: Block) -> Body:
        return self._sealed.body(handle, block) if is_sealed(handle.path) else super().body(handle, block)

    def passages(self, handle: Handle, offset: int = 0, *, tools: bool = False) -> Iterator[Passage]:
        return self._sealed.passages(handle, offset, tools=tools) if is_sealed(handle.path) else super().passages(handle, offset, tools=tools)

    # ── rows ──

    def finish(self, handle: Handle, row: Session) -> Session:
        typed = history(os.path.dirname(handle.root.path)).get(handle.id, ())
        cwd = row.cwd or next((line.workspace for line in reversed(typed) if line.workspace), "") or self._workspaces(handle.root).get(handle.id, "")
        return row._replace(cwd=cwd or None, project=project_of(cwd) if cwd else "")

    def _workspaces(self, root: Root) -> Mapping[str, str]:
        """Conversation id → workspace, for the last conversation of each workspace."""
        path = os.path.join(os.path.dirname(root.path), "cache", "last_conversations.json")
        try:
            value = orjson.loads(jsonl.read_at(path, 0, 1 << 20))
        except (OSError, orjson.JSONDecodeError):
            return {}
        return {string(identity): workspace for workspace, identity in value.items()} if isinstance(value, dict) else {}

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        if session.root or options.fork or f"{os.sep}{HOMES[0]}{os.sep}" not in session.path or not logs.UUID.fullmatch(session.id):
            return None
        approvals = ("--dangerously-skip-permissions",) if options.skip_approvals else ()
        return Resume(("agy", "--conversation", session.id, *approvals), session.cwd)


def _folders(home: str) -> list[str]:
    """The folder of a home from which its conversations are found: that of transcripts, else of what else there is."""
    return next(([name] for name in ("brain", "conversations") if os.path.isdir(os.path.join(home, name))), [])


def _is_store(folder: str) -> bool:
    for entry in logs.entries(folder, [], "antigravity")[:100]:
        if any(os.path.isfile(os.path.join(entry.path, LOGS, name)) for name in NAMES):
            return True
    return False


# ── steps ──


def _prompt(record: jsonl.Record) -> Iterator[Piece]:
    content = string(record.get("content"))
    found = _REQUEST.search(content)
    text = (found[1] or found[2] or "" if found else content).strip()
    row = {"model": model[1]} if (model := _MODEL.search(content)) else {}
    if string(record.get("source")) in ("SYSTEM", "MODEL"):
        yield Piece("note", content, "note", "injected", row=row)
    else:
        yield Piece("prompt", text, "prompt", row=row)


def _planned(record: jsonl.Record) -> Iterator[Piece]:
    if thought := string(record.get("thinking")):
        yield Piece("thinking", thought, "thinking")
    text = string(record.get("content"))
    yield Piece("text" if text.strip() else "answer", text, "text", answer="@")
    for index, call in enumerate(items(record.get("tool_calls"))):
        arguments = {name: _plain(value) for name, value in mapping(call.get("args")).items()}
        title = string(arguments.get("toolSummary"))
        about = {k: v for k, v in arguments.items() if k not in ("toolSummary", "toolAction")}
        yield Piece("call", part=f"call {index}", name=string(call.get("name")) or "tool", arguments=about,
                    title="" if about else title)  # fmt: skip


def _plain(value: object) -> object:
    """An argument without its second pair of quotes."""
    if isinstance(value, str) and value[:1] in '"[{0123456789tfn-':
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value


def _output(record: jsonl.Record) -> Iterator[Piece]:
    """What a tool gave. Where no call is open (calls are not always written), it is a note by the step's own name."""
    text = string(record.get("content"))
    ran = "COMMAND" in string(record.get("type"))  # what a file says of commands is nothing that failed
    failed = string(record.get("status")) in ("ERROR", "FAILED", "CANCELLED") or (ran and "command failed" in text[:200].lower())
    found = _EXIT.search(text[:400]) if ran else None
    status = int(found[1]) if found else None
    name = string(record.get("type")).lower()
    yield Piece("outcome", text, "result", name=name, ok=not (failed or status), exit_code=status, outcome=f"exit {status}" if status else "")


def _system(record: jsonl.Record) -> Iterator[Piece]:
    kind, text = string(record.get("type")), string(record.get("content"))
    if kind == "CHECKPOINT":
        yield Piece("note", text, "note", "compaction", title="Conversation compacted")
    elif kind == "ERROR_MESSAGE":
        yield Piece("note", text, "note", "error")
    elif text:
        yield Piece("note", text, "note", "injected")


_STEPS = {"USER_INPUT": _prompt, "PLANNER_RESPONSE": _planned}

SOURCE = Antigravity
