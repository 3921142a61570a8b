"""Factory Droid: sessions, settings beside them, the injected first message, outcomes and forks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_agents import Store, handle_of, in_home, write_lines

from sessionbrowser.model import Picture, ResumeOptions, Usage

ORDERS, FORK = "5d1c8a70", "8e44b1c2"
START = {"type": "session_start", "id": "s", "title": "New Session", "version": 2, "cwd": "/p"}


@pytest.fixture
def store(demo_home: Path) -> Store:
    return Store("droid", in_home(demo_home))


def message(role: str, *parts: dict, key: str = "", parent: str = "") -> dict:
    return {"type": "message", "id": key, "parentId": parent, "timestamp": "2026-05-01T10:00:00Z", "message": {"role": role, "content": list(parts)}}


def test_settings_files_are_no_sessions(store: Store) -> None:
    """`<id>.settings.json` lies beside each session and is neither a row nor set aside."""
    assert len(store.found) == 2


def test_the_row_takes_model_and_tokens_from_the_settings(store: Store) -> None:
    """The session's own lines have no totals."""
    row = store.row(ORDERS)
    assert (row.model, row.tokens) == ("claude-sonnet-4-5", Usage(5200, 640, 18400, 300))


def test_both_modes_of_the_settings_are_told(store: Store) -> None:
    """What may be done unasked, and how one talks."""
    assert store.row(ORDERS).facts["modes"] == ["autonomy: medium", "interaction: auto"]


def test_the_injected_first_message_is_a_note(store: Store) -> None:
    """A message of system reminders alone is nobody's prompt."""
    assert [block.what for block in store.blocks(ORDERS, "note")] == ["injected"]
    assert store.row(ORDERS).counts.prompts == 1


def test_a_failing_command_has_its_exit_code(store: Store) -> None:
    shell = next(block for block in store.blocks(ORDERS, "tool") if block.what == "shell")
    assert (shell.ok, shell.exit_code, shell.outcome) == (False, 1, "exit 1")


def test_an_edit_is_a_diff(store: Store) -> None:
    edit = next(block for block in store.blocks(ORDERS, "tool") if block.what == "edit")
    assert [type(part).__name__ for part in store.source.body(store.handle(ORDERS), edit).parts] == ["Diff"]


def test_a_name_given_by_a_person_is_the_title(store: Store) -> None:
    assert (store.row(FORK).title, store.row(FORK).title_from) == ("Fall back to the shop's currency", "name")


def test_an_automatic_title_is_only_the_prompt_again(store: Store) -> None:
    assert store.row(ORDERS).title_from == "prompt"


def test_a_fork_knows_its_origin_and_what_was_copied(store: Store) -> None:
    """Everything up to the message it was made at was copied."""
    assert store.row(FORK).forked_from == store.row(ORDERS).id
    prompts = store.blocks(FORK, "prompt")
    assert [block.copied for block in prompts] == [True, False]
    assert store.row(FORK).facts["own_prompt"] is True


def test_a_fork_stands_in_the_tree_of_its_origin(store: Store) -> None:
    children = store.source.agents(store.handle(ORDERS)).children
    assert [(child.kind, child.id) for child in children] == [("fork", store.row(FORK).id)]


def test_an_open_call_is_how_the_session_ends(store: Store) -> None:
    assert (store.row(FORK).tail, store.row(ORDERS).tail) == ("calling", "finished")


def test_a_cancelled_turn_is_an_interrupt(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", START, message("user", {"type": "text", "text": "go"}, key="u1"),
                       {"type": "agent_turn_outcome", "turnId": "u1", "reason": "cancelled"})  # fmt: skip
    row = store.source.summarise(handle_of("droid", path))
    assert (row.tail, row.counts.interrupts) == ("interrupted", 1)


def test_words_behind_a_reminder_in_one_part_are_a_prompt(tmp_path: Path, store: Store) -> None:
    """Older files put the reminder and the person's words into one text; the words are not lost."""
    words = {"type": "text", "text": "<system-reminder>\nBe concise.\n</system-reminder>\n\nDo the thing"}
    path = write_lines(tmp_path / "x.jsonl", START, message("user", words, key="m1"))
    assert store.source.summarise(handle_of("droid", path)).first_prompt == "Do the thing"


