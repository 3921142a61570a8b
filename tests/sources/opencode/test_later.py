"""The second table of messages of OpenCode's database."""

from __future__ import annotations

import json
import sqlite3

from sessionbrowser.model import Transcript, Usage
from sessionbrowser.paths import Environment

from .stores import NOW, Json, data_home, handles, kinds, model, source, user, write_database

TABLE = """create table if not exists session_message (id text primary key, session_id text not null, type text not null, seq integer not null,
  time_created integer not null, time_updated integer not null, data text not null)"""


def said(*content: Json, at: int = NOW + 1000, **more: object) -> tuple[str, Json]:
    """A model's message, done."""
    times = {"created": at, "completed": at + 500}
    return "assistant", {"agent": "build", "model": {"id": "gpt-5", "providerID": "openai"}, "content": list(content), "finish": "stop", "time": times, **more}


def asked(text: str, at: int = NOW, **more: object) -> tuple[str, Json]:
    """A person's message."""
    return "user", {"text": text, "time": {"created": at}, **more}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def tool(name: str, status: str = "completed", output: str = "", **state: object) -> Json:
    made = {"status": status, "input": {"command": "ls"}, "content": [text(output)] if output else [], **state}
    return {"type": "tool", "id": "call_1", "name": name, "state": made, "time": {"created": NOW, "ran": NOW, "completed": NOW + 100}}


def write_later(env: Environment, *rows: tuple[str, Json], before: tuple[Json, ...] = (), **columns: object) -> None:
    """A database with one session whose messages are in the second table, `before` in the first."""
    path = write_database(data_home(env) / "opencode.db", *before, **columns)
    with sqlite3.connect(path) as database:
        database.execute(TABLE)
        for number, (kind, data) in enumerate(rows):
            times = data.get("time")
            created = times["created"] if isinstance(times, dict) else NOW + number
            database.execute("insert into session_message values (?,?,?,?,?,?,?)", (f"msg_{number}", "ses_one", kind, number, created, NOW + 5000, json.dumps(data)))
    database.close()


def outlined(env: Environment, *rows: tuple[str, Json], **more: object) -> Transcript:
    write_later(env, *rows, **more)  # type: ignore[arg-type]
    (handle,) = handles(env)
    return source(env).outline(handle)


def test_prompts_answers_and_calls_are_read(env: Environment) -> None:
    made = outlined(env, asked("list it"), said({"type": "reasoning", "text": "with ls"}, tool("bash", output="a\nb"), text("Two files.")))
    assert kinds(made) == ["prompt", "thinking", "bash", "text"]
    assert (made.counts.prompts, made.counts.answers, made.counts.tool_calls, made.counts.tool_results) == (1, 1, 1, 1)


def test_the_output_of_a_call_is_its_text(env: Environment) -> None:
    made = outlined(env, asked("list it"), said(tool("bash", output="a\nb")))
    (handle,) = handles(env)
    block = next(block for block in made.blocks if block.kind == "tool")
    assert source(env).body(handle, block).text == "a\nb"


def test_a_call_that_failed_says_why(env: Environment) -> None:
    made = outlined(env, asked("list it"), said(tool("bash", "error", error={"type": "unknown", "message": "no such folder"})))
    (handle,) = handles(env)
    block = next(block for block in made.blocks if block.kind == "tool")
    assert (block.ok, source(env).body(handle, block).text) == (False, "no such folder")


def test_a_call_that_is_still_written_is_open(env: Environment) -> None:
    made = outlined(env, asked("list it"), ("assistant", {"content": [tool("bash", "streaming", input='{"comm')], "time": {"created": NOW + 10}}))
    assert [block.ok for block in made.blocks if block.kind == "tool"] == [None]


def test_the_row_has_model_tokens_and_last_prompt(env: Environment) -> None:
    spent = {"input": 10, "output": 5, "reasoning": 1, "cache": {"read": 3, "write": 2}}
    write_later(env, asked("list it"), said(text("Two files."), tokens=spent), asked("thanks", NOW + 3000), said(text("Gladly."), at=NOW + 3500))
    (handle,) = handles(env)
    row = source(env).summarise(handle)
    assert (row.model, row.first_prompt, row.last_prompt, row.tail, row.hidden) == ("gpt-5", "list it", "thanks", "finished", "")
    assert source(env).outline(handle).tokens == Usage(10, 6, 3, 2)


def test_what_opencode_added_is_no_prompt(env: Environment) -> None:
    made = outlined(env, ("synthetic", {"text": "The task is done."}), ("system", {"text": "A file has changed."}), asked("go on"))
    assert [(block.kind, block.what) for block in made.blocks] == [("note", "injected"), ("note", "injected"), ("prompt", "typed")]


def test_a_command_the_person_ran_is_a_prompt_with_its_output(env: Environment) -> None:
    made = outlined(env, ("shell", {"command": "make", "output": {"output": "no rule", "truncated": False}, "exit": 2, "status": "exited"}))
    assert [(block.kind, block.what, block.title) for block in made.blocks] == [("prompt", "bash", "make"), ("note", "output", "exit 2: no rule")]


def test_a_compaction_is_counted_once_it_is_done(env: Environment) -> None:
    made = outlined(env, asked("go on"), ("compaction", {"status": "completed", "summary": "It was about files."}), ("compaction", {"status": "running", "summary": ""}))
    assert made.counts.compactions == 1


def test_a_turn_the_person_stopped_is_interrupted(env: Environment) -> None:
    write_later(env, asked("list it"), said(text("Two"), error={"type": "aborted", "message": "Step interrupted"}), ("idle", {"outcome": "interrupted"}))
    (handle,) = handles(env)
    assert source(env).summarise(handle).tail == "interrupted"
    assert source(env).outline(handle).counts.interrupts == 1


def test_a_session_kept_in_both_tables_is_read_once(env: Environment) -> None:
    before = (user("list it"), model("Two files.", at=NOW + 1000))
    made = outlined(env, asked("list it"), said(text("Two files."), at=NOW + 1), before=before)
    assert (made.counts.prompts, made.counts.answers) == (1, 1)


def test_the_table_that_goes_on_last_counts(env: Environment) -> None:
    made = outlined(env, asked("list it"), said(text("Two files.")), asked("thanks", NOW + 9000), before=(user("list it"), model("Two files.")))
    assert made.counts.prompts == 2


def test_a_new_message_changes_the_handle(env: Environment) -> None:
    write_later(env, asked("list it"))
    (handle,) = handles(env)
    assert (handle.size, handle.mtime_ns) == (1, (NOW + 5000) * 1_000_000)


def test_a_fork_says_where_it_came_from(env: Environment) -> None:
    write_later(env, asked("list it"))
    with sqlite3.connect(data_home(env) / "opencode.db") as database:
        database.execute("alter table session add column fork_session_id text")
        database.execute("update session set fork_session_id = 'ses_zero'")
    database.close()
    (handle,) = handles(env)
    assert source(env).summarise(handle).forked_from == "ses_zero"


def test_a_damaged_row_costs_that_row(env: Environment) -> None:
    write_later(env, asked("list it"), said(text("Two files.")))
    with sqlite3.connect(data_home(env) / "opencode.db") as database:
        database.execute("update session_message set data = '{\"text\": ' where id = 'msg_1'")
    database.close()
    (handle,) = handles(env)
    made = source(env).outline(handle)
    assert (made.counts.prompts, len(made.damage)) == (1, 1)
