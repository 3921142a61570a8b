"""`sb whoami`: the session around this shell, and the names that stand for sessions."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sessionbrowser.commands.whoami import by_processes
from sessionbrowser.library import Library
from sessionbrowser.paths import Environment
from sessionbrowser.processes import ancestors, open_files

from .conftest import FIRST, SECOND, Sb, Write


def test_the_variable_of_the_agent_names_it(sb: Sb, env: Environment, write: Write) -> None:
    """The id is printed, and with --json how it was told."""
    write(FIRST, title="mend it")
    there = env._replace(variables={**env.variables, "CLAUDE_CODE_SESSION_ID": FIRST})
    assert sb("whoami", env=there)[:2] == (0, f"{FIRST}\n")
    found = sb("whoami", "--json", env=there).json()
    assert (found["source"], found["title"], found["from"]) == ("claude", "mend it", "CLAUDE_CODE_SESSION_ID")


def test_a_session_without_a_file_yet_is_named_too(sb: Sb, env: Environment) -> None:
    """The agent knows better."""
    there = env._replace(variables={**env.variables, "CODEX_THREAD_ID": "019e25f0-5158-731d"})
    assert sb("whoami", env=there)[:2] == (0, "019e25f0-5158-731d\n")
    assert sb("whoami", "--json", env=there).json()["path"] is None


@pytest.mark.parametrize("value", ["-x", "a b", "a\x1b[2J", "$(id)"])
def test_a_variable_that_holds_no_id_is_not_believed(sb: Sb, env: Environment, value: str) -> None:
    """It would be an argument of the next command."""
    assert sb("whoami", env=env._replace(variables={**env.variables, "CLAUDE_CODE_SESSION_ID": value})).code == 1


def test_outside_of_any_agent_it_is_one(sb: Sb) -> None:
    """With one line that says so."""
    ran = sb("whoami")
    assert ran.code == 1
    assert ran.out == ""
    assert ran.err == "sb: no agent's session was found around this shell\n"


def process(proc: Path, pid: int, parent: int, *files: Path) -> None:
    """An invented process."""
    folder = proc / str(pid) / "fd"
    folder.mkdir(parents=True)
    (proc / str(pid) / "stat").write_text(f"{pid} (a) b (c) S {parent} 1 1 0")
    for number, path in enumerate(files, 3):
        (folder / str(number)).symlink_to(path)


def test_ancestors_are_read_from_the_process_table(tmp_path: Path) -> None:
    """The parent first, however programs are called; a circle ends."""
    process(tmp_path, 30, 20)
    process(tmp_path, 20, 10)
    process(tmp_path, 10, 1)
    assert ancestors(30, str(tmp_path)) == [20, 10]
    process(tmp_path, 40, 41)
    process(tmp_path, 41, 40)
    assert ancestors(40, str(tmp_path)) == [41, 40]


def test_open_files_of_a_process(tmp_path: Path) -> None:
    """Files by their paths, nothing else; none where it can't be seen."""
    process(tmp_path, 30, 20, Path("/a/file"), Path("pipe:[12]"))
    assert open_files(30, str(tmp_path)) == ["/a/file"]
    assert open_files(31, str(tmp_path)) == []


def test_the_registry_knows_the_process_above(env: Environment, home: Path, write: Write, tmp_path: Path) -> None:
    """A running session whose process is above this one."""
    write(FIRST)
    registry = home / ".claude" / "sessions"
    registry.mkdir()
    parent = os.getppid()
    (registry / f"{parent}.json").write_text(json.dumps({"pid": parent, "sessionId": FIRST, "status": "busy"}))
    process(tmp_path / "proc", os.getpid(), parent)
    process(tmp_path / "proc", parent, 1)
    me = by_processes(Library(env), str(tmp_path / "proc"))
    assert me is not None
    assert (me.id, me.how, me.pid) == (FIRST, "registry", parent)


def test_an_open_file_tells_the_session(env: Environment, write: Write, tmp_path: Path) -> None:
    """Of an agent without a registry that writes on."""
    write(FIRST)
    path = write(SECOND)
    process(tmp_path / "proc", os.getpid(), 7)
    process(tmp_path / "proc", 7, 1, Path("/etc/hosts"), path)
    me = by_processes(Library(env), str(tmp_path / "proc"))
    assert me is not None
    assert (me.id, me.how, me.pid) == (SECOND, "open file", 7)


@pytest.mark.parametrize(("name", "id"), [("@last", SECOND), ("@prev", FIRST), ("@here", FIRST)])
@pytest.mark.parametrize("arguments", [("path",), ("show", "--format", "json"), ("resume", "--print"), ("tree", "--json")])
def test_names_stand_for_ids_in_every_command(
    sb: Sb, env: Environment, home: Path, write: Write, name: str, id: str, arguments: tuple[str, ...]
) -> None:
    """The newest, the one before, the newest of this repository."""
    (home / "here").mkdir()
    write(FIRST, cwd=str(home / "here"), time="2026-05-01T10:00")
    write(SECOND, cwd=str(home), time="2026-05-02T10:00")
    ran = sb(*arguments, name, env=env._replace(cwd=str(home / "here")))
    assert ran.code == 0
    assert id in ran.out
