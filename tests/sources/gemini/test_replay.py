"""Logs are replayed: what counts is where they lead, and nothing that was said is lost."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessionbrowser.paths import Environment
from sessionbrowser.sources.gemini import messages, replay
from sessionbrowser.sources.jsonl import Line
from sessionbrowser.text import for_eyes

from .chats import call, gemini, handles, logged, meta, source, told, user, write_document, write_log


def test_a_message_said_again_replaces_the_first(env: Environment) -> None:
    """Tool calls arrive that way: the same id, now with calls."""
    made = logged(env, user("x"), gemini(), gemini(toolCalls=[call("read_file", {"file_path": "a"}, "text")]))
    assert [block.kind for block in made.blocks] == ["prompt", "tool"] and made.counts.tool_calls == 1


def test_a_rewind_leaves_a_branch(env: Environment) -> None:
    """The message it names and all after it are kept beside the way that was taken."""
    made = logged(env, user("a"), gemini("A"), user("b", "u2"), gemini("B", "g2"), {"$rewindTo": "u2"}, user("c", "u3"))
    assert told(made) == [("prompt", "a", 0), ("text", "A", 0), ("prompt", "b", 1), ("text", "B", 1), ("prompt", "c", 0)]


def test_a_rewind_to_nowhere_drops_everything(env: Environment) -> None:
    """So the program itself does with an id it does not know."""
    made = logged(env, user("a"), gemini("A"), {"$rewindTo": "gone"}, user("b", "u2"))
    assert [branch for _, _, branch in told(made)] == [1, 1, 0]


def test_every_rewind_is_a_branch_of_its_own(env: Environment) -> None:
    """Numbered in the order they were left."""
    made = logged(env, user("a"), {"$rewindTo": "u1"}, user("b", "u2"), {"$rewindTo": "u2"}, user("c", "u3"))
    assert [branch for _, _, branch in told(made)] == [1, 2, 0]


def test_a_resumed_chat_is_not_counted_twice(env: Environment) -> None:
    """The program writes the whole conversation again, converted: calls as parts, thoughts as parts, answers split off."""
    shell = call("run_shell_command", {"command": "ls"}, "a")
    converted = [
        user("x"),
        gemini("", content=[{"text": "Hm.", "thought": True}, {"functionCall": {"id": "c1", "name": "run_shell_command", "args": {"command": "ls"}}}]),
        user("", "g1_response", content=[{"functionResponse": {"id": "c1", "name": "run_shell_command", "response": {"output": "a"}}}]),
        gemini("done", "g2"),
    ]
    made = logged(
        env, user("x"), gemini(thoughts=[{"subject": "", "description": "Hm."}], toolCalls=[shell]), gemini("done", "g2"),
        meta(startTime="2026-05-13T00:00:00.000Z"), {"$set": {"messages": converted}}, user("more", "u2"),
    )  # fmt: skip
    assert made.counts[:4] == (2, 1, 1, 1) and [block.kind for block in made.blocks] == ["prompt", "thinking", "tool", "text", "prompt"]


def test_new_ids_for_the_same_words_are_the_same_messages(env: Environment) -> None:
    """A conversation given anew may have other ids."""
    made = logged(env, user("x"), gemini("done"), {"$set": {"messages": [user("x", "n1"), gemini("done", "n2")]}}, user("y", "u2"))
    assert [title for _, title, _ in told(made)] == ["x", "done", "y"]


def test_a_chat_known_only_in_its_converted_form_is_read(env: Environment) -> None:
    """Calls and answers are joined by the call's id, in whatever record they stand."""
    made = logged(env, {"$set": {"messages": [
        user("x"),
        gemini("", content=[{"functionCall": {"id": "c1", "name": "read_file", "args": {"file_path": "a.py"}}}]),
        user("", "r1", content=[{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "text"}}}]),
        user("", "g1_response", content=[{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "text"}}}]),
    ]}})  # fmt: skip
    assert made.counts[:4] == (1, 0, 1, 1) and made.blocks[1].ok is True


