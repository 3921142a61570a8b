"""Chats of Cursor's command line: in their store, and in the readable transcripts beside it."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.model import Code, Handle, Picture, ResumeOptions, SetAside, Unreadable
from sessionbrowser.paths import Environment
from sessionbrowser.sources.cursor import messages, store

from .stores import (
    ID,
    WEB,
    field,
    handles,
    kinds,
    line,
    only,
    row,
    said,
    source,
    varint,
    write_editor,
    write_store,
    write_transcript,
)


def test_messages_come_in_the_order_of_the_root(env: Environment) -> None:
    """Not in that of their hashes or their rows."""
    write_store(env, said("user", "c"), said("assistant", "a"), said("user", "b"))
    assert [block.title for block in only(env)[2].blocks] == ["c", "a", "b"]


def test_a_store_whose_root_is_gone_is_read_in_the_order_of_writing(env: Environment) -> None:
    """Better than nothing."""
    write_store(env, said("user", "c"), said("assistant", "a"), latestRootBlobId="deadbeef")
    assert [block.title for block in only(env)[2].blocks] == ["c", "a"]


def test_what_was_summarised_is_read_before_the_summary(env: Environment) -> None:
    """The root names only what the model still sees; the rest stands in an archive. The summary is no prompt."""
    summary = {**said("user", "All is well."), "providerOptions": {"cursor": {"isSummary": True}}}
    before = [said("user", "first"), said("assistant", "one")]
    write_store(env, {"role": "system", "content": "You are."}, summary, before[1], said("user", "second"), said("assistant", "two"), before=before)
    made = only(env)[2]
    assert [(block.kind, block.what or block.title) for block in made.blocks] == [
        ("note", "injected"), ("prompt", "typed"), ("text", "one"), ("note", "compaction"), ("prompt", "typed"), ("text", "two"),
    ]  # fmt: skip
    assert made.counts.prompts == 2 and row(env).title == "first"


def test_a_call_under_way_is_read_from_the_root(env: Environment) -> None:
    """The answer gets a content of its own when its calls are done."""
    call = said("assistant", "I look.", {"type": "tool-call", "toolCallId": "t", "toolName": "Shell", "args": {"command": "ls"}})
    write_store(env, said("user", "x"), pending=call)
    made, handle, outline = only(env)
    assert kinds(outline) == ["prompt", "text", "Shell"] and outline.blocks[2].result is None
    assert made.body(handle, outline.blocks[2]).parts
    assert [passage.text for passage in made.passages(handle)] == ["x", "I look."]


ASKED = field(1, field(3, b"request"))  # a turn of the agent


def ran(command: bytes, output: bytes, code: int = 0) -> bytes:
    """A turn that was a command."""
    return field(2, field(1, field(1, command)) + field(2, field(1, output) + bytes([0x18, code])))


def begun(time: int) -> bytes:
    """When a turn began, in seconds."""
    return field(14, b"\x10" + varint(time * 1000))


def query(text: str) -> dict[str, object]:
    """A prompt as the command line puts it."""
    return said("user", f"<user_query>\n{text}\n</user_query>")


def test_the_root_tells_when_turns_began_and_what_was_run_by_hand(env: Environment) -> None:
    """Messages have no times, and commands of the person are no messages."""
    write_store(
        env, said("user", "<user_info>\nx\n</user_info>"), query("one"), said("assistant", "1"), query("two"), said("assistant", "2"),
        turns=[ASKED, ran(b"make", b"it broke\n", 2), ASKED, ran(b"true", b"")],
        more=b"".join(begun(1778600000 + number) for number in (10, 20, 30, 40)),
    )  # fmt: skip
    source_, handle, made = only(env)
    found = [(block.what if block.kind == "prompt" else block.kind, block.title, block.time) for block in made.blocks if block.kind in ("prompt", "text")]
    assert found == [
        ("typed", "one", 1778600010.0), ("text", "1", None), ("bash", "make", 1778600020.0), ("typed", "two", 1778600030.0),
        ("text", "2", None), ("bash", "true", 1778600040.0),
    ]  # fmt: skip
    printed = next(block for block in made.blocks if "it broke" in block.title)
    assert source_.body(handle, printed).parts
    assert [passage.text for passage in source_.passages(handle)] == ["one", "1", "make", "two", "2", "true"]


def test_turns_that_match_no_prompts_tell_nothing(env: Environment) -> None:
    """Rather no time than a wrong one."""
    write_store(env, query("one"), turns=[ASKED, ran(b"make", b""), ASKED], more=begun(1778600010))
    made = only(env)[2]
    assert [(block.what, block.time) for block in made.blocks] == [("typed", None)]


def test_the_root_names_repository_and_branch(env: Environment) -> None:
    """Where no workspace is named, the repository is the directory."""
    write_store(env, query("one"), more=field(21, field(1, b"/home/ada/src/api") + field(2, b"fix/it")))
    made = row(env)
    assert (made.branch, made.cwd) == ("fix/it", "/home/ada/src/api")


def test_a_chat_that_a_subagent_had_is_its(env: Environment) -> None:
    """Its metadata says so."""
    write_store(env, query("one"), subagentInfo={"type": "explore"})
    assert row(env).hidden == "subagent"


def test_a_chat_of_another_program_is_listed_and_not_resumed(env: Environment) -> None:
    """Editors that drive the agent (ACP) have their chats in a folder of their own."""
    write_store(env, query("one"), folder=Path(env.home, ".cursor", "acp-sessions", ID), beside={"schemaVersion": 1, "cwd": WEB, "title": "Over there"})
    made, handle, _ = only(env)
    found = made.summarise(handle)
    assert (found.title, found.cwd, found.hidden) == ("Over there", WEB, "")
    assert made.resume(found, ResumeOptions()) is None and "ACP" in str(found.facts["no_resume"])


@pytest.mark.parametrize(("name", "inside"), [("CURSOR_CONFIG_DIR", ""), ("XDG_CONFIG_HOME", "cursor")])
def test_the_command_line_is_told_where_to_keep_its_chats(env: Environment, tmp_path: Path, name: str, inside: str) -> None:
    """The readable copies stay in the home; each session is listed once."""
    told = env._replace(variables={**env.variables, name: str(tmp_path / "told")})
    write_store(told, query("one"), folder=tmp_path / "told" / inside / "chats" / "0123" / ID)
    write_transcript(told, line("user", "one"))
    assert [handle.path for handle in handles(told)] == [str(tmp_path / "told" / inside / "chats" / "0123" / ID / "store.db")]


def test_what_surrounds_a_prompt_is_a_note(env: Environment) -> None:
    """A prompt stands between tags; the rest was put there."""
    write_store(env, said("user", f"<user_info>\nWorkspace Path: {WEB}\n</user_info>"), said("user", "<user_query>\nfix it\n</user_query>\n<git_status>clean</git_status>"))
    made = only(env)[2]
    assert [(block.kind, block.what) for block in made.blocks] == [("note", "injected"), ("note", "injected"), ("prompt", "typed")]
    assert made.counts.prompts == 1 and made.blocks[2].title == "fix it"


def test_thinking_calls_and_results(env: Environment) -> None:
    """Results are messages of their own, joined by the call's id."""
    write_store(
        env, said("user", "x"),
        said("assistant", {"type": "reasoning", "text": "Hm."}, {"type": "tool-call", "toolCallId": "t", "toolName": "Shell", "args": {"command": "ls"}}),
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "t", "toolName": "Shell", "result": "Exit code: 2\n\nno such file"}]},
    )  # fmt: skip
    made, handle, outline = only(env)
    assert kinds(outline) == ["prompt", "thinking", "Shell"]
    assert (outline.blocks[2].ok, outline.blocks[2].exit_code) == (False, 2)
    assert made.body(handle, outline.blocks[2]).text == "no such file"


