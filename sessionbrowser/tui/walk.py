"""Going through what was found: from line to line, on into subagents and other sessions; and to who needs their person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessionbrowser.library.status import calls
from sessionbrowser.tui.finder import Finder
from sessionbrowser.tui.snippets import Snippet
from sessionbrowser.tui.store import Store

if TYPE_CHECKING:
    from sessionbrowser.tui.browser import Browser


class Walk:
    """Where one is among the lines under the rows of the list."""

    def __init__(self, browser: Browser, finder: Finder, store: Store) -> None:
        self._browser = browser
        self._finder = finder
        self._store = store
        self._wanted: Snippet | None = None  # the line to be at in the session the cursor is going to
        self.at = 0  # which of the lines under the cursor's session was gone to

    def arrived(self) -> Snippet | None:
        """The cursor stands on another session; the line to be at there."""
        snippets = self._browser.list.snippets
        wanted, self._wanted = self._wanted, None
        self.at = snippets.index(wanted) if wanted is not None and wanted in snippets else 0
        return snippets[self.at] if snippets else None

    def next_hit(self, by: int) -> None:
        """The next line that matches: of this session, else of the next that has one."""
        shown = self._browser.list
        snippets = shown.snippets
        self.at += by
        if 0 <= self.at < len(snippets):
            self._browser.reading.go_to_hit(snippets[self.at])
        elif not self.next_session(by):
            self.at = max(0, min(self.at, len(snippets) - 1))
            self._browser.say("no more hits" if by > 0 else "no earlier hits")

    def past_hits(self, by: int) -> None:
        """The hits of the transcript that is shown are at an end: go on in the session's subagents, then in the next session."""
        snippets, path = self._browser.list.snippets, self._browser.reading.path
        order = range(self.at + by, len(snippets) if by > 0 else -1, by)
        place = next((at for at in order if snippets[at].path not in ("", path)), None)
        if place is not None:
            self.at = place
            self._browser.reading.go_to_hit(snippets[place])
        elif not self.next_session(by):
            self._browser.say("no more hits" if by > 0 else "no earlier hits")

    def next_session(self, by: int) -> bool:
        """Go to the next session of the list (or the one before) that has lines; at its last line when going back."""
        shown, found = self._browser.list, self._finder.snippets()
        order = range(shown.cursor + by, shown.count if by > 0 else -1, by)
        place = next((at for at in order if shown.at(at).identity in found), None)
        if place is None:
            return False
        self._wanted = found[shown.at(place).identity][0 if by > 0 else -1]
        shown.go_to(place)
        return True

    def next_waiting(self) -> None:
        """Go to the next session that needs its person."""
        browser, shown = self._browser, self._browser.list
        now = browser.environment.now()
        order = [*range(shown.cursor + 1, shown.count), *range(min(shown.cursor + 1, shown.count))]
        place = next((at for at in order if calls(shown.at(at), now)), None)
        if place is not None:
            browser.list.go_to(place)
            return
        elsewhere = sum(1 for session in self._store.everything() if calls(session, now) and not session.hidden)
        browser.say(f"{elsewhere} that need you are not in this list" if elsewhere else "nothing needs you")
