"""Chats of the editor, kept in one database that may be gigabytes."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.model import Diff, ResumeOptions, Usage
from sessionbrowser.paths import Environment
from sessionbrowser.sources import present
from sessionbrowser.sources.cursor import bubbles, editor

from .stores import ID, WEB, Json, handles, kinds, only, ran, row, source, write_chat, write_editor


def test_a_chat_is_its_bubbles_in_the_order_of_their_headers(env: Environment) -> None:
    """One is a prompt, two is the model."""
    write_chat(env, {"type": 1, "text": "fix it"}, {"type": 2, "text": "", "thinking": {"text": "Hm."}}, {"type": 2, "text": "done"})
    assert kinds(only(env)[2]) == ["prompt", "thinking", "text"]


def test_old_chats_hold_their_messages_themselves(env: Environment) -> None:
    """In `conversation`."""
    write_editor(env, {ID: {"createdAt": 1700000000000, "conversation": [{"type": 1, "text": "fix it", "bubbleId": "a"}, {"type": 2, "text": "done", "bubbleId": "b"}]}})
    assert kinds(only(env)[2]) == ["prompt", "text"]


def test_missing_messages_are_counted(env: Environment) -> None:
    """Values may be NULL, rows may be gone, ids may be empty."""
    headers = [{"bubbleId": "a", "type": 1}, {"bubbleId": "b"}, {"bubbleId": ""}, {"bubbleId": "c"}]
    write_editor(env, {ID: {"fullConversationHeadersOnly": headers}}, {f"{ID}:a": {"text": "fix it"}, f"{ID}:b": None})
    made = only(env)[2]
    assert kinds(made) == ["prompt"] and len(made.damage) == 3


@pytest.mark.parametrize(("bubble", "words"), [
    ({"type": 1, "rawText": "raw"}, "raw"),
    ({"type": 1, "text": "", "richText": json.dumps({"root": {"children": [{"type": "paragraph", "children": [{"text": "rich"}]}]}})}, "rich"),
    ({"type": 1, "content": "content"}, "content"),
])  # fmt: skip
def test_the_words_of_a_bubble(env: Environment, bubble: dict[str, object], words: str) -> None:
    """Releases keep them in different fields."""
    write_chat(env, bubble)
    assert only(env)[2].blocks[0].title == words


def test_a_failing_command_is_known_by_its_exit(env: Environment) -> None:
    """Its status is "completed" all the same."""
    write_chat(env, ran("run_terminal_command_v2", {"command": "ls x"}, {"output": "no such file", "exitCode": 2}))
    made, handle, outline = only(env)
    block = outline.blocks[0]
    assert (block.what, block.ok, block.exit_code, block.title) == ("shell", False, 2, "ls x")
    assert made.body(handle, block).text == "no such file"


@pytest.mark.parametrize(("status", "more", "outcome"), [
    ("error", {}, "error"), ("cancelled", {}, "cancelled"), ("completed", {"userDecision": "rejected"}, "rejected"),
])  # fmt: skip
def test_calls_that_did_not_do_it(env: Environment, status: str, more: dict[str, object], outcome: str) -> None:
    """Failed, stopped, or refused by the person."""
    write_chat(env, ran("edit_file", {"relativeWorkspacePath": "a"}, "", status, **more))
    block = only(env)[2].blocks[0]
    assert (block.ok, block.outcome) == (False, outcome)


def test_a_call_that_runs_is_open(env: Environment) -> None:
    """No result, no final status."""
    write_chat(env, ran("read_file", {"targetFile": "a"}, None, "loading"))
    assert only(env)[2].blocks[0].ok is None


def test_an_edit_shows_the_chunks_it_recorded(env: Environment) -> None:
    """As a diff with line numbers."""
    chunk = {"diffString": " same\n-old\n+new\n\\ No newline at end of file", "oldStart": 4, "newStart": 4, "oldLines": 2, "newLines": 2}
    write_chat(env, ran("edit_file_v2", {"relativeWorkspacePath": "a.py"}, {"diff": {"chunks": [chunk]}}))
    made, handle, outline = only(env)
    (part,) = made.body(handle, outline.blocks[0]).parts
    assert isinstance(part, Diff) and (part.path, part.hunks[0].old_start, outline.blocks[0].added) == ("a.py", 4, 1)
    assert part.hunks[0].lines == (" same", "-old", "+new", "\\ No newline at end of file")


def test_arguments_as_the_model_gave_them(env: Environment) -> None:
    """They say more than what the editor made of them."""
    write_chat(env, ran("read_file", {"relativeWorkspacePath": "a.py"}, {"contents": "x"}, rawArgs=json.dumps({"target_file": "/p/a.py"})))
    assert only(env)[2].blocks[0].title == "/p/a.py"


def test_tokens_are_counted_where_they_are_kept(env: Environment) -> None:
    """Often they are zero."""
    write_chat(env, {"type": 1, "text": "x"}, {"type": 2, "text": "y", "tokenCount": {"inputTokens": 10, "outputTokens": 3}}, {"type": 2, "text": "z", "tokenCount": {"inputTokens": 0, "outputTokens": 0}})
    assert only(env)[2].tokens == Usage(10, 3)


def test_name_times_model_branch(env: Environment) -> None:
    """From the chat's own record."""
    write_chat(
        env, {"type": 1, "text": "x"}, {"type": 2, "text": "y"}, name="Dark theme", modelConfig={"modelName": "composer-1"},
        trackedGitRepos=[{"branches": [{"branchName": "main"}]}], workspaceIdentifier={"uri": {"fsPath": WEB}},
    )  # fmt: skip
    made = row(env)
    assert (made.title, made.model, made.branch, made.cwd, made.updated) == ("Dark theme", "composer-1", "main", WEB, 1778600100.0)


