"""Shared by all tests: a home of its own for each, the invented sessions, and the real files when they are there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from sessionbrowser.paths import Environment

REPOSITORY = Path(__file__).resolve().parent.parent
FIXTURES = REPOSITORY / "fixtures" / "home"
CORPUS = REPOSITORY.parent / "shared" / "corpus"
DEMO_NOW = 1778770800.0  # 2026-05-14 15:00 UTC

_AGENT_VARIABLES = ("CLAUDE", "CODEX", "GEMINI", "OPENCODE", "CURSOR", "FACTORY", "QWEN", "KIMI", "COPILOT", "PI_", "AMP_", "CRUSH", "SB_", "FZF", "TMUX", "SSH_")


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_auto_num_workers() -> int:
    """Workers of `-n auto`: four at least, as many tests wait for programs they started."""
    return max(4, os.cpu_count() or 1)


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the sessions, the settings or the cache of whoever runs it."""
    home = tmp_path / "home"
    home.mkdir()
    for name in list(os.environ):
        if name.startswith(_AGENT_VARIABLES):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home directory."""
    return tmp_path / "home"


@pytest.fixture
def env(home: Path, tmp_path: Path) -> Environment:
    """The surroundings of a person with an empty home, the clock stopped."""
    return Environment(str(home), {"XDG_CACHE_HOME": str(tmp_path / "cache")}, str(home), "linux", DEMO_NOW)


@pytest.fixture
def demo_home(home: Path) -> Path:
    """A copy of the invented home, free to be changed."""
    shutil.copytree(FIXTURES, home, dirs_exist_ok=True)
    return home


@pytest.fixture
def corpus() -> Path:
    """The real files beside the checkout. Skips, visibly, where they are absent."""
    if not (CORPUS / "INDEX.tsv").exists():
        pytest.skip("the corpus of real files is not here")
    return CORPUS


@pytest.fixture(scope="session")
def corpus_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real files laid out as a home directory (read only, please: it is shared by the whole run)."""
    if not (CORPUS / "make_home.py").exists():
        pytest.skip("the corpus of real files is not here")
    import subprocess
    import sys

    out = tmp_path_factory.mktemp("corpus") / "home"
    subprocess.run([sys.executable, str(CORPUS / "make_home.py"), str(out)], check=True, capture_output=True)
    return out
