"""What OpenCode's messages and parts become."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessionbrowser.model import Checklist, Code, Diff, Picture, Usage
from sessionbrowser.paths import Environment

from .stores import (
    NOW,
    data_home,
    handles,
    kinds,
    model,
    outlined,
    source,
    tool,
    user,
    write_database,
    write_early_tree,
    write_tree,
)


def test_a_turn_is_a_prompt_and_its_answer(env: Environment) -> None:
    """Prompt, reasoning, tool and text in their order, all in turn 1."""
    made = outlined(env, user("fix it"), model({"type": "reasoning", "text": "Hm."}, tool("bash", {"command": "ls"}, "a\n", exit=0), "Done."))
    assert kinds(made) == ["prompt", "thinking", "bash", "text"] and {block.turn for block in made.blocks} == {1}


def test_counts_are_of_the_whole_session(env: Environment) -> None:
    """An answer is a message with text; one with calls only is none."""
    made = outlined(env, user("a"), model(tool("bash", {"command": "x"})), model("b"), user("c"), model("d"))
    assert made.counts[:4] == (2, 2, 1, 1)


@pytest.mark.parametrize("flag", ["synthetic", "ignored"])
def test_what_nobody_typed_is_a_note(env: Environment, flag: str) -> None:
    """Parts with these flags are put there by the program."""
    made = outlined(env, user("fix it", {"type": "text", "text": "Called the Read tool", flag: True}), model("ok"))
    assert made.counts.prompts == 1 and [block.what for block in made.blocks if block.kind == "note"] == ["injected"]


@pytest.mark.parametrize("kept", ['"fix it"', '"fix it"\n', '"say \\"hi\\""'])
def test_quotes_of_the_command_line_are_taken_off(env: Environment, kept: str) -> None:
    """`opencode run` keeps a prompt in double quotes."""
    made = outlined(env, user(kept))
    assert made.blocks[0].title in ("fix it", 'say "hi"')


def test_quotes_that_belong_to_a_prompt_stay(env: Environment) -> None:
    """Only a pair around the whole is the program's."""
    assert outlined(env, user('"a" and "b"')).blocks[0].title == '"a" and "b"'


def test_a_failing_command_is_known_by_its_exit(env: Environment) -> None:
    """Its status is "completed" all the same."""
    made = outlined(env, user("x"), model(tool("bash", {"command": "ls x"}, "no such file\n", exit=2)))
    assert (made.blocks[1].ok, made.blocks[1].exit_code, made.counts.tool_errors) == (False, 2, 1)


def test_a_tool_that_failed_itself_says_so(env: Environment) -> None:
    """Status "error": the output is the error."""
    write_database(data_home(env) / "opencode.db", user("x"), model(tool("read", {"filePath": "/a"}, "File not found", "error")))
    made, (handle,) = source(env), handles(env)
    block = made.outline(handle).blocks[1]
    assert (block.ok, block.outcome, made.body(handle, block).text) == (False, "failed", "File not found")


def test_a_call_nobody_could_read_is_a_failed_one(env: Environment) -> None:
    """OpenCode files it under a tool called `invalid`."""
    made = outlined(env, user("x"), model(tool("invalid", {"tool": "bsh", "error": "unknown tool"}, "The arguments are invalid")))
    assert (made.blocks[1].ok, made.blocks[1].outcome) == (False, "the call could not be read")


def test_a_running_tool_is_open(env: Environment) -> None:
    """It has no result yet."""
    made = outlined(env, user("x"), model(tool("bash", {"command": "sleep 9"}, status="running"), done=False))
    assert made.blocks[1].ok is None and made.counts[2:4] == (1, 0)


def test_calls_with_one_id_are_kept_apart(env: Environment) -> None:
    """Some models call everything call_1."""
    made = outlined(env, user("x"), model(tool("bash", {"command": "a"}, "1", exit=0)), model(tool("bash", {"command": "b"}, "2", exit=1)))
    assert [block.exit_code for block in made.blocks[1:]] == [0, 1]


