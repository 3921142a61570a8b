"""Kimi Code: wires that say everything twice, state beside them, subagents; and the older kimi-cli."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_agents import Store, handle_of, in_home, write_lines

from sessionbrowser.model import Picture, ResumeOptions, Usage

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


def wire(kind: str, **more: object) -> dict:
    return {"type": kind, "time": 1778662800000, **more}


def said(text: str, kind: str = "user") -> dict:
    return wire("context.append_message", message={"role": "user", "content": [{"type": "text", "text": text}], "origin": {"kind": kind}})


def event(kind: str, **more: object) -> dict:
    return wire("context.append_loop_event", event={"type": kind, **more})


def test_a_turn_that_ended_without_words_is_finished(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "wire.jsonl", said("go"), event("tool.call", toolCallId="c", name="Bash", args={"command": "ls"}),
                       event("tool.result", toolCallId="c", result={"output": "x"}), wire("turn.ended", reason="completed"))  # fmt: skip
    assert store.source.summarise(handle_of("kimi", path)).tail == "finished"


NAMED = "session_b3dc2934-a17c-47f1-ba1e-6f0f802e6c34"


@pytest.mark.parametrize(("state", "title"), [
    ({"title": "Loops in main", "isCustomTitle": False}, ("Loops in main", "ai")), ({"title": "find the lo…"}, ("find the loop", "prompt")),
    ({"title": "Mine", "isCustomTitle": True}, ("Mine", "name")), ({"custom_title": "Mine"}, ("Mine", "name")), ({}, ("find the loop", "prompt")),
])  # fmt: skip
def test_a_title_is_more_than_the_prompt(home: Path, state: dict, title: tuple[str, str]) -> None:
    folder = home / ".kimi-code" / "sessions" / "wd_api_1" / NAMED
    write_lines(folder / "agents" / "main" / "wire.jsonl", said("find the loop"))
    write_lines(folder / "state.json", state)
    row = Store("kimi", in_home(home)).row(NAMED)
    assert (row.title, row.title_from) == title


def test_a_subagent_of_a_subagent_stands_below_it(home: Path) -> None:
    agents = home / ".kimi-code" / "sessions" / "wd_api_1" / NAMED / "agents"

    def spawn(call: str, agent: str) -> list[dict]:
        return [event("tool.call", toolCallId=call, name="Agent", args={"description": f"task of {agent}"}), wire("subagent.spawned", subagentId=agent, parentToolCallId=call)]

    write_lines(agents / "main" / "wire.jsonl", said("go"), *spawn("c1", "agent-0"))
    write_lines(agents / "agent-0" / "wire.jsonl", said("look", "system_trigger"), *spawn("c2", "agent-1"))
    write_lines(agents / "agent-1" / "wire.jsonl", said("look deeper", "system_trigger"))
    store = Store("kimi", in_home(home))
    (child,) = store.source.agents(store.handle(NAMED)).children
    (deeper,) = child.children
    assert (child.description, deeper.description, deeper.call, deeper.children) == ("task of agent-0", "task of agent-1", "c2", ())
    assert child.handle is not None
    assert [agent.id for agent in store.source.agents(child.handle).children] == [deeper.id]


def test_a_picture_alone_is_a_prompt(tmp_path: Path, store: Store) -> None:
    picture = {"type": "image_url", "imageUrl": {"url": "data:image/png;base64,aGVsbG8="}}
    path = write_lines(tmp_path / "wire.jsonl", wire("context.append_message", message={"role": "user", "content": [picture], "origin": {"kind": "user"}}))
    assert [(block.kind, block.title) for block in store.source.outline(handle_of("kimi", path)).blocks] == [("prompt", "[Image]"), ("image", "image")]


def test_what_the_older_program_says_of_a_turn(home: Path) -> None:
    """The directory by the name of the folder, tokens once a step, what was put in while it worked, the exit code, the end."""

    def line(kind: str, **payload: object) -> dict:
        return {"timestamp": 1778662800.5, "message": {"type": kind, "payload": payload}}

    usage = {"input_other": 5, "output": 3, "input_cache_read": 2, "input_cache_creation": 1}
    folder = home / ".kimi/sessions/0639767f3e9eaad729b54037a7e2abf5"  # of /a
    write_lines(home / ".kimi/kimi.json", {"work_dirs": [{"path": "/b"}, {"path": "/a"}]})
    write_lines(
        folder / "2b3c4d5e-0000-4000-8000-000000000000/wire.jsonl", line("TurnBegin", user_input="test it"), line("SteerInput", user_input="all of it"),
        line("ToolCall", id="c", function={"name": "Shell", "arguments": "{}"}), line("StatusUpdate", context_usage=0.1, message_id="m1"),
        line("ToolResult", tool_call_id="c", return_value={"is_error": True, "output": "no", "message": "Command failed with exit code: 2."}),
        line("StatusUpdate", token_usage=usage, message_id="m1"), line("StatusUpdate", token_usage=usage, message_id="m1"), line("TurnEnd"),
    )  # fmt: skip
    store = Store("kimi", in_home(home))
    row = store.row("2b3c")
    assert (row.cwd, row.tokens, row.tail, row.last_prompt) == ("/a", Usage(5, 3, 2, 1), "finished", "all of it")
    assert [block.exit_code for block in store.blocks("2b3c", "tool")] == [2]


def test_marks_in_the_context_of_the_older_program_are_notes(home: Path) -> None:
    write_lines(
        home / ".kimi/sessions/0123/2b3c4d5e-0000-4000-8000-000000000000/context.jsonl", {"role": "user", "content": "<system>CHECKPOINT 0</system>"},
        {"role": "user", "content": "go"}, {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": {"name": "Shell", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "<system>ERROR: no</system>"}]},
    )  # fmt: skip
    blocks = Store("kimi", in_home(home)).outline("2b3c").blocks
    assert [(block.kind, block.title, block.ok) for block in blocks] == [("note", "system: CHECKPOINT 0", None), ("prompt", "go", None), ("tool", "", False)]


@pytest.mark.parametrize(("url", "card"), [("data:image/png;base64,iVBORw0KGgo=", ("png", b"\x89PNG\r\n\x1a\n")), ("https://example.org/a,b.png", ("image", None))])
def test_a_picture_is_read_where_it_stands_and_fetched_nowhere(tmp_path: Path, store: Store, url: str, card: tuple[str, bytes | None]) -> None:
    content = [{"type": "image_url", "image_url": {"url": url}}]
    path = write_lines(tmp_path / "wire.jsonl", wire("context.append_message", message={"role": "user", "content": content, "origin": {"kind": "user"}}))
    handle = handle_of("kimi", path)
    (part,) = store.source.body(handle, store.source.outline(handle).blocks[1]).parts
    assert isinstance(part, Picture)
    assert (part.format, part.data) == card


def test_the_permission_modes_of_a_session_are_told(tmp_path: Path, store: Store) -> None:
    """Each once, in the order in which they were set."""
    records = [{"type": "permission.set_mode", "agentId": "main", "mode": mode} for mode in ("auto", "manual", "auto")]
    outline = store.source.outline(handle_of("kimi", write_lines(tmp_path / "wire.jsonl", *records[:1], {"type": "plan_mode.enter"}, *records[1:])))
    assert outline.facts["modes"] == ["auto", "plan", "manual"]


@pytest.mark.parametrize(("content", "proved"), [(None, None), ("Use the style guide.", {"one that is not named": 1})])
def test_what_plugins_said_at_the_start_proves_them(tmp_path: Path, store: Store, content: str | None, proved: object) -> None:
    """Where none said anything the record is empty."""
    handle = handle_of("kimi", write_lines(tmp_path / "wire.jsonl", {"type": "plugin.session_start", "agentId": "main", "content": content}))
    outline = store.source.outline(handle)
    assert outline.facts.get("hook_plugins") == proved
    assert [store.source.body(handle, block).text for block in outline.blocks] == [content] * bool(content)