def test_a_headless_run_is_hidden(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", START, message("user", {"type": "text", "text": "go"}, key="u1"))
    path.with_name("x.settings.json").write_text('{"tags":[{"name":"exec"}]}')
    row = store.source.summarise(handle_of("droid", path))
    assert (row.origin, row.hidden) == ("headless", "headless")


@pytest.mark.parametrize(("output", "shown", "code"), [
    ("a\nb\n[Process exited with code 2]", "a\nb", 2), ("[Process exited with code 0]\n", "", 0), ("print [Process exited with code 0]", "print [Process exited with code 0]", 0),
])  # fmt: skip
def test_how_a_command_ended_is_told_beside_it(tmp_path: Path, store: Store, output: str, shown: str, code: int) -> None:
    """And no line of its output."""
    call = message("assistant", {"type": "tool_use", "id": "c", "name": "Execute", "input": {"command": "x"}}, key="a")
    answer = message("user", {"type": "tool_result", "tool_use_id": "c", "content": output}, key="b", parent="a")
    handle = handle_of("droid", write_lines(tmp_path / "x.jsonl", START, call, answer))
    (block,) = [block for block in store.source.outline(handle).blocks if block.kind == "tool"]
    assert (store.source.body(handle, block).text, block.exit_code, block.size) == (shown, code, len(shown))


def test_saved_stream_output_is_read_too(tmp_path: Path, store: Store) -> None:
    """The dialect of `droid exec -o stream-json`."""
    path = write_lines(
        tmp_path / "run.jsonl",
        {"type": "system", "session_id": "r", "timestamp": "2026-05-01T10:00:00Z", "model": "m", "cwd": "/p"},
        {"type": "message", "role": "user", "text": "list", "timestamp": "2026-05-01T10:00:01Z", "id": "m1"},
        {"type": "tool_call", "toolCallId": "c", "toolName": "Execute", "parameters": {"command": "ls"}, "timestamp": "2026-05-01T10:00:02Z"},
        {"type": "tool_result", "toolCallId": "c", "value": {"stdout": "", "stderr": "no", "exitCode": 3}},
        {"type": "completion", "finalText": "done", "timestamp": "2026-05-01T10:00:04Z"},
    )
    made = store.source.outline(handle_of("droid", path))
    tool = next(block for block in made.blocks if block.kind == "tool")
    assert (made.counts.prompts, tool.exit_code, made.blocks[-1].title) == (1, 3, "done")


def test_resume_uses_the_recorded_directory(store: Store) -> None:
    resume = store.source.resume(store.row(ORDERS), ResumeOptions())
    assert resume is not None
    assert (resume.argv, resume.cwd) == (("droid", "--resume", store.row(ORDERS).id), "/home/ada/src/api")


def test_an_id_that_is_no_uuid_never_becomes_an_argument(store: Store) -> None:
    assert store.source.resume(store.row(ORDERS)._replace(id="--yolo"), ResumeOptions()) is None


def test_a_copy_of_the_store_offers_no_resume(demo_home: Path, store: Store) -> None:
    """From a backup the agent would not find the session."""
    root = store.source.root_at(str(demo_home / ".factory"), "backup")
    assert root is not None
    row = store.source.summarise(next(iter(store.source.discover(root))))
    assert (row.root, store.source.resume(row, ResumeOptions())) == ("backup", None)


def test_reading_goes_on_where_it_stopped(demo_home: Path, store: Store) -> None:
    """Only what was appended is read, and the open call is closed in place."""
    handle = store.handle(FORK)
    before = store.source.outline(handle)
    with open(handle.path, "a") as file:
        file.write('{"type":"message","id":"z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_d4","content":"class Shop"}]}}\n')
    after = store.source.outline(handle, before)
    assert (after.restarted, len(after.blocks), before.blocks[-1].ok, after.blocks[-1].ok) == (False, len(before.blocks), None, True)


def test_a_replaced_file_is_read_anew(store: Store) -> None:
    handle = store.handle(FORK)
    before = store.source.outline(handle)
    path = Path(handle.path)
    path.write_text(path.read_text().replace("/shop/models.py", "/shop/tables.py"))
    after = store.source.outline(handle, before)
    assert after.restarted
    assert after.blocks[-1].title.endswith("tables.py")


def test_a_session_started_by_a_call_is_its_subagent(home: Path) -> None:
    """Its first record names the session and the call; its task is no prompt of a person."""
    folder = home / ".factory" / "sessions" / "-p"
    call = {"type": "tool_use", "id": "c1", "name": "Task", "input": {"subagent_type": "worker", "prompt": "look"}}
    write_lines(folder / "parent.jsonl", {**START, "id": "parent"}, message("assistant", call, key="a1"))
    write_lines(folder / "child.jsonl", {**START, "id": "child", "callingSessionId": "parent", "callingToolUseId": "c1"},
                message("user", {"type": "text", "text": "look"}, key="b1"), message("assistant", {"type": "text", "text": "seen"}, key="b2"),
                {"type": "agent_turn_outcome", "turnId": "b1", "reason": "completed"})  # fmt: skip
    store = Store("droid", in_home(home))
    row = store.row("child")
    assert (row.hidden, row.parent, row.counts.prompts) == ("subagent", "parent", 0)
    assert store.blocks("parent", "tool")[0].subagent == "child"
    assert [(agent.kind, agent.call, agent.status) for agent in store.source.agents(store.handle("parent")).children] == [("subagent", "c1", "finished")]


def test_a_subagent_whose_last_words_ask_is_finished(home: Path) -> None:
    """Nobody can answer it."""
    folder = home / ".factory" / "sessions" / "-p"
    write_lines(folder / "parent.jsonl", {**START, "id": "parent"}, message("user", {"type": "text", "text": "go"}, key="a1"))
    write_lines(folder / "child.jsonl", {**START, "id": "child", "callingSessionId": "parent", "callingToolUseId": "c1"},
                message("user", {"type": "text", "text": "look"}, key="b1"), message("assistant", {"type": "text", "text": "Which one?"}, key="b2"))  # fmt: skip
    store = Store("droid", in_home(home))
    assert store.row("child").tail == "asking"
    assert [agent.status for agent in store.source.agents(store.handle("parent")).children] == ["finished"]


@pytest.mark.parametrize("field", [{"visibility": "user_only"}, {"visibility": "llm_only"}, {"userMessageSource": "automation"}])
def test_messages_of_the_program_are_notes(tmp_path: Path, store: Store, field: dict[str, str]) -> None:
    """They have the role of the user."""
    record = message("user", {"type": "text", "text": "by the way"}, key="m1")
    record["message"].update(field)
    made = store.source.outline(handle_of("droid", write_lines(tmp_path / "x.jsonl", START, record)))
    assert [(block.kind, block.what) for block in made.blocks] == [("note", "injected")]


def test_only_hooks_that_failed_are_told(tmp_path: Path, store: Store) -> None:
    records = []
    for status in (0, 2):
        record = message("user", key=f"h{status}")
        record["message"].update({"hookEventName": "Stop", "hookResults": [{"exitCode": status, "stdout": "", "stderr": "lint"}]})
        records.append(record)
    made = store.source.outline(handle_of("droid", write_lines(tmp_path / "x.jsonl", START, *records)))
    assert [block.title for block in made.blocks] == ["Hook Stop failed (exit 2)"]


def test_an_archived_session_is_hidden(demo_home: Path) -> None:
    path = next((demo_home / ".factory").rglob("5d1c8a70*.settings.json"))
    path.write_text(path.read_text().replace('"tags": []', '"tags": [], "archivedAt": "2026-05-13T10:00:00Z"'))
    row = Store("droid", in_home(demo_home)).row(ORDERS)
    assert (row.archived, row.hidden) == (True, "archived")


def test_words_among_the_parts_are_a_prompt(tmp_path: Path, store: Store) -> None:
    """Some writers put a string where a part of text belongs, or the content beside the role."""
    path = write_lines(tmp_path / "x.jsonl", {"type": "message", "id": "m1", "message": {"role": "user", "content": ["one", {"type": "text", "text": "two"}]}},
                       {"type": "message", "id": "m2", "role": "user", "content": [{"type": "text", "text": "three"}]})  # fmt: skip
    blocks = store.source.outline(handle_of("droid", path)).blocks
    assert [block.title for block in blocks] == ["one two", "three"]


def test_a_made_title_goes_before_the_first_prompt(tmp_path: Path, store: Store) -> None:
    """`title` is how the session began; `sessionTitle` is what it was called later."""
    path = write_lines(tmp_path / "s.jsonl", {**START, "title": "fix it please", "sessionTitle": "Mend the parser"}, message("user", {"type": "text", "text": "fix it please"}))
    row = store.source.summarise(handle_of("droid", path))
    assert (row.title, row.title_from) == ("Mend the parser", "ai")


def test_sessions_lie_in_the_home_that_is_told(home: Path, tmp_path: Path) -> None:
    """Under the same name as in the person's own."""
    told = tmp_path / "told"
    write_lines(told / ".factory" / "sessions" / "-p" / f"{ORDERS}.jsonl", START)
    environment = in_home(home)
    source = Store("droid", environment._replace(variables={**environment.variables, "FACTORY_HOME_OVERRIDE": str(told)})).source
    assert [root.path for root in source.roots()] == [str(told / ".factory" / "sessions")]


def test_a_command_run_by_hand_is_no_document(tmp_path: Path, store: Store) -> None:
    """It is kept as a message of the person that holds JSON."""
    ran = {"type": "bash_result", "command": "make test", "stdout": "it broke\n", "stderr": "", "exitCode": 2}
    path = write_lines(tmp_path / "s.jsonl", START, message("user", {"type": "text", "text": json.dumps(ran)}, key="u1"),
                       message("user", {"type": "text", "text": '{"type": "bash_result"}'}, key="u2"))  # fmt: skip
    handle = handle_of("droid", path)
    blocks = store.source.outline(handle).blocks
    assert [(block.kind, block.what) for block in blocks] == [("prompt", "bash"), ("note", "output"), ("prompt", "typed")]
    assert (blocks[0].title, blocks[1].title) == ("make test", "exit 2: it broke")


@pytest.mark.parametrize(("key", "field"), [
    ("__internal__system-reminder__1", {}), ("m", {"isUserVisible": False}), ("m", {"hiddenFromUserViews": True}), ("m", {"hookEventName": "Stop"}),
])  # fmt: skip
def test_what_the_person_never_saw_is_no_prompt(tmp_path: Path, store: Store, key: str, field: dict[str, object]) -> None:
    said = message("user", {"type": "text", "text": "Continue."}, key=key)
    path = write_lines(tmp_path / "s.jsonl", START, {**said, "message": {**said["message"], **field}})
    assert [block.what for block in store.source.outline(handle_of("droid", path)).blocks] == ["injected"]


def test_a_turn_stopped_by_the_person_without_an_outcome(tmp_path: Path, store: Store) -> None:
    """Releases before outcomes only told the model."""
    told = message("user", {"type": "text", "text": "Request cancelled by user"}, key="u2")
    told["message"]["visibility"] = "llm_only"
    path = write_lines(tmp_path / "s.jsonl", START, message("user", {"type": "text", "text": "go"}, key="u1"), told)
    row = store.source.summarise(handle_of("droid", path))
    assert (row.tail, row.counts.prompts) == ("interrupted", 1)


def test_results_that_are_none_yet_and_such_that_never_came(tmp_path: Path, store: Store) -> None:
    """A place is kept for a result while its call runs."""
    calls = [{"type": "tool_use", "id": name, "name": "Execute", "input": {"command": "ls"}} for name in ("a", "b", "c")]
    path = write_lines(tmp_path / "s.jsonl", START, message("assistant", *calls, key="m1"), message(
        "user", {"type": "tool_result", "tool_use_id": "a", "content": "__TOOL_RESULT_PENDING__"},
        {"type": "tool_result", "tool_use_id": "b", "content": "Error: Tool execution cancelled by user", "is_error": True},
        {"type": "tool_result", "tool_use_id": "c", "content": "Exec ended early: insufficient permission", "is_error": True}, key="m2",
    ))  # fmt: skip
    blocks = store.source.outline(handle_of("droid", path)).blocks
    assert [(block.ok, block.outcome) for block in blocks] == [(None, ""), (False, "cancelled"), (False, "rejected")]


def text(words: str) -> dict:
    return {"type": "text", "text": words}


def result(content: str, **more: object) -> dict:
    return {"type": "tool_result", "tool_use_id": "c1", "content": content, **more}


CALL = {"type": "tool_use", "id": "c1", "name": "Read", "input": {"file_path": "/p/a.log"}}


def test_a_turn_that_ended_without_words_is_finished(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", START, message("user", text("go"), key="u1"), message("assistant", CALL, key="a1", parent="u1"),
                       message("user", result("ok"), key="r1", parent="a1"), {"type": "agent_turn_outcome", "turnId": "u1", "reason": "completed"})  # fmt: skip
    row = store.source.summarise(handle_of("droid", path))
    assert (row.tail, row.tail_why) == ("finished", "the turn ended")


def test_a_branch_may_begin_at_a_message_that_shows_nothing(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", START, message("user", text("go"), key="u1"), message("assistant", key="a1", parent="u1"),
                       message("user", text("old"), key="u2", parent="a1"), message("user", text("new"), key="u3", parent="a1"))  # fmt: skip
    blocks = store.source.outline(handle_of("droid", path)).blocks
    assert [(block.title, block.branch) for block in blocks] == [("go", 0), ("old", 1), ("new", 0)]


def test_a_fork_at_a_result_has_copied_what_stands_before(tmp_path: Path, store: Store) -> None:
    start = {**START, "parent": "other", "forkedAtMessageId": "r1"}
    path = write_lines(tmp_path / "x.jsonl", start, message("user", text("go"), key="u1"), message("assistant", CALL, key="a1", parent="u1"),
                       message("user", result("ok"), key="r1", parent="a1"), message("user", text("own"), key="u2", parent="r1"))  # fmt: skip
    blocks = store.source.outline(handle_of("droid", path)).blocks
    assert [(block.title, block.copied) for block in blocks] == [("go", True), ("/p/a.log", True), ("own", False)]


def test_words_about_reminders_are_not_cut(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", START, message("user", text("why does <system-reminder> show up?"), key="u1"))
    assert store.source.summarise(handle_of("droid", path)).first_prompt == "why does <system-reminder> show up?"


@pytest.mark.parametrize("content", ["Error: in line 3", "it exited with code 3\nmore", "exit code: 7"])
def test_what_a_file_says_of_errors_is_no_error_of_reading_it(tmp_path: Path, store: Store, content: str) -> None:
    path = write_lines(tmp_path / "x.jsonl", START, message("assistant", CALL, key="a1"), message("user", result(content, is_error=False), key="r1"))
    block = store.source.outline(handle_of("droid", path)).blocks[0]
    assert (block.ok, block.exit_code) == (True, None)


def test_a_picture_stands_in_the_turn_of_its_words(tmp_path: Path, store: Store) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}}
    path = write_lines(tmp_path / "x.jsonl", START, message("user", picture, text("look"), key="u1"), message("user", picture, key="u2", parent="u1"))
    blocks = store.source.outline(handle_of("droid", path)).blocks
    assert [(block.kind, block.title, block.turn) for block in blocks] == [
        ("prompt", "look", 1), ("image", "png", 1), ("prompt", "[Image]", 2), ("image", "png", 2),
    ]  # fmt: skip