def test_an_edit_shows_the_diff_it_recorded(env: Environment) -> None:
    """With the real line numbers, not those of the arguments."""
    diff = "--- a.py\n+++ a.py\n@@ -40,2 +40,2 @@\n same\n-old\n+new\n"
    write_database(data_home(env) / "opencode.db", user("x"), model(tool("edit", {"filePath": "a.py", "oldString": "old", "newString": "new"}, "", diff=diff)))
    made, (handle,) = source(env), handles(env)
    block = made.outline(handle).blocks[1]
    (part,) = made.body(handle, block).parts
    assert isinstance(part, Diff) and part.hunks[0].old_start == 40 and (block.added, block.removed) == (1, 1)


def test_a_file_that_was_read_is_code_with_its_numbers(env: Environment) -> None:
    """The numbers written into the output become the code's own."""
    text = "<file>\n00007| def f():\n00008|     pass\n\n(End of file - total 8 lines)\n</file>"
    write_database(data_home(env) / "opencode.db", user("x"), model(tool("read", {"filePath": "a.py"}, text)))
    made, (handle,) = source(env), handles(env)
    (part,) = made.body(handle, made.outline(handle).blocks[1]).parts
    assert part == Code("def f():\n    pass", "a.py", 7)


def test_a_todo_list_is_a_check_list(env: Environment) -> None:
    """As with every other agent."""
    write_database(data_home(env) / "opencode.db", user("x"), model(tool("todowrite", {"todos": [{"content": "look", "status": "completed"}]}, "[]")))
    made, (handle,) = source(env), handles(env)
    assert made.body(handle, made.outline(handle).blocks[1]).parts == (Checklist((("done", "look"),)),)


@pytest.mark.parametrize(("output", "metadata"), [
    ('<task id="ses_child" state="completed">\n<task_result>\nFound it.\n</task_result>\n</task>', {}),
    ("Found it.\n\n<task_metadata>\nsession_id: ses_child\n</task_metadata>", {}),
    ("Found it.", {"sessionId": "ses_child"}),
])  # fmt: skip
def test_a_task_leads_to_its_session(env: Environment, output: str, metadata: dict[str, object]) -> None:
    """By its metadata, or by what stands in its output."""
    made = outlined(env, user("x"), model(tool("task", {"prompt": "look"}, output, **metadata)))
    assert made.blocks[1].subagent == "ses_child"


def test_a_tasks_answer_is_shown_without_its_wrapping(env: Environment) -> None:
    """The tags are for the model."""
    output = '<task id="ses_child" state="completed">\n<task_result>\nFound it.\n</task_result>\n</task>'
    write_database(data_home(env) / "opencode.db", user("x"), model(tool("task", {"prompt": "look"}, output)))
    made, (handle,) = source(env), handles(env)
    assert made.body(handle, made.outline(handle).blocks[1]).text == "Found it."


def test_a_shell_output_keeps_its_colours_as_spans(env: Environment) -> None:
    """And nothing else of an escape sequence."""
    output = "\x1b[31mred\x1b[0m \x1b]0;title\x07plain"
    write_database(data_home(env) / "opencode.db", user("x"), model(tool("bash", {"command": "x"}, output, exit=0)))
    made, (handle,) = source(env), handles(env)
    assert made.body(handle, made.outline(handle).blocks[1]).text == "red plain"


def test_reasoning_counts_as_output(env: Environment) -> None:
    """input, output, reasoning and cache of every answer, each once."""
    tokens = {"input": 10, "output": 5, "reasoning": 2, "cache": {"read": 3, "write": 1}}
    made = outlined(env, user("x"), model("a", tokens=tokens), model("b", tokens=tokens))
    assert made.tokens == Usage(20, 14, 6, 2) and list(made.tokens_by_model) == ["gpt-5"]


