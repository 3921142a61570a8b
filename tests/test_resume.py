"""The line that goes back into a session: one word stays one word in every shell, and nothing in it is run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser import resume as way_back
from sessionbrowser.model import Resume, Session
from sessionbrowser.paths import Environment
from sessionbrowser.text import ODD

NASTY = ["it's", 'say "hi"', "$(touch x)", "`id`", "a;b", "a&&b", "-rf", "new\nline", "tab\there", "ümlaut", "", "*", "~", "#x", "!hist", "a\\b", "\x1b[31m", "%PATH%", "{a,b}", "a\u202eb\u2066c", "a\u2028b\u2029c", "a\u200bb\ufeff1", "a\U000e0041b", "\x851"]  # fmt: skip


def env(shell: str = "/bin/bash", platform: str = "linux", **variables: str) -> Environment:
    return Environment("/home/ada", {"SHELL": shell, **variables}, "/home/ada", platform)


@pytest.mark.parametrize("word", NASTY)
@pytest.mark.parametrize(("program", "kind"), [("bash", way_back.POSIX), ("fish", way_back.FISH), ("zsh", way_back.POSIX)])
def test_a_word_reaches_the_program_as_it_is(word: str, program: str, kind: str) -> None:
    """Tried on the shells that are here."""
    shell = shutil.which(program)
    if shell is None:
        pytest.skip(f"{program} is not installed")
    line = way_back.join(["printf", "%s", word], kind)
    assert not ODD.search(line)
    ran = subprocess.run([shell, "-c", line], capture_output=True, check=True)
    assert ran.stdout.decode() == word


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20), min_size=1, max_size=3))
def test_any_words_reach_bash_as_they_are(words: list[str]) -> None:
    """However odd."""
    line = way_back.join(["printf", "%s\\0", *words])
    assert not ODD.search(line)
    ran = subprocess.run(["bash", "-c", line], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    assert ran.stdout.decode().split("\0")[:-1] == words


@pytest.mark.parametrize(
    ("surroundings", "line"),
    [
        (env(), "cd '/my src' && claude --resume abc"),
        (env("/usr/bin/fish"), "cd '/my src' && claude --resume abc"),
        (env("/usr/bin/pwsh"), "Set-Location -LiteralPath '/my src'; if ($?) { claude --resume abc }"),
        (env("", "win32", PSModulePath="x"), "Set-Location -LiteralPath '/my src'; if ($?) { claude --resume abc }"),
        (env("", "win32"), 'cd /d "/my src" && claude --resume abc'),
    ],
)
def test_the_line_is_for_the_persons_own_shell(surroundings: Environment, line: str) -> None:
    """POSIX, fish, PowerShell, cmd."""
    assert way_back.command(Resume(("claude", "--resume", "abc"), "/my src"), surroundings) == line


def test_what_has_to_run_before_runs_before_the_directory_is_entered() -> None:
    """Unarchiving, or making the directory."""
    resume = Resume(("codex", "resume", "x"), "/w", before=(("codex", "unarchive", "x"),))
    assert way_back.command(resume, env()) == "codex unarchive x && cd /w && codex resume x"


def test_a_directory_that_is_there_is_not_gone(tmp_path: Path) -> None:
    """Nor is one that nobody recorded."""
    assert not way_back.is_gone(Resume(("x",), str(tmp_path)))
    assert not way_back.is_gone(Resume(("x",), None))
    assert way_back.is_gone(Resume(("x",), str(tmp_path / "gone")))


def test_a_worktree_can_be_made_again_from_its_branch(tmp_path: Path) -> None:
    """The line works: the directory is there afterwards, on that branch."""
    repository, gone = tmp_path / "api", tmp_path / "api-login"
    git = ["git", "-c", "user.name=ada", "-c", "user.email=ada@example.org", "-C", str(repository)]
    subprocess.run(["git", "init", "-q", "-b", "main", str(repository)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "begin"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", "-b", "login", str(gone)], check=True, capture_output=True)
    shutil.rmtree(gone)
    session = Session("abc", "claude", "/x", branch="login")
    again, main, above = way_back.ways(str(gone), session, env())
    assert (main.cwd, above.cwd) == (str(repository), str(tmp_path))
    resume = way_back.through(Resume(("git", "branch", "--show-current"), str(gone)), again)
    line = way_back.command(resume, env())
    ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "login"


def test_a_branch_that_is_gone_too_is_made_again(tmp_path: Path) -> None:
    """With -b."""
    (tmp_path / "api" / ".git").mkdir(parents=True)
    gone = str(tmp_path / "api" / ".claude" / "worktrees" / "x")
    again = way_back.ways(gone, Session("abc", "claude", "/x", branch="x"), env())[0]
    assert again.before[0][3:] == ("worktree", "add", "-b", "x", "--", gone)


def test_without_a_repository_there_is_the_nearest_folder(tmp_path: Path) -> None:
    """And nothing is promised that can't be kept."""
    (only,) = way_back.ways(str(tmp_path / "a" / "b"), Session("abc", "claude", "/x", branch="main"), env())
    assert only.cwd == str(tmp_path)


def test_where_nothing_is_left_above_there_is_the_home_and_the_root(tmp_path: Path) -> None:
    """A directory of another machine: the session can be resumed all the same."""
    here = env()._replace(home=str(tmp_path))
    found = way_back.ways("/no-such-folder-of-ada/src", Session("abc", "claude", "/x"), here)
    assert [way.cwd for way in found] == [str(tmp_path), "/"]
    assert [way.cwd for way in way_back.ways("src/api", Session("abc", "claude", "/x"), here)] == [str(tmp_path)]


def test_an_argument_that_names_the_directory_moves_with_it() -> None:
    """OpenCode is told the directory by position; other words stay."""
    resume = Resume(("opencode", "/gone", "--session", "ses_one"), "/gone", before=(("x", "/gone"),))
    assert way_back.in_folder(resume, "/tmp").argv == ("opencode", "/tmp", "--session", "ses_one")
    moved = way_back.through(resume, way_back.Way("there", "/srv", (("make",),)))
    assert (moved.argv, moved.cwd, moved.before) == (("opencode", "/srv", "--session", "ses_one"), "/srv", (("make",), ("x", "/gone")))


def test_a_program_that_is_not_installed(tmp_path: Path) -> None:
    """Is told apart."""
    here = env(PATH=str(tmp_path))
    assert way_back.program_of(Resume(("claude",)), here) == ""
    (tmp_path / "claude").write_text("#!/bin/sh\n")
    (tmp_path / "claude").chmod(0o755)
    assert way_back.program_of(Resume(("claude",)), here) == str(tmp_path / "claude")


def test_a_name_that_is_no_unicode_is_written_as_its_bytes() -> None:
    """A single byte of C1 drives some terminals."""
    assert way_back.quote("/tmp/\udc9bx") == "$'/tmp/\\233x'"
    assert way_back.quote("/tmp/\udc9bx", way_back.FISH) == "'/tmp/'\\X9b'x'"


def test_powershell_is_given_numbers_for_what_cannot_be_seen() -> None:
    """It has no escapes in single quotes."""
    assert way_back.quote("a\u202e'b", way_back.POWERSHELL) == "('' + 'a' + [char]0x202e + '''b')"
    assert way_back.quote("\U000e0041", way_back.POWERSHELL) == "('' + [char]0xdb40 + [char]0xdc41)"
    assert way_back.quote("", way_back.POWERSHELL) == "''"
