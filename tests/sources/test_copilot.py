"""GitHub Copilot CLI: events, the workspace file, what is typed and what is injected."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from small_agents import Store, handle_of, in_home, write_lines

from sessionbrowser.index.sums import sums_of
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


def spoken(agent: str, kind: str, **data: object) -> dict:
    """A record of a subagent."""
    return {**event(kind, **data), "agentId": agent}


def with_subagent(home: Path, *, told: bool = True) -> Store:
    """A session that gave a task to a subagent, whose records stand between its own where they are `told`."""
    folder = home / ".copilot" / "session-state" / IDENTITY
    write_lines(
        folder / "events.jsonl", event("session.start", context={"cwd": "/home/ada/src/api"}), event("user.message", content="look for it"),
        event("assistant.message", content="I will", toolRequests=[{"toolCallId": "c1", "name": "task", "arguments": {"agent_type": "explore", "description": "find it"}}]),
        *(() if not told else (
            spoken("a1", "subagent.started", toolCallId="c1", agentName="explore"), spoken("a1", "user.message", content="find the loop"),
            spoken("a1", "assistant.message", content="the loop is in main", model="mini"),
            spoken("a1", "session.usage_record", usage={"inputTokens": 7, "outputTokens": 3}),
        )),
        event("tool.execution_complete", toolCallId="c1", success=True, result={"content": "in main"}), event("assistant.message", content="It is in main."),
    )  # fmt: skip
    return Store("copilot", in_home(home))


IDENTITY = "7e0d9ed9-b530-466d-8fdf-a392579840c1"


def test_what_a_subagent_was_told_and_said_is_not_the_sessions(home: Path) -> None:
    made = with_subagent(home).outline(IDENTITY)
    assert [block.title for block in made.blocks if block.kind in ("prompt", "text")] == ["look for it", "I will", "It is in main."]
    assert made.tokens.total == 0


def test_a_subagent_can_be_read_by_itself(home: Path) -> None:
    store = with_subagent(home)
    (child,) = store.source.agents(store.handle(IDENTITY)).children
    assert (child.id, child.type, child.call, child.status) == ("a1", "explore", "c1", "finished")
    assert child.handle is not None
    made = store.source.outline(child.handle)
    assert [(block.kind, block.what, block.title) for block in made.blocks] == [("prompt", "subagent", "find the loop"), ("text", "", "the loop is in main")]
    assert store.source.body(child.handle, made.blocks[1]).text == "the loop is in main"


@pytest.mark.parametrize("told", [True, False], ids=["with records", "without"])
def test_subagents_are_counted_as_the_tree_shows_them(home: Path, told: bool) -> None:
    """Those of which nothing but the call was kept, too."""
    store = with_subagent(home, told=told)
    sums = sums_of(store.outline(IDENTITY))
    assert sums.subagents + sums.inline == len(store.source.agents(store.handle(IDENTITY)).children) == 1


def test_a_search_for_a_subagents_words_leads_to_the_call(home: Path) -> None:
    store = with_subagent(home)
    (call,) = store.blocks(IDENTITY, "tool")
    found = [passage.start for passage in store.source.passages(store.handle(IDENTITY), tools=True) if "loop" in passage.text]
    assert found == [call.place.start] * 2


def test_a_command_of_the_person_is_a_prompt_with_its_output(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", event("tool.user_requested", toolCallId="c1", toolName="local_shell", arguments={"command": "make"}),
                       event("tool.execution_complete", toolCallId="c1", isUserRequested=True, success=True, shellExecution={"exitCode": 2}, result={"content": "no rule"}))  # fmt: skip
    made = store.source.outline(handle_of("copilot", path))
    assert [(block.kind, block.what, block.title) for block in made.blocks] == [("prompt", "bash", "make"), ("note", "output", "exit 2: no rule")]


def test_how_a_session_ended_is_found_before_a_long_compaction(home: Path) -> None:
    path = home / ".copilot" / "session-state" / IDENTITY / "events.jsonl"
    write_lines(path, event("user.message", content="go"), event("assistant.message", content="Done."), event("model.messages_snapshot", messages="x" * 200_000),
                event("session.compaction_complete", summaryContent="short"))  # fmt: skip
    assert Store("copilot", in_home(home)).row(IDENTITY).tail == "finished"


@pytest.mark.parametrize(("pid", "status"), [(str(os.getpid()), ""), ("2147483646", "gone")], ids=["here", "gone"])
def test_an_open_session_is_known_by_its_process(home: Path, pid: str, status: str) -> None:
    folder = home / ".copilot" / "session-state" / IDENTITY
    write_lines(folder / "events.jsonl", event("user.message", content="go"))
    (folder / f"inuse.{pid}.lock").write_text(pid)
    (home / ".copilot" / "open-sessions-state.json").write_text(json.dumps({IDENTITY: {"working": False}, "../elsewhere": {}}))
    source = Store("copilot", in_home(home)).source
    assert [(live.id, live.status, live.pid) for live in source.live(source.roots()[0])] == [(IDENTITY, status, int(pid))]


def test_a_turn_left_by_closing_the_program_is_interrupted(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", event("user.message", content="go"), event("session.shutdown", shutdownType="routine"))
    assert store.source.summarise(handle_of("copilot", path)).tail == "interrupted"
    path = write_lines(tmp_path / "y.jsonl", event("assistant.message", content="Shall I?"), event("session.shutdown", shutdownType="routine"))
    assert store.source.summarise(handle_of("copilot", path)).tail == "asking"


def test_tokens_told_at_the_end_are_those_of_their_models(tmp_path: Path, store: Store) -> None:
    used = {"usage": {"inputTokens": 10, "outputTokens": 2, "cacheReadTokens": 4}}
    path = write_lines(tmp_path / "x.jsonl", event("assistant.message", content="Done."), event("session.shutdown", modelMetrics={"a": used, "b": used}))
    made = store.source.outline(handle_of("copilot", path))
    assert made.tokens_by_model == {"a": Usage(6, 2, 4), "b": Usage(6, 2, 4)}
    assert made.tokens == Usage(12, 4, 8)


def test_what_a_skill_said_is_no_prompt(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", event("user.message", content="go"), event("user.message", content="use the form", source="skill-pdf"))
    blocks = store.source.outline(handle_of("copilot", path)).blocks
    assert [(block.kind, block.what) for block in blocks] == [("prompt", "typed"), ("note", "injected")]


def test_the_directory_is_the_one_it_was_changed_to(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", event("session.start", context={"cwd": "/p", "branch": "main"}), event("user.message", content="go"),
                       event("session.context_changed", cwd="/q", branch="fix"))  # fmt: skip
    row = store.source.summarise(handle_of("copilot", path))
    assert (row.cwd, row.branch) == ("/q", "fix")


@pytest.mark.parametrize(("written", "meant"), [
    ("name: a long\n  name\r\n  goes on", "a long name goes on"), ("name: >-\n  a long\n  name", "a long name"),
    ('name: "a \\u00e9 \\\n  b"', "a é b"), ("name: 'it''s\n  long'", "it's long"), ("name: null", ""), ("name: ~", ""), ("name: /p # here", "/p"),
])  # fmt: skip
def test_long_values_of_the_workspace_file_go_on_in_the_next_row(tmp_path: Path, written: str, meant: str) -> None:
    path = tmp_path / "workspace.yaml"
    path.write_bytes(written.encode() + b"\r\nid: a\r\n")
    assert workspace(str(path)) == {"name": meant, "id": "a"}


def test_a_subagent_of_a_subagent_stands_below_it(home: Path) -> None:
    folder = home / ".copilot" / "session-state" / IDENTITY
    task = {"toolCallId": "c2", "name": "task", "arguments": {"agent_type": "worker", "description": "deeper"}}
    write_lines(
        folder / "events.jsonl", event("user.message", content="go"),
        event("assistant.message", content="", toolRequests=[{**task, "toolCallId": "c1"}]), spoken("a1", "subagent.started", toolCallId="c1"),
        spoken("a1", "assistant.message", content="", toolRequests=[task]), spoken("a2", "subagent.started", toolCallId="c2"),
        spoken("a2", "assistant.message", content="deepest words"),
    )  # fmt: skip
    store = Store("copilot", in_home(home))
    (child,) = store.source.agents(store.handle(IDENTITY)).children
    (deeper,) = child.children
    assert (child.id, deeper.id, deeper.call, deeper.children) == ("a1", "a2", "c2", ())
    found = [passage.start for passage in store.source.passages(store.handle(IDENTITY), tools=True) if "deepest" in passage.text]
    assert found == [store.blocks(IDENTITY, "tool")[0].place.start]


def test_a_permission_that_is_asked_for_waits(tmp_path: Path, store: Store) -> None:
    call = event("tool.execution_start", toolCallId="c1", toolName="bash", arguments={"command": "make"})
    asked, given = event("permission.requested", requestId="r"), event("permission.completed", requestId="r", result={"kind": "approved"})
    for name, after, tail in (("a", [], "asking"), ("b", [given], "calling"), ("c", [event("session.shutdown", shutdownType="routine")], "interrupted")):
        path = write_lines(tmp_path / f"{name}.jsonl", event("user.message", content="go"), call, asked, *after)
        assert store.source.summarise(handle_of("copilot", path)).tail == tail


@pytest.mark.parametrize(("written", "title"), [
    ("summary: Loops in main", ("Loops in main", "ai")), ("name: Loops\nsummary: other", ("Loops", "ai")), ("summary: find the…", ("find the loop", "prompt")),
    ("name: Mine\nuser_named: true", ("Mine", "name")),
])  # fmt: skip
def test_what_the_workspace_file_calls_a_session(tmp_path: Path, store: Store, written: str, title: tuple[str, str]) -> None:
    path = write_lines(tmp_path / "events.jsonl", event("user.message", content="find the loop"))
    (tmp_path / "workspace.yaml").write_text(written)
    row = store.source.summarise(handle_of("copilot", path))
    assert (row.title, row.title_from) == title


def test_a_compaction_that_failed_is_none(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / "x.jsonl", event("session.compaction_complete", success=False), event("session.compaction_complete", success=True, summaryContent="so far"))
    assert store.source.outline(handle_of("copilot", path)).counts.compactions == 1


def test_modes_hooks_and_skills_are_told(tmp_path: Path, store: Store) -> None:
    """Modes each once, in their order; the others with how often."""
    hook, skill = event("hook.end", hookType="preToolUse", success=True), event("skill.invoked", name="five-whys", path="/x/SKILL.md", content="ask why")
    asked = event("permission.requested", requestId="r", agentMode="interactive", permissionMode="manual")
    path = write_lines(tmp_path / "e.jsonl", event("user.message", content="go"), asked, event("session.mode_changed", previousMode="interactive", newMode="plan"), hook, hook, skill)
    outline = store.source.outline(handle_of("copilot", path))
    assert outline.facts == {"modes": ["interactive", "manual", "plan"], "hooks": {"preToolUse": 2}, "invoked_skills": {"five-whys": 1}}
    assert [block.title for block in outline.blocks if block.what == "mode"] == ["Mode: plan"]
