"""The words of every conversation: a contentless FTS5 table whose row ids lead to their place in a file.

A row id is the session's number, the place in its file and the kind of text in one integer, so that a hit needs no
look-up to be read again, and the text itself is kept nowhere. Rows of sessions that went away (or were rewritten)
have a number that nobody has any more; they are passed over, and the table is built anew when they are many.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from sys import intern
from typing import NamedTuple

import orjson

from sessionbrowser.index.catalogue import is_text
from sessionbrowser.index.store import Part, connect, ensure
from sessionbrowser.model import Handle, Root
from sessionbrowser.paths import Environment
from sessionbrowser.sources.base import SourceError
from sessionbrowser.undo import OrUndo

Identity = tuple[str, str, str]

SESSION_BITS, KIND_BITS = 43, 3
KINDS = ("prompt", "text", "thinking", "tool")
INDEXED_KINDS = frozenset((0, 1, 2))  # tool text is in no index
FIRST_NUMBER = 1 << 19
DEAD_SHARE = 0.25  # of the rows: more of them dead, and the index is built anew
DEAD_LEAST = 500
DEAD_LONGEST = 86400.0  # seconds that words of sessions which went away may stay: a build takes seconds, in the background
# What reading one session may fail with. A source's mistake about one of them must cost that one, not the index.
TROUBLE = (OSError, SourceError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
BULK_HASH, SMALL_HASH = 64 << 20, 1 << 20  # bytes FTS5 collects before it writes
PIECES_MOST = 1000  # from so many on FTS5 merges all of them at once, which locks others out for seconds

PART = Part(
    "text",
    2,
    """
    create table text_session (
        number integer primary key, source text not null, path text not null, key text not null,
        root text not null, label text not null, live integer not null, id text not null, parent text not null,
        size integer not null, mtime_ns integer not null, inode integer not null,
        last integer not null, seal integer not null, done integer not null, rows integer not null,
        opening integer not null, excluded integer not null,
        unique (source, path, key)
    );
    create table text_note (name text primary key, value blob) without rowid;
    create virtual table text_words using fts5(words, content='', tokenize='unicode61 remove_diacritics 2')
    """,
    ("text_session", "text_note", "text_words"),
)
_COLUMNS = (
    "number, source, path, key, root, label, live, id, parent, size, mtime_ns, inode, last, seal, done, rows, opening, excluded"
)


class Entry(NamedTuple):
    """What is known of one session's text: how far it was read, and from which state of its file."""

    number: int
    source: str
    path: str  # raw
    key: str
    root: str  # raw
    label: str
    live: int
    id: str  # raw
    parent: str  # raw
    size: int
    mtime_ns: int
    inode: int
    last: int = -1  # start of the last passage that was read
    seal: int = 0  # checksum of the bytes there: another value means another file
    done: int = 0  # read to the end of that state
    rows: int = 0
    opening: int = 0  # checksum of the first passage: sessions that share it share history
    excluded: int = 0  # kept out by the configuration

    @property
    def identity(self) -> Identity:
        return (self.source, self.path, self.key)

    @property
    def handle(self) -> Handle:
        """What its source needs to read it again."""
        root = Root(self.source, self.root, self.label, bool(self.live))
        return Handle(self.source, root, self.path, self.key, self.id, self.size, self.mtime_ns, self.inode, "", self.parent)

    def is_fresh(self, handle: Handle) -> bool:
        """Whether everything of the file as it is now was read."""
        return bool(self.done) and (self.size, self.mtime_ns, self.inode) == handle[5:8]


class State(NamedTuple):
    """How far the index is."""

    sessions: int = 0
    done: int = 0  # of the sessions that are being read now
    total: int = 0
    working: bool = False
    rows: int = 0
    dead: int = 0
    bytes: int = 0


def grows(handle: Handle) -> bool:
    """Whether the session is a file of lines that its agent only appends to."""
    return not handle.key and handle.path.endswith(".jsonl")


def new_entry(number: int, handle: Handle) -> Entry:
    """An entry of which nothing was read yet."""
    root = handle.root
    return Entry(number, handle.source, handle.path, handle.key, root.path, root.label, int(root.live), handle.id, handle.parent,
                 handle.size, handle.mtime_ns, handle.inode)  # fmt: skip


def rowid(number: int, start: int, kind: int) -> int:
    """The row id of a passage."""
    return number << SESSION_BITS | start << KIND_BITS | kind


def place(row: int) -> tuple[int, int, int]:
    """(session number, start, kind) of a row id."""
    return row >> SESSION_BITS, (row & ((1 << SESSION_BITS) - 1)) >> KIND_BITS, row & ((1 << KIND_BITS) - 1)


