"""What nobody foresaw: names no file can have, mistakes of ours, stores that may not be entered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sessionbrowser.commands import path as path_command
from sessionbrowser.library import Library
from sessionbrowser.paths import Environment
from sessionbrowser.sources import locked
from tests.commands.conftest import FIRST, SECOND, Sb, Write

NUL = "/home/ada/src/a\0pi"


@pytest.fixture
def odd(write: Write) -> None:
    """One session of a directory there can't be, and another."""
    write(FIRST, cwd=NUL)
    write(SECOND)


@pytest.mark.parametrize("arguments", [("list", "--json"), ("list", "--json", "--all", "--exact"), ("show", FIRST, "--format", "json"), ("doctor", FIRST, "--json"), ("pick", "-f", "", "--print", "json"), ("list", "--format", "{id} {command}")])  # fmt: skip
def test_a_directory_there_cannot_be_costs_no_command_its_answer(odd: None, sb: Sb, arguments: tuple[str, ...]) -> None:
    """The others are listed as ever, and nothing is raised."""
    ran = sb(*arguments)
    assert ran.code == 0
    assert FIRST in ran.out
    assert "Traceback" not in ran.err


def test_a_directory_there_cannot_be_makes_resume_null(odd: None, sb: Sb) -> None:
    """The directory is told as it was recorded."""
    rows = {row["id"]: row for row in sb("list", "--json").json()["sessions"]}
    assert rows[FIRST]["resume"] is None
    assert rows[FIRST]["cwd"] == NUL
    assert rows[SECOND]["resume"]["argv"] == ["claude", "--resume", SECOND]


@pytest.mark.parametrize("how", ["--print", "--json"])
def test_resuming_in_a_directory_there_cannot_be_is_refused_with_its_reason(odd: None, sb: Sb, how: str) -> None:
    """One line, exit 2."""
    ran = sb("resume", FIRST, how)
    assert ran.code == 2
    assert ran.err == "sb: the recorded directory has a NUL in its name: there can be none like that; --in DIR takes another one\n"


def test_resuming_elsewhere_is_possible_all_the_same(odd: None, sb: Sb, home: Path) -> None:
    """With --in the recorded directory does not matter."""
    assert sb("resume", FIRST, "--json", "--in", str(home)).json()["cwd"] == str(home)


