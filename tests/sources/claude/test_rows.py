"""Who wrote a row: a person, in all the places a person's words hide, or the program."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from sessionbrowser.model import Picture
from sessionbrowser.render.parts import picture_words

from .log import Log, said, source


def prompts(log: Log) -> list[tuple[str, str, str]]:
    return [(block.what, block.via, block.title) for block in log.outline().blocks if block.kind == "prompt"]


def test_a_typed_row_is_a_prompt(home: Path) -> None:
    log = Log(home)
    log.user("fix the parser")
    assert prompts(log) == [("typed", "row", "fix the parser")]


def test_an_editor_block_before_a_persons_block_does_not_hide_it(home: Path) -> None:
    """Blocks are judged one by one: the editor's tag comes first in the same row."""
    log = Log(home)
    log.user([{"type": "text", "text": "<ide_opened_file>The user opened a.py</ide_opened_file>"}, {"type": "text", "text": "explain it"}])
    assert prompts(log) == [("typed", "row", "explain it")]


def test_several_typed_blocks_of_one_row_are_one_prompt(home: Path) -> None:
    log = Log(home)
    log.user([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])
    assert prompts(log) == [("typed", "row", "one two")]


def test_words_behind_a_tool_result_are_a_queued_prompt(home: Path) -> None:
    log = Log(home)
    log.call("Bash", "t1", {"command": "ls"})
    log.result("t1", "a.py", behind="and the docs")
    assert prompts(log) == [("queued", "tool_row", "and the docs")]


def test_the_programs_words_behind_a_tool_search_are_no_prompt(home: Path) -> None:
    log = Log(home)
    log.call("ToolSearch", "t1", {"query": "select:Read"})
    log.result("t1", [{"type": "tool_reference", "tool_name": "Read"}], behind="Tool loaded.")
    assert prompts(log) == []


def test_an_interrupt_behind_a_tool_result_is_no_prompt(home: Path) -> None:
    log = Log(home)
    log.call("Bash", "t1", {"command": "ls"})
    log.result("t1", "no", error=True, behind="[Request interrupted by user for tool use]")
    outline = log.outline()
    assert (outline.counts.prompts, outline.counts.interrupts) == (0, 1)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"origin": {"kind": "human"}}, 1),
        ({"humanTurn": True}, 1),
        ({}, 1),  # builds before origins
        ({"commandMode": "task-notification"}, 0),
        ({"origin": {"kind": "task-notification"}}, 0),
        ({"origin": {"kind": "human"}, "isMeta": True}, 1),
        ({"isMeta": True}, 0),
    ],
)
def test_a_queued_attachment_is_a_prompt_only_when_a_person_wrote_it(home: Path, values: dict[str, object], expected: int) -> None:
    log = Log(home)
    log.attachment("queued_command", **{"prompt": "also this", "commandMode": "prompt", **values})
    assert len(prompts(log)) == expected


def test_a_queued_attachment_of_an_old_build_that_begins_with_a_tag_is_injected(home: Path) -> None:
    log = Log(home)
    log.attachment("queued_command", prompt="<agent-notification>done</agent-notification>", commandMode="prompt")
    assert prompts(log) == []


def test_pictures_of_a_queued_prompt_are_shown_behind_its_words(home: Path) -> None:
    log = Log(home)
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}}
    log.attachment("queued_command", prompt=[picture, {"type": "text", "text": "like this"}], commandMode="prompt")
    log.attachment("queued_command", prompt=[picture], commandMode="prompt")
    outline = log.outline()
    assert [(block.kind, block.title) for block in outline.blocks] == [
        ("prompt", "like this"), ("image", "PNG · 5B"), ("prompt", "[Image]"), ("image", "PNG · 5B"),
    ]  # fmt: skip
    body = source(home).body(log.handle(), outline.blocks[1])
    assert [getattr(part, "data", None) for part in body.parts] == [b"hello"]


def test_a_queued_attachment_that_holds_nothing_is_no_prompt(home: Path) -> None:
    log = Log(home)
    log.attachment("queued_command", prompt=[], commandMode="prompt")
    assert log.blocks() == []


def test_a_slash_command_is_shown_as_it_was_typed(home: Path) -> None:
    log = Log(home)
    log.user("<command-name>/review</command-name>\n<command-message>review</command-message>\n<command-args>src/</command-args>")
    assert prompts(log) == [("slash", "row", "/review src/")]


def test_a_custom_command_puts_its_message_first(home: Path) -> None:
    log = Log(home)
    log.user("<command-message>deploy is running…</command-message>\n<command-name>deploy</command-name>")
    assert prompts(log) == [("slash", "row", "/deploy")]


