"""A row a session, checked by size, time and inode: an unchanged history costs a scan and a compare.

Rows hold what a source said of a session (`summarise`), packed, and beside it what only the whole list shows: why it is
hidden, its lineage, its subagents (`Derived`). A view may leave what it made of a row there too (`line`), so that
unchanged rows are written out without being unpacked. All methods raise sqlite3.Error; whoever calls decides to go on
without.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from typing import Any
from zlib import crc32

from sessionbrowser import __version__
from sessionbrowser.index.rows import (
    Derived,
    Identity,
    Kin,
    Row,
    columns,
    pack,
    read_handle,
    read_kin,
    read_row,
    unpack,
)
from sessionbrowser.index.store import Part, connect, ensure
from sessionbrowser.model import Handle, Root, Session
from sessionbrowser.paths import Environment
from sessionbrowser.undo import OrUndo

State = tuple[str, str, str, int, int, int]  # source, path, key, size, mtime_ns, inode

_SHAPE = 5
PART = Part(
    "catalogue",
    crc32(f"{_SHAPE} {__version__} {Session._fields}".encode()),
    """
    create table session (
        number integer primary key, source text not null, path text not null, key text not null,
        size integer not null, mtime_ns integer not null, inode integer not null,
        root text not null, label text not null, live integer not null,
        id text not null, parent text not null, given text not null,
        updated real, created real, tokens integer,
        first text, last_prompt text, own_prompt integer, forked_from text, mirrors text, own_hidden text not null,
        own_subagents integer, damaged integer not null, hidden text not null, lineage text, specstory text, subagents integer,
        unique (source, path, key)
    );
    create index session_id on session (id);
    create index session_parent on session (parent);
    create index session_first on session (first);
    create index session_forked on session (forked_from);
    create index session_mirrors on session (mirrors);
    create index session_inode on session (inode);
    create index session_hidden on session (source, root, hidden);
    create index session_shown on session (hidden, updated);
    create table packed (number integer primary key, data blob not null);
    create table folder (root text, path text, mtime_ns integer, primary key (root, path)) without rowid;
    create table note (name text primary key, value blob) without rowid;
    create table line (number integer primary key, version text, data blob);
    create table answer (name text primary key, generation integer, fingerprint blob, body blob)
    """,
    ("session", "packed", "folder", "note", "line", "answer"),
)

_HANDLE = "source, root, label, live, path, key, id, size, mtime_ns, inode, given, parent"
_DERIVED = "hidden, lineage, specstory, subagents"
_NUMBER = "(select number from session where source = ? and path = ? and key = ?)"
_ANSWERS = 4
_PIECE = 64 << 10  # bytes
_VISIBLE = "and hidden = ''"
_KIN = (
    "source, path, key, id, parent, live, size, mtime_ns, inode, updated, own_hidden, first, last_prompt, own_prompt,"
    f" forked_from, mirrors, own_subagents, {_DERIVED}"
)
_STATE = "source, path, key, size, mtime_ns, inode"
_PUT = """
insert into session (source, path, key, size, mtime_ns, inode, root, label, live, id, parent, given, updated, created,
    tokens, first, last_prompt, own_prompt, forked_from, mirrors, own_hidden, own_subagents, damaged, hidden,
    lineage, specstory, subagents)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (source, path, key) do update set size = excluded.size, mtime_ns = excluded.mtime_ns,
    inode = excluded.inode, root = excluded.root, label = excluded.label, live = excluded.live, id = excluded.id,
    parent = excluded.parent, given = excluded.given, updated = excluded.updated, created = excluded.created,
    tokens = excluded.tokens, first = excluded.first, last_prompt = excluded.last_prompt,
    own_prompt = excluded.own_prompt, forked_from = excluded.forked_from, mirrors = excluded.mirrors,
    own_hidden = excluded.own_hidden, own_subagents = excluded.own_subagents, damaged = excluded.damaged, hidden = excluded.hidden,
    lineage = excluded.lineage, specstory = excluded.specstory, subagents = excluded.subagents
