"""SpecStory: `.specstory/history/*.md` in projects, each a rendering of some agent's session, and the way back to them.

A file carries the agent's own session id in a comment of its first lines. Which projects have such a folder is not
known here: the library asks with the directories of the sessions it found (`roots_for`, `specstory_files`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from sessionbrowser.model import (
    Block,
    Body,
    Handle,
    Place,
    Resume,
    ResumeOptions,
    Root,
    Session,
    SetAside,
    Unreadable,
)
from sessionbrowser.paths import Environment
from sessionbrowser.sources import jsonl, logs
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.bodies import body
from sessionbrowser.sources.documents import DocumentSource, Placed
from sessionbrowser.sources.lazy import lazily
from sessionbrowser.sources.pieces import Assembly, Piece, session
from sessionbrowser.text import for_eyes, one_line

if TYPE_CHECKING:
    from sessionbrowser.sources import specstory_text as text_of
else:
    (text_of,) = lazily("sessionbrowser.sources", "specstory_text")

HISTORY = os.path.join(".specstory", "history")
HEAD, TAIL, WHOLE = 32 << 10, 64 << 10, 128 << 10
THROUGH = 8 << 20  # bytes of a file that are looked through for its turns; what they hold is read at both ends alone
LIMIT = 256 << 20  # bytes; a larger file is no transcript anybody reads
_NAME = re.compile(r"(\d{4}-\d\d-\d\d_\d\d-\d\d(?:-\d\d)?(?:Z|[+-]\d{4})?)(?:-(.*))?\.md")
_COMMAND = re.compile(r"\s*<command-(?:name|message)>(.*?)</command-", re.S)
_INJECTED = ("<", "Caveat: The messages below", "This session is being continued from a previous", "[Request interrupted")
_NATIVE = {
    "claude code": "claude", "codex cli": "codex", "cursor cli": "cursor", "cursor ide": "cursor", "cursor": "cursor",
    "gemini cli": "gemini", "factory droid cli": "droid", "antigravity": "antigravity", "opencode": "opencode",
}  # fmt: skip


class SpecStory(DocumentSource):
    name, tag, label, program = "specstory", "ss", "SpecStory", ""
    tells = ("models",)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._ids: dict[str, tuple[int, dict[str, list[str]]]] = {}  # folder → when it changed, times by session id

    # ── where ──

    def roots(self) -> list[Root]:
        """The history of the current directory and of its parents, and of the folders in SPECSTORY_HISTORY_DIRS."""
        places, at = [], self.environment.cwd
        while True:
            places.append(os.path.join(at, HISTORY))
            above = os.path.dirname(at)
            if above == at:
                break
            at = above
        named = self.environment.get("SPECSTORY_HISTORY_DIRS").split(os.pathsep)
        return logs.roots_from(self.name, [*places, *(self.environment.expand(name) for name in named if name)])

    def roots_for(self, directories: Iterable[str]) -> list[Root]:
        """The histories of projects: for each of `directories` (raw) its own and that of the nearest parent that has one.

        One `stat` a directory and parent, each only once; call it when a person asks for such sessions.
        """
        return logs.roots_from(self.name, list(history_folders(directories)))

    def root_at(self, path: str, label: str) -> Root | None:
        """A history folder, or a project (or `.specstory` folder) that has one."""
        found = logs.store_at(path, (HISTORY, "history"), _is_history)
        return Root(self.name, found, label, live=False) if found else None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        trouble: list[Unreadable] = []
        named: dict[str, list[Handle]] = {}
        for entry in logs.entries(root.path, trouble, self.name):
            if not entry.name.endswith(".md") or not logs.is_file(entry):
                continue
            handle = logs.handle_at(self.name, root, entry, entry.name[:-3])
            found = _NAME.fullmatch(entry.name)
            named.setdefault(found[1] if found else entry.name, []).append(handle)
        for group in named.values():
            yield from group if len(group) == 1 else _once(group)
        yield from trouble

    # ── reading ──

    def placed(self, handle: Handle) -> Iterator[Placed]:
        if handle.size > LIMIT:
            raise SourceError("the file is larger than 256 MB")
        data = jsonl.read_at(handle.path, 0, LIMIT)
        for section in text_of.sections(data):
            yield from _section(data, section)

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        data = jsonl.read_at(handle.path, 0, THROUGH)
        start = text_of.preamble(data[:HEAD])
        found = text_of.sections(data)
        whole = handle.size <= WHOLE
        head = _assembled(data, found) if whole else _opening(data, found)
        if handle.size <= THROUGH:
            tail = head if whole else _assembled(data, _closing(found, handle.size))
        else:
            rest = jsonl.read_at(handle.path, handle.size - TAIL, TAIL)
            rest = rest[rest.find(b"\n") + 1 :]
            tail = _assembled(rest, text_of.sections(rest))
        row = session(handle, head, tail, whole=whole)
        cwd = _project(handle.path)
        title, title_from = _title(start, head, row, handle)
        created = start.begun if start.begun is not None else row.created
        native = _NATIVE.get(start.agent.lower(), "")
        facts = {**row.facts, **_debug(cwd, start.id), "generator": for_eyes(start.generator), "agent": for_eyes(start.agent)}
        if start.id:
            facts["mirrors_raw"] = start.id
            facts["mirrors_source"] = native
        part, parts = self._part(handle, start)
        if parts > 1:
            facts["part"] = f"{part} of {parts}"
        facts = {name: value for name, value in facts.items() if value and name != "said"}
        if whole and not any(block.size for block in head.builder.blocks):
            row = row._replace(hidden="empty")
        if row.tail not in ("finished", "asking"):
            row = row._replace(tail="unknown", tail_why="a rendering does not say how its session ended")
        return row._replace(
            id=start.id if start.id and part == parts else handle.id, title=title, title_from=title_from, cwd=cwd, project=one_line(os.path.basename(cwd), 80),
            created=created, updated=tail.updated or head.updated or created or handle.mtime_ns / 1e9,
            specstory=handle.path, facts=facts, origin="rendering",
        )  # fmt: skip

    def _part(self, handle: Handle, start: text_of.Preamble) -> tuple[int, int]:
        """Which part of its session a file is, and of how many: the first generation began a new file at each compaction.

        The last part stands for the session; the others go by the names of their files.
        """
        if not start.id or "Markdown" in start.generator:
            return 1, 1
        folder = os.path.dirname(handle.path)
        changed = os.stat(folder).st_mtime_ns
        if self._ids.get(folder, (0, {}))[0] != changed:
            self._ids[folder] = (changed, _times_by_id(folder))
        found = _NAME.fullmatch(os.path.basename(handle.path))
        times = self._ids[folder][1].get(start.id, [])
        if found is None or found[1] not in times:
            return 1, 1
        return times.index(found[1]) + 1, len(times)

    def body(self, handle: Handle, block: Block) -> Body:
        """Read from the block's own bytes alone."""
        data = jsonl.read_at(handle.path, block.place.start, min(block.place.length, LIMIT))
        text = _text(data, 0, len(data))
        if block.kind == "tool":
            call, result = text_of.tool(text)
            return body(block, [call], [result])
        said = text_of.thinking(text) if block.kind == "thinking" else text_of.clean(text)
        return body(block, [Piece(block.kind, said, what=block.what)], ())

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        """The session this file renders, resumed by its own agent where SpecStory knows how."""
        if session.root or not logs.UUID.fullmatch(session.id):
            return None
        agent = _RESUMES.get(str(session.facts.get("mirrors_source", "")))
        if agent is None:
            return None
        return Resume(("specstory", "resume", agent, "--session", session.id), session.cwd)