def test_the_exit_code_recorded_beside_a_result(env: Environment) -> None:
    """Newer stores keep it apart from the text."""
    high = {"providerOptions": {"cursor": {"highLevelToolCallResult": {"output": {"failure": {"exitCode": 7}}}}}}
    write_store(
        env, said("assistant", {"type": "tool-call", "toolCallId": "t", "toolName": "Shell", "args": {}}),
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "t", "result": "x"}], **high},
    )  # fmt: skip
    assert only(env)[2].blocks[0].exit_code == 7


def test_a_file_that_was_read_is_code_with_its_numbers(env: Environment) -> None:
    """The numbers in front of the lines are the program's."""
    write_store(
        env, said("assistant", {"type": "tool-call", "toolCallId": "t", "toolName": "Read", "args": {"path": "a.py"}}),
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "t", "result": "     9|def f():\n    10|    pass"}]},
    )  # fmt: skip
    made, handle, outline = only(env)
    assert made.body(handle, outline.blocks[0]).parts == (Code("def f():\n    pass", "a.py", 9),)


def test_name_directory_and_times_stand_beside_the_store(env: Environment) -> None:
    """`meta.json`, where there is one."""
    write_store(env, said("user", "x"), beside={"cwd": WEB, "createdAtMs": 1778600000000, "updatedAtMs": 1778600300000, "title": "Fixing x"}, lastUsedModel="opus")
    made = row(env)
    assert (made.title, made.cwd, made.created, made.updated, made.model) == ("Fixing x", WEB, 1778600000.0, 1778600300.0, "opus")


