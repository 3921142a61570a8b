"""A handful of invented rows that the language is tried on."""

from __future__ import annotations

import pytest

from sessionbrowser.model import Counts, Session, Usage

NOW = 1778770800.0  # 2026-05-14 15:00 UTC, a Thursday
DAY = 86400.0


def row(number: int, **values: object) -> Session:
    """An invented session; what is not given is the same for all."""
    base = Session(f"{number:08x}-0000-4000-8000-00000000ada0", "claude", f"/home/ada/.claude/projects/x/{number}.jsonl",
                   title=f"session {number}", cwd="/home/ada/src/api", project="api", branch="main",
                   created=NOW - number * DAY - 3600, updated=NOW - number * DAY, status="finished", size=1000 * number)  # fmt: skip
    return base._replace(**values)  # type: ignore[arg-type]


@pytest.fixture
def rows() -> list[Session]:
    """Eight sessions, newest first."""
    return [
        row(0, title="Fix the flaky auth test", branch="feat/login", status="running", model="claude-opus-4-7",
            counts=Counts(prompts=12, tool_errors=1), tokens=Usage(100_000, 82_000)),
        row(1, title="Bump node", source="codex", project="web", cwd="/home/ada/src/web", status="waiting",
            counts=Counts(prompts=3), tokens=Usage(900, 100)),
        row(2, title="Add retries to the client", counts=Counts(prompts=30, compactions=2), subagents=2),
        row(3, title="Terraform plan", project="infra", cwd="/home/ada/src/infra/live", branch=None, status="failed"),
        row(4, title="Écrire le résumé", project="notes", cwd="/home/ada/notes", source="gemini", branch="maintenance"),
        row(5, title="Rename the parser", first_prompt="rename parse_wobble to parse_header", forked_from="x", size=20_000_000),
        row(6, title="Quote \"the\" error", archived=True, hidden="archived", expires=NOW + 2 * DAY),
        row(7, title="Untitled", cwd=None, project="", updated=None, created=None, branch=None, specstory="/s.md"),
    ]  # fmt: skip