_RESUMES = {"claude": "claude", "codex": "codex", "gemini": "gemini", "cursor": "cursor", "droid": "droid"}


# ── the way from a session to its file ──


def history_folders(directories: Iterable[str]) -> Iterator[str]:
    """History folders that exist in or above `directories` (raw), each once; the nearest one of each directory."""
    known: dict[str, str] = {}

    def nearest(folder: str) -> str:
        trail = []
        while folder not in known:
            trail.append(folder)
            candidate = os.path.join(folder, HISTORY)
            if os.path.isdir(candidate):
                known[folder] = candidate
                break
            above = os.path.dirname(folder)
            if above == folder:
                known[folder] = ""
                break
            folder = above
        found = known[folder]
        known.update(dict.fromkeys(trail, found))
        return found

    seen: set[str] = set()
    for directory in directories:
        if directory and os.path.isabs(directory):
            found = nearest(os.path.normpath(directory))
            if found and found not in seen:
                seen.add(found)
                yield found


def specstory_files(directories: Iterable[str]) -> dict[str, str]:
    """Session id → SpecStory file (raw path) for the histories of `directories`.

    Only the comment line of a file's first lines counts, not a quotation of it. Of several files of one session the
    largest is given, then the newest. Each file costs one small read.
    """
    return files_in(history_folders(directories))