def test_a_chat_without_a_name_is_called_by_its_prompt(env: Environment) -> None:
    """"New Agent" says nothing."""
    write_store(env, said("user", "<user_query>fix it</user_query>"))
    assert row(env).title == "fix it"


def test_the_folders_hash_is_found_out(env: Environment) -> None:
    """By the workspace the first message names, or by where one stands."""
    write_store(env, said("user", f"<user_info>\nWorkspace Path: {WEB}\n</user_info>"))
    assert row(env).cwd == WEB
    here = env._replace(home=env.home + "/other", cwd=WEB + "/deep/below")
    write_store(here, said("user", "x"))
    assert row(here).cwd == WEB


def test_the_way_back_leads_through_the_workspace(env: Environment) -> None:
    """The program looks only among the chats of where it runs."""
    write_store(env, said("user", "x"), beside={"cwd": WEB})
    back = source(env).resume(row(env), ResumeOptions())
    assert back is not None and (back.argv, back.cwd) == (("cursor-agent", "--resume", ID), WEB)


def test_an_empty_chat_is_hidden(env: Environment) -> None:
    """A store in which nothing was said yet."""
    write_store(env, name="Test Session")
    assert (row(env).hidden, row(env).title) == ("empty", "Test Session")


def test_a_torn_store_is_a_reason(env: Environment) -> None:
    """One line for its row, and the others are listed."""
    from sessionbrowser.sources.base import SourceError

    path = write_store(env, said("user", "x"))
    write_store(env, said("user", "y"), identity=ID[:-1] + "6")
    path.write_bytes(b"SQLite format 3\0" + b"\7" * 3000)
    assert len(handles(env)) == 2
    with pytest.raises(SourceError, match="damaged"):
        source(env).summarise(handles(env)[0])


def test_a_damaged_message_costs_itself(env: Environment) -> None:
    """And is counted."""
    path = write_store(env, said("user", "x"), said("assistant", "y"))
    database = sqlite3.connect(path)
    database.execute("update blobs set data = x'7b7b' where cast(data as text) like '%assistant%'")
    database.commit()
    database.close()
    assert kinds(only(env)[2]) == ["prompt"] and len(only(env)[2].damage) == 1


def test_a_transcript_of_a_chat_is_not_listed_twice(env: Environment) -> None:
    """It is a copy that people can read."""
    write_store(env, said("user", "x"))
    write_transcript(env, line("user", "x"))
    made = source(env)
    found = [item for root in made.roots() for item in made.discover(root)]
    assert [type(item) for item in found] == [Handle, SetAside]


