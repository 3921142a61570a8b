"""Tools, files, and what only the bytes know."""

from __future__ import annotations

import shutil

import pytest

from sessionbrowser.index import deep
from sessionbrowser.index.spellings import of_word
from sessionbrowser.query import parse

from .conftest import Desk


def call(name: str, given: str, output: str = "") -> dict[str, object]:
    return {"kind": "tool", "name": name, "input": given, "output": output}


@pytest.fixture(params=["rg", "find"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without the program that looks through files."""
    if request.param == "find":
        monkeypatch.setattr(deep.shutil, "which", lambda name: None)  # type: ignore[attr-defined]
    elif shutil.which("rg") is None:
        pytest.skip("rg is not installed")


@pytest.mark.usefixtures("either_way")
class TestBothWays:
    def test_tool_text_is_found_on_request_only(self, desk: Desk) -> None:
        desk.write("one", call("Bash", "pytest -q", "3 failed"))
        assert desk.found("pytest") == []
        assert desk.found("pytest in:tools") == ["one"]
        assert desk.found("failed in:all") == ["one"]

    def test_case_does_not_matter(self, desk: Desk) -> None:
        desk.write("one", call("Bash", "PyTest"))
        assert desk.found("pYtEsT in:tools") == ["one"]

    def test_quotes_and_backslashes_are_found_as_json_writes_them(self, desk: Desk) -> None:
        desk.write("one", call("Bash", 'echo "a\\b"'))
        assert desk.found('"echo \\"a\\b" in:tools') == ["one"]

    def test_other_scripts_are_found(self, desk: Desk) -> None:
        desk.write("one", call("Bash", "echo Größe 針"))
        assert desk.found("größe in:tools") == ["one"]
        assert desk.found("針 in:tools") == ["one"]

    @pytest.mark.parametrize("word", ["resume", "Résumé", "re\u0301sume\u0301"])
    @pytest.mark.parametrize("written", ["résumé", "RESUME", "Re\u0301sume\u0301", "r\\u00e9sum\\u00e9"])
    def test_words_are_found_with_accents_and_without(self, desk: Desk, word: str, written: str) -> None:
        path = desk.write("one", call("Bash", "cat PLACE"))
        path.write_bytes(path.read_bytes().replace(b"PLACE", written.encode()))
        assert desk.found(f"{word} in:tools") == ["one"]

    def test_bookkeeping_is_no_hit(self, desk: Desk) -> None:
        desk.write("one", {"kind": "progress", "data": "needle"}, call("Bash", "x"))
        assert desk.found("needle in:all") == []

    def test_an_expression_in_tools(self, desk: Desk) -> None:
        desk.write("one", call("Bash", "exit 137"))
        assert desk.found(r"/exit \d+/ in:tools") == ["one"]

    def test_all_words_have_to_be_in_one_call(self, desk: Desk) -> None:
        desk.write("one", call("Bash", "alpha"), call("Bash", "beta"))
        desk.write("two", call("Bash", "alpha beta"))
        assert desk.found("alpha beta in:tools") == ["two"]


def test_a_tool_by_its_name(desk: Desk) -> None:
    desk.write("one", call("Bash", "x"))
    desk.write("two", call("BashOutput", "x"))
    assert desk.found("tool:bash") == ["one"]
    assert set(desk.found("tool:bash*")) == {"one", "two"}


def test_a_tool_of_a_server_by_the_end_of_its_name(desk: Desk) -> None:
    desk.write("one", call("mcp__github__get_issue", "x"))
    assert desk.found("tool:get_issue") == ["one"]


def test_a_tool_by_what_it_does(desk: Desk) -> None:
    desk.write("one", call("Bash", "x"))
    desk.write("two", call("exec_command", "x"))
    desk.write("three", call("Read", "x"))
    assert set(desk.found("tool:shell")) == {"one", "two"}


def test_a_tool_by_the_name_it_is_shown_with(desk: Desk) -> None:
    """What is read on the screen finds it, whatever its agent calls it; the agent's own name finds only that."""
    desk.write("one", call("Bash", "x"))
    desk.write("two", call("run-shell-command", "x"))
    desk.write("three", call("Read", "x"))
    assert set(desk.found("tool:Bash")) == {"one", "two"}
    assert desk.found("tool:run-shell-command") == ["two"]


def test_words_in_calls_are_beginnings_of_words(desk: Desk) -> None:
    """As in what was said; a quote may begin inside of one."""
    desk.write("one", call("Bash", "pnpm check"))
    desk.write("two", call("Bash", "cd web && npm install"))
    desk.write("three", call("Bash", "parseNpmLock"))
    assert set(desk.found("npm in:tools")) == set(desk.found("tool:Bash npm")) == {"two", "three"}
    assert set(desk.found('"npm" in:tools')) == {"one", "two", "three"}


def test_words_beside_a_tool_are_looked_for_in_its_calls(desk: Desk) -> None:
    desk.write("one", call("Bash", "ls"), call("Read", "pytest.ini"), {"kind": "text", "text": "pytest"})
    desk.write("two", call("Bash", "pytest -q"))
    assert desk.found("tool:Bash pytest") == ["two"]


def test_a_file_by_its_name_or_its_end(desk: Desk) -> None:
    desk.write("one", call("Edit", "/home/ada/src/api/auth.py"))
    desk.write("two", call("Edit", "/home/ada/src/api/oauth.py"))
    assert desk.found("file:auth.py") == ["one"]
    assert set(desk.found("file:src/api")) == {"one", "two"}


def test_a_tool_that_must_not_be_there(desk: Desk) -> None:
    desk.write("one", {"kind": "text", "text": "needle"}, call("Bash", "x"))
    desk.write("two", {"kind": "text", "text": "needle"}, call("Read", "x"))
    assert desk.found("needle -tool:Bash") == ["two"]


def test_a_subagents_call_belongs_to_its_session(desk: Desk) -> None:
    desk.say("one", "hello")
    desk.write("sub", call("Bash", "needle"), parent="one")
    (hit,) = desk.hits("needle in:tools")
    assert (hit.session, hit.subagent, hit.kind) == ("one", "sub", "tool")


def test_a_needle_on_the_edge_of_a_chunk_is_found(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep, "CHUNK", 16)
    path = desk.say("one", "x" * 20 + "needle" + "y" * 20)
    for shift in range(40):
        path.write_bytes(b"z" * shift + b"NEEDLE and more")
        assert deep.contains(str(path), [(b"needle",)])


def test_cancelling_ends_the_search_between_files(desk: Desk) -> None:
    for number in range(3):
        desk.write(f"s{number}", call("Bash", "needle"))
    assert list(deep.candidates([], deep.Wanted((), frozenset()), lambda: True)) == []


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [("time(out|d out)", "time"), (r"\bplim\w+ter", "plim"), ("ab.cd", ""), ("(abc|def)", ""), ("abc?", ""), ("[abc]def", "def"), ("(?i)Hello", "Hello")],
)
def test_what_every_match_of_an_expression_must_hold(pattern: str, literal: str) -> None:
    assert deep.longest_literal(pattern) == literal


def test_accented_words_promise_no_bytes() -> None:
    """They may be written in other ways."""
    assert deep.spellings("café") == ()


def test_needles_of_a_query_are_pieces_without_blanks() -> None:
    wanted = deep.Wanted(parse('"exact words" word').wanted, frozenset({"tool"}))
    assert deep.needles(wanted) == [(b"exact",), (b"words",), of_word("word")]
