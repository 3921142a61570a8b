"""The terminal as the picker has it: all of the screen, or some lines below the prompt, given back as they were.

Below the prompt everything is relative to the line of the box, where the cursor rests: it is the first of our lines, so
that a terminal that breaks lines anew after a resize breaks them below it, and nothing above it is ever touched.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Sequence
from typing import NamedTuple

from sessionbrowser.tui.hold import Hold
from sessionbrowser.tui.picker.keys import Decoder, Event, Position

PATIENCE = 0.3  # seconds a terminal has to say where its cursor is
LEAST = 3  # lines below the prompt

_WRAP_OFF, _WRAP_ON = "\x1b[?7l", "\x1b[?7h"
_PASTE_ON, _PASTE_OFF = "\x1b[?2004h", "\x1b[?2004l"
_MOUSE_ON, _MOUSE_OFF = "\x1b[?1000h\x1b[?1006h", "\x1b[?1006l\x1b[?1000l"
_AT_ONCE, _DONE = "\x1b[?2026h\x1b[?25l", "\x1b[?25h\x1b[?2026l"


class Height(NamedTuple):
    """How many lines to draw on below the prompt, or which share of the terminal's."""

    number: int
    percent: bool = False

    def of(self, lines: int) -> int:
        """Lines to take of a terminal with `lines`; a negative number leaves as many."""
        wanted = lines * self.number // 100 if self.percent else self.number
        if wanted < 0 or (wanted == 0 and not self.percent):
            wanted += lines
        return max(min(LEAST, lines), min(wanted, lines))


class Terminal(Hold):
    """The controlling terminal. `height` None: all of the screen. Raises OSError when there is none."""

    def __init__(self, height: Height | None, *, mouse: bool = True) -> None:
        super().__init__()
        self.decoder = Decoder()
        self.early: list[Event] = []  # keys that came before the first frame
        self._height = height
        self._mouse = mouse and height is None
        self._is_open = False
        self._column = 1  # where the cursor stood
        self._shown: list[str] = []
        self._cursor = -1
        self._size = (80, 24)

    @property
    def is_inline(self) -> bool:
        return self._height is not None

    def measure(self) -> tuple[int, int]:
        """Columns and lines there are to draw on, asked anew."""
        width, lines = self.size()
        width, lines = width or 80, lines or 24
        self._size = (width, self._height.of(lines) if self._height else lines)
        return self._size

    # ── in and out ──

    def begin(self) -> None:
        """Take the terminal and make room."""
        self.take()
        lines = self.measure()[1]
        self._is_open = True
        self._shown = []
        if self._height is None:
            self._write("\x1b[?1049h" + _WRAP_OFF + _PASTE_ON + (_MOUSE_ON if self._mouse else "") + "\x1b[2J")
            return
        self._column = self._ask_column()
        self._write(("\r\n" if self._column > 1 else "") + _WRAP_OFF + _PASTE_ON + _room(lines))

    def release(self) -> None:
        """Give the terminal back as it was."""
        if self._is_open:
            self._is_open = False
            if self._height is None:
                self._write((_MOUSE_OFF if self._mouse else "") + _PASTE_OFF + _WRAP_ON + "\x1b[0m\x1b[?1049l\x1b[?25h")
            else:
                back = f"\x1b[A\x1b[{self._column}G" if self._column > 1 else ""
                self._write("\x1b[0m\r" + self._wipe() + _PASTE_OFF + _WRAP_ON + back + "\x1b[?25h")
        super().release()

    def resized(self) -> tuple[int, int]:
        """The window changed: clear what is ours and make room again."""
        size = self.measure()
        self._shown = []
        self._write("\x1b[0m\x1b[2J" if self._height is None else "\x1b[0m\r" + self._wipe() + _room(size[1]))
        return size

    def redraw(self) -> None:
        """Draw everything again with the next frame."""
        self._shown = []

    def suspend(self) -> bool:
        """Stop, with the terminal as it was, until the shell brings us back; False where nobody could."""
        if _is_part_of_a_shell():
            return False
        self.release()
        os.killpg(0, signal.SIGTSTP) if os.getpgrp() != os.getsid(0) else os.kill(os.getpid(), signal.SIGSTOP)
        self.begin()
        return True

    def _wipe(self) -> str:
        """Clear from here to the end of the screen, line by line: at once, tmux would keep what it clears in its history."""
        return "\x1b7" + "\x1b[2K\x1b[B" * self.size()[1] + "\x1b[2K\x1b8"

    def _ask_column(self) -> int:
        """The column of the cursor; 1 when the terminal does not say."""
        self._write("\x1b[6n")
        end = time.monotonic() + PATIENCE
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.fd], [], [], left)[0]:
                break
            column = 0
            for event in self.decoder.feed(os.read(self.fd, 4096)):
                if isinstance(event, Position):
                    column = event.column
                else:
                    self.early.append(event)
            if column:
                return column
        return 1

    # ── drawing ──

    def frame(self, lines: Sequence[str], cursor: int) -> None:
        """Show these lines, the cursor at a cell of the first one. Only what differs is written."""
        out = [_AT_ONCE]
        at = 0
        for number, line in enumerate(lines):
            if number < len(self._shown) and self._shown[number] == line:
                continue
            if self._height is None:
                out.append(f"\x1b[{number + 1};1H")
            else:
                out.append(f"\x1b[{number - at}B\r" if number > at else "\r")
            at = number
            out.append(f"\x1b[0m\x1b[K{line}\x1b[0m")  # first: behind a full line it would clear the last cell
        if len(out) == 1 and cursor == self._cursor and self._shown:
            return
        self._shown, self._cursor = list(lines), cursor
        if self._height is None:
            out.append(f"\x1b[1;{cursor + 1}H")
        else:
            out.append((f"\x1b[{at}A" if at else "") + "\r" + (f"\x1b[{cursor}C" if cursor else ""))
        out.append(_DONE)
        self._write("".join(out))

    def write(self, data: bytes) -> None:
        """Write bytes as they are (a copy on its way to the terminal's clipboard). Raises OSError."""
        while data:
            data = data[os.write(self.fd, data) :]

    def _write(self, text: str) -> None:
        try:
            self.write(text.encode("utf-8", "replace"))
        except OSError:  # a terminal that went away needs no picture
            return


def _room(lines: int) -> str:
    """Scroll until `lines` fit below the cursor, and come back."""
    return "\r\n" * (lines - 1) + (f"\x1b[{lines - 1}A" if lines > 1 else "") + "\r"


def _is_part_of_a_shell() -> bool:
    """Whether the leader of our process group is a shell that waits for us, as in `$(…)`: one that can't be stopped."""
    leader = os.getpgrp()
    if leader == os.getpid():
        return False
    if leader == os.getsid(0):
        return True
    try:
        with open(f"/proc/{leader}/status", encoding="ascii", errors="replace") as file:
            ignored = next((line.split()[1] for line in file if line.startswith("SigIgn:")), "0")
    except OSError:
        return False
    return bool(int(ignored, 16) >> (signal.SIGTSTP - 1) & 1)
