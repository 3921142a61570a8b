"""The Cursor source: the command line's chats, transcripts without a chat, and the editor's chats."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from sessionbrowser.model import Handle, Resume, ResumeOptions, Root, Session, SetAside, Unreadable
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.cursor import editor, places
from sessionbrowser.sources.cursor.rows import Rows
from sessionbrowser.sources.sqlite import Stamp, stamp
from sessionbrowser.text import one_line

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")


class Cursor(Rows):
    """Cursor's sessions, of the command line and of the editor."""

    name = "cursor"
    tag = "cu"
    label = "Cursor"
    program = "cursor-agent"
    tells = ("models", "permission modes")

    # ── places ──

    def roots(self) -> list[Root]:
        user = os.path.join(self.environment.app_support(), "Cursor", "User")
        found = [home for home in self._homes() if any(os.path.isdir(os.path.join(home, name)) for name in ("chats", "projects", places.OTHERS))]
        if os.path.isfile(places.database_of(user)):
            found.append(user)
        return [Root(self.name, path) for path in found]

    def _homes(self) -> list[str]:
        """Where the command line keeps its chats: as it is told, else in the home, where the transcripts are."""
        told = self.environment.get("CURSOR_CONFIG_DIR") or os.path.join(self.environment.config_home(), "cursor")
        return list(dict.fromkeys((self.environment.expand(told), self.environment.under_home(".cursor"))))

    def root_at(self, path: str, label: str) -> Root | None:
        if os.path.basename(path) == "state.vscdb" and os.path.isfile(path):
            return Root(self.name, path, label, False)
        for inside in ("", ".cursor", "User", os.path.join("Cursor", "User")):
            folder = os.path.join(path, inside) if inside else path
            known = os.path.isfile(places.database_of(folder)) or next(places.stores(folder), None) or next(places.transcripts(folder), None)
            if known:
                return Root(self.name, folder, label, False)
        return None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        database = root.path if os.path.isfile(root.path) else places.database_of(root.path)
        if os.path.isfile(database):
            yield from self._in_editor(root, database)
            return
        if not os.path.isdir(root.path):
            yield Unreadable(self.name, root.path, "the folder is gone")
            return
        beside = self._transcripts(root.path, again=True)
        known = {identity for home in self._homes() if root.live and home != root.path for identity, _ in places.stores(home)}
        for identity, path in places.stores(root.path):
            known.add(identity)
            yield from self._found(root, path, identity)
        others = self._editor_ids() if root.live else frozenset()
        for identity, path in beside.items():
            if identity in known:
                yield SetAside(self.name, path, "readable copy of a chat")
            elif identity in others:
                yield SetAside(self.name, path, "readable copy of a chat of the editor")
            else:
                yield from self._found(root, path, identity)
        for identity, folder in places.sessions(root.path) if deep else ():
            for entry in places.subagents_in(folder):
                yield from self._found(root, entry.path, os.path.splitext(entry.name)[0], identity)

    def _found(self, root: Root, path: str, identity: str, parent: str = "") -> Iterator[Handle | Unreadable]:
        try:
            is_store = path.endswith(".db")
            now = _with_its_description(path) if is_store else None
            found = os.stat(path)
        except OSError as problem:
            yield Unreadable(self.name, path, one_line(problem.strerror or str(problem)))
            return
        size, changed = (now.size, now.mtime_ns) if now else (found.st_size, found.st_mtime_ns)
        yield Handle(self.name, root, path, "", identity, size, changed, found.st_ino, "subagent" if parent else "", parent)

    def _editor_ids(self) -> frozenset[str]:
        """The ids of the editor's chats, from the index of its database."""
        database = places.database_of(os.path.join(self.environment.app_support(), "Cursor", "User"))
        try:
            with self._databases.open(database) as connection:
                if not editor.is_one(connection):
                    return frozenset()
                keys = f"select substr(key, 14) from {editor.TABLE} where {editor.CHATS}"
                return frozenset(str(key) for (key,) in connection.execute(keys))
        except (OSError, SourceError):
            return frozenset()

    def _in_editor(self, root: Root, path: str) -> Iterator[Handle | Unreadable]:
        try:
            now = stamp(path)
            with self._databases.open(path) as connection:
                found = list(editor.heads(connection, now.size)) if editor.is_one(connection) else []
        except (OSError, SourceError) as problem:
            yield Unreadable(self.name, path, one_line(str(problem)))
            return
        every = {head.id for head in found}
        for head in found:
            hidden = "subagent" if head.subagent and head.parent in every else "archived" if head.archived else ""
            changed = head.updated * 1_000_000 + head.archived  # so that archiving alone is a change
            yield Handle(self.name, root, path, head.id, head.id, head.row, changed, now.inode, hidden, head.parent)

    def folders(self, handle: Handle) -> tuple[str, ...]:
        transcript = self._transcript(handle)
        return (os.path.join(places.folder_of(transcript), "subagents"),) if transcript and not handle.parent else ()

    # ── relations, and the way back ──

    def children(self, handle: Handle) -> Iterable[Handle]:
        if handle.key:
            named = self._children_named(handle)
            return [
                found for found in self._in_editor(handle.root, handle.path)
                if isinstance(found, Handle) and (found.parent == handle.id or found.id in named)
            ]  # fmt: skip
        transcript = self._transcript(handle)
        if not transcript or handle.parent:
            return ()
        return [
            found for entry in places.subagents(transcript)
            for found in self._found(handle.root, entry.path, os.path.splitext(entry.name)[0], handle.id) if isinstance(found, Handle)
        ]  # fmt: skip

    def _children_named(self, handle: Handle) -> frozenset[str]:
        with self._databases.open(handle.path) as connection:
            chat = editor.composer(connection, handle.key) or {}
        named = chat.get("subagentComposerIds")
        return frozenset(key for key in named if isinstance(key, str)) if isinstance(named, list) else frozenset()

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        if session.key or not session.path.endswith(".db") or session.hidden == "subagent" or places.is_others(session.path) or not _ID.fullmatch(session.id):
            return None
        argv = ["cursor-agent", "--resume", session.id, *(["--yolo"] if options.skip_approvals else [])]
        cwd = session.resume_cwd or session.cwd
        warnings = []
        if cwd is None:
            warnings.append("Cursor finds a chat only from its workspace, which is not known")
        if options.fork:
            warnings.append("Cursor cannot fork a chat; this goes on with the chat itself")
        return Resume(tuple(argv), cwd, tuple(warnings))


def _with_its_description(store: str) -> Stamp:
    """When a store, or what is said of the chat beside it, last changed. Raises OSError."""
    now = stamp(store)
    try:
        beside = os.stat(os.path.join(os.path.dirname(store), "meta.json")).st_mtime_ns
    except OSError:
        return now
    return now._replace(mtime_ns=max(now.mtime_ns, beside))
