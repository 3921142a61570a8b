"""The configuration file: what it may hold, and that nothing in it is fatal."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessionbrowser import config
from sessionbrowser.config import Config, NamedRoot
from sessionbrowser.paths import Environment


def written(home: Path, text: str, env: Environment) -> Config:
    folder = home / ".config" / "sessionbrowser"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_bytes(text.encode())
    return config.load(env)


def test_without_a_file_everything_is_as_it_comes(env: Environment) -> None:
    """And that is no problem."""
    assert config.load(env) == Config()


def test_everything_it_may_hold(home: Path, env: Environment) -> None:
    """Each in its own form."""
    found = written(
        home,
        """
        theme = "light"
        glyphs = "ascii"
        mouse = false
        sources = ["claude", "codex"]
        [keys]
        "browser.quit" = "q,ctrl+q"
        transcript.fold = "space"
        [roots]
        old = "~/old-claude"
        work = { path = "/mnt/work", always = true }
        [privacy]
        exclude = ["~/secret"]
        [records]
        store = "~/records"
        [queries]
        failed = "is:failed after:7d"
        """,
        env,
    )
    assert found == Config(
        theme="light", glyphs="ascii", mouse=False, sources=("claude", "codex"),
        keys={"browser.quit": "q,ctrl+q", "transcript.fold": "space"},
        roots=(NamedRoot("old", f"{home}/old-claude"), NamedRoot("work", "/mnt/work", True)),
        exclude=("~/secret",), records_store=f"{home}/records", queries={"failed": "is:failed after:7d"},
    )  # fmt: skip


def test_a_list_of_roots_is_always_looked_in(home: Path, env: Environment) -> None:
    """Named by their folders."""
    assert written(home, 'roots = ["/mnt/old/"]', env).roots == (NamedRoot("old", "/mnt/old", True),)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nonsense = 1", "unknown key 'nonsense'"),
        ('theme = "pink"', "theme: must be one of auto, dark, light, ansi, none"),
        ("keys = 3", "keys: must be a table"),
        ("mouse = 1", "mouse: must be true or false"),
        ("roots = 1", "roots: must be a list of folders or a table of names and folders"),
        ("theme = ", "Invalid value (at end of document)"),
        ("\x1b[31m = 1", "Invalid statement (at line 1, column 1)"),
    ],
)
def test_what_cannot_be_used_is_said_and_the_rest_holds(home: Path, env: Environment, text: str, problem: str) -> None:
    """One line each, with the file's name."""
    found = written(home, text, env)
    assert found.problems == (f"~/.config/sessionbrowser/config.toml: {problem}",)
    assert found._replace(problems=()) == Config()


def test_one_entry_that_cannot_be_used_does_not_spoil_its_table(home: Path, env: Environment) -> None:
    """Each is said."""
    found = written(
        home,
        """
        [prices]
        currency = "€"
        gpt-5 = { input = 1 }
        claude-sonnet = { input = 3, output = 15 }
        [keys]
        "browser.quit" = 4
        transcript.fold = "space"
        [roots]
        old = 3
        work = "/mnt/work"
        [queries]
        mine = "is:running"
        bad = 1
        """,
        env,
    )
    assert ([price.model for price in found.prices], found.currency) == (["claude-sonnet"], "€")
    assert (found.keys, found.roots, found.queries) == ({"transcript.fold": "space"}, (NamedRoot("work", "/mnt/work"),), {"mine": "is:running"})
    assert [problem.split(": ", 1)[1] for problem in found.problems] == [
        "prices: gpt-5 needs input and output, numbers that are not below zero", "keys: browser.quit must be a string of keys",
        "roots: old must be a folder", "queries: bad must be a string",
    ]  # fmt: skip


def test_a_file_that_was_asked_for_and_is_not_there(env: Environment) -> None:
    """Is said; the one that is looked for by itself need not be."""
    assert config.load(env, "/nowhere/config.toml").problems == ("/nowhere/config.toml: no such file",)