def test_compression_is_marked_and_hides_nothing(env: Environment) -> None:
    """What was summarised stays readable above the mark."""
    made = logged(env, user("a"), gemini("A"), {"$set": {"messages": [
        user("<state_snapshot>so far</state_snapshot>", "s1"), gemini("Got it.", "s2"),
    ]}}, user("b", "u2"))  # fmt: skip
    assert [(block.kind, block.what) for block in made.blocks] == [
        ("prompt", "typed"), ("text", ""), ("note", "compaction"), ("note", "summary"), ("text", ""), ("prompt", "typed"),
    ]  # fmt: skip
    assert made.counts.compactions == 1 and made.counts.prompts == 2


def test_facts_are_set_by_the_last_word(env: Environment) -> None:
    """But a chat began when it first did, whatever a resume writes."""
    chat = replay.read_log([
        Line(0, b'{"sessionId":"a","startTime":"2026-05-01T00:00:00Z"}', True),
        Line(60, b'{"$set":{"summary":"one"}}', True),
        Line(90, b'{"sessionId":"a","startTime":"2026-05-02T00:00:00Z","summary":"two"}', True),
    ])  # fmt: skip
    assert chat.meta == {"sessionId": "a", "startTime": "2026-05-01T00:00:00Z", "summary": "two"}


def test_a_torn_line_costs_that_line(env: Environment) -> None:
    """And is counted."""
    path = write_log(env, meta(), user("a"), gemini("A"))
    path.write_text(path.read_text().replace('"type": "gemini"', '"type": "gem'))
    (handle,) = handles(env)
    made = source(env).outline(handle)
    assert [title for _, title, _ in told(made)] == ["a"] and len(made.damage) == 1


def test_a_body_is_read_again_from_its_line(env: Environment) -> None:
    """From a line of its own, and from the middle of a conversation given anew."""
    write_log(env, meta(), {"$set": {"messages": [user("long prompt"), gemini("first")]}}, user("second", "u2"), gemini("last", "g2"))
    made, (handle,) = source(env), handles(env)
    assert [made.body(handle, block).text for block in made.outline(handle).blocks] == ["long prompt", "first", "second", "last"]


def test_a_message_is_placed_where_its_line_begins(env: Environment) -> None:
    """So that a hit names the line; said again later, a message keeps its place."""
    path = write_log(env, meta(), user("first"), gemini(), user("second", "u2"), gemini(toolCalls=[call("glob", {}, "x")]))
    (handle,) = handles(env)
    lines = path.read_bytes().splitlines(keepends=True)
    begins = [sum(map(len, lines[:number])) for number in (1, 2, 3)]
    assert [block.place.start for block in source(env).outline(handle).blocks] == begins


def test_messages_given_together_have_places_of_their_own(env: Environment) -> None:
    """Within the line that gives them."""
    write_log(env, meta(), {"$set": {"messages": [user("a"), gemini("b"), user("c", "u2")]}})
    (handle,) = handles(env)
    starts = [block.place.start for block in source(env).outline(handle).blocks]
    assert sorted(set(starts)) == starts and starts[-1] - starts[0] == 2


def test_documents_and_logs_read_alike(env: Environment, tmp_path: object) -> None:
    """The same messages give the same blocks."""
    said = (user("x"), gemini("y", thoughts=[{"subject": "S", "description": "D"}], toolCalls=[call("glob", {"pattern": "*"}, "a")]))
    from_log = told(logged(env, *said))
    other = env._replace(home=f"{tmp_path}/other")
    write_document(other, *said)
    assert told(source(other).outline(handles(other)[0])) == from_log


IDS = st.sampled_from(["a", "b", "c", "a_response"])
TEXTS = st.sampled_from(["x", "<session_context>", "\x1b]0;t\x07", "\u202ey", "/help", ""])
MESSAGES = st.fixed_dictionaries(
    {"id": IDS, "type": st.sampled_from(["user", "gemini", "info", "error", "new"]), "content": TEXTS | st.none() | st.lists(TEXTS)},
    optional={"toolCalls": st.lists(st.dictionaries(st.sampled_from(["id", "name", "args", "status", "result"]), TEXTS, max_size=4), max_size=2),
              "thoughts": st.lists(st.dictionaries(st.sampled_from(["subject", "description"]), TEXTS)) | TEXTS,
              "tokens": st.dictionaries(st.sampled_from(["input", "output", "cached"]), st.integers() | st.none()), "timestamp": TEXTS},
)  # fmt: skip
LINES = st.one_of(MESSAGES, st.builds(lambda key: {"$rewindTo": key}, IDS | st.none()),
                  st.builds(lambda some: {"$set": {"messages": some}}, st.lists(MESSAGES | st.none(), max_size=4)))  # fmt: skip


