"""Saved queries: `@name` stands for what the configuration has under it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.query import complete, expand, parse

SAVED = {"failed": "is:failed after:7d", "mine": " project:api ", "broken": "turns:lots"}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("@failed", "is:failed after:7d"),
        ("login @failed x", "login is:failed after:7d x"),
        ("@mine @failed", "project:api is:failed after:7d"),
        ("@types/node @last", "@types/node @last"),
        ('"@failed" -@failed', '"@failed" -@failed'),
        ("login @fai", "login "),
        ("@fai login", "@fai login"),
        ("", ""),
    ],
)
def test_names_are_written_out_where_they_stand_alone(text: str, written: str) -> None:
    assert expand(text, SAVED).text == written


def test_a_place_behind_a_name_is_where_it_was_typed() -> None:
    typed = "@failed turns:many"
    problem = parse(expand(typed, SAVED).text).problem
    assert problem is not None
    start, end = expand(typed, SAVED).place(problem.start, problem.end)
    assert typed[start:end] == "turns:many"


def test_a_mistake_in_a_saved_query_stands_at_its_name() -> None:
    typed = "login @broken now"
    expanded = expand(typed, SAVED)
    problem = parse(expanded.text).problem
    assert problem is not None
    start, end = expanded.place(problem.start, problem.end)
    assert typed[start:end] == "@broken"


def test_names_are_completed_with_what_they_stand_for() -> None:
    (item,) = complete("login @fa", 9, (), SAVED)
    assert (item.text, item.start, item.end, item.help) == ("@failed", 6, 9, "is:failed after:7d")


@settings(deadline=None, max_examples=100)
@given(st.text(alphabet='@failed mine"/-:x', max_size=30), st.integers(0, 60), st.integers(0, 60))
def test_every_place_is_one_of_the_typed_text(text: str, start: int, length: int) -> None:
    expanded = expand(text, SAVED)
    begin, end = expanded.place(min(start, len(expanded.text)), min(start + length, len(expanded.text)))
    assert 0 <= begin <= end <= len(text)
