"""Outlines: answers counted once, calls paired, notes between the turns."""

from __future__ import annotations

import os
from pathlib import Path

import orjson
import pytest

from sessionbrowser.model import Usage

from .log import SESSION, Log, handle_of, said, source


def test_blocks_of_one_response_are_one_answer_with_the_last_rows_tokens(home: Path) -> None:
    """Each content block has a row of its own; the first rows carry partial figures."""
    log = Log(home)
    log.assistant({"type": "thinking", "thinking": "hm", "signature": "x"}, message="m1", usage=(10, 1))
    log.assistant({"type": "text", "text": "so"}, message="m1", usage=(10, 1))
    log.call("Bash", "t1", {"command": "ls"}, message="m1", usage=(10, 87))
    outline = log.outline()
    assert outline.counts.answers == 1
    assert outline.tokens == Usage(10, 87)
    assert outline.facts["models"] == {"claude-sonnet-4-5": 1}


def test_a_synthetic_answer_counts_but_is_no_model_and_costs_nothing(home: Path) -> None:
    log = Log(home)
    log.say("No response requested.", model="<synthetic>")
    outline = log.outline()
    assert (outline.counts.answers, outline.tokens, outline.facts.get("models")) == (1, Usage(), None)
    assert said(list(outline.blocks)) == [("note", "synthetic", "No response requested.")]


def test_tokens_are_kept_apart_by_model(home: Path) -> None:
    log = Log(home)
    log.say("a", usage=(1, 2))
    log.say("b", usage=(3, 4), model="claude-opus-4-5")
    assert log.outline().tokens_by_model == {"claude-sonnet-4-5": Usage(1, 2), "claude-opus-4-5": Usage(3, 4)}


def test_thinking_that_cannot_be_read_says_why(home: Path) -> None:
    log = Log(home)
    log.assistant({"type": "thinking", "thinking": "", "signature": "x"})
    log.assistant({"type": "redacted_thinking", "data": "x"})
    assert [block.what for block in log.blocks()] == ["empty", "redacted"]


def test_parallel_calls_meet_their_own_results(home: Path) -> None:
    log = Log(home)
    log.call("Bash", "t1", {"command": "one"}, message="m")
    log.call("Bash", "t2", {"command": "two"}, message="m")
    log.result("t2", "second")
    log.result("t1", "first", error=True)
    assert [(block.title, block.ok) for block in log.blocks()] == [("one", False), ("two", True)]


def test_a_result_a_few_lines_before_its_call_still_closes_it(home: Path) -> None:
    log = Log(home)
    log.result("t1", "early", error=True)
    log.call("Bash", "t1", {"command": "ls"})
    outline = log.outline()
    assert (outline.blocks[0].ok, outline.counts.tool_results, outline.counts.tool_errors) == (False, 1, 1)


def test_a_result_whose_call_is_gone_is_still_shown(home: Path) -> None:
    log = Log(home)
    log.result("t1", "what came of it")
    blocks = log.blocks()
    assert said(blocks) == [("note", "result", "Output of a call that is not here: what came of it")]
    assert source(home).body(log.handle(), blocks[0]).text == "what came of it"


def test_every_result_whose_call_is_gone_is_shown(home: Path) -> None:
    """However many there are, said twice or without the id of a call; in their order, failures as such."""
    log = Log(home)
    for number in range(40):
        log.result(f"t{number}", f"came {number}", error=number == 7)
    log.result("t39", "again")
    log.user([{"type": "tool_result", "content": "of nobody"}])
    log.say("so")
    outline = log.outline()
    found = [block for block in outline.blocks if block.what == "result"]
    assert [block.title.rpartition(": ")[2] for block in found] == [*(f"came {number}" for number in range(40)), "again", "of nobody"]
    assert [index for index, block in enumerate(found) if block.ok is False] == [7]
    assert (outline.counts.tool_results, outline.counts.tool_errors) == (42, 1)
    assert source(home).body(log.handle(), found[0]).text == "came 0"


def test_a_call_without_a_result_stays_open(home: Path) -> None:
    log = Log(home)
    log.call("Bash", "t1", {"command": "ls"})
    assert log.blocks()[0].ok is None


