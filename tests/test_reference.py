"""The README's reference is true: every command and every view, with what it prints."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import reference

from sessionbrowser import cli
from sessionbrowser.commands import options
from sessionbrowser.export.views import VIEWS
from sessionbrowser.library import Library


@pytest.fixture(autouse=True)
def _zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    time.tzset()


def test_what_the_reference_prints_is_what_is_printed() -> None:
    """When this fails after a change that is meant: python -m tests.reference"""
    told, real = reference.stored().split("\n"), reference.table().split("\n")
    for line in real:
        assert line in told, line
    assert told == real


def test_the_reference_stands_on_the_sessions_of_the_demo(tmp_path: Path) -> None:
    """All of them: its figures are those that `--demo` prints."""
    own = reference.environment(tmp_path)
    same = options.demo(own._replace(home=str(tmp_path)))
    assert [row.identity for row in Library(own).sessions()] == [row.identity for row in Library(same).sessions()]


def test_every_command_and_view_is_in_the_reference() -> None:
    """But for the screen."""
    commands = {row.command.split()[1] for row in reference.ROWS}
    here = {item.name for item in cli.COMMANDS if (Path(cli.__file__).parent / "commands" / f"{item.module}.py").exists()}
    assert commands == here - {"browse"}
    shown = " ".join(row.command for row in reference.ROWS) + " "
    assert [view for view in VIEWS if view != "full" and f"--view {view} " not in shown] == []
