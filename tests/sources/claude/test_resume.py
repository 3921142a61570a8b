"""The way back into a session: arguments, directory, and what is said before."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessionbrowser.model import ResumeOptions, Session
from sessionbrowser.paths import Environment
from sessionbrowser.sources.claude import SOURCE

from .log import CWD, SESSION, source


def session(**values: object) -> Session:
    path = f"/home/ada/.claude/projects/-home-ada-src-api/{SESSION}.jsonl"
    return Session(id=SESSION, source="claude", path=path, cwd=CWD, resume_cwd=CWD)._replace(**values)  # type: ignore[arg-type]


def test_the_command_and_its_directory(home: Path) -> None:
    found = source(home).resume(session(), ResumeOptions())
    assert found is not None
    assert (found.argv, found.cwd, found.warnings) == (("claude", "--resume", SESSION), CWD, ())


def test_options_become_arguments(home: Path) -> None:
    found = source(home).resume(session(), ResumeOptions(fork=True, skip_approvals=True))
    assert found is not None
    assert found.argv[3:] == ("--fork-session", "--dangerously-skip-permissions")


@pytest.mark.parametrize(
    "values",
    [{"id": "-rf"}, {"id": "notes"}, {"id": f"{SESSION}\n"}, {"root": "mirror"}, {"parent": "x"}, {"hidden": "subagent"}, {"hidden": "empty"}],
)
def test_what_cannot_be_resumed_has_no_command(home: Path, values: dict[str, object]) -> None:
    assert source(home).resume(session(**values), ResumeOptions()) is None


def test_a_directory_the_file_does_not_belong_to_is_warned_of(home: Path) -> None:
    found = source(home).resume(session(resume_cwd="/elsewhere/\x1b[31m"), ResumeOptions())
    assert found is not None
    assert len(found.warnings) == 1
    assert "\x1b" not in found.warnings[0]


def test_a_session_that_went_on_elsewhere_is_warned_of(home: Path) -> None:
    found = source(home).resume(session(hidden="superseded"), ResumeOptions())
    assert found is not None
    assert found.warnings == ("the conversation went on in another session",)


@pytest.mark.parametrize(("configured", "warnings"), [("", 1), ("/home/ada/.config/claude", 0)])
def test_a_session_of_an_older_installs_store_is_warned_of(configured: str, warnings: int) -> None:
    ada = SOURCE(Environment("/home/ada", {"CLAUDE_CONFIG_DIR": configured}, "/home/ada", "linux", 0.0))
    path = f"/home/ada/.config/claude/projects/-home-ada-src-api/{SESSION}.jsonl"
    found = ada.resume(session(path=path), ResumeOptions())
    assert found is not None
    assert len(found.warnings) == warnings
