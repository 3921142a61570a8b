"""`sb pick` where people use it: in bash, zsh and fish inside tmux, under `$(…)`, by a key, below a prompt, with completions."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import FIXTURES

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="tmux is a Unix thing"),
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]

SHELLS = {"bash": ["bash", "--norc", "--noprofile"], "zsh": ["zsh", "-f"], "fish": ["fish", "--no-config"]}
FIRST = "e2e674a8-232e-58ac-834d-9f2b7c49a6c4"  # the newest of the invented sessions


class Tmux:
    """One window of a tmux of our own."""

    def __init__(self, folder: Path, argv: list[str], variables: dict[str, str], size: tuple[int, int] = (100, 24)) -> None:
        self._place = tempfile.mkdtemp(prefix="sb-", dir="/tmp")  # the path of a socket has to be short
        self._socket = os.path.join(self._place, "tmux")
        self._variables = {**variables, "TMUX_TMPDIR": self._place}
        line = shlex.join(["env", "-i", *(f"{name}={value}" for name, value in variables.items()), *argv])
        self("new-session", "-d", "-c", str(folder), "-x", str(size[0]), "-y", str(size[1]), line, config=True)

    def __call__(self, *arguments: str, config: bool = False) -> str:
        argv = ["tmux", "-S", self._socket, *(["-f", "/dev/null"] if config else []), *arguments]
        done = subprocess.run(argv, env={**os.environ, **self._variables}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def close(self) -> None:
        self("kill-session")
        shutil.rmtree(self._place, ignore_errors=True)

    def type(self, text: str) -> None:
        self("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        self("send-keys", *keys)

    def run(self, line: str) -> None:
        self.type(line)
        self.press("Enter")

    @property
    def screen(self) -> str:
        return self("capture-pane", "-p")

    @property
    def everything(self) -> str:
        """The screen and what scrolled off it."""
        return self("capture-pane", "-p", "-S", "-200")

    def wait_for(self, words: str, seconds: float = 10.0) -> str:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            shown = self.screen
            if words in shown or ("\n" not in words and words in shown.replace("\n", "")):  # a shell may have wrapped it
                return shown
            time.sleep(0.05)
        raise AssertionError(f"{words!r} did not come:\n{self.screen}")


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The invented home, with `sb` on the PATH and its rows in the cache; one for all tests, which leave it as it was."""
    place = tmp_path_factory.mktemp("shells")
    home = place / "ada"
    shutil.copytree(FIXTURES, home)
    folder = place / "bin"
    folder.mkdir()
    program = folder / "sb"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m sessionbrowser "$@"\n')
    program.chmod(0o755)
    made = {
        "HOME": str(home), "SB_CACHE_DIR": str(place / "cache"), "PATH": f"{folder}:{os.environ.get('PATH', os.defpath)}",
        "PYTHONPATH": str(FIXTURES.parent.parent), "LANG": "C.UTF-8", "PS1": "$ ", "TERM": "tmux-256color", "COLORTERM": "truecolor", "TZ": "UTC",
    }  # fmt: skip
    subprocess.run([str(program), "list"], env=made, check=True, capture_output=True)
    return made


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path: Path, variables: dict[str, str]) -> Iterator[tuple[str, Tmux]]:
    """A shell in tmux that has what `sb init` prints for it."""
    name: str = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    tmux = Tmux(tmp_path, SHELLS[name], variables, (240, 24))  # paths of temporary folders are long
    ready = {"bash": 'eval "$(sb init bash)"', "zsh": 'autoload -Uz compinit; compinit -u; eval "$(sb init zsh)"', "fish": "sb init fish | source"}
    tmux.run(f"{ready[name]}; clear; echo rea''dy")
    tmux.wait_for("ready")
    tmux.run("clear")
    yield name, tmux
    tmux.close()


def test_the_choice_is_captured(shell: tuple[str, Tmux]) -> None:
    """The picker has the terminal, the shell the choice, its exit status, and the terminal as before."""
    name, tmux = shell
    capture = "set x (sb pick --print id)" if name == "fish" else 'x="$(sb pick --print id)"'
    status = "$status" if name == "fish" else "$?"
    tmux.run(f"stty -g > before; {capture}; echo code {status} is \"[$x]\"; stty -g > after; cmp before after; and echo same" if name == "fish"
             else f"stty -g > before; {capture}; echo code {status} is \"[$x]\"; stty -g > after; cmp before after && echo same")  # fmt: skip
    tmux.wait_for("Fix the flaky login")
    tmux.type("node")
    tmux.wait_for("1 of ")
    tmux.press("C-u")
    tmux.wait_for("Fix the flaky login")
    tmux.press("Enter")
    tmux.wait_for(f"code 0 is [{FIRST}]")
    tmux.wait_for("same")
    tmux.run(f"{capture}; echo code {status} is \"[$x]\"")
    tmux.wait_for("sessions ─")
    tmux.press("C-c")
    tmux.wait_for("code 130 is []")


def test_a_pipe_on_both_sides(shell: tuple[str, Tmux]) -> None:
    """Rows of `sb list` in, ids out."""
    _, tmux = shell
    tmux.run("sb list --source codex | sb pick -m --print id | tr a-z A-Z")
    tmux.wait_for("Invoice rounding")
    assert "Fix the flaky" not in tmux.screen
    tmux.type("invoice")
    tmux.wait_for("1 of ")
    tmux.press("Tab", "Enter")
    assert re.search(r"^019[0-9A-F-]+$", tmux.wait_for("\n019"), re.M)


