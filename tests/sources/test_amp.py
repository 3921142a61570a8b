"""Amp: one document a thread."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_agents import Store, handle_of, in_home

from sessionbrowser.model import ResumeOptions
from sessionbrowser.sources.base import SourceError

INVOICES = "T-6e0b9d52"


@pytest.fixture
def store(demo_home: Path) -> Store:
    return Store("amp", in_home(demo_home))


def test_the_directory_comes_from_the_tree(store: Store) -> None:
    assert (store.row(INVOICES).cwd, store.row(INVOICES).title) == ("/home/ada/src/api", "Time zone of invoices")


def test_calls_meet_their_runs(store: Store) -> None:
    """One ended with 0, the other in an error of the tool."""
    assert [(block.ok, block.exit_code, block.outcome) for block in store.blocks(INVOICES, "tool")] == [(True, 0, ""), (False, None, "error")]


def test_results_are_no_prompts(store: Store) -> None:
    assert store.row(INVOICES).counts.prompts == 1


def test_the_output_of_a_run_is_its_body(store: Store) -> None:
    assert [store.text(INVOICES, block) for block in store.blocks(INVOICES, "tool")] == ["UTC\n", "file not found"]


def test_a_rewritten_thread_is_read_anew(store: Store) -> None:
    handle = store.handle(INVOICES)
    before = store.source.outline(handle)
    path = Path(handle.path)
    thread = json.loads(path.read_text())
    thread["messages"].append({"role": "user", "content": [{"type": "text", "text": "and in Porto?"}]})
    path.write_text(json.dumps(thread))
    after = store.source.outline(handle, before)
    assert (after.restarted, after.counts.prompts) == (True, 2)


def test_an_unchanged_thread_is_not_read_again(store: Store) -> None:
    before = store.outline(INVOICES)
    assert store.source.outline(store.handle(INVOICES), before).blocks is before.blocks


def test_a_torn_document_says_why(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "T-x.json"
    path.write_text('{"id":"T-x","messages":[')
    with pytest.raises(SourceError, match="damaged or not finished"):
        store.source.summarise(handle_of("amp", path))


def test_resume_continues_the_thread(store: Store) -> None:
    resume = store.source.resume(store.row(INVOICES), ResumeOptions())
    assert resume is not None
    assert resume.argv == ("amp", "threads", "continue", store.row(INVOICES).id)


def test_a_command_of_the_person_is_a_prompt(tmp_path: Path, store: Store) -> None:
    """Amp keeps it as neither user nor assistant."""
    part = {"type": "manual_bash_invocation", "args": {"cmd": "make"}, "toolRun": {"status": "done", "result": {"output": "ok", "exitCode": 0}}}
    path = tmp_path / "T-x.json"
    path.write_text(json.dumps({"id": "T-x", "messages": [{"role": "info", "content": [part]}]}))
    handle = handle_of("amp", path)
    blocks = store.source.outline(handle).blocks
    assert [(block.kind, block.what) for block in blocks] == [("prompt", "bash"), ("note", "output")]
    assert store.source.body(handle, blocks[1]).text == "ok"


def test_hidden_text_is_no_prompt(tmp_path: Path, store: Store) -> None:
    message = {"role": "user", "messageId": 0, "content": [{"type": "text", "text": "the rules", "hidden": True}, {"type": "text", "text": "go"}]}
    path = tmp_path / "T-x.json"
    path.write_text(json.dumps({"id": "T-x", "messages": [message]}))
    blocks = store.source.outline(handle_of("amp", path)).blocks
    assert [(block.kind, block.what, block.title) for block in blocks] == [("note", "injected", "the rules"), ("prompt", "typed", "go")]


def test_times_stand_with_the_tokens_and_in_the_traces(tmp_path: Path, store: Store) -> None:
    answer = {"role": "assistant", "messageId": 1, "content": [{"type": "text", "text": "done"}], "usage": {"outputTokens": 3, "timestamp": "2026-05-01T10:00:05Z"}}
    path = tmp_path / "T-x.json"
    path.write_text(json.dumps({"id": "T-x", "meta": {"traces": [{"endTime": "2026-05-01T10:00:09Z"}]}, "messages": [answer]}))
    handle = handle_of("amp", path)
    assert [block.time for block in store.source.outline(handle).blocks] == [1777629605.0]
    assert store.source.summarise(handle).updated == 1777629609.0


def test_a_run_without_success_failed(tmp_path: Path, store: Store) -> None:
    call = {"role": "assistant", "messageId": 1, "content": [{"type": "tool_use", "id": "t", "name": "edit_file", "input": {}}]}
    run = {"role": "user", "messageId": 2, "content": [{"type": "tool_result", "toolUseID": "t", "run": {"status": "done", "result": {"success": False}}}]}
    path = tmp_path / "T-x.json"
    path.write_text(json.dumps({"id": "T-x", "messages": [call, run]}))
    assert [block.ok for block in store.source.outline(handle_of("amp", path)).blocks] == [False]


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf"])
def test_half_a_character_or_a_mark_in_front_does_not_cost_the_thread(tmp_path: Path, store: Store, before: bytes) -> None:
    path = tmp_path / "T-x.json"
    path.write_bytes(before + b'{"id":"T-x",\n"messages":[{"role":"user","content":"half \\ud83d of it"}]}')
    assert store.source.summarise(handle_of("amp", path)).first_prompt == "half \ufffd of it"


def test_a_picture_alone_is_a_prompt(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "T-x.json"
    path.write_text('{"id":"T-x","messages":[{"role":"user","content":[{"type":"image","source":{"mediaType":"image/png","data":"aGVsbG8="}}]}]}')
    assert [(block.kind, block.title) for block in store.source.outline(handle_of("amp", path)).blocks] == [("prompt", "[Image]"), ("image", "png")]


def test_a_thread_without_times_changed_when_its_file_did(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "T-x.json"
    path.write_text('{"id":"T-x","messages":[{"role":"user","content":"hi"}]}')
    assert store.source.summarise(handle_of("amp", path)).updated == path.stat().st_mtime_ns / 1e9