def test_a_shell_command_of_the_person_and_its_output(home: Path) -> None:
    log = Log(home)
    log.user("<bash-input>git status</bash-input>")
    log.user("<bash-stdout>clean</bash-stdout><bash-stderr></bash-stderr>")
    assert said(log.blocks()) == [("prompt", "bash", "git status"), ("note", "output", "clean")]


@pytest.mark.parametrize(
    "text",
    [
        "<local-command-stdout>done</local-command-stdout>", "<local-command-caveat>Caveat</local-command-caveat>", "<system-reminder>x</system-reminder>",
        "<task-notification>\n<summary>done</summary></task-notification>", "<agent-notification>x</agent-notification>",
        "<ide_selection>lines</ide_selection>", '<teammate-message teammate_id="a">hi</teammate-message>', '<channel source="x">hi</channel>',
        "<session-start-hook>x</session-start-hook>", "<slack-message>x</slack-message>",
        "Caveat: The messages below were generated by the user while running local commands.",
    ],
)  # fmt: skip
def test_text_the_program_put_there_is_a_note(home: Path, text: str) -> None:
    log = Log(home)
    log.user(text)
    outline = log.outline()
    assert outline.counts.prompts == 0
    assert [block.kind for block in outline.blocks] == ["note"]


def test_a_persons_prompt_may_begin_with_a_tag_nobody_knows(home: Path) -> None:
    log = Log(home)
    log.user("<div> should be centred, why is it not?")
    assert [what for what, _, _ in prompts(log)] == ["typed"]


def test_meta_rows_and_rows_of_another_origin_are_injected(home: Path) -> None:
    log = Log(home)
    log.user("Base directory for this skill: /skills/review", isMeta=True)
    log.user("go on", origin={"kind": "auto-continuation"})
    assert [(block.kind, block.what) for block in log.blocks()] == [("note", "injected"), ("note", "injected")]


def test_a_reminder_inside_a_prompt_is_not_shown(home: Path) -> None:
    log = Log(home)
    log.user("<system-reminder>be brief</system-reminder>\nwhy is it slow?")
    assert prompts(log) == [("typed", "row", "why is it slow?")]


def test_the_task_of_a_subagent_is_not_a_persons_prompt(home: Path) -> None:
    log = Log(home, "agent-a1", sidechain=True)
    log.user("Find the callers.")
    outline = log.outline("subagent")
    assert [(block.what, outline.counts.prompts) for block in outline.blocks] == [("subagent", 0)]


def test_an_inline_side_chain_begins_no_turn_of_the_person(home: Path) -> None:
    """Builds up to 1.0.1xx wrote subagents into the session's own file."""
    log = Log(home)
    log.user("look around")
    log.sidechain = True
    log.user("Find the callers.", parent=None)
    log.say("found")
    outline = log.outline()
    assert [(block.what, block.turn) for block in outline.blocks] == [("typed", 1), ("subagent", 1), ("", 1)]
    assert outline.counts.prompts == 1


def test_a_pasted_picture_is_a_block_of_its_own(home: Path) -> None:
    log = Log(home)
    source_ = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA="}
    log.user([{"type": "text", "text": "like this [Image #1]"}, {"type": "image", "source": source_}])
    blocks = log.blocks()
    assert [block.kind for block in blocks] == ["prompt", "image"]
    picture = source(home).body(log.handle(), blocks[1]).parts[0]
    assert (picture.format, picture.width, picture.height) == ("png", 2, 3)  # type: ignore[union-attr]


def test_pasted_pictures_stand_behind_the_words_of_their_row(home: Path) -> None:
    """In whatever order the row has them: the prompt they belong to comes first. Their size is told as their cards tell it."""
    log = Log(home)
    source_ = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(bytes(285_000)).decode()}
    picture = {"type": "image", "source": source_}
    log.user([{"type": "text", "text": "<ide_selection>lines</ide_selection>"}, picture, picture, {"type": "text", "text": "like these"}])
    blocks = log.blocks()
    assert [(block.kind, block.title, block.turn) for block in blocks[1:]] == [
        ("prompt", "like these", 1), ("image", "PNG · 285kB", 1), ("image", "PNG · 285kB", 1)]  # fmt: skip
    card = source(home).body(log.handle(), blocks[2]).parts[0]
    assert isinstance(card, Picture)
    assert picture_words(card) == "image  png  285kB"


@pytest.mark.parametrize(("tag", "name"), [("teammate-message", "Message from a teammate"), ("cross-session-message", "Message from another session")])
def test_a_message_that_another_session_sent_is_told_as_such(home: Path, tag: str, name: str) -> None:
    """It begins a turn and counts as the program counts it, but nobody typed it; its tags are nobody's words."""
    log = Log(home)
    log.user(f'Another Claude session sent a message:\n<{tag} teammate_id="worker" color="green">\nThe cleanup\nis done.\n</{tag}>')
    outline = log.outline()
    (block,) = outline.blocks
    assert (block.kind, block.what, block.via, block.name, block.title) == ("prompt", "typed", "row", name, "The cleanup is done.")
    assert source(home).body(log.handle(), block).text == "The cleanup\nis done."
    assert outline.counts.prompts == 1


