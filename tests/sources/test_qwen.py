"""Qwen Code: records of a chat, exact exit codes, branches and subagents in files of their own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from small_agents import Store, handle_of, in_home, write_lines

from sessionbrowser.model import ResumeOptions

CHAT, SCOUT = "c3a7f1d0", "Explore"


@pytest.fixture
def store(demo_home: Path) -> Store:
    return Store("qwen", in_home(demo_home))


def record(number: int, parent: int, kind: str, *parts: dict, **more: object) -> dict:
    keys = {"uuid": f"{number:08d}-0000-4000-8000-000000000000", "parentUuid": f"{parent:08d}-0000-4000-8000-000000000000" if parent else None}
    return {**keys, "timestamp": "2026-05-01T10:00:00Z", "type": kind, "cwd": "/p", "message": {"role": "user", "parts": list(parts)}, **more}


def test_a_custom_title_wins(store: Store) -> None:
    assert (store.row(CHAT).title, store.row(CHAT).branch, store.row(CHAT).subagents) == ("Environment variables", "main", 1)


def test_exit_codes_come_from_the_result(store: Store) -> None:
    assert [block.exit_code for block in store.blocks(CHAT, "tool")] == [127, None]


def test_bookkeeping_rows_do_not_branch_the_talk(store: Store) -> None:
    """Telemetry stands between messages in the tree."""
    assert {block.branch for block in store.outline(CHAT).blocks} == {0}


def test_the_call_leads_to_its_subagent_and_back(store: Store) -> None:
    call = store.blocks(CHAT, "tool")[1]
    child = store.source.agents(store.handle(CHAT)).children[0]
    assert (call.subagent, child.id, child.call, child.type, child.status) == ("Explore-call_q2", "Explore-call_q2", call.call, "Explore", "finished")


def test_a_subagent_that_is_said_to_run_long_after_its_last_word_was_cut_off(demo_home: Path, store: Store) -> None:
    """Its program ended without saying so."""
    (meta,) = demo_home.glob(".qwen/projects/*/subagents/*/agent-Explore-call_q2.meta.json")
    meta.write_text(meta.read_text().replace("completed", "running"))
    assert store.source.agents(store.handle(CHAT)).children[0].status == "interrupted"


def test_the_task_of_a_subagent_is_no_prompt_of_a_person(store: Store) -> None:
    assert [block.what for block in store.blocks(SCOUT, "prompt")] == ["subagent"]
    assert (store.row(SCOUT).counts.prompts, store.row(SCOUT).parent) == (0, store.row(CHAT).id)


def test_subagents_are_not_entered_without_need(demo_home: Path, store: Store) -> None:
    root = store.source.roots()[0]
    assert len(list(store.source.discover(root, deep=False))) == 1


def test_a_rewound_message_is_a_branch(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", record(1, 0, "user", {"text": "one"}), record(2, 1, "assistant", {"text": "bad"}),
                       record(3, 1, "system", subtype="rewind"), record(4, 3, "assistant", {"text": "good"}))  # fmt: skip
    texts = [block for block in store.source.outline(handle_of("qwen", path)).blocks if block.kind == "text"]
    assert [block.branch for block in texts] == [1, 0]


def test_injected_parts_and_notifications_are_notes(tmp_path: Path, store: Store) -> None:
    path = write_lines(
        tmp_path / "x.jsonl",
        record(1, 0, "user", {"text": "mine"}, {"text": "<qwen:user-prompt-submit-context>\nhook\n</qwen:user-prompt-submit-context>"}),
        record(2, 1, "user", {"text": "<task-notification>done</task-notification>"}, subtype="notification", provenance="system"),
    )
    made = store.source.outline(handle_of("qwen", path))
    assert [(block.kind, block.title[:6]) for block in made.blocks] == [("prompt", "mine"), ("note", "user p"), ("note", "task n")]


def test_a_message_typed_while_a_turn_ran_is_a_prompt(tmp_path: Path, store: Store) -> None:
    """It carries a subtype, and a person typed it all the same."""
    path = write_lines(tmp_path / "x.jsonl", record(1, 0, "user", {"text": "also this"}, subtype="mid_turn_user_message"))
    assert [block.what for block in store.source.outline(handle_of("qwen", path)).blocks] == ["queued"]


def test_two_records_on_one_line_are_both_read(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", record(1, 0, "user", {"text": "one"}), record(2, 1, "assistant", {"text": "two"}))
    path.write_text(path.read_text().replace("}\n{", "}{"))
    handle = handle_of("qwen", path)
    made = store.source.outline(handle)
    assert [store.source.body(handle, block).text for block in made.blocks] == ["one", "two"]
    assert made.damage[0].reason == "several records on one line"


def test_resume_needs_the_project(store: Store) -> None:
    resume = store.source.resume(store.row(CHAT), ResumeOptions(fork=True))
    assert resume is not None
    assert (resume.argv[1:], resume.cwd) == (("--resume", store.row(CHAT).id, "--fork-session"), "/home/ada/src/api")


def test_a_report_of_a_command_without_numbers_of_its_own(tmp_path: Path, store: Store) -> None:
    """So 0.15 keeps it: labelled lines in the answer to the model."""
    report = "Command: make\nDirectory: (root)\nOutput: no rule\nError: (none)\nExit Code: 2\nSignal: 0\nProcess Group PGID: 7"
    answer = {"functionResponse": {"id": "c1", "name": "run_shell_command", "response": {"output": report}}}
    call = {"functionCall": {"id": "c1", "name": "run_shell_command", "args": {"command": "make"}}}
    path = write_lines(tmp_path / "x.jsonl", record(1, 0, "assistant", call),
                       record(2, 1, "tool_result", answer, toolCallResult={"callId": "c1", "status": "success", "resultDisplay": "Command exited with code: 2"}))  # fmt: skip
    handle = handle_of("qwen", path)
    (block,) = store.source.outline(handle).blocks
    assert (block.ok, block.exit_code, store.source.body(handle, block).text) == (False, 2, "Command exited with code: 2")


def test_an_agent_in_the_background_has_not_answered(tmp_path: Path, store: Store) -> None:
    """What the model is told about it is no answer."""
    told = "Background agent launched successfully.\ntask_id: Explore-c1 (internal ID)\nDo not relaunch it."
    call = {"functionCall": {"id": "c1", "name": "agent", "args": {"description": "look", "prompt": "look around", "subagent_type": "Explore"}}}
    answer = {"functionResponse": {"id": "c1", "name": "agent", "response": {"output": told}}}
    path = write_lines(tmp_path / "x.jsonl", record(1, 0, "assistant", call), record(2, 1, "tool_result", answer, toolCallResult={"callId": "c1", "status": "success"}))
    handle = handle_of("qwen", path)
    (block,) = store.source.outline(handle).blocks
    assert (block.ok, block.outcome, store.source.body(handle, block).text) == (True, "in background", "Background agent launched successfully.")


def test_an_error_of_the_model_is_told_by_telemetry_alone(tmp_path: Path, store: Store) -> None:
    told = {"uiEvent": {"event.name": "qwen-code.api_error", "error_message": "400 no"}}
    path = write_lines(tmp_path / "x.jsonl", record(1, 0, "user", {"text": "go"}), record(2, 1, "system", subtype="ui_telemetry", systemPayload=told))
    handle = handle_of("qwen", path)
    assert [(block.kind, block.what, block.title) for block in store.source.outline(handle).blocks] == [("prompt", "typed", "go"), ("note", "error", "400 no")]
    assert store.source.summarise(handle).tail == "failed"


@pytest.mark.parametrize(("pid", "status"), [(os.getpid(), ""), (2147483646, "gone")], ids=["here", "gone"])
def test_an_open_session_is_known_by_its_process(demo_home: Path, pid: int, status: str) -> None:
    folder = demo_home / ".qwen" / "sessions"
    folder.mkdir()
    session = "b9b53309-c66a-4346-aefa-17254cccca6c"
    (folder / f"{pid}.json").write_text(json.dumps({"pid": pid, "sessionId": session, "procStart": ""}))
    (folder / "1.json").write_text("[]")
    source = Store("qwen", in_home(demo_home)).source
    assert [(live.id, live.status, live.pid) for live in source.live(source.roots()[0])] == [(session, status, pid)]


def early(home: Path, *messages: dict) -> Store:
    """A chat as releases before 0.5 kept it."""
    path = home / ".qwen" / "tmp" / ("0" * 64) / "chats" / "session-2026-05-01T10-00-e7010f1a.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"sessionId": EARLY, "projectHash": "0" * 64, "startTime": "2026-05-01T10:00:00Z", "messages": list(messages)}))
    return Store("qwen", in_home(home))


EARLY = "e7010f1a-775b-467f-b7a6-82a87e5048ac"


def said(kind: str, content: str, **more: object) -> dict:
    return {"id": content, "timestamp": "2026-05-01T10:00:01Z", "type": kind, "content": content, **more}


def test_chats_of_early_releases_are_read(home: Path) -> None:
    store = early(home, said("user", "list it"), said("qwen", "Two files.", model="qwen3-coder"))
    (handle,) = store.handles.values()
    row = store.source.summarise(handle)
    assert (row.source, row.id, row.title, row.model, row.tail) == ("qwen", EARLY, "list it", "qwen3-coder", "finished")
    blocks = store.source.outline(handle).blocks
    assert [block.kind for block in blocks] == ["prompt", "text"]
    assert store.source.body(handle, blocks[1]).text == "Two files."
    assert [passage.text for passage in store.source.passages(handle)] == ["list it", "Two files."]
    assert store.source.agents(handle).children == ()


def test_later_releases_cannot_go_on_with_an_early_chat(home: Path) -> None:
    store = early(home, said("user", "list it"))
    (handle,) = store.handles.values()
    assert store.source.resume(store.source.summarise(handle), ResumeOptions()) is None


def test_a_copy_of_an_early_home_is_a_root(home: Path, tmp_path: Path) -> None:
    store = early(home, said("user", "list it"))
    for place in (home, home / ".qwen"):
        root = store.source.root_at(str(place), "copy")
        assert root is not None
        assert root.path.endswith("tmp")
    assert store.source.root_at(str(tmp_path), "copy") is None


@pytest.mark.parametrize("name", ["QWEN_RUNTIME_DIR", "QWEN_HOME"])
def test_chats_lie_where_the_program_is_told_to_keep_them(home: Path, tmp_path: Path, name: str) -> None:
    """The person's own are listed as before."""
    for place in (tmp_path / "told", home / ".qwen"):
        (place / "projects").mkdir(parents=True)
    environment = in_home(home)
    source = Store("qwen", environment._replace(variables={**environment.variables, name: str(tmp_path / "told")})).source
    assert [root.path for root in source.roots()] == [str(tmp_path / "told" / "projects"), str(home / ".qwen" / "projects")]