def test_a_transcript_stands_in_for_an_unreadable_order(env: Environment) -> None:
    """A store that holds no messages, with a transcript that does."""
    write_store(env)
    write_transcript(env, line("user", "<user_query>fix it</user_query>"), line("assistant", "done"))
    made, handle, outline = only(env)
    assert kinds(outline) == ["prompt", "text"] and made.summarise(handle).first_prompt == "fix it"
    assert made.body(handle, outline.blocks[1]).text == "done"


def test_a_transcript_of_an_editors_chat_is_set_aside(env: Environment) -> None:
    """The editor's database has it, with results and times."""
    write_transcript(env, line("user", "x"))
    write_editor(env, {ID: {"fullConversationHeadersOnly": []}})
    made = source(env)
    found = [item for root in made.roots() for item in made.discover(root)]
    assert sorted(type(item).__name__ for item in found) == ["Handle", "SetAside"]


@pytest.mark.parametrize("flat", [False, True])
def test_a_transcript_alone_is_a_session(env: Environment, flat: bool) -> None:
    """In either layout; nothing resumes it, and its facts say why."""
    write_transcript(env, line("user", "<user_query>\nfix it\n</user_query>"), line("assistant", "on it", {"type": "tool_use", "name": "Shell", "input": {"command": "ls"}}), flat=flat)
    made, handle, outline = only(env)
    found = made.summarise(handle)
    assert kinds(outline) == ["prompt", "text", "Shell"] and (found.id, found.project) == (ID, "web")
    assert made.resume(found, ResumeOptions()) is None and found.facts["no_resume"]


def test_a_transcript_keeps_no_results(env: Environment) -> None:
    """Its calls are neither running nor failed: what came of them was not written down."""
    write_transcript(env, line("assistant", {"type": "tool_use", "name": "Shell", "input": {"command": "ls"}}), line("assistant", "done"))
    assert only(env)[2].blocks[0].outcome == "result not recorded"


def test_a_tool_result_is_no_prompt(env: Environment) -> None:
    """Some transcripts keep results, in messages of the user's role."""
    write_transcript(env, line("user", "x"), line("assistant", {"type": "tool_use", "name": "Bash", "input": {}}), line("user", {"type": "tool_result", "content": [{"type": "text", "text": "a"}]}))
    counts = only(env)[2].counts
    assert counts[:4] == (1, 0, 1, 1)


@pytest.mark.parametrize(("status", "tail"), [("success", "finished"), ("error", "failed"), ("aborted", "interrupted")])
def test_how_a_turn_ended(env: Environment, status: str, tail: str) -> None:
    """Newer transcripts say so."""
    write_transcript(env, line("user", "x"), line("assistant", "y"), {"type": "turn_ended", "status": status})
    assert row(env).tail == tail


def test_the_directory_of_a_transcript_is_the_one_that_exists(env: Environment) -> None:
    """A folder's name does not tell a dash from a slash."""
    Path(env.home, "src", "my-web").mkdir(parents=True)
    slug = env.home.strip("/").replace("/", "-").replace("_", "-").replace(".", "-") + "-src-my-web"
    write_transcript(env, line("user", "x"), project=slug)
    assert row(env).cwd == f"{env.home}/src/my-web"


def test_the_trust_given_to_a_project_names_its_directory(env: Environment) -> None:
    """Written by the program when the person trusts a folder."""
    path = write_transcript(env, line("user", "x"))
    (path.parents[2] / ".workspace-trusted").write_text(json.dumps({"workspacePath": WEB}))
    assert row(env).cwd == WEB


def test_a_window_without_a_folder_has_no_project(env: Environment) -> None:
    """"empty-window" is no name."""
    write_transcript(env, line("user", "x"), project="empty-window")
    assert (row(env).cwd, row(env).project) == (None, "")


