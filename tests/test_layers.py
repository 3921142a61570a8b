"""Imports go down, never up: the contracts in pyproject.toml, checked by import-linter where it is installed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "sessionbrowser"
ABOVE_SOURCES = ("library", "index", "query", "render", "export", "tui", "commands", "cli", "resume", "clipboard", "launch")


def imported(path: Path) -> set[str]:
    """Every module that a file names in an import, wherever it stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found.update(f"{node.module}.{name.name}" for name in node.names)
    return found


def files(*rooms: str) -> list[Path]:
    return [path for room in rooms for path in [*PACKAGE.glob(f"{room}.py"), *PACKAGE.glob(f"{room}/**/*.py")]]


def test_textual_is_in_the_screen_alone() -> None:
    """No other room imports it, lazily neither."""
    rooms = [path for path in PACKAGE.rglob("*.py") if "tui" not in path.relative_to(PACKAGE).parts]
    guilty = [path.name for path in rooms if any(name.split(".")[0] == "textual" for name in imported(path))]
    assert guilty == []


def test_rich_is_above_the_library() -> None:
    """Sources, index, query and library hand over text; only widths come from Rich, in text.py, when asked."""
    guilty = [path.name for path in files("model", "paths", "config", "sources", "index", "query", "library", "resume", "clipboard", "launch")
              if any(name.split(".")[0] == "rich" for name in imported(path))]  # fmt: skip
    assert guilty == []


def test_a_source_knows_nothing_of_what_is_above_it() -> None:
    """Neither index nor screen."""
    above = tuple(f"sessionbrowser.{room}" for room in ABOVE_SOURCES)
    guilty = {path.name: names for path in files("sources") if (names := {n for n in imported(path) if n.startswith(above)})}
    assert guilty == {}


def test_nobody_above_knows_a_format() -> None:
    """The rest of the program reaches sources through the contract, the registry and the readers shared by them."""
    shared = {"base", "jsonl", "sqlite", "logs", "locked", "texts", "REGISTRY", "Source", "SourceError", "entry", "load", "present"}
    guilty = {}
    for path in files("library", "index", "query", "tui", "render"):
        names = {name for name in imported(path) if name.startswith("sessionbrowser.sources.") and name.split(".")[2] not in shared}
        if names:
            guilty[path.name] = names
    assert guilty == {}


def test_the_contracts_hold() -> None:
    """As `lint-imports` says."""
    pytest.importorskip("importlinter", reason="import-linter is not installed")
    program = Path(sys.executable).parent / "lint-imports"
    ran = subprocess.run([str(program), "--no-cache"], cwd=PACKAGE.parent, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
