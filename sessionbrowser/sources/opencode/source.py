"""The OpenCode source: where its stores are, rows, outlines, subagents and the way back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from sessionbrowser.model import (
    Block,
    Body,
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
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.lazy import lazily
from sessionbrowser.sources.numbered import Record, RecordSource, load
from sessionbrowser.sources.opencode import database, golang, later, tree
from sessionbrowser.sources.pieces import Assembly, Piece, items, mapping, session, string
from sessionbrowser.sources.sqlite import Databases, Row, stamp
from sessionbrowser.text import one_line, parse_time

if TYPE_CHECKING:
    from sessionbrowser.sources.opencode import messages
else:
    (messages,) = lazily("sessionbrowser.sources.opencode", "messages")

Data = Mapping[str, object]

_UNNAMED = ("New session - ", "Child session - ")
_RUN = {"question", "plan_enter", "plan_exit"}  # what `opencode run` denies in the sessions it makes


class OpenCode(RecordSource):
    """OpenCode's sessions, in whichever of its stores they are."""

    name = "opencode"
    tag = "oc"
    label = "OpenCode"
    program = "opencode"
    tells = ("models", "permission modes", "skills")

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._databases = Databases()

    # ── places ──

    def roots(self) -> list[Root]:
        home = os.path.join(self.environment.data_home(), "opencode")
        named = self._named_database(home)
        places = [home, *([named] if named else [])]
        places += [os.path.join(folder, ".opencode", "opencode.db") for folder in _upwards(self.environment.cwd)]
        found: dict[str, Root] = {}
        for place in places:
            inside = os.path.dirname(place) == home and place in _database_files(home)
            if os.path.exists(place) and not inside:
                found.setdefault(os.path.realpath(place), Root(self.name, place))
        return list(found.values())

    def _named_database(self, home: str) -> str:
        """The database a variable names, by its path or by its name in OpenCode's folder."""
        named = self.environment.get("OPENCODE_DB")
        return os.path.normpath(os.path.join(home, self.environment.expand(named) if named[:1] == "~" else named)) if named else ""

    def root_at(self, path: str, label: str) -> Root | None:
        if os.path.isfile(path):
            return Root(self.name, path, label, False) if self._is_database(path) else None
        for inside in ("", "opencode", ".opencode", os.path.join(".local", "share", "opencode")):
            folder = os.path.join(path, inside) if inside else path
            if tree.has_sessions(folder) or any(self._is_database(file) for file in _database_files(folder)):
                return Root(self.name, folder, label, False)
        return None

    def _is_database(self, path: str) -> bool:
        from sessionbrowser.sources.sqlite import columns

        if not path.endswith(".db") or not _begins_like_sqlite(path):
            return False
        named = os.path.basename(path).startswith("opencode")  # Crush, its successor, has the old program's tables
        try:
            with self._databases.open(path) as connection:
                return bool(columns(connection, "part")) or (named and golang.is_one(connection))
        except (OSError, SourceError):
            return named

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        known: set[str] = set()
        files = [root.path] if os.path.isfile(root.path) else _database_files(root.path)
        for path in files:
            for found in self._in_database(root, path):
                if isinstance(found, Handle):
                    known.add(found.id)
                yield found
        if os.path.isfile(root.path):
            return
        try:
            os.scandir(root.path).close()
        except OSError as problem:
            yield Unreadable(self.name, root.path, one_line(problem.strerror or str(problem)))
            return
        for entry, _later in tree.session_files(root.path):
            identity = os.path.splitext(entry.name)[0]
            if identity in known:
                yield SetAside(self.name, entry.path, "also in the database")
                continue
            try:
                yield self._tree_handle(root, entry.path, identity)
            except OSError as problem:
                yield Unreadable(self.name, entry.path, one_line(problem.strerror or str(problem)))

    def _tree_handle(self, root: Root, path: str, identity: str) -> Handle:
        """A session of a tree; its messages are added, and the newest is completed, without its own file always changing."""
        found = os.stat(path)
        changed = found.st_mtime_ns
        folder, name = os.path.split(path)
        inside = os.path.dirname(folder) if os.path.basename(folder) == "info" else os.path.dirname(os.path.dirname(folder))
        try:
            said = os.path.join(inside, "message", os.path.splitext(name)[0])
            newest = max(os.listdir(said), default="")
            changed = max(changed, os.stat(said).st_mtime_ns, os.stat(os.path.join(said, newest)).st_mtime_ns)
        except OSError:
            pass  # no message yet
        return Handle(self.name, root, path, "", identity, found.st_size, changed, found.st_ino)

    def _in_database(self, root: Root, path: str) -> Iterator[Handle | Unreadable]:
        rows: list[Row] = []
        active: dict[str, tuple[int, int]] = {}
        inode = 0
        try:
            inode = stamp(path).inode
            with self._databases.open(path) as connection:
                if golang.is_one(connection):
                    yield from golang.handles(self.name, root, path, inode, connection)
                    return
                rows += database.heads(connection)
                active = database.activity(connection)
        except (OSError, SourceError) as problem:  # sessions found before damage was met are listed
            yield Unreadable(self.name, path, one_line(str(problem)))
        every = {string(row["id"]) for row in rows}
        for row in rows:
            identity, parent = string(row["id"]), string(row["parent_id"])
            if not identity:
                continue
            count, changed = active.get(identity, (0, 0))
            own = row["time_updated"]
            millis = max(changed, own if isinstance(own, int) else 0)
            child = "subagent" if parent in every else ""
            archived = "archived" if row["time_archived"] else ""
            moment = millis * 1_000_000 + bool(archived)  # so that archiving alone is a change
            yield Handle(self.name, root, path, identity, identity, count, moment, inode, child or archived, parent)

    # ── records ──

    def mark(self, handle: Handle) -> object:
        if _in_database(handle):
            return stamp(handle.path)
        place = tree.tree_of(handle.path)
        found = os.stat(handle.path)
        newest = tree.message_names(place)[-1:]
        return found.st_mtime_ns, found.st_size, *(_newest_change(path, place) for path in newest), len(tree.message_names(place))

    def records(self, handle: Handle, damage: list[Damage]) -> Iterator[Record]:
        revert = string(mapping(self._info(handle).get("revert")).get("messageID"))
        rewound = False
        for number, data in self._messages(handle, damage):
            rewound = rewound or (bool(revert) and data.get("id") == revert)
            yield Record(number, {**data, "child": bool(handle.parent)}, int(rewound))

    def _messages(self, handle: Handle, damage: list[Damage]) -> Iterator[tuple[int, Data]]:
        if not _in_database(handle):
            place = tree.tree_of(handle.path)
            found = [tree.message(place, path, damage) for path in tree.message_names(place)]
            yield from enumerate(tree.ordered([data for data in found if data is not None]))
            return
        with self._databases.open(handle.path) as connection:
            if golang.is_one(connection):
                yield from golang.messages(connection, handle.key)
                return
            yield from _sound(database.messages(connection, handle.key), damage)

    def record_at(self, handle: Handle, number: int) -> Data | None:
        if _in_database(handle):
            with self._databases.open(handle.path) as connection:
                if not golang.is_one(connection):
                    found = database.messages(connection, handle.key, start=number, limit=1)
                    return next((data for _, data, _ in found if data is not None), None)
        return next((data for at, data in self._messages(handle, []) if at == number), None)

    def pieces(self, data: Data, handle: Handle) -> Iterator[Piece]:
        if "go" in data:
            return golang.pieces(data)
        if "later" in data:
            return later.pieces(data)
        return messages.pieces(data if "child" in data else {**data, "child": bool(handle.parent)})

    def body(self, handle: Handle, block: Block) -> Body:
        data = self.record_at(handle, block.place.start)
        if data is None or block.kind != "tool" or "parts" not in data or "go" in data:
            return super().body(handle, block)
        parts = [part for part in items(data.get("parts")) if string(part.get("id")) == block.place.part]
        from sessionbrowser.sources.bodies import body

        found = list(self.pieces({**data, "parts": parts, "alone": True}, handle))
        return body(block, found, found)

    # ── rows ──

    def _info(self, handle: Handle) -> Data:
        if not _in_database(handle):
            return load(handle.path)
        with self._databases.open(handle.path) as connection:
            if golang.is_one(connection):
                return golang.info(connection, handle.key) or {}
            found = database.info(connection, handle.key)
        if found is None:
            raise SourceError("the session is no longer in the database")
        return found

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        if not _in_database(handle):
            return self._row(handle)
        with self._databases.open(handle.path):  # once for all that follows
            return self._row(handle)

    def _row(self, handle: Handle) -> Session:
        info = self._info(handle)
        parent = string(info.get("parentID"))
        handle = handle._replace(parent=handle.parent or parent)
        head, tail = Assembly(), Assembly()
        self._read_ends(handle, head, tail)
        row = session(handle, head, tail, whole=False, damaged=len(tail.builder.damage))
        return self._with_info(row, handle, info, head)

    def _read_ends(self, handle: Handle, head: Assembly, tail: Assembly) -> None:
        for number, data in self._end(handle, head.builder.damage, newest=False):
            self.take(head, Record(number, data), handle)
            if head.first:
                break
        for number, data in self._end(handle, tail.builder.damage, newest=True):
            self.take(tail, Record(number, data), handle)

    def _end(self, handle: Handle, damage: list[Damage], *, newest: bool) -> Iterator[tuple[int, Data]]:
        """The first few messages of a session one by one, or the last few: of rows that nobody said, some may stand after the answer."""
        if not _in_database(handle):
            place = tree.tree_of(handle.path)
            names = tree.message_names(place)
            found = (tree.message(place, path, damage) for path in (names[-2:] if newest else names[:8]))
            read = (data for data in found if data is not None)
            yield from enumerate(tree.ordered(list(read)) if newest else read)
            return
        with self._databases.open(handle.path) as connection:
            if golang.is_one(connection):
                every = list(golang.messages(connection, handle.key))
                yield from every[-2:] if newest else every[:8]
                return
            count = 4 if newest else 8
            yield from _sound(database.messages(connection, handle.key, limit=count, newest=newest), damage)

    def _with_info(self, row: Session, handle: Handle, info: Data, head: Assembly) -> Session:
        """The row with what the session's own record says, which goes before what its messages say."""
        times, title = mapping(info.get("time")), one_line(string(info.get("title")))
        cwd = string(info.get("directory")) or row.cwd
        usage = messages.usage_of(info.get("tokens"))
        origin = "subagent" if row.parent else "headless" if _made_by_run(info) else "interactive"
        updated = max(filter(None, (parse_time(times.get("updated")), row.updated, round(handle.mtime_ns / 1e9, 3) if _in_database(handle) else None)), default=None)
        named = bool(title) and not title.startswith(_UNNAMED)
        archived = bool(times.get("archived"))
        return row._replace(
            title=title if named else row.title if row.title_from != "id" else title or row.title,
            title_from="ai" if named else row.title_from,
            cwd=cwd, forked_from=string(info.get("forkedFrom")) or None, project=project_of(cwd) if cwd else _project_from_path(handle.path),
            created=parse_time(times.get("created")) or row.created, updated=updated,
            version=one_line(string(info.get("version")), 40) or None, origin=origin,
            model=one_line(row.model or messages.model_of(info), 80) or None, tokens=usage, archived=archived,
            hidden=handle.hidden or ("subagent" if row.parent else "archived" if archived else "empty" if head.is_empty else ""),
            size=handle.size if not _in_database(handle) else 0, facts={**row.facts, **_facts(info)},
        )  # fmt: skip

    # ── relations, and the way back ──

    def children(self, handle: Handle) -> Iterable[Handle]:
        if _in_database(handle):
            return [
                found for found in self._in_database(handle.root, handle.path)
                if isinstance(found, Handle) and found.parent == handle.id
            ]  # fmt: skip
        return [child for child in self._siblings(handle) if child.parent == handle.id]

    def _siblings(self, handle: Handle) -> Iterator[Handle]:
        """The sessions of the same project, with the parent each names."""
        with os.scandir(os.path.dirname(handle.path)) as entries:
            paths = sorted(entry.path for entry in entries if entry.name.endswith(".json") and entry.path != handle.path)
        for path in paths:
            try:
                parent = string(load(path).get("parentID"))
                found = self._tree_handle(handle.root, path, os.path.splitext(os.path.basename(path))[0])
            except (OSError, SourceError):
                continue
            yield found._replace(parent=parent, hidden="subagent" if parent else "")

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        if not handle.parent and not _in_database(handle):
            handle = handle._replace(parent=string(load(handle.path).get("parentID")))
        return super().outline(handle, since)

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        if not tree.SESSION_ID.fullmatch(session.id):
            return None
        cwd = session.cwd if session.cwd and os.path.isabs(session.cwd) else None
        argv = ["opencode", *([cwd] if cwd else []), "--session", session.id, *(["--fork"] if options.fork else [])]
        warnings = ("OpenCode asks for approvals as it is configured; it has no option to skip them",) if options.skip_approvals else ()
        return Resume(tuple(argv), cwd, warnings)