def test_an_unknown_block_is_kept_as_a_note(home: Path) -> None:
    log = Log(home)
    log.assistant({"type": "hologram", "shape": "cube"})
    blocks = log.blocks()
    assert said(blocks) == [("note", "unknown", "Unknown block: hologram")]
    assert ("shape", "cube") in source(home).body(log.handle(), blocks[0]).parts[0].pairs  # type: ignore[union-attr]


def test_rows_and_subtypes_nobody_knows_are_passed_over(home: Path) -> None:
    log = Log(home)
    log.row("hologram", value=1)
    log.meta("hologram-state", value=1)
    log.attachment("hologram")
    log.say("fine")
    assert [block.kind for block in log.blocks()] == ["text"]


def test_bookkeeping_is_not_parsed_but_keeps_its_place_in_the_graph(home: Path) -> None:
    """A prompt that hangs on a skipped snapshot still hangs on the conversation."""
    log = Log(home)
    log.user("one")
    log.say("answer")
    log.attachment("prompt_snapshot", systemPrompt=["x" * 500])
    log.user("two")
    outline = log.outline()
    assert len(outline.state.graph) == 4  # type: ignore[attr-defined]
    assert [block.branch for block in outline.blocks] == [0, 0, 0]
    assert outline.facts["records"]["attachment:prompt_snapshot"] == 1  # type: ignore[index, call-overload]


def test_a_row_written_twice_is_shown_once(home: Path) -> None:
    log = Log(home)
    log.user("once", key="u1", parent=None)
    log.user("once", key="u1", parent=None)
    assert log.outline().counts.prompts == 1


def test_a_row_without_content_does_not_hide_its_well_formed_twin(home: Path) -> None:
    log = Log(home)
    log.row("user", key="u1", message="error")
    log.user("really", key="u1")
    assert log.outline().counts.prompts == 1


def test_a_row_without_content_behind_its_twin_changes_nothing(home: Path) -> None:
    log = Log(home)
    log.user("really", key="u1")
    log.row("user", key="u1", message="error")
    log.user("really", key="u1")
    assert log.outline().counts.prompts == 1


# ── compaction ──


def test_a_compaction_is_one_note_in_place_with_the_summary_inside(home: Path) -> None:
    log = Log(home)
    log.user("one")
    log.row("system", parent=None, subtype="compact_boundary", logicalParentUuid="u1", compactMetadata={"trigger": "auto", "preTokens": 167000})
    log.user("This session is being continued from a previous conversation. Summary: x", isCompactSummary=True)
    log.user("two")
    outline = log.outline()
    assert said(list(outline.blocks)) == [
        ("prompt", "typed", "one"),
        ("note", "compaction", "Conversation compacted automatically · 167k tokens"),
        ("prompt", "typed", "two"),
    ]
    assert outline.counts.compactions == 1
    assert "Summary: x" in source(home).body(log.handle(), outline.blocks[1]).text


def test_an_old_compaction_is_known_by_its_text(home: Path) -> None:
    log = Log(home)
    log.user([{"type": "text", "text": "This session is being continued from a previous conversation that ran out of context."}])
    assert log.outline().counts.compactions == 1


def test_a_boundary_whose_summary_is_missing_is_a_note_by_itself(home: Path) -> None:
    log = Log(home)
    log.system("compact_boundary", compactMetadata={"trigger": "manual"})
    log.user("two")
    assert said(log.blocks())[0] == ("note", "boundary", "Conversation compacted on request")


def test_a_boundary_at_the_very_end_is_shown(home: Path) -> None:
    log = Log(home)
    log.user("one")
    log.system("compact_boundary", compactMetadata={"trigger": "manual"})
    assert said(log.blocks())[-1][:2] == ("note", "boundary")


def test_a_microcompaction_is_told_apart(home: Path) -> None:
    log = Log(home)
    log.system("microcompact_boundary", microcompactMetadata={"trigger": "auto", "tokensSaved": 21000})
    assert said(log.blocks()) == [("note", "microcompaction", "Old tool output dropped from the context · 21k tokens saved")]