def test_the_key_puts_the_choice_on_the_line(shell: tuple[str, Tmux]) -> None:
    """On an empty line what resumes the session, on another its id; nothing is run, and the key leaves nothing behind."""
    _, tmux = shell
    tmux.press("M-s")
    tmux.wait_for("Fix the flaky login")
    tmux.press("Enter")
    tmux.wait_for(f"&& claude --resume {FIRST}")
    assert "Fix the flaky login" not in tmux.screen
    tmux.press("C-u")
    tmux.type("echo show ")
    tmux.press("M-s")
    tmux.wait_for("Fix the flaky login")
    tmux.press("Enter")
    tmux.wait_for(f"echo show {FIRST}")
    tmux.press("Enter")
    tmux.wait_for(f"\nshow {FIRST}")


def test_the_key_says_why_there_is_no_line(shell: tuple[str, Tmux]) -> None:
    """The line stays empty, and works as before."""
    _, tmux = shell
    tmux.press("M-s")
    tmux.wait_for("Fix the flaky login")
    tmux.type("dark theme")
    tmux.wait_for("1 of ")
    tmux.press("Enter")
    tmux.wait_for("sb: Dark theme: this session of Cursor can't be resumed from a command line")
    tmux.run("echo go''es on")
    tmux.wait_for("goes on")


def test_the_function_goes_to_the_directory_of_a_session(shell: tuple[str, Tmux], variables: dict[str, str]) -> None:
    """Whatever it is called: quoting is each shell's."""
    _, tmux = shell
    folder = Path(variables["HOME"]) / "it's a $(touch pwned) folder"
    folder.mkdir()
    file = next((Path(variables["HOME"]) / ".claude").rglob(f"{FIRST}.jsonl"))
    before = file.read_text()
    file.write_text(before.replace('"cwd":"/home/ada/src/api"', f'"cwd":"{folder}"').replace('"cwd": "/home/ada/src/api"', f'"cwd": "{folder}"'))
    try:
        tmux.run(f"sbcd -1 -q id:{FIRST}; pwd; ls {variables['HOME']}")
        tmux.wait_for(str(folder)[-30:])
        assert "pwned\n" not in tmux.screen.replace("pwned) folder", "")
    finally:
        file.write_text(before)
        folder.rmdir()


def test_words_are_completed(shell: tuple[str, Tmux]) -> None:
    """Options, ids, fields and values."""
    _, tmux = shell
    for typed, whole in (("sb show --vie", "sb show --view"), (f"sb path {FIRST[:6]}", f"sb path {FIRST}"), ("sb list branch:feat/lo", "sb list branch:feat/login")):
        tmux.type(typed)
        tmux.press("Tab")
        tmux.wait_for(whole)
        tmux.press("C-u")


@pytest.fixture
def bash(tmp_path: Path, variables: dict[str, str]) -> Iterator[Tmux]:
    tmux = Tmux(tmp_path, SHELLS["bash"], variables, (100, 24))
    yield tmux
    tmux.close()


@pytest.mark.parametrize("above", [2, 40])
@pytest.mark.parametrize("key", ["Enter", "Escape"])
def test_below_the_prompt_nothing_is_left(bash: Tmux, above: int, key: str) -> None:
    """Neither on the screen nor in what scrolled off it, wherever the prompt was."""
    bash.run(f"clear; tmux clear-history 2>/dev/null; seq {above}; sb pick --height 8 --print id | wc -l; echo do''ne")
    bash.wait_for("Fix the flaky login")
    bash.press("C-o", "Down", key)
    bash.wait_for("done")
    left = bash.everything
    assert "Fix the flaky" not in left
    assert [line for line in left.splitlines() if line.isdecimal()][-above - 1 : -1] == [str(number) for number in range(1, above + 1)]


@pytest.mark.parametrize("size", [(100, 14), (140, 40), (80, 24)])
def test_below_the_prompt_after_a_resize(bash: Tmux, size: tuple[int, int]) -> None:
    """The same when the window changes meanwhile."""
    bash.run("clear; seq 40; sb pick --height 6 --print id | wc -l; echo do''ne")
    bash.wait_for("Fix the flaky login")
    bash("resize-window", "-x", str(size[0]), "-y", str(size[1]))
    time.sleep(0.4)
    bash.wait_for("Fix the flaky login")
    bash.press("Enter")
    bash.wait_for("done")
    left = bash.everything
    assert "Fix the flaky" not in left
    assert "\n39\n40\n1\ndone\n" in left


def test_suspending_where_the_shell_waits_is_refused(shell: tuple[str, Tmux]) -> None:
    """Nobody could bring it back."""
    name, tmux = shell
    tmux.run('set x (sb pick --print id); echo "[$x]"' if name == "fish" else 'x="$(sb pick --print id)"; echo "[$x]"')
    tmux.wait_for("Fix the flaky login")
    tmux.press("C-z")
    tmux.wait_for("can't be suspended here")
    tmux.press("Enter")
    tmux.wait_for(f"[{FIRST}]")


def test_suspended_as_a_job_it_comes_back(shell: tuple[str, Tmux]) -> None:
    """By the shell's own `fg`."""
    _, tmux = shell
    tmux.run("sb pick --print id")
    tmux.wait_for("Fix the flaky login")
    tmux.press("C-z")
    time.sleep(0.4)
    tmux.run("echo ba''ck")
    tmux.wait_for("back")
    tmux.run("fg")
    tmux.wait_for("sessions ─")
    tmux.press("Enter")
    tmux.wait_for(FIRST)