def _sound(found: Iterable[tuple[int, Data | None, str]], damage: list[Damage]) -> Iterator[tuple[int, Data]]:
    """The messages that can be read; the others are put on `damage`."""
    for number, data, key in found:
        if data is None:
            damage.append(Damage(number, f"message {one_line(key, 60)} cannot be read"))
        else:
            yield number, data


def _upwards(folder: str) -> Iterator[str]:
    """A folder and those above it."""
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _in_database(handle: Handle) -> bool:
    return bool(handle.key)


def _database_files(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                entry.path for entry in entries
                if entry.name.startswith("opencode") and entry.name.endswith(".db") and entry.is_file()
            )  # fmt: skip
    except OSError:
        return []


def _begins_like_sqlite(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def _newest_change(path: str, place: tree.Tree) -> int:
    """When the newest message or its parts last changed."""
    changed = os.stat(path).st_mtime_ns
    parts = os.path.join(place.parts, os.path.splitext(os.path.basename(path))[0])
    try:
        with os.scandir(parts) as entries:
            return max([changed, *(entry.stat().st_mtime_ns for entry in entries)])
    except OSError:
        return changed


def _made_by_run(info: Data) -> bool:
    denied = {string(rule.get("permission")) for rule in items(info.get("permission")) if rule.get("action") == "deny"}
    return denied >= _RUN and not string(info.get("parentID"))


def _project_from_path(path: str) -> str:
    """The name an early release gave a project's folder, where no directory was recorded."""
    parts = path.split(os.sep)
    return one_line(parts[-5], 80) if len(parts) > 5 and parts[-2] == "info" and parts[-5] != "global" else ""


def _facts(info: Data) -> dict[str, object]:
    """What only OpenCode says of a session."""
    cost, changed, share = info.get("cost"), mapping(info.get("summary")), string(mapping(info.get("share")).get("url"))
    tokens = mapping(info.get("tokens"))
    found: dict[str, object] = {
        "agent": one_line(string(info.get("agent")), 60),
        "slug": one_line(string(info.get("slug")), 80),
        "cost": round(cost, 6) if isinstance(cost, int | float) and cost else None,
        "reasoning_tokens": tokens.get("reasoning") or None,
        "lines_added": changed.get("additions") or None,
        "lines_removed": changed.get("deletions") or None,
        "files_changed": changed.get("files") or None,
        "shared_at": one_line(share, 200),
        "reverted": bool(mapping(info.get("revert"))) or None,
        "modes": [one_line(" ".join(map(string, map(rule.get, ("permission", "pattern", "action")))), 120) for rule in items(info.get("permission"))],
    }
    return {name: value for name, value in found.items() if value}