class FullText:
    """The tables of the full text, for the thread that opened them. Methods raise sqlite3.Error."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    @classmethod
    def open(cls, env: Environment) -> FullText:
        """The full text with its tables there. Raises NoCache, sqlite3.Error."""
        connection = connect(env)
        with OrUndo(connection.close):
            ensure(connection, PART)
        return cls(connection)

    def close(self) -> None:
        self.connection.close()

    # ── reading ──

    def entries(self) -> dict[Identity, Entry]:
        """Every session that was read, by identity."""
        rows = self.connection.execute(f"select {_COLUMNS} from text_session")
        found: dict[Identity, Entry] = {}
        for number, source, path, key, root, label, *rest in rows:
            if type(path) is bytes:
                path, key, root, label, *rest = (_read_back(value) for value in (path, key, root, label, *rest))
            source = intern(source)  # of few sources and roots each: they share one text
            found[source, path, key] = Entry(number, source, path, key, intern(root), intern(label), *rest)
        return found

    def version(self) -> int:
        """A number that changes when another process wrote."""
        (number,) = self.connection.execute("pragma data_version").fetchone()
        return int(number)

    def rows(self, expression: str, kinds: Iterable[int]) -> list[int]:
        """The row ids at which `expression` matches, ascending."""
        sql = f"select group_concat(rowid) from text_words where text_words match ? {_of(kinds)}"
        (found,) = self.connection.execute(sql, (expression,)).fetchone()
        rows: list[int] = orjson.loads(f"[{found or ''}]")  # in half the time that a tuple for each would take
        return rows

    def prompts(self, number: int) -> list[int]:
        """Where in the file of a session its prompts begin, ascending."""
        sql = f"select id from text_words_docsize where id >= ? and id < ? and id & {(1 << KIND_BITS) - 1} = 0"
        span = (number << SESSION_BITS, (number + 1) << SESSION_BITS)
        return [place(row)[1] for (row,) in self.connection.execute(sql, span)]

    def note(self, name: str) -> object:
        found = self.connection.execute("select value from text_note where name = ?", (name,)).fetchone()
        return orjson.loads(found[0]) if found else None

    def count(self) -> tuple[int, int]:
        """Rows that belong to sessions, and dead ones."""
        (rows,) = self.connection.execute("select coalesce(sum(rows), 0) from text_session").fetchone()
        dead = self.note("dead")
        return int(rows), dead if isinstance(dead, int) else 0

    # ── writing, inside a transaction of the caller ──

    def begin(self) -> None:
        self.connection.execute("begin immediate")

    def commit(self) -> None:
        self.connection.execute("commit")

    def keep_note(self, name: str, value: object) -> None:
        self.connection.execute("insert or replace into text_note values (?, ?)", (name, orjson.dumps(value)))

    def keep(self, entries: Iterable[Entry]) -> None:
        """Write how far sessions were read."""
        marks = ", ".join("?" * len(Entry._fields))
        self.connection.executemany(f"insert or replace into text_session ({_COLUMNS}) values ({marks})", map(_storable, entries))

    def add(self, rows: Iterable[tuple[int, str]]) -> None:
        """Put texts under their row ids, which had better ascend."""
        self.connection.executemany("insert into text_words (rowid, words) values (?, ?)", rows)

    def forget(self, entries: Iterable[Entry]) -> None:
        """Drop sessions; their words are dead rows from now on."""
        gone = list(entries)
        self.connection.executemany("delete from text_session where number = ?", [(entry.number,) for entry in gone])
        self.keep_note("dead", self.count()[1] + sum(entry.rows for entry in gone))

    def clear(self) -> None:
        """Forget every word."""
        self.connection.execute("insert into text_words (text_words) values ('delete-all')")
        self.connection.execute("delete from text_session")
        self.connection.execute("delete from text_note")

    def tune(self, *, bulk: bool) -> None:
        """What FTS5 collects before it writes: more for a bulk build. It merges what it wrote only when told to (`merge`)."""
        for name, value in {"hashsize": BULK_HASH if bulk else SMALL_HASH, "automerge": 0, "crisismerge": PIECES_MOST}.items():
            self.connection.execute("insert into text_words (text_words, rank) values (?, ?)", (name, value))

    def merge(self, pages: int = 200) -> None:
        """Put together a little of the pieces that commits leave.

        Dozens of them cost a search nothing; to put all of a bulk build together would cost as much again as building it.
        """
        self.connection.execute("insert into text_words (text_words, rank) values ('merge', ?)", (pages,))


def _storable(entry: Entry) -> tuple[object, ...]:
    """The values of an entry; its texts as bytes where SQLite has no text for them: names of files may be no Unicode."""
    if is_text((entry.path, entry.key, entry.root + entry.label + entry.id + entry.parent)):
        return entry
    number, source, *rest = entry
    return (number, source, *(value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value for value in rest))


def _read_back(value: object) -> object:
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def _of(kinds: Iterable[int]) -> str:
    wanted = sorted(set(kinds))
    return "" if set(wanted) >= INDEXED_KINDS else f"and rowid & {(1 << KIND_BITS) - 1} in ({', '.join(map(str, wanted))})"