def test_subagents_lie_under_their_session(demo_home: Path, env: Environment) -> None:
    """Hidden in the list, found in the tree."""
    made = source(env)
    chat = next(handle for handle in handles(env) if handle.path.endswith("store.db"))
    (child,) = made.agents(chat).children
    assert child.id.startswith("71c3e9aa") and child.status == "finished"
    assert next(handle for handle in handles(env) if handle.id == child.id).hidden == "subagent"


def test_nothing_changes_in_the_stores(demo_home: Path, env: Environment) -> None:
    """Listing and reading leave every file, time and folder as they were."""

    def picture() -> dict[str, tuple[int, int]]:
        folders = (Path(env.home, ".cursor"), Path(env.app_support(), "Cursor"))
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for folder in folders for path in sorted(folder.rglob("*"))}

    before = picture()
    made = source(env)
    for handle in handles(env):
        made.summarise(handle)
        outline = made.outline(handle)
        for block in outline.blocks:
            made.body(handle, block)
        made.agents(handle, outline)
    assert picture() == before


@pytest.mark.parametrize("inside", ["", ".cursor"])
def test_a_copy_opens_from_wherever_it_is_pointed_at(env: Environment, tmp_path: Path, inside: str) -> None:
    """A home or the `.cursor` folder."""
    write_store(env, said("user", "x"))
    shutil.copytree(Path(env.home, inside), tmp_path / "copy")
    made = source(env)
    root = made.root_at(str(tmp_path / "copy"), "copy")
    assert root is not None and [type(item) for item in made.discover(root)] == [Handle]


def test_a_root_that_went_away_is_said(env: Environment) -> None:
    """Not an empty list."""
    write_store(env, said("user", "x"))
    made = source(env)
    (root,) = made.roots()
    shutil.rmtree(root.path)
    assert [type(item) for item in made.discover(root)] == [Unreadable]


def test_the_hash_is_of_the_path_without_a_slash_at_its_end() -> None:
    """The name of a workspace's folder."""
    from sessionbrowser.sources.cursor.places import hash_of

    assert hash_of(WEB) == hashlib.md5(b"/home/ada/src/web").hexdigest()


@settings(deadline=None, max_examples=300)
@given(data=st.binary(max_size=120))
def test_any_bytes_are_read_as_a_node(data: bytes) -> None:
    """What makes no sense ends the reading, without an error."""
    node = store.read_node(data)
    assert all(len(key) == 64 for key in node.below)


@settings(deadline=None, max_examples=200)
@given(data=st.dictionaries(
    st.sampled_from(["role", "type", "message", "content", "id", "timestamp", "status", "providerOptions", "tool_name", "key"]),
    st.recursive(st.none() | st.integers() | st.text(max_size=5) | st.sampled_from(["user", "assistant", "tool", "system", "turn_ended"]),
                 lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
                     st.sampled_from(["type", "text", "toolCallId", "toolName", "args", "result", "content", "role", "image", "cursor"]),
                     inner | st.sampled_from(["tool-call", "tool-result", "reasoning", "image", "text"]), max_size=4), max_leaves=12), max_size=6))  # fmt: skip
def test_no_message_breaks_the_reader(data: dict[str, object]) -> None:
    """Any JSON in place of a message."""
    list(messages.pieces(data))


@pytest.mark.parametrize(("when", "time"), [
    ("Sunday, Sep 20, 2026, 12:31 AM (UTC+3)", 1789853460.0), ("Monday, Sep 21, 2026, 1:05 PM (UTC-5:30)", 1790015700.0), ("some day", None),
])  # fmt: skip
def test_the_time_of_a_prompt_is_put_before_it(env: Environment, when: str, time: float | None) -> None:
    write_transcript(env, line("user", f"<timestamp>{when}</timestamp>\n<user_query>\nlist it\n</user_query>"))
    (block,) = only(env)[2].blocks
    assert (block.kind, block.title, block.time) == ("prompt", "list it", time)


