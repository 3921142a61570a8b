"""The one SQLite file of the cache: private to its owner, rebuilt when it does not fit, never a reason to fail.

Modules that keep tables in it describe them as a `Part` and call `ensure` on the connection they opened. A part whose
version changed loses its tables and gets new ones; the others stay. Whoever can't have the file (`NoCache`) works
without it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

from sessionbrowser.paths import Environment, cache_folder
from sessionbrowser.undo import OrUndo

FILE_NAME = "index.sqlite"
WAIT = 2.0  # seconds to wait for another writer; who still gets nothing works without

_NETWORK = frozenset(
    ("nfs", "nfs3", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "lustre", "gpfs", "glusterfs", "fuse.sshfs",
     "fuse.glusterfs", "fuse.s3fs", "fuse.rclone", "virtiofs", "vboxsf", "drvfs", "davfs", "fuse.davfs2")
)  # fmt: skip


class NoCache(Exception):
    """The cache can't be used; the message is one line for eyes."""


class Part(NamedTuple):
    """The tables of one module: `create` makes them, `tables` are dropped first when `version` is another."""

    name: str
    version: int
    create: str
    tables: tuple[str, ...]


def store_path(env: Environment) -> str:
    """Where the file is, or would be."""
    return os.path.join(cache_folder(env), FILE_NAME)


def connect(env: Environment, readonly: bool = False) -> sqlite3.Connection:
    """The cache, opened for this thread, without a transaction begun (`isolation_level=None`).

    A file that is no database is thrown away and made anew. `readonly` never creates anything. Raises `NoCache`.
    """
    path = store_path(env)
    try:
        if readonly:
            return _open(path, readonly=True)
        _make_private(path)
        try:
            return _open(path)
        except sqlite3.OperationalError:  # locked, full, not permitted: the file may be good
            raise
        except sqlite3.DatabaseError:
            discard(env)
            _make_private(path)
            return _open(path)
    except (OSError, sqlite3.Error) as error:
        raise NoCache(reason(error)) from error


def ensure(connection: sqlite3.Connection, *parts: Part) -> None:
    """Make the tables of `parts` that are missing or of another version. Raises sqlite3.Error."""
    if all(_versions(connection).get(part.name) == part.version for part in parts):
        return
    connection.execute("begin immediate")
    with OrUndo(connection.rollback):
        connection.execute("create table if not exists part (name text primary key, version integer) without rowid")
        known = _versions(connection)
        for part in parts:
            if known.get(part.name) != part.version:
                _remake(connection, part)
        connection.execute("commit")


def discard(env: Environment) -> bool:
    """Delete the cache's files; whether there was anything to delete. Raises OSError."""
    found = False
    for ending in ("", "-wal", "-shm", "-journal"):
        try:
            os.unlink(store_path(env) + ending)
            found = True
        except FileNotFoundError:
            continue
    return found


def reason(error: Exception) -> str:
    """Why the cache could not be used, on one line."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _versions(connection: sqlite3.Connection) -> Mapping[str, int]:
    try:
        return dict(connection.execute("select name, version from part"))
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return {}
        raise


def _remake(connection: sqlite3.Connection, part: Part) -> None:
    for table in part.tables:
        connection.execute(f'drop table if exists "{table}"')
    for statement in part.create.split(";"):  # executescript would commit
        if statement.strip():
            connection.execute(statement)
    connection.execute("insert or replace into part values (?, ?)", (part.name, part.version))


def _make_private(path: str) -> None:
    """An empty file that only its owner can read, in a folder that only its owner can enter."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        if os.name == "posix" and os.stat(path).st_mode & 0o077:
            os.chmod(path, 0o600)


def _open(path: str, *, readonly: bool = False) -> sqlite3.Connection:
    mode = "ro" if readonly else "rw"
    connection = sqlite3.connect(f"{_uri(path)}?mode={mode}", timeout=WAIT, isolation_level=None, uri=True)
    with OrUndo(connection.close):
        connection.execute("pragma synchronous=normal")
        (journal,) = connection.execute("pragma journal_mode").fetchone()
        if not readonly and journal != "wal" and not on_network(os.path.dirname(path)):
            connection.execute("pragma journal_mode=wal")
    return connection


def _uri(path: str) -> str:
    """`path` as SQLite reads it in a URI (urllib would cost 50 ms to import)."""
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return "file:" + (quoted if os.sep == "/" else "/" + quoted.replace(os.sep, "/").lstrip("/"))


def on_network(folder: str, mounts: str = "/proc/self/mountinfo") -> bool:
    """Whether `folder` is on a network file system, where WAL's shared memory does not work."""
    if folder.startswith(("\\\\", "//")):
        return True
    try:
        with open(mounts, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return False
    best, kind = -1, ""
    real = os.path.realpath(folder)
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = fields[4].replace("\\040", " ").rstrip("/")
        if (real == point or real.startswith(point + "/")) and len(point) >= best:
            best, kind = len(point), after.split(" ", 1)[0]
    return kind in _NETWORK
