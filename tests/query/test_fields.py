"""Fields against rows."""

from __future__ import annotations

import pytest

from sessionbrowser.model import Session
from sessionbrowser.query import parse

NOW = 1778770800.0


def found(text: str, rows: list[Session], here: str = "/home/ada/src/web") -> list[int]:
    query = parse(text, NOW)
    assert query.problem is None
    return [index for index, row in enumerate(rows) if query.admits(row, here) is True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("source:codex", [1]),
        ("source:cx", [1]),
        ("source:claude", [0, 2, 3, 5, 6, 7]),
        ("source:codex,gemini", [1, 4]),
        ("project:api", [0, 2, 5, 6]),
        ("project:infra", [3]),
        ("branch:main", [1, 2, 4, 5, 6]),
        ('branch:"main"', [1, 2, 5, 6]),
        ("branch:-", [3, 7]),
        ("branch:none", [3, 7]),
        ("-branch:-", [0, 1, 2, 4, 5, 6]),
        ('branch:"none"', []),
        ("project:-", [7]),
        ("model:-", [1, 2, 3, 4, 5, 6, 7]),
        ('model:"-"', []),
        ("branch:login", [0]),
        ("branch:feat/*", [0]),
        ("branch:ogin", []),
        ("dir:src", [0, 1, 2, 3, 5, 6]),
        ("dir:/home/ada/src/infra", [3]),
        ("dir:~/src/infra", [3]),
        ("dir:~", [0, 1, 2, 3, 4, 5, 6]),
        ("dir:.", [1]),
        ("dir:SRC/WEB", [1]),
        ("model:opus", [0]),
        ("title:parser", [5]),
        ("title:résumé", [4]),
        ("prompt:wobble", [5]),
        ("id:00000003", [3]),
        ("is:running", [0]),
        ("is:running,waiting", [0, 1]),
        ("is:archived", [6]),
        ("is:fork", [5]),
        ("-is:finished", [0, 1, 3]),
        ("has:error", [0]),
        ("-has:error", [1, 2]),
        ("has:compaction", [2]),
        ("has:subagents", [2]),
        ("has:specstory", [7]),
        ("turns:>10", [0, 2]),
        ("turns:3", [1]),
        ("turns:3..12", [0, 1]),
        ("turns:<=3", [1]),
        ("tokens:>100k", [0]),
        ("tokens:1k", [0, 1]),
        ("size:>1MB", [5]),
        ("expires:<3d", [6]),
        ("expires:<1d", []),
        ("expires:never", [0, 1, 2, 3, 4, 5, 7]),
        ("project:api -branch:main", [0]),
    ],
)
def test_a_field_admits_the_rows_it_names(text: str, expected: list[int], rows: list[Session]) -> None:
    assert found(text, rows) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("after:2d", [0, 1, 2]),
        ("after:yesterday", [0, 1]),
        ("before:2d", [3, 4, 5, 6]),
        ("after:2026-05-12", [0, 1, 2]),
        ("before:2026-05-12", [3, 4, 5, 6]),
        ("after:2026-05-10..2026-05-11", [3, 4]),
        ("date:today", [0]),
        ("date:yesterday", [1]),
        ("date:2026-05-12", [2]),
        ("date:2d", [2]),
        ("date:2026-05-10..2026-05-12", [2, 3, 4]),
        ("date:..2026-05-09", [5, 6]),
        ("date:monday", [3]),
        ("date:2026-05", [0, 1, 2, 3, 4, 5, 6]),
        ("-date:2026-05", [7]),
    ],
)
def test_times_are_windows_in_the_local_zone(text: str, expected: list[int], rows: list[Session]) -> None:
    assert found(text, rows) == expected


def test_rows_without_counts_do_not_answer_questions_about_them(rows: list[Session]) -> None:
    """They are read exactly by whoever asks; until then they are neither in nor out."""
    query = parse("turns:>10", NOW)
    assert [row.title for row in query.unknown(rows)] == [row.title for row in rows[3:]]


def test_a_field_that_is_no_already_spares_the_count(rows: list[Session]) -> None:
    assert parse("turns:>10 project:infra", NOW).unknown(rows) == [rows[3]]


def test_a_file_too_small_for_so_many_prompts_is_not_read_for_them(rows: list[Session]) -> None:
    """Its size answers; a database's, and what is asked at most, does not."""
    small = rows[5]._replace(size=2000)
    assert parse("turns:>20", NOW).admits(small) is False
    assert parse("turns:>20", NOW).admits(small._replace(size=20_000)) is None
    assert parse("turns:>20", NOW).admits(small._replace(path="/x.db", key="k")) is None
    assert parse("turns:<20", NOW).admits(small) is None


@pytest.mark.parametrize(("cwd", "is_there"), [("/home/ada", True), ("/home/ada/src", True), ("/Users/ada", True), ("/root/x", True), ("/srv/api", False), ("/", False)])
def test_a_tilde_is_somebodys_home(cwd: str, is_there: bool) -> None:
    """Sessions were recorded on several machines; what is in no home is not there."""
    assert (found("dir:~", [Session("a", "claude", "/a", cwd=cwd)]) == [0]) is is_there