def test_a_thought_that_was_taken_out_is_no_answer(env: Environment) -> None:
    write_transcript(env, line("user", "go"), line("assistant", "[REDACTED]"), line("assistant", "Done.\n\n[REDACTED]"))
    _, _, made = only(env)
    assert [(block.kind, block.what, block.title) for block in made.blocks[1:]] == [("thinking", "redacted", ""), ("thinking", "redacted", ""), ("text", "", "Done.")]
    assert made.counts.answers == 1


def test_a_turn_that_ended_with_a_question_asks_it(env: Environment) -> None:
    write_transcript(env, line("user", "go"), line("assistant", "Which one?"), {"type": "turn_ended", "status": "success"})
    assert row(env).tail == "asking"


PLAIN = """user:
<user_query>
list it
</user_query>

assistant:
[Thinking] with ls
  and no options
I list it.
[Tool call] Shell
  command=ls -la
  description=Lists files
[Tool result] Shell
  main.py

  notes
Two files.
[Tool call] Grep
  {"pattern": "def"}
assistant:
Done.
"""


def test_an_early_transcript_in_plain_text_is_read(env: Environment) -> None:
    path = write_transcript(env, flat=True)
    path.unlink()
    path.with_suffix(".txt").write_text(PLAIN)
    made, handle, outline = only(env)
    assert [(block.kind, block.name or block.title) for block in outline.blocks] == [
        ("prompt", "list it"), ("thinking", "with ls and no options"), ("text", "I list it."), ("tool", "Shell"), ("text", "Two files."), ("tool", "Grep"), ("text", "Done."),
    ]  # fmt: skip
    shell, grep = [block for block in outline.blocks if block.kind == "tool"]
    assert (shell.title, shell.ok, made.body(handle, shell).text) == ("ls -la", True, "main.py\n\nnotes")
    assert (grep.title, grep.outcome) == ("def", "result not recorded")
    assert made.body(handle, outline.blocks[-1]).text == "Done."
    assert [passage.text for passage in made.passages(handle)] == ["list it", "with ls\nand no options", "I list it.", "Two files.", "Done."]


def test_a_later_transcript_goes_before_plain_text(env: Environment) -> None:
    path = write_transcript(env, line("user", "later"), flat=True)
    path.with_suffix(".txt").write_text(PLAIN)
    assert row(env).title == "later"


def test_the_same_words_again_are_another_message(env: Environment) -> None:
    """A store keeps them once, under the hash they share."""
    asked, told = said("user", "<user_query>\ngo on\n</user_query>"), said("assistant", "done")
    write_store(env, asked, told, asked, told)
    _, _, made = only(env)
    assert kinds(made) == ["prompt", "text"] * 2 and made.counts.prompts == 2


def test_what_a_summary_stands_for_is_not_told_twice(env: Environment) -> None:
    """A message that is in the archive and in the chat is the same one."""
    asked, told = said("user", "<user_query>\ngo on\n</user_query>"), said("assistant", "done")
    write_store(env, told, said("user", "<user_query>\nmore\n</user_query>"), before=[asked, told])
    assert kinds(only(env)[2]) == ["prompt", "text", "prompt"]


def test_a_result_that_is_a_text_is_no_prompt(env: Environment) -> None:
    call = {"type": "tool-call", "toolCallId": "t1", "toolName": "Shell", "args": {"command": "ls"}}
    write_store(env, said("assistant", call), {"role": "tool", "content": "a.py"})
    made, handle, outline = only(env)
    assert kinds(outline) == ["Shell"] and made.body(handle, outline.blocks[0]).text == "a.py"


def test_a_query_that_was_cut_short_is_a_prompt(env: Environment) -> None:
    write_store(env, said("user", "<user_query>\nhello"))
    assert (row(env).title, kinds(only(env)[2])) == ("hello", ["prompt"])


def test_a_message_of_a_transcript_may_be_a_text(env: Environment) -> None:
    write_transcript(env, {"role": "user", "message": "hello"}, {"role": "assistant", "message": "hi"})
    assert kinds(only(env)[2]) == ["prompt", "text"]


