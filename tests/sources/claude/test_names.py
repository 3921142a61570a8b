"""Names that people gave their sessions, in files of which only head and tail are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from .log import Log, source

LONG = "lorem ipsum dolor sit amet " * 4000


def named(home: Path, head: dict[str, str], tail: dict[str, str]) -> Log:
    """A long session with these name rows at its beginning and at its end."""
    log = Log(home)
    for kind, name in head.items():
        log.meta(kind, **{_KEYS[kind]: name})
    log.user("mend the parser")
    log.say(LONG)
    log.user("and the lexer")
    log.say("done")
    for kind, name in tail.items():
        log.meta(kind, **{_KEYS[kind]: name})
    return log


_KEYS = {"custom-title": "customTitle", "agent-name": "agentName", "ai-title": "aiTitle"}


def test_a_name_that_was_taken_away_is_no_title(home: Path) -> None:
    row = named(home, {"custom-title": "old"}, {"custom-title": ""}).row_of()
    assert (row.title, row.title_from) == ("mend the parser", "prompt")


def test_the_agents_name_leads_wherever_it_stands(home: Path) -> None:
    assert named(home, {"agent-name": "parser agent"}, {"custom-title": "later"}).row_of().title == "parser agent"


def test_the_agents_name_leads_when_the_file_grew(home: Path) -> None:
    log = named(home, {"agent-name": "parser agent"}, {})
    before = log.row_of()
    log.say(LONG)
    log.meta("custom-title", customTitle="later")
    assert source(home).summarise(log.handle(), before).title == "parser agent"


@pytest.mark.parametrize("name", ["Conversation", "untitled", "<b> tags"])
def test_a_name_is_shown_however_little_it_says(home: Path, name: str) -> None:
    row = named(home, {"ai-title": "Mend the parser"}, {"custom-title": name}).row_of()
    assert (row.title, row.title_from) == (name, "name")


def test_a_session_that_made_a_team_later_is_no_members(home: Path) -> None:
    log = Log(home)
    log.user("build all of it")
    log.more = {"teamName": "builders"}
    log.say("I make a team")
    assert log.row_of().hidden == ""


def test_a_session_in_which_only_commands_of_the_shell_were_run_is_shown(home: Path) -> None:
    log = Log(home)
    log.user("<bash-input>git status</bash-input>")
    log.user("<bash-stdout>clean</bash-stdout><bash-stderr></bash-stderr>")
    row = log.row_of()
    assert (row.title, row.title_from, row.hidden) == ("! git status", "bash", "")


@pytest.mark.parametrize(("again", "tag"), [(None, "release"), ("", None), ("later", "later")])
def test_what_was_known_of_a_file_is_known_when_it_grew(home: Path, again: str | None, tag: str | None) -> None:
    """Only what its new end says otherwise is forgotten."""
    log = Log(home)
    log.user("mend the parser")
    log.meta("tag", tag="release")
    log.meta("pr-link", prUrl="https://example.org/1")
    log.meta("cost-state", totalCostUSD=1.5)
    before = log.row_of()
    log.say(LONG)
    if again is not None:
        log.meta("tag", tag=again)
    facts = source(home).summarise(log.handle(), before).facts
    assert (facts.get("tag"), facts["pull_request"], facts["cost_usd"]) == (tag, "https://example.org/1", 1.5)


def test_a_session_whose_first_command_is_being_worked_on_is_shown(home: Path) -> None:
    log = Log(home)
    log.user("<command-message>deploy</command-message>\n<command-name>/deploy</command-name>")
    log.user("Deploy what is on main, step by step.", isMeta=True)
    row = log.row_of()
    assert (row.title, row.hidden, row.tail) == ("/deploy", "", "working")
