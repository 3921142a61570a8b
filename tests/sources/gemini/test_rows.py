"""Where Gemini chats are found, their rows and their subagents, and the way back."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from sessionbrowser.model import Handle, ResumeOptions, SetAside
from sessionbrowser.paths import Environment
from sessionbrowser.sources import present

from .chats import ID, call, gemini, handles, meta, row, source, user, write_document, write_log

PROJECT = "/home/ada/src/web"
HASH = hashlib.sha256(PROJECT.encode()).hexdigest()


def test_an_absent_agent_has_no_roots(env: Environment) -> None:
    """Nor is it imported."""
    assert source(env).roots() == [] and "gemini" not in [entry.name for entry in present(env)]


def test_a_variable_moves_the_home(env: Environment, tmp_path: Path) -> None:
    """GEMINI_CLI_HOME is the folder above `.gemini`."""
    write_log(env._replace(home=str(tmp_path / "moved")), meta(), user("x"))
    moved = env._replace(variables={**env.variables, "GEMINI_CLI_HOME": str(tmp_path / "moved")})
    assert len(handles(moved)) == 1


def test_the_title_is_the_summary(env: Environment) -> None:
    """Written by the program when it ends."""
    write_log(env, meta(), user("x"), gemini("y"), {"$set": {"summary": "Fixing x"}})
    assert (row(env).title, row(env).title_from) == ("Fixing x", "summary")


def test_the_id_is_the_chats_own(env: Environment) -> None:
    """The file's name holds eight characters of it."""
    write_log(env, meta(), user("x"))
    assert row(env).id == ID


def test_a_marker_names_the_directory(env: Environment) -> None:
    """One line in the project's folder."""
    path = write_log(env, meta(), user("x"))
    (path.parents[1] / ".project_root").write_text(PROJECT)
    assert (row(env).cwd, row(env).project) == (PROJECT, "web")


def test_the_registry_names_the_directory(env: Environment) -> None:
    """By the folder's short name."""
    write_log(env, meta(), user("x"))
    Path(env.home, ".gemini", "projects.json").write_text(json.dumps({"projects": {PROJECT: "proj"}}))
    assert row(env).cwd == PROJECT


@pytest.mark.parametrize("hint", ["registry", "trusted", "context", "tool", "answer", "here"])
def test_a_hash_is_found_out(env: Environment, hint: str) -> None:
    """Older folders are named by a hash of the path: known paths are tried, and those above them."""
    said = [user("x")]
    if hint == "registry":
        Path(env.home, ".gemini").mkdir()
        Path(env.home, ".gemini", "projects.json").write_text(json.dumps({"projects": {PROJECT: "other-name"}}))
    if hint == "trusted":
        Path(env.home, ".gemini").mkdir()
        Path(env.home, ".gemini", "trustedFolders.json").write_text(json.dumps({PROJECT: "TRUST_FOLDER"}))
    if hint == "context":
        said = [user(f"<session_context>\n- **Workspace Directories:**\n  - {PROJECT}\n</session_context>", "c"), *said]
    if hint == "tool":
        said.append(gemini(toolCalls=[call("read_file", {"file_path": f"{PROJECT}/js/menu.js"}, "x")]))
    if hint == "answer":
        said.append(gemini(toolCalls=[call("list_directory", {"path": "."}, f"Directory listing for {PROJECT}:\nmenu.js")]))
    if hint == "here":
        env = env._replace(cwd=f"{PROJECT}/js")
    write_document(env, *said, slug=HASH, projectHash=HASH)
    assert row(env).cwd == PROJECT


def test_a_hash_nobody_knows_is_no_directory(env: Environment) -> None:
    """And no project's name: it says nothing to a person."""
    write_document(env, user("x"), slug=HASH, projectHash=HASH)
    assert (row(env).cwd, row(env).project) == (None, "")


def test_an_added_directory_is_the_last_resort(env: Environment) -> None:
    """Better than nothing."""
    write_document(env, user("x"), directories=["/home/ada/src/docs"])
    assert row(env).cwd == "/home/ada/src/docs"


@pytest.mark.parametrize(("lines", "tail"), [
    ((user("x"), gemini("Done.")), "finished"),
    ((user("x"), gemini("Which one?")), "asking"),
    ((user("x"),), "working"),
    ((user("x"), gemini(toolCalls=[call("glob", {}, None, "executing")])), "calling"),
    ((user("x"), {"id": "e", "type": "error", "content": "quota"}), "failed"),
    ((user("x"), {"id": "i", "type": "info", "content": "Request cancelled."}), "interrupted"),
])  # fmt: skip
def test_how_a_chat_ended(env: Environment, lines: tuple[dict[str, object], ...], tail: str) -> None:
    """The last message says it."""
    write_log(env, meta(), *lines)
    assert row(env).tail == tail