@pytest.mark.parametrize(("bubble", "cwd"), [
    ({"workspaceProjectDir": "/w/proj"}, "/w/proj"),
    ({"workspaceUris": ["file:///w/my%20proj"]}, "/w/my proj"),
    ({"workspaceUris": ["vscode-remote://ssh-remote+host/w/proj"]}, "/w/proj"),
])  # fmt: skip
def test_the_directory_a_message_names(env: Environment, bubble: dict[str, object], cwd: str) -> None:
    """Where the chat's record names none."""
    write_chat(env, {"type": 1, "text": "x", **bubble})
    assert row(env).cwd == cwd


def test_the_directory_of_the_workspace_that_lists_the_chat(env: Environment) -> None:
    """Older editors keep the list in the workspace's own database."""
    path = write_chat(env, {"type": 1, "text": "x"})
    folder = path.parents[1] / "workspaceStorage" / "abc"
    folder.mkdir(parents=True)
    (folder / "workspace.json").write_text(json.dumps({"folder": f"file://{WEB}"}))
    database = sqlite3.connect(folder / "state.vscdb")
    database.execute("create table ItemTable (key text unique, value blob)")
    database.execute("insert into ItemTable values ('composer.composerData', ?)", (json.dumps({"allComposers": [{"composerId": ID}]}),))
    database.commit()
    database.close()
    assert row(env).cwd == WEB


@pytest.mark.parametrize(("status", "tail"), [("completed", "finished"), ("aborted", "interrupted"), ("generating", "working")])
def test_how_a_chat_ended(env: Environment, status: str, tail: str) -> None:
    """As the editor says."""
    write_chat(env, {"type": 1, "text": "x"}, {"type": 2, "text": "y"}, status=status)
    assert row(env).tail == tail


def test_nothing_resumes_a_chat_of_the_editor(env: Environment) -> None:
    """Its facts say so."""
    write_chat(env, {"type": 1, "text": "x"})
    made = row(env)
    assert source(env).resume(made, ResumeOptions()) is None and "editor" in str(made.facts["no_resume"])


def test_empty_chats_are_hidden(env: Environment) -> None:
    """The editor makes one with every window."""
    write_chat(env)
    assert row(env).hidden == "empty"


def test_subagents_hang_under_the_call_that_started_them(demo_home: Path, env: Environment) -> None:
    """Named by the parent, and by the call's result."""
    made = source(env)
    chat = next(handle for handle in handles(env) if handle.id.startswith("b2f1c0de-0001"))
    (child,) = made.agents(chat).children
    assert (child.id[:13], child.call) == ("b2f1c0de-0002", "c0")