def test_a_compaction_is_marked(env: Environment) -> None:
    """The part stands in a user message of its own, which is no prompt."""
    made = outlined(env, user("a"), model("b"), user({"type": "compaction", "auto": True}), model("Summary", summary=True), user("c"))
    assert made.counts.compactions == 1 and made.counts.prompts == 2


def test_an_abort_is_an_interrupt(env: Environment) -> None:
    """The person stopped it: no error of the agent."""
    error = {"name": "MessageAbortedError", "data": {"message": "aborted"}}
    made = outlined(env, user("a"), model("b", error=error))
    assert made.blocks[-1].what == "interrupt" and made.counts.interrupts == 1


def test_an_error_is_a_note_with_its_message(env: Environment) -> None:
    """Errors of the provider stand where they happened."""
    made = outlined(env, user("a"), model(error={"name": "APIError", "data": {"message": "overloaded"}}))
    assert (made.blocks[-1].what, made.blocks[-1].title) == ("error", "APIError: overloaded")


def test_what_was_reverted_is_a_branch(env: Environment) -> None:
    """`revert` names the message from which on all was undone; it is kept and marked."""
    made = outlined(env, user("a"), model("b"), user("c"), model("d"), revert='{"messageID": "msg_ses_one_002"}')
    assert [block.branch for block in made.blocks] == [0, 0, 1, 1]


def test_an_attached_image_is_a_card(env: Environment) -> None:
    """Its bytes are not part of the outline."""
    part = {"type": "file", "mime": "image/png", "filename": "shot.png", "url": "data:image/png;base64,aGVsbG8="}
    made = outlined(env, user("look", part))
    assert [(block.kind, block.title) for block in made.blocks] == [("prompt", "look"), ("image", "shot.png")]


def test_unknown_parts_never_fail(env: Environment) -> None:
    """One with words is shown, the rest is passed over."""
    made = outlined(env, user("a"), model({"type": "hologram", "text": "new"}, {"type": "step-start"}, {"odd": 1}, "b"))
    assert kinds(made) == ["prompt", "note", "text"]


def test_a_childs_prompt_is_its_parents(env: Environment) -> None:
    """The task of a subagent is not a person's prompt."""
    path = data_home(env) / "opencode.db"
    write_database(path, user("x"), session="ses_main")
    write_database(path, user("look around"), session="ses_child", parent_id="ses_main")
    child = next(handle for handle in handles(env) if handle.id == "ses_child")
    made = source(env).outline(child)
    assert made.blocks[0].what == "subagent" and made.counts.prompts == 0


def test_trees_read_like_databases(env: Environment, tmp_path: Path) -> None:
    """The same messages give the same blocks."""
    said = (user("fix"), model({"type": "reasoning", "text": "Hm."}, tool("bash", {"command": "ls"}, "a", exit=1), "Done."))
    from_database = kinds(outlined(env, *said))
    other = env._replace(home=str(tmp_path / "other"))
    write_tree(data_home(other), *said)
    assert kinds(source(other).outline(handles(other)[0])) == from_database


def test_the_earliest_trees_are_read(env: Environment) -> None:
    """0.5 kept parts in a folder for the session."""
    write_early_tree(data_home(env), "an early prompt\n")
    (handle,) = handles(env)
    assert source(env).outline(handle).blocks[0].title == "an early prompt"


def test_a_damaged_message_costs_itself(env: Environment) -> None:
    """The others are read, and the loss is counted."""
    own = write_tree(data_home(env), user("a"), model("b"), user("c"))
    (own.parents[2] / "message" / "ses_one" / "msg_ses_one_001.json").write_text('{"role": "assist')
    made = source(env).outline(handles(env)[0])
    assert kinds(made) == ["prompt", "prompt"] and len(made.damage) == 1