@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINES, max_size=8))
def test_any_log_is_read_to_its_end(env: Environment, lines: list[dict[str, object]]) -> None:
    """Every block can be opened, results never outnumber what was answered, and all of it is fit for eyes."""
    write_log(env, meta(), *lines)
    made, (handle,) = source(env), handles(env)
    outline = made.outline(handle)
    assert made.summarise(handle).counts == outline.counts
    for block in outline.blocks:
        body = made.body(handle, block)
        assert for_eyes(block.title + body.text) == block.title + body.text


@settings(deadline=None, max_examples=120)
@given(message=st.dictionaries(st.sampled_from(["id", "type", "role", "content", "parts", "toolCalls", "thoughts", "tokens", "model", "displayContent"]),
                               st.recursive(st.none() | st.integers() | st.text(max_size=5) | st.sampled_from(["user", "gemini", "model"]),
                                            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
                                                st.sampled_from(["text", "functionCall", "functionResponse", "inlineData", "id", "name", "args", "response", "mimeType", "data", "result", "resultDisplay", "fileDiff"]),
                                                inner, max_size=3), max_leaves=12), max_size=8))  # fmt: skip
def test_no_message_breaks_the_reader(message: dict[str, object]) -> None:
    """Any JSON in place of a message."""
    list(messages.pieces(message))


def test_prompts_joined_with_the_context_are_not_said_twice(env: Environment) -> None:
    """So Gemini CLI keeps them when it takes back an answer that was cancelled."""
    joined = user("<session_context>\nday\n</session_context>", "u9")
    joined["content"] = [*joined["content"], {"text": "list it"}]  # type: ignore[misc]
    made = logged(env, user("list it"), gemini("I will"), joined, {"$set": {"messages": [joined]}}, user("go on", "u2"))
    assert told(made) == [("prompt", "list it", 0), ("text", "I will", 0), ("prompt", "go on", 0)]


def test_a_prompt_that_only_the_joined_message_holds_is_read(env: Environment) -> None:
    joined = user("<session_context>\nday\n</session_context>", "u9")
    joined["content"] = [*joined["content"], {"text": "list it"}]  # type: ignore[misc]
    assert logged(env, joined).counts.prompts == 1


def test_the_same_words_typed_again_are_a_prompt_again(env: Environment) -> None:
    assert logged(env, user("go on"), user("go on", "u2")).counts.prompts == 2


def test_a_message_without_an_id_is_read(env: Environment) -> None:
    made = logged(env, {"type": "user", "content": "hello"}, {"type": "gemini", "content": "hi"})
    assert told(made) == [("prompt", "hello", 0), ("text", "hi", 0)]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_may_bear_the_name_of_a_log(env: Environment, indent: int | None) -> None:
    """On one line or on many."""
    path = write_log(env, meta())
    path.write_text(json.dumps({**meta(), "messages": [user("hello"), gemini("hi")]}, indent=indent))
    (handle,) = handles(env)
    made = source(env).outline(handle)
    assert told(made) == [("prompt", "hello", 0), ("text", "hi", 0)]
    assert source(env).body(handle, made.blocks[1]).text == "hi"


def test_a_log_may_bear_the_name_of_a_document(env: Environment) -> None:
    path = write_document(env)
    path.write_text("".join(json.dumps(line) + "\n" for line in (meta(), user("hello"), gemini("hi"))))
    (handle,) = handles(env)
    assert told(source(env).outline(handle)) == [("prompt", "hello", 0), ("text", "hi", 0)]


def test_a_type_that_is_no_text_breaks_nothing(env: Environment) -> None:
    made = logged(env, user("hello"), {"$set": {"messages": [{"id": "x", "type": ["user"], "content": "y"}]}})
    assert told(made) == [("prompt", "hello", 0)]