def test_a_big_log_is_read_at_its_ends(env: Environment) -> None:
    """Its counts are left open; title, model and end are known."""
    filler = [gemini("word " * 400, f"f{number}") for number in range(700)]
    write_log(env, meta(), user("first"), *filler, user("last", "u9"), gemini("The end."), {"$set": {"summary": "Big"}})
    made = row(env)
    assert (made.counts, made.title, made.first_prompt, made.last_prompt, made.tail) == (None, "Big", "first", "last", "finished")


def test_chats_of_one_project_are_no_forks_of_each_other(env: Environment) -> None:
    """Their first message has the same id in all of them."""
    context = user("<session_context>x</session_context>", "d04923d38bb0f6017037e74183378ef4")
    write_log(env, meta(), context, user("x"))
    assert "first_raw" not in row(env).facts


def test_subagents_lie_under_their_chat(demo_home: Path, env: Environment) -> None:
    """Hidden in the list, in the tree below the call that started them."""
    made = source(env)
    found = {handle.id: handle for handle in handles(env)}
    assert (found["inv-31aa"].hidden, found["inv-31aa"].parent) == ("subagent", "7d3f0b52-6c1e-4b7a-9f20-1a2b3c4d5e6f")
    main = next(handle for handle in found.values() if handle.id.endswith("7d3f0b52"))
    (child,) = made.agents(main).children
    assert (child.call, child.status, child.tool_calls) == ("investigate-1", "finished", 1)


def test_subagents_are_not_visited_when_nobody_asks(demo_home: Path, env: Environment) -> None:
    """Without `deep` their folders are not entered."""
    made = source(env)
    found = [item for root in made.roots() for item in made.discover(root, deep=False)]
    assert all(isinstance(item, Handle) and not item.hidden for item in found)


def test_the_folder_of_a_chats_subagents_is_named_after_it(env: Environment) -> None:
    """Known from the first line alone; a chat that can't be read has none."""
    path = write_log(env, meta(), user("x"))
    made, (handle,) = source(env), handles(env)
    assert made.folders(handle) == (str(path.parent / ID),)
    path.write_text("torn")
    assert made.folders(handle) == ()


def test_a_subagents_task_is_not_a_persons_prompt(demo_home: Path, env: Environment) -> None:
    """It was given by another agent."""
    child = next(handle for handle in handles(env) if handle.hidden)
    assert source(env).outline(child).counts.prompts == 0


def test_the_older_form_of_a_chat_is_set_aside(env: Environment) -> None:
    """A chat that was converted to a log leaves its document behind."""
    write_log(env, meta(), user("x"))
    write_document(env, user("x"))
    made = source(env)
    aside = [item for root in made.roots() for item in made.discover(root) if isinstance(item, SetAside)]
    assert [item.reason for item in aside] == ["older form of the same chat"] and len(handles(env)) == 1


def test_chats_the_program_gave_up_are_set_aside(env: Environment) -> None:
    """It renames what it cannot read."""
    path = write_log(env, meta(), user("x"))
    path.rename(path.with_name(path.name + ".unreadable-1715500000"))
    made = source(env)
    assert [type(item) for root in made.roots() for item in made.discover(root)] == [SetAside]


@pytest.mark.parametrize("inside", ["", ".gemini", "tmp"])
def test_a_copy_opens_from_wherever_it_is_pointed_at(env: Environment, tmp_path: Path, inside: str) -> None:
    """A home, the `.gemini` folder, its `tmp`."""
    write_log(env, meta(), user("x"))
    copy, whole = tmp_path / "copy", Path(env.home, ".gemini")
    shutil.copytree({"": whole.parent, ".gemini": whole, "tmp": whole / "tmp"}[inside], copy)
    made = source(env)
    root = made.root_at(str(copy), "copy")
    assert root is not None and not root.live and len([item for item in made.discover(root) if isinstance(item, Handle)]) == 1


def test_another_agents_chats_are_not_ours(env: Environment, tmp_path: Path) -> None:
    """A `chats` folder alone is no sign: its files have other names."""
    other = tmp_path / "projects" / "-home-ada" / "chats"
    other.mkdir(parents=True)
    (other / f"{ID}.jsonl").write_text("{}\n")
    assert source(env).root_at(str(tmp_path / "projects"), "") is None


def test_the_way_back_leads_through_the_projects_directory(env: Environment) -> None:
    """The program finds a chat only from there."""
    path = write_log(env, meta(), user("x"))
    (path.parents[1] / ".project_root").write_text(PROJECT)
    made = row(env)
    back = source(env).resume(made, ResumeOptions())
    assert back is not None and (back.argv, back.cwd, made.resume_cwd) == (("gemini", "--resume", ID), PROJECT, PROJECT)