returning number
"""


class Catalogue:
    """The rows of the cache, for the thread that opened it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    @classmethod
    def in_memory(cls, copy_of: Catalogue | None = None) -> Catalogue:
        """A catalogue that lives as long as its owner, for where no file can be used; rows of `copy_of` go on in it."""
        import weakref

        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        if copy_of is not None:
            try:
                copy_of.connection.backup(connection)
            except sqlite3.Error:
                connection.close()
                return cls.in_memory()
        ensure(connection, PART)
        made = cls(connection)
        weakref.finalize(made, connection.close)
        return made

    @classmethod
    def open(cls, env: Environment) -> Catalogue:
        """The catalogue with its tables there. Raises NoCache, sqlite3.Error."""
        connection = connect(env)
        with OrUndo(connection.close):
            ensure(connection, PART)
        return cls(connection)

    def close(self) -> None:
        self.connection.close()

    # ── reading ──

    def states(self, root: Root) -> set[State]:
        """What the rows below `root` were made from."""
        found: set[State] = set(
            self.connection.execute(
                f"select {_STATE} from session where +source = ? and +root = ?", (root.source, root.path)
            )
        )
        return found

    def rows(self, roots: Sequence[Root], *, limit: int = -1, visible: bool = False) -> Iterator[Row]:
        """Rows of `roots`, newest first."""
        cursor = self.connection.execute(
            f"select {_HANDLE}, {_DERIVED}, data from session join packed using (number)"
            f" where {_within(roots)} {_VISIBLE if visible else ''}"
            " order by updated desc limit ?",
            (*_pairs(roots), limit),
        )
        return map(read_row, cursor)

    def row(self, identity: Identity) -> Row | None:
        """The row of one session, None when there is none."""
        found = self._one(identity)
        return read_row(found) if found else None

    def _one(self, identity: Identity) -> tuple[Any, ...] | None:
        if not is_text(identity):
            return None
        found: tuple[Any, ...] | None = self.connection.execute(
            f"select {_HANDLE}, {_DERIVED}, data from session join packed using (number)"
            " where source = ? and path = ? and key = ?",
            identity,
        ).fetchone()
        return found

    def said(self, identity: Identity) -> tuple[Handle, Session] | None:
        """The handle and what the source itself said of it, nothing derived: where reading goes on."""
        found = self._one(identity)
        return (read_row(found).handle, unpack(found[-1])) if found else None

    def kin(self, roots: Sequence[Root]) -> list[Kin]:
        """What lineage is worked out from, of every row of `roots`."""
        cursor = self.connection.execute(f"select {_KIN} from session where {_within(roots)}", _pairs(roots))
        return [read_kin(row) for row in cursor]

    def kin_near(self, roots: Sequence[Root], identities: Iterable[Identity]) -> list[Kin]:
        """The same of everything that `identities` are related to, however far: copies, forks, subagents, renderings."""
        found: dict[Identity, Kin] = {}
        for identity in filter(is_text, identities):
            row = self.connection.execute(
                f"select {_KIN} from session where source = ? and path = ? and key = ?", identity
            ).fetchone()
            if row:
                found[identity] = read_kin(row)
        names: set[str] = set()
        inodes: set[int] = set()
        while True:
            more = {name for one in found.values() for name in (one.id, one.first, one.forked_from, one.mirrors, one.parent) if name}
            others = {one.inode for one in found.values() if one.inode}
            if more <= names and others <= inodes:
                return list(found.values())
            names, inodes = names | more, inodes | others
            for column in ("id", "parent", "first", "forked_from", "mirrors", "inode"):
                values = list(inodes if column == "inode" else names)
                marks = ",".join("?" * len(values))
                cursor = self.connection.execute(
                    f"select {_KIN} from session where {_within(roots)} and {column} in ({marks})", (*_pairs(roots), *values)
                )
                found.update({kin.identity: kin for kin in map(read_kin, cursor)})

    def handles(self, where: str, values: Sequence[object]) -> list[Handle]:
        """The handles of rows for which a condition of SQL holds, newest first."""
        cursor = self.connection.execute(f"select {_HANDLE} from session where {where} order by updated desc", tuple(values))
        return [read_handle(found) for found in cursor]

    def named(self, roots: Sequence[Root], prefix: str) -> list[Row]:
        """Rows whose id begins with `prefix`, newest first."""
        cursor = self.connection.execute(
            f"select {_HANDLE}, {_DERIVED}, data from session join packed using (number)"
            f" where {_within(roots)} and id >= ? and id < ? order by updated desc",
            (*_pairs(roots), prefix, prefix + "\U0010ffff"),
        )
        return [read_row(found) for found in cursor]

    def hidden(self, roots: Sequence[Root]) -> dict[str, int]:
        """How many rows are hidden, by reason; "" for those that are not."""
        counts: dict[str, int] = {}
        for root in roots:
            for hidden, count in self.connection.execute(
                "select hidden, count(*) from session where source = ? and root = ? group by hidden", (root.source, root.path)
            ):
                counts[hidden] = counts.get(hidden, 0) + count
        return counts

    def damaged(self, roots: Sequence[Root]) -> int:
        """How many lines or whole files of `roots` could not be read."""
        found = self.connection.execute(f"select sum(damaged) from session where {_within(roots)}", _pairs(roots))
        return int(found.fetchone()[0] or 0)

    def unreadable(self, roots: Sequence[Root]) -> list[Session]:
        """The sessions of `roots` whose files could not be read at all, newest first."""
        found = self.connection.execute(
            f"select data from session join packed using (number) where {_within(roots)} and damaged > 0 order by updated desc", _pairs(roots)
        )
        return [session for (data,) in found if (session := unpack(data)).unreadable]

    # ── writing ──

    def put(self, rows: Iterable[tuple[Handle, Session]]) -> list[tuple[Handle, Session]]:
        """Keep `rows` in one transaction; returns those that can't be kept (names SQLite has no text for).

        Derived values start as what the session itself says, until `derive` corrects them.
        """
        refused = []
        kept = []
        with _Transaction(self.connection, rows=True):
            for handle, session in rows:
                try:
                    data = pack(session)
                    (number,) = self.connection.execute(_PUT, columns(handle, session)).fetchone()
                except (TypeError, UnicodeEncodeError):
                    refused.append((handle, session))
                    continue
                kept.append((number, data))
            self.connection.executemany("insert or replace into packed values (?, ?)", kept)
            self.connection.executemany("delete from line where number = ?", [(number,) for number, _ in kept])
        return refused

    def amend(self, identity: Identity, change: Callable[[Session], Session]) -> None:
        """Change a row by what the whole of its unchanged file gave. Nothing happens when the row is gone."""
        found = self.connection.execute(
            "select number, data, subagents from session join packed using (number) where source = ? and path = ? and key = ?", identity
        ).fetchone()
        if found is None:
            return
        number, data, subagents = found
        session = change(unpack(data)._replace(subagents=subagents))
        tokens = session.tokens.total if session.tokens else None
        with _Transaction(self.connection, rows=True):
            self.connection.execute(
                "update session set tokens = ?, damaged = ?, own_subagents = ?, subagents = ? where number = ?",
                (tokens, session.damaged_lines, session.subagents, session.subagents, number),
            )
            self.connection.execute("update packed set data = ? where number = ?", (pack(session), number))
            self.connection.execute("delete from line where number = ?", (number,))

    def derive(self, changes: Iterable[tuple[Identity, Derived]]) -> None:
        """Keep what was worked out over the whole list; lines made of these rows are forgotten."""
        with _Transaction(self.connection, rows=True):
            for identity, derived in changes:
                self.connection.execute(
                    "update session set hidden = ?, lineage = ?, specstory = ?, subagents = ?"
                    " where source = ? and path = ? and key = ?",
                    (*derived, *identity),
                )
                self.connection.execute(f"delete from line where number = {_NUMBER}", identity)

    def forget(self, identities: Iterable[Identity]) -> None:
        """Drop the rows of sessions that went away."""
        with _Transaction(self.connection, rows=True):
            for identity in filter(is_text, identities):
                for table in ("packed", "line"):
                    self.connection.execute(f"delete from {table} where number = {_NUMBER}", identity)
                self.connection.execute("delete from session where source = ? and path = ? and key = ?", identity)

    # ── what a view made of rows ──

    def lines(self, roots: Sequence[Root], version: str, order: str, *, every: bool) -> list[tuple[int, str, bytes | None]]:
        """(number, id, line or None) of rows, hidden ones only when `every`; `order` is a key of ORDERS."""
        found = self.connection.execute(
            f"select {ORDERS[order]}, session.number, id, data from session left join line"
            f" on line.number = session.number and version = ? where {_within(roots)} {'' if every else _VISIBLE}",
            (version, *_pairs(roots)),
        ).fetchall()
        found.sort(key=_place)  # SQLite would carry the lines through its sorter
        return [row[1:] for row in found]

    def numbered(self, numbers: Sequence[int]) -> Iterator[tuple[int, Row]]:
        """Rows by their numbers."""
        for number in numbers:
            found = self.connection.execute(
                f"select {_HANDLE}, {_DERIVED}, data from session join packed using (number) where number = ?", (number,)
            ).fetchone()
            if found:
                yield number, read_row(found)

    def keep_lines(self, lines: Iterable[tuple[int, str, bytes]]) -> None:
        """Keep (number, version, line) for the next time."""
        with _Transaction(self.connection):
            self.connection.executemany("insert or replace into line values (?, ?, ?)", lines)

    def generation(self) -> int:
        """A number that grows whenever rows change."""
        return int(str(self.note("generation") or 0))

    def answer(self, name: str, fingerprint: bytes) -> Iterator[bytes] | None:
        """What was kept under `name` for the same fingerprint, in pieces, as long as no row changed since; else None."""
        found = self.connection.execute(
            "select rowid from answer where name = ? and generation = ? and fingerprint = ?", (name, self.generation(), fingerprint)
        ).fetchone()
        if not found:
            return None
        pieces = self._pieces_of_answer(found[0])
        (journal,) = self.connection.execute("pragma journal_mode").fetchone()
        return pieces if journal in ("wal", "memory") else iter(list(pieces))  # who reads would keep who writes waiting

    def _pieces_of_answer(self, row: int) -> Iterator[bytes]:
        with self.connection.blobopen("answer", "body", row, readonly=True) as body:
            while piece := body.read(_PIECE):  # a long list has ten megabytes, and SQLite would hold as many again
                yield piece

    def keep_answer(self, name: str, fingerprint: bytes, generation: int, body: bytes) -> None:
        """Keep a whole answer made of rows of `generation`; of many only the last ones are kept."""
        with _Transaction(self.connection):
            self.connection.execute("insert or replace into answer values (?, ?, ?, ?)", (name, generation, fingerprint, body))
            self.connection.execute(
                "delete from answer where rowid not in (select rowid from answer order by rowid desc limit ?)", (_ANSWERS,)
            )

    # ── folders and notes ──

    def folders(self, root: Root) -> dict[str, int]:
        """Folders below `root` that hold only subagents, with the mtime (ns) they had when they were last entered."""
        return dict(self.connection.execute("select path, mtime_ns from folder where root = ?", (_name(root),)))

    def keep_folders(self, root: Root, folders: Iterable[tuple[str, int]]) -> None:
        with _Transaction(self.connection):
            self.connection.execute("delete from folder where root = ?", (_name(root),))
            self.connection.executemany(
                "insert or replace into folder values (?, ?, ?)", ((_name(root), *item) for item in folders)
            )

    def note(self, name: str) -> object:
        """A value kept under a name, None when there is none."""
        found = self.connection.execute("select value from note where name = ?", (name,)).fetchone()
        return json.loads(found[0]) if found else None

    def keep_note(self, name: str, value: object) -> None:
        self.connection.execute("insert or replace into note values (?, ?)", (name, json.dumps(value, ensure_ascii=False)))


