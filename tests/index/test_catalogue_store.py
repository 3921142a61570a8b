"""The cache's file: private, rebuilt when it does not fit, never a reason to fail."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from sessionbrowser.index.catalogue import Catalogue
from sessionbrowser.index.store import NoCache, Part, connect, discard, ensure, on_network, store_path
from sessionbrowser.paths import Environment

WORDS = Part("words", 1, "create table word (text text); create index word_text on word(text)", ("word",))


def test_folder_and_file_belong_to_their_owner_alone(env: Environment) -> None:
    """The folder is 0700, the file 0600."""
    connect(env).close()
    path = store_path(env)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700


def test_a_file_that_others_could_read_is_closed_to_them(env: Environment) -> None:
    """A file left open by an umask of old is made private."""
    connect(env).close()
    os.chmod(store_path(env), 0o644)
    connect(env).close()
    assert stat.S_IMODE(os.stat(store_path(env)).st_mode) == 0o600


def test_a_file_that_is_no_database_is_made_anew(env: Environment) -> None:
    """Rubbish in place of the file costs the cache, not the program."""
    path = Path(store_path(env))
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is no database" * 200)
    with_tables = connect(env)
    ensure(with_tables, WORDS)
    with_tables.execute("insert into word values ('kept')")
    with_tables.close()
    again = connect(env)
    assert again.execute("select text from word").fetchone() == ("kept",)
    again.close()


def test_a_part_of_another_version_loses_its_tables_and_the_others_stay(env: Environment) -> None:
    """A schema change rebuilds one part."""
    other = Part("other", 1, "create table thing (n integer)", ("thing",))
    connection = connect(env)
    ensure(connection, WORDS, other)
    connection.execute("insert into word values ('old')")
    connection.execute("insert into thing values (1)")
    ensure(connection, WORDS._replace(version=2), other)
    assert connection.execute("select count(*) from word").fetchone() == (0,)
    assert connection.execute("select count(*) from thing").fetchone() == (1,)
    connection.close()


def test_readonly_creates_nothing(env: Environment) -> None:
    """A reader of a cache that is not there leaves no file behind."""
    with pytest.raises(NoCache):
        connect(env, readonly=True)
    assert not os.path.exists(store_path(env))


def test_a_cache_folder_that_cannot_be_made_is_no_cache(env: Environment, tmp_path: Path) -> None:
    """A file where the folder should be gives one line that says so."""
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(NoCache) as caught:
        connect(env)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["with space", "per%cent", "what?", "hash#tag", "ümlaut"])
def test_any_folder_name_will_do(env: Environment, tmp_path: Path, name: str) -> None:
    """Characters that mean something in a URI are part of the name."""
    moved = env._replace(variables={"SB_CACHE_DIR": str(tmp_path / name)})
    connect(moved).close()
    assert (tmp_path / name / "index.sqlite").exists()


def test_two_connections_write_in_turn(env: Environment) -> None:
    """Two programs at once are fine."""
    first, second = connect(env), connect(env)
    ensure(first, WORDS)
    ensure(second, WORDS)
    first.execute("insert into word values ('a')")
    second.execute("insert into word values ('b')")
    assert first.execute("select count(*) from word").fetchone() == (2,)
    first.close()
    second.close()


def test_discard_deletes_every_file(env: Environment) -> None:
    """Nothing of people's words stays behind."""
    connection = connect(env)
    ensure(connection, WORDS)
    connection.close()
    assert discard(env)
    assert os.listdir(os.path.dirname(store_path(env))) == []
    assert not discard(env)


def test_a_network_file_system_is_told_by_its_mount(tmp_path: Path) -> None:
    """The longest mount point that holds the folder decides."""
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "21 1 8:1 / / rw - ext4 /dev/sda rw\n"
        f"22 21 0:40 / {tmp_path} rw,relatime shared:1 - nfs4 host:/export rw\n"
        f"23 22 0:41 / {tmp_path}/local rw - tmpfs tmpfs rw\n"
    )
    (tmp_path / "local").mkdir()
    assert on_network(str(tmp_path), str(mounts))
    assert not on_network(str(tmp_path / "local"), str(mounts))
    assert not on_network("/", str(mounts))


def test_a_store_on_a_network_file_system_does_without_a_log(env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shared memory does not work there."""
    monkeypatch.setattr("sessionbrowser.index.store.on_network", lambda folder: True)
    connection: sqlite3.Connection = connect(env)
    assert connection.execute("pragma journal_mode").fetchone() == ("delete",)
    connection.close()


def test_a_kept_answer_comes_back_in_pieces_however_long(env: Environment) -> None:
    catalogue = Catalogue.open(env)
    body = bytes(range(256)) * 4096
    catalogue.keep_answer("all", b"mark", catalogue.generation(), body)
    pieces = catalogue.answer("all", b"mark")
    assert pieces is not None
    assert [b"".join(pieces), catalogue.answer("all", b"other"), catalogue.answer("none", b"mark")] == [body, None, None]
    catalogue.close()


def test_a_kept_answer_that_is_being_read_keeps_nobody_from_writing(env: Environment) -> None:
    """Without a write-ahead log, too."""
    catalogue, other = Catalogue.open(env), Catalogue.open(env)
    for journal in ("wal", "delete"):
        if journal == "delete":
            other.close()
            catalogue.connection.execute("pragma journal_mode=delete")
            other = Catalogue(sqlite3.connect(store_path(env), isolation_level=None, timeout=0))
        catalogue.keep_answer("all", b"mark", catalogue.generation(), b"x" * 300_000)
        pieces = catalogue.answer("all", b"mark")
        assert pieces is not None
        next(pieces)
        other.keep_note("n", journal)
        assert len(b"".join(pieces)) > 100_000
    catalogue.close()
    other.close()
