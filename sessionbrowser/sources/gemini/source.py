"""The Gemini CLI source: where chats are, rows, outlines, subagents and the way back."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.model import Damage, Handle, Resume, ResumeOptions, Root, Session, SetAside, Unreadable
from sessionbrowser.paths import Environment, project_of
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.gemini.projects import directory_of
from sessionbrowser.sources.lazy import lazily
from sessionbrowser.sources.numbered import Data, Record, RecordSource, load_or_none
from sessionbrowser.sources.pieces import Assembly, Piece, mapping, session, string
from sessionbrowser.text import one_line, parse_time

if TYPE_CHECKING:
    from sessionbrowser.sources.gemini import early, replay
    from sessionbrowser.sources.gemini import messages as words
else:
    early, words, replay = lazily("sessionbrowser.sources.gemini", "early", "messages", "replay")

WHOLE = 1 << 20  # bytes; a larger log is read at its ends for its row
END = 256 << 10
_SHARED = ("first_raw", "last_prompt_raw")  # the first message of every chat of a project has the same id
_GONE = "Gemini CLI kept no chat that it could go on with"
_SAVED = "Gemini CLI goes on with it by /chat resume and its name"
_GRACE = re.compile(r"You have (stopped calling tools|exceeded|reached|timed out)")  # what a subagent is told that does not come to its end
_COMMAND = ("/", "?")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")


class _Held(NamedTuple):
    """The chat that was replayed last, and the state of its file then."""

    path: str
    mark: object
    chat: replay.Chat


class Gemini(RecordSource):
    """Gemini CLI's chats, a folder for each project."""

    name = "gemini"
    tag = "gm"
    label = "Gemini CLI"
    program = "gemini"
    tells = ("models", "skills")
    keeps_logs = True  # whether a project without chats is one of a release that kept prompts alone

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._held: list[_Held] = []

    # ── places ──

    def roots(self) -> list[Root]:
        above = self.environment.get("GEMINI_CLI_HOME") or self.environment.home
        home = os.path.join(self.environment.expand(above), ".gemini")
        return [Root(self.name, home)] if os.path.isdir(os.path.join(home, "tmp")) else []

    def root_at(self, path: str, label: str) -> Root | None:
        for folder in (os.path.join(path, ".gemini"), path):
            if any(_holds_sessions(project) for project in _projects(folder)):
                return Root(self.name, folder, label, False)
        return None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        try:
            os.scandir(root.path).close()
        except OSError as problem:
            yield Unreadable(self.name, root.path, one_line(problem.strerror or str(problem)))
            return
        for project in _projects(root.path):
            try:
                yield from early.handles(self.name, root, project, logs=self.keeps_logs)
                yield from self._chats(root, os.path.join(project, "chats"), deep=deep)
            except FileNotFoundError:
                continue  # a project without chats
            except OSError as problem:
                yield Unreadable(self.name, project, one_line(problem.strerror or str(problem)))

    def _chats(self, root: Root, folder: str, *, deep: bool) -> Iterator[Handle | SetAside | Unreadable]:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        names = {entry.name for entry in entries}
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if deep:
                    yield from self._subagents(root, entry.path)
            elif ".unreadable-" in entry.name:
                yield SetAside(self.name, entry.path, "set aside by Gemini CLI as unreadable")
            elif entry.name.endswith(".json") and entry.name + "l" in names:
                yield SetAside(self.name, entry.path, "older form of the same chat")
            elif entry.name.endswith((".json", ".jsonl")) and entry.is_file():
                yield self._handle(root, entry, "", "")

    def _subagents(self, root: Root, folder: str) -> Iterator[Handle | SetAside | Unreadable]:
        for entry in _entries(folder):
            if entry.name.endswith((".json", ".jsonl")) and entry.is_file(follow_symlinks=False):
                yield self._handle(root, entry, "subagent", os.path.basename(folder))

    def _handle(self, root: Root, entry: os.DirEntry[str], hidden: str, parent: str) -> Handle:
        found = entry.stat()
        identity = os.path.splitext(entry.name)[0]
        return Handle(self.name, root, entry.path, "", identity, found.st_size, found.st_mtime_ns, found.st_ino, hidden, parent)

    def folders(self, handle: Handle) -> tuple[str, ...]:
        return () if handle.parent else self._own_folder(handle)

    def _own_folder(self, handle: Handle) -> tuple[str, ...]:
        """Where a chat, or a subagent, keeps its subagents: beside the chat, by its id."""
        if not handle.path.endswith(".jsonl"):
            return ()
        try:
            head = replay.read_log(jsonl.head(handle.path, 8192)[:1])
        except OSError:
            return ()
        identity = string(head.meta.get("sessionId"))
        chats = os.path.dirname(os.path.dirname(handle.path) if handle.parent else handle.path)
        return (os.path.join(chats, identity),) if _ID.fullmatch(identity) else ()

    # ── records ──

    def _chat(self, handle: Handle) -> replay.Chat:
        mark = self.mark(handle)
        for held in self._held:
            if held.path == handle.path + handle.key and held.mark == mark:
                return held.chat
        if early.is_early(handle):
            chat = early.read(handle)
        else:
            chat = replay.read(handle.path)
        self._held = [_Held(handle.path + handle.key, mark, chat), *self._held[:1]]
        return chat

    def records(self, handle: Handle, damage: list[Damage]) -> Iterator[Record]:
        chat = self._chat(handle)
        damage.extend(chat.damage)
        yield from self._records(chat, handle)

    def _records(self, chat: replay.Chat, handle: Handle) -> Iterator[Record]:
        for number, message, branch in replay.messages(chat, handle.path):
            yield Record(number, message, branch)

    def record_at(self, handle: Handle, number: int) -> Data | None:
        return replay.message(self._chat(handle), handle.path, number)

    def pieces(self, data: Data, handle: Handle) -> Iterator[Piece]:
        for piece in words.pieces(data):
            if piece.kind == "prompt" and handle.hidden == "subagent":
                piece = piece._replace(kind="note", what="injected") if _GRACE.match(piece.text) else piece._replace(what="subagent")
            yield piece

    # ── rows ──

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        last = self._last(handle)
        if last is None:
            return self._row_of_whole(handle)
        first = replay.read_log(jsonl.head(handle.path, END))
        head, tail = Assembly(), Assembly()
        for record in self._records(first, handle):
            self.take(head, record, handle)
        for record in self._records(last._replace(spots=last.spots[-12:]), handle):
            self.take(tail, record, handle)
        row = session(handle, head, tail, whole=False, damaged=len(last.damage))
        meta = {**last.meta, **first.meta, **{name: last.meta[name] for name in ("summary", "lastUpdated") if name in last.meta}}
        return self._finish(row, handle, meta, self._beginning(first, handle))

    def _last(self, handle: Handle) -> replay.Chat | None:
        """The end of a big log; None for what has to be read whole, as where one long line gives all the chat anew."""
        if handle.size <= WHOLE or not handle.path.endswith(".jsonl"):
            return None
        last = replay.read_log(jsonl.tail(handle.path, END)[0])
        return last if last.spots and not any(placed.branch for placed in last.spots) else None

    def _row_of_whole(self, handle: Handle) -> Session:
        chat = self._chat(handle)
        whole = Assembly()
        self.assemble(handle, whole)
        if any(placed.branch for placed in chat.spots):
            live = Assembly()
            for record in self._records(chat, handle):
                if not record.branch:
                    self.take(live, record, handle)
            whole.tail, whole.why, whole.last = live.tail, live.why, live.last
        row = session(handle, whole, whole, whole=True, damaged=len(chat.damage))
        return self._finish(row, handle, chat.meta, self._beginning(chat, handle))

    def _beginning(self, chat: replay.Chat, handle: Handle) -> list[Data]:
        """The first messages, where the chat says what it works on."""
        found = []
        for _, message, _ in replay.messages(chat, handle.path):
            found.append(message)
            if len(found) > 40:
                break
        return found

    def _finish(self, row: Session, handle: Handle, meta: Data, beginning: list[Data]) -> Session:
        folder = os.path.dirname(handle.path)
        project = folder if early.is_early(handle) else os.path.dirname(os.path.dirname(folder) if handle.parent else folder)
        home = os.path.dirname(os.path.dirname(project))
        cwd = directory_of(project, home, meta, beginning, _upwards(self.environment.cwd))
        summary = one_line(string(meta.get("summary")))
        identity = string(meta.get("sessionId"))
        named = bool(summary) and not handle.parent
        times = [moment for moment in (row.updated, parse_time(meta.get("lastUpdated"))) if moment is not None]
        kind = string(meta.get("kind"))
        title = _worded(row.title, beginning) if row.title_from == "prompt" else row.title
        if tag := one_line(early.tag_of(handle), 80):
            summary, named = f"{tag}: {title}", True
        if early.is_early(handle):
            times.append(handle.mtime_ns / 1e9 if not handle.key else 0.0)
            if handle.key:
                row = row._replace(size=0, tail="unknown", tail_why="its answers were not kept")
            row = row._replace(facts={**row.facts, "no_resume": _GONE if handle.key else _SAVED})
        child = handle.hidden or ("subagent" if kind == "subagent" else row.hidden)
        return row._replace(
            id=identity if _ID.fullmatch(identity) else row.id, title=summary if named else title,
            title_from="summary" if named else row.title_from, cwd=cwd,
            project=project_of(cwd) if cwd else _project_name(os.path.basename(project)),
            created=parse_time(meta.get("startTime")) or row.created, updated=max(times, default=None),
            hidden=child, origin="subagent" if child == "subagent" else row.origin, resume_cwd=cwd,
            model=row.model or one_line(string(mapping(meta.get("meta")).get("model")), 80) or None,
            facts={**{name: fact for name, fact in row.facts.items() if name not in _SHARED}, **_facts(meta)},
        )  # fmt: skip

    # ── relations, and the way back ──

    def children(self, handle: Handle) -> Iterable[Handle]:
        return [
            found for folder in self._own_folder(handle) for found in self._subagents(handle.root, folder) if isinstance(found, Handle)
        ]  # fmt: skip

    def retention(self, root: Root) -> tuple[int | None, str]:
        """Gemini CLI deletes old chats only where its settings say so."""
        settings = load_or_none(os.path.join(root.path, "settings.json")) or {}
        policy = mapping(mapping(settings.get("general")).get("sessionRetention"))
        age = re.fullmatch(r"(\d{1,5})([hdwm])", string(policy.get("maxAge")))
        if not age or not policy.get("enabled", True):
            return None, ""
        days = int(age[1]) * {"h": 0, "d": 1, "w": 7, "m": 30}[age[2]] or 1
        return days, "general.sessionRetention.maxAge in ~/.gemini/settings.json"

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        if session.facts.get("no_resume") or not _ID.fullmatch(session.id) or session.hidden == "subagent" or session.parent:
            return None
        argv = ["gemini", "--resume", session.id, *(["--approval-mode=yolo"] if options.skip_approvals else [])]
        cwd = session.resume_cwd or session.cwd
        warnings = []
        if cwd is None:
            warnings.append("Gemini CLI finds a chat only from its project's directory, which is not known")
        if options.fork:
            warnings.append("Gemini CLI cannot fork a chat; this goes on with the chat itself")
        return Resume(tuple(argv), cwd, tuple(warnings))


