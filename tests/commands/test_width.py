"""Lines for people at a terminal of eighty columns: broken between words, or cut, and nothing lost that is not said."""

from __future__ import annotations

import re

import pytest

from sessionbrowser.commands import output
from sessionbrowser.paths import Environment
from sessionbrowser.text import cells

from .conftest import FIRST, Sb, Write

LOGIN = "e2e674a8"
COLOUR = re.compile("\x1b\\[[0-9;]*m")


@pytest.fixture
def narrow(env: Environment, monkeypatch: pytest.MonkeyPatch) -> Environment:
    """A terminal of eighty columns."""
    monkeypatch.setattr(output, "on_terminal", lambda: True)
    return env._replace(variables={**env.variables, "COLUMNS": "80", "TERM": "xterm"})


def too_wide(text: str) -> list[str]:
    """The lines that a terminal would break, but for those of one long word."""
    return [line for line in COLOUR.sub("", text).splitlines() if cells(line) > 80 and " " in line.strip()]


@pytest.mark.parametrize(
    "arguments",
    [("stats",), ("doctor",), ("doctor", LOGIN), ("search", "the"), ("search", "the", "--context", "2"), ("search", "the", "--view", "row"), ("search", "--keywords", "login,refresh"), ("tree", LOGIN)],
    ids=" ".join,
)
def test_no_line_is_wider_than_the_terminal(sb: Sb, narrow: Environment, arguments: tuple[str, ...]) -> None:
    """Of any answer that is made of sentences."""
    ran = sb(*arguments, "--demo", env=narrow)
    assert (ran.code, too_wide(ran.out)) == (0, [])


@pytest.mark.parametrize("arguments", [("--view", "row", "the", "--limit", "0"), ("--keywords", "login,refresh,the")], ids=" ".join)
def test_columns_are_columns_on_a_terminal_and_tabs_elsewhere(sb: Sb, env: Environment, narrow: Environment, monkeypatch: pytest.MonkeyPatch,
                                                             arguments: tuple[str, ...]) -> None:  # fmt: skip
    """A number ends where those above it end."""
    lines = COLOUR.sub("", sb("search", *arguments, "--demo", env=narrow).out).splitlines()
    found = [re.match(r" *\d+", line) for line in lines]
    assert len({match.end() for match in found if match}) == 1 and "\t" not in "".join(lines)
    monkeypatch.setattr(output, "on_terminal", lambda: False)
    assert all(re.match(r"\d+\t", line) for line in sb("search", *arguments, "--demo", env=env).out.splitlines())


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_signs_are_those_of_the_locale(sb: Sb, env: Environment, monkeypatch: pytest.MonkeyPatch, locale: str) -> None:
    """Between facts, before lines that went, where something was cut: in a list, a tree, a transcript."""
    monkeypatch.setattr(output, "on_terminal", lambda: True)
    env = env._replace(variables={**env.variables, "COLUMNS": "80", "TERM": "xterm", "LC_ALL": locale})
    asked = (("list",), ("tree", LOGIN, "--files"), ("stats", "--by", "file"), ("timeline", "--kind", "tools"), ("show", LOGIN, "--no-pager"))
    out = "".join(sb(*words, "--demo", env=env).out for words in asked)
    assert (re.search("[·→−…×✗✓│]", out) is None) is (locale == "C")


def test_a_long_title_gives_way_in_a_tree(sb: Sb, write: Write, narrow: Environment) -> None:
    """What was spent is still told, at the end of the line."""
    write(FIRST, title="a" * 79)
    line = COLOUR.sub("", sb("tree", FIRST, env=narrow).out).splitlines()[0]
    assert line == f"✓ {'a' * 64}…  15 tok · 5s"


@pytest.mark.parametrize("arguments", [("stats", "--by", "source"), ("doctor",), ("search", "login")], ids=" ".join)
def test_the_words_are_the_same_elsewhere(sb: Sb, env: Environment, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    """Folding takes none away and breaks none; where there is no terminal a line stays one."""
    whole = sb(*arguments, "--demo", env=env._replace(variables={**env.variables, "COLUMNS": "80"})).out
    assert max(map(cells, whole.splitlines())) > 80
    monkeypatch.setattr(output, "on_terminal", lambda: True)
    folded = COLOUR.sub("", sb(*arguments, "--demo", env=env._replace(variables={**env.variables, "COLUMNS": "80"})).out)
    hits = [line for line in whole.splitlines() if line.startswith("  ")] if arguments[0] == "search" else whole.split("\n\n")[0].splitlines()
    joined = " ".join(folded.split())
    assert all(" ".join(line.split()) in joined for line in hits if "terminal" not in line)
