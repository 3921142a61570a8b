"""Codex CLI as a source: its home, its rollouts, and the way back into them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING
from zlib import crc32

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
)
from sessionbrowser.paths import Environment, time_in
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.base import Source, SourceError
from sessionbrowser.sources.codex import files, tree
from sessionbrowser.sources.codex.names import Names
from sessionbrowser.sources.codex.origin import origin_of
from sessionbrowser.sources.lazy import lazily
from sessionbrowser.text import one_line

if TYPE_CHECKING:
    from sessionbrowser.sources.codex import bodies, ends, passages, reader, row
else:
    bodies, ends, passages, reader, row = lazily("sessionbrowser.sources.codex", "bodies", "ends", "passages", "reader", "row")

_YEAR = re.compile(r"\d{4}")
_LINEAGE_LIMIT = 16 << 20  # bytes; a larger fork by copy is not read to see whether it added something
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
_FIRST_RECORDS = (b'"session_meta"', b'"record_type"', b'"response_item"', b'"instructions"')


class CodexSource(Source):
    name = "codex"
    tag = "cx"
    label = "Codex"
    program = "codex"
    tells = ("models", "permission modes", "effort", "skills", "plugins proved")  # of hooks only what they said, not that one ran

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._places: dict[str, tree.Places] = {}
        self._names: dict[str, Names] = {}

    # ── where ──

    def roots(self) -> list[Root]:
        home = self.environment.get("CODEX_HOME")
        path = self.environment.expand(home) if home else self.environment.under_home(".codex")
        there = any(os.path.isdir(os.path.join(path, name)) for name in ("sessions", "archived_sessions"))
        return [Root(self.name, path)] if there else []

    def root_at(self, path: str, label: str) -> Root | None:
        if os.path.isfile(path):
            return Root(self.name, path, label, live=False) if _is_rollout(path) else None
        homes = [os.path.join(path, name) for name in ("sessions", "archived_sessions")]
        if any(_holds_rollouts(folder) for folder in (*homes, path)):
            return Root(self.name, path, label, live=False)
        return None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        if os.path.isfile(root.path):
            yield from self._single(root)
            return
        places, names = self.places(root), self.names(root).indexed()
        for folder in files.folders(root.path):
            trouble: list[tuple[str, OSError]] = []
            for file in files.walk(folder, trouble):
                yield self._found(file, root, places, names)
            for path, error in trouble:
                yield Unreadable(self.name, path, one_line(error.strerror or str(error)))

    def _single(self, root: Root) -> Iterator[Handle]:
        id = files.id_of(os.path.basename(root.path)) or os.path.splitext(os.path.basename(root.path))[0]
        if handle := tree.handle_of(root.path, id, root):
            yield handle

    def _found(self, file: files.File, root: Root, places: tree.Places, names: dict[str, str]) -> Handle | SetAside | Unreadable:
        if reason := _aside(file):
            return SetAside(self.name, file.path, reason)
        try:
            found = os.stat(file.path)
        except OSError as error:
            return Unreadable(self.name, file.path, one_line(error.strerror or str(error)))
        if not stat.S_ISREG(found.st_mode):
            return SetAside(self.name, file.path, "not a regular file")
        places.remember(file)
        # A new name is written beside the rollout: its stamp changes with the name, by less than a microsecond.
        name = names.get(file.id, "")
        mtime_ns = found.st_mtime_ns + (crc32(name.encode("utf-8", "replace")) % 997 if name else 0)
        mtime_ns += 1000 if file.name.endswith(".zst") and self._unpacks else 0  # what could not be read is read once it can be
        return Handle(self.name, root, file.path, "", file.id, found.st_size, mtime_ns, found.st_ino)

    @cached_property
    def _unpacks(self) -> bool:
        return files.can_unpack()

    def places(self, root: Root) -> tree.Places:
        return self._places.setdefault(root.path, tree.Places(root))

    def names(self, root: Root) -> Names:
        return self._names.setdefault(root.path, Names(root.path))

    # ── what ──

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        archived = os.path.basename(os.path.dirname(handle.path)) == "archived_sessions"
        try:
            read = ends.with_beginning(ends.read_ends(handle), handle, self.places(handle.root).locate)
        except SourceError as error:
            began = time_in(handle.path, handle.id)
            return Session(
                handle.id, self.name, handle.path, root=handle.root.label, title=one_line(handle.id), title_from="id",
                created=began, updated=began, size=handle.size, archived=archived,
                hidden="archived" if archived else "", unreadable=str(error),
            )  # fmt: skip
        places = self.places(handle.root)
        parent = origin_of(read.head.meta).parent
        orphan = bool(parent) and not places.locate(parent)
        made = row.session(handle, read, self.names(handle.root).of(handle.id), archived, orphan)
        started = len(self.names(handle.root).spawned(made.id)) or None
        return made._replace(subagents=started, facts={**made.facts, **self._lineage(handle, made, read)})

    def _lineage(self, handle: Handle, made: Session, read: ends.Read) -> dict[str, object]:
        """Whether a fork added a prompt of its own, where that is certain."""
        if not made.forked_from:
            return {}
        if read.head.metas > 1 and handle.size <= _LINEAGE_LIMIT:
            try:
                copied = reader.copied_head(handle.path, made.forked_from, self.places(handle.root).locate)
                own = any(ends.prompt_of(item) for line in files.lines(handle.path, copied) for item in ends.items_of(line))
            except (OSError, SourceError):
                return {}
            return {"own_prompt": own}
        return {"own_prompt": bool(read.head.prompts)} if read.whole else {}

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        return reader.outline(handle.path, since, self.places(handle.root).locate)

    def opening(self, handle: Handle) -> Transcript | None:
        return reader.opening(handle)

    def body(self, handle: Handle, block: Block) -> Body:
        return bodies.body(handle.path, block)

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        return tree.agents(handle, outline, tree.Readings(self.places(handle.root), self.names(handle.root), self.summarise, self.outline))

    def passages(self, handle: Handle, offset: int = 0, *, tools: bool = False) -> Iterator[Passage]:
        return passages.passages(handle.path, offset, tools)

    # ── the way back ──

    def live(self, root: Root) -> list[Live]:
        from sessionbrowser.sources.codex.live import loaded

        return loaded(root)

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        if session.root or not _ID.fullmatch(session.id):
            return None
        skip = ("--dangerously-bypass-approvals-and-sandbox",) if options.skip_approvals else ()
        argv = (self.program, *skip, "fork" if options.fork else "resume", session.id)
        warnings: list[str] = []
        before: tuple[tuple[str, ...], ...] = ()
        if session.unreadable:
            warnings.append(f"the session could not be read, so its directory is not known: {session.unreadable}")
        if session.archived:
            before = ((self.program, "unarchive", session.id),)
            warnings.append("the session is archived: it is unarchived first")
        if session.origin == "subagent":
            warnings.append("this is a subagent's session: Codex means its parent to be resumed")
        return Resume(argv, session.resume_cwd or session.cwd, tuple(warnings), before)


def _aside(file: files.File) -> str:
    """Why a file below the sessions is none, "" when it is one."""
    if file.linked:
        return "a link to a folder"
    if file.name.endswith(".tmp"):
        return "being written"
    if not file.id:
        return "not named like a rollout"
    if file.name.endswith(".zst") and os.path.exists(file.path.removesuffix(".zst")):
        return "compressed copy of a session that is there"
    return ""


def _holds_rollouts(folder: str) -> bool:
    """Whether a folder looks like Codex's: rollouts, or years of them."""
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
    except OSError:
        return False
    if any(entry.name.startswith("rollout-") and files.id_of(entry.name) for entry in found):
        return True
    years = [entry.path for entry in found if _YEAR.fullmatch(entry.name) and entry.is_dir()]
    return any(re.fullmatch(r"\d\d", name) for year in years[:3] for name in _names(year))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _is_rollout(path: str) -> bool:
    """Whether a single file is a rollout: by its name, or by how it begins."""
    if files.id_of(os.path.basename(path)):
        return True
    if not path.endswith((".jsonl", ".json")):
        return False
    try:
        begin = jsonl.read_at(path, 0, 4096)
    except OSError:
        return False
    return any(mark in begin for mark in _FIRST_RECORDS[:1]) or (
        begin.startswith(b'{"id":') and _FIRST_RECORDS[1] in begin
    )