def test_the_list_is_made_without_reading_chats(env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a big database only keys and the editor's own list are looked at."""
    write_editor(
        env, {ID: {"lastUpdatedAt": 1}}, {f"{ID}:b": {"type": 1}}, listed=[{"composerId": ID, "lastUpdatedAt": 1778600100000}],
    )  # fmt: skip
    monkeypatch.setattr(editor, "composer", lambda *_: pytest.fail("a chat was read"))
    (handle,) = handles(env)
    assert handle.mtime_ns == 1778600100000 * 1_000_000


def test_a_chat_that_is_written_again_changes_its_handle_alone(env: Environment) -> None:
    """Its row in the database is another one then."""
    path = write_editor(env, {"a": {"lastUpdatedAt": 1700000000000}, "b": {"lastUpdatedAt": 1700000000000}})
    before = {handle.id: handle for handle in handles(env)}
    database = sqlite3.connect(path)
    database.execute("insert into cursorDiskKV values ('composerData:b', ?)", (json.dumps({"lastUpdatedAt": 1700000000000}),))
    database.commit()
    database.close()
    after = {handle.id: handle for handle in handles(env)}
    assert before["a"] == after["a"] and before["b"] != after["b"]


def test_keys_of_other_things_are_no_chats(env: Environment) -> None:
    """The table holds much else, before and behind the chats' keys."""
    path = write_editor(env, {ID: {}})
    database = sqlite3.connect(path)
    for key in ("composerDataX:1", "composerData", "checkpointId:1:2", "zz"):
        database.execute("insert into cursorDiskKV values (?, '{}')", (key,))
    database.commit()
    database.close()
    assert [handle.id for handle in handles(env)] == [ID]


def test_the_newer_list_of_chats_is_read(env: Environment) -> None:
    """A table of its own, with what is archived and what is a subagent."""
    path = write_editor(env, {"a": {}, "b": {}})
    database = sqlite3.connect(path)
    database.execute("create table composerHeaders (composerId text, createdAt integer, lastUpdatedAt integer, isSubagent integer, isArchived integer, value text)")
    database.execute("insert into composerHeaders values ('a', 1, 1778600100000, 0, 1, '{}'), ('b', 1, 1778600100000, 1, 0, ?)", (json.dumps({"subagentInfo": {"parentComposerId": "a"}}),))
    database.commit()
    database.close()
    assert {handle.id: handle.hidden for handle in handles(env)} == {"a": "archived", "b": "subagent"}


def test_the_registry_finds_the_editor(env: Environment) -> None:
    """Also where the command line was never used."""
    write_chat(env, {"type": 1, "text": "x"})
    assert "cursor" in [entry.name for entry in present(env)]


def test_a_database_without_chats_is_empty(env: Environment) -> None:
    """An editor in which nobody chatted."""
    path = Path(env.app_support(), "Cursor", "User", "globalStorage", "state.vscdb")
    path.parent.mkdir(parents=True)
    sqlite3.connect(path).execute("create table ItemTable (key text, value blob)").connection.close()
    assert handles(env) == []


@settings(deadline=None, max_examples=200)
@given(bubble=st.dictionaries(
    st.sampled_from(["type", "text", "richText", "thinking", "toolFormerData", "tokenCount", "createdAt", "errorDetails", "images", "modelInfo"]),
    st.recursive(st.none() | st.integers(0, 3) | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["name", "params", "rawArgs", "result", "status", "text", "root", "children", "diff", "chunks", "diffString", "message"]),
        inner | st.sampled_from(['{"a": 1}', "{", "edit_file", "completed"]), max_size=5), max_leaves=12), max_size=6))  # fmt: skip
def test_no_bubble_breaks_the_reader(bubble: dict[str, object]) -> None:
    """Any JSON in place of a message."""
    list(bubbles.pieces(bubble))


def test_messages_without_an_order_are_read_as_they_were_made(env: Environment) -> None:
    """Where the chat itself names none of them."""
    kept: dict[str, Json | None] = {
        f"{ID}:b9": {"type": 1, "text": "hello", "createdAt": "2026-05-12T10:00:00Z"},
        f"{ID}:b1": {"type": 2, "text": "hi", "createdAt": "2026-05-12T10:00:05Z"}, f"{ID}x:b1": {"type": 1, "text": "of another"},
    }  # fmt: skip
    write_editor(env, {ID: {"createdAt": "1778600000000"}}, kept)
    made, handle, outline = only(env)
    assert [made.body(handle, block).text for block in outline.blocks] == ["hello", "hi"]
    assert (made.summarise(handle).title, made.summarise(handle).created) == ("hello", 1778600000.0)


def test_messages_a_chat_holds_by_their_ids(env: Environment) -> None:
    chat: Json = {"fullConversationHeadersOnly": [{"bubbleId": "b0", "type": 1}], "conversationMap": {"b0": {"text": "hello"}}}
    write_editor(env, {ID: chat})
    assert kinds(only(env)[2]) == ["prompt"]


def test_who_wrote_a_message_may_be_a_text(env: Environment) -> None:
    write_chat(env, {"type": "1", "text": "hello"}, {"type": "2", "text": "hi"})
    assert kinds(only(env)[2]) == ["prompt", "text"]


def test_a_result_may_be_a_list(env: Environment) -> None:
    tool = {"name": "grep", "params": "{}", "result": ["a.py", "b.py"], "status": "completed"}
    write_chat(env, {"type": 2, "toolFormerData": tool})
    made, handle, outline = only(env)
    assert made.body(handle, outline.blocks[0]).text == "a.py\nb.py"


def test_a_chat_the_editor_forgot_is_none(env: Environment) -> None:
    """Its key is kept without a value."""
    path = write_editor(env, {ID: {"conversation": [{"type": 1, "text": "hello"}]}})
    database = sqlite3.connect(path)
    database.execute("insert into cursorDiskKV values ('composerData:gone', null)")
    database.commit()
    database.close()
    assert [handle.id for handle in handles(env)] == [ID]
