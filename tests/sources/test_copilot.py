"""GitHub Copilot CLI: events, the workspace file, what is typed and what is injected."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_agents import Store, handle_of, in_home, write_lines

from sessionbrowser.model import ResumeOptions, SetAside, Usage
from sessionbrowser.sources.copilot import workspace

MENU = "2f6d0c1e"


@pytest.fixture
def store(demo_home: Path) -> Store:
    return Store("copilot", in_home(demo_home))


def event(kind: str, **data: object) -> dict:
    return {"type": kind, "data": data, "id": "", "timestamp": "2026-05-01T10:00:00Z"}


def test_a_prompt_is_what_was_typed(store: Store) -> None:
    """Never the transformed text with its injected context."""
    prompt = store.blocks(MENU, "prompt")[0]
    assert store.text(MENU, prompt) == "the menu does not close on escape"


def test_the_row_is_filled_from_events_and_workspace(store: Store) -> None:
    row = store.row(MENU)
    assert (row.title, row.cwd, row.branch, row.version) == ("Close the menu on escape", "/home/ada/src/web", "fix/menu", "1.0.102")


def test_tokens_of_the_cache_are_counted_once(store: Store) -> None:
    """The input that Copilot counts includes what was read from the cache."""
    assert store.row(MENU).tokens == Usage(1100, 120, 2000, 0)


def test_a_command_that_ran_and_failed_is_failed(store: Store) -> None:
    """Copilot says success, its shell says 1."""
    shell = store.blocks(MENU, "tool")[1]
    assert (shell.ok, shell.exit_code) == (False, 1)
    assert store.text(MENU, shell) == "1 failing: Menu closes on Escape"


def test_requests_and_their_executions_are_one_call(store: Store) -> None:
    assert store.row(MENU).counts.tool_calls == 2


def test_an_execution_that_nobody_announced_is_a_call_too(tmp_path: Path, store: Store) -> None:
    """A tool ran: it is shown and counted, although no answer asked for it."""
    path = write_lines(tmp_path / "x.jsonl", event("tool.execution_start", toolCallId="c", toolName="bash", arguments={"command": "ls"}))
    made = store.source.outline(handle_of("copilot", path))
    assert (made.counts.tool_calls, made.blocks[0].title) == (1, "ls")


def test_a_denied_permission_says_so(tmp_path: Path, store: Store) -> None:
    path = write_lines(
        tmp_path / "x.jsonl",
        event("assistant.message", content="", toolRequests=[{"toolCallId": "c", "name": "bash", "arguments": '{"command":"rm x"}'}]),
        event("tool.execution_complete", toolCallId="c", success=False, error={"message": "Permission denied", "code": "denied"}),
    )
    block = store.source.outline(handle_of("copilot", path)).blocks[0]
    assert (block.title, block.ok, block.outcome) == ("rm x", False, "denied")


def test_a_question_at_the_end_waits(store: Store) -> None:
    assert store.row(MENU).tail == "asking"


def test_a_flat_file_of_older_versions_is_a_session(home: Path) -> None:
    write_lines(home / ".copilot/session-state/abc.jsonl", event("user.message", content="hello"))
    assert Store("copilot", in_home(home)).row("abc").first_prompt == "hello"


def test_a_folder_without_events_is_set_aside(home: Path) -> None:
    (home / ".copilot/session-state/abc").mkdir(parents=True)
    assert [item.reason for item in Store("copilot", in_home(home)).found if isinstance(item, SetAside)] == ["session folder without events"]


def test_quoted_and_long_values_of_the_workspace_file(tmp_path: Path) -> None:
    path = tmp_path / "workspace.yaml"
    path.write_text("id: a\nname: 'it''s'\nsummary: |\n  one\n  two\n# no\ncwd: \"/p\"\n")
    assert workspace(str(path)) == {"id": "a", "name": "it's", "summary": "one\ntwo", "cwd": "/p"}


def test_resume_is_one_word_with_the_id(store: Store) -> None:
    resume = store.source.resume(store.row(MENU), ResumeOptions(skip_approvals=True))
    assert resume is not None
    assert resume.argv == ("copilot", f"--resume={store.row(MENU).id}", "--yolo")