ORDERS = {"activity": "updated", "created": "created", "size": "size", "tokens": "tokens"}


def _place(row: tuple[Any, ...]) -> tuple[float, int]:
    """Where a row of `lines` belongs: the greatest first, those without a value last."""
    return (-row[0] if row[0] is not None else inf, row[1])


class _Transaction:
    """Everything inside or nothing, taking the writer's turn at once."""

    def __init__(self, connection: sqlite3.Connection, *, rows: bool = False) -> None:
        self.connection = connection
        self.rows = rows  # whether rows change: what was made of them all no longer holds

    def __enter__(self) -> None:
        self.connection.execute("begin immediate")
        if self.rows:
            self.connection.execute(
                "insert into note values ('generation', '1')"
                " on conflict (name) do update set value = cast(cast(value as integer) + 1 as text)"
            )

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self.connection.in_transaction:
            self.connection.execute("commit" if kind is None else "rollback")


def is_text(identity: Identity) -> bool:
    """Whether SQLite has text for an identity; names of files may be no Unicode."""
    try:
        "".join(identity).encode()
    except UnicodeEncodeError:
        return False
    return True


def _within(roots: Sequence[Root]) -> str:
    """The rows of some roots. Most rows of a table are: the signs keep SQLite from looking each up in an index."""
    return "(" + (" or ".join(["(+source = ? and +root = ?)"] * len(roots)) or "0") + ")"


def _pairs(roots: Sequence[Root]) -> list[str]:
    return [value for root in roots for value in (root.source, root.path)]


def _name(root: Root) -> str:
    return f"{root.source} {root.path}"
