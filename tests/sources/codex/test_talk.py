"""Prompts, answers and thinking: each said once, whatever forms it stands in."""

from __future__ import annotations

import pytest

from sessionbrowser.model import Fields, Prose

from .rollout import Record, Store, assistant, call, done, event, item, meta, output, said, turn, typed, user

TASK = "please fix the clock"
ENVIRONMENT = "<environment_context>\n  <cwd>/home/ada/src/api</cwd>\n</environment_context>"
AGENTS = "# AGENTS.md instructions for /home/ada/src/api\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>"


def prompts(store: Store) -> list[str]:
    return [block.title for block in store.blocks("prompt")]


def test_skills_hooks_and_plugins_are_counted(store: Store) -> None:
    """By their names, each time they were met."""
    skill, hook = "<skill>\n<name>five-whys</name>\nask why\n</skill>", '<session_start hook_run_id="h1">look</session_start>'
    used = event(type="mcp_tool_call_end", call_id="c", plugin_id="notes@ada", invocation={"server": "notes", "tool": "search"}, result={"Ok": {}})
    read = store.read(meta(), user(skill), user(skill), user(hook), typed(TASK), used)
    assert {name: read.facts[name] for name in ("invoked_skills", "hooks", "call_plugins")} == {
        "invoked_skills": {"five-whys": 2}, "hooks": {"session_start": 1}, "call_plugins": {"notes@ada": 1},
    }  # fmt: skip


def test_settings_that_were_applied_are_told_until_a_turn_tells_its_own(store: Store) -> None:
    """Files of newer releases name the effort there alone."""
    applied = event(type="thread_settings_applied", thread_settings={"approval_policy": "never", "reasoning_effort": "high"})
    assert [store.read(meta(), applied, typed(TASK)).facts[name] for name in ("approval", "effort")] == ["never", "high"]
    read = store.read(meta(), applied, turn(approval_policy="on-request"), typed(TASK))
    assert [read.facts[name] for name in ("approval", "effort")] == ["on-request", "high"]


def test_a_prompt_in_two_forms_is_one_prompt(store: Store) -> None:
    """The message for the model and the event of the same words are one prompt."""
    read = store.read(meta(), user(TASK), typed(TASK), said("done"), assistant("done"))
    assert (read.counts.prompts, read.counts.answers) == (1, 1)
    assert prompts(store) == [TASK]


def test_completed_items_outdo_messages_and_events(store: Store) -> None:
    """A paginated thread is read from its completed items alone."""
    read = store.read(
        meta(history_mode="paginated"), user(TASK), done(type="UserMessage", content=[{"type": "text", "text": TASK}]),
        done(type="AgentMessage", content=[{"type": "Text", "text": "ok"}]), assistant("ok"), numbered=0,
    )  # fmt: skip
    assert (read.counts.prompts, read.counts.answers) == (1, 1)


def test_messages_alone_are_read_as_they_are(store: Store) -> None:
    """Without events, the messages are the conversation."""
    read = store.read(meta(), user(TASK), assistant("ok"), user("thanks"), assistant("gladly"))
    assert (read.counts.prompts, read.counts.answers) == (2, 2)


def test_a_better_form_that_comes_late_replaces_the_lesser_one(store: Store) -> None:
    """Prompts come from one kind of record, also when the first megabyte showed only the other."""
    filler = [assistant("x" * 200_000), assistant("y")]
    read = store.read(meta(), user("one"), *filler, user("two"), typed("two"))
    assert [block.title for block in read.blocks if block.kind == "prompt"] == ["two"]
    assert read.counts.prompts == 1


def test_words_that_no_event_repeats_are_kept_as_a_note(store: Store) -> None:
    """Where prompts are events, other words in the user's name are shown, but are no prompts."""
    store.write(meta(), user(TASK), typed(TASK), user("<odd> words"), said("ok"))
    assert prompts(store) == [TASK]
    assert [block.title for block in store.blocks("note")] == ["<odd> words"]


def test_injected_items_are_told_apart_one_by_one(store: Store) -> None:
    """A message that holds instructions, an environment and a person's words is a prompt of those words."""
    store.write(meta(), user(AGENTS, ENVIRONMENT, TASK), assistant("ok"))
    assert prompts(store) == [TASK]
    assert [block.title for block in store.blocks("note")] == ["AGENTS.md", "environment"]


@pytest.mark.parametrize(
    "text",
    [
        AGENTS, AGENTS.replace("\n", "\r\n"), ENVIRONMENT, "<user_instructions>\nbe brief\n</user_instructions>",
        "<skill>\n<name>x</name>\n</skill>", "<subagent_notification>{}</subagent_notification>",
        '<codex_internal_context source="goal">go on</codex_internal_context>', "<goal_context>x</goal_context>",
        '<note hook_run_id="h1">look</note>', "<recommended_plugins>x</recommended_plugins>",
    ],
)  # fmt: skip
def test_text_that_codex_put_there_is_no_prompt(store: Store, text: str) -> None:
    """Injected text collapses into a note."""
    read = store.read(meta(), user(text), user(TASK), assistant("ok"))
    assert read.counts.prompts == 1
    assert [block.what for block in read.blocks] == ["injected", "typed", ""]


