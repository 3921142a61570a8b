"""Turns, pairing and counts: the same for every source."""

from __future__ import annotations

from sessionbrowser.model import Block, Counts, Place, Usage
from sessionbrowser.sources.build import Builder


def call(name: str, key: str) -> Block:
    return Block("tool", Place(0), 0, name=name, what="shell", call=key)


def test_a_prompt_begins_a_turn() -> None:
    build = Builder()
    build.note("injected", "caveat", Place(0))
    build.prompt("typed", "row", "fix it", Place(1))
    build.text("done", Place(2))
    build.prompt("queued", "attachment", "and the docs", Place(3))
    assert [(b.kind, b.turn) for b in build.transcript(4).blocks] == [("note", 0), ("prompt", 1), ("text", 1), ("prompt", 2)]


def test_parallel_calls_meet_their_own_results_in_any_order() -> None:
    build = Builder()
    build.call(call("Bash", "a"))
    build.call(call("Read", "b"))
    assert build.result("b", Place(9), text="two\nlines")
    assert build.result("a", Place(8), ok=False, exit_code=1)
    first, second = build.transcript(10).blocks
    assert (first.ok, first.exit_code, first.result) == (False, 1, Place(8))
    assert (second.ok, second.lines, second.size) == (True, 2, 9)


def test_a_result_of_nobody_is_counted_and_changes_nothing() -> None:
    build = Builder()
    assert not build.result("ghost", Place(1), text="x")
    assert build.counts() == Counts(tool_results=1)


def test_one_response_counts_once_and_its_last_word_on_tokens_holds() -> None:
    build = Builder()
    for output in (1, 87):
        build.answer("m1")
        build.use("m1", "model-x", Usage(3, output))
    build.answer("m2")
    build.use("m2", "model-y", Usage(1, 1))
    done = build.transcript(0)
    assert done.counts.answers == 2
    assert done.tokens == Usage(4, 88)
    assert done.tokens_by_model == {"model-x": Usage(3, 87), "model-y": Usage(1, 1)}


def test_a_task_for_a_subagent_is_no_prompt_of_a_person() -> None:
    build = Builder()
    build.prompt("subagent", "row", "find the callers", Place(0))
    assert build.counts().prompts == 0


def test_a_transcript_is_left_alone_by_later_reading() -> None:
    build = Builder()
    build.call(call("Bash", "a"))
    before = build.transcript(1)
    build.result("a", Place(2))
    assert before.blocks[0].ok is None
    assert build.open_calls() == []
