"""Crush: a database a project."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from small_agents import Store, in_home

from sessionbrowser.model import ResumeOptions, Unreadable, Usage

TALK = "4b8c1f2e-0d3a-4e5f-9a6b-7c8d9e0f1a2b"
CHILD = f"{TALK}$$call_2"


def part(kind: str, **data: object) -> dict:
    return {"type": kind, "data": data}


def build(folder: Path) -> Path:
    """A project's database with one session, its title session and its subagent."""
    folder.mkdir(parents=True)
    path = folder / "crush.db"
    with sqlite3.connect(path) as database:
        database.execute("create table sessions (id text, parent_session_id text, title text, message_count integer, prompt_tokens integer, completion_tokens integer, created_at integer, updated_at integer)")
        database.execute("create table messages (id text, session_id text, role text, parts text, model text, created_at integer, is_summary_message integer)")
        database.executemany("insert into sessions values (?,?,?,?,?,?,?,?)", [
            (TALK, None, "Sort the imports", 4, 900, 70, 1778400000, 1778400060), (f"title-{TALK}", TALK, "Generate a title", 1, 0, 0, 1778400001, 1778400002),
            (CHILD, TALK, "Agent session", 1, 0, 0, 1778400030, 1778400040),
        ])  # fmt: skip
        rows = [
            ("m1", TALK, "user", [part("text", text="sort the imports")], "", 1778400000, 0),
            ("m2", TALK, "assistant", [part("reasoning", thinking="isort"), part("tool_call", id="call_1", name="bash", input='{"command":"isort ."}'),
                                       part("tool_call", id="call_2", name="agent", input='{"prompt":"look"}')], "gpt-5.2", 1778400010, 0),
            ("m3", TALK, "tool", [part("tool_result", tool_call_id="call_1", content="not found\nExit code 127", is_error=False)], "", 1778400020, 0),
            ("m4", TALK, "assistant", [part("text", text="isort is not installed."), part("finish", reason="canceled")], "gpt-5.2", 1778400060, 0),
            ("m5", CHILD, "user", [part("text", text="look")], "", 1778400030, 0),
        ]  # fmt: skip
        database.executemany("insert into messages values (?,?,?,?,?,?,?)", [(*row[:3], json.dumps(row[3]), *row[4:]) for row in rows])
    database.close()
    return path


@pytest.fixture
def store(home: Path) -> Store:
    build(home / "src" / "api" / ".crush")
    return Store("crush", in_home(home))


def test_the_row_is_filled(home: Path, store: Store) -> None:
    row = store.source.summarise(store.handles[TALK])
    assert (row.title, row.cwd, row.model, row.tokens) == ("Sort the imports", str(home / "src" / "api"), "gpt-5.2", Usage(900, 70))


def test_title_sessions_and_subagents_are_hidden(store: Store) -> None:
    assert {handle.id: handle.hidden for handle in store.handles.values()} == {TALK: "", f"title-{TALK}": "internal", CHILD: "subagent"}


def test_calls_meet_their_results(store: Store) -> None:
    tools = [block for block in store.source.outline(store.handles[TALK]).blocks if block.kind == "tool"]
    assert [(block.name, block.ok, block.exit_code) for block in tools] == [("bash", False, 127), ("agent", None, None)]


def test_a_cancelled_turn_is_interrupted(store: Store) -> None:
    assert store.source.summarise(store.handles[TALK]).tail == "interrupted"


def test_the_subagent_is_in_the_tree(store: Store) -> None:
    children = store.source.agents(store.handles[TALK]).children
    assert [(child.id, child.call) for child in children] == [(CHILD, "call_2")]


def test_projects_are_known_from_the_global_list(home: Path) -> None:
    build(home / "data" / "of-web")
    listing = home / ".local" / "share" / "crush" / "projects.json"
    listing.parent.mkdir(parents=True)
    listing.write_text(json.dumps({"projects": [{"path": "/home/ada/src/web", "data_dir": str(home / "data" / "of-web")}]}))
    found = Store("crush", in_home(home))
    assert found.source.summarise(found.handles[TALK]).cwd == "/home/ada/src/web"


def test_nothing_is_written_beside_the_database(home: Path, store: Store) -> None:
    folder = home / "src" / "api" / ".crush"
    before = (folder / "crush.db").read_bytes()
    store.source.outline(store.handles[TALK])
    assert [entry.name for entry in folder.iterdir()] == ["crush.db"]
    assert (folder / "crush.db").read_bytes() == before


def test_a_file_that_is_no_database_says_why(home: Path) -> None:
    folder = home / "src" / "api" / ".crush"
    folder.mkdir(parents=True)
    (folder / "crush.db").write_bytes(b"SQLite format 3\x00" + b"x" * 4000)
    assert [type(item) for item in Store("crush", in_home(home)).found] == [Unreadable]


def test_resume_in_the_project(home: Path, store: Store) -> None:
    row = store.source.summarise(store.handles[TALK])
    resume = store.source.resume(row, ResumeOptions())
    assert resume is not None
    assert (resume.argv, resume.cwd) == (("crush", "--session", TALK), str(home / "src" / "api"))


SCHEMA = """
create table sessions (id text primary key, parent_session_id text, title text not null, message_count integer not null default 0,
  prompt_tokens integer not null default 0, completion_tokens integer not null default 0, cost real not null default 0.0,
  updated_at integer not null, created_at integer not null, summary_message_id text, todos text);
create table messages (id text primary key, session_id text not null, role text not null, parts text not null default '[]', model text,
  created_at integer not null, updated_at integer not null, finished_at integer, provider text, is_summary_message integer not null default 0);
"""


