"""Who needs their person now: a bell, or a notification of the terminal, when the configuration asks for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sessionbrowser.model import Session
from sessionbrowser.text import one_line
from sessionbrowser.tui.store import Store

if TYPE_CHECKING:
    from sessionbrowser.tui.browser import Browser

ENDED = ("finished", "failed", "interrupted", "open")


class Attention:
    """Told of every change, it speaks of those in which a session began to wait or came to an end."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    def news(self, sessions: Iterable[Session], store: Store) -> None:
        """`sessions` changed; `store` still has them as they were."""
        told = [words for session in sessions if (words := change(store.get(session.identity), session))]
        if not told:
            return
        config = self._browser.library.config
        if config.bell:
            self._browser.app.bell()
        if config.notify:
            self._notify(told[0] if len(told) == 1 else f"{len(told)} sessions: {told[0]}")

    def _notify(self, words: str) -> None:
        driver = self._browser.app._driver
        if driver is not None:
            driver.write(notification(words, inside_tmux=bool(self._browser.environment.get("TMUX"))))
            driver.flush()


def change(before: Session | None, now: Session) -> str:
    """What to say when a session began to wait or ended its work, "" when it did neither."""
    if before is None or now.hidden or before.status == now.status:
        return ""
    if now.status == "waiting":
        return f"needs you: {now.title}"
    if before.status in ("running", "waiting") and now.status in ENDED:
        return f"{'done' if now.status in ('finished', 'open') else now.status}: {now.title}"
    return ""


def notification(words: str, *, inside_tmux: bool) -> str:
    """The sequence with which terminals show a notification (OSC 9), handed through tmux where it is between."""
    plain = one_line(words, 120).replace(";", ",")
    sequence = f"\x1b]9;{plain}\x1b\\"
    return f"\x1bPtmux;{sequence.replace(chr(27), chr(27) * 2)}\x1b\\" if inside_tmux else sequence
