"""Foreign databases: read completely, and nothing beside them changes."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sessionbrowser.sources import sqlite as module
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.sqlite import Databases, columns, open_readonly, select, stamp

Picture = dict[str, tuple[int, int, bytes]]


def picture(folder: Path) -> Picture:
    """Every entry of a folder with its size, time and bytes, and the folder's own time."""
    taken = {".": (0, folder.stat().st_mtime_ns, b"")}
    for path in sorted(folder.iterdir()):
        found = path.stat()
        taken[path.name] = (found.st_size, found.st_mtime_ns, path.read_bytes())
    return taken


def words(path: Path) -> list[str]:
    with open_readonly(str(path)) as database:
        return [row[0] for row in database.execute("select word from words order by rowid")]


WRITER = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("pragma journal_mode = wal")
database.execute("pragma wal_autocheckpoint = 0")
database.execute("create table if not exists words (word text)")
database.execute("insert into words values ('old')")
database.execute("pragma wal_checkpoint(truncate)")
database.execute("insert into words values ('new')")
print("ready", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def plain_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read as anybody but root does."""
    monkeypatch.setattr(module, "_is_root", lambda: False)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Path]:
    """A database whose writer is running, its newest row only in the `-wal`."""
    store = tmp_path / "store"
    store.mkdir()
    path = store / "live.db"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None and writer.stdout.readline().strip() == "ready"
        try:
            yield path
        finally:
            writer.kill()


@pytest.fixture
def quiet(tmp_path: Path) -> Path:
    """A database in WAL mode that was closed properly: nothing lies beside it."""
    store = tmp_path / "store"
    store.mkdir()
    path = store / "quiet.db"
    database = sqlite3.connect(path)
    database.execute("pragma journal_mode = wal")
    database.execute("create table words (word text)")
    database.execute("insert into words values ('only')")
    database.commit()
    database.close()
    return path


@pytest.fixture
def left(live: Path, tmp_path: Path) -> Path:
    """A copy of a live database and its `-wal`, without the `-shm`."""
    store = tmp_path / "left"
    store.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(str(live) + suffix, store / ("left.db" + suffix))
    return store / "left.db"


def test_a_closed_database_is_read(quiet: Path) -> None:
    """Without a `-wal` everything is in the database itself."""
    assert words(quiet) == ["only"]


def test_nothing_changes_beside_a_closed_database(quiet: Path) -> None:
    """Reading a WAL-mode database must not create its `-wal` and `-shm`."""
    before = picture(quiet.parent)
    words(quiet)
    assert picture(quiet.parent) == before


def test_an_empty_wal_counts_as_none(quiet: Path) -> None:
    """Programs leave an empty `-wal` behind; nothing is made beside it."""
    (quiet.parent / "quiet.db-wal").touch()
    before = picture(quiet.parent)
    assert words(quiet) == ["only"]
    assert picture(quiet.parent) == before


def test_a_live_database_gives_its_newest_rows(live: Path, plain_user: None) -> None:
    """What only stands in the `-wal` is seen."""
    assert words(live) == ["old", "new"]


def test_nothing_changes_beside_a_live_database(live: Path, plain_user: None) -> None:
    """The writer's `-wal` and `-shm` stay as they were."""
    before = picture(live.parent)
    words(live)
    assert picture(live.parent) == before


def test_a_live_database_is_seen_growing(live: Path, plain_user: None) -> None:
    """Two readings with a write between them differ; the writer is not disturbed."""
    words(live)
    other = sqlite3.connect(live, isolation_level=None)
    other.execute("insert into words values ('newest')")
    assert words(live) == ["old", "new", "newest"]
    other.close()


def test_a_dead_writers_database_is_read_without_repair(live: Path, plain_user: None, tmp_path: Path) -> None:
    """`-wal` and `-shm` of a killed program: its newest rows are read, and the `-shm` is not rewritten."""
    store = tmp_path / "dead"
    shutil.copytree(live.parent, store)
    before = picture(store)
    assert words(store / "live.db") == ["old", "new"]
    assert picture(store) == before


def test_an_unusable_shm_does_not_hide_the_newest_rows(live: Path, plain_user: None, tmp_path: Path) -> None:
    """A `-shm` of garbage is left alone and the rows still come."""
    store = tmp_path / "garbage"
    shutil.copytree(live.parent, store)
    (store / "live.db-shm").write_bytes(b"\xff" * 32768)
    before = picture(store)
    assert words(store / "live.db") == ["old", "new"]
    assert picture(store) == before


def test_a_wal_without_a_shm_is_read_from_a_copy(left: Path) -> None:
    """The newest rows of a backup are seen too."""
    assert words(left) == ["old", "new"]


def test_nothing_changes_beside_a_wal_without_a_shm(left: Path) -> None:
    """No `-shm` is made in the store."""
    before = picture(left.parent)
    words(left)
    assert picture(left.parent) == before


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path, int]]:
    """The private folders that are made, each with its mode."""
    made: list[tuple[Path, int]] = []
    (tmp_path / "copies").mkdir()
    original = tempfile.mkdtemp

    def noted(**named: str) -> str:
        folder = Path(original(dir=tmp_path / "copies", **named))
        made.append((folder, folder.stat().st_mode & 0o777))
        return str(folder)

    monkeypatch.setattr(tempfile, "mkdtemp", noted)
    return made


