"""The same picks by fzf and by `sb pick`: the same exit status, the same form of output, the same lines."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import Terminal, sb, variables
from test_terminal import write_session

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are Unix things"),
    pytest.mark.skipif(shutil.which("fzf") is None, reason="fzf is not installed"),
]

TITLES = ("Mend the login test", "Bump the compiler", "Mend the build", "Why is the build slow")


@pytest.fixture
def environment(home: Path, tmp_path: Path) -> dict[str, str]:
    for number, title in enumerate(TITLES, 1):
        write_session(home, title, number=number)
    made = variables(home, tmp_path / "cache", FZF_DEFAULT_OPTS="", SHELL="/bin/sh")
    rows = subprocess.run(sb("list", "--format", "{title}"), env=made, capture_output=True, check=True).stdout
    (tmp_path / "rows").write_bytes(rows)
    (tmp_path / "ids").write_bytes(subprocess.run(sb("list", "--tsv"), env=made, capture_output=True, check=True).stdout)
    return made


def by_fzf(environment: dict[str, str], folder: Path, *arguments: str) -> tuple[int, bytes]:
    done = subprocess.run(["fzf", *arguments], env=environment, input=(folder / "rows").read_bytes(), capture_output=True)
    return done.returncode, done.stdout


def by_sb(environment: dict[str, str], folder: Path, *arguments: str) -> tuple[int, bytes]:
    done = subprocess.run(sb("pick", "--print", "{title}", *arguments), env=environment, input=(folder / "ids").read_bytes(), capture_output=True)
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["-f", "compiler"], ["-f", "zzzz"], ["-f", "compiler", "--print-query"], ["-f", "zzzz", "--print-query"],
        ["-f", "compiler", "--print0", "--print-query"], ["-f", "", "--tac"], ["-f", "", "--print0"],
        ["-q", "compiler", "-1"], ["-q", "compiler", "-1", "--print-query", "--expect", "ctrl-v"], ["-q", "compiler", "-1", "-0", "--print0"],
        ["-q", "zzzz", "-0"], ["-q", "zzzz", "-0", "--print-query"], ["-q", "zzzz", "-0", "--print-query", "--expect", "ctrl-v"],
        ["-q", "zzzz", "-1", "-0"], ["-f", "compiler", "--expect", "ctrl-v"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_without_a_screen(environment: dict[str, str], tmp_path: Path, arguments: list[str]) -> None:
    """Byte for byte."""
    assert by_sb(environment, tmp_path, *arguments) == by_fzf(environment, tmp_path, *arguments)


@pytest.mark.parametrize(("ours", "theirs"), [('"mend"', "'mend"), ('"build"', "'build"), ('"mend" "build"', "'mend 'build"), ('"the" -mend', "'the !mend"), ('"zzzz"', "'zzzz")])
def test_exact_terms_find_the_same_lines(environment: dict[str, str], tmp_path: Path, ours: str, theirs: str) -> None:
    """In an order of our own: recency and quality."""
    (one, mine), (other, fzf) = by_sb(environment, tmp_path, "-f", ours), by_fzf(environment, tmp_path, "-f", theirs)
    assert one == other
    assert sorted(mine.splitlines()) == sorted(fzf.splitlines())


def on_terminal(argv: list[str], environment: dict[str, str], folder: Path, stdin: str, keys: list[str]) -> tuple[int, bytes]:
    line = f"exec {shlex.join(argv)} <{folder / stdin} >{folder}/out 9<>/dev/tty"
    terminal = Terminal(["/bin/sh", "-c", line], environment, (100, 24))
    try:
        assert terminal.wait_for("compiler")
        terminal.read(0.3)
        for key in keys:
            terminal.press(key)
            terminal.read(0.12)
        return terminal.ended(), (folder / "out").read_bytes()
    finally:
        terminal.close()


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (["--print-query"], ["compiler", "\r"]),
        (["--print-query"], ["zzzz", "\r"]),
        (["--print-query"], ["\x1b"]),
        (["--print-query", "--expect", "ctrl-v"], ["compiler", "\x16"]),
        (["--print-query", "--expect", "ctrl-v"], ["zzzz", "\x16"]),
        (["--expect", "ctrl-v,alt-enter"], ["compiler", "\x1b\r"]),
        (["--expect", "ctrl-v"], ["compiler", "\r"]),
        (["-m", "--print0"], ["mend", "\t", "\t", "\r"]),
        ([], ["compilxx", "\x7f\x7f", "er", "\r"]),
        ([], ["zzz compiler", "\x17", "\x17", "compiler", "\r"]),
        ([], ["\x04"]),
        ([], ["\x07"]),
    ],
    ids=lambda value: " ".join(value).encode("unicode_escape").decode(),
)
def test_on_the_screen(environment: dict[str, str], tmp_path: Path, arguments: list[str], keys: list[str]) -> None:
    """The same keys give the same bytes."""
    mine = on_terminal(sb("pick", "--print", "{title}", *arguments), environment, tmp_path, "ids", keys)
    fzf = on_terminal(["fzf", "--reverse", *arguments], environment, tmp_path, "rows", keys)
    if "mend" in keys:  # two lines match, in an order that is each one's own
        assert mine[0] == fzf[0]
        assert sorted(mine[1].split(b"\0")) == sorted(fzf[1].split(b"\0"))
    else:
        assert mine == fzf
