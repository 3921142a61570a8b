"""Foreign databases, read so that not a byte, a time or a directory entry changes beside them.

How a database is opened depends on what lies beside it (SQLite would otherwise create or rewrite those files):

* no `-wal`, or an empty one: `immutable`, which looks at nothing but the database;
* a `-wal` and a `-shm`: the owner may be running; read along, with the `-shm` opened for reading only;
* a `-wal` without a `-shm`, or an unfinished rollback journal: a private copy is read instead, whose files have no name
  any more while they are read (on Windows they go when the reading ends).

For root SQLite sets the owner of `-wal` and `-shm` whenever it opens them, which touches their inodes: then a database
of moderate size is copied in the second case too.
"""

from __future__ import annotations

import os
import re
import stat
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.sources.base import SourceError
from sessionbrowser.text import one_line
from sessionbrowser.undo import OrUndo

if TYPE_CHECKING:
    import sqlite3

Row = dict[str, object]

BUSY_SECONDS = 0.8
COPY_ATTEMPTS = 3  # a copy during which its original changed may be torn
LONGEST_VALUE = 256 << 20  # bytes; nothing a person reads is longer
JOURNAL_COPY_LIMIT = 512 << 20  # bytes; a larger database with an unfinished journal is read as it is
ROOT_COPY_LIMIT = 128 << 20  # bytes; root reads a larger live database in place
_UNPLAIN = re.compile(rb"[^A-Za-z0-9_./~:-]")  # what has to be written as %XX in an address
_JOURNAL_MAGIC = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"


class Stamp(NamedTuple):
    """What changes when a database changes: sizes added up, the later time, over the file and its `-wal`."""

    size: int
    mtime_ns: int
    inode: int


def stamp(path: str) -> Stamp:
    """The stamp of a database by `stat` alone. Raises OSError."""
    found = os.stat(path)
    wal = _stat(path + "-wal")
    if wal is None or not wal.st_size:
        return Stamp(found.st_size, found.st_mtime_ns, found.st_ino)
    return Stamp(found.st_size + wal.st_size, max(found.st_mtime_ns, wal.st_mtime_ns), found.st_ino)


@contextmanager
def open_readonly(path: str) -> Iterator[sqlite3.Connection]:
    """A connection that can only read, closed at the end of the block.

    Whatever SQLite finds wrong, inside the block too, becomes a `SourceError` of one line. Raises OSError when
    the file cannot be looked at.
    """
    with _one_line_errors():
        connection, _ = _connect(os.path.realpath(path))
        try:
            yield connection
        finally:
            connection.close()


class Databases:
    """Databases that are opened again and again: where a private copy is read, it is made once for each of their states.

    Copies go when this goes, at the latest at the end of the program. Connections to originals are never kept.
    """

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], sqlite3.Connection] = {}
        self._copies: dict[str, tuple[Stamp, weakref.finalize[..., Databases], sqlite3.Connection]] = {}

    @contextmanager
    def open(self, path: str) -> Iterator[sqlite3.Connection]:
        """As `open_readonly`; inside a block for the same database the connection of that block."""
        path = os.path.realpath(path)
        here = (path, get_ident())
        with _one_line_errors():
            if here in self._open:
                yield self._open[here]
                return
            with self._connected(path) as connection:
                self._open[here] = connection
                try:
                    yield connection
                finally:
                    self._open.pop(here, None)

    @contextmanager
    def _connected(self, path: str) -> Iterator[sqlite3.Connection]:
        now = stamp(path)
        kept = self._copies.get(path)
        if kept is not None and kept[0] == now:
            yield kept[2]
            return
        if kept is not None:
            self._copies.pop(path, None)
            kept[1]()
        connection, is_copy = _connect(path)
        if is_copy:
            self._copies[path] = (now, weakref.finalize(self, connection.close), connection)
            yield connection
            return
        try:
            yield connection
        finally:
            connection.close()