def test_instructions_written_again_after_a_resume_are_noted_once(store: Store) -> None:
    """Only what changed is worth a line."""
    rules = item(type="message", role="developer", content=[{"type": "input_text", "text": "be brief"}])
    changed = ENVIRONMENT.replace("api", "web")
    store.write(meta(), rules, user(AGENTS, ENVIRONMENT), user("a"), assistant("b"), rules, user(AGENTS, changed), user("c"))
    assert [block.title for block in store.blocks("note")] == ["developer instructions", "AGENTS.md", "environment", "environment"]


def test_a_tag_with_words_behind_it_is_a_persons(store: Store) -> None:
    """Only a text that also ends in the tag is Codex's."""
    assert store.read(meta(), user(ENVIRONMENT + "\nwhat is this?"), assistant("ok")).counts.prompts == 1


def test_codexs_own_labels_decide_where_it_wrote_them(store: Store) -> None:
    """The newest files say of each item what it is."""
    labelled = user("You may use plugins.", TASK)
    labelled["payload"]["internal_chat_message_metadata_passthrough"] = {"content_item_kinds": ["generic.plugin_hint", "user.text"]}
    store.write(meta(), labelled, assistant("ok"))
    assert prompts(store) == [TASK]
    assert store.blocks("note")[0].title == "plugin hint"


def test_what_an_editor_put_before_the_request_is_dropped(store: Store) -> None:
    """Only the words behind the editor's heading were typed."""
    text = f"# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\n{TASK}\n"
    store.write(meta(), user(text), typed(text), said("ok"))
    block = store.blocks("prompt")[0]
    assert block.title == TASK
    assert store.body(block).text == TASK


def test_a_prompt_typed_into_an_open_turn_is_queued(store: Store) -> None:
    """It stands where it was typed; the next turn's prompt is an ordinary one."""
    begun, over = event(type="task_started", turn_id="t"), event(type="task_complete", turn_id="t")
    read = store.read(meta(), begun, typed(TASK), said("on it"), typed("and hurry"), said("ok"), over, begun, typed("thanks"))
    assert [block.what for block in read.blocks if block.kind == "prompt"] == ["typed", "queued", "typed"]
    assert read.counts.prompts == 3


def test_events_of_injected_kinds_are_no_prompts(store: Store) -> None:
    """Versions of autumn 2025 wrote instructions as events with a kind."""
    read = store.read(meta(), typed("be brief", kind="user_instructions"), typed(ENVIRONMENT), typed(TASK, kind="plain"), said("ok"))
    assert read.counts.prompts == 1


def test_a_shell_command_of_the_person_is_a_prompt(store: Store) -> None:
    """What was run with `!` was entered by the person: a counter of events alone misses it."""
    text = (
        "<user_shell_command>\n<command>\ngit status\n</command>\n<result>\nExit code: 0\nDuration: 0.1 seconds\n"
        "Output:\nclean\n</result>\n</user_shell_command>"
    )
    read = store.read(meta(), user(TASK), typed(TASK), said("ok"), user(text))
    bash = read.blocks[-1]
    assert (bash.kind, bash.what, bash.title, read.counts.prompts) == ("prompt", "bash", "git status", 2)
    assert [getattr(part, "text", "") for part in store.body(bash).parts] == ["git status", "clean"]