# ── notes ──


def test_api_errors_and_retries_are_notes(home: Path) -> None:
    log = Log(home)
    log.system("api_error", error={"status": 529, "message": "Overloaded"}, retryAttempt=1, maxRetries=10, retryInMs=600)
    log.assistant({"type": "text", "text": "API Error: 529"}, model="<synthetic>", isApiErrorMessage=True)
    assert said(log.blocks()) == [
        ("note", "retry", "API error 529: Overloaded · attempt 1 of 10, again in 0.6s"),
        ("note", "error", "API Error: 529"),
    ]


def test_hooks_that_failed_are_notes_and_all_hooks_are_facts(home: Path) -> None:
    log = Log(home)
    log.attachment("hook_success", hookName="SessionStart:startup", exitCode=0, durationMs=12, stdout="hi")
    log.attachment("hook_non_blocking_error", hookName="Stop", exitCode=1, stderr="no such file", durationMs=30)
    log.attachment("hook_blocking_error", hookName="PostToolUse:Edit", blockingError={"blockingError": "ruff failed", "command": "ruff"})
    outline = log.outline()
    assert said(list(outline.blocks)) == [
        ("note", "hook", "Hook Stop failed · exit 1: no such file"),
        ("note", "hook", "Hook PostToolUse:Edit blocked: ruff failed"),
    ]
    assert outline.facts["hooks"]["Stop"] == "1 run, 1 failed (exit 1), 0.0s"  # type: ignore[index, call-overload]


def test_context_from_a_hook_is_an_injected_note(home: Path) -> None:
    log = Log(home)
    log.attachment("hook_additional_context", hookName="UserPromptSubmit", content=["today is Monday"])
    assert said(log.blocks()) == [("note", "injected", "Context from hook UserPromptSubmit: today is Monday")]


def test_failed_stop_hooks_are_notes(home: Path) -> None:
    log = Log(home)
    log.system("stop_hook_summary", hookCount=1, hookInfos=[{"command": "true", "durationMs": 4}], hookErrors=["exit 2"], preventedContinuation=False)
    log.system("stop_hook_summary", hookCount=1, hookInfos=[{"command": "true", "durationMs": 4}], hookErrors=[], preventedContinuation=False)
    outline = log.outline()
    assert said(list(outline.blocks)) == [("note", "hook", "A stop hook failed: exit 2")]
    assert outline.facts["hooks"]["Stop"].startswith("2 runs, 1 failed")  # type: ignore[index, call-overload]


def test_permission_mode_and_effort_are_followed(home: Path) -> None:
    log = Log(home)
    log.user("one", permissionMode="default")
    log.say("a", effort="high")
    log.user("two", permissionMode="plan")
    outline = log.outline()
    assert ("note", "mode", "Permission mode: default → plan") in said(list(outline.blocks))
    assert outline.facts["modes"] == ["default (2026-05-01T10:00:01Z)", "plan (2026-05-01T10:00:03Z)"]
    assert outline.facts["efforts"] == ["high (2026-05-01T10:00:02Z)"]


def test_a_change_of_model_is_a_note(home: Path) -> None:
    log = Log(home)
    log.say("a")
    log.say("b", model="claude-opus-4-5")
    assert ("note", "model", "Model: claude-sonnet-4-5 → claude-opus-4-5") in said(log.blocks())


def test_a_pull_request_is_noted_once_however_often_it_is_written(home: Path) -> None:
    log = Log(home)
    for _ in range(2):
        log.meta("pr-link", prNumber=4, prUrl="https://example.org/pr/4", prRepository="ada/api")
    assert said(log.blocks()) == [("note", "link", "Pull request ada/api#4")]


def test_local_commands_of_recent_builds_are_notes_and_not_counted(home: Path) -> None:
    log = Log(home)
    log.system("local_command", content="<command-name>/rename</command-name>", commandRun={"command": "rename", "args": "parser"})
    outline = log.outline()
    assert (said(list(outline.blocks)), outline.counts.prompts) == ([("note", "command", "/rename parser")], 0)