def test_a_person_may_speak_of_messages(home: Path) -> None:
    """Only the program's own sentence before a message makes it one."""
    log = Log(home)
    log.user("what is this?\nsee: <teammate-message>x</teammate-message> in the log")
    assert [(block.name, block.title) for block in log.blocks()] == [("", "what is this? see: <teammate-message>x</teammate-message> in the log")]


def test_a_picture_alone_is_a_prompt(home: Path) -> None:
    log = Log(home)
    log.user([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}])
    blocks = log.blocks()
    assert [(block.kind, block.title) for block in blocks] == [("prompt", "[Image]"), ("image", "PNG · 8B")]
    assert source(home).body(log.handle(), blocks[0]).text == "[Image]"


def test_a_command_quoted_in_a_prompt_keeps_the_persons_words(home: Path) -> None:
    log = Log(home)
    log.user("why does <command-name>/clear</command-name> show up?")
    assert prompts(log) == [("slash", "row", "why does <command-name>/clear</command-name> show up?")]


def test_a_prompt_that_was_only_ever_queued_stands_where_it_was_typed(home: Path) -> None:
    log = Log(home)
    log.user("first")
    log.call("Bash", "t1", {"command": "sleep 1"})
    log.meta("queue-operation", operation="enqueue", content="and hurry", timestamp="2026-05-01T10:00:05.000Z")
    log.meta("queue-operation", operation="remove")
    log.result("t1", "")
    log.say("done")
    blocks = log.blocks()
    assert [(block.kind, block.via, block.turn) for block in blocks] == [("prompt", "row", 1), ("tool", "", 1), ("prompt", "queue", 2), ("text", "", 2)]
    assert source(home).body(log.handle(), blocks[2]).text == "and hurry"


@pytest.mark.parametrize("operation", ["dequeue", "popAll"])
def test_a_queued_prompt_that_was_sent_or_taken_back_is_not_lost(home: Path, operation: str) -> None:
    log = Log(home)
    log.meta("queue-operation", operation="enqueue", content="later")
    log.meta("queue-operation", operation=operation)
    assert prompts(log) == []


def test_a_removal_that_names_its_prompt_takes_no_other(home: Path) -> None:
    log = Log(home)
    log.meta("queue-operation", operation="enqueue", content="first")
    log.meta("queue-operation", operation="enqueue", content="second")
    log.meta("queue-operation", operation="remove", content="second")
    assert prompts(log) == [("queued", "queue", "second")]


@pytest.mark.parametrize("text", ["<task-notification>x</task-notification>", "/compact", '{"task_id":"b1"}'])
def test_what_the_program_queues_is_no_lost_prompt(home: Path, text: str) -> None:
    log = Log(home)
    log.meta("queue-operation", operation="enqueue", content=text)
    log.meta("queue-operation", operation="remove")
    assert prompts(log) == []


def test_a_queued_message_of_a_program_is_no_lost_prompt(home: Path) -> None:
    log = Log(home)
    log.meta("queue-operation", operation="enqueue", content="build is green")
    log.meta("queue-operation", operation="remove", reason="absorbed_mid_turn")
    log.attachment("queued_command", prompt="build is green", commandMode="prompt", origin={"kind": "channel"})
    assert prompts(log) == []


def test_an_absorbed_prompt_that_became_a_row_is_counted_once(home: Path) -> None:
    log = Log(home)
    log.meta("queue-operation", operation="enqueue", content=[{"type": "text", "text": "and the docs"}])
    log.meta("queue-operation", operation="remove", reason="absorbed_mid_turn")
    log.attachment("queued_command", prompt="and the docs", commandMode="prompt", humanTurn=True)
    assert prompts(log) == [("queued", "attachment", "and the docs")]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("<local-command-caveat>Caveat: The messages below were generated</local-command-caveat>", "Note on local commands"),
        ("Base directory for this skill: /home/ada/.claude/skills/review\n\nLook over a change.", "Skill: review"),
        ("[Image: source: /tmp/1.png]", "Pasted picture: /tmp/1.png"),
        ("<task-notification>\n<task-id>b1</task-id>\n<summary>make ended</summary></task-notification>", "Task notification: make ended"),
        ("<ide_opened_file>The user opened a.py</ide_opened_file>", "Opened in the editor: The user opened a.py"),
        ("Please do the thing now.", "Injected: Please do the thing now."),
    ],
)
def test_an_injected_note_says_what_it_is(home: Path, text: str, title: str) -> None:
    log = Log(home)
    log.user(text, isMeta=True)
    assert [block.title for block in log.blocks()] == [title]