@pytest.mark.parametrize("flat", [True, False])
def test_subagents_are_found_beside_an_early_transcript_too(env: Environment, flat: bool) -> None:
    """They lie in a folder of its name."""
    path = write_transcript(env, line("user", "x"), flat=flat)
    child = write_transcript(env, line("user", "look"), identity="scout")
    folder = path.parent / ID / "subagents" if flat else path.parent / "subagents"
    folder.mkdir(parents=True)
    child.rename(folder / "scout.jsonl")
    child.parent.rmdir()
    main = next(handle for handle in handles(env) if handle.id == ID)
    assert [found.id for found in source(env).agents(main).children] == ["scout"]


def test_subagents_of_a_session_that_is_gone_are_listed(env: Environment) -> None:
    child = write_transcript(env, line("user", "look"), identity="scout")
    folder = child.parents[1] / ID / "subagents"
    folder.mkdir(parents=True)
    child.rename(folder / "scout.jsonl")
    assert [(handle.id, handle.parent, handle.hidden) for handle in handles(env)] == [("scout", ID, "subagent")]


def test_a_title_given_later_beside_the_store_is_a_change(env: Environment) -> None:
    path = write_store(env, said("user", "<user_query>\nx\n</user_query>"), beside={"title": "Named"})
    (before,) = handles(env)
    os.utime(path.parent / "meta.json", ns=(before.mtime_ns + 10**9, before.mtime_ns + 10**9))
    (after,) = handles(env)
    assert after.mtime_ns > before.mtime_ns


def test_a_damaged_page_costs_the_messages_on_it(env: Environment) -> None:
    """The others are read."""
    path = write_store(env, *(said("user", f"<user_query>\n{n} {'q' * 3000}\n</user_query>") for n in range(20)))
    pages = bytearray(path.read_bytes())
    middle = len(pages) // 8192 * 4096
    pages[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(bytes(pages))
    made, handle, outline = only(env)
    assert outline.counts.prompts == 19 and [item.reason for item in outline.damage] == ["a message cannot be read"]
    assert made.summarise(handle).title.startswith("0 qqq")


PNG = "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAA"  # three by two


@pytest.mark.parametrize("given", [{"image": PNG, "mimeType": "image/png"}, {"image": {"hex": base64.b64decode(PNG).hex()}}, {"source": {"data": PNG}}])
def test_pictures_are_shown_with_their_bytes(env: Environment, given: dict[str, object]) -> None:
    write_store(env, said("user", "<user_query>\nsee\n</user_query>", {"type": "image", **given}))
    made, handle, outline = only(env)
    (picture,) = made.body(handle, outline.blocks[1]).parts
    assert isinstance(picture, Picture) and (picture.format, picture.width, picture.height) == ("png", 3, 2)


def test_a_project_may_lie_outside_the_home(env: Environment, tmp_path: Path) -> None:
    project = tmp_path / "elsewhere" / "my.web"
    project.mkdir(parents=True)
    write_transcript(env, line("user", "x"), project=re.sub(r"[^A-Za-z0-9]+", "-", str(project)).strip("-"))
    assert row(env).cwd == str(project)


def test_a_chat_that_was_only_opened_is_empty(env: Environment) -> None:
    """The program tells the model where it is before anybody says a word."""
    write_store(env, said("system", "You are an agent."), said("user", "<user_info>\nWorkspace Path: /home/ada/src/web\n</user_info>"))
    assert row(env).hidden == "empty"


def test_a_chat_whose_messages_are_damaged_is_not_empty(env: Environment) -> None:
    path = write_store(env, said("user", "<user_query>\nx\n</user_query>"))
    database = sqlite3.connect(path)
    database.execute("update blobs set data = cast('{torn' as blob) where substr(cast(data as blob), 1, 1) = cast('{' as blob)")
    database.commit()
    database.close()
    assert (row(env).hidden, row(env).damaged_lines) == ("", 1)
