"""Writing the session that is read to a file: which form, where, how far, done."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textual.timer import Timer

from sessionbrowser.model import Block, Body, Session
from sessionbrowser.paths import shown
from sessionbrowser.text import amount, one_line
from sessionbrowser.tui.background import Latest
from sessionbrowser.tui.dialogs.menu import Choice, Menu

if TYPE_CHECKING:
    from sessionbrowser.tui.browser import Browser

_FORMS = (("markdown", "m", "Markdown"), ("html", "h", "web page"), ("json", "j", "JSON"), ("specstory", "s", "SpecStory's layout"))


class Stopped(OSError):
    """The person had enough of waiting."""


class Exporting:
    """One export at a time; asked for again while it runs, it stops."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._work: Latest[str] = Latest(browser, patience=0.0)
        self._timer: Timer | None = None
        self._blocks = self._done = 0
        self._stop = False

    def ask(self) -> None:
        """Ask for the form; or stop what runs."""
        browser = self._browser
        session = browser.reading.session
        if self._timer is not None:
            self._stop = True
        elif session is None:
            browser.say("no session is chosen")
        else:
            folder = shown(_folder(browser), browser.environment.home)
            choices = [Choice(form, key, label, f"into {folder}") for form, key, label in _FORMS]
            browser.app.push_screen(Menu("write to a file", choices), lambda form: self._begin(session, form) if form else None)

    def _begin(self, session: Session, form: str) -> None:
        self._blocks = self._done = 0
        self._stop = False
        self._timer = self._browser.set_interval(0.2, self._tell)
        self._work.ask(lambda: self._write(session, form), self._finished)

    def _write(self, session: Session, form: str) -> str:
        """In a thread: the path that was written. Raises OSError, SourceError."""
        from sessionbrowser.export import folding, write  # the first picture needs neither

        library = self._browser.library
        handle = library.handle(session)
        blocks = library.outline(handle).blocks
        self._blocks = len(blocks)
        plain = folding.reader(library, handle)

        def read(block: Block) -> Body:
            if self._stop:
                raise Stopped("stopped")
            self._done += 1
            return plain(block)

        path = write.unused(os.path.join(_folder(self._browser), write.file_name(form, session, blocks, plain)))
        write.put(path, write.pieces(form, session, blocks, read, library))
        return path

    def _tell(self) -> None:
        if self._blocks:
            self._browser.say(f"writing {amount(self._done)} of {amount(self._blocks)} blocks (W stops)")

    def _finished(self, path: str | None, wrong: str) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if path is None:
            self._browser.say("stopped, nothing written" if self._stop else f"not written: {one_line(wrong)}", "warn" if self._stop else "bad")
        else:
            self._browser.status.say(f"written: {shown(path, self._browser.environment.home)}", "ok", 12)


def _folder(browser: Browser) -> str:
    """Where exports go: the directory `sb` was started in, where it may be written to, else the home."""
    environment = browser.environment
    here = (environment.get("PWD") or os.getcwd()) if environment.clock else environment.cwd  # the demo's own folder is not for writing
    return here if os.access(here, os.W_OK) else environment.home
