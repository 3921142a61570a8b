"""Rows of OpenCode's sessions: titles, directories, models, how they ended, and the way back."""

from __future__ import annotations

import json
import os

import pytest

from sessionbrowser.model import ResumeOptions, Session, Usage
from sessionbrowser.paths import Environment

from .stores import (
    NOW,
    data_home,
    handles,
    model,
    source,
    tool,
    user,
    write_database,
    write_early_tree,
    write_tree,
)


def row(env: Environment, *messages: dict[str, object], **columns: object) -> Session:
    write_database(data_home(env) / "opencode.db", *messages, **columns)
    return source(env).summarise(handles(env)[0])


def test_the_agents_title_is_shown(env: Environment) -> None:
    """What the model called the session."""
    made = row(env, user("fix it"), title="Fixing the thing")
    assert (made.title, made.title_from) == ("Fixing the thing", "ai")


def test_a_session_without_a_name_is_called_by_its_prompt(env: Environment) -> None:
    """"New session - <time>" says nothing."""
    made = row(env, user("fix it"))
    assert (made.title, made.title_from) == ("fix it", "prompt")


def test_directory_version_and_times(env: Environment) -> None:
    """From the session's own record, times in milliseconds."""
    made = row(env, user("a"), model("b"))
    assert (made.cwd, made.project, made.version) == ("/home/ada/src/api", "api", "1.2.11")
    assert made.created == NOW / 1000 and made.updated is not None and made.updated >= made.created


def test_the_last_answers_model(env: Environment) -> None:
    """A session may change it."""
    assert row(env, user("a"), model("b"), user("c"), model("d", modelID="opus")).model == "opus"


@pytest.mark.parametrize(("messages", "tail"), [
    ((user("a"), model("Done.")), "finished"),
    ((user("a"), model("Shall I?")), "asking"),
    ((user("a"),), "working"),
    ((user("a"), model("so far", done=False)), "working"),
    ((user("a"), model(tool("bash", {"command": "x"}, status="running"), done=False)), "calling"),
    ((user("a"), model(tool("bash", {"command": "x"}, "y"), finish="tool-calls")), "working"),
    ((user("a"), model(error={"name": "MessageAbortedError"})), "interrupted"),
    ((user("a"), model(error={"name": "APIError"})), "failed"),
])  # fmt: skip
def test_how_a_session_ended(env: Environment, messages: tuple[dict[str, object], ...], tail: str) -> None:
    """The last message says it."""
    assert row(env, *messages).tail == tail


def test_an_archived_session_is_hidden(env: Environment) -> None:
    """And says so."""
    made = row(env, user("a"), time_archived=NOW)
    assert made.archived and made.hidden == "archived"


def test_an_empty_session_is_hidden(env: Environment) -> None:
    """Nothing was ever said in it."""
    assert row(env).hidden == "empty"


def test_a_child_in_a_tree_is_known_when_it_is_read(env: Environment) -> None:
    """There the parent stands inside the file."""
    write_tree(data_home(env), user("a"), session="ses_main")
    write_tree(data_home(env), user("b"), session="ses_child", parentID="ses_main")
    child = next(handle for handle in handles(env) if handle.id == "ses_child")
    made = source(env).summarise(child)
    assert (made.parent, made.hidden, made.origin) == ("ses_main", "subagent", "subagent")


def test_what_a_session_may_do_unasked_is_told(env: Environment) -> None:
    """The rules it was begun with."""
    rules = [{"permission": "question", "pattern": "*", "action": "deny"}, {"permission": "edit", "pattern": "docs/*", "action": "allow"}]
    assert row(env, user("x"), permission=json.dumps(rules)).facts["modes"] == ["question * deny", "edit docs/* allow"]


def test_an_early_session_has_the_name_of_its_projects_folder(env: Environment) -> None:
    """0.5 recorded no directory."""
    write_early_tree(data_home(env), "x")
    made = source(env).summarise(handles(env)[0])
    assert (made.cwd, made.project) == (None, "home-ada-src-api")


