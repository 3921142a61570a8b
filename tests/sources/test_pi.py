"""Pi: a tree of entries, names, forks, and commands of the person."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_agents import Store, handle_of, in_home, write_lines

from sessionbrowser.model import ResumeOptions

CHANGELOG = "0196b3d2"
START = {"type": "session", "version": 3, "id": "0196b3d2-0000-7a80-b5e4-2d9f70c1a3e8", "timestamp": "2026-05-10T12:00:00Z", "cwd": "/p"}


@pytest.fixture
def store(demo_home: Path) -> Store:
    return Store("pi", in_home(demo_home))


def entry(key: str, parent: str, role: str, content: object, **more: object) -> dict:
    return {"type": "message", "id": key, "parentId": parent, "timestamp": "2026-05-10T11:00:00Z", "message": {"role": role, "content": content, **more}}


def test_the_last_name_is_the_title(store: Store) -> None:
    assert (store.row(CHANGELOG).title, store.row(CHANGELOG).title_from) == ("Changelog for dark mode", "name")


def test_a_prompt_that_was_edited_stays_as_a_branch(store: Store) -> None:
    """Both are counted; only the newer one is on the way to the last entry."""
    prompts = store.blocks(CHANGELOG, "prompt")
    assert [block.branch for block in prompts] == [1, 0]
    assert store.row(CHANGELOG).counts.prompts == 2


def test_edits_in_a_list_are_a_diff(store: Store) -> None:
    edit = next(block for block in store.blocks(CHANGELOG, "tool") if block.what == "edit")
    assert (edit.added, edit.removed) == (2, 0)


def test_a_failed_command_has_its_exit_code(store: Store) -> None:
    assert [block.exit_code for block in store.blocks(CHANGELOG, "tool")] == [128, None]


def test_tokens_are_summed_over_answers(store: Store) -> None:
    assert store.row(CHANGELOG).tokens.total == 3950 + 180 + 400


def test_a_command_of_the_person_is_a_prompt(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", START, entry("aaaa0001", "", "bashExecution", None, command="make", output="done", exitCode=2))
    made = store.source.outline(handle_of("pi", path))
    assert [(block.kind, block.what, block.title) for block in made.blocks] == [("prompt", "bash", "make"), ("note", "output", "exit 2: done")]


def test_a_fork_knows_what_it_copied(tmp_path: Path, store: Store) -> None:
    """Entries older than the fork's first line; the parent is named by its path."""
    parent = {**START, "parentSession": "/elsewhere/2026-05-10T07-20-00-000Z_0196b3d2-6c11-7a80-b5e4-2d9f70c1a3e8.jsonl"}
    path = write_lines(tmp_path / "x.jsonl", parent, entry("aaaa0001", "", "user", "old"))
    row = store.source.summarise(handle_of("pi", path))
    assert (row.forked_from, row.facts["own_prompt"]) == ("0196b3d2-6c11-7a80-b5e4-2d9f70c1a3e8", False)


def test_a_result_without_an_id_meets_the_oldest_open_call(tmp_path: Path, store: Store) -> None:
    """The first version of the format names no calls in results."""
    path = write_lines(tmp_path / "x.jsonl", START, entry("", "", "assistant", [{"type": "toolCall", "id": "t", "name": "read", "arguments": {"path": "a"}}]),
                       entry("", "", "toolResult", "text of a"))  # fmt: skip
    handle = handle_of("pi", path)
    block = store.source.outline(handle).blocks[0]
    assert (block.ok, store.source.body(handle, block).text) == (True, "text of a")


@pytest.mark.parametrize(("reason", "tail"), [("aborted", "interrupted"), ("error", "failed")])
def test_how_an_answer_stopped(tmp_path: Path, store: Store, reason: str, tail: str) -> None:
    path = write_lines(tmp_path / "x.jsonl", START, entry("aaaa0001", "", "assistant", [], stopReason=reason, errorMessage="overloaded"))
    assert store.source.summarise(handle_of("pi", path)).tail == tail


def test_resume_is_by_path(store: Store) -> None:
    """By id Pi would ask, and without a terminal do nothing."""
    resume = store.source.resume(store.row(CHANGELOG), ResumeOptions())
    assert resume is not None
    assert resume.argv == ("pi", "--session", store.row(CHANGELOG).path)


@pytest.mark.parametrize("fork", [{"type": "custom", "id": "aaaa0002", "parentId": "aaaa0001"}, entry("aaaa0002", "aaaa0001", "assistant", [])])
def test_a_branch_may_begin_at_an_entry_that_shows_nothing(tmp_path: Path, store: Store, fork: dict) -> None:
    path = write_lines(tmp_path / "x.jsonl", START, entry("aaaa0001", "", "user", "go"), fork,
                       entry("aaaa0003", "aaaa0002", "assistant", "old"), entry("aaaa0004", "aaaa0002", "assistant", "new"))  # fmt: skip
    blocks = store.source.outline(handle_of("pi", path)).blocks
    assert [(block.title, block.branch) for block in blocks] == [("go", 0), ("old", 1), ("new", 0)]


def test_a_name_far_from_both_ends_of_a_big_file_is_the_title(tmp_path: Path, store: Store) -> None:
    before = [entry(f"aaaa{number:04}", "", "assistant", "x" * 1000) for number in range(200)]
    names = [{"type": "session_info", "id": f"bbbb000{number}", "parentId": "aaaa0199", "name": name} for number, name in enumerate(("first", "second"))]
    after = [entry(f"cccc{number:04}", "", "assistant", [{"type": "session_info", "text": "y" * 900}]) for number in range(200)]
    path = write_lines(tmp_path / "x.jsonl", START, entry("aaaa9999", "", "user", "go"), *before, *names, *after)
    row = store.source.summarise(handle_of("pi", path))
    assert (row.title, row.title_from) == ("second", "name")


def test_a_name_that_was_taken_back_is_no_title(tmp_path: Path, store: Store) -> None:
    names = [{"type": "session_info", "id": f"bbbb000{number}", "name": name} for number, name in enumerate(("first", ""))]
    row = store.source.summarise(handle_of("pi", write_lines(tmp_path / "x.jsonl", START, entry("aaaa0001", "", "user", "go"), *names)))
    assert (row.title, row.title_from) == ("go", "prompt")


def test_a_picture_alone_is_a_prompt(tmp_path: Path, store: Store) -> None:
    picture = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
    path = write_lines(tmp_path / "x.jsonl", START, entry("aaaa0001", "", "user", [picture]))
    blocks = store.source.outline(handle_of("pi", path)).blocks
    assert [(block.kind, block.title, block.turn) for block in blocks] == [("prompt", "[Image]", 1), ("image", "png", 1)]


def test_the_last_prompt_of_a_big_file_may_stand_far_from_its_end(tmp_path: Path, store: Store) -> None:
    """Else forks with their own prompts would be taken for copies."""
    work = [entry(f"cccc{number:04}", "", "assistant", "x" * 1000) for number in range(300)]
    path = write_lines(tmp_path / "x.jsonl", START, entry("aaaa0001", "", "user", "go"), *work, entry("aaaa0002", "", "user", "go on"), *work)
    row = store.source.summarise(handle_of("pi", path))
    assert (row.last_prompt, row.facts["last_prompt_raw"]) == ("go on", "aaaa0002")
    path = write_lines(path, START, entry("aaaa0001", "", "user", "go"), *work * 3, entry("aaaa0002", "", "user", "go on"), *work * 8)
    assert "last_prompt_raw" not in store.source.summarise(handle_of("pi", path)).facts  # beyond what is looked at: not said