def test_a_chat_without_a_directory_warns(env: Environment) -> None:
    """The command is given all the same, for whoever knows where."""
    write_log(env, meta(), user("x"))
    back = source(env).resume(row(env), ResumeOptions())
    assert back is not None and back.cwd is None and len(back.warnings) == 1


def test_a_fork_is_not_promised(env: Environment) -> None:
    """There is none."""
    path = write_log(env, meta(), user("x"))
    (path.parents[1] / ".project_root").write_text(PROJECT)
    back = source(env).resume(row(env), ResumeOptions(fork=True))
    assert back is not None and "cannot fork" in back.warnings[0]


def test_an_id_that_looks_like_an_option_is_refused(env: Environment) -> None:
    """A file can call itself anything."""
    write_log(env, meta(sessionId="--yolo"), user("x"))
    assert row(env).id != "--yolo"


@pytest.mark.parametrize(("age", "days"), [("30d", 30), ("2w", 14), ("12h", 1), ("soon", None)])
def test_retention_is_read_from_the_settings(env: Environment, age: str, days: int | None) -> None:
    """Nothing is deleted where nothing says so."""
    write_log(env, meta(), user("x"))
    Path(env.home, ".gemini", "settings.json").write_text(json.dumps({"general": {"sessionRetention": {"enabled": True, "maxAge": age}}}))
    made = source(env)
    assert made.retention(made.roots()[0])[0] == days


def test_a_damaged_document_is_a_reason(env: Environment) -> None:
    """One line, not a crash."""
    from sessionbrowser.sources.base import SourceError

    path = write_document(env, user("x"))
    path.write_text(path.read_text()[:-40])
    with pytest.raises(SourceError, match="damaged or not finished"):
        row(env)


def test_a_chat_named_like_a_pipe_does_not_hang(env: Environment) -> None:
    """Only regular files are chats."""
    path = write_log(env, meta(), user("x"))
    os.mkfifo(path.with_name("session-2026-05-12T10-00-pipe.jsonl"))
    assert len(handles(env)) == 1


@pytest.mark.parametrize("message", [user("<session_context>\nday\n</session_context>"), {"id": "i", "type": "info", "content": "Update available"}])
def test_a_chat_in_which_nobody_said_anything_is_empty(env: Environment, message: dict[str, object]) -> None:
    """The program's own picker leaves it out."""
    write_log(env, meta(), message)
    assert row(env).hidden == "empty"


@pytest.mark.parametrize("command", ["/help", "? what"])
def test_a_command_is_no_title(env: Environment, command: str) -> None:
    write_log(env, meta(), user(command), user("/stats", "u2"), user("fix it", "u3"), gemini("done"))
    assert row(env).title == "fix it"


def test_a_big_log_that_ends_with_the_whole_chat_is_read_whole(env: Environment) -> None:
    """So it does when it was resumed: the last line holds everything again."""
    said = [message for n in range(8) for message in (user(f"prompt {n}", f"u{n}"), gemini("x" * 150_000, f"g{n}"))]
    again = meta(startTime="2026-05-13T09:00:00Z", lastUpdated="2026-05-13T09:00:00Z")
    write_log(env, meta(), *said, again, {"$set": {"messages": said}})
    made = row(env)
    assert (made.last_prompt, made.tail, made.updated) == ("prompt 7", "finished", 1778662800.0)


def test_a_chat_ends_where_it_was_rewound_to(env: Environment) -> None:
    """What was dropped is counted, and is not what the chat ends with."""
    write_log(env, meta(), user("one"), gemini("done"), user("two", "u2"), {"$rewindTo": "u2"})
    made = row(env)
    assert (made.last_prompt, made.tail, made.counts and made.counts.prompts) == ("one", "finished", 2)


def test_a_marker_may_end_in_any_line_end(env: Environment) -> None:
    path = write_log(env, meta(), user("x"))
    (path.parents[1] / ".project_root").write_bytes(PROJECT.encode() + b"\r\n")
    assert row(env).cwd == PROJECT


def test_a_subagent_of_a_subagent_hangs_below_it(env: Environment) -> None:
    path = write_log(env, meta(), user("x"), gemini(toolCalls=[call("generalist", {}, key="c1", agentId="one")]))
    for parent, identity in ((ID, "one"), ("one", "two")):
        (path.parent / parent).mkdir()
        lines = (meta(sessionId=identity, kind="subagent"), user("task"), gemini("done"))
        (path.parent / parent / f"{identity}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    main = next(handle for handle in handles(env) if not handle.parent)
    (one,) = source(env).agents(main).children
    assert (one.id, one.call, [two.id for two in one.children]) == ("one", "c1", ["two"])