def files_in(folders: Iterable[str]) -> dict[str, str]:
    """Session id → SpecStory file for history folders themselves."""
    best: dict[str, tuple[int, int, str]] = {}
    for folder in folders:
        for entry in logs.entries(folder, [], "specstory"):
            if not entry.name.endswith(".md") or not logs.is_file(entry):
                continue
            try:
                identity, found = session_id(entry.path), entry.stat()
            except OSError:
                continue
            rank = (found.st_size, found.st_mtime_ns, entry.path)
            if identity and rank > best.get(identity, (0, 0, "")):
                best[identity] = rank
    return {identity: rank[2] for identity, rank in best.items()}


def session_id(path: str) -> str:
    """The id in the comment of a file's first lines, "" when it has none. Raises OSError."""
    return text_of.preamble(jsonl.read_at(path, 0, 4096)).id


# ── parts ──


def _times_by_id(folder: str) -> dict[str, list[str]]:
    """The times in the names of a folder's files, in order and each once, by the session they are of."""
    found: dict[str, list[str]] = {}
    for entry in logs.entries(folder, [], "specstory"):
        named = _NAME.fullmatch(entry.name)
        if named is None or not logs.is_file(entry):
            continue
        try:
            times = found.setdefault(session_id(entry.path), [])
        except OSError:
            continue
        if named[1] not in times:
            times.append(named[1])
    return found


def _is_history(folder: str) -> bool:
    for entry in logs.entries(folder, [], "specstory")[:50]:
        if entry.name.endswith(".md") and (_NAME.fullmatch(entry.name) or session_id(entry.path) or _is_first_form(entry.path)):
            return True
    return False


def _is_first_form(path: str) -> bool:
    """Whether a file was written by the first extension, which named it by its title alone."""
    try:
        return jsonl.read_at(path, 0, len(text_of.FIRST) + 1).rstrip() == text_of.FIRST.encode()
    except OSError:
        return False


def _once(group: list[Handle]) -> Iterator[Handle]:
    """Files of one moment; of those with the same session id only the largest, then newest, is shown."""
    best: dict[str, Handle] = {}
    ids: dict[str, str] = {}
    for handle in group:
        try:
            ids[handle.path] = session_id(handle.path) or handle.path
        except OSError:
            ids[handle.path] = handle.path
        other = best.get(ids[handle.path])
        if other is None or (handle.size, handle.mtime_ns) > (other.size, other.mtime_ns):
            best[ids[handle.path]] = handle
    for handle in group:
        yield handle if best[ids[handle.path]] is handle else handle._replace(hidden="duplicate")


