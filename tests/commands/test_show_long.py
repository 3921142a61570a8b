"""A long skeleton is drawn in two halves, and reads as if it were drawn in one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sessionbrowser.commands.show_write import _middle
from sessionbrowser.model import Block, Place

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "home"
LOGIN = "e2e674a8-232e-58ac-834d-9f2b7c49a6c4"
SHOWN = """
import sys
from sessionbrowser.cli import run
from sessionbrowser.commands import show_write

show_write.LONG = int(sys.argv[1])
run(["show", *sys.argv[2:], "--demo", "--view", "skeleton"])
sys.stdout.flush()
"""


@pytest.mark.parametrize("options", [(), ("--color", "always"), ("--width", "50", "--ascii")], ids=str)
def test_both_halves_read_as_one(tmp_path: Path, options: tuple[str, ...]) -> None:
    """With colours too."""
    variables = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    said = [
        subprocess.run([sys.executable, "-c", SHOWN, long, LOGIN, *options], env=variables, capture_output=True, check=True).stdout
        for long in ("1", "1000000")
    ]
    assert said[0] == said[1] and said[0].count(b"\n") > 10


def test_it_is_cut_before_a_prompt_that_stands() -> None:
    """Not inside what was rewound: that stands between two notes."""
    kinds = ("prompt", "tool", "prompt", "prompt", "text", "prompt", "text")
    blocks = [Block(kind, Place(at), at, branch=at in (3, 4)) for at, kind in enumerate(kinds)]
    assert _middle(blocks) == 7
    assert _middle([block._replace(branch=0) for block in blocks]) == 3
