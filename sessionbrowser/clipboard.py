"""The clipboard, honestly: what was done is said as it was done.

Inside tmux `tmux load-buffer -w -`, over SSH an OSC 52 within its limit, else the desktop's own tools through pyperclip
with a time limit, else OSC 52 to the terminal, else the text itself to copy by hand.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from sessionbrowser.paths import Environment
from sessionbrowser.text import for_clipboard

PATIENCE = 1.5  # seconds a clipboard tool may take
OSC52_LIMIT = 74_994  # bytes of base64 that terminals take at most

Write = Callable[[bytes], None]


class Copied(NamedTuple):
    """What became of a copy. `done` is True when it is certain, `message` says it to a person.

    `by_hand` is the text when nothing could take it.
    """

    done: bool
    message: str
    way: str
    by_hand: str = ""


def way(env: Environment) -> str:
    """How a copy would be made here: tmux, osc52, desktop or by hand."""
    if env.get("TMUX"):
        return "tmux"
    if env.get("SSH_TTY") or env.get("SSH_CONNECTION"):
        return "osc52"
    if _has_desktop(env):
        return "desktop"
    return "osc52" if env.get("TERM") not in ("", "dumb", "linux") else "by hand"


def copy(text: str, env: Environment, write: Write | None = None) -> Copied:
    """Copy `text`, without what a terminal would run. May take PATIENCE seconds: not for an event loop.

    `write` puts bytes on the terminal; without it /dev/tty is opened for OSC 52.
    """
    text = for_clipboard(text)
    first = way(env)
    if first == "tmux" and _tmux(text):
        return Copied(True, "copied to tmux and its terminal's clipboard", "tmux")
    if first in ("tmux", "desktop") and _has_desktop(env) and _desktop(text):
        return Copied(True, "copied", "desktop")
    if first != "by hand" and osc52(text, env, write):
        return Copied(False, "sent to the terminal's clipboard", "osc52")
    return Copied(False, "nothing here takes a copy; this is it, to copy by hand", "by hand", text)


def osc52(text: str, env: Environment, write: Write | None = None) -> bool:
    """Hand `text` to the terminal; False when it is too long for one or there is none. It never answers."""
    from base64 import b64encode

    encoded = b64encode(text.encode("utf-8", "replace"))
    if len(encoded) > OSC52_LIMIT:
        return False
    sequence = b"\x1b]52;c;" + encoded + b"\x07"
    if env.get("TMUX"):  # passes only where allow-passthrough is on; the plain one where set-clipboard is
        sequence += b"\x1bPtmux;" + sequence.replace(b"\x1b", b"\x1b\x1b") + b"\x1b\\"
    elif env.get("STY"):
        sequence = b"".join(b"\x1bP" + sequence[at : at + 250] + b"\x1b\\" for at in range(0, len(sequence), 250))
    try:
        (write or _to_terminal)(sequence)
    except OSError:
        return False
    return True


def _to_terminal(data: bytes) -> None:
    terminal = os.open("/dev/tty", os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
    try:
        while data:
            data = data[os.write(terminal, data) :]
    finally:
        os.close(terminal)


def _has_desktop(env: Environment) -> bool:
    if env.platform in ("darwin", "win32"):
        return True
    return bool(env.get("WAYLAND_DISPLAY") or env.get("DISPLAY") or env.get("WSL_DISTRO_NAME"))


def _tmux(text: str) -> bool:
    import subprocess

    try:
        done = subprocess.run(
            ["tmux", "load-buffer", "-w", "-"], input=text.encode("utf-8", "replace"), capture_output=True, timeout=PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _desktop(text: str) -> bool:
    """By pyperclip, in a thread: its tools hang when the display does."""
    import threading

    try:
        import pyperclip
    except ImportError:
        return False
    outcome: list[bool] = []

    def work() -> None:
        try:
            pyperclip.copy(text)
        except (pyperclip.PyperclipException, OSError, UnicodeError):
            return
        outcome.append(True)

    thread = threading.Thread(target=work, name="clipboard", daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return bool(outcome)