def _project(path: str) -> str:
    """The directory whose `.specstory` a file is in; the folder of the file when it lies elsewhere."""
    folder = os.path.dirname(path)
    if os.path.basename(folder) == "history" and os.path.basename(os.path.dirname(folder)) == ".specstory":
        return os.path.dirname(os.path.dirname(folder))
    return folder


def _debug(cwd: str, identity: str) -> Mapping[str, object]:
    """Where SpecStory left the raw records of a session, when somebody asked it to."""
    if not identity or os.sep in identity or identity in (".", ".."):
        return {}
    found = os.path.join(cwd, ".specstory", "debug", identity)
    return {"debug_raw": found} if os.path.isdir(found) else {}


def _title(start: text_of.Preamble, head: Assembly, row: Session, handle: Handle) -> tuple[str, str]:
    if start.title and text_of.stamp(start.title) is None and start.title.lower() not in ("untitled", "summary"):
        return one_line(start.title, 300), "ai"
    if prompt := str(head.facts.get("said", "")):
        return prompt, "prompt"
    if head.first:
        return head.first, "prompt"
    named = _NAME.fullmatch(os.path.basename(handle.path))
    if named and named[2] and named[2] != "untitled":
        return one_line(named[2].replace("-", " "), 300), "file"
    return one_line(start.id or row.id, 80), "id"


def _assembled(data: bytes, sections: Iterable[text_of.Section]) -> Assembly:
    made = Assembly()
    for section in sections:
        _add(made, data, section)
    return made


def _opening(data: bytes, found: list[text_of.Section]) -> Assembly:
    """The first turns of a big file, and what was asked on until somebody said something."""
    made = Assembly()
    for section in found:
        if section.start < HEAD or (section.role == "User" and "said" not in made.facts):
            _add(made, data, section)
    return made


def _closing(found: list[text_of.Section], size: int) -> Iterator[text_of.Section]:
    """The last turns of a big file, from what was asked last."""
    asked = max((index for index, section in enumerate(found) if section.role == "User" and not section.sidechain), default=-1)
    for index, section in enumerate(found):
        if index in (asked, len(found) - 1) or section.start >= size - TAIL:
            yield section


def _add(made: Assembly, data: bytes, section: text_of.Section) -> None:
    for place, piece in _section(data, section):
        made.take(piece, place)
        said = piece.kind == "prompt" and piece.what == "typed" and piece.text and not piece.text.startswith(_INJECTED)
        if said and "said" not in made.facts:
            made.facts["said"] = one_line(piece.text, 300)


def _section(data: bytes, section: text_of.Section) -> Iterator[Placed]:
    place = Place(section.start, section.end - section.start)
    if section.role == "User":
        text = text_of.clean(_text(data, section.start, section.end))
        yield place, _prompt(text, section)
        return
    yield place, Piece("answer", time=section.time, model=section.model, answer=str(section.start))
    for chunk in text_of.chunks(data, section):
        inside = _text(data, chunk.start, chunk.end)
        place = Place(chunk.start, chunk.end - chunk.start)
        if chunk.kind == "text":
            yield place, Piece("text", text_of.clean(inside), time=section.time, model=section.model)
        elif chunk.kind == "thinking":
            yield place, Piece("thinking", text_of.thinking(inside), time=section.time, model=section.model)
        else:
            call, result = text_of.tool(inside)
            identity = f"block-{chunk.start}"
            yield place, call._replace(call=identity, time=section.time, model=section.model)
            yield place, result._replace(call=identity, time=section.time)


def _prompt(text: str, section: text_of.Section) -> Piece:
    kind, title = ("subagent" if section.sidechain else "typed"), ""
    if command := _COMMAND.match(text):
        kind, title = "slash", command[1].strip()
    elif text.startswith("<local-command-"):
        kind = "slash"
    return Piece("prompt", text, what=kind, title=title, time=section.time)


def _text(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("utf-8", "replace").replace("\r\n", "\n")


SOURCE = SpecStory
