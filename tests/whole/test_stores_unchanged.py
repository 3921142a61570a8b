"""Whatever `sb` is asked, not a byte of any agent's store changes, nothing appears beside it, no time moves."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessionbrowser.cli import run
from sessionbrowser.paths import Environment

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "home"
NOW = 1778770800.0

Told = dict[str, tuple[object, ...]]


def everything(home: Path) -> Told:
    """Each file, folder and link below `home`: kind, mode, inode, size, times of content and of status, entries or target."""
    told: Told = {}
    for folder, folders, files in os.walk(home):
        for name in (".", *folders, *files):
            path = os.path.join(folder, name)
            found = os.lstat(path)
            inside: object = None
            if stat.S_ISLNK(found.st_mode):
                inside = os.readlink(path)
            elif stat.S_ISDIR(found.st_mode):
                inside = sorted(os.listdir(path))
            told[path] = (found.st_mode, found.st_ino, found.st_nlink, found.st_size, found.st_mtime_ns, found.st_ctime_ns, inside)
    return told


def differences(before: Told, after: Told) -> list[str]:
    return [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]


class Person:
    """Somebody who asks everything of the sessions in a home."""

    def __init__(self, home: Path, cache: Path, capsys: pytest.CaptureFixture[str], **more: str) -> None:
        variables = {"SB_CACHE_DIR": str(cache), "PATH": os.environ["PATH"], "TZ": "UTC", **more}
        self.env = Environment(str(home), variables, str(home / "src" / "api"), "linux", NOW)
        self.capsys = capsys

    def asks(self, *arguments: str) -> str:
        """What `sb` prints; 0, 1 (nothing found) and 2 (refused) are all answers."""
        self.capsys.readouterr()
        assert run(list(arguments), self.env) in (0, 1, 2)
        return self.capsys.readouterr().out

    def sessions(self) -> list[dict[str, object]]:
        found: list[dict[str, object]] = json.loads(self.asks("list", "--json", "--all"))["sessions"]
        return found

    def asks_everything(self) -> int:
        """All commands that read, and those about one session for some of every source; how many sources there were."""
        for line in (
            "list", "list --exact --all --json", "list --no-cache", "list has:error", "search the --all", "search /import|node/ in:tools",
            "doctor", "doctor --json", "whoami", "stats --json", "timeline", "index --status",
        ):  # fmt: skip
            self.asks(*line.split())
        by_source: dict[str, list[dict[str, object]]] = {}
        for row in self.sessions():
            by_source.setdefault(str(row["source"]), []).append(row)
        for rows in by_source.values():
            for row in (rows[0], rows[-1]):
                self.asks_of(str(row["id"]), str(row["path"]))
        return len(by_source)

    def asks_of(self, identity: str, path: str) -> None:
        self.asks("show", identity)
        self.asks("show", identity, "--format", "json")
        self.asks("show", path, "--view", "files")
        self.asks("tree", identity)
        self.asks("path", identity, "--specstory")
        self.asks("resume", identity, "--print")
        self.asks("resume", identity, "--print", "--fork")
        self.asks("doctor", identity)
        self.asks("list", "--root", path)


@pytest.fixture
def busy_home(home: Path) -> Iterator[Path]:
    """The invented home with a database that its agent has open and is writing to, and one left behind by a crash."""
    shutil.copytree(FIXTURES, home, dirs_exist_ok=True)
    agent = sqlite3.connect(home / ".local" / "share" / "opencode" / "opencode.db")
    agent.execute("pragma journal_mode=wal")
    agent.execute("pragma wal_autocheckpoint=0")
    agent.execute("update session set time_updated = time_updated + 1")
    agent.commit()
    crashed = home / ".config" / "Cursor" / "User" / "globalStorage" / "state.vscdb"
    beside = sqlite3.connect(crashed)
    beside.execute("pragma journal_mode=wal")
    beside.execute("create table if not exists left_behind (n)")
    beside.commit()
    kept = {path: path.read_bytes() for path in crashed.parent.iterdir()}
    beside.close()
    for path, data in kept.items():
        if not path.name.endswith("-shm"):
            path.write_bytes(data)
    yield home
    agent.close()


def test_stores_stay_as_they_are_whatever_is_asked(busy_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sessions of all agents with fixtures, a live write-ahead log and an orphaned one among them."""
    person = Person(busy_home, tmp_path / "cache", capsys, SB_RECORDS_STORE=str(busy_home / ".local" / "share" / "ada" / "records"))
    before = everything(busy_home)
    assert any(path.endswith("opencode.db-wal") for path in before)
    assert person.asks_everything() == 14
    assert differences(before, everything(busy_home)) == []


def test_a_store_that_may_not_be_written_can_be_read_all_the_same(busy_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A copy without leave to write gives the same rows."""
    person = Person(busy_home, tmp_path / "cache", capsys)
    rows = {(row["id"], row["title"]) for row in person.sessions()}
    for folder, _, files in os.walk(busy_home):
        for name in files:
            os.chmod(os.path.join(folder, name), 0o400)
        os.chmod(folder, 0o500)
    try:
        before = everything(busy_home)
        again = Person(busy_home, tmp_path / "other", capsys)
        assert {(row["id"], row["title"]) for row in again.sessions()} == rows
        assert differences(before, everything(busy_home)) == []
    finally:
        for folder, _, _ in os.walk(busy_home):
            os.chmod(folder, 0o700)


@pytest.mark.corpus
def test_real_stores_stay_as_they_are(corpus_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The real files of every agent that is there."""
    home = tmp_path / "real"
    shutil.copytree(corpus_home, home, symlinks=True)
    before = everything(home)
    assert Person(home, tmp_path / "cache", capsys).asks_everything() >= 9
    assert differences(before, everything(home)) == []
