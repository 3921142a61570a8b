"""Kimi Code: wires that say everything twice, state beside them, subagents; and the older kimi-cli."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_agents import Store, handle_of, in_home, write_lines

from sessionbrowser.model import ResumeOptions, Usage

ALT = "session_9a1e5c37-60fd-4b28-8e90-d4c7b3f2a165"


@pytest.fixture
def store(demo_home: Path) -> Store:
    return Store("kimi", in_home(demo_home))


def test_what_is_logged_twice_counts_once(store: Store) -> None:
    """turn.prompt repeats the message."""
    assert store.row(ALT).counts.prompts == 1


def test_a_reminder_is_a_note(store: Store) -> None:
    assert [block.what for block in store.blocks(ALT, "note")] == ["injected"]


def test_the_row_takes_title_and_directory_from_the_state(store: Store) -> None:
    row = store.row(ALT)
    assert (row.title, row.cwd, row.subagents, row.model) == ("Alt texts", "/home/ada/src/web", 1, "kimi-k2")


def test_steps_give_the_tokens(store: Store) -> None:
    assert store.row(ALT).tokens == Usage(2500, 110, 1300, 0)


def test_a_failed_command_has_its_exit_code(store: Store) -> None:
    assert [(block.ok, block.exit_code) for block in store.blocks(ALT, "tool")] == [(False, 2), (True, None)]


def test_the_call_leads_to_its_subagent_and_back(store: Store) -> None:
    call = store.blocks(ALT, "tool")[1]
    child = store.source.agents(store.handle(ALT)).children[0]
    assert (call.subagent, child.call, child.type) == (child.id, call.call, "explore")


@pytest.mark.parametrize(("output", "answer"), [
    ('agent_id: agent-0\nstatus: completed\n\n[summary]\nThree callers.\n\nOne is odd.\n\nresume_hint: Continue with Agent(resume="agent-0").', "Three callers.\n\nOne is odd."),
    ("agent_id: agent-0\nstatus: completed\n\nnothing", "nothing"), ("what agent_id: says", "what agent_id: says"),
])  # fmt: skip
def test_the_answer_of_a_subagent_stands_alone(tmp_path: Path, store: Store, output: str, answer: str) -> None:
    """Without what its program tells the model around it."""
    events = ({"type": "tool.call", "toolCallId": "c", "name": "Agent", "args": {"prompt": "look"}}, {"type": "tool.result", "toolCallId": "c", "result": {"output": output}})
    path = write_lines(tmp_path / "wire.jsonl", *({"type": "context.append_loop_event", "event": event, "time": 1778662800000} for event in events))
    handle = handle_of("kimi", path)
    call = next(block for block in store.source.outline(handle).blocks if block.kind == "tool")
    assert (store.source.body(handle, call).text, call.size) == (answer, len(answer))


def test_the_task_of_a_subagent_is_no_prompt_of_a_person(store: Store) -> None:
    agent = f"{ALT}/agent-0"
    assert [block.what for block in store.blocks(agent, "prompt")] == ["subagent"]
    assert store.row(agent).parent == ALT


def test_an_archived_session_is_hidden(demo_home: Path) -> None:
    path = demo_home / ".kimi-code/sessions/wd_web_1f2e3d4c5b6a" / ALT / "state.json"
    path.write_text(path.read_text().replace('"archived": false', '"archived": true'))
    assert Store("kimi", in_home(demo_home)).row(ALT).hidden == "archived"


@pytest.mark.parametrize(("reason", "tail"), [("cancelled", "interrupted"), ("failed", "failed")])
def test_how_a_turn_ended(tmp_path: Path, store: Store, reason: str, tail: str) -> None:
    path = write_lines(tmp_path / "wire.jsonl", {"type": "turn.ended", "reason": reason, "time": 1778662800000})
    assert store.source.summarise(handle_of("kimi", path)).tail == tail


def test_the_older_program_is_read_too(home: Path) -> None:
    def line(kind: str, **payload: object) -> dict:
        return {"timestamp": 1778662800.5, "message": {"type": kind, "payload": payload}}

    write_lines(
        home / ".kimi/sessions/0123/2b3c4d5e-0000-4000-8000-000000000000/wire.jsonl",
        line("TurnBegin", user_input="list it"),
        line("ContentPart", type="think", think="hm"),
        line("ToolCall", id="c", function={"name": "Shell", "arguments": '{"command":"ls"}'}),
        line("ToolResult", tool_call_id="c", return_value={"is_error": True, "output": "no"}),
        line("ContentPart", type="text", text="nothing there"),
    )
    old = Store("kimi", in_home(home))
    assert [(block.kind, block.ok) for block in old.outline("2b3c").blocks] == [("prompt", None), ("thinking", None), ("tool", False), ("text", None)]


def test_resume_needs_the_directory(store: Store) -> None:
    resume = store.source.resume(store.row(ALT), ResumeOptions())
    assert resume is not None
    assert (resume.argv, resume.cwd) == (("kimi", "--session", ALT), "/home/ada/src/web")


def test_marks_between_turns(tmp_path: Path, store: Store) -> None:
    """Cancelling, clearing and undoing are notes."""
    path = write_lines(tmp_path / "wire.jsonl", *({"type": kind, "time": 1778662800000} for kind in ("turn.cancel", "context.clear", "context.undo")))
    assert [block.what for block in store.source.outline(handle_of("kimi", path)).blocks] == ["interrupt", "clear", "branch"]


def test_answers_name_the_model_that_was_named_last(store: Store) -> None:
    """Kimi says it once, not with each record."""
    assert {block.model for block in store.blocks("session_9a1e5c37", "text")} == {"kimi-k2"}


def test_a_command_of_the_person_is_a_prompt_with_its_output(tmp_path: Path, store: Store) -> None:
    def told(text: str, phase: str) -> dict:
        message = {"role": "user", "content": [{"type": "text", "text": text}], "origin": {"kind": "shell_command", "phase": phase}}
        return {"type": "context.append_message", "message": message}

    path = write_lines(tmp_path / "wire.jsonl", told("<bash-input>\nmake\n</bash-input>", "input"),
                       told("<bash-stdout>one\ntwo\n</bash-stdout><bash-stderr>bad</bash-stderr>", "output"))  # fmt: skip
    handle = handle_of("kimi", path)
    blocks = store.source.outline(handle).blocks
    assert [(block.kind, block.what, block.title) for block in blocks] == [("prompt", "bash", "make"), ("note", "output", "output")]
    assert store.source.body(handle, blocks[1]).text == "one\ntwo\nbad"


def test_the_index_tells_the_directory_where_nothing_else_does(home: Path) -> None:
    name = "session_a3dc2934-a17c-47f1-ba1e-6f0f802e6c34"
    folder = home / ".kimi-code" / "sessions" / "wd_api_1" / name
    message = {"role": "user", "content": [{"type": "text", "text": "go"}], "origin": {"kind": "user"}}
    write_lines(folder / "agents" / "main" / "wire.jsonl", {"type": "metadata", "protocol_version": "1.3"}, {"type": "context.append_message", "message": message})
    write_lines(home / ".kimi-code" / "session_index.jsonl", {"sessionId": name, "workDir": "/home/ada/src/api"})
    row = Store("kimi", in_home(home)).row(name)
    assert (row.cwd, row.project) == ("/home/ada/src/api", "api")
