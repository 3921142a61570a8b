"""The tree of subagents: every link there ever was between a call and its transcript."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessionbrowser.model import Agent
from sessionbrowser.text import parse_time

from .log import SESSION, Log, source

NOW = parse_time("2026-05-01T10:01:00Z") or 0.0


def subagent(home: Path, name: str, *, end: bool = True, beside: bool = False, meta: dict[str, object] | None = None) -> Log:
    log = Log(home, f"agent-{name}", sidechain=True)
    if not beside:
        log.path = log.path.parent / SESSION / "subagents" / log.path.name
    log.user(f"task of {name}")
    if end:
        log.say("found", usage=(1, 2))
    log.write()
    if meta is not None:
        log.path.with_suffix(".meta.json").write_text(json.dumps(meta))
    return log


def shape(agent: Agent) -> list[object]:
    return [agent.id, *([shape(child) for child in agent.children])]


def tree(log: Log, now: float = NOW) -> Agent:
    return source(log.home, now).agents(log.handle())


def parent(home: Path) -> Log:
    log = Log(home)
    log.user("look around")
    return log


def test_the_call_named_beside_the_transcript(home: Path) -> None:
    log = parent(home)
    log.call("Agent", "t1", {"description": "look", "subagent_type": "Explore"})
    log.result("t1", "found")
    subagent(home, "a1", meta={"agentType": "Explore", "description": "look around", "toolUseId": "t1"})
    child = tree(log).children[0]
    assert (child.type, child.description, child.call, child.status) == ("Explore", "look around", "t1", "finished")
    assert (child.model, child.tokens and child.tokens.total, child.tool_calls) == ("claude-sonnet-4-5", 3, 0)


def test_the_agent_named_in_the_result(home: Path) -> None:
    """Builds whose meta.json names no call, or that wrote none."""
    log = parent(home)
    log.call("Task", "t1", {"description": "look", "subagent_type": "Explore"})
    log.result("t1", "found", {"status": "completed", "agentId": "a1"})
    subagent(home, "a1")
    child = tree(log).children[0]
    assert (child.call, child.type, child.description) == ("t1", "Explore", "look")


def test_the_agent_named_in_a_progress_row(home: Path) -> None:
    log = parent(home)
    log.call("Task", "t1", {"description": "look"})
    log.row("progress", data={"type": "agent_progress", "agentId": "a1"}, parentToolUseID="t1")
    subagent(home, "a1")
    assert tree(log).children[0].call == "t1"


def test_the_agent_named_in_a_notification(home: Path) -> None:
    log = parent(home)
    log.call("Agent", "t1", {"description": "look"})
    log.result("t1", "started", {"isAsync": True, "status": "async_launched"})
    log.user("<task-notification><task-id>a1</task-id><tool-use-id>t1</tool-use-id><status>completed</status></task-notification>")
    subagent(home, "a1")
    assert tree(log).children[0].call == "t1"


def test_the_agent_named_at_the_end_of_the_text(home: Path) -> None:
    log = parent(home)
    log.call("Agent", "t1", {"description": "look"})
    log.result("t1", [{"type": "text", "text": "found"}, {"type": "text", "text": "agentId: a1b2 (for resuming)"}])
    subagent(home, "a1b2")
    assert tree(log).children[0].call == "t1"


def test_subagents_of_subagents_hang_below_them(home: Path) -> None:
    log = parent(home)
    log.call("Agent", "t1", {"description": "outer"})
    outer = subagent(home, "a1", meta={"toolUseId": "t1"})
    outer.call("Agent", "t2", {"description": "inner"})
    outer.write()
    subagent(home, "a2", meta={"toolUseId": "t2", "spawnDepth": 2, "parentAgentId": "a1"})
    subagent(home, "a3", meta={"spawnDepth": 2, "parentAgentId": "a1"})
    assert shape(tree(log)) == [SESSION, ["agent-a1", ["agent-a2"], ["agent-a3"]]]


def test_the_tree_below_a_subagent(home: Path) -> None:
    log = parent(home)
    outer = subagent(home, "a1")
    outer.call("Agent", "t2", {"description": "inner"})
    outer.write()
    subagent(home, "a2", meta={"toolUseId": "t2"})
    log.write()
    assert shape(source(home).agents(outer.handle("subagent"))) == ["agent-a1", ["agent-a2"]]


def test_agents_that_name_each_other_are_shown_once(home: Path) -> None:
    log = parent(home)
    subagent(home, "a1", meta={"parentAgentId": "a2"})
    subagent(home, "a2", meta={"parentAgentId": "a1"})
    assert sorted(child.id for child in tree(log).children) == ["agent-a1", "agent-a2"]


def test_old_transcripts_lie_beside_the_session(home: Path) -> None:
    log = parent(home)
    subagent(home, "3f9a10cc", beside=True)
    assert [child.id for child in tree(log).children] == ["agent-3f9a10cc"]


def test_warm_ups_and_internal_forks_are_no_agents(home: Path) -> None:
    log = parent(home)
    warm = Log(home, "agent-11111111", sidechain=True)
    warm.user("Warmup")
    warm.write()
    subagent(home, "acompact-abc123")
    assert tree(log).children == ()


def test_an_agent_of_which_only_the_call_is_left(home: Path) -> None:
    log = parent(home)
    log.call("Agent", "t1", {"description": "look", "subagent_type": "Explore"})
    log.result("t1", "found", {"status": "completed", "agentId": "gone1"})
    child = tree(log).children[0]
    assert (child.id, child.handle, child.status) == ("agent-gone1", None, "finished")


def test_of_an_agent_in_the_background_without_a_transcript_nothing_is_known(home: Path) -> None:
    """That it was launched is not that it ended."""
    log = parent(home)
    log.call("Agent", "t1", {"description": "look"})
    log.result("t1", "Async agent launched successfully.", {"isAsync": True, "status": "async_launched", "agentId": "gone1"})
    assert tree(log).children[0].status == "unknown"


@pytest.mark.parametrize(("later", "status"), [(0, "running"), (3600, "interrupted")])
def test_an_agent_without_an_end_runs_as_long_as_it_writes(home: Path, later: float, status: str) -> None:
    log = parent(home)
    log.call("Agent", "t1", {"description": "look"})
    subagent(home, "a1", end=False, meta={"toolUseId": "t1"})
    assert tree(log, NOW + later).children[0].status == status


def test_a_rejected_agent_was_interrupted(home: Path) -> None:
    log = parent(home)
    log.call("Agent", "t1", {"description": "look"})
    log.result("t1", "The user doesn't want to proceed with this tool use", error=True)
    subagent(home, "a1", end=False, meta={"toolUseId": "t1"})
    assert tree(log).children[0].status == "interrupted"


def test_an_agent_that_ran_in_a_worktree_of_its_own(home: Path) -> None:
    """Its transcript lies in the project of that worktree, below the id of the session."""
    log = parent(home)
    log.call("Agent", "t1", {"description": "look"})
    log.result("t1", "found", {"status": "completed", "agentId": "a1"})
    away = subagent(home, "a1")
    folder = log.path.parent.parent / "-home-ada-src-api--claude-worktrees-agent-a1" / SESSION / "subagents"
    folder.mkdir(parents=True)
    away.path = away.path.rename(folder / away.path.name)
    (child,) = tree(log).children
    assert (child.id, child.call, child.path) == ("agent-a1", "t1", str(away.path))


def test_agents_of_a_copy_of_the_session_in_another_project_are_not_its_own(home: Path) -> None:
    log = parent(home)
    log.write()
    away = subagent(home, "a1")
    folder = log.path.parent.parent / "-home-ada-src-web"
    (folder / SESSION / "subagents").mkdir(parents=True)
    (folder / log.path.name).write_bytes(log.path.read_bytes())
    away.path.rename(folder / SESSION / "subagents" / away.path.name)
    assert tree(log).children == ()


def test_agents_stand_in_the_order_of_their_start_also_those_without_a_transcript(home: Path) -> None:
    log = parent(home)
    log.call("Task", "t1", {"description": "first"})
    log.result("t1", "found", {"status": "completed", "agentId": "gone1"})
    later = subagent(home, "a1")
    later.path.write_text(later.path.read_text().replace("T10:00:", "T10:30:"))
    assert [child.id for child in tree(log).children] == ["agent-gone1", "agent-a1"]


@pytest.mark.parametrize(("later", "status"), [(0, "running"), (100 * 86400, "interrupted")])
def test_a_subagent_of_which_only_an_open_call_is_left(home: Path, later: int, status: str) -> None:
    """It runs no longer than somebody writes to the session."""
    log = parent(home)
    log.call("Task", "t1", {"description": "look"})
    log.row("progress", data={"type": "agent_progress", "agentId": "gone1"}, parentToolUseID="t1")
    assert [(child.id, child.status) for child in tree(log, NOW + later).children] == [("agent-gone1", status)]


def test_hostile_descriptions_are_fit_for_eyes(home: Path) -> None:
    log = parent(home)
    subagent(home, "a1", meta={"description": "\x1b]0;x\x07look", "agentType": "\x1b[2JExplore"})
    child = tree(log).children[0]
    assert (child.description, child.type) == ("look", "Explore")


def test_side_chains_inside_an_old_sessions_file_are_agents(home: Path) -> None:
    log = parent(home)
    main = log.call("Task", "t1", {"description": "look", "subagent_type": "Explore"})
    log.sidechain = True
    log.user("task", key="s1", parent=None)
    log.call("Grep", "t5", {"pattern": "x"}, key="s2")
    log.sidechain = False
    log.result("t1", "found", parent=main)
    log.sidechain = True
    log.say("inner words", parent="s2")
    log.sidechain = False
    log.say("outer words", parent=main)
    child = tree(log).children[0]
    assert (child.id, child.type, child.description, child.call, child.tool_calls) == ("s1", "Explore", "look", "t1", 1)
    assert child.handle is not None
    inner = source(home).outline(child.handle)
    assert [block.title for block in inner.blocks] == ["task", "x", "inner words"]
    assert source(home).body(child.handle, inner.blocks[-1]).text == "inner words"


def test_a_tree_looked_at_again_knows_what_was_appended(home: Path) -> None:
    log = parent(home)
    agent = subagent(home, "a1", end=False)
    reading, handle = source(home, NOW), log.handle()
    assert reading.agents(handle).children[0].tool_calls == 0
    agent.call("Bash", "t5", {"command": "ls"})
    agent.write()
    assert reading.agents(handle).children[0].tool_calls == 1


@pytest.mark.parametrize(("answered", "status"), [(True, "waiting"), (False, "running")])
def test_a_subagent_whose_last_words_ask_is_finished(home: Path, answered: bool, status: str) -> None:
    """Nobody can answer it; only the session itself waits for a person."""
    log = parent(home)
    log.call("Agent", "t1", {"description": "look", "subagent_type": "Explore"}, message="m")
    if answered:
        log.result("t1", "Which one do you mean?")
    log.say("Shall I go on?", message="m")  # of the same answer: with the next one the call would be over
    child = subagent(home, "a1", end=False, meta={"toolUseId": "t1"})
    child.say("Which one do you mean?")
    child.write()
    found = tree(log)
    assert (found.status, found.children[0].status) == (status, "finished")


def test_a_subagent_by_itself_is_of_the_kind_it_is_in_its_session(home: Path) -> None:
    log = parent(home)
    log.call("Agent", "t1", {"description": "look", "subagent_type": "Explore"})
    child = subagent(home, "a1", meta={"toolUseId": "t1", "agentType": "Explore", "description": "look"})
    alone = source(home, NOW).agents(child.handle("subagent"))
    assert (alone.kind, alone.type, alone.description) == ("subagent", "Explore", "look")
