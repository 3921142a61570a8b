"""The Cursor source: the command line's chats, transcripts without a chat, and the editor's chats."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping

from sessionbrowser.model import (
    Damage,
    Handle,
    Resume,
    ResumeOptions,
    Root,
    Session,
    SetAside,
    Transcript,
    Unreadable,
)
from sessionbrowser.paths import Environment, project_of
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.cursor import bubbles, editor, messages, places, store
from sessionbrowser.sources.numbered import Data, Record, RecordSource, load_or_none
from sessionbrowser.sources.pieces import Assembly, Piece, items, mapping, session, string
from sessionbrowser.sources.sqlite import Databases, stamp
from sessionbrowser.text import one_line, parse_time

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
_WORKSPACE = re.compile(r"Workspace Path: (\S[^\n]*)")
_UNNAMED = ("", "New Agent", "New Chat", "Untitled")
WHOLE = 1 << 20  # bytes; a longer transcript is read at its ends for its row
END = 256 << 10
EDITOR_ONLY = "Chats of the editor open in the editor; nothing resumes them from a shell"


class Cursor(RecordSource):
    """Cursor's sessions, of the command line and of the editor."""

    name = "cursor"
    tag = "cu"
    label = "Cursor"
    program = "cursor-agent"

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._databases = Databases()
        self._beside: dict[str, dict[str, str]] = {}  # of each home: the transcript of each id
        self._orders: dict[str, tuple[object, list[str], str]] = {}
        self._folders: dict[str, tuple[object, dict[str, str]]] = {}

    # ── places ──

    def roots(self) -> list[Root]:
        home = self.environment.under_home(".cursor")
        user = os.path.join(self.environment.app_support(), "Cursor", "User")
        found = [home] if any(os.path.isdir(os.path.join(home, name)) for name in ("chats", "projects")) else []
        if os.path.isfile(_database_of(user)):
            found.append(user)
        return [Root(self.name, path) for path in found]

    def root_at(self, path: str, label: str) -> Root | None:
        if os.path.basename(path) == "state.vscdb" and os.path.isfile(path):
            return Root(self.name, path, label, False)
        for inside in ("", ".cursor", "User", os.path.join("Cursor", "User")):
            folder = os.path.join(path, inside) if inside else path
            known = os.path.isfile(_database_of(folder)) or next(places.stores(folder), None) or next(places.transcripts(folder), None)
            if known:
                return Root(self.name, folder, label, False)
        return None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        database = root.path if os.path.isfile(root.path) else _database_of(root.path)
        if os.path.isfile(database):
            yield from self._in_editor(root, database)
            return
        if not os.path.isdir(root.path):
            yield Unreadable(self.name, root.path, "the folder is gone")
            return
        beside = self._transcripts(root.path, again=True)
        known = set()
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
            if deep:
                for entry in places.subagents(path):
                    yield from self._found(root, entry.path, os.path.splitext(entry.name)[0], identity)

    def _found(self, root: Root, path: str, identity: str, parent: str = "") -> Iterator[Handle | Unreadable]:
        try:
            is_store = path.endswith(".db")
            now = stamp(path) if is_store else None
            found = os.stat(path)
        except OSError as problem:
            yield Unreadable(self.name, path, one_line(problem.strerror or str(problem)))
            return
        size, changed = (now.size, now.mtime_ns) if now else (found.st_size, found.st_mtime_ns)
        yield Handle(self.name, root, path, "", identity, size, changed, found.st_ino, "subagent" if parent else "", parent)

    def _transcripts(self, home: str, *, again: bool = False) -> dict[str, str]:
        if again or home not in self._beside:
            self._beside[home] = dict(places.transcripts(home))
        return self._beside[home]

    def _editor_ids(self) -> frozenset[str]:
        """The ids of the editor's chats, from the index of its database."""
        database = _database_of(os.path.join(self.environment.app_support(), "Cursor", "User"))
        try:
            with self._databases.open(database) as connection:
                if not editor.is_one(connection):
                    return frozenset()
                keys = f"select substr(key, 14) from {editor.TABLE} where key >= 'composerData:' and key < 'composerData;'"
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
            yield Handle(self.name, root, path, head.id, head.id, head.row, head.updated * 1_000_000, now.inode, hidden, head.parent)

    def folders(self, handle: Handle) -> tuple[str, ...]:
        transcript = self._transcript(handle)
        return (os.path.join(os.path.dirname(transcript), "subagents"),) if transcript and not handle.parent else ()

    def _transcript(self, handle: Handle) -> str:
        """The readable transcript of a session of the command line; "" when there is none."""
        if handle.key:
            return ""
        if not handle.path.endswith(".db"):
            return handle.path
        return self._transcripts(handle.root.path).get(handle.id, "")

    # ── records ──

    def mark(self, handle: Handle) -> object:
        if handle.path.endswith((".db", ".vscdb")):
            return stamp(handle.path)
        return super().mark(handle)

    def records(self, handle: Handle, damage: list[Damage]) -> Iterator[Record]:
        if handle.key:
            yield from self._of_editor(handle, damage)
        elif handle.path.endswith(".db"):
            order, _ = self._order(handle)
            if order or not self._transcript(handle):
                yield from self._of_store(handle, order, damage)
            else:
                yield from self._of_transcript(jsonl.lines(self._transcript(handle)), handle, damage)
        else:
            yield from self._of_transcript(jsonl.lines(handle.path), handle, damage)

    def _order(self, handle: Handle) -> tuple[list[str], str]:
        """The ids of a chat's messages, and its workspace; kept while the store does not change."""
        now = stamp(handle.path)
        kept = self._orders.get(handle.path)
        if kept is not None and kept[0] == now:
            return kept[1], kept[2]
        with self._databases.open(handle.path) as connection:
            order, workspace = store.order(connection, string(store.meta(connection).get("latestRootBlobId")))
        if len(self._orders) > 8:
            self._orders.clear()
        self._orders[handle.path] = (now, order, workspace)
        return order, workspace

    def _of_store(self, handle: Handle, order: list[str], damage: list[Damage], numbers: Iterable[int] | None = None) -> Iterator[Record]:
        with self._databases.open(handle.path) as connection:
            for number in range(len(order)) if numbers is None else numbers:
                found = store.message(connection, order[number])
                if found is None:
                    damage.append(Damage(number, "a message cannot be read"))
                else:
                    yield Record(number, {**found, "key": f"{number}:{order[number][:12]}"})

    def _of_transcript(self, lines: Iterable[jsonl.Line], handle: Handle, damage: list[Damage]) -> Iterator[Record]:
        for line in lines:
            reading = jsonl.read(line.data)
            if reading.damage and line.whole:
                damage.append(Damage(line.offset, reading.damage))
            for record in reading.records[:1]:
                yield Record(line.offset, {**record, "key": str(line.offset), "child": handle.hidden == "subagent"})

    def _of_editor(self, handle: Handle, damage: list[Damage], numbers: range | None = None) -> Iterator[Record]:
        with self._databases.open(handle.path) as connection:
            chat = editor.composer(connection, handle.key)
            if chat is None:
                raise SourceError("the chat is no longer in the database, or damaged")
            for number, bubble in editor.messages(connection, handle.key, chat, numbers):
                if bubble is None:
                    damage.append(Damage(number, "a message is missing"))
                else:
                    yield Record(number, {"bubble": {"bubbleId": str(number), **bubble}})

    def record_at(self, handle: Handle, number: int) -> Data | None:
        if handle.key:
            return next((record.data for record in self._of_editor(handle, [], range(number, number + 1))), None)
        if handle.path.endswith(".db"):
            order, _ = self._order(handle)
            if order:
                found = self._of_store(handle, order, [], [number]) if number < len(order) else iter(())
                return next((record.data for record in found), None)
        line = next(jsonl.lines(self._transcript(handle), number), None)
        return next((record.data for record in self._of_transcript([line], handle, [])), None) if line else None

    def pieces(self, data: Data, handle: Handle) -> Iterator[Piece]:
        bubble = data.get("bubble")
        for piece in bubbles.pieces(bubble) if isinstance(bubble, Mapping) else messages.pieces(data):
            if piece.kind == "prompt" and handle.hidden == "subagent":
                piece = piece._replace(what="subagent")
            yield piece

    def assemble(self, handle: Handle, state: Assembly) -> Transcript:
        made = super().assemble(handle, state)
        if handle.path.endswith((".db", ".vscdb")):
            return made
        return made._replace(blocks=tuple(
            block._replace(outcome="result not recorded") if block.kind == "tool" and block.result is None else block
            for block in made.blocks
        ))  # fmt: skip

    # ── rows ──

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        if handle.key:
            return self._row_of_editor(handle)
        if handle.path.endswith(".db"):
            return self._row_of_store(handle)
        return self._row_of_transcript(handle)

    def _row_of_transcript(self, handle: Handle) -> Session:
        if handle.size <= WHOLE:
            whole = Assembly()
            self.assemble(handle, whole)
            row = session(handle, whole, whole, whole=True, damaged=len(whole.builder.damage))
        else:
            head, tail = Assembly(), Assembly()
            self._take_all(head, self._of_transcript(jsonl.head(handle.path, END), handle, []), handle)
            self._take_all(tail, self._of_transcript(jsonl.tail(handle.path, END)[0], handle, []), handle)
            row = session(handle, head, tail, whole=False)
        slug = _project_folder(handle.path)
        cwd = self._named_directory(handle, slug)
        return row._replace(
            cwd=cwd, project=project_of(cwd) if cwd else one_line(slug.rsplit("-", 1)[-1], 80) if slug != "empty-window" else "",
            updated=row.updated or handle.mtime_ns / 1e9, created=row.created or None,
            origin="subagent" if handle.parent else row.origin,
            facts={**row.facts, "no_resume": "only its readable transcript is here, not the chat itself"},
        )  # fmt: skip

    def _named_directory(self, handle: Handle, slug: str) -> str | None:
        """The directory of a project's folder: the trust given to it names it, else its own name tells, below the home."""
        if not slug:
            return None
        folder = handle.path[: handle.path.index(os.sep + "agent-transcripts" + os.sep)]
        trusted = string((load_or_none(os.path.join(folder, ".workspace-trusted")) or {}).get("workspacePath"))
        if os.path.isabs(trusted):
            return trusted
        return None if handle.root.label else places.named_as(slug, self.environment.home)

    def _take_all(self, state: Assembly, records: Iterable[Record], handle: Handle) -> None:
        for record in records:
            self.take(state, record, handle)

    def _row_of_store(self, handle: Handle) -> Session:
        beside = load_or_none(os.path.join(os.path.dirname(handle.path), "meta.json")) or {}
        with self._databases.open(handle.path) as connection:
            meta = store.meta(connection)
        order, workspace = self._order(handle)
        head, tail = Assembly(), Assembly()
        if order:
            for record in self._of_store(handle, order, [], range(min(len(order), 12))):
                self.take(head, record, handle)
                if head.first:
                    break
            self._take_all(tail, self._of_store(handle, order, [], range(max(0, len(order) - 4), len(order))), handle)
        elif transcript := self._transcript(handle):
            self._take_all(head, self._of_transcript(jsonl.head(transcript, END), handle, []), handle)
            self._take_all(tail, self._of_transcript(jsonl.tail(transcript, END)[0], handle, []), handle)
        row = session(handle, head, tail, whole=False)
        named = one_line(string(beside.get("title")) or string(meta.get("name")))
        cwd = self._directory(handle, string(beside.get("cwd")) or places.path_of(workspace), order)
        hidden = row.hidden or ("subagent" if beside.get("isSubagent") else "" if head.builder.blocks or tail.builder.blocks else "empty")
        title = (named, "ai") if named not in _UNNAMED else (row.title, row.title_from)
        return row._replace(
            title=title[0], title_from=title[1], cwd=cwd, project=project_of(cwd) if cwd else "",
            created=parse_time(beside.get("createdAtMs")) or parse_time(meta.get("createdAt")) or row.created,
            updated=max(filter(None, (parse_time(beside.get("updatedAtMs")), handle.mtime_ns / 1e9)), default=None),
            model=row.model or one_line(string(meta.get("lastUsedModel")), 80) or None, hidden=hidden,
            origin="subagent" if hidden == "subagent" else row.origin, resume_cwd=cwd,
            facts={**row.facts, **({"mode": one_line(string(meta.get("mode")), 40)} if meta.get("mode") else {})},
        )  # fmt: skip

    def _directory(self, handle: Handle, recorded: str, order: list[str]) -> str | None:
        """The workspace of a chat: as recorded, else the directory that its folder's name is the hash of."""
        if os.path.isabs(recorded):
            return recorded
        said = [found[1].strip() for text in self._first_words(handle, order) if (found := _WORKSPACE.search(text))]
        name = os.path.basename(os.path.dirname(os.path.dirname(handle.path)))
        known = (path for path, _ in places.workspaces(os.path.join(self.environment.app_support(), "Cursor", "User")))
        near = places.hashed_as(name, [*said, self.environment.cwd]) or places.hashed_as(name, known)
        return near or (said[0] if said and os.path.isabs(said[0]) else None)

    def _first_words(self, handle: Handle, order: list[str]) -> Iterator[str]:
        for record in self._of_store(handle, order, [], range(min(len(order), 4))):
            for piece in self.pieces(record.data, handle):
                if piece.what == "injected":
                    yield piece.text[:20_000]

    def _row_of_editor(self, handle: Handle) -> Session:
        with self._databases.open(handle.path) as connection:
            chat = editor.composer(connection, handle.key)
            listed = editor.head(connection, handle.key)
        if chat is None:
            raise SourceError("the chat is no longer in the database, or damaged")
        chat = {**listed, **{name: value for name, value in chat.items() if value is not None}}
        count = editor.length(chat)
        head, tail = Assembly(), Assembly()
        first = list(self._of_editor(handle, [], range(min(count, 4))))
        self._take_all(head, first, handle)
        self._take_all(tail, self._of_editor(handle, [], range(max(0, count - 4), count)), handle)
        row = session(handle, head, tail, whole=False)
        named = one_line(string(chat.get("name")))
        cwd = self._folder_of(handle, chat, first)
        parent = handle.parent or string(mapping(chat.get("subagentInfo")).get("parentComposerId")) or None
        tail_of = _tail(string(chat.get("status")), row)
        return row._replace(
            title=named or row.title, title_from="ai" if named else row.title_from, cwd=cwd, project=project_of(cwd) if cwd else "",
            branch=_branch(chat), created=parse_time(chat.get("createdAt")) or row.created,
            updated=parse_time(chat.get("lastUpdatedAt")) or row.updated or parse_time(chat.get("createdAt")),
            model=row.model or one_line(string(mapping(chat.get("modelConfig")).get("modelName")), 80) or None,
            tail=tail_of[0], tail_why=tail_of[1], parent=parent, size=0, archived=bool(chat.get("isArchived")),
            origin="subagent" if handle.hidden == "subagent" else "interactive",
            hidden=handle.hidden or ("archived" if chat.get("isArchived") else "" if head.builder.blocks or tail.builder.blocks else "empty"),
            facts={**row.facts, "place": "editor", "no_resume": EDITOR_ONLY, **_facts(chat)},
        )  # fmt: skip

    def _folder_of(self, handle: Handle, chat: Data, first: list[Record]) -> str | None:
        address = mapping(mapping(chat.get("workspaceIdentifier")).get("uri"))
        found = string(address.get("fsPath")) or places.path_of(string(address.get("external")))
        for record in first:
            bubble = mapping(record.data.get("bubble"))
            uris = bubble.get("workspaceUris")
            said = [string(bubble.get("workspaceProjectDir")), *(uri for uri in (uris if isinstance(uris, list) else ()) if isinstance(uri, str))]
            found = found or next((path for address in said if (path := places.path_of(address))), "")
        return found or self._listed_folders(handle).get(handle.key) or None

    def _listed_folders(self, handle: Handle) -> dict[str, str]:
        """The directory of each chat that a workspace lists; the lists are read once until a workspace is added."""
        user = os.path.dirname(os.path.dirname(handle.path))
        try:
            now: object = os.stat(os.path.join(user, "workspaceStorage")).st_mtime_ns
        except OSError:
            return {}
        kept = self._folders.get(user)
        if kept is not None and kept[0] == now:
            return kept[1]
        found: dict[str, str] = {}
        for path, database in places.workspaces(user):
            try:
                with self._databases.open(database) as connection:
                    found.update(dict.fromkeys(editor.composers_of(connection), path))
            except (OSError, SourceError):
                continue  # that workspace's chats have no directory
        self._folders[user] = (now, found)
        return found

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
        if session.key or not session.path.endswith(".db") or session.hidden == "subagent" or not _ID.fullmatch(session.id):
            return None
        argv = ["cursor-agent", "--resume", session.id, *(["--yolo"] if options.skip_approvals else [])]
        cwd = session.resume_cwd or session.cwd
        warnings = []
        if cwd is None:
            warnings.append("Cursor finds a chat only from its workspace, which is not known")
        if options.fork:
            warnings.append("Cursor cannot fork a chat; this goes on with the chat itself")
        return Resume(tuple(argv), cwd, tuple(warnings))