def _holds_sessions(project: str) -> bool:
    """Whether a folder is a project's: it holds chats, or a log of prompts below a name that is a hash."""
    if any(_looks_like_a_chat(entry.name) for entry in _entries(os.path.join(project, "chats"))):
        return True
    return re.fullmatch(r"[0-9a-f]{64}", os.path.basename(project)) is not None and os.path.isfile(os.path.join(project, early.LOGS))


def _looks_like_a_chat(name: str) -> bool:
    return name.startswith("session-") and name.endswith((".json", ".jsonl"))


def _projects(folder: str) -> list[str]:
    """The folders of projects in a store: in its `tmp`, in itself, or itself."""
    if os.path.isdir(os.path.join(folder, "chats")):
        return [folder]
    inside = os.path.join(folder, "tmp")
    return [entry.path for entry in _entries(inside if os.path.isdir(inside) else folder) if entry.is_dir(follow_symlinks=False)]


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []


def _upwards(path: str) -> Iterator[str]:
    while True:
        yield path
        above = os.path.dirname(path)
        if above == path:
            return
        path = above


def _project_name(folder: str) -> str:
    """A folder's short name where the directory is not known; a hash says nothing to a person."""
    return "" if re.fullmatch(r"[0-9a-f]{64}", folder) else one_line(folder, 80)


def _worded(title: str, beginning: list[Data]) -> str:
    """The first prompt that is more than a command, where the first is one."""
    if not title.startswith(_COMMAND):
        return title
    prompts = (piece for message in beginning for piece in words.pieces(message) if piece.kind == "prompt" and piece.what == "typed")
    return next((line for piece in prompts if (line := one_line(piece.text, 300)) and not line.startswith(_COMMAND)), title)


def _facts(meta: Data) -> dict[str, object]:
    directories = meta.get("directories")
    found: dict[str, object] = {}
    if isinstance(directories, list) and directories:
        found["directories_raw"] = [path for path in directories if isinstance(path, str)][:20]
    if string(meta.get("projectHash")):
        found["project_hash"] = one_line(string(meta.get("projectHash")), 64)
    return found
