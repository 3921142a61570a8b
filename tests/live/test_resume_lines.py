"""The resume line of every agent, typed into bash, zsh and fish: the right arguments in the right directory."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessionbrowser.library import Library
from sessionbrowser.model import Resume, Session
from sessionbrowser.paths import Environment
from sessionbrowser.resume import command

# -i: as when a person types; without anyone's settings.
SHELLS = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"], "fish": ["--no-config", "-i"]}
FOLDERS = [
    "plain", "two words", "it's", 'say "hi"', "new\nline", "tab\there", "-rf", "--help", "$(touch hit)", "`touch hit`", "a;b",
    "a&&b", "!!", "!x", "~", "*", "#no comment", "back\\slash", "日本語", "ünïcödé", "🙂", "%d", "{a,b}", "$HOME", "esc\x1b[31m",
]  # fmt: skip
STUB = """#!/bin/sh
{ printf '%s\\0' "${0##*/}" "$(pwd -P; printf x)"; printf '%s\\0' "$@"; printf '\\036'; } >> "$SB_LOG"
"""


@pytest.fixture
def agents(demo_home: Path, env: Environment) -> list[tuple[Session, Resume]]:
    """One session of every agent that can resume one, and how."""
    library = Library(env, cache=False)
    found: dict[str, tuple[Session, Resume]] = {}
    for session in library.sessions():
        resume = library.resume(session)
        if resume is not None:
            found.setdefault(session.source, (session, resume))
    assert len(found) >= 12
    return list(found.values())


@pytest.mark.parametrize("shell", SHELLS)
def test_every_agents_line_in_every_directory(shell: str, agents: list[tuple[Session, Resume]], tmp_path: Path) -> None:
    """One word stays one word, and nothing in a name is run."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    wanted = list(_wanted(agents, tmp_path / "src"))
    said = Environment(str(tmp_path), {"SHELL": program}, str(tmp_path), "linux")
    lines = [command(resume, said) for resume in wanted]
    assert all("\n" not in line for line in lines)
    assert _run([program, *SHELLS[shell]], lines, [resume.argv[0] for resume in wanted], tmp_path) == [
        (resume.cwd, resume.argv) for resume in wanted
    ]
    assert not list(tmp_path.rglob("hit"))


def _wanted(agents: list[tuple[Session, Resume]], top: Path) -> Iterator[Resume]:
    """Each agent in some of the directories, all directories with the first agent."""
    for number, (_, resume) in enumerate(agents):
        for name in FOLDERS if number == 0 else FOLDERS[number % 5 :: 5]:
            folder = top / name
            folder.mkdir(parents=True, exist_ok=True)
            argv = tuple(str(folder) if word == resume.cwd else word for word in resume.argv)  # OpenCode names it twice
            yield resume._replace(cwd=str(folder), argv=argv)


def _run(shell: list[str], lines: list[str], programs: list[str], folder: Path) -> list[tuple[str, tuple[str, ...]]]:
    """What stubs of the agents were called with, line by line."""
    stubs, log = folder / "bin", folder / "log"
    stubs.mkdir()
    for name in set(programs):
        (stubs / name).write_text(STUB)
        (stubs / name).chmod(0o755)
    variables = {"PATH": f"{stubs}:{os.environ['PATH']}", "HOME": str(folder), "SB_LOG": str(log), "TERM": "dumb", "LANG": "C.UTF-8"}
    done = subprocess.run(shell, input="".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape"), env=variables,
                          cwd=folder, capture_output=True, timeout=60)  # fmt: skip
    assert log.exists(), done.stderr.decode("utf-8", "replace")[-2000:]
    found = []
    for call in log.read_bytes().decode().split("\x1e")[:-1]:
        name, where, *arguments = call.split("\0")[:-1]
        found.append((where.removesuffix("\nx"), (name, *arguments)))
    return found
