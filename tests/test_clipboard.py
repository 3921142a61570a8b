"""The clipboard: in the right order, and the message is true."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import pytest

from sessionbrowser import clipboard
from sessionbrowser.paths import Environment


def env(**variables: str) -> Environment:
    return Environment("/home/ada", variables, "/home/ada", "linux")


@pytest.mark.parametrize(
    ("variables", "way"),
    [
        ({"TMUX": "x", "SSH_TTY": "/dev/pts/1", "TERM": "screen"}, "tmux"),
        ({"SSH_TTY": "/dev/pts/1", "DISPLAY": ":0", "TERM": "xterm"}, "osc52"),
        ({"DISPLAY": ":0", "TERM": "xterm"}, "desktop"),
        ({"WAYLAND_DISPLAY": "wayland-0", "TERM": "xterm"}, "desktop"),
        ({"TERM": "xterm"}, "osc52"),
        ({"TERM": "dumb"}, "by hand"),
    ],
)
def test_the_order_of_ways(variables: dict[str, str], way: str) -> None:
    """tmux, over SSH the terminal, the desktop, the terminal."""
    assert clipboard.way(env(**variables)) == way


def test_over_ssh_the_text_is_sent_to_the_terminal() -> None:
    """Which never says whether it took it: neither do we."""
    written: list[bytes] = []
    copied = clipboard.copy("cd /w && claude", env(SSH_TTY="x", TERM="xterm"), written.append)
    assert (copied.done, copied.message) == (False, "sent to the terminal's clipboard")
    assert b64decode(written[0].removeprefix(b"\x1b]52;c;").removesuffix(b"\x07")) == b"cd /w && claude"


def test_what_is_too_long_for_a_terminal_is_to_be_copied_by_hand() -> None:
    """And nothing is written."""
    written: list[bytes] = []
    copied = clipboard.copy("x" * 60_000, env(SSH_TTY="x", TERM="xterm"), written.append)
    assert (copied.done, copied.way, written) == (False, "by hand", [])
    assert copied.by_hand == "x" * 60_000


def test_control_characters_stay_behind() -> None:
    """But line feeds and tabs."""
    written: list[bytes] = []
    clipboard.copy("a\x1b[31m\r\x07b\n\tc\x9b", env(SSH_TTY="x", TERM="xterm"), written.append)
    assert b64decode(written[0][7:-1]).decode() == "a[31mb\n\tc"


def test_inside_tmux_its_buffer_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With -w, so that it goes on to the terminal."""
    fake = tmp_path / "tmux"
    fake.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/arguments\ncat > {tmp_path}/input\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    copied = clipboard.copy("hello", env(TMUX="x", TERM="screen"))
    assert copied == (True, "copied to tmux and its terminal's clipboard", "tmux", "")
    assert (tmp_path / "arguments").read_text() == "load-buffer -w -\n"
    assert (tmp_path / "input").read_text() == "hello"


def test_a_tmux_that_hangs_does_not_hold_us(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The terminal is tried then."""
    fake = tmp_path / "tmux"
    fake.write_text("#!/bin/sh\nexec sleep 5\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(clipboard, "PATIENCE", 0.05)
    written: list[bytes] = []
    assert clipboard.copy("hello", env(TMUX="x", TERM="screen"), written.append).way == "osc52"
    assert written[0].startswith(b"\x1b]52;c;") and b"\x1bPtmux;" in written[0]


def test_a_terminal_that_cannot_be_written_to() -> None:
    """Leaves the text to copy by hand."""

    def refuse(data: bytes) -> None:
        raise OSError("no terminal")

    assert clipboard.copy("hello", env(TERM="xterm"), refuse).by_hand == "hello"
