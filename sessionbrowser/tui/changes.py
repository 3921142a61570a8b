"""What came of a look for changes that a person asked for."""

from __future__ import annotations

from collections import Counter

from sessionbrowser.library import Changed, Event, Found, Gone
from sessionbrowser.model import Session
from sessionbrowser.tui.store import Identity, Store


class Changes:
    """Remembers how the sessions were that events are about: what a session is for a moment does not count."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._before: dict[Identity, Session | None] = {}

    def take(self, event: Event) -> None:
        """Hear of `event` while the store still has its sessions as they were."""
        identities = event.identities if isinstance(event, Gone) else ()
        if isinstance(event, Found | Changed):
            identities = tuple(session.identity for session in event.sessions)
        for identity in identities:
            self._before.setdefault(identity, self._store.get(identity))

    @property
    def words(self) -> str:
        """What became of the sessions in the list, as in "2 new, 1 gone"."""
        counts = Counter(_change(before, self._store.get(identity)) for identity, before in self._before.items())
        return ", ".join(f"{counts[what]:,} {what}" for what in ("new", "changed", "gone") if counts[what]) or "nothing has changed"


def _change(before: Session | None, now: Session | None) -> str:
    """What became of one session; "" when it is as it was, or not in the list."""
    before, now = (None if session is not None and session.hidden else session for session in (before, now))
    if before == now:
        return ""
    return "new" if before is None else "gone" if now is None else "changed"
