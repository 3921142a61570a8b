"""What of the configuration can't be used: told before it is used, wherever it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessionbrowser.commands.config_check import problems
from sessionbrowser.config import Config
from sessionbrowser.paths import Environment
from sessionbrowser.tui.key_check import key_problems

from .conftest import FIRST, Sb, Write

WRONG = """
nonsense = 1
[queries]
bad = "turns:lots"
good = "is:failed"
[keys]
"session.copy" = "/"
[pick]
options = "--height much"
"""


@pytest.fixture
def config(home: Path) -> Path:
    file = home / ".config" / "sessionbrowser" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(WRONG)
    return file


def test_the_doctor_tells_all_of_it(sb: Sb, config: Path) -> None:
    """What the file holds, and what only its use would show."""
    found = sb("doctor", "--json").json()["configuration"]
    assert found["path"] == str(config)
    assert [line.partition(": ")[0] for line in found["problems"]] == [
        "~/.config/sessionbrowser/config.toml", "queries", "configuration, [pick] options", "keys", "keys",
    ]  # fmt: skip
    shown = sb("doctor").out
    assert "5 problems" in shown and all(line in shown for line in found["problems"])


def test_the_doctor_is_silent_about_what_is_right(sb: Sb, config: Path) -> None:
    """And about a file that is not there."""
    config.write_text('theme = "dark"\n[queries]\ngood = "is:failed after:7d"\n[pick]\noptions = "--height 60% --print way"\n')
    assert sb("doctor", "--json").json()["configuration"] == {"path": str(config), "problems": []}
    config.unlink()
    assert sb("doctor", "--json").json()["configuration"] == {"path": None, "problems": []}


@pytest.mark.parametrize("key", ["ctrl+banana", "hold+x", "alt++x"])
def test_a_key_no_terminal_has_is_told(key: str) -> None:
    """With the action it was meant for."""
    assert key_problems({"session.resume": f"f9,{key}"}) == [f"keys: session.resume: there is no key {key!r}"]


@pytest.mark.parametrize("key", ["r", "ctrl+r", "alt+shift+f5", "question_mark", "?", "space", "shift+pageup", "ä", "+", "ctrl+full_stop", "enter"])
def test_a_key_that_can_be_pressed_is_not(key: str) -> None:
    """Characters, and names of keys."""
    assert not [line for line in key_problems({"session.resume": key}) if "there is no key" in line]


@pytest.mark.parametrize("text", ["@own", "is:failed @good", "@good"])
def test_saved_queries_inside_of_saved_queries_are_told(sb: Sb, config: Path, text: str) -> None:
    """They would be looked for as words."""
    config.write_text(f'[queries]\ngood = "is:failed"\nown = "{text}"\n')
    assert sb("doctor", "--json").json()["configuration"]["problems"] == [f"queries: own: {text.split()[-1]} is not written out inside of a saved query"]


def test_a_source_nobody_knows_is_told_and_left_out(sb: Sb, config: Path, write: Write) -> None:
    """Nothing stops for it; with none left that is known, all are looked for."""
    write(FIRST)
    config.write_text('sources = ["nope", "claude"]\n')
    said = "~/.config/sessionbrowser/config.toml: sources: no source is called nope"
    ran = sb("list", "--format", "{id}")
    assert (ran.code, ran.out, ran.err) == (0, f"{FIRST}\n", f"sb: {said}\n")
    assert sb("doctor", "--json").json()["configuration"]["problems"] == [said]
    config.write_text('sources = ["nope"]\n')
    assert sb("list", "--format", "{id}").out == f"{FIRST}\n"


@pytest.mark.parametrize("options", ["--height much", "--print nonsense", "--expect hyper-x", "--nonsense", "-mq"])
def test_wrong_options_of_the_picker_are_named_with_their_place(sb: Sb, config: Path, env: Environment, options: str) -> None:
    """The configuration, or the variable."""
    config.write_text(f'[pick]\noptions = "{options}"\n')
    ran = sb("pick", "-f", "")
    assert (ran.code, ran.out) == (2, "") and ran.err.startswith("sb: configuration, [pick] options: ")
    config.unlink()
    ran = sb("pick", "-f", "", env=env._replace(variables={**env.variables, "SB_PICK_OPTS": options}))
    assert (ran.code, ran.out) == (2, "") and ran.err.startswith("sb: SB_PICK_OPTS: ")


def test_a_saved_query_is_tried_out(env: Environment) -> None:
    """With the place of what can't be read."""
    (line,) = problems(Config(queries={"bad": "after:soonish", "good": "-is:failed", "empty": ""}), env)
    assert line.startswith("queries: bad: ") and line.endswith("(character 1)")


@pytest.mark.parametrize(("keys", "said"), [
    ({}, []),
    ({"session.resume": "r,ctrl+r"}, []),
    ({"session.copy": "/"}, ["keys: / is for session.copy and for session.box", "keys: / is for session.copy and for transcript.find"]),
    ({"session.copy": "slash", "session.box": "c", "transcript.find": "F"}, []),
    ({"list.open": "x"}, ["keys: x is for list.open and for session.hidden"]),
    ({"session.fly": "f5", "pick.fly": "f5"}, ["keys: there is no action 'session.fly'", "keys: there is no action 'pick.fly'"]),
    ({"menu.close": "q", "card.down": "n", "palette.up": "ctrl+k"}, []),
    ({"pick.down": "ctrl+c,down"}, ["keys: ctrl+c is for pick.down and for pick.cancel"]),
])  # fmt: skip
def test_keys_that_two_actions_have_are_told(keys: dict[str, str], said: list[str]) -> None:
    """Where they can meet; not those that a person gave away, and not those that meet as they come."""
    assert key_problems(keys) == said


def test_what_the_screen_says_the_doctor_says_too(env: Environment) -> None:
    """"(and 2 more: sb doctor)" keeps its word."""
    keys = {"session.fly": "f5", "list.open": "x"}
    assert problems(Config(keys=keys), env) == key_problems(keys)
    assert problems(Config(keys=keys), env, keys=False) == []