def test_titles_are_fit_for_eyes(env: Environment) -> None:
    """Nothing from a file drives the terminal."""
    made = outlined(env, user("\x1b]52;c;AAAA\x07hello\u202e"))
    assert made.blocks[0].title == "hello"


def test_an_unchanged_session_is_not_read_again(env: Environment) -> None:
    """`since` of the same state comes back as it is."""
    write_database(data_home(env) / "opencode.db", user("a"))
    made, (handle,) = source(env), handles(env)
    first = made.outline(handle)
    assert made.outline(handle, first).blocks is first.blocks


def test_search_finds_what_was_said(env: Environment) -> None:
    """Prompts, answers and thinking; tools on request."""
    write_database(data_home(env) / "opencode.db", user("apple"), model({"type": "reasoning", "text": "pear"}, tool("bash", {"command": "fig"}, "plum", exit=0), "quince"))
    made, (handle,) = source(env), handles(env)
    plain = [(item.kind, item.text) for item in made.passages(handle)]
    assert plain == [("prompt", "apple"), ("thinking", "pear"), ("text", "quince")]
    assert {"fig", "plum"} <= set(" ".join(item.text for item in made.passages(handle, tools=True)).split())


def test_a_command_of_the_person_is_a_prompt_with_its_output(env: Environment) -> None:
    """OpenCode keeps it as a call that no model made, after a message that says so."""
    told = user({"type": "text", "text": "The following tool was executed by the user", "synthetic": True})
    ran = {"role": "assistant", "modelID": "m", "tokens": {"input": 0, "output": 0}, "time": {"created": NOW, "completed": NOW},
           "parts": [tool("bash", {"command": "make"}, "no rule", exit=2)]}  # fmt: skip
    made = outlined(env, told, ran)
    assert [(block.kind, block.what, block.title) for block in made.blocks] == [("prompt", "bash", "make"), ("note", "output", "exit 2: no rule")]
    assert made.counts.tool_calls == 0


def test_what_a_tool_gave_may_be_no_text(env: Environment) -> None:
    """It is shown as JSON; a state of another name that holds an output came back, too."""
    state = {"status": "done", "input": {"path": "/x"}, "output": {"rows": [1]}}
    made = outlined(env, user("a"), model({"type": "tool", "tool": "look", "callID": "c", "state": state}))
    (handle,) = handles(env)
    assert made.blocks[1].ok is True and source(env).body(handle, made.blocks[1]).text == '{\n  "rows": [\n    1\n  ]\n}'


def test_a_call_of_an_unknown_state_without_an_output_is_open(env: Environment) -> None:
    made = outlined(env, user("a"), model({"type": "tool", "tool": "look", "callID": "c", "state": {"status": "queued", "input": {}}}, done=False))
    assert made.blocks[1].ok is None


PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAA"  # three by two


def test_pictures_are_shown_with_their_bytes(env: Environment) -> None:
    """Those a person attached, and those a tool gave."""
    read = tool("read", {"filePath": "a.png"}, "Image read")
    read["state"] = {**read["state"], "attachments": [{"type": "file", "mime": "image/png", "url": PNG}]}  # type: ignore[dict-item]
    made = outlined(env, user("see", {"type": "file", "mime": "image/png", "url": PNG, "filename": "a.png"}), model(read))
    (handle,) = handles(env)
    bodies = [source(env).body(handle, block) for block in made.blocks[1:]]
    pictures = [part for body in bodies for part in body.parts if isinstance(part, Picture)]
    assert [(one.format, one.width, one.height, bool(one.data)) for one in pictures] == [("png", 3, 2, True)] * 2


def test_a_message_of_several_steps_spent_the_tokens_of_all(env: Environment) -> None:
    """Its own count is that of the last."""
    steps = [{"type": "step-finish", "tokens": {"input": n, "output": 1}} for n in (10, 20)]
    made = outlined(env, user("a"), model("b", *steps, tokens={"input": 20, "output": 1}))
    assert made.tokens == Usage(30, 2)
