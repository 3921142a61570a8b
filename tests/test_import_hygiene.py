"""What a command does not need, it does not import: seen in the modules of a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

SCREEN = {"textual"}
DRAWING = SCREEN | {"rich"}
SLOW = DRAWING | {"asyncio", "subprocess", "dataclasses", "tomllib", "urllib.request", "threading", "typing_extensions", "pyperclip"}

_RUN = """
import os, sys
from sessionbrowser import cli
code = cli.run(sys.argv[1:])
sys.stderr.write("modules " + " ".join(sorted(sys.modules)) + "\\n")
os._exit(code)
"""


def modules(home: Path, *arguments: str) -> set[str]:
    """What `sb` has imported when it is done, in a home with a warm cache."""
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(home.parent / "cache"), "LC_ALL": "C.UTF-8"}
    for _ in range(2):
        ran = subprocess.run([sys.executable, "-c", _RUN, *arguments], env=environment, cwd=REPOSITORY, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    found = next(line for line in ran.stderr.splitlines() if line.startswith("modules "))
    return set(found.split()[1:])


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (("list", "--json"), SLOW - {"threading"}),  # which foreign databases need
        (("list", "--json", "--source", "claude"), SLOW),
        (("list", "--jsonl", "--source", "claude"), SLOW),
        (("list", "--tsv"), SLOW - {"dataclasses", "threading"}),  # orjson, which unpacks rows, brings them
        (("path", "e2e674a8"), SLOW - {"dataclasses", "threading"}),
        (("tree", "e2e674a8", "--json"), SCREEN),
        (("doctor", "--json"), SCREEN),
        (("pick", "-f", "retry", "--print", "id"), DRAWING),
        (("whoami", "--demo", "--help"), DRAWING),
        (("init", "bash"), DRAWING),
        (("resume", "e2e674a8", "--json", "--in", "/"), DRAWING),
        (("show", "e2e674a8", "--format", "json"), SCREEN),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_command_imports_only_what_it_needs(demo_home: Path, arguments: tuple[str, ...], unwanted: set[str]) -> None:
    """No Textual without a screen, no Rich without a drawing, nothing slow for a list."""
    assert modules(demo_home, *arguments) & unwanted == set()


def test_an_unchanged_list_does_not_load_the_readers(demo_home: Path) -> None:
    """Scanning and comparing the stores of all agents needs no JSON reader, no forms of tools, no messages."""
    found = modules(demo_home, "list", "--json")
    readers = {f"sessionbrowser.sources.{name}" for name in (
        "build", "forms", "diffs", "claude.reader", "claude.summary", "codex.reader", "codex.ends", "opencode.messages",
        "gemini.messages", "gemini.replay", "cursor.messages", "cursor.bubbles", "cursor.store", "kimi_cli",
    )}  # fmt: skip
    assert found & {"orjson", *readers} == set()


def test_sources_that_are_not_here_are_not_imported(home: Path) -> None:
    """An agent that was never used costs a stat, not an import."""
    (home / ".claude" / "projects").mkdir(parents=True)
    found = modules(home, "list", "--json")
    assert {name for name in found if name.startswith("sessionbrowser.sources.")} & {
        "sessionbrowser.sources.codex", "sessionbrowser.sources.opencode", "sessionbrowser.sources.cursor"
    } == set()  # fmt: skip