def test_attached_files_and_plan_mode_are_notes(home: Path) -> None:
    log = Log(home)
    log.attachment("file", filename="/w/a.py", displayPath="a.py", content={"type": "text", "file": {"content": "x = 1\n"}})
    log.attachment("plan_mode", planFilePath="/p.md")
    blocks = log.blocks()
    assert said(blocks) == [("note", "file", "File attached: a.py"), ("note", "mode", "Plan mode: /p.md")]
    assert source(home).body(log.handle(), blocks[0]).text == "x = 1\n"


def test_skills_and_plugins_are_facts(home: Path) -> None:
    log = Log(home)
    log.call("Skill", "t1", {"skill": "review"})
    log.say("done", attributionSkill="review", attributionPlugin="tools")
    facts = log.outline().facts
    assert (facts["skills"], facts["plugins"]) == ({"review": 2}, {"tools": 1})


def test_a_notification_closes_the_background_agent_it_speaks_of(home: Path) -> None:
    log = Log(home)
    log.call("Agent", "t1", {"description": "look"})
    log.result("t1", "started", {"isAsync": True, "status": "async_launched", "agentId": "a1"})
    log.user("<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>completed</status>\n</task-notification>")
    block = log.blocks()[0]
    assert (block.subagent, block.outcome, block.ok) == ("agent-a1", "completed", True)


def test_progress_rows_tie_a_call_to_its_subagent(home: Path) -> None:
    log = Log(home)
    log.call("Task", "t1", {"description": "look"})
    log.row("progress", data={"message": {"x": 1}, "type": "agent_progress", "prompt": "look " * 400, "agentId": "a77"}, toolUseID="x", parentToolUseID="t1")
    assert log.blocks()[0].subagent == "agent-a77"


def test_progress_rows_of_another_key_order_tie_them_too(home: Path) -> None:
    log = Log(home)
    log.call("Task", "t1", {"description": "look"})
    log.raw(b'{"type":"progress","uuid":"p1","parentUuid":"u1","parentToolUseID":"t1","data":{"type":"agent_progress","agentId":"a77"}}')
    assert log.blocks()[0].subagent == "agent-a77"


# ── copies ──


def test_rows_copied_from_another_session_are_marked(home: Path) -> None:
    log = Log(home)
    log.more = {"forkedFrom": {"sessionId": "other", "messageUuid": "x"}}
    log.user("old")
    log.more = {}
    log.user("new")
    outline = log.outline()
    assert [block.copied for block in outline.blocks] == [True, False]
    assert outline.facts["forked_from_raw"] == "other"


def test_rows_that_an_older_file_has_too_are_marked(home: Path) -> None:
    """`--fork-session` copies rows with their ids and leaves no other trace."""
    old = Log(home)
    old.user("shared", key="5f57f36d-0981-47c6-abfd-b4d96ae0528f")
    old.say("answer")
    os.utime(old.write(), (1e9, 1e9))
    new = Log(home, "22222222-0000-4000-8000-000000000002")
    new.rows, new.last, new.count = list(old.rows), old.last, old.count
    new.user("of its own")
    assert [block.copied for block in new.outline().blocks] == [True, True, False]
    assert [block.copied for block in source(home).outline(handle_of(old.path, home)).blocks] == [False, False]


@pytest.mark.parametrize("more", [{}, {"forkedFrom": {"sessionId": SESSION, "messageUuid": "x"}}])
def test_tokens_of_shared_history_are_the_first_sessions(home: Path, more: dict[str, object]) -> None:
    """However it was copied: each response is counted once over all sessions."""
    old = Log(home)
    old.user("shared", key="5f57f36d-0981-47c6-abfd-b4d96ae0528f")
    old.say("answer", usage=(100, 10))
    os.utime(old.write(), (1e9, 1e9))
    new = Log(home, "22222222-0000-4000-8000-000000000002")
    new.rows, new.last, new.count = [orjson.dumps({**orjson.loads(row), **more}) for row in old.rows], old.last, old.count
    new.user("of its own")
    new.say("another", usage=(7, 3))
    outline = new.outline()
    assert (outline.tokens.input, outline.tokens.output, outline.counts.answers) == (7, 3, 2)