def test_pictures_of_a_prompt_are_blocks_of_their_own(store: Store) -> None:
    """A pasted image is a card with its format, dimensions and size."""
    pixel = (
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
    store.write(meta(), typed("look", images=[f"data:image/png;base64,{pixel}"], local_images=["/home/ada/shot.png"]), said("ok"))
    pasted, named = store.blocks("image")
    card = store.body(pasted).parts[0]
    assert (card.format, card.width, card.height) == ("png", 1, 1)  # type: ignore[union-attr]
    assert (named.title, store.body(named).parts[0].data) == ("/home/ada/shot.png", None)  # type: ignore[union-attr]


def test_a_summary_after_compaction_is_no_answer(store: Store) -> None:
    """The model's summary stands as a message only; answers are counted from events."""
    read = store.read(meta(), typed(TASK), said("ok"), assistant("ok"), assistant("summary for the next model"))
    assert read.counts.answers == 1


def test_bare_items_of_2025_are_read(store: Store) -> None:
    """The first generation has no wrapping and no times."""
    first = {"id": "019e1b77-0348-701a-8b3c-4d5e6f7a8b9c", "timestamp": "2025-08-01T10:00:00Z", "instructions": "x", "git": {"branch": "main"}}
    bare = [user(ENVIRONMENT)["payload"], user(TASK)["payload"], {"record_type": "state"}, assistant("ok")["payload"]]
    read = store.read(first, *bare)
    assert (read.counts.prompts, read.counts.answers) == (1, 1)
    row = store.row()
    assert (row.title, row.branch, row.cwd, row.origin) == (TASK, "main", "/home/ada/src/api", "interactive")


def test_flat_lines_of_other_writers_are_read(store: Store) -> None:
    """Lines with a role and nothing around it are messages, calls without ids meet the next result."""
    read = store.read(
        {"timestamp": "2025-09-10T12:00:00Z", "role": "user", "content": TASK, "model": "o4-mini"},
        {"timestamp": "2025-09-10T12:00:01Z", "type": "tool_call", "function": {"name": "git"}, "arguments": "status"},
        {"timestamp": "2025-09-10T12:00:01Z", "type": "tool_result", "name": "git", "result": "clean"},
        {"timestamp": "2025-09-10T12:00:02Z", "role": "assistant", "content": "ok"},
    )
    assert read.counts[:4] == (1, 1, 1, 1)
    assert read.blocks[1].ok is True


def test_a_result_without_an_id_closes_its_call_although_a_counter_passes_over_it(store: Store) -> None:
    """`function_result` is the output of a bare `function_call`: the independent counter of the corpus counts none."""
    read = store.read(
        {"created_at": "2025-09-10T12:00:00Z", "role": "user", "message": TASK},
        {"created_at": "2025-09-10T12:00:01Z", "type": "function_call", "function": {"name": "translate"}, "arguments": {"to": "es"}},
        {"created_at": "2025-09-10T12:00:01Z", "type": "function_result", "name": "translate", "result": "hola"},
    )
    assert read.counts.tool_results == 1
    assert store.body(read.blocks[1]).text == "hola"


# ── thinking ──


def test_thinking_is_read_from_summaries_and_said_once(store: Store) -> None:
    """The event and the model's own record of a thought are one block."""
    store.write(
        meta(), typed(TASK), event(type="agent_reasoning", text="**Plan**"),
        item(type="reasoning", summary=[{"type": "summary_text", "text": "**Plan**"}], encrypted_content="c2VjcmV0"),
    )  # fmt: skip
    thoughts = store.blocks("thinking")
    assert [block.title for block in thoughts] == ["**Plan**"]
    assert store.body(thoughts[0]).parts == (Prose("**Plan**"),)


def test_encrypted_thinking_is_never_shown(store: Store) -> None:
    """A thought that only the model can read is a block that says so, without its content."""
    store.write(meta(), typed(TASK), item(type="reasoning", summary=[], content=None, encrypted_content="c2VjcmV0"))
    thought = store.blocks("thinking")[0]
    assert (thought.what, thought.title) == ("encrypted", "")
    assert "c2VjcmV0" not in str(store.body(thought))


def test_raw_thoughts_outdo_encrypted_ones(store: Store) -> None:
    """Where events tell what was thought, the empty shells beside them are left out."""
    store.write(
        meta(), typed(TASK), item(type="reasoning", summary=[], encrypted_content="eA=="),
        event(type="agent_reasoning_raw_content", text="look first"),
    )  # fmt: skip
    assert [block.title for block in store.blocks("thinking")] == ["look first"]


def test_thoughts_of_paginated_threads_are_read_once(store: Store) -> None:
    """The completed item and the response item are one thought."""
    store.write(
        meta(), done(type="UserMessage", content=[{"type": "text", "text": TASK}]),
        done(type="Reasoning", summary_text=["why"], raw_content=[]),
        item(type="reasoning", summary=[{"type": "summary_text", "text": "why"}]), numbered=0,
    )  # fmt: skip
    assert len(store.blocks("thinking")) == 1


def test_text_for_eyes_is_clean(store: Store) -> None:
    """Nothing in a prompt, an answer or an argument can drive the terminal."""
    evil = "a\x1b[2Jb\x1b]0;t\x07c\u202e"
    store.write(meta(), typed(evil), said(evil), call("odd_tool", {evil: evil}), output(evil))
    for block in store.blocks():
        body = store.body(block)
        assert not set("\x1b\x07\u202e") & set(block.title + body.text + str(body.input))
    assert isinstance(store.body(store.blocks("tool")[0]).parts[0], Fields)


PICTURE = "data:image/png;base64,aGVsbG8="


@pytest.mark.parametrize(
    "record",
    [
        event(type="user_message", message="", images=[PICTURE]),
        item(type="message", role="user", content=[{"type": "input_image", "image_url": PICTURE}]),
        done(type="UserMessage", content=[{"type": "image", "image_url": PICTURE}]),
    ],
    ids=["event", "message", "item"],
)
def test_a_picture_without_a_word_is_a_prompt_that_says_so(store: Store, record: Record) -> None:
    store.write(meta(), record, assistant("a cat"))
    blocks = store.blocks()
    assert [(block.kind, block.title) for block in blocks[:2]] == [("prompt", "[Image]"), ("image", "image")]
    assert (store.row().title, store.body(blocks[0]).text) == ("[Image]", "[Image]")


@pytest.mark.parametrize("name", ["message", "content"])
def test_flat_lines_that_name_their_speaker_by_type_are_read(store: Store, name: str) -> None:
    store.write({"type": "user", name: "hello"}, {"type": "assistant", name: "hi"})
    assert [(block.kind, block.title) for block in store.blocks()] == [("prompt", "hello"), ("text", "hi")]