def test_the_private_copy_is_private(left: Path, copies: list[tuple[Path, int]]) -> None:
    """It lies in a folder only its owner can enter."""
    words(left)
    assert [mode for _, mode in copies] == [0o700]


def test_nothing_of_the_copy_is_left_while_it_is_read(left: Path, copies: list[tuple[Path, int]]) -> None:
    """Its files lose their names once they are open, so that a killed program leaves nothing behind."""
    with open_readonly(str(left)) as connection:
        assert not copies[0][0].exists()
        assert connection.execute("select count(*) from words").fetchone() == (2,)


def test_a_copy_that_cannot_be_read_leaves_nothing(left: Path, copies: list[tuple[Path, int]]) -> None:
    """A torn original's copy goes too."""
    left.write_bytes(b"torn" * 500)
    with pytest.raises(SourceError):
        words(left)
    assert len(copies) == 1 and not copies[0][0].exists()


def test_a_copy_is_made_once_for_each_state(left: Path, copies: list[tuple[Path, int]]) -> None:
    """Reading block after block of a copied database does not copy it again, until it changes."""
    databases = Databases()
    made = []
    for change in (False, False, True):
        if change:
            os.utime(f"{left}-wal", ns=(1, 1))
        with databases.open(str(left)) as connection:
            assert connection.execute("select count(*) from words").fetchone() == (2,)
        made.append(len(copies))
    assert made == [1, 1, 2]


def test_a_block_within_a_block_has_the_same_connection(quiet: Path) -> None:
    """A row is read with one opening, whatever asks for the database on the way."""
    databases = Databases()
    with databases.open(str(quiet)) as outer, databases.open(str(quiet)) as inner:
        assert outer is inner
    with pytest.raises(sqlite3.ProgrammingError):
        outer.execute("select 1")


def test_an_unfinished_transaction_is_not_seen(tmp_path: Path) -> None:
    """A rollback journal says what the database was before; the store itself is not repaired."""
    store, crashed = tmp_path / "store", tmp_path / "crashed"
    store.mkdir()
    database = sqlite3.connect(store / "one.db", isolation_level=None)
    database.execute("pragma cache_size = 1")
    database.execute("create table words (word text)")
    database.execute("insert into words values ('kept')")
    database.execute("begin")
    database.executemany("insert into words values (?)", [("x" * 500,)] * 400)
    shutil.copytree(store, crashed)
    database.close()
    before = picture(crashed)
    assert words(crashed / "one.db") == ["kept"]
    assert picture(crashed) == before


def test_a_connection_cannot_write(quiet: Path) -> None:
    """Not even by mistake."""
    with pytest.raises(SourceError), open_readonly(str(quiet)) as database:
        database.execute("insert into words values ('more')")


def test_a_torn_database_is_one_line(tmp_path: Path) -> None:
    """What is no database says so, on one line."""
    path = tmp_path / "torn.db"
    path.write_bytes(b"SQLite format 3\0" + b"\x13" * 500)
    with pytest.raises(SourceError, match=r"^the database is damaged .*$"):
        words(path)


