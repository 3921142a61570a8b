"""Threads that some Codex has loaded, by the locks that the system says are held."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from sessionbrowser.model import Root
from sessionbrowser.sources.codex.live import loaded

ID, OTHER = "01a22b6e-9a88-7b11-ae7f-5067c2b2305f", "01a22b6e-9a88-7b11-ae7f-000000000000"


@pytest.fixture
def folder(home: Path) -> Path:
    folder = home / ".codex" / "thread-writer-locks"
    folder.mkdir(parents=True)
    (folder / ".coordination.lock").touch()
    return folder


def root(home: Path) -> Root:
    return Root("codex", str(home / ".codex"))


@pytest.mark.skipif(not os.path.exists("/proc/locks"), reason="no /proc/locks: who holds a lock can't be told")
def test_a_held_lock_is_a_loaded_thread_and_a_free_one_a_process_that_is_gone(home: Path, folder: Path) -> None:
    """By its process; the lock itself is never touched."""
    (folder / f"{OTHER}.lock").touch()
    with open(folder / f"{ID}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        found = {live.id: (live.status, live.pid) for live in loaded(root(home))}
    assert found == {ID: ("", os.getpid()), OTHER: ("gone", 0)}


def test_where_the_system_does_not_tell_nothing_is_said(home: Path, folder: Path, tmp_path: Path) -> None:
    """Else every thread would look as if its process had died."""
    (folder / f"{ID}.lock").touch()
    assert loaded(root(home), str(tmp_path / "nothing")) == []


def test_lines_nobody_understands_are_passed_over(home: Path, folder: Path, tmp_path: Path) -> None:
    """Waiting locks and other kinds hold nothing."""
    lock = folder / f"{ID}.lock"
    lock.touch()
    inode = lock.stat().st_ino
    table = tmp_path / "locks"
    table.write_text(f"1: -> FLOCK ADVISORY WRITE 7 fe:00:{inode} 0 EOF\n2: POSIX ADVISORY WRITE 7 fe:00:{inode} 0 EOF\nnonsense\n")
    assert [live.status for live in loaded(root(home), str(table))] == ["gone"]


def test_a_copy_of_a_store_has_nothing_loaded(home: Path, folder: Path) -> None:
    """Its locks are old."""
    (folder / f"{ID}.lock").touch()
    assert loaded(root(home)._replace(live=False)) == []