@pytest.mark.parametrize(("record_of_result", "text"), [
    ({"toolCallResult": {"callId": "c1", "status": "success", "resultDisplay": "shown"}}, "shown"),
    ({"parts": [{"functionResponse": {"id": "c1", "name": "look", "response": "bare"}}]}, "bare"),
    ({"parts": [{"functionResponse": {"id": "c1", "name": "look", "response": {"output": {"rows": 1}}}}]}, '{\n  "rows": 1\n}'),
])  # fmt: skip
def test_what_a_tool_gave_in_every_form(tmp_path: Path, store: Store, record_of_result: dict, text: str) -> None:
    """A record without an answer to the model closes its call all the same."""
    more = {"message": {"role": "user", "parts": record_of_result["parts"]}} if "parts" in record_of_result else {**record_of_result, "message": None}
    path = write_lines(tmp_path / "x.jsonl", record(1, 0, "assistant", {"functionCall": {"id": "c1", "name": "look"}}), record(2, 1, "tool_result", **more))
    handle = handle_of("qwen", path)
    (block,) = store.source.outline(handle).blocks
    assert (block.ok, store.source.body(handle, block).text) == (True, text)


def test_an_edit_shows_the_lines_it_changed(tmp_path: Path, store: Store) -> None:
    """Where they stand in the file is in what was displayed."""
    display = {"fileDiff": "--- a\n+++ b\n@@ -5,1 +5,2 @@\n-a\n+b\n+c\n", "fileName": "x"}
    path = write_lines(
        tmp_path / "x.jsonl", record(1, 0, "assistant", {"functionCall": {"id": "c1", "name": "edit", "args": {"file_path": "/x"}}}),
        record(2, 1, "tool_result", {"functionResponse": {"id": "c1", "name": "edit", "response": {"output": "ok"}}}, toolCallResult={"callId": "c1", "resultDisplay": display}),
    )  # fmt: skip
    (block,) = store.source.outline(handle_of("qwen", path)).blocks
    assert (block.added, block.removed) == (2, 1)