def test_only_the_ends_of_a_session_are_read(env: Environment) -> None:
    """Counts are left to those who ask for them."""
    assert row(env, user("a"), model("b")).counts is None


def test_tokens_and_cost_of_the_demo(demo_home: object, env: Environment) -> None:
    """Later releases keep totals in the session's row."""
    handle = next(item for item in handles(env) if item.id.startswith("ses_4a01"))
    made = source(env).summarise(handle)
    assert made.tokens == Usage(3600, 560, 16000, 0) and made.facts["cost"] == 0.044


def test_subagents_hang_under_the_call_that_started_them(demo_home: object, env: Environment) -> None:
    """With their own role, state and numbers."""
    made = source(env)
    handle = next(item for item in handles(env) if item.id.startswith("ses_4a01"))
    outline = made.outline(handle)
    (child,) = made.agents(handle, outline).children
    call = next(block for block in outline.blocks if block.name == "task")
    assert (child.type, child.status, child.tool_calls, child.call) == ("explore", "finished", 1, call.call)


def test_subagents_in_a_tree(env: Environment) -> None:
    """Found by the parent each session of the project names."""
    write_tree(data_home(env), user("a"), session="ses_main")
    write_tree(data_home(env), user("b"), session="ses_child", parentID="ses_main")
    made = source(env)
    main = next(handle for handle in handles(env) if handle.id == "ses_main")
    assert [child.id for child in made.agents(main).children] == ["ses_child"]


def test_sessions_that_name_each_other_as_parents_end(env: Environment) -> None:
    """A circle in a store is no endless tree."""
    write_tree(data_home(env), user("a"), session="ses_a", parentID="ses_b")
    write_tree(data_home(env), user("b"), session="ses_b", parentID="ses_a")
    made = source(env)
    tree = made.agents(next(handle for handle in handles(env) if handle.id == "ses_a"))
    assert [child.id for child in tree.children] == ["ses_b"] and tree.children[0].children == ()


def test_the_way_back(env: Environment) -> None:
    """The directory is given by position and is where the command runs."""
    made = row(env, user("a"))
    back = source(env).resume(made, ResumeOptions())
    assert back is not None
    assert (back.argv, back.cwd) == (("opencode", "/home/ada/src/api", "--session", "ses_one"), "/home/ada/src/api")


def test_a_fork_has_its_flag(env: Environment) -> None:
    """`--fork` goes on in a copy."""
    back = source(env).resume(row(env, user("a")), ResumeOptions(fork=True))
    assert back is not None and back.argv[-1] == "--fork"


def test_an_id_that_looks_like_an_option_is_refused(env: Environment) -> None:
    """Ids are checked before they become arguments."""
    assert source(env).resume(row(env, user("a"), session="--help"), ResumeOptions()) is None


@pytest.mark.parametrize("part", [{"type": "reasoning", "text": "hm"}, tool("bash", {"command": "ls"}, status="running")])
def test_an_answer_that_stopped_is_finished_whatever_it_ends_with(env: Environment, part: dict[str, object]) -> None:
    """Its message was completed: nothing of it goes on."""
    assert row(env, user("a"), model(part)).tail == "finished"


def test_an_error_may_be_a_text(env: Environment) -> None:
    made = row(env, user("a"), model("b", error="no such model", done=False))
    assert (made.tail, made.tail_why) == ("failed", "no such model")


def test_an_answer_completed_in_its_file_is_a_change(env: Environment) -> None:
    """Neither the session's own file nor the folder of its messages changes then."""
    own = write_tree(data_home(env), user("a"), model("b", done=False))
    (before,) = handles(env)
    newest = own.parents[2] / "message" / "ses_one" / "msg_ses_one_001.json"
    os.utime(newest, ns=(before.mtime_ns + 10**9, before.mtime_ns + 10**9))
    (after,) = handles(env)
    assert after.mtime_ns > before.mtime_ns


def test_an_open_question_waits_for_the_person(env: Environment) -> None:
    asked = tool("question", {"questions": [{"question": "Which?"}]}, status="running")
    assert row(env, user("a"), model(asked, done=False)).tail == "asking"
