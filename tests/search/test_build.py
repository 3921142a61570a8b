"""Building the full text and keeping it fresh."""

from __future__ import annotations

import os
import pickle
import signal
import sqlite3
import sys
import time
from pathlib import Path

import pytest

from sessionbrowser.index import fulltext_ahead, fulltext_build, fulltext_read, worker
from sessionbrowser.index.fulltext import Entry, FullText
from sessionbrowser.index.store import store_path
from sessionbrowser.model import Handle, Passage, Root
from sessionbrowser.paths import Environment, cache_folder

from .conftest import Desk


def entries(desk: Desk) -> dict[str, Entry]:
    text = FullText.open(desk.env)
    found = {entry.id: entry for entry in text.entries().values()}
    text.close()
    return found


def counts(desk: Desk) -> tuple[int, int]:
    text = FullText.open(desk.env)
    found = text.count()
    text.close()
    return found


def stored(desk: Desk) -> int:
    """Rows that FTS5 really holds, dead ones included."""
    base = sqlite3.connect(store_path(desk.env))
    (found,) = base.execute("select count(*) from text_words_docsize").fetchone()
    base.close()
    return int(found)


def test_what_is_appended_is_read_from_there_on(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.say("one", "first needle")
    desk.update()
    desk.say("one", "second pin")
    offsets: list[int] = []
    source = type(fulltext_read.Reader(desk.env).source("fake"))
    passages = source.passages

    def watched(self, handle, offset=0, *, tools=False):  # type: ignore[no-untyped-def]
        offsets.append(offset)
        return passages(self, handle, offset, tools=tools)

    monkeypatch.setattr(source, "passages", watched)
    desk.update()
    assert offsets == [0]  # the first record begins at 0: it is where the reading stopped
    monkeypatch.setattr(source, "passages", passages)
    assert desk.found("pin") == ["one"]
    assert stored(desk) == 2


def test_an_unchanged_history_is_not_read_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.say("one", "needle")
    desk.update()
    monkeypatch.setattr(fulltext_read.Reader, "read", None)
    desk.update()
    assert counts(desk) == (1, 0)


def test_a_half_written_line_waits(desk: Desk) -> None:
    path = desk.say("one", "needle")
    with path.open("ab") as file:
        file.write(b'{"kind": "text", "text": "pi')
    assert desk.found("pin") == []
    with path.open("ab") as file:
        file.write(b'n", "time": 5.0}\n')
    assert desk.found("pin") == ["one"]


def test_a_file_cut_and_written_anew_is_read_from_the_start(desk: Desk) -> None:
    path = desk.say("one", "needle and more of it")
    desk.update()
    path.write_bytes(path.read_bytes().replace(b"needle", b"pin000") + b'{"kind":"text","text":"x"}\n')
    assert desk.found("needle") == []
    assert desk.found("pin000") == ["one"]


def test_words_of_deleted_sessions_are_not_found(desk: Desk) -> None:
    path = desk.say("one", "needle")
    desk.update()
    path.unlink()
    assert desk.found("needle") == []
    assert entries(desk) == {}


def test_an_incomplete_scan_removes_nothing(desk: Desk) -> None:
    desk.say("one", "needle")
    desk.update()
    (desk.folder / "unreadable").touch()
    desk.update()
    assert set(entries(desk)) == {"one"}


def test_a_quarter_of_dead_words_has_it_built_anew(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fulltext_build, "DEAD_LEAST", 2)
    for number in range(8):
        desk.say(f"s{number}", f"needle {number}")
    desk.update()
    for number in range(4):
        (desk.folder / f"s{number}.jsonl").unlink()
    desk.update()
    assert (counts(desk), stored(desk)) == ((4, 4), 8)
    desk.update()
    assert (counts(desk), stored(desk)) == ((4, 0), 4)
    assert len(desk.found("needle")) == 4


def test_rebuilding_leaves_no_dead_words(desk: Desk) -> None:
    desk.say("one", "needle")
    desk.say("two", "pin").unlink()
    path = desk.say("two", "pin")
    desk.update()
    path.unlink()
    desk.update(rebuild=True)
    assert (counts(desk), stored(desk)) == ((1, 0), 1)


def test_dead_words_leave_after_a_day_however_few_they_are(desk: Desk) -> None:
    for number in range(8):
        desk.say(f"s{number}", f"needle {number}")
    desk.update()
    (desk.folder / "s3.jsonl").unlink()
    desk.update()
    desk.update()
    assert (counts(desk), stored(desk)) == ((7, 1), 8)
    worker.bring_up_to_date(desk.env._replace(clock=desk.env.now() + 2 * 86400))
    assert (counts(desk), stored(desk)) == ((7, 0), 7)


def on_disk(desk: Desk, word: bytes) -> bool:
    """Whether a word stands in a file of the cache, as bytes."""
    return any(word in path.read_bytes() for path in Path(cache_folder(desk.env)).rglob("*") if path.is_file())


def test_rebuilding_leaves_no_word_of_a_deleted_session_on_disk(desk: Desk) -> None:
    """Not even in pages that the database does not use any more."""
    path = desk.say("one", "xylophonist " * 50)
    for number in range(20):
        desk.say(f"other{number}", f"something else {number} " * 200)
    desk.update()
    assert on_disk(desk, b"xylophonist")
    path.unlink()
    desk.update(rebuild=True)
    assert not on_disk(desk, b"xylophonist")


def test_excluded_projects_and_folders_stay_out(desk: Desk) -> None:
    desk.write("one", {"kind": "text", "text": "needle", "project": "secret"})
    desk.write("two", {"kind": "text", "text": "needle", "cwd": "/home/ada/private/x"})
    desk.write("three", {"kind": "text", "text": "needle", "cwd": "/home/ada/privateer"})
    desk.update(exclude=("secret", "/home/ada/private"))
    assert [hit.session for hit in desk.ask("needle")] == ["three"]
    assert stored(desk) == 1


def test_a_session_excluded_later_loses_its_words(desk: Desk) -> None:
    desk.write("one", {"kind": "text", "text": "needle", "project": "secret"})
    desk.update()
    desk.update(exclude=("secret",))
    assert desk.ask("needle") == []
    desk.update()
    assert [hit.session for hit in desk.ask("needle")] == ["one"]


def test_a_big_session_is_read_in_pieces(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fulltext_read, "PIECE", 100)
    desk.write("one", *({"kind": "text", "text": f"word{n} " + "x" * 50} for n in range(20)))
    assert [desk.found(f"word{n}") for n in (0, 7, 19)] == [["one"]] * 3
    assert stored(desk) == 20


def test_several_texts_of_one_record_share_a_row(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = desk.say("one", "first")
    reader = fulltext_read.Reader(desk.env)
    said = [Passage("text", 0, "a"), Passage("prompt", 0, "c"), Passage("text", 0, "b"), Passage("text", 5, "d")]
    monkeypatch.setattr(type(reader.source("fake")), "passages", lambda self, handle, offset=0: iter(said))
    piece = reader.read(fulltext_read.Job(Handle("fake", Root("fake", "/"), str(path), "", "one", 0, 0, 0)))
    assert piece.rows == [(0, "c"), (1, "a\nb"), (5 << 3 | 1, "d")]


def test_a_session_that_cannot_be_read_does_not_stop_the_others(desk: Desk) -> None:
    desk.say("one", "needle")
    path = desk.say("two", "pin")
    os.chmod(path, 0)
    try:
        assert desk.found("needle") == ["one"]
    finally:
        os.chmod(path, 0o600)


def test_many_sessions_are_read_by_several_processes(desk: Desk) -> None:
    for number in range(60):
        desk.say(f"s{number}", f"needle{number} common")
    assert desk.found("needle59") == ["s59"]
    assert len(desk.found("common")) == 60


@pytest.mark.skipif(sys.platform != "linux", reason="a reader that is started anew does not know the invented agent")
def test_a_reader_that_is_killed_loses_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system may take one for its memory; its sessions are read without it."""
    for number in range(70):
        desk.say(f"s{number:02d}", f"needle {number}")
    source = type(fulltext_read.Reader(desk.env).source("fake"))
    passages, main = source.passages, os.getpid()

    def mortal(self, handle, offset=0, *, tools=False):  # type: ignore[no-untyped-def]
        if handle.id == "s40" and os.getpid() != main:
            os._exit(9)
        return passages(self, handle, offset, tools=tools)

    monkeypatch.setattr(source, "passages", mortal)
    monkeypatch.setattr(fulltext_ahead, "LARGEST_BUNDLE", 4)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    desk.update()
    assert sorted(desk.found("needle")) == [f"s{number:02d}" for number in range(70)]
    assert stored(desk) == 70


@pytest.mark.skipif(sys.platform != "linux", reason="a reader that is started anew does not know the invented agent")
def test_an_interrupt_is_left_to_the_process_that_is_read_for(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which ends its readers, so that none of them complains on the terminal."""
    path = desk.say("one", "needle")
    begun, go = tmp_path / "begun", tmp_path / "go"
    source = type(fulltext_read.Reader(desk.env).source("fake"))

    def slow(self, handle, offset=0, *, tools=False):  # type: ignore[no-untyped-def]
        begun.touch()
        while not go.exists():
            time.sleep(0.01)
        yield Passage("text", 0, "needle")

    monkeypatch.setattr(source, "passages", slow)
    job = fulltext_read.Job(Handle("fake", Root("fake", "/"), str(path), "", "one", 0, 0, 0))
    pipe, process = fulltext_ahead._started(desk.env, [[job]])
    while not begun.exists():
        time.sleep(0.01)
    os.kill(process.pid or 0, signal.SIGINT)
    go.touch()
    (piece,) = pickle.loads(pipe.recv_bytes())
    assert piece.rows == [(1, "needle")]
    process.join()
    pipe.close()


def test_progress_is_reported(desk: Desk) -> None:
    seen: list[tuple[int, int]] = []
    desk.say("one", "needle")
    desk.say("two", "needle")
    desk.update(report=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 2)
    assert seen[-1] == (2, 2)


def test_the_state_of_an_index_that_is_not_there_is_empty(env: Environment) -> None:
    assert worker.state(env).sessions == 0


def test_the_state_counts_sessions_and_bytes(desk: Desk) -> None:
    desk.say("one", "needle")
    desk.update()
    state = worker.state(desk.env)
    assert (state.sessions, state.rows, state.working) == (1, 1, False)
    assert state.bytes > 0


def test_only_one_process_builds(desk: Desk) -> None:
    with worker.only_one(desk.env):
        assert worker.is_running(desk.env)
        with pytest.raises(worker.Busy):
            desk.update()
    assert not worker.is_running(desk.env)


def test_purging_deletes_every_word(desk: Desk) -> None:
    desk.say("one", "needle")
    desk.update()
    assert worker.purge(desk.env)
    assert not Path(store_path(desk.env)).exists()
    assert not worker.purge(desk.env)


def test_the_index_is_for_its_owner_only(desk: Desk) -> None:
    desk.say("one", "needle")
    desk.update()
    assert Path(store_path(desk.env)).stat().st_mode & 0o077 == 0


def test_pieces_that_updates_leave_are_put_together(desk: Desk) -> None:
    """Every update writes a piece; a search looks into all of them."""
    for number in range(40):
        desk.say("one", f"word{number}")
        desk.update()
    base = sqlite3.connect(store_path(desk.env))
    (pieces,) = base.execute("select count(distinct segid) from text_words_idx").fetchone()
    base.close()
    assert pieces < 10
    assert [desk.found(f"word{number}") for number in (0, 17, 39)] == [["one"]] * 3


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="names of files are Unicode there")
def test_a_folder_whose_name_is_no_unicode_is_indexed_like_others(desk: Desk) -> None:
    """SQLite has no text for such a path; it stopped the index of the whole home."""
    odd = os.fsdecode(b"folder-\xff\xfe")
    desk.say("one", "quicksilver")
    desk.write("two", {"kind": "text", "text": "quicksilver"}, parent=odd)
    desk.update()
    before = entries(desk)
    assert (before["two"].path, before["two"].parent) == (str(desk.folder / odd / "two.jsonl"), odd)
    assert before["two"].done
    desk.write("two", {"kind": "text", "text": "amalgam"}, parent=odd)
    desk.update()
    assert entries(desk)["two"].number == before["two"].number  # only what is new was read
    assert desk.found("amalgam") == ["two"]
    (desk.folder / odd / "two.jsonl").unlink()
    desk.update()
    assert set(entries(desk)) == {"one"}
