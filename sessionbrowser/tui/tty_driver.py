"""A Textual driver on the controlling terminal: stdin and stdout stay free, leaving takes milliseconds.

`/dev/tty` is opened once for keys, for drawing and for the size (Textual asks about stdout, which may be a pipe).
A byte on a pipe of its own ends the input thread at once, where the stock driver waits for two timeouts. It leans
on private modules of Textual: an upgrade is a deliberate step, and `tests/tui/test_terminal.py` watches it.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import threading
from codecs import getincrementaldecoder
from types import FrameType
from typing import Any, ClassVar

from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

from sessionbrowser.tui.hold import Hold

PATIENCE = 2.0  # seconds a signal to end waits for an orderly way out


class TtyDriver(LinuxDriver):
    """Talks to /dev/tty. `hold` is the terminal as the early paint took it, when it did."""

    hold: ClassVar[Hold | None] = None

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        hold = self.hold
        self.fileno = hold.fd if hold else os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
        self._file = open(self.fileno, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        self.input_tty = True
        self._size = self._get_terminal_size()  # App.size reads it before the first resize
        self._wake_read, self._wake_write = os.pipe()
        self._on_alternate_screen = hold is not None and hold.painted

    def _get_terminal_size(self) -> tuple[int, int]:
        try:
            width, height = os.get_terminal_size(self.fileno)
        except OSError:
            width, height = super()._get_terminal_size()
        return width or 80, height or 24

    def start_application_mode(self) -> None:
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._loop = asyncio.get_running_loop()
        hold = self.hold
        if hold is not None and hold.attributes is not None:
            self.attrs_before = hold.attributes
            hold.pass_on()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._end)

    def write(self, data: str) -> None:
        if self._on_alternate_screen and data == "\x1b[?1049h":  # the early picture is on it; again would clear it
            self._on_alternate_screen = False
            return
        super().write(data)

    def _end(self, number: int, frame: FrameType | None) -> None:
        """Leave in order; if that does not work out, leave."""
        watchdog = threading.Timer(PATIENCE, os._exit, (128 + number,))
        watchdog.daemon = True
        watchdog.start()
        self._loop.call_soon_threadsafe(self._app.exit, None, 128 + number)

    def run_input_thread(self) -> None:
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        with selectors.SelectSelector() as selector:  # kqueue cannot watch /dev/tty on macOS
            selector.register(self.fileno, selectors.EVENT_READ)
            selector.register(self._wake_read, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                ready = {key.fd for key, _ in selector.select(0.1)}
                if self._wake_read in ready:
                    os.read(self._wake_read, 1)
                    break
                if self.fileno in ready:
                    data = self._read()
                    if not data:
                        break
                    for event in parser.feed(decode(data)):
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)
        try:
            for _ in parser.feed(""):
                pass
        except (EOFError, ParseError):
            pass

    def _sigtstp_application(self, *_: object) -> None:
        """Stop; and come back also where the signal to go on was lost, as it is now and then under load."""
        super()._sigtstp_application()
        self._loop.call_later(0.1, self._come_back)  # the loop runs: the process was told to go on

    def _come_back(self) -> None:
        if self._must_signal_resume and self._auto_restart:
            self.resume_application_mode()

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, 4096)
        except OSError:  # the terminal is gone
            return b""

    def disable_input(self) -> None:
        thread = self._key_thread
        if not self.exit_event.is_set() and thread is not None and thread.is_alive():
            os.write(self._wake_write, b"x")
        super().disable_input()

    # No close() of our own: Textual calls it at every suspend too, and goes on with the same driver.
