"""Where rollouts are found, what is set aside, and that nothing is ever written."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from pathlib import Path

import pytest

from sessionbrowser.model import Handle, ResumeOptions, SetAside, Unreadable
from sessionbrowser.paths import Environment, time_in
from sessionbrowser.sources import load

from .rollout import ID, OTHER, Store, done, lines, meta, place, said, typed

zstandard = pytest.importorskip("zstandard") if sys.version_info < (3, 14) else None


def packed(data: bytes) -> bytes:
    if zstandard is not None:
        return bytes(zstandard.ZstdCompressor().compress(data))
    from compression import zstd  # type: ignore[import-not-found,unused-ignore]

    return bytes(zstd.compress(data))


def found(store: Store) -> list[object]:
    return [item for root in store.source.roots() for item in store.source.discover(root)]


def test_the_registry_knows_codex(env: Environment) -> None:
    """By its name and by its tag."""
    assert load("cx", env).name == "codex"


def test_nothing_is_there(store: Store) -> None:
    """A home without Codex has no root."""
    assert store.source.roots() == []


def test_codex_home_moves_everything(store: Store, tmp_path: Path) -> None:
    """The variable outdoes the home directory."""
    store.write(meta(), typed("go"))
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "sessions").mkdir(parents=True)
    other = Store(store.home, CODEX_HOME=str(elsewhere))
    assert [root.path for root in other.source.roots()] == [str(elsewhere)]


def test_sessions_and_archive_are_found(store: Store) -> None:
    """Archived sessions lie flat; they are hidden, not lost."""
    store.write(meta(), typed("go"), said("ok"))
    store.write(meta(OTHER), typed("old"), said("ok"), id=OTHER, folder="archived_sessions")
    assert {handle.id for handle in store.handles()} == {ID, OTHER}
    row = store.row(OTHER)
    assert (row.archived, row.hidden) == (True, "archived")


def test_other_files_are_set_aside_with_the_reason(store: Store) -> None:
    """Nothing is passed over in silence."""
    path = store.write(meta(), typed("go"))
    (path.parent / "notes.jsonl").write_text("{}")
    Path(f"{path}.tmp").write_text("")
    Path(f"{path}.zst").write_bytes(b"")
    reasons = {os.path.basename(item.path): item.reason for item in found(store) if isinstance(item, SetAside)}
    assert set(reasons.values()) == {"not named like a rollout", "being written", "compressed copy of a session that is there"}


@pytest.mark.skipif(os.name == "nt", reason="no pipes with names")
def test_pipes_and_linked_folders_are_set_aside(store: Store) -> None:
    """A pipe would be waited for, a link may lead in circles."""
    path = store.write(meta(), typed("go"))
    os.mkfifo(place(store.home, OTHER))
    (path.parent / "loop").symlink_to(store.home / ".codex", target_is_directory=True)
    reasons = {item.reason for item in found(store) if isinstance(item, SetAside)}
    assert reasons == {"not a regular file", "a link to a folder"}
    assert [handle.id for handle in store.handles()] == [ID]


def test_ids_are_the_end_of_the_name(store: Store) -> None:
    """Old tools wrote names without a UUID."""
    store.write(meta("quote-123"), typed("go"), id="quote-123")
    assert [handle.id for handle in store.handles()] == ["quote-123"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_read_is_told(store: Store) -> None:
    """The others are found all the same."""
    path = store.write(meta(), typed("go"))
    path.parent.chmod(0)
    try:
        assert any(isinstance(item, Unreadable) for item in found(store))
    finally:
        path.parent.chmod(0o700)


@pytest.mark.parametrize("inside", ["", "sessions", "sessions/2026/05/12"])
def test_a_copy_opens_by_its_home_or_its_folder(store: Store, inside: str) -> None:
    """`--root` takes what Codex calls its home as well as the folder with the sessions."""
    store.write(meta(), typed("go"))
    root = store.source.root_at(str(store.home / ".codex" / inside), "copy")
    assert root is not None
    assert (root.live, root.label) == (False, "copy")
    assert [item.id for item in store.source.discover(root) if isinstance(item, Handle)] == [ID]


def test_folders_of_others_are_no_roots(store: Store, tmp_path: Path) -> None:
    """A folder called sessions is not enough."""
    (tmp_path / "sessions" / "abc").mkdir(parents=True)
    assert store.source.root_at(str(tmp_path), "copy") is None
    assert store.source.root_at(str(tmp_path / "missing"), "copy") is None


def test_a_single_file_opens(store: Store, tmp_path: Path) -> None:
    """A rollout that lies in no store is known by how it begins."""
    path = tmp_path / "downloaded.jsonl"
    path.write_bytes(lines([meta(), typed("go"), said("ok")]))
    root = store.source.root_at(str(path), "file")
    assert root is not None
    handle = next(iter(store.source.discover(root)))
    assert isinstance(handle, Handle)
    assert store.source.summarise(handle).title == "go"


# ── compressed and old files ──


def test_a_compressed_session_reads_like_a_plain_one(store: Store) -> None:
    """Row, outline and bodies are the same."""
    records = [meta(history_mode="paginated"), done(type="UserMessage", content=[{"type": "text", "text": "go"}]), done(type="AgentMessage", content=[{"type": "Text", "text": "ok?"}])]
    path = place(store.home, ending="jsonl.zst")
    path.write_bytes(packed(lines(records, numbered=0)))
    compressed = (store.row(), store.outline(), [store.body(block) for block in store.blocks()], list(store.source.passages(store.handle())))
    path.unlink()
    store.write(*records, numbered=0)
    plain = (store.row(), store.outline(), [store.body(block) for block in store.blocks()], list(store.source.passages(store.handle())))
    assert compressed[0]._replace(path="", size=0, facts={}) == plain[0]._replace(path="", size=0, facts={})
    assert list(compressed[1].blocks) == list(plain[1].blocks)
    assert compressed[2:] == plain[2:]


def test_a_torn_compressed_file_keeps_what_came_before(store: Store) -> None:
    """Damage ends the reading, and raises nothing."""
    data = packed(lines([meta(), typed("go"), *[said("x" * 40 + str(n)) for n in range(4000)]]))
    place(store.home, ending="jsonl.zst").write_bytes(data[: len(data) // 2])
    store.row()
    store.outline()


def without_zstd(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("zstandard", "compression", "compression.zstd"):
        monkeypatch.setitem(sys.modules, name, None)


def test_without_a_decompressor_the_row_says_what_to_install(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session stays in the list, where its name puts it; the command installs beside `sb`."""
    path = place(store.home, ending="jsonl.zst")
    path.write_bytes(packed(lines([meta(), typed("go")])))
    os.utime(path, (1778770000, 1778770000))
    without_zstd(monkeypatch)
    monkeypatch.setattr(sys, "executable", "/opt/ada's tools/bin/python")
    row = store.row()
    assert row.unreadable == """compressed with zstd: to read it, run python3 -m pip --python '/opt/ada'"'"'s tools/bin/python' install zstandard"""
    began = time_in(str(path), ID)
    assert began is not None and (row.id, row.created, row.updated) == (ID, began, began)