def test_a_mistake_of_ours_is_one_line_and_exit_2(write: Write, sb: Sb, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never a traceback, and never the status of "nothing matched"."""
    write(FIRST)
    monkeypatch.setattr(path_command, "run", lambda args, env: 1 // 0)
    ran = sb("path", FIRST)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "sb: something went wrong that should not have: ZeroDivisionError: integer division or modulo by zero (SB_DEBUG=1 tells where)\n"


def test_sb_debug_gives_the_traceback(write: Write, sb: Sb, monkeypatch: pytest.MonkeyPatch) -> None:
    """For whoever mends it."""
    write(FIRST)
    monkeypatch.setenv("SB_DEBUG", "1")
    monkeypatch.setattr(path_command, "run", lambda args, env: 1 // 0)
    ran = sb("path", FIRST)
    assert ran.code == 2
    assert "Traceback" in ran.err


@pytest.fixture
def shut(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of Claude Code that belongs to somebody else, also for root."""
    folder = home / ".claude"
    (folder / "projects").mkdir(parents=True)
    real_stat, real_access, real_isdir = os.stat, os.access, os.path.isdir

    def inside(path: object) -> bool:
        return str(path).startswith(str(folder) + os.sep)

    def stat(path: object, *rest: object, **named: object) -> os.stat_result:
        if inside(path):
            raise PermissionError(13, "Permission denied", str(path))
        return real_stat(path, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", stat)
    monkeypatch.setattr(os.path, "isdir", lambda path: not inside(path) and real_isdir(path))
    monkeypatch.setattr(os, "access", lambda path, *rest, **named: str(path) != str(folder) and real_access(path, *rest, **named))
    return folder


def test_a_store_that_may_not_be_entered_is_no_absent_one(shut: Path, sb: Sb) -> None:
    """A line on stderr, a row of `unreadable`, exit 2: nothing at all could be read."""
    ran = sb("list", "--json")
    assert ran.code == 2
    assert ran.json()["unreadable"] == [{"path": str(shut), "reason": "permission denied"}]
    assert ran.err == "sb: ~/.claude: permission denied\n"


def test_what_else_is_there_is_listed(shut: Path, sb: Sb, home: Path) -> None:
    """Exit 0: something could be read."""
    folder = home / ".codex" / "sessions" / "2026" / "05" / "01"
    folder.mkdir(parents=True)
    name = "01a20000-0000-7000-8000-000000000001"
    meta = '{"timestamp":"2026-05-01T10:00:00.000Z","type":"session_meta","payload":{"id":"NAME","cwd":"/home/ada","originator":"codex_cli_rs"}}\n'.replace("NAME", name)
    said = '{"timestamp":"2026-05-01T10:00:01.000Z","type":"event_msg","payload":{"type":"user_message","message":"do it"}}\n'
    (folder / f"rollout-2026-05-01T10-00-00-{name}.jsonl").write_text(meta + said)
    ran = sb("list", "--json")
    assert ran.code == 0
    assert [row["id"] for row in ran.json()["sessions"]] == [name]
    assert ran.err == "sb: ~/.claude: permission denied\n"


def test_doctor_says_unreadable(shut: Path, sb: Sb) -> None:
    """The state of its root, not "not found"."""
    report = sb("doctor", "--json")
    claude = next(source for source in report.json()["sources"] if source["name"] == "claude")
    assert [(root["path"], root["state"]) for root in claude["roots"]] == [(str(shut), "unreadable")]
    assert report.code == 2


def test_a_locked_folder_of_everybody_says_nothing_of_an_agent(env: Environment, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """~/.config holds other things too."""
    (home / ".config").mkdir()
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, *rest, **named: not str(path).endswith(".config") and real(path, *rest, **named))
    assert locked.locked(env, ["claude"]) == []


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may enter every folder")
def test_a_folder_without_permission_is_found_locked(env: Environment, home: Path) -> None:
    """The same with the real thing."""
    (home / ".claude").mkdir()
    (home / ".claude").chmod(0)
    try:
        assert [item.path for item in locked.locked(env, ["claude"])] == [str(home / ".claude")]
    finally:
        (home / ".claude").chmod(0o700)


def test_the_screen_is_told_of_it_too(shut: Path, env: Environment) -> None:
    """By the same event as of other places that can't be read."""
    library = Library(env, cache=False)
    list(library.load())
    assert [item.path for item in library.trouble] == [str(shut)]


@pytest.mark.parametrize("arguments", [("pick", "-f", ""), ("list", "--format", "{command}"), ("resume", FIRST, "--print", "--in", "/")], ids=lambda arguments: arguments[0])
def test_a_line_for_the_shell_holds_the_very_directory_and_nothing_unseen(write: Write, sb: Sb, env: Environment, arguments: tuple[str, ...]) -> None:
    """Not another one that only looks the same, whatever prints it."""
    write(FIRST, cwd="/tmp/a\u202eb\u2028c\u200bd")
    line = sb(*arguments, env=env._replace(variables={**env.variables, "SHELL": "/bin/bash"})).out.rstrip("\n")
    wanted = "/" if "--in" in arguments else r"$'/tmp/a\342\200\256b\342\200\250c\342\200\213d'"
    assert line == f"cd {wanted} && claude --resume {FIRST}"


@pytest.mark.parametrize("arguments", [("list", "--tsv"), ("list", "--json"), ("show", FIRST), ("show", FIRST, "--format", "html"), ("show", FIRST, "--format", "markdown"), ("show", FIRST, "--format", "json")])  # fmt: skip
def test_nothing_invisible_is_printed(write: Write, sb: Sb, arguments: tuple[str, ...]) -> None:
    """Blanks without width and tags hide words from who reads; the joiners stay, emoji are made with them."""
    write(FIRST, prompt="a\u200bb\ufeffc\U000e0041\U000e0100d\u2060 \U0001f468\u200d\U0001f4bb")
    out = sb(*arguments).out
    assert "abcd \U0001f468\u200d\U0001f4bb" in out
    assert not set(out) & set("\u200b\ufeff\U000e0041\U000e0100\u2060")


def test_a_cache_there_cannot_be_is_said_in_words(write: Write, sb: Sb, env: Environment, home: Path) -> None:
    """Where it would be, and why it is not; the answer comes all the same."""
    write(FIRST, prompt="mend the login test")
    (home / "file").write_text("")
    ran = sb("search", "login", env=env._replace(variables={**env.variables, "SB_CACHE_DIR": str(home / "file" / "cache")}))
    assert (ran.code, ran.err) == (0, "sb: the index in ~/file/cache can't be used (not a directory); searching the files themselves\n")
    assert "mend the login test" in ran.out
