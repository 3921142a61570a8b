"""What the end of a file says about where its session stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from .log import Log


def tail(log: Log) -> tuple[str, str]:
    row = log.row_of()
    return row.tail, row.tail_why


def begun(home: Path) -> Log:
    log = Log(home)
    log.user("do it")
    return log


def test_an_answer_at_the_end_is_finished(home: Path) -> None:
    log = begun(home)
    log.say("done.", stop="end_turn")
    assert tail(log) == ("finished", "the turn ended")


def test_an_answer_that_ends_in_a_question_waits(home: Path) -> None:
    log = begun(home)
    log.say("Shall I **go on?**")
    log.system("turn_duration", durationMs=4)
    assert tail(log) == ("asking", "its last words are a question")


def test_a_prompt_without_an_answer_is_being_worked_on(home: Path) -> None:
    assert tail(begun(home)) == ("working", "a prompt without an answer")


def test_a_call_without_a_result(home: Path) -> None:
    log = begun(home)
    log.call("Bash", "t1", {"command": "make"})
    assert tail(log) == ("calling", "Bash has no result")


def test_one_of_two_parallel_calls_without_a_result(home: Path) -> None:
    log = begun(home)
    log.call("Bash", "t1", {"command": "make"}, message="m")
    log.call("Grep", "t2", {"pattern": "x"}, message="m")
    log.result("t2", "y")
    assert tail(log) == ("calling", "Bash has no result")


@pytest.mark.parametrize(("name", "why"), [("AskUserQuestion", "asks a question"), ("ExitPlanMode", "asks for its plan to be approved")])
def test_an_open_question_waits_for_the_person(home: Path, name: str, why: str) -> None:
    log = begun(home)
    log.call(name, "t1")
    assert tail(log) == ("asking", why)


def test_a_result_at_the_end_is_being_worked_on(home: Path) -> None:
    log = begun(home)
    log.call("Bash", "t1", {"command": "make"})
    log.result("t1", "ok")
    assert tail(log) == ("working", "a result without an answer")


def test_an_interrupted_answer(home: Path) -> None:
    log = begun(home)
    log.say("I was abo", isAbortedMidStream=True)
    log.user("[Request interrupted by user]")
    assert tail(log) == ("interrupted", "interrupted")


def test_a_rejected_call(home: Path) -> None:
    log = begun(home)
    log.call("Bash", "t1", {"command": "rm -r x"})
    log.result("t1", "The user doesn't want to proceed with this tool use.", error=True, toolDenialKind="user-rejected")
    assert tail(log)[0] == "interrupted"
    log.user("[Request interrupted by user for tool use]")
    assert tail(log) == ("interrupted", "interrupted during a call")


def test_a_session_repaired_after_it_was_killed(home: Path) -> None:
    log = begun(home)
    log.call("Bash", "t1", {"command": "make"})
    log.result("t1", "[Tool call interrupted: the session ended before this call's result was recorded", error=True)
    log.say("No response requested.", model="<synthetic>")
    assert tail(log)[0] == "interrupted"


def test_an_api_error_ends_in_failure_with_its_words(home: Path) -> None:
    log = begun(home)
    log.say("Prompt is too long", model="<synthetic>", isApiErrorMessage=True)
    assert tail(log) == ("failed", "Prompt is too long")


def test_a_retry_is_still_at_work_and_the_last_one_is_not(home: Path) -> None:
    log = begun(home)
    log.system("api_error", retryAttempt=1, maxRetries=2)
    assert tail(log) == ("working", "retrying after an API error, 1 of 2")
    log.system("api_error", retryAttempt=2, maxRetries=2)
    assert tail(log)[0] == "failed"


def test_bookkeeping_behind_the_end_changes_nothing(home: Path) -> None:
    log = begun(home)
    log.say("done.")
    log.attachment("total_tokens_reminder", text="x")
    log.row("progress", data={"type": "hook_progress"}, toolUseID="x", parentToolUseID="x")
    log.meta("last-prompt", lastPrompt="do it")
    log.user("<command-name>/cost</command-name>")
    log.user("<local-command-stdout>$1</local-command-stdout>")
    assert tail(log) == ("finished", "the turn ended")


def test_a_custom_command_whose_text_was_sent_is_a_prompt(home: Path) -> None:
    log = begun(home)
    log.say("done.")
    log.user("<command-message>deploy</command-message><command-name>/deploy</command-name>")
    log.user("Deploy everything now.", isMeta=True)
    assert tail(log) == ("working", "a prompt without an answer")


def test_a_thought_at_the_end_is_the_middle_of_an_answer(home: Path) -> None:
    log = begun(home)
    log.assistant({"type": "thinking", "thinking": "hm"})
    assert tail(log) == ("working", "in the middle of an answer")


def test_words_before_a_call_are_the_middle_of_an_answer(home: Path) -> None:
    log = begun(home)
    log.say("I'll look.", stop="tool_use")
    assert tail(log) == ("working", "in the middle of an answer")


def test_a_compacted_session_is_finished(home: Path) -> None:
    log = begun(home)
    log.system("compact_boundary")
    log.user("This session is being continued from a previous conversation.", isCompactSummary=True)
    assert tail(log) == ("finished", "compacted")


def test_a_session_the_model_ended(home: Path) -> None:
    log = begun(home)
    log.meta("ended-by-model")
    assert tail(log) == ("finished", "ended by the model")


def test_a_side_chain_in_the_file_says_nothing_of_the_session(home: Path) -> None:
    log = begun(home)
    log.say("done.")
    log.sidechain = True
    log.call("Bash", "t9", {"command": "x"}, parent=None)
    assert tail(log) == ("finished", "the turn ended")


def test_a_call_is_over_when_the_model_went_on_though_its_result_is_nowhere(home: Path) -> None:
    log = begun(home)
    log.call("Bash", "t1", {"command": "make"})
    log.raw(b'{"parentUuid":"u2","type":"user","message":{"role":"user","content":[{"tool_use')
    log.say("done.", stop="end_turn")
    assert tail(log) == ("finished", "the turn ended")


def test_a_call_whose_result_stands_before_it_is_over_when_the_model_went_on(home: Path) -> None:
    log = begun(home)
    log.result("t1", "ok")
    log.call("Bash", "t1", {"command": "make"})
    log.say("done.", stop="end_turn")
    assert tail(log) == ("finished", "the turn ended")


def test_a_tool_that_runs_where_the_model_does_has_its_result_in_the_answer(home: Path) -> None:
    log = begun(home)
    log.assistant({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}}, message="m")
    log.assistant({"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}, message="m")
    log.assistant({"type": "text", "text": "Found."}, message="m", stop="end_turn")
    assert tail(log) == ("finished", "the turn ended")


@pytest.mark.parametrize("blocks", [[], [{"type": "text", "text": ""}], [{"type": "thinking", "thinking": "Nothing to say."}]])
def test_an_answer_that_says_nothing_ends_the_turn_all_the_same(home: Path, blocks: list[dict[str, object]]) -> None:
    log = begun(home)
    log.assistant(*blocks, stop="end_turn")
    assert tail(log) == ("finished", "the turn ended")


def test_an_answer_that_pauses_goes_on(home: Path) -> None:
    log = begun(home)
    log.say("I search the web.", stop="pause_turn")
    assert tail(log)[0] == "working"


def test_a_question_is_one_in_any_script(home: Path) -> None:
    log = begun(home)
    log.say("続けますか？", stop="end_turn")
    assert tail(log)[0] == "asking"
