"""Candidates for a question: `--keywords` on lists and searches; answers fit for other programs."""

from __future__ import annotations

import json

import pytest

from sessionbrowser.commands.keywords import telling
from sessionbrowser.index.tally import with_row
from sessionbrowser.model import Session
from sessionbrowser.query import parse

A, B, C = "aaaaaaaa-1111-4111-8111-111111111111", "bbbbbbbb-2222-4222-8222-222222222222", "cccccccc-3333-4333-8333-333333333333"


@pytest.fixture
def three(write) -> None:
    write(A, prompt="the cache is stale", answer="I made the cache expire; the login was not touched", time="2026-05-01T10:00")
    write(B, prompt="fix the login", answer="fixed", time="2026-05-02T10:00")
    write(C, prompt="write a poem", answer="done", time="2026-05-03T10:00")


@pytest.mark.parametrize("how", [(), ("--no-cache",)])
def test_sessions_with_more_of_the_keywords_come_first(sb, three, how) -> None:
    """Each with the number of its passages that hold them, whether the index counts or the files are read."""
    found = sb("list", "--keywords", "cache, login", "--json", *how).json()
    assert [(row["id"], row["match_count"], row["keyword_matches"]) for row in found["sessions"]] == [
        (A, 3, {"cache": 2, "login": 1}),
        (B, 1, {"cache": 0, "login": 1}),
    ]
    assert (found["files_processed"], found["parse_errors"], found["matched"]) == (3, 0, 2)


@pytest.mark.parametrize("how", [(), ("--no-cache",)])
def test_a_word_of_the_title_makes_a_candidate(sb, write, how) -> None:
    """A given title is one passage more; one that is the prompt is not counted twice."""
    write(A, prompt="mend it", answer="mended", title="The renamed thread", time="2026-05-01T10:00")
    write(B, prompt="a renamed file", answer="the file is renamed", title="renamed again", time="2026-05-02T10:00")
    write(C, prompt="why was it renamed?", answer="no idea", time="2026-05-03T10:00")
    found = sb("list", "--keywords", "renamed,mended", "--json", *how).json()["sessions"]
    assert [(row["id"], row["keyword_matches"]) for row in found] == [
        (A, {"renamed": 1, "mended": 1}), (B, {"renamed": 3, "mended": 0}), (C, {"renamed": 1, "mended": 0}),
    ]  # fmt: skip


def test_what_only_the_row_says_makes_a_candidate() -> None:
    """Its prompts, where no passage holds the word; an id is no title."""
    row = Session("renamed", "claude", "/x", title="renamed", title_from="id", first_prompt="Slow builds", last_prompt="and tests")
    assert with_row(row, {"slow": 0, "tests": 2, "renamed": 0}) == ({"slow": 1, "tests": 2, "renamed": 0}, frozenset())
    record = row._replace(title="five-whys: Slow build", title_from="subject")
    assert with_row(record, {"slow": 4, "five-whys": 0}) == ({"slow": 5, "five-whys": 1}, frozenset(("slow", "five-whys")))


def test_a_digest_says_that_it_was_the_title(sb, write, tmp_path) -> None:
    """And how many passages there are besides."""
    write(A, prompt="mend it", answer="it was renamed", title="The renamed thread")
    made = sb("digest", "renamed", "thread", "--to", str(tmp_path / "d"), "--min-size", "0").json()
    assert made["chosen"][0]["why"] == ["“renamed” in the title and 1 passage", "“thread” in the title"]


def test_a_search_by_keywords_tells_the_same(sb, three) -> None:
    """Among the sessions that a query leaves."""
    found = sb("search", "--keywords", "cache,login", "after:2026-05-02", "--json").json()
    assert [row["id"] for row in found["sessions"]] == [B]
    assert found["matched"] == 1


def test_keywords_nobody_used_are_no_match(sb, three) -> None:
    """Exit status 1, an empty list."""
    ran = sb("list", "--keywords", "zeppelin", "--json")
    assert ran.code == 1 and ran.json()["sessions"] == []


def test_keywords_have_to_be_words(sb, three) -> None:
    """Exit status 2, one line."""
    ran = sb("list", "--keywords", " , ")
    assert (ran.code, ran.err.count("\n")) == (2, 1)


def test_the_session_that_asks_is_left_out(sb, three, env) -> None:
    """When that is asked for, and under --safe; else it is a session like the others."""
    asking = env._replace(variables={**env.variables, "CLAUDE_CODE_SESSION_ID": B})
    def ids(*arguments: str) -> list[str]:
        return [row["id"] for row in json.loads(sb("list", "--json", *arguments, env=asking).out)["sessions"]]

    assert B in ids()
    assert ids("--exclude-current") == ids("--safe") == [C, A]
    assert [hit["session"] for hit in sb("search", "login", "--json", "--safe", env=asking).json()["hits"]] == [A]
    refused = sb("show", B, "--safe", env=asking)
    assert (refused.code, refused.err) == (1, "sb: this is the session that asks: --safe leaves it out\n")


def test_what_a_query_about_tools_finds_is_not_safe(sb, three) -> None:
    """It is refused rather than answered with nothing."""
    assert sb("search", "tool:Bash", "--safe").code == 2
    assert sb("search", "cache", "in:thinking", "--safe").code == 2


@pytest.mark.parametrize(("query", "keywords", "left_out"), [
    ("what did I try about retries?", ["retries?"], ["what", "did", "I", "try", "about"]),
    ('"what did" retry', ["what did", "retry"], []),
    ("about what", ["about", "what"], []),
    ("retry backoff", ["retry", "backoff"], []),
])  # fmt: skip
def test_words_that_any_question_has_are_no_keywords(query: str, keywords: list[str], left_out: list[str]) -> None:
    """Unless there are no others, or they stand in quotes."""
    assert telling(parse(query)) == (keywords, left_out)
