"""What a session is doing now."""

from __future__ import annotations

import pytest

from sessionbrowser.library import Library
from sessionbrowser.library.status import calls, is_settled, with_status
from sessionbrowser.model import Live, Session

from .conftest import Write
from .plain import PlainShelf

NOW = 1_000_000.0


def session(tail: str, silent: float = 0.0) -> Session:
    return Session("a", "plain", "/a", tail=tail, updated=NOW - silent)


@pytest.mark.parametrize(
    ("tail", "silent", "status"),
    [
        ("calling", 10, "running"),
        ("working", 299, "running"),
        ("calling", 301, "interrupted"),
        ("working", 10_000, "interrupted"),
        ("asking", 10, "waiting"),
        ("asking", 100_000, "waiting"),
        ("asking", 300 * 86400, "waiting"),
        ("finished", 1, "finished"),
        ("interrupted", 1, "interrupted"),
        ("failed", 1, "failed"),
        ("unknown", 1, "unknown"),
    ],
)
def test_the_end_of_a_file_and_the_clock_give_a_status(tail: str, silent: float, status: str) -> None:
    """Five minutes after its last line an open call no longer runs."""
    found = with_status(session(tail, silent), None, NOW)
    assert (found.status, found.status_from) == (status, "inferred")


def test_a_time_nobody_knows_is_no_reason_to_say_running() -> None:
    """Nor interrupted."""
    assert with_status(session("calling")._replace(updated=None), None, NOW).status == "unknown"


def test_the_agents_registry_goes_before_the_file() -> None:
    """And the reason says so."""
    found = with_status(session("finished"), Live("a", "waiting", "a permission is asked"), NOW)
    assert (found.status, found.status_from, found.status_why) == ("waiting", "registry", "a permission is asked")


def test_the_sources_reason_is_kept() -> None:
    """It knows more than we do."""
    assert with_status(session("failed")._replace(tail_why="API error 529"), None, NOW).status_why == "API error 529"


def test_a_question_nobody_answered_for_days_calls_for_nobody() -> None:
    """It waits, but what the agent's registry says holds however long ago that was."""
    new, old = (with_status(session("asking", silent), None, NOW) for silent in (3 * 86400, 5 * 86400))
    told = with_status(session("asking", 300 * 86400), Live("a", "waiting", "a permission is asked"), NOW)
    assert [calls(one, NOW) for one in (new, old, told, with_status(session("finished"), None, NOW))] == [True, False, True, False]


@pytest.mark.parametrize(("tail", "silent", "settled"), [("finished", 0, True), ("calling", 10, False), ("calling", 400, True)])
def test_only_an_open_turn_changes_by_the_clock_alone(tail: str, silent: float, settled: bool) -> None:
    """Everything else may be kept as it was written out."""
    assert is_settled(session(tail, silent), NOW) is settled


def test_a_live_session_is_running_in_the_list(library: Library, shelf: PlainShelf, write: Write) -> None:
    """By the registry of its root."""
    write("a", updated=10, tail="finished")
    shelf.plain.running = [Live("a", "running", "busy", 42)]
    (found,) = library.sessions()
    assert (found.status, found.status_from) == ("running", "registry")
    shelf.plain.running = []
    assert library.sessions()[0].status == "finished"


def test_a_copy_of_a_live_session_is_not_running(env, shelf: PlainShelf, write: Write, home) -> None:  # type: ignore[no-untyped-def]
    """The registry speaks of the live file."""
    write("a", folder="copy", updated=10)
    shelf.plain.running = [Live("a", "running")]
    (found,) = Library(env, shelf=shelf, roots=[str(home / "copy")]).sessions()
    assert found.status == "finished"


def test_lines_follow_the_clock(env, shelf: PlainShelf, write: Write) -> None:  # type: ignore[no-untyped-def]
    """A row that runs is not written out of the cache an hour later."""
    write("a", updated=env.clock - 5, tail="calling")

    def render(session: Session) -> bytes:
        return session.status.encode()

    assert b"".join(Library(env, shelf=shelf).document(render, b" ".join, "v")) == b"running"
    later = env._replace(clock=env.clock + 3600)
    assert b"".join(Library(later, shelf=shelf).document(render, b" ".join, "v")) == b"interrupted"


def test_a_subagent_that_ends_in_a_question_is_finished() -> None:
    """Nobody can answer it."""
    found = with_status(session("asking")._replace(hidden="subagent"), None, NOW)
    assert (found.status, found.status_from) == ("finished", "inferred")