def test_a_compressed_session_counts_as_changed_once_it_can_be_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row that says what to install would stay in the cache."""
    place(store.home, ending="jsonl.zst").write_bytes(packed(lines([meta(), typed("go")])))
    readable = store.handle()
    without_zstd(monkeypatch)
    dark = Store(store.home).handle()
    assert dark.mtime_ns != readable.mtime_ns
    assert dark._replace(mtime_ns=0) == readable._replace(mtime_ns=0)


def test_a_session_that_could_not_be_read_is_resumed_by_its_id(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Codex can read it."""
    place(store.home, ending="jsonl.zst").write_bytes(packed(lines([meta(), typed("go")])))
    without_zstd(monkeypatch)
    resume = store.source.resume(store.row(), ResumeOptions())
    assert resume is not None
    assert (resume.argv, resume.cwd) == (("codex", "resume", ID), None)
    assert resume.warnings[0].startswith("the session could not be read, so its directory is not known: compressed with zstd")


def test_documents_of_spring_2025_are_read(store: Store) -> None:
    """One document holds the session and its items; places are their numbers."""
    text = '{"session":{"id":"%s","cwd":"/home/ada/src/api"},"items":[{"role":"user","content":"go","timestamp":1746000000},{"role":"assistant","content":"ok","timestamp":1746000010}]}'
    place(store.home, folder="sessions", ending="json").write_text(text % ID)
    assert (store.row().title, store.row().cwd) == ("go", "/home/ada/src/api")
    prompt, answer = store.outline().blocks
    assert (prompt.place.start, prompt.place.length, store.body(answer).text) == (1, 0, "ok")


# ── the database is a hint, and never touched ──


def state_file(store: Store, *names: tuple[str, str]) -> Path:
    path = store.home / ".codex" / "state_5.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("pragma journal_mode=wal")
    connection.execute("create table threads (id text, name text)")
    connection.executemany("insert into threads values (?, ?)", names)
    connection.commit()
    connection.close()
    return path


def test_a_name_only_the_database_knows_is_used(store: Store) -> None:
    """The index outdoes it."""
    store.write(meta(), typed("go"), said("ok"))
    state_file(store, (ID, "From the database"))
    assert store.row().title == "From the database"
    (store.home / ".codex" / "session_index.jsonl").write_text(json.dumps({"id": ID, "thread_name": "From the index"}) + "\n")
    assert store.row().title == "From the index"


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100])
def test_a_broken_database_is_passed_over(store: Store, content: bytes) -> None:
    """Files stay the truth."""
    store.write(meta(), typed("go"), said("ok"))
    (store.home / ".codex" / "state_5.sqlite").write_bytes(content)
    assert store.row().title == "go"


def test_nothing_is_written_or_created(store: Store) -> None:
    """Reading leaves every file, time and directory entry as it was."""
    store.write(meta(), typed("go"), said("ok"))
    state_file(store, (ID, "x"))

    def picture() -> dict[str, tuple[int, int]]:
        return {
            os.path.join(folder, name): (os.stat(os.path.join(folder, name)).st_size, os.stat(os.path.join(folder, name)).st_mtime_ns)
            for folder, folders, files in os.walk(store.home) for name in [*folders, *files]
        }  # fmt: skip

    before = picture()
    store.row()
    store.source.agents(store.handle())
    list(store.source.passages(store.handle(), tools=True))
    assert picture() == before
