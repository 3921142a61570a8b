"""Reading the box: tokens, unfinished input, wrong input."""

from __future__ import annotations

import pytest

from sessionbrowser.query import Exact, Field, Not, Query, Regexp, Word, breaks_off, parse
from sessionbrowser.query.tree import plain


def read(text: str) -> Query:
    return parse(text, 1778770800.0)


def tree(text: str) -> object:
    return plain(read(text).tree)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("flaky auth", (("Word", "flaky"), ("Word", "auth"))),
        ('"exact words"', (("Exact", "exact words"),)),
        (r'"a \"quoted\" word"', (("Exact", 'a "quoted" word'),)),
        (r'"C:\new\dir"', (("Exact", r"C:\new\dir"),)),
        (r'"ends in \\" x', (("Exact", "ends in \\"), ("Word", "x"))),
        ("/time(out|d out)/", (("Regexp", "time(out|d out)"),)),
        (r"/a\/b/", (("Regexp", "a/b"),)),
        ("-docs", (("not", ("Word", "docs")),)),
        ('-"not this"', (("not", ("Exact", "not this")),)),
        ("-branch:main", (("not", ("Field", "branch", ("main",), False)),)),
        ("source:codex,gemini", (("Field", "source", ("codex", "gemini"), False),)),
        ("is:running|waiting", (("Field", "is", ("running", "waiting"), False),)),
        ("agent:codex", (("Field", "source", ("codex",), False),)),
        ('dir:"my dir"', (("Field", "dir", ("my dir",), True),)),
        ("BRANCH:main", (("Field", "branch", ("main",), False),)),
        (r"\-flag", (("Word", "-flag"),)),
        (r"\branch:x", (("Word", "branch:x"),)),
        ("don't", (("Word", "don't"),)),
        ("http://example.org/x", (("Word", "http://example.org/x"),)),
        ("Error: nothing", (("Word", "Error:"), ("Word", "nothing"))),
        ("std::vector", (("Word", "std::vector"),)),
    ],
)
def test_input_reads_as_people_mean_it(text: str, expected: object) -> None:
    assert (tree(text), read(text).problem) == (expected, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"open quote', (("Exact", "open quote"),)),
        ('branch:"feat lo', (("Field", "branch", ("feat lo",), True),)),
        ("/time(out)? wait", (("Regexp", "time(out)? wait"),)),
        ("/time(out", ()),
        ("branch:", ()),
        ("after:", ()),
        ("after:2", ()),
        ("turns:>", ()),
        ("-", ()),
        ('"', ()),
        ("is:run", (("Field", "is", ("run",), False),)),
        ("source:codex,", (("Field", "source", ("codex",), False),)),
    ],
)
def test_unfinished_input_means_what_it_says_so_far(text: str, expected: object) -> None:
    assert (tree(text), read(text).problem) == (expected, None)


@pytest.mark.parametrize(("text", "pattern"), [("/{ ", "{"), ("/a.\\  ", "a.\\ "), ("/a.\\\\ ", "a.\\\\")])
def test_blanks_behind_an_unfinished_expression_are_no_part_of_it(text: str, pattern: str) -> None:
    assert tree(text) == (("Regexp", pattern),)
    assert tree(str(read(text))) == (("Regexp", pattern),)


def test_a_path_is_no_expression() -> None:
    """Only a slash at the end of a piece closes one."""
    assert tree("/home/ada/src api") == (("Word", "/home/ada/src"), ("Word", "api"))


def test_an_expression_may_hold_blanks() -> None:
    assert tree("/a b/ c") == (("Regexp", "a b"), ("Word", "c"))


@pytest.mark.parametrize(
    ("text", "words", "start", "end"),
    [
        ("api is:sleeping", "sleeping", 4, 15),
        ("turns:many", "many", 0, 10),
        ("x after:someday", "someday", 2, 15),
        ("brnach:main", "branch:", 0, 11),
        ("/a(b/", "expression", 0, 5),
        ("after:2026-13-01", "2026-13-01", 0, 16),
        ("size:>3x", "3x", 0, 8),
    ],
)
def test_wrong_input_says_why_and_where(text: str, words: str, start: int, end: int) -> None:
    problem = read(text).problem
    assert problem is not None
    assert words in problem.message
    assert (problem.start, problem.end) == (start, end)


@pytest.mark.parametrize(
    ("text", "so"), [("bra:", True), ("api brnach:", True), ("branch:", False), ("Error:", False), ("bra: ", False), ("bra:x", False), ("turns:", False), ('"bra:', False)]
)
def test_a_word_and_a_colon_that_will_be_no_field(text: str, so: bool) -> None:
    """Whatever comes behind; what is wrong already is another matter."""
    assert breaks_off(text) == so


def test_the_rest_of_a_query_with_a_mistake_holds() -> None:
    assert tree("api turns:many branch:main") == (("Word", "api"), ("Field", "branch", ("main",), False))


def test_every_part_knows_where_it_stands() -> None:
    text = 'api -"no no" branch:main /x+/'
    parts = read(text).tree.parts
    assert [text[part.start : part.end] for part in parts] == ["api", '-"no no"', "branch:main", "/x+/"]


def test_parts_are_what_they_are_called() -> None:
    parts = read('w "e" /r+/ id:x -w').tree.parts
    assert [type(part) for part in parts] == [Word, Exact, Regexp, Field, Not]


def test_fields_alone_need_no_text() -> None:
    assert not read("branch:main is:failed").needs_text


@pytest.mark.parametrize("text", ["word", '"quote"', "/re+/", "-word", "tool:Bash", "file:a.py"])
def test_words_and_tools_need_text(text: str) -> None:
    assert read(text).needs_text


@pytest.mark.parametrize(("text", "deep"), [("word", False), ("word in:tools", True), ("tool:Bash", True), ("in:tools", False)])
def test_tools_need_the_files(text: str, deep: bool) -> None:
    assert read(text).needs_deep is deep


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("x", {"prompts", "answers", "thinking", "subagents"}),
        ("in:prompts x", {"prompts"}),
        ("in:prompts,answers x", {"prompts", "answers"}),
        ("in:all x", {"prompts", "answers", "thinking", "subagents", "tools"}),
        ("-in:thinking x", {"prompts", "answers", "subagents"}),
    ],
)
def test_in_says_where_words_are_looked_for(text: str, places: set[str]) -> None:
    assert read(text).places == places