def test_where_shared_rows_say_that_they_come_from_is_known(home: Path) -> None:
    """Rows that an older file has as well may name the session all the same."""
    old = Log(home)
    old.more = {"forkedFrom": {"sessionId": "other", "messageUuid": "x"}}
    old.user("shared", key="5f57f36d-0981-47c6-abfd-b4d96ae0528f")
    os.utime(old.write(), (1e9, 1e9))
    new = Log(home, "22222222-0000-4000-8000-000000000002")
    new.rows = list(old.rows)
    outline = new.outline()
    assert outline.blocks[0].copied
    assert outline.facts["forked_from_raw"] == "other"


# ── what a file may hold ──


def test_escape_sequences_never_leave_the_source(home: Path) -> None:
    log = Log(home)
    evil = "\x1b]0;owned\x07\x1b[31mred\x1b[0m\u202e\x9b5n"
    log.user(f"hi {evil}")
    log.assistant({"type": "thinking", "thinking": evil}, {"type": "text", "text": evil}, model=f"claude-{evil}")
    log.call(f"Ba{evil}sh", "t1", {"command": evil, evil: evil})
    log.result("t1", evil)
    log.attachment("file", filename=evil, displayPath=evil, content={"file": {"content": evil}})
    log.system("informational", content=evil)
    log.meta("pr-link", prNumber=1, prUrl=evil, prRepository=evil)
    reading, handle = source(home), log.handle()
    outline = reading.outline(handle)
    bodies = [reading.body(handle, block) for block in outline.blocks]
    drawn = repr([(block.title, block.model, block.name, block.outcome) for block in outline.blocks]) + repr(bodies)
    raw = ("_raw", "folders")
    facts = {name: value for name, value in outline.facts.items() if not name.endswith(raw)}
    assert not any(mark in drawn + repr(facts) for mark in ("\\x1b", "\\x9b", "\\u202e", "\\x07"))


def test_what_a_model_said_before_another_took_over_is_kept_aside(home: Path) -> None:
    log = Log(home)
    log.user("how does it spread?")
    refused = log.say("I would rather", model="claude-opus-4-8")
    log.system(
        "model_refusal_fallback", originalModel="claude-opus-4-8", fallbackModel="claude-sonnet-4-5", retractedMessageUuids=[refused, 7]
    )
    log.say("By spores.")
    blocks = [(block.kind, block.title, block.branch) for block in log.blocks() if block.kind in ("text", "note")]
    assert ("text", "I would rather", 1) in blocks
    assert ("text", "By spores.", 0) in blocks
    assert any(title.endswith("what it had said was taken back") for kind, title, _ in blocks if kind == "note")


def test_of_costs_the_last_word_counts_also_before_an_unfinished_line(home: Path) -> None:
    """They are sums; the lines before are not even parsed."""
    log = Log(home)
    log.meta("cost-state", totalCostUSD=1.0)
    log.user("hi")
    log.meta("cost-state", totalCostUSD=2.5)
    log.raw(b'{"type":"user","message":{"role":"us')
    log.path.parent.mkdir(parents=True, exist_ok=True)
    log.path.write_bytes(log.data().rstrip(b"\n"))
    outline = source(home).outline(handle_of(log.path, home))
    assert (outline.facts["cost_usd"], len(outline.damage)) == (2.5, 1)


def test_names_said_again_and_a_last_prompt_are_counted_and_tell_nothing(home: Path) -> None:
    """A last prompt moves the conversation only when it says so."""
    log = Log(home)
    log.user("hi")
    log.meta("mode", mode="normal")
    log.meta("ai-title", aiTitle='a "explicit":true title')
    log.meta("last-prompt", lastPrompt='say "explicit":true', leafUuid=log.last)
    outline = log.outline()
    assert [block.kind for block in outline.blocks] == ["prompt"]
    assert outline.facts["records"] == {"user": 1, "mode": 1, "ai-title": 1, "last-prompt": 1}
