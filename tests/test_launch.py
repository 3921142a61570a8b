"""Programs a person asked for, as argument lists."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sessionbrowser import launch
from sessionbrowser.paths import Environment


def env(**variables: str) -> Environment:
    return Environment("/home/ada", variables, "/home/ada", "linux")


def test_becoming_a_program_runs_it_in_its_directory(tmp_path: Path) -> None:
    """With its arguments as they are."""
    program = tmp_path / "agent"
    program.write_text('#!/bin/sh\npwd\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    code = (
        "from sessionbrowser import launch; from sessionbrowser.paths import Environment;"
        f"launch.become(['agent', '--resume', 'a b'], {str(tmp_path)!r}, Environment('/', {{'PATH': {str(tmp_path)!r}}}, '/'))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [str(tmp_path), "--resume", "a b"]


def test_a_program_that_is_not_there() -> None:
    """Says so."""
    with pytest.raises(launch.NotStarted, match="not installed"):
        launch.become(["no-such-agent"], None, env(PATH="/nowhere"))


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    """Says so."""
    with pytest.raises(launch.NotStarted, match="can't be entered"):
        launch.become(["sh"], str(tmp_path / "gone"), env(PATH="/usr/bin:/bin"))


@pytest.mark.parametrize(
    ("variables", "argv"),
    [
        ({}, ["less", "-R", "-F", "-X"]),
        ({"LESS": "-S"}, ["less"]),
        ({"PAGER": "more -d"}, ["more", "-d"]),
        ({"PAGER": "cat"}, []),
        ({"PAGER": ""}, []),
        ({"PAGER": "less", "SB_PAGER": "bat --plain"}, ["bat", "--plain"]),
    ],
)
def test_the_pager_is_the_persons_own(variables: dict[str, str], argv: list[str]) -> None:
    """SB_PAGER, PAGER, less."""
    assert launch.pager(env(**variables)) == argv


def test_the_pager_gets_the_text(tmp_path: Path) -> None:
    """On its standard input."""
    pager = tmp_path / "pager"
    pager.write_text(f"#!/bin/sh\ncat > {tmp_path}/shown\n")
    pager.chmod(0o755)
    assert launch.page(b"hello", env(PAGER=str(pager), PATH="/usr/bin:/bin"))
    assert (tmp_path / "shown").read_bytes() == b"hello"


def test_a_pager_that_is_left_early_is_no_error() -> None:
    """The reader had enough."""
    assert launch.page(b"x" * 1_000_000, env(PAGER="true", PATH="/usr/bin:/bin"))


def test_without_a_pager_nothing_is_shown() -> None:
    """And whoever asked prints it themselves."""
    assert not launch.page(b"hello", env(PAGER="no-such-pager", PATH="/nowhere"))


def test_tmux_expands_nothing_in_a_directory(tmp_path: Path) -> None:
    """#(…) is doubled: tmux would run it."""
    argv = launch.tmux_window(["claude", "--resume", "x"], f"{tmp_path}/#(touch evil)")
    assert argv == ["tmux", "new-window", "-c", f"{tmp_path}/##(touch evil)", "--", "claude", "--resume", "x"]


def test_tmux_runs_one_word_without_a_shell() -> None:
    """A single argument it would hand to one."""
    assert launch.tmux_window(["a;b"], None)[-2:] == ["env", "a;b"]


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_a_tmux_window_opens_in_a_folder_with_an_odd_name(tmp_path: Path) -> None:
    """And runs nothing of the name."""
    folder = tmp_path / "#(touch evil)"
    folder.mkdir()
    socket = str(tmp_path / "socket")
    subprocess.run(["tmux", "-S", socket, "new-session", "-d", "sleep 20"], check=True)
    try:
        argv = launch.tmux_window(["sh", "-c", f"pwd > {tmp_path}/where; touch {tmp_path}/done"], str(folder))
        subprocess.run([argv[0], "-S", socket, *argv[1:]], check=True)
        for _ in range(100):
            if (tmp_path / "done").exists():
                break
            subprocess.run(["sleep", "0.02"], check=True)
        assert (tmp_path / "where").read_text() == f"{folder}\n"
        assert not (tmp_path / "evil").exists()
    finally:
        subprocess.run(["tmux", "-S", socket, "kill-server"], check=True)
