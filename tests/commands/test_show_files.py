"""`sb show FILE`: one file of every agent, away from its store."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from .conftest import Sb

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "home"

FILES = {
    "claude": ".claude/projects/-home-ada-src-api/e2e674a8-*.jsonl",
    "codex": ".codex/sessions/2026/05/12/*.jsonl",
    "gemini": ".gemini/tmp/web/chats/session-*.jsonl",
    "droid": ".factory/sessions/-home-ada-src-api/5d1*.jsonl",
    "specstory": "src/api/.specstory/history/2026-05-06*.md",
    "records": ".local/share/ada/records/five*.jsonl",
    "copilot": ".copilot/session-state/*/events.jsonl",
    "pi": ".pi/agent/sessions/*/*.jsonl",
    "qwen": ".qwen/projects/*/chats/*.jsonl",
    "kimi": ".kimi-code/sessions/*/*/agents/main/wire.jsonl",
    "amp": ".local/share/amp/threads/*.json",
    "antigravity": ".gemini/antigravity-cli/brain/*/.system_generated/logs/*.jsonl",
}  # fmt: skip


def alone(tmp_path: Path, pattern: str) -> Path:
    """A copy of one file of the invented home, nothing beside it."""
    (found,) = list(FIXTURES.glob(pattern))[:1]
    folder = tmp_path / "alone"
    folder.mkdir()
    return Path(shutil.copy(found, folder))


@pytest.mark.parametrize("source", FILES)
def test_a_file_of_any_agent_is_recognised(sb: Sb, tmp_path: Path, source: str) -> None:
    """By what is in it, wherever it lies."""
    shown = sb("show", str(alone(tmp_path, FILES[source])), "--format", "json").json()
    assert shown["session"]["source"] == source
    assert any(turn["prompt"] for turn in shown["turns"])


def test_a_file_has_a_status_as_in_the_list(sb: Sb, tmp_path: Path) -> None:
    """By its end and the clock."""
    assert sb("show", str(alone(tmp_path, FILES["pi"])), "--format", "json").json()["session"]["status"] == "finished"


@pytest.mark.parametrize("pattern", [".cursor/chats/*/*/store.db", ".cursor/projects/*/agent-transcripts/*/*.jsonl"])
def test_a_chat_of_cursor_is_recognised(sb: Sb, tmp_path: Path, pattern: str) -> None:
    """Its database and its readable copy alike."""
    assert sb("show", str(alone(tmp_path, pattern)), "--format", "json").json()["session"]["source"] == "cursor"


def test_a_file_of_an_opencode_tree_shows_its_session(sb: Sb) -> None:
    """Its messages are where they belong, in the folders beside it."""
    path = next(FIXTURES.glob(".local/share/opencode/storage/session/global/*.json"))
    assert sb("show", str(path), "--format", "json").json()["session"]["source"] == "opencode"


@pytest.mark.parametrize("pattern", [".local/share/opencode/opencode.db", ".config/Cursor/User/globalStorage/state.vscdb"])
def test_a_database_with_several_sessions_says_how_to_list_them(sb: Sb, tmp_path: Path, pattern: str) -> None:
    """One line that names the command; what it names works."""
    path = alone(tmp_path, pattern)
    ran = sb("show", str(path))
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert "sessions: sb list --root " in ran.err
    assert sb("list", "--root", str(path), "--all", "--json").json()["sessions"]


def test_a_database_with_one_session_shows_it(sb: Sb, tmp_path: Path) -> None:
    """Subagents of it are no second session."""
    path = alone(tmp_path, ".local/share/opencode/opencode.db")
    with sqlite3.connect(path) as database:
        database.execute("delete from session where id != 'ses_4a01limitLogin0000001' and parent_id is not 'ses_4a01limitLogin0000001'")
    database.close()
    shown = sb("show", str(path), "--format", "json").json()
    assert shown["session"]["id"] == "ses_4a01limitLogin0000001"


def test_a_database_of_something_else_is_refused(sb: Sb, tmp_path: Path) -> None:
    """Not every database holds sessions."""
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as database:
        database.execute("create table things (name)")
    database.close()
    assert "holds no session that is known here" in sb("show", str(path)).err