def said(home: Path, role: str, *parts: dict, blob: bool = False) -> Store:
    """A database with the tables and columns that Crush makes, and one message."""
    folder = home / "src" / "api" / ".crush"
    folder.mkdir(parents=True)
    text: object = json.dumps(parts)
    with sqlite3.connect(folder / "crush.db") as database:
        database.executescript(SCHEMA)
        database.execute("insert into sessions (id, title, message_count, updated_at, created_at) values (?, 'New Session', 1, 1778400060, 1778400000)", (TALK,))
        database.execute("insert into messages (id, session_id, role, parts, created_at, updated_at) values ('m1', ?, ?, ?, 1778400000, 1778400000)",
                         (TALK, role, str(text).encode() if blob else text))  # fmt: skip
    database.close()
    return Store("crush", in_home(home))


def test_parts_kept_as_bytes_are_read(home: Path) -> None:
    store = said(home, "user", part("text", text="sort the imports"), part("finish", reason="stop"), blob=True)
    assert store.row(TALK).first_prompt == "sort the imports"


def test_a_continuation_that_crush_made_is_no_prompt(home: Path) -> None:
    blocks = said(home, "user", part("text", text="Go on where you stopped.", hidden=True)).outline(TALK).blocks
    assert [(block.kind, block.what) for block in blocks] == [("note", "injected")]


def test_a_command_the_person_ran_is_a_prompt_with_its_output(home: Path) -> None:
    store = said(home, "user", part("shell_command", command="make", output="no rule", exit_code=2))
    assert [(block.kind, block.what, block.title) for block in store.outline(TALK).blocks] == [("prompt", "bash", "make"), ("note", "output", "exit 2: no rule")]


def test_an_attached_text_file_is_no_image(home: Path) -> None:
    store = said(home, "user", part("text", text="see this"), part("binary", Path="/home/ada/notes.txt", MIMEType="text/plain", Data="YSBub3Rl"))
    (note,) = store.blocks(TALK, "note")
    assert (note.title, store.text(TALK, note)) == ("attached notes.txt", "a note")


def test_an_attached_picture_is_an_image(home: Path) -> None:
    store = said(home, "user", part("text", text="see this"), part("binary", Path="/home/ada/plan.png", MIMEType="image/png", Data="iVBORw0K"))
    assert [block.title for block in store.blocks(TALK, "image")] == ["plan.png"]


def test_a_refusal_of_the_provider_is_an_error(home: Path) -> None:
    store = said(home, "assistant", part("finish", reason="content_filter", message="The provider refused"))
    assert store.row(TALK).tail == "failed"


def test_the_exit_code_before_a_long_directory_is_found(home: Path) -> None:
    store = said(home, "assistant", part("tool_call", id="c", name="bash", input="{}"),
                 part("tool_result", tool_call_id="c", content=f"no\nExit code 3\n\n<cwd>/{'deep/' * 100}</cwd>"))  # fmt: skip
    assert [block.exit_code for block in store.blocks(TALK, "tool")] == [3]


def test_a_call_leads_to_the_subagent_it_started(store: Store) -> None:
    tools = [block for block in store.source.outline(store.handles[TALK]).blocks if block.kind == "tool"]
    assert [block.subagent for block in tools] == ["", CHILD]


def add(home: Path, *messages: tuple[str, list[dict]]) -> Store:
    """The store after more messages, each a role and its parts."""
    with sqlite3.connect(home / "src" / "api" / ".crush" / "crush.db") as database:
        rows = [(f"n{at}", TALK, role, json.dumps(parts), "", 1778400100 + at, 0) for at, (role, parts) in enumerate(messages)]
        database.executemany("insert into messages values (?,?,?,?,?,?,?)", rows)
    database.close()
    return Store("crush", in_home(home))


def test_a_turn_that_ended_without_words_is_finished(home: Path, store: Store) -> None:
    view = part("tool_call", id="call_9", name="view", input='{"file_path":"a.md"}')
    read = part("tool_result", tool_call_id="call_9", name="view", content="of codes:\nExit code 2\n", is_error=False)
    after = add(home, ("user", [part("text", text="read it")]), ("assistant", [view]), ("tool", [read]), ("assistant", [part("finish", reason="end_turn")]))
    assert after.source.summarise(after.handles[TALK]).tail == "finished"
    last = [block for block in after.source.outline(after.handles[TALK]).blocks if block.kind == "tool"][-1]
    assert (last.ok, last.exit_code) == (True, None)  # a file that speaks of exit codes


def test_a_picture_alone_is_a_prompt(home: Path, store: Store) -> None:
    after = add(home, ("user", [part("binary", Path="/p/a.png", MIMEType="image/png", Data="aGVsbG8=")]))
    blocks = after.source.outline(after.handles[TALK]).blocks[-2:]
    assert [(block.kind, block.title) for block in blocks] == [("prompt", "[Image]"), ("image", "a.png")]


def test_a_data_folder_may_be_told_from_its_project(home: Path) -> None:
    build(home / "work" / ".data")
    listed = home / ".local/share/crush/projects.json"
    listed.parent.mkdir(parents=True)
    listed.write_text(json.dumps({"projects": [{"path": str(home / "work"), "data_dir": ".data"}]}))
    (root,) = Store("crush", in_home(home)).source.roots()
    assert root.path == str(home / "work" / ".data")


def test_a_session_whose_parent_is_gone_is_one_of_its_own(home: Path, store: Store) -> None:
    with sqlite3.connect(home / "src" / "api" / ".crush" / "crush.db") as database:
        database.execute("update sessions set parent_session_id = 'gone' where id = ?", (CHILD,))
    database.close()
    after = Store("crush", in_home(home))
    row = after.source.summarise(after.handles[CHILD])
    assert (row.parent, row.hidden) == (None, "")
    assert after.source.resume(row, ResumeOptions()) is not None
