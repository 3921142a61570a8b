"""What releases before 0.3 left: a log of prompts, and saved conversations."""

from __future__ import annotations

import json
from pathlib import Path

from sessionbrowser.model import Handle, ResumeOptions
from sessionbrowser.paths import Environment

from .chats import ID, START, handles, meta, source, user, write_log

HASH = "9e5257a34071e3638a80fb9e4452215e12903c7b8ef7086950b71cdaa07584cc"
OTHER = "d184b1be-4770-4b36-93e8-6b57400faf67"
CONTEXT = "This is the Gemini CLI. We are setting up the context for our chat."
SAVED = [
    {"role": "user", "parts": [{"text": CONTEXT}]}, {"role": "model", "parts": [{"text": "Got it. Thanks for the context!"}]},
    {"role": "user", "parts": [{"text": "list it"}]}, {"role": "model", "parts": [{"functionCall": {"name": "run_shell_command", "args": {"command": "ls"}}}]},
    {"role": "user", "parts": [{"functionResponse": {"id": "r-1", "name": "run_shell_command", "response": {"output": "a\nExit Code: 2"}}}]},
    {"role": "model", "parts": [{"functionCall": {"name": "read_file", "args": {"absolute_path": "/p/a"}}}]},
    {"role": "user", "parts": [{"functionResponse": {"id": "r-2", "name": "read_file", "response": {"output": "text"}}}]},
    {"role": "model", "parts": [{"text": "Done."}]},
]  # fmt: skip


def project(env: Environment, **files: object) -> Path:
    """A project's folder with these documents."""
    folder = Path(env.home, ".gemini", "tmp", HASH)
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in files.items():
        (folder / f"{name.replace('_', '-')}.json").write_text(json.dumps(value))
    return folder


def typed(text: str, number: int, session: str = ID) -> dict[str, object]:
    return {"sessionId": session, "messageId": number, "type": "user", "message": text, "timestamp": START}


def only(env: Environment, name: str) -> Handle:
    return next(handle for handle in handles(env) if handle.id == name)


def test_sessions_of_the_log_are_told_apart(env: Environment) -> None:
    project(env, logs=[typed("list it", 0), typed("other", 0, OTHER), typed("/help", 1)])
    assert {handle.id for handle in handles(env)} == {ID, OTHER}
    blocks = source(env).outline(only(env, ID)).blocks
    assert [(block.kind, block.what, block.title) for block in blocks[:2]] == [("prompt", "typed", "list it"), ("prompt", "slash", "/help")]
    assert (blocks[2].kind, source(env).body(only(env, ID), blocks[0]).text) == ("note", "list it")


def test_the_row_of_the_log_says_that_answers_are_missing(env: Environment) -> None:
    project(env, logs=[typed("list it", 0)])
    row = source(env).summarise(only(env, ID))
    assert (row.title, row.tail_why, row.hidden, row.created) == ("list it", "its answers were not kept", "", 1778576400.0)
    assert source(env).resume(row, ResumeOptions()) is None


def test_where_chats_are_kept_the_log_says_nothing_new(env: Environment) -> None:
    write_log(env, meta(), user("list it"), slug=HASH)
    project(env, logs=[typed("gone", 0, OTHER)], checkpoint_tag=SAVED)
    assert {handle.id: handle.hidden for handle in handles(env)} == {"session-2026-05-12T09-00-11111111": "", "checkpoint-tag": "duplicate"}


def test_a_saved_conversation_is_read(env: Environment) -> None:
    project(env, checkpoint_tag=SAVED)
    handle = only(env, "checkpoint-tag")
    made = source(env).outline(handle)
    assert [(block.kind, block.name or block.what or block.title) for block in made.blocks] == [
        ("note", "injected"), ("prompt", "typed"), ("tool", "run_shell_command"), ("tool", "read_file"), ("text", "Done."),
    ]  # fmt: skip
    tools = [block for block in made.blocks if block.kind == "tool"]
    assert [(block.ok, block.exit_code) for block in tools] == [(False, 2), (True, None)]
    assert source(env).body(handle, tools[1]).text == "text"


def test_a_saved_conversation_has_its_name(env: Environment) -> None:
    project(env, **{"checkpoint_my%20tag": {"history": SAVED, "authType": "x"}})
    assert source(env).summarise(only(env, "checkpoint-my%20tag")).title == "my tag: list it"


def test_a_copy_of_an_early_home_is_a_root(env: Environment) -> None:
    project(env, logs=[typed("list it", 0)])
    assert source(env).root_at(env.home, "copy") is not None


def test_a_damaged_log_costs_nothing_else(env: Environment) -> None:
    folder = project(env, checkpoint_tag=SAVED)
    (folder / "logs.json").write_text("[{")
    assert [handle.id for handle in handles(env)] == ["checkpoint-tag"]
