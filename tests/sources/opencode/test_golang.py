"""The databases of the old OpenCode, one in each project."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from sessionbrowser.model import Handle, ResumeOptions, Session
from sessionbrowser.paths import Environment
from sessionbrowser.sources import present

from .stores import kinds, source

SCHEMA = """
create table sessions (id text primary key, parent_session_id text, title text not null, message_count integer,
  prompt_tokens integer, completion_tokens integer, cost real, updated_at integer, created_at integer);
create table messages (id text primary key, session_id text, role text, parts text, model text, created_at integer,
  updated_at integer, finished_at integer);
"""
SAID = [
    ("user", [{"type": "text", "data": {"text": "tidy up"}}]),
    ("assistant", [
        {"type": "reasoning", "data": {"thinking": "Look first."}},
        {"type": "tool_call", "data": {"id": "c1", "name": "bash", "input": '{"command": "ls"}', "finished": True}},
    ]),
    ("tool", [{"type": "tool_result", "data": {"tool_call_id": "c1", "content": "no such file", "is_error": True}}]),
    ("assistant", [{"type": "text", "data": {"text": "Nothing to tidy."}}, {"type": "finish", "data": {"reason": "end_turn"}}]),
]  # fmt: skip


def found_in(env: Environment, project: Path) -> tuple[Environment, Handle]:
    """The only session of a project's database, with the surroundings from which it is found."""
    path = project / ".opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    database.execute("insert into sessions values ('go-1', null, 'Tidying', 4, 120, 80, 0.05, 1747200000000, 1747100000000)")
    for number, (role, parts) in enumerate(SAID):
        database.execute("insert into messages values (?, 'go-1', ?, ?, 'claude-3.7', ?, 0, 0)", (f"m{number}", role, json.dumps(parts), 1747100000 + number))
    database.commit()
    database.close()
    here = env._replace(cwd=str(project))
    made = source(here)
    (root,) = made.roots()
    (handle,) = [item for item in made.discover(root) if isinstance(item, Handle)]
    return here, handle


def test_a_projects_database_is_found_from_there(env: Environment, tmp_path: Path) -> None:
    """The old program kept sessions in the project; its folder is the session's directory."""
    here, handle = found_in(env, tmp_path / "proj")
    row = source(here).summarise(handle)
    assert (row.title, row.cwd, row.tail) == ("Tidying", str(tmp_path / "proj"), "finished")


def test_a_projects_database_is_found_from_below(env: Environment, tmp_path: Path) -> None:
    """From any folder of the project."""
    here, handle = found_in(env, tmp_path / "proj")
    (tmp_path / "proj" / "src").mkdir()
    below = here._replace(cwd=str(tmp_path / "proj" / "src"))
    assert [root.path for root in source(below).roots()] == [handle.path]
    assert "opencode" in [entry.name for entry in present(below)]


def test_its_messages_become_blocks(env: Environment, tmp_path: Path) -> None:
    """Its parts are wrapped once more than later ones."""
    here, handle = found_in(env, tmp_path / "proj")
    made = source(here).outline(handle)
    assert kinds(made) == ["prompt", "thinking", "bash", "text"] and made.counts[:5] == (1, 1, 1, 1, 1)


def test_a_result_in_another_message_is_shown_with_its_call(env: Environment, tmp_path: Path) -> None:
    """The body of a tool reads both records."""
    here, handle = found_in(env, tmp_path / "proj")
    made = source(here)
    block = made.outline(handle).blocks[2]
    assert made.body(handle, block).text == "no such file"


def test_resuming_it_takes_the_same_command(env: Environment, tmp_path: Path) -> None:
    """From the project's directory."""
    here, handle = found_in(env, tmp_path / "proj")
    made = source(here)
    back = made.resume(made.summarise(handle), ResumeOptions())
    assert back is not None and back.cwd == str(tmp_path / "proj")


def test_crush_is_another_agent(env: Environment, tmp_path: Path) -> None:
    """It kept the old program's tables; its database has another name."""
    _, handle = found_in(env, tmp_path / "proj")
    other = tmp_path / "crush.db"
    other.write_bytes(Path(handle.path).read_bytes())
    assert source(env).root_at(str(other), "") is None


def add(handle: Handle, session: tuple[object, ...], *messages: tuple[str, str, list[object]]) -> None:
    """One more session of a project's database."""
    database = sqlite3.connect(handle.path)
    database.execute("insert into sessions values (?, ?, ?, 1, 0, 0, 0, 1747200000, 1747100000)", session)
    for key, role, parts in messages:
        database.execute("insert into messages values (?, ?, ?, ?, 'claude-3.7', 1747100000, 0, 0)", (key, session[0], role, json.dumps(parts)))
    database.commit()
    database.close()


def rows(here: Environment, handle: Handle) -> dict[str, Session]:
    """Every session of the database."""
    made = source(here)
    return {found.id: made.summarise(found) for found in made.discover(handle.root) if isinstance(found, Handle)}


def test_a_subagent_is_told_by_its_agent(env: Environment, tmp_path: Path) -> None:
    """Its session has the id of the call that started it; what it was told is no prompt of a person."""
    here, handle = found_in(env, tmp_path / "proj")
    call = {"type": "tool_call", "data": {"id": "toolu_7", "name": "agent", "input": '{"prompt": "look"}'}}
    add(handle, ("go-2", None, "New Session"), ("a1", "user", [{"type": "text", "data": {"text": "ask it"}}]), ("a2", "assistant", [call]))
    add(handle, ("toolu_7", "go-2", "New Agent Session"), ("b1", "user", [{"type": "text", "data": {"text": "look"}}]))
    made, main = source(here), handle._replace(id="go-2", key="go-2")
    tree = made.agents(main)
    assert [(child.id, child.call) for child in tree.children] == [("toolu_7", "toolu_7")]
    assert made.outline(tree.children[0].handle or handle).counts.prompts == 0
    assert rows(here, handle)["go-2"].title == "ask it"


def test_the_session_a_title_was_made_in_is_the_programs_own(env: Environment, tmp_path: Path) -> None:
    here, handle = found_in(env, tmp_path / "proj")
    add(handle, ("title-go-1", "go-1", "Generate a title"))
    assert rows(here, handle)["title-go-1"].hidden == "internal" and not source(here).agents(handle).children


def test_how_an_answer_ended(env: Environment, tmp_path: Path) -> None:
    """An answer of nothing but an error failed."""
    here, handle = found_in(env, tmp_path / "proj")
    add(handle, ("go-2", None, "x"), ("a1", "user", [{"type": "text", "data": {"text": "go"}}]), ("a2", "assistant", [{"type": "finish", "data": {"reason": "error"}}]))
    assert rows(here, handle)["go-2"].tail == "failed"


def test_pictures_of_a_prompt(env: Environment, tmp_path: Path) -> None:
    here, handle = found_in(env, tmp_path / "proj")
    picture = {"type": "binary", "data": {"Path": "a.png", "MIMEType": "image/png", "Data": "aGk="}}
    add(handle, ("go-2", None, "x"), ("a1", "user", [{"type": "text", "data": {"text": "see"}}, picture]))
    assert kinds(source(here).outline(handle._replace(id="go-2", key="go-2"))) == ["prompt", "image"]
