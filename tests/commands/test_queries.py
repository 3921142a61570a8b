"""Queries on the command line: what can't be read is said, what is hidden and asked for is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessionbrowser.commands import browse
from tests.commands.conftest import FIRST, SECOND, Sb, Write

ASKING = [("list",), ("search",), ("pick", "-f")]


@pytest.mark.parametrize("command", ASKING, ids=lambda command: command[0])
@pytest.mark.parametrize(("query", "message"), [
    ("/unfin(", "the expression is not finished (character 1 of the query)"),
    ('""', "there is nothing between the quotes (character 1 of the query)"),
    ('fix "', "there is nothing between the quotes (character 5 of the query)"),
    ("source:", "source: has no value that can be read (character 1 of the query)"),
    ("after:2", "after: has no value that can be read (character 1 of the query)"),
    ("foo:bar", 'there is no field foo: (put it in quotes to look for the text) (character 1 of the query)'),
    ("modle:opus", "there is no field modle:, did you mean model:? (put it in quotes to look for the text) (character 1 of the query)"),
])  # fmt: skip
def test_a_query_that_cannot_be_read_is_one_line_and_exit_2(write: Write, sb: Sb, command: tuple[str, ...], query: str, message: str) -> None:
    """With its place, whatever asks."""
    write(FIRST)
    ran = sb(*command, query)
    assert (ran.code, ran.out, ran.err) == (2, "", f"sb: {message}\n")


@pytest.mark.parametrize("query", ['"do it', '"do it"', "/d. it/", "do -nothing", "source:claude,", "source:cl"])
def test_what_says_enough_is_taken_as_meant(write: Write, sb: Sb, query: str) -> None:
    """Quotes that stay open, beginnings of choices."""
    write(FIRST)
    assert FIRST in sb("list", query).out


@pytest.mark.parametrize("query", ["localhost:8080", "main:12", "std::move", "http://a.b", "Error:x", '"foo:bar"'])
def test_texts_with_a_colon_are_texts(write: Write, sb: Sb, query: str) -> None:
    """Ports, places in files, addresses, exceptions."""
    write(FIRST, prompt=f"look at {query.strip(chr(34))} please")
    assert FIRST in sb("list", query).out


@pytest.mark.parametrize("command", [("list", "--tsv"), ("search",)], ids=lambda command: command[0])
def test_nothing_found_says_what_was_not_searched(write: Write, sb: Sb, command: tuple[str, ...]) -> None:
    """An error somebody pastes stands in a tool's output."""
    write(FIRST)
    ran = sb(*command, '"No such file"')
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "sb: nothing matches; the input and output of tools was not searched: in:tools does that\n"


@pytest.mark.parametrize("query", ["in:tools nowhere", "project:nowhere", "tool:Bash nowhere"])
def test_no_hint_is_given_where_tools_were_searched_or_no_words_asked(write: Write, sb: Sb, query: str) -> None:
    """It is for words that were not looked for there; that nothing matches is said of every query."""
    write(FIRST)
    ran = sb("list", query)
    assert (ran.code, ran.err) == (1, "sb: nothing matches\n")


def test_where_there_are_no_sessions_none_are_looked_for_elsewhere(sb: Sb) -> None:
    """Words are not in tools either."""
    assert sb("list", "flaky") == (1, "", "sb: nothing matches; there are no sessions at all: sb doctor says where they were looked for\n")


@pytest.mark.parametrize("word", ["-is:finished", "-has:error", "-flaky"])
@pytest.mark.parametrize("command", ["list", "search", "stats"])
def test_a_query_that_begins_with_a_minus_is_shown_its_place(sb: Sb, command: str, word: str) -> None:
    """It looks like an option."""
    ran = sb(command, word)
    assert (ran.code, ran.err) == (2, f"sb: {word} is no option; a query that begins with a minus stands behind -- (sb {command} --help says more)\n")


