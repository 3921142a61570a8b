"""Rows of files that were never read: when they began is told by their names, not by the time of the file."""

from __future__ import annotations

import pytest

from sessionbrowser.library import Library
from sessionbrowser.paths import time_in

from .conftest import Write

BEGAN = 1777543200.0  # 2026-04-30 10:00 UTC


@pytest.mark.parametrize(("path", "id", "began"), [
    ("/s/2026/04/30/rollout-2026-04-30T10-00-00-x.jsonl.zst", "x", BEGAN),
    ("/s/rollout-a.jsonl", "019dddd4-bd00-7abc-8def-001122334455", BEGAN),
    ("/s/2026/04/30/a.jsonl", "a", BEGAN - 36000),
    ("/s/2026-04-30_10-00-00Z-fix.md", "fix", BEGAN),
    ("/s/session-2026-04-30T10-00-9f.json", "9f", BEGAN),
    ("/s/11111111-1111-4111-8111-111111111111.jsonl", "11111111-1111-4111-8111-111111111111", None),
    ("/s/rollout-2026-99-30T10-00-00-x.jsonl", "x", None),
])  # fmt: skip
def test_the_name_tells_when_a_session_began(path: str, id: str, began: float | None) -> None:
    """In the zone of the agent's machine where it gives none."""
    assert time_in(path, id) == began


def test_a_file_that_was_never_read_does_not_head_the_list(library: Library, write: Write) -> None:
    """It was copied here a moment ago; that is no activity."""
    write("old", updated=100)
    write("rollout-2026-04-30T10-00-00-x", updated=4_000_000_000, broken="no header")
    write("new", updated=BEGAN + 60)
    assert [session.id for session in library.sessions()] == ["new", "rollout-2026-04-30T10-00-00-x", "old"]


def test_a_file_that_was_never_read_and_tells_no_time_comes_last(library: Library, write: Write) -> None:
    """Nothing is known of when it was active."""
    write("old", updated=100)
    write("dark", updated=4_000_000_000, broken="no header")
    assert [(session.id, session.updated) for session in library.sessions()] == [("old", 100.0), ("dark", None)]


def test_the_last_session_is_one_that_can_be_read(library: Library, write: Write) -> None:
    """@last is for showing and resuming."""
    write("good", updated=100)
    write("rollout-2026-04-30T10-00-00-x", updated=4_000_000_000, broken="no header")
    assert [session.id for session in library.find("@last")] == ["good"]
    assert library.find("@prev") == []
