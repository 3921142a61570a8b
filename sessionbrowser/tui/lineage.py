"""Where a session came from and what went on from it, as a small tree of sessions."""

from __future__ import annotations

from collections.abc import Sequence

from sessionbrowser.model import Agent, Session
from sessionbrowser.tui.store import Store

MOST = 24  # sessions in one tree
DEEPEST = 12  # steps back to the first

ORIGIN, HERE, FORK, CONTINUATION = "origin", "here", "fork", "continuation"
SHOWN = ("", "superseded", "archived", "headless", "team")  # why a relative may be hidden and still belong to the tree


def family(session: Session, store: Store) -> Agent | None:
    """The tree that `session` belongs to, from the oldest that is known; None when it is alone."""
    first, kind = session, ORIGIN
    seen = {session.id}
    for _ in range(DEEPEST):
        before = _before(first, store)
        if before is None or before.id in seen:
            break
        seen.add(before.id)
        first = before
    if first.forked_from and store.find_id(first.forked_from) is None:
        kind = FORK  # of a session that is not here any more
    tree = _Tree(session, store)
    root = tree.node(first, kind)
    return root if root.children else None


def _before(session: Session, store: Store) -> Session | None:
    """The session that this one was forked from, or that went on in it."""
    parent = store.find_id(session.forked_from) if session.forked_from else None
    return parent or next(iter(store.continued_in(session.id)), None)


class _Tree:
    """Builds the tree around one session, no session twice and not too many."""

    def __init__(self, session: Session, store: Store) -> None:
        self._session = session
        self._store = store
        self._seen: set[str] = set()

    def node(self, session: Session, kind: str) -> Agent:
        self._seen.add(session.id)
        children = []
        for child, how in self._after(session):
            if child.id not in self._seen and len(self._seen) < MOST:
                children.append(self.node(child, how))
        here = session.id == self._session.id
        return Agent(
            session.id, HERE if here else kind, description=session.title or session.id,
            status=session.status, tokens=session.tokens, started=session.created, ended=session.updated, path=session.path,
            children=tuple(children),
        )  # fmt: skip

    def _after(self, session: Session) -> Sequence[tuple[Session, str]]:
        """What went on from a session, the oldest first."""
        found = [(other, FORK) for other in self._store.all_forks_of(session.id) if other.hidden in SHOWN]
        next_id = session.facts.get("continued_in_raw")
        if isinstance(next_id, str) and (other := self._store.find_id(next_id)) is not None:
            found = [(one, how) for one, how in found if one.id != other.id] + [(other, CONTINUATION)]
        return sorted(found, key=lambda item: item[0].created or 0.0)
