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


SEALED = "0f4c7a52-1b9e-4d63-8a27-5e6f9c3d1b80"


def sealed(home: Path, ending: str, *typed: dict, folder: str = "antigravity-cli") -> Store:
    """A conversation without a transcript, and what was typed in it."""
    place = home / ".gemini" / folder / "conversations"
    place.mkdir(parents=True)
    (place / f"{SEALED}.{ending}").write_bytes(b"\x00")
    write_lines(place.parent / "history.jsonl", *typed)
    return Store("antigravity", in_home(home))


def typed(text: str, minute: int, identity: str = SEALED) -> dict:
    return {"display": text, "timestamp": 1777629600000 + minute * 60000, "workspace": "/home/ada/src/web", "conversationId": identity}


@pytest.mark.parametrize(("ending", "why"), [("pb", "its answers are encrypted"), ("db", "its answers are in a database that is not read")])
def test_of_a_conversation_that_cannot_be_read_the_prompts_are_known(home: Path, ending: str, why: str) -> None:
    store = sealed(home, ending, typed("add a font", 0), typed("elsewhere", 1, "1f4c7a52-1b9e-4d63-8a27-5e6f9c3d1b80"), typed("and a bold one", 2))
    row = store.row(SEALED)
    assert (row.title, row.last_prompt, row.cwd, row.tail_why, row.unreadable) == ("add a font", "and a bold one", "/home/ada/src/web", why, "")
    blocks = store.outline(SEALED).blocks
    assert [(block.kind, block.title) for block in blocks] == [("prompt", "add a font"), ("prompt", "and a bold one"), ("note", why.capitalize())]
    assert [store.text(SEALED, block) for block in blocks[:2]] == ["add a font", "and a bold one"]


def test_a_conversation_of_which_nothing_is_known_says_why(home: Path) -> None:
    row = sealed(home, "pb").row(SEALED)
    assert (row.unreadable, row.hidden, row.title) == ("its answers are encrypted", "", SEALED)


def test_a_conversation_with_a_transcript_is_one_row(demo_home: Path, store: Store) -> None:
    place = demo_home / ".gemini" / "antigravity-cli" / "conversations"
    place.mkdir(parents=True)
    identity = store.handle(FONTS).id
    for ending in ("db", "pb"):
        (place / f"{identity}.{ending}").write_bytes(b"\x00")
    assert [handle.path.endswith(".jsonl") for handle in Store("antigravity", in_home(demo_home)).handles.values()] == [True]


def test_the_editors_conversations_are_listed_and_cannot_be_resumed(home: Path) -> None:
    store = sealed(home, "pb", typed("add a font", 0), folder="antigravity")
    assert store.source.resume(store.row(SEALED), ResumeOptions()) is None


def test_files_of_other_names_are_set_aside(demo_home: Path) -> None:
    path = demo_home / ".gemini/antigravity-cli/conversations/x.pb"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\x00")
    (demo_home / ".gemini/antigravity-cli/brain" / SEALED).mkdir()
    found = Store("antigravity", in_home(demo_home)).found
    assert [item.reason for item in found if isinstance(item, SetAside)] == ["not named like a conversation", "conversation without a readable transcript"]


def test_resume_names_the_conversation(store: Store) -> None:
    resume = store.source.resume(store.row(FONTS), ResumeOptions())
    assert resume is not None
    assert resume.argv == ("agy", "--conversation", store.row(FONTS).id)


@pytest.mark.parametrize(("content", "prompt"), [
    ("what is <USER_REQUEST> for?", "what is <USER_REQUEST> for?"), ("<USER_REQUEST>\ncut sho", "cut sho"),
    ("<USER_REQUEST>\nclose </USER_REQUEST> in it\n</USER_REQUEST>\n<ADDITIONAL_METADATA>", "close </USER_REQUEST> in it"),
])  # fmt: skip
def test_a_request_that_names_its_own_tag_is_whole(tmp_path: Path, store: Store, content: str, prompt: str) -> None:
    path = write_lines(tmp_path / "x.jsonl", {"step_index": 1, "source": "USER_EXPLICIT", "type": "USER_INPUT", "content": content})
    assert store.source.summarise(handle_of("antigravity", path)).first_prompt == prompt


def test_the_other_transcript_serves_where_the_full_one_is_empty(home: Path) -> None:
    folder = home / ".gemini/antigravity-cli/brain/aaaaaaaa-1111-2222-3333-444444444444/.system_generated/logs"
    write_lines(folder / "transcript_full.jsonl")
    write_lines(folder / "transcript.jsonl", {"step_index": 1, "source": "USER_EXPLICIT", "type": "USER_INPUT", "content": "go"})
    assert Store("antigravity", in_home(home)).row("aaaa").first_prompt == "go"


def test_a_file_that_speaks_of_commands_is_read_well(tmp_path: Path, store: Store) -> None:
    step = {"source": "MODEL", "status": "DONE", "content": "the command failed with exit code: 3"}
    path = write_lines(tmp_path / "x.jsonl", {**step, "type": "VIEW_FILE"}, {**step, "type": "RUN_COMMAND"})
    blocks = store.source.outline(handle_of("antigravity", path)).blocks
    assert [(block.ok, block.exit_code) for block in blocks] == [(True, None), (False, 3)]
