"""Compaction, interrupts, rollbacks, errors, reviews; tokens; models."""

from __future__ import annotations

from sessionbrowser.model import Usage

from .rollout import Store, assistant, call, done, event, item, meta, output, said, total, turn, typed, user


def notes(store: Store) -> list[tuple[str, str]]:
    return [(block.what, block.title) for block in store.blocks("note")]


def test_a_compaction_told_twice_is_one(store: Store) -> None:
    """The record with the summary and the event are one note, and one count."""
    read = store.read(meta(), typed("go"), said("ok"), {"type": "compacted", "payload": {"message": "so far", "replacement_history": [user("go")["payload"]]}}, event(type="context_compacted"))
    assert (read.counts.compactions, read.counts.prompts) == (1, 1)
    assert store.body(store.blocks("note")[0]).text == "so far"


def test_two_compactions_are_two(store: Store) -> None:
    """What was said between them keeps them apart."""
    pressed = {"type": "compacted", "payload": {"message": ""}}
    assert store.read(meta(), typed("a"), pressed, said("b"), pressed, done(type="ContextCompaction", id="c")).counts.compactions == 2


def test_an_interrupt_told_twice_is_one(store: Store) -> None:
    """The text for the model and the event are one interrupt."""
    read = store.read(meta(), typed("go"), user("<turn_aborted>\nstopped\n</turn_aborted>"), event(type="turn_aborted", reason="interrupted"))
    assert (read.counts.interrupts, read.counts.prompts) == (1, 1)
    assert notes(store) == [("interrupt", "Interrupted")]


def test_rolled_back_turns_stand_on_a_branch(store: Store) -> None:
    """The last prompt and everything after it leave the way, and are still counted."""
    read = store.read(meta(), typed("one"), said("1"), typed("two"), said("2"), event(type="thread_rolled_back", num_turns=1), typed("three"))
    assert [(block.title, block.branch) for block in read.blocks if block.kind == "prompt"] == [("one", 0), ("two", 1), ("three", 0)]
    assert read.counts.prompts == 3
    assert notes(store) == [("branch", "Rolled back 1 turn")]


def test_a_second_rollback_is_another_branch(store: Store) -> None:
    """Turns that are gone already are not rolled back again."""
    back = event(type="thread_rolled_back", num_turns=1)
    read = store.read(meta(), typed("one"), typed("two"), back, back)
    assert [block.branch for block in read.blocks if block.kind == "prompt"] == [2, 1]


def test_a_rollback_of_more_turns_than_there_are(store: Store) -> None:
    """Everything goes."""
    read = store.read(meta(), typed("one"), event(type="thread_rolled_back", num_turns=9))
    assert [block.branch for block in read.blocks if block.kind == "prompt"] == [1]


def test_errors_are_notes(store: Store) -> None:
    """An error event, or a turn that ended in one, is shown with its words."""
    store.write(meta(), typed("go"), event(type="error", message="rate limited"), event(type="task_complete", last_agent_message=None, error={"message": "rate limited"}))
    assert notes(store) == [("error", "rate limited")]


def test_a_review_shows_its_findings(store: Store) -> None:
    """The verdict and the findings are read as Markdown."""
    finding = {"title": "Off by one", "body": "Use <=.", "code_location": {"absolute_file_path": "/a.py", "line_range": {"start": 7}}}
    store.write(meta(), typed("go"), event(type="entered_review_mode", user_facing_hint="current changes"), event(type="exited_review_mode", review_output={"overall_explanation": "Nearly.", "findings": [finding]}))
    assert notes(store) == [("review", "Review of current changes"), ("review", "Review finished")]
    assert store.body(store.blocks("note")[1]).text == "Nearly.\n\n**Off by one** `/a.py:7`\n\nUse <=."


def test_a_change_of_model_is_a_note(store: Store) -> None:
    """Only a change: the first model and the same again are none."""
    store.write(meta(), turn(), typed("a"), turn(), said("b"), turn(model="gpt-6"), typed("c"), said("d"))
    assert notes(store) == [("model", "Model changed to gpt-6")]
    assert [block.model for block in store.blocks("text")] == ["gpt-5.5-codex", "gpt-6"]


def test_messages_between_agents_are_no_answers(store: Store) -> None:
    """What a subagent reports is a note in its parent."""
    text = "Message Type: FINAL_ANSWER\nSender: /root/scout\nPayload:\nall good"
    read = store.read(meta(), typed("go"), item(type="agent_message", author="/root/scout", recipient="/root", content=[{"type": "input_text", "text": text}]), said("ok"))
    assert read.counts.answers == 1
    assert notes(store) == [("agent", "answer from /root/scout")]


def test_the_last_total_of_tokens_counts(store: Store) -> None:
    """Counts are cumulative; the same one said again adds nothing, and cached input is not counted twice."""
    read = store.read(meta(), turn(), typed("go"), total(100, 20, 30), total(100, 20, 30), total(250, 60, 70), said("ok"))
    assert read.tokens == Usage(190, 70, 60, 0)
    assert store.row().tokens == read.tokens


def test_a_count_that_starts_again_is_added(store: Store) -> None:
    """Some versions count from nothing after a resume."""
    read = store.read(meta(), turn(), typed("go"), total(100, 0, 10), typed("again"), total(50, 0, 5))
    assert read.tokens == Usage(150, 15, 0, 0)


def test_tokens_belong_to_the_model_that_spent_them(store: Store) -> None:
    """A change of model divides the count."""
    read = store.read(meta(), turn(model="small"), typed("go"), total(100, 0, 10), turn(model="large"), total(300, 0, 20))
    assert dict(read.tokens_by_model) == {"small": Usage(100, 10, 0, 0), "large": Usage(200, 10, 0, 0)}


def test_records_of_usage_outdo_events(store: Store) -> None:
    """The newest files tell tokens twice; they are counted once."""
    record = {"type": "token_usage_record", "payload": {"thread_token_usage": {"input_tokens": 120, "output_tokens": 30, "total_tokens": 150}}}
    assert store.read(meta(), typed("go"), record, total(100, 0, 30)).tokens == Usage(120, 30, 0, 0)


def test_settings_are_facts_of_the_outline(store: Store) -> None:
    """Model, effort, approvals and sandbox as they were last."""
    read = store.read(meta(), turn(effort="low"), typed("a"), turn(effort="high", approval_policy="never", sandbox_policy={"mode": "read-only"}), assistant("b"))
    assert dict(read.facts) == {"model": "gpt-5.5-codex", "effort": "high", "approval": "never", "sandbox": "read-only"}


def test_unknown_records_are_passed_over(store: Store) -> None:
    """Codex adds kinds of records every month."""
    read = store.read(meta(), {"type": "brand_new", "payload": {"x": 1}}, event(type="newer_still"), item(type="odd"), {"payload": {"no": "type"}}, {"type": "x", "payload": None}, typed("go"), done(type="Unheard"), call("f", {}), output("o"))
    assert read.counts[:4] == (1, 0, 1, 1)
    assert not read.damage