@pytest.mark.parametrize("message", ["hello", {"content": "hello"}, {"parts": ["hello"]}, {"parts": "hello"}])
def test_a_prompt_in_every_form(tmp_path: Path, store: Store, message: object) -> None:
    path = write_lines(tmp_path / "x.jsonl", {**record(1, 0, "user"), "message": message})
    assert store.source.summarise(handle_of("qwen", path)).title == "hello"


def test_a_prompt_is_what_the_person_saw_of_it(tmp_path: Path, store: Store) -> None:
    """What was put around it for the model is not."""
    path = write_lines(tmp_path / "x.jsonl", record(1, 0, "user", {"text": "Answer briefly. hi"}, systemPayload={"displayText": "hi"}))
    assert store.source.summarise(handle_of("qwen", path)).first_prompt == "hi"


def test_what_a_subagent_is_told_in_the_session_itself_is_no_prompt(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", record(1, 0, "user", {"text": "mine"}), record(2, 1, "user", {"text": "its"}, isSidechain=True, agentId="a"))
    row = store.source.summarise(handle_of("qwen", path))
    assert row.counts is not None and (row.counts.prompts, row.last_prompt) == (1, "mine")


@pytest.mark.parametrize(("total", "output"), [(122, 20), (125, 23)], ids=["within the answer", "besides"])
def test_what_was_thought_is_counted_once(tmp_path: Path, store: Store, total: int, output: int) -> None:
    usage = {"promptTokenCount": 102, "candidatesTokenCount": 20, "thoughtsTokenCount": 3, "totalTokenCount": total}
    path = write_lines(tmp_path / "x.jsonl", record(1, 0, "assistant", {"text": "a"}, usageMetadata=usage))
    assert store.source.outline(handle_of("qwen", path)).tokens.output == output


def test_no_subagent_is_lost_to_a_circle(demo_home: Path) -> None:
    """Of two that name one another as their parents, of one that names itself, and of one without a file beside it."""
    env = in_home(demo_home)
    session = Store("qwen", env).handle(CHAT)
    beside = Path(session.path).parent.parent / "subagents" / session.id
    for name, parent in (("A-1", "B-2"), ("B-2", "A-1"), ("C-3", "C-3"), ("D-4", None)):
        write_lines(beside / f"agent-{name}.jsonl", record(1, 0, "user", {"text": f"task {name}"}))
        if parent:
            (beside / f"agent-{name}.meta.json").write_text(json.dumps({"agentId": name, "parentAgentId": parent}))
    tree = {child.id: child for child in Store("qwen", env).source.agents(session).children}
    assert {"A-1", "C-3", "D-4"} <= tree.keys() and [child.id for child in tree["A-1"].children] == ["B-2"]
    assert tree["D-4"].description == "task D-4"


def test_what_a_session_let_happen_unasked_stands_beside_its_subagents(demo_home: Path) -> None:
    """Of the session itself and of the subagent."""
    env = in_home(demo_home)
    session = Store("qwen", env).handle(CHAT)
    beside = Path(session.path).parent.parent / "subagents" / session.id
    write_lines(beside / "agent-A-1.jsonl", record(1, 0, "user", {"text": "task"}))
    (beside / "agent-A-1.meta.json").write_text(json.dumps({"persistedCliFlags": {"approvalMode": "yolo", "sandbox": None}, "resolvedApprovalMode": "yolo"}))
    store = Store("qwen", env)
    assert store.row("A-1").facts["approval"] == store.row(CHAT).facts["approval"] == "yolo"
    assert "sandbox" not in store.row(CHAT).facts


def titled(number: int, title: str) -> dict:
    return record(number, number - 1, "system", subtype="custom_title", systemPayload={"customTitle": title})


def test_a_title_without_words_takes_the_title_back(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", record(1, 0, "user", {"text": "go"}), titled(2, "Gone"), titled(3, ""))
    assert store.source.summarise(handle_of("qwen", path)).title == "go"


def test_a_title_is_found_where_qwen_looks_for_it(tmp_path: Path, store: Store) -> None:
    """In the last 64 KB of a long chat."""
    said = [record(n, n - 1, "user", {"text": "x" * 4000}) for n in range(1, 41)]
    path = write_lines(tmp_path / "x.jsonl", *said[:26], titled(27, "In the middle"), *said[27:])
    assert store.source.summarise(handle_of("qwen", path)).title == "In the middle"