def test_a_title_that_is_the_beginning_of_the_prompt_is_the_prompt(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", {**START, "title": "fix the lo…"}, message("user", text("fix the loop in main"), key="u1"))
    row = store.source.summarise(handle_of("droid", path))
    assert (row.title, row.title_from) == ("fix the loop in main", "prompt")


def test_tokens_are_told_with_or_without_those_of_subagents(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", START, message("user", text("go"), key="u1"))
    settings = path.with_name("x.settings.json")
    settings.write_text('{"inclusiveTokenUsage":{"inputTokens":0},"tokenUsage":{"inputTokens":3,"outputTokens":2}}')
    assert store.source.summarise(handle_of("droid", path)).tokens == Usage(3, 2)
    settings.write_text('\ufeff{"inclusiveTokenUsage":{"inputTokens":9},"tokenUsage":{"inputTokens":3}}', encoding="utf-8")
    assert store.source.summarise(handle_of("droid", path)).tokens == Usage(9)


def test_pictures_come_with_their_bytes(tmp_path: Path, store: Store) -> None:
    """Those of the person and those a tool gave."""
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    given = {**result("", is_error=False), "content": [text("seen"), picture]}
    path = write_lines(tmp_path / "x.jsonl", START, message("user", text("look"), picture, key="u1"), message("assistant", CALL, key="a1", parent="u1"),
                       message("user", given, key="r1", parent="a1"))  # fmt: skip
    handle = handle_of("droid", path)
    bodies = [store.source.body(handle, block) for block in store.source.outline(handle).blocks]
    cards = [(part.format, part.data) for body in bodies for part in body.parts if isinstance(part, Picture)]
    assert cards == [("png", b"\x89PNG\r\n\x1a\n")] * 2


@pytest.mark.parametrize(("content", "error", "outcome"), [
    ("a file: rejected by the user", False, ""), ("Error: rejected by the user", True, "rejected"), ("Plan not approved: no", False, "rejected"),
])  # fmt: skip
def test_a_call_is_rejected_when_the_person_did_so(tmp_path: Path, store: Store, content: str, error: bool, outcome: str) -> None:
    path = write_lines(tmp_path / "x.jsonl", START, message("assistant", CALL, key="a1"), message("user", result(content, is_error=error), key="r1"))
    assert store.source.outline(handle_of("droid", path)).blocks[0].outcome == outcome
