"""The terminal, held from the first moment on and given back on every way out.

It goes into raw mode without echo at once, so that keys typed early are neither shown nor lost: they wait in the
terminal's own queue until the app reads them.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l"
LEAVE = "\x1b[?7h\x1b[?1049l\x1b[?25h"


class Hold:
    """The terminal, taken: its descriptor, its settings as they were, and the way back."""

    def __init__(self) -> None:
        """Open the controlling terminal. Raises OSError when there is none."""
        self.fd = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
        self.attributes: list[object] | None = None
        self.painted = False
        self._before: dict[int, object] = {}

    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        width, height = os.get_terminal_size(self.fd)
        return width, height

    def take(self) -> None:
        """Raw mode without echo; a signal to end gives the terminal back first."""
        import termios

        try:
            attributes = termios.tcgetattr(self.fd)
        except termios.error as error:
            raise OSError(*error.args) from error
        self.attributes = list(attributes)
        raw = list(attributes)
        raw[0] &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
        raw[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
        raw[6] = [*raw[6]]
        raw[6][termios.VMIN] = 1
        termios.tcsetattr(self.fd, termios.TCSANOW, raw)
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._before[number] = signal.signal(number, self._end)

    def _end(self, number: int, frame: FrameType | None) -> None:
        self.release()
        os._exit(128 + number)

    def paint(self, picture: str) -> None:
        """Go to the alternate screen and draw there."""
        self.painted = True
        _write(self.fd, ENTER + picture)

    def pass_on(self) -> None:
        """Textual has the terminal now, and gives it back itself."""
        self.painted = False
        self._signals_back()

    def release(self) -> None:
        """Give the terminal back as it was. Harmless when that was done already."""
        if self.painted:
            self.painted = False
            _write(self.fd, LEAVE)
        if self.attributes is not None:
            import termios

            try:
                termios.tcsetattr(self.fd, termios.TCSANOW, self.attributes)  # type: ignore[arg-type]
            except termios.error:  # it went away
                pass
        self._signals_back()

    def _signals_back(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._before.clear()


def _write(fd: int, text: str) -> None:
    data = text.encode("utf-8", "replace")
    try:
        while data:
            data = data[os.write(fd, data) :]
    except OSError:  # a terminal that went away needs no picture
        return
