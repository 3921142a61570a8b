"""The invented sessions of ada: what the demo, the pictures and other tests count on."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessionbrowser.model import Handle, Session
from sessionbrowser.sources.claude import ClaudeSource

from . import write_fixtures
from .log import source

NOW = 1778770800.0
FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "home"


@pytest.fixture
def reading(demo_home: Path) -> ClaudeSource:
    return source(demo_home, NOW)


def listed(reading: ClaudeSource) -> dict[str, tuple[Handle, Session]]:
    handles = [item for root in reading.roots() for item in reading.discover(root) if isinstance(item, Handle)]
    return {row.title: (handle, row) for handle in handles if not (row := reading.summarise(handle)).hidden}


def test_the_files_are_what_the_script_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_fixtures, "HOME", tmp_path)
    write_fixtures.write_all()
    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    kept = {path.relative_to(FOLDER / ".claude"): path.read_bytes() for path in (FOLDER / ".claude").rglob("*") if path.is_file()}
    assert written == kept


def test_every_state_a_session_can_be_in_is_there(reading: ClaudeSource) -> None:
    assert {row.tail for _, row in listed(reading).values()} >= {"calling", "asking", "failed", "interrupted", "finished"}


def test_every_kind_of_block_is_there(reading: ClaudeSource) -> None:
    blocks = [block for handle, _ in listed(reading).values() for block in reading.outline(handle).blocks]
    assert {block.kind for block in blocks} == {"prompt", "text", "thinking", "tool", "note", "image"}
    assert {block.what for block in blocks if block.kind == "prompt"} == {"typed", "queued", "slash", "bash"}
    assert {block.what for block in blocks if block.kind == "tool"} >= {"shell", "read", "edit", "write", "search", "web", "todo", "agent", "question", "plan", "skill", "mcp"}
    assert {block.what for block in blocks if block.kind == "note"} >= {"compaction", "interrupt", "error", "retry", "hook", "injected", "branch", "link", "output", "mode"}


def test_the_first_session_has_a_tree_of_subagents(reading: ClaudeSource) -> None:
    handle, _ = listed(reading)["Fix the flaky login test"]
    tree = reading.agents(handle)
    shape = [(child.type, child.status, [inner.description for inner in child.children]) for child in tree.children]
    assert shape == [("Explore", "finished", ["read the websocket code"]), ("general-purpose", "running", [])]


def test_the_spilled_output_is_followed(reading: ClaudeSource) -> None:
    handle, _ = listed(reading)["Find out why the server starts slowly"]
    block = next(block for block in reading.outline(handle).blocks if block.what == "shell")
    assert reading.body(handle, block).text.count("\n") > 400


def test_the_fork_knows_its_trunk(reading: ClaudeSource) -> None:
    rows = listed(reading)
    assert rows["retries with jitter"][1].forked_from == rows["Add retries to the HTTP client"][1].id