@contextmanager
def _one_line_errors() -> Iterator[None]:
    import sqlite3

    try:
        yield
    except sqlite3.Error as error:
        raise SourceError(_reason(error)) from error
    except UnicodeDecodeError as error:  # what sqlite says of a damaged schema quotes it
        raise SourceError("the database is damaged (its schema is no text)") from error


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The names of the columns of a real table (not of a view); empty when there is no such table."""
    known: dict[str, frozenset[str]] = getattr(connection, "known_columns", {})  # none on a connection not made here
    if table not in known:
        known[table] = _columns(connection, table)
    return known[table]


def _columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    kind = connection.execute("select type from sqlite_master where name = ? and type = 'table'", (table,)).fetchone()
    if kind is None:
        return frozenset()
    return frozenset(str(row[1]) for row in connection.execute(f"pragma table_info({_quoted(table)})"))


def select(connection: sqlite3.Connection, table: str, names: Sequence[str], rest: str = "",
           parameters: Sequence[object] = ()) -> Iterator[Row]:  # fmt: skip
    """Rows of `table` with the columns `names`; one that this release of the agent lacks is None.

    `rest` is what follows the table's name (where, order by, limit); it may only use columns that exist.
    """
    there = columns(connection, table)
    known = [name for name in names if name in there]
    if not known:
        return
    chosen = ", ".join(_quoted(name) for name in known)
    empty: Row = dict.fromkeys(names)
    for row in connection.execute(f"select {chosen} from {_quoted(table)} {rest}", tuple(parameters)):
        yield {**empty, **dict(zip(known, row, strict=True))}


def readable(connection: sqlite3.Connection, query: str, parameters: Sequence[object]) -> list[tuple[object, ...]] | None:
    """The few rows of a query; None when they lie on a damaged page, which costs no more than them."""
    import sqlite3

    try:
        return connection.execute(query, tuple(parameters)).fetchall()
    except sqlite3.OperationalError:
        raise  # busy, or no such column
    except sqlite3.DatabaseError:
        return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def _connect(path: str) -> tuple[sqlite3.Connection, bool]:
    """A connection, and whether it is one to a private copy."""
    import sqlite3

    if not stat.S_ISREG(os.stat(path).st_mode):
        raise SourceError("not a regular file")
    wal = _stat(path + "-wal")
    if wal is None or not wal.st_size:
        if _unfinished(path):
            return _connect_copy(path, ("-journal",)), True
        return _ready(path, "mode=ro&immutable=1"), False
    if _stat(path + "-shm") is None:
        return _connect_copy(path, ("-wal",)), True
    if _is_root() and os.stat(path).st_size + wal.st_size <= ROOT_COPY_LIMIT:
        return _connect_copy(path, ("-wal",)), True
    try:
        return _ready(path, "mode=ro&readonly_shm=1"), False
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise
        return _connect_copy(path, ("-wal",)), True  # its -shm is of no use to a reader that may not repair it


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _unfinished(path: str) -> bool:
    """Whether a rollback journal beside the database holds a transaction that never ended."""
    journal = _stat(path + "-journal")
    if journal is None or not journal.st_size or os.stat(path).st_size > JOURNAL_COPY_LIMIT:
        return False
    with open(path + "-journal", "rb") as file:
        return file.read(8) == _JOURNAL_MAGIC


def _ready(path: str, mode: str, folder: str = "") -> sqlite3.Connection:
    """A connection whose first reading succeeded; `folder` goes when it is closed."""
    import sqlite3

    class Reader(sqlite3.Connection):
        known_columns: dict[str, frozenset[str]]

        def close(self) -> None:
            super().close()
            if folder:
                import shutil

                shutil.rmtree(folder, ignore_errors=True)

    connection = sqlite3.connect(
        f"{_uri(path)}?{mode}", uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, factory=Reader,
    )  # fmt: skip
    connection.known_columns = {}
    with OrUndo(connection.close):
        connection.text_factory = _decoded
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        connection.execute("pragma query_only = on")
        connection.execute("pragma trusted_schema = off")
        connection.execute("select count(*) from sqlite_master").fetchone()
    return connection


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _uri(path: str) -> str:
    if os.name == "nt":
        path = "/" + path.replace("\\", "/")
    return "file:" + _UNPLAIN.sub(lambda found: b"%%%02X" % found[0][0], os.fsencode(path)).decode("ascii")


def _connect_copy(path: str, beside: tuple[str, ...]) -> sqlite3.Connection:
    """A connection to a copy of the database and what lies `beside` it, in a folder that is gone as soon as it can be."""
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="sb-")  # made with mode 0700
    with OrUndo(lambda: shutil.rmtree(folder, ignore_errors=True)):
        copy = os.path.join(folder, "copy.db")
        for _ in range(COPY_ATTEMPTS):
            before = stamp(path)
            for suffix in ("", *beside):
                shutil.copyfile(path + suffix, copy + suffix)
            if stamp(path) == before:
                break
        connection = _ready(copy, "mode=rw", folder)
        if os.name == "posix":
            shutil.rmtree(folder, ignore_errors=True)  # what is open can still be read, and nothing is left whatever happens
        return connection


def _reason(error: sqlite3.Error) -> str:
    said = str(error)
    if "locked" in said or "busy" in said:
        return "the database is busy"
    if "malformed" in said or "not a database" in said or "corrupt" in said:
        return f"the database is damaged ({one_line(said, 80)})"
    return f"the database cannot be read ({one_line(said, 120)})"
