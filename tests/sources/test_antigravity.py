"""Antigravity: steps that answer calls without naming them."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_agents import Store, handle_of, in_home, write_lines

from sessionbrowser.model import ResumeOptions, SetAside

FONTS = "b81f4e60"


@pytest.fixture
def store(demo_home: Path) -> Store:
    return Store("antigravity", in_home(demo_home))


def test_the_request_is_unwrapped(store: Store) -> None:
    assert store.text(FONTS, store.blocks(FONTS, "prompt")[0]) == "which licence do our fonts have?"


def test_the_model_is_in_the_settings_change(store: Store) -> None:
    assert store.row(FONTS).model == "Gemini 3.5 Flash"


def test_the_directory_is_in_the_cache_of_last_conversations(store: Store) -> None:
    assert store.row(FONTS).cwd == "/home/ada/src/web"


def test_arguments_lose_their_second_quotes(store: Store) -> None:
    assert [block.title for block in store.blocks(FONTS, "tool")] == ["/home/ada/src/web/fonts", "fc-query fonts/a.woff2"]


def test_steps_meet_the_calls_that_wait(store: Store) -> None:
    tools = store.blocks(FONTS, "tool")
    assert [(block.ok, block.exit_code) for block in tools] == [(True, None), (False, 127)]
    assert store.text(FONTS, tools[0]).startswith('{"name":"a.woff2"}')


def test_a_step_that_nobody_called_is_a_call_of_its_own(tmp_path: Path, store: Store) -> None:
    step = {"step_index": 1, "source": "MODEL", "type": "BROWSER_NAVIGATE", "status": "DONE", "created_at": "2026-05-01T10:00:00Z", "content": "opened"}
    handle = handle_of("antigravity", write_lines(tmp_path / "x.jsonl", step))
    block = store.source.outline(handle).blocks[0]
    assert (block.name, block.ok, store.source.body(handle, block).text) == ("browser_navigate", True, "opened")


def test_encrypted_conversations_are_set_aside(demo_home: Path) -> None:
    path = demo_home / ".gemini/antigravity-cli/conversations/x.pb"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\x00")
    found = Store("antigravity", in_home(demo_home)).found
    assert [item.reason for item in found if isinstance(item, SetAside)] == ["encrypted conversation"]


def test_resume_names_the_conversation(store: Store) -> None:
    resume = store.source.resume(store.row(FONTS), ResumeOptions())
    assert resume is not None
    assert resume.argv == ("agy", "--conversation", store.row(FONTS).id)