@pytest.mark.parametrize("command", [("list", "--format", "{id}"), ("search", "--view", "row"), ("pick", "--print", "id", "-f")], ids=lambda command: command[0])
def test_archived_sessions_are_shown_to_who_asks_for_them(write: Write, sb: Sb, home: Path, command: tuple[str, ...]) -> None:
    """They are hidden from everybody else."""
    write(FIRST)
    archived = home / ".codex" / "archived_sessions"
    archived.mkdir(parents=True)
    name = "01a20000-0000-7000-8000-000000000001"
    records = [
        {"timestamp": "2026-05-01T10:00:00.000Z", "type": "session_meta", "payload": {"id": name, "cwd": "/home/ada", "originator": "codex_cli_rs"}},
        {"timestamp": "2026-05-01T10:00:01.000Z", "type": "event_msg", "payload": {"type": "user_message", "message": "do it"}},
    ]
    (archived / f"rollout-2026-05-01T10-00-00-{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    assert json.loads(sb("list", "--jsonl").out.splitlines()[-1])["hidden"] == {"archived": 1}
    ran = sb(*command, "is:archived")
    assert ran.code == 0
    assert "01a20000" in ran.out and FIRST[:8] not in ran.out


def test_a_pasted_directory_finds_the_sessions_below_it(write: Write, sb: Sb) -> None:
    """As `dir:` does."""
    write(FIRST, cwd="/srv/qww.JFCi/proj")
    write(SECOND, cwd="/srv/other")
    assert [line.split("\t")[2] for line in sb("list", "/srv/qww.JFCi").out.splitlines()] == [FIRST]


def test_limit_0_is_no_limit_everywhere(write: Write, sb: Sb) -> None:
    """In list as in search."""
    write(FIRST, prompt="do it")
    write(SECOND, prompt="do it again")
    assert len(sb("list", "--tsv", "--limit", "0").out.splitlines()) == 2
    assert len(sb("list", "--json", "--limit", "0").json()["sessions"]) == 2
    assert sb("search", "do it", "--json", "--limit", "0").json()["total"] == 2


@pytest.mark.parametrize("last", ["0", "-1"])
def test_the_last_0_turns_are_refused(write: Write, sb: Sb, last: str) -> None:
    """They would be everything, or nothing."""
    write(FIRST)
    ran = sb("show", FIRST, "--last", last)
    assert (ran.code, ran.out, ran.err) == (2, "", "sb: --last wants a number of turns, 1 or more\n")


@pytest.mark.parametrize("name", ["zzz", "here", "dep"])
def test_a_saved_query_there_is_not_is_said(write: Write, sb: Sb, tmp_path: Path, name: str) -> None:
    """Nobody goes on typing: the beginning of a name is none either."""
    write(FIRST)
    config = tmp_path / "config.toml"
    config.write_text('[queries]\ndeps = "branch:deps"\n')
    for command in ("list", "search"):
        ran = sb(command, "--config", str(config), f"@{name}")
        assert (ran.code, ran.err) == (1, f"sb: nothing matches; no saved query is called {name}\n")


def test_a_word_that_begins_like_a_name_is_a_word(write: Write, sb: Sb) -> None:
    """It is looked for like any other."""
    write(FIRST, prompt="update @types/node and ask @ada")
    assert FIRST in sb("list", "@types/node").out
    assert FIRST in sb("list", "@ada").out


@pytest.mark.parametrize("words", [
    ("do", "--limit", "5", "id:1111"), ("--limit", "5", "do", "--all", "id:1111"), ("do", "--limit", "5", "--", "-nothing", "id:1111"),
])  # fmt: skip
def test_words_may_stand_behind_options(write: Write, sb: Sb, words: tuple[str, ...]) -> None:
    write(FIRST)
    write(SECOND)
    ran = sb("list", *words)
    assert (ran.code, FIRST in ran.out, SECOND in ran.out) == (0, True, False)
    assert FIRST in sb("search", *words).out


def test_an_unknown_option_behind_words_is_still_one(write: Write, sb: Sb) -> None:
    write(FIRST)
    ran = sb("list", "do", "--limit", "5", "it", "--nonsense")
    assert (ran.code, ran.out, ran.err) == (2, "", "sb: unrecognized arguments: it --nonsense (sb list --help says more)\n")


def test_a_command_of_one_session_takes_no_second_one(write: Write, sb: Sb) -> None:
    write(FIRST)
    ran = sb("path", FIRST, "--no-cache", SECOND)
    assert (ran.code, ran.err) == (2, f"sb: unrecognized arguments: {SECOND} (sb path --help says more)\n")


def test_what_stands_behind_two_dashes_is_a_query_for_the_screen(sb: Sb, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a command, too: that is where the words that refuse one with a minus lead."""
    asked: list[object] = []
    monkeypatch.setattr(browse, "run", lambda args, env: asked.append(args.query) or 0)
    sb("--", "-has:error", "login")
    sb("browse", "--", "-has:error", "login")
    assert asked == [["-has:error", "login"]] * 2
