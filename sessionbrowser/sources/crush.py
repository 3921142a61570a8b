"""Crush: a database a project, `.crush/crush.db`; which projects there are is in its global `projects.json`."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sessionbrowser.model import (
    Agent,
    Handle,
    Place,
    Resume,
    ResumeOptions,
    Root,
    Session,
    SetAside,
    Transcript,
    Unreadable,
    Usage,
)
from sessionbrowser.paths import is_possible
from sessionbrowser.sources import jsonl, logs
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.documents import DocumentSource, Placed
from sessionbrowser.sources.lazy import lazily, orjson
from sessionbrowser.sources.pieces import PICTURE, Piece, items, mapping, number, printed, string
from sessionbrowser.sources.sqlite import open_readonly, select, stamp
from sessionbrowser.text import parse_time

if TYPE_CHECKING:
    from sessionbrowser.sources import forms
else:
    (forms,) = lazily("sessionbrowser.sources", "forms")

DATABASE = "crush.db"
ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z$_-]{7,127}")
_EXIT = re.compile(r"^Exit code (\d{1,5})$", re.M)
_ENDING = 800  # characters: the line with the exit code is followed by the working directory
_SESSION = ("id", "parent_session_id", "title", "prompt_tokens", "completion_tokens", "created_at", "updated_at", "message_count")
_MESSAGE = ("id", "role", "parts", "model", "created_at", "finished_at", "is_summary_message")


class Crush(DocumentSource):
    name, tag, label, program = "crush", "cr", "Crush", "crush"
    tells = ("models",)

    # ── where ──

    def roots(self) -> list[Root]:
        """The data folder of every project Crush knows, and of the current directory and its parents."""
        places = [data for _, data in self._projects()]
        at = self.environment.cwd
        while True:
            places.append(os.path.join(at, ".crush"))
            above = os.path.dirname(at)
            if above == at:
                break
            at = above
        return [root for root in logs.roots_from(self.name, places) if os.path.isfile(os.path.join(root.path, DATABASE))]

    def _projects(self) -> list[tuple[str, str]]:
        """Directory and data folder of the projects in `projects.json`."""
        env = self.environment
        home = env.get("CRUSH_GLOBAL_DATA") or os.path.join(env.data_home(), "crush")
        try:
            value = orjson.loads(jsonl.read_at(os.path.join(env.expand(home), "projects.json"), 0, 4 << 20))
        except (OSError, orjson.JSONDecodeError):
            return []
        found = [(string(item.get("path")), string(item.get("data_dir"))) for item in items(mapping(value).get("projects"))]
        return [(path, os.path.join(path, data or ".crush")) for path, data in found if os.path.isabs(path)]

    def root_at(self, path: str, label: str) -> Root | None:
        found = logs.store_at(path, (".crush",), lambda folder: os.path.isfile(os.path.join(folder, DATABASE)))
        return Root(self.name, found, label, live=False) if found else None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        path = os.path.join(root.path, DATABASE)
        try:
            inode = stamp(path).inode
            with open_readonly(path) as database:
                rows = list(select(database, "sessions", _SESSION, "order by created_at"))
        except (OSError, SourceError) as problem:
            yield Unreadable(self.name, path, str(problem))
            return
        every = {string(row["id"]) for row in rows}
        for row in rows:
            identity, parent = string(row["id"]), string(row["parent_session_id"])
            if not identity:
                continue
            hidden = "internal" if identity.startswith("title-") else "subagent" if parent in every else ""
            changed = int((parse_time(row["updated_at"]) or 0.0) * 1e9)
            yield Handle(self.name, root, path, identity, identity, number(row["message_count"]), changed, inode, hidden, parent if parent in every else "")

    # ── reading ──

    def placed(self, handle: Handle) -> Iterator[Placed]:
        with open_readonly(handle.path) as database:
            row = next(select(database, "sessions", _SESSION, "where id = ?", (handle.key,)), None)
            if row is None:
                raise SourceError("the session is no longer in its database")
            messages = list(select(database, "messages", _MESSAGE, "where session_id = ? order by created_at, rowid", (handle.key,)))
            below = [string(child["id"]) for child in select(database, "sessions", ("id",), "where parent_session_id = ?", (handle.key,))]
        started = {_call_of(child): child for child in below if "$$" in child}
        spent = Usage(number(row["prompt_tokens"]), number(row["completion_tokens"]))
        title = string(row["title"])
        yield Place(0), Piece("row", row={
            "cwd": self._cwd(handle), "created": parse_time(row["created_at"]), "tokens": spent if spent.total else None,
            "ai": "" if title in ("New Session", "Untitled Session") else title,
        })  # fmt: skip
        for index, message in enumerate(messages):
            for piece in _message(message):
                if handle.hidden == "subagent" and piece.kind == "prompt":
                    piece = piece._replace(what="subagent")
                elif piece.kind == "call":
                    piece = piece._replace(subagent=started.get(piece.call, ""))
                yield Place(index), piece

    def _cwd(self, handle: Handle) -> str:
        folder = handle.root.path
        known = {os.path.realpath(data): path for path, data in self._projects() if is_possible(data)}
        return known.get(os.path.realpath(folder)) or os.path.dirname(folder)

    def finish(self, handle: Handle, row: Session) -> Session:
        """The size of one session in a database is not known; when it changed is."""
        updated = handle.mtime_ns / 1e9 if handle.mtime_ns else None
        return row._replace(size=0, updated=max(filter(None, (row.updated, updated)), default=None))

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        made = outline or self.outline(handle)
        children = []
        for found in self.discover(handle.root):
            if isinstance(found, Handle) and found.parent == handle.key and found.hidden == "subagent":
                row = self.summarise(found)
                call = _call_of(found.key)
                calls = row.counts.tool_calls if row.counts else None
                children.append(Agent(found.key, "subagent", "", row.title, "unknown", row.model or "", row.tokens, calls,
                                      row.created, row.updated, found.path, found, call))  # fmt: skip
        return logs.root_agent(self, handle, made, tuple(children))

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        if session.root or session.parent or options.fork or not ID.fullmatch(session.id):
            return None
        argv = ("crush", "--session", session.id, *(("--yolo",) if options.skip_approvals else ()))
        return Resume(argv, session.cwd)


def _call_of(session: str) -> str:
    """The call that started a subagent, which its id ends with."""
    return session.rsplit("$$", 1)[-1]


def _message(row: Mapping[str, object]) -> Iterator[Piece]:
    written = row["parts"]
    try:
        parts = items(orjson.loads(written or "[]")) if isinstance(written, str | bytes) else []
    except orjson.JSONDecodeError:
        yield Piece("note", "A message that could not be read", "damage", "damage")
        return
    role, model, time, key = string(row["role"]), string(row["model"]), parse_time(row["created_at"]), string(row["id"])
    if row["is_summary_message"]:
        text = "\n\n".join(string(mapping(part.get("data")).get("text")) for part in parts if part.get("type") == "text")
        yield Piece("note", text, "summary", "compaction", time, key, title="Conversation compacted")
        return
    read = _user if role == "user" else _parts
    for piece in read(parts, model):
        yield piece._replace(time=piece.time or time, key=key)


def _user(parts: list[Mapping[str, object]], model: str) -> Iterator[Piece]:
    texts = [mapping(part.get("data")) for part in parts if part.get("type") == "text"]
    said = "\n\n".join(text for data in texts if not data.get("hidden") and (text := string(data.get("text")).strip()))
    pictures = any(part.get("type") in ("binary", "image_url") for part in parts)
    if said or pictures:
        yield Piece("prompt", said or PICTURE, "prompt")
    for index, part in enumerate(parts):
        read = _GIVEN.get(string(part.get("type")))
        if read is not None:
            for piece in read(mapping(part.get("data"))):
                yield piece._replace(part=f"{index}/{piece.part}" if piece.part else str(index))


def _hidden(data: Mapping[str, object]) -> Iterator[Piece]:
    """What Crush itself added to go on after an interruption."""
    if data.get("hidden") and (text := string(data.get("text"))).strip():
        yield Piece("note", text, what="injected")


def _attached(data: Mapping[str, object]) -> Iterator[Piece]:
    """A file: its path, type and bytes (base64) under names with capitals."""
    name, content = os.path.basename(string(data.get("Path"))), string(data.get("Data"))
    if string(data.get("MIMEType")).startswith("text/"):
        yield Piece("note", _decoded(content), what="attachment", title=f"attached {name or 'a file'}")
    else:
        yield Piece("image", content, title=name or "image")


def _decoded(content: str) -> str:
    try:
        return base64.b64decode(content).decode("utf-8", "replace")
    except ValueError:
        return ""


def _pictured(data: Mapping[str, object]) -> Iterator[Piece]:
    url = string(data.get("url"))
    yield Piece("image", url.partition(",")[2] if url.startswith("data:") else "", title="image" if url.startswith("data:") else url or "image")


def _shell(data: Mapping[str, object]) -> Iterator[Piece]:
    """A command the person ran with `!`."""
    yield Piece("prompt", string(data.get("command")), "command", "bash")
    if output := string(data.get("output")):
        yield printed(output, number(data.get("exit_code")))


_GIVEN = {"text": _hidden, "binary": _attached, "image_url": _pictured, "shell_command": _shell}


def _parts(parts: list[Mapping[str, object]], model: str) -> Iterator[Piece]:
    for index, part in enumerate(parts):
        read = _PARTS.get(string(part.get("type")))
        if read is not None:
            for piece in read(mapping(part.get("data"))):
                yield piece._replace(part=str(index), model=model)


def _text(data: Mapping[str, object]) -> Iterator[Piece]:
    if (text := string(data.get("text"))).strip():
        yield Piece("text", text, answer="@")


def _thinking(data: Mapping[str, object]) -> Iterator[Piece]:
    if text := string(data.get("thinking")):
        yield Piece("thinking", text)


def _call(data: Mapping[str, object]) -> Iterator[Piece]:
    yield Piece("call", call=string(data.get("id")), name=string(data.get("name")) or "tool", arguments=mapping(data.get("input")))


def _result(data: Mapping[str, object]) -> Iterator[Piece]:
    text = string(data.get("content"))
    found = _EXIT.search(text[-_ENDING:]) if forms.action(string(data.get("name")) or "bash") == "shell" else None
    status = int(found[1]) if found else None
    failed = data.get("is_error") is True or bool(status)
    yield Piece("result", text, call=string(data.get("tool_call_id")), ok=not failed, exit_code=status, outcome=f"exit {status}" if status else "")


def _finish(data: Mapping[str, object]) -> Iterator[Piece]:
    reason = string(data.get("reason"))
    if reason == "canceled":
        yield Piece("note", "Interrupted", what="interrupt")
    elif reason in ("error", "content_filter", "permission_denied"):
        message = string(data.get("message")) or string(data.get("details")) or reason.replace("_", " ")
        yield Piece("note", message, what="error")
    elif reason == "end_turn":
        yield Piece("row", row={"ended": ("finished", "the turn ended")})


_PARTS = {"text": _text, "reasoning": _thinking, "tool_call": _call, "tool_result": _result, "finish": _finish}

SOURCE = Crush
