"""The README says what is there, and what it says is there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from sessionbrowser import cli, config
from sessionbrowser.paths import Environment
from sessionbrowser.query.fields import FIELDS

REPOSITORY = Path(__file__).resolve().parent.parent
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", README, re.M | re.S)
    assert found is not None
    return found[1]


def test_there_are_exactly_two_set_up_commands() -> None:
    """One that installs and runs, one that installs and tests; both make an environment of their own."""
    run, test = re.findall(r"```sh\n(.+?)\n```", section("Set-up"), re.S)
    assert "\n" not in run + test
    assert run.startswith("python3 -m venv ") and run.endswith("/bin/sb")
    assert test.startswith("python3 -m venv ") and test.endswith("pytest -n auto")


def test_every_command_is_in_the_readme() -> None:
    """But for the screen, which is plain `sb`; and no other."""
    here = {item.name for item in cli.COMMANDS if (REPOSITORY / "sessionbrowser" / "commands" / f"{item.module}.py").exists()}
    described = set(re.findall(r"^\| `sb (\w+)", section("Without a screen"), re.M))
    assert here - {"browse"} <= described <= {item.name for item in cli.COMMANDS}


def test_every_field_of_the_box_is_in_the_readme() -> None:
    """With an example."""
    described = set(re.findall(r"`(\w+):[^`]+`", section("The screen")))
    assert described == {spec.name for spec in FIELDS}


def test_the_configuration_in_the_readme_is_the_whole_of_it(env: Environment) -> None:
    """And nothing in it is a problem."""
    (block,) = re.findall(r"```toml\n(.+?)\n```", section("Configuration"), re.S)
    found, problems = config.read(tomllib.loads(block), env)
    assert problems == []
    assert set(tomllib.loads(block)) == set(config._READERS)
    assert found.roots[1].always