def test_a_busy_database_says_so(live: Path, plain_user: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database its owner holds for itself is given up after a short wait, with a reason."""
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.01)
    owner = sqlite3.connect(live.parent / "own.db", isolation_level=None)
    owner.execute("pragma locking_mode = exclusive")
    owner.execute("pragma journal_mode = wal")
    owner.execute("create table words (word text)")
    (live.parent / "own.db-shm").touch()
    with pytest.raises(SourceError, match="busy"):
        words(live.parent / "own.db")
    owner.close()


def test_root_changes_no_inode_beside_a_live_database(live: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite would set the owner of `-wal` and `-shm` again; their change times stay as they were."""
    monkeypatch.setattr(module, "_is_root", lambda: True)
    before = [path.stat().st_ctime_ns for path in sorted(live.parent.iterdir())]
    assert words(live) == ["old", "new"]
    assert [path.stat().st_ctime_ns for path in sorted(live.parent.iterdir())] == before


def test_a_missing_database_is_an_os_error(tmp_path: Path) -> None:
    """Callers already treat that as a place that cannot be read."""
    with pytest.raises(OSError):
        words(tmp_path / "none.db")


def test_a_fifo_is_refused(tmp_path: Path) -> None:
    """A pipe in a database's place does not hang the reader."""
    os.mkfifo(tmp_path / "pipe.db")
    with pytest.raises(SourceError, match="regular"):
        words(tmp_path / "pipe.db")


def test_a_path_with_signs_of_a_uri_is_a_path(tmp_path: Path) -> None:
    """`?`, `#` and `%` in a folder's name mean nothing."""
    folder = tmp_path / "a?b#c%20d é"
    folder.mkdir()
    database = sqlite3.connect(folder / "x.db")
    database.execute("create table words (word text)")
    database.execute("insert into words values ('found')")
    database.commit()
    database.close()
    assert words(folder / "x.db") == ["found"]


def test_columns_of_a_view_are_none(tmp_path: Path) -> None:
    """A view in a table's place could compute anything; it is not read."""
    database = sqlite3.connect(tmp_path / "view.db")
    database.execute("create view session as select 1 as id")
    database.commit()
    database.close()
    with open_readonly(str(tmp_path / "view.db")) as connection:
        assert columns(connection, "session") == frozenset()


def test_a_column_of_another_release_is_none(quiet: Path) -> None:
    """`select` asks only for what is there."""
    with open_readonly(str(quiet)) as connection:
        assert list(select(connection, "words", ("word", "tokens"))) == [{"word": "only", "tokens": None}]


def test_a_table_of_another_release_is_empty(quiet: Path) -> None:
    """A table that does not exist yet has no rows."""
    with open_readonly(str(quiet)) as connection:
        assert list(select(connection, "sentences", ("id",))) == []


def test_text_that_is_not_utf8_is_read(tmp_path: Path) -> None:
    """Bad bytes become replacement characters."""
    database = sqlite3.connect(tmp_path / "bad.db")
    database.execute("create table words (word text)")
    database.execute("insert into words values (cast(x'61ff62' as text))")
    database.commit()
    database.close()
    assert words(tmp_path / "bad.db") == ["a\ufffdb"]


def test_the_stamp_follows_the_wal(live: Path) -> None:
    """A write that only reached the `-wal` changes the stamp."""
    before = stamp(str(live))
    other = sqlite3.connect(live, isolation_level=None)
    other.execute("insert into words values ('later')")
    assert stamp(str(live)) != before
    other.close()


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(at=4070, garbage=b"0\x80")  # in the schema, which the error then quotes
@given(at=st.integers(0, 8191), garbage=st.binary(min_size=1, max_size=64))
def test_damage_anywhere_is_an_error_of_one_line_or_nothing(quiet: Path, at: int, garbage: bytes) -> None:
    """Bytes changed anywhere in a database never raise anything else."""
    data = bytearray(quiet.read_bytes())
    data[at : at + len(garbage)] = garbage
    torn = quiet.parent / "torn.db"
    torn.write_bytes(data)
    try:
        with open_readonly(str(torn)) as connection:
            list(select(connection, "words", ("word",)))
    except SourceError as error:
        assert "\n" not in str(error)
