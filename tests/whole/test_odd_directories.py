"""Every agent's sessions with a directory no file system can have: they are listed, shown and never resumed there."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from sessionbrowser.cli import run
from sessionbrowser.paths import Environment
from tests.conftest import DEMO_NOW, FIXTURES

ODD = "/home/ada/s\\u0000rc/"  # as JSON writes a NUL


@pytest.fixture
def odd_home(home: Path) -> Path:
    """The invented home, its directories spoilt in everything that is JSON."""
    shutil.copytree(FIXTURES, home, dirs_exist_ok=True)
    for folder, _, files in os.walk(home):
        for name in files:
            path = Path(folder, name)
            if path.suffix in (".json", ".jsonl"):
                path.write_bytes(path.read_bytes().replace(b"/home/ada/src/", ODD.encode()))
    return home


def test_no_agents_session_is_lost_and_nothing_goes_wrong(odd_home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever is asked of one of each kind."""
    env = Environment(str(odd_home), {"SB_CACHE_DIR": str(tmp_path / "cache"), "PATH": os.environ["PATH"]}, str(odd_home), "linux", DEMO_NOW)

    def asked(*arguments: str) -> tuple[int, str]:
        code = run(list(arguments), env)
        said = capfd.readouterr()
        assert "should not have" not in said.err and "Traceback" not in said.err, (arguments, said.err)
        return code, said.out

    rows = json.loads(asked("list", "--json", "--all")[1])["sessions"]
    spoilt = {row["source"]: row for row in rows if "\0" in (row["cwd"] or "")}
    assert len(spoilt) >= 6
    assert all(row["resume"] is None for row in spoilt.values())
    for row in spoilt.values():
        assert asked("show", row["id"], "--format", "json")[0] == 0
        assert asked("show", row["id"], "--view", "files")[0] in (0, 1)
        assert asked("tree", row["id"])[0] == 0
        assert asked("doctor", row["id"])[0] == 0
        assert asked("resume", row["id"], "--print")[0] == 2
        assert asked("path", row["id"], "--specstory")[0] in (0, 1)
        asked("export", row["id"], "--format", "specstory")
        asked("digest", "--to", str(tmp_path / row["source"]), f"id:{row['id']}")
    for line in ("doctor", "stats", "stats --by repo", "timeline", "report", "list --here", "list dir:~/src", "search the", "pick -f", "list --panes", "whoami"):
        asked(*line.split(), *([""] if line == "pick -f" else []))
