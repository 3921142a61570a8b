"""`sb search --safe`: a passage is masked before it is cut into snippets and lines. All secrets here are invented."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sessionbrowser.cli import run
from sessionbrowser.index.matching import lines_around

from .conftest import Desk

BODY = [f"{letter}1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a7B8c9D0e1F2"[:64] for letter in "abcdefgh"]
KEY = "\n".join(["-----BEGIN RSA PRIVATE" + " KEY-----", *BODY, "-----END RSA PRIVATE" + " KEY-----"])
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def ask(desk: Desk, capfd: pytest.CaptureFixture[str]) -> Any:
    """The hits of a search, and all that was printed."""

    def call(*arguments: str) -> tuple[list[Any], str]:
        run(("search", "--safe", "--json", *arguments), desk.env)
        made = capfd.readouterr().out
        run(("search", "--safe", *arguments), desk.env)
        return json.loads(made)["hits"], made + capfd.readouterr().out

    return call


@pytest.mark.parametrize("how", [(), ("--no-index",), ("--context", "2")])
@pytest.mark.parametrize("query", ['"and go on"', "/[A-Za-z0-9]{60}/", BODY[3], f'"{BODY[3][10:50]}"', "/RSA PRIVATE/", "begin"])
def test_no_line_of_a_private_key_is_shown(desk: Desk, ask: Any, query: str, how: tuple[str, ...]) -> None:
    """Whatever finds it, a word next to it, an expression, a line of the key itself."""
    desk.say("one", f"begin with this key:\n{KEY} and go on")
    hits, printed = ask(query, *how)
    assert len(hits) == 1
    assert "[masked: private key]" in printed
    for line in BODY:
        assert not any(line[at : at + 12] in printed for at in range(0, 52, 4))


def test_a_hit_inside_a_secret_shows_what_stands_for_it(desk: Desk, ask: Any) -> None:
    """However far from the beginning; the lines around it are those around the mask."""
    desk.say("one", "word " * 100 + f"\nbefore\nuse\n{KEY}\nafter\n" + "word " * 100)
    (hit,), _ = ask(BODY[3], "--context", "1")
    assert hit["snippet"].startswith("…[masked: private key] after word")
    assert hit["marks"] == []
    assert hit["context"] == {"lines": ["use", "[masked: private key]", "after"], "at": 1}


def test_marks_point_at_the_words_in_the_masked_text(desk: Desk, ask: Any) -> None:
    """Before and behind what was masked."""
    desk.say("one", f"needle with {TOKEN} and a needle")
    (hit,), _ = ask("needle")
    assert hit["snippet"] == "needle with [masked: GitHub token] and a needle"
    assert [hit["snippet"][start:end] for start, end in hit["marks"]] == ["needle", "needle"]


@pytest.mark.parametrize("before", range(1960, 2001, 5))
def test_a_secret_at_the_end_of_a_long_line_is_not_cut_before_it_is_masked(desk: Desk, ask: Any, before: int) -> None:
    """Half of it would not be known again."""
    desk.say("one", "needle " + "x" * (before - 8) + " " + TOKEN + " tail" * 20)
    (hit,), printed = ask("needle", "--context", "1")
    assert TOKEN[4:12] not in printed
    assert hit["context"]["lines"][0].endswith("…")


def test_colours_inside_a_secret_do_not_hide_it(desk: Desk, ask: Any) -> None:
    """They are gone before anything is looked for."""
    desk.say("one", f"needle {TOKEN[:12]}\x1b[31m{TOKEN[12:]}")
    (hit,), printed = ask("needle")
    assert hit["snippet"] == "needle [masked: GitHub token]"
    assert TOKEN[12:] not in printed


def test_titles_are_masked(desk: Desk, ask: Any) -> None:
    """Those of hits, and of sessions that are found by fields alone or by their id."""
    desk.write("5f3a9c11-0000", {"kind": "prompt", "text": "needle", "title": f"use {TOKEN}"})
    for query in ("needle", "project:api", "5f3a9c"):
        hits, printed = ask(query)
        assert [hit["title"] for hit in hits] == ["use [masked: GitHub token]"]
        assert TOKEN[4:] not in printed


def test_a_line_that_was_cut_says_so() -> None:
    """With an ellipsis behind its 2,000 characters."""
    lines, at = lines_around("a\n" + "x" * 2001 + "\nb", 2, 1)
    assert (lines, at) == (("a", "x" * 2000 + "…", "b"), 1)