def _database_of(user: str) -> str:
    return os.path.join(user, "globalStorage", "state.vscdb")


def _project_folder(transcript: str) -> str:
    """The name of the project's folder above a transcript; "" when it lies elsewhere."""
    parts = transcript.split(os.sep)
    if "agent-transcripts" not in parts:
        return ""
    at = len(parts) - 1 - parts[::-1].index("agent-transcripts")
    return parts[at - 1] if at else ""


def _tail(status: str, row: Session) -> tuple[str, str]:
    if status == "aborted":
        return "interrupted", "stopped by the person"
    if status == "generating":
        return "working", "the editor was writing an answer"
    return row.tail, row.tail_why


def _branch(chat: Data) -> str | None:
    for repository in items(chat.get("trackedGitRepos")):
        for branch in items(repository.get("branches")):
            if name := one_line(string(branch.get("branchName")), 120):
                return name
    return None


def _facts(chat: Data) -> dict[str, object]:
    found = {
        "mode": one_line(string(chat.get("unifiedMode")), 40),
        "lines_added": chat.get("totalLinesAdded"),
        "lines_removed": chat.get("totalLinesRemoved"),
        "context_tokens": chat.get("contextTokensUsed"),
    }
    return {name: value for name, value in found.items() if isinstance(value, int | str) and value}
