"""The sessions behind the list: folded in by batches, ordered, scoped, the hidden ones counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeVar, cast

from sessionbrowser.library.status import calls
from sessionbrowser.model import Session
from sessionbrowser.tui.columns import Widths, measure

Identity = tuple[str, str, str]
Counted = TypeVar("Counted")
DEEPEST = 8  # subagents of subagents that are followed up to their session

SORTS = ("activity", "created", "size", "tokens")
SORT_LABELS = {
    "activity": "newest first",
    "created": "last begun first",
    "size": "biggest first",
    "tokens": "most tokens first",
}


class Scope(NamedTuple):
    """Which directories count: a repository with its worktrees, one folder, or (no `folders`) everything."""

    name: str
    folders: tuple[str, ...] = ()
    project: str = ""

    def holds(self, session: Session) -> bool:
        if not self.folders:
            return True
        places = (session.cwd, session.facts.get("original_raw"))  # a worktree that is gone, and where it was made from
        return any(isinstance(cwd, str) and self._has(cwd) for cwd in places)

    def _has(self, cwd: str) -> bool:
        return any(cwd == folder or cwd.startswith(folder.rstrip("/") + "/") for folder in self.folders)


EVERYWHERE = Scope("all")


class Store:
    """Every session known so far. `pool()` is what the box searches; it is rebuilt only after a change."""

    def __init__(self) -> None:
        self._by_identity: dict[Identity, Session] = {}
        self.widths = Widths()  # of the columns, for every session that was ever in the pool: they do not jump about
        self.scope = EVERYWHERE
        self.sort = "activity"
        self.show_hidden = False
        self._pool: list[Session] | None = None
        self._kept: dict[str, object] = {}  # what was counted since the last change

    def __len__(self) -> int:
        return len(self._by_identity)

    def get(self, identity: Identity | None) -> Session | None:
        return self._by_identity.get(identity) if identity is not None else None

    def fold(self, sessions: Iterable[Session]) -> bool:
        """Add or replace sessions; whether anything differs from before."""
        changed: list[tuple[Session | None, Session]] = []
        for session in sessions:
            identity = session.identity
            old = self._by_identity.get(identity)
            if old is session or old == session:
                self._by_identity[identity] = session  # the loader's own, so that there are not two of each
                continue
            if old is not None:
                session = _keep_counts(old, session)
            self._by_identity[identity] = session
            changed.append((old, session))
        if changed:
            self.widths = self.widths.wider(measure([session for _, session in changed if self._is_listed(session)]))
            self._take_over(changed)
        return bool(changed)

    def fill(self, rows: Iterable[Session]) -> bool:
        """Take rows that know more of sessions that are as they were; whether anything differs from before."""
        return self.fold(row for row in rows if _is_same(self._by_identity.get(row.identity), row))

    def _take_over(self, changed: list[tuple[Session | None, Session]]) -> None:
        """Put changed sessions where they were in the pool, when nothing says that they belong elsewhere."""
        pool, key = self._pool, _KEYS[self.sort]
        if pool is None or not all(old is not None and _stays(old, new) and key(old) == key(new) for old, new in changed):
            self._forget()
            return
        places = self.places()
        self._kept.clear()
        self._kept["places"] = places
        self._pool = list(pool)  # who looks at the old one may be in another thread
        for _, session in changed:
            if (at := places.get(session.identity)) is not None:
                self._pool[at] = session

    def drop(self, identities: Iterable[Identity]) -> bool:
        """Forget sessions that are gone; whether any was known."""
        known = [identity for identity in identities if self._by_identity.pop(identity, None) is not None]
        if known:
            self._forget()
        return bool(known)

    def renew(self) -> None:
        """Let go of rows that were replaced by equal ones."""
        self._forget()

    def set_sort(self, sort: str) -> None:
        self.sort = sort
        self._forget()

    def set_scope(self, scope: Scope) -> None:
        self.scope = scope
        self._repool()

    def set_show_hidden(self, shown: bool) -> None:
        self.show_hidden = shown
        self._repool()

    def _repool(self) -> None:
        """Other sessions are listed: their columns are other ones, too."""
        self._forget()
        self.widths = measure(self.pool())

    def _is_listed(self, session: Session) -> bool:
        return (self.show_hidden or not session.hidden) and self.scope.holds(session)

    def pool(self) -> list[Session]:
        """What the box searches: in scope, hidden ones only when they are asked for, in the chosen order."""
        if self._pool is None:
            chosen = [session for session in self._by_identity.values() if self._is_listed(session)]
            chosen.sort(key=_KEYS[self.sort], reverse=True)
            self._pool = chosen
        return self._pool

    def everything(self) -> list[Session]:
        return list(self._by_identity.values())

    def hidden(self) -> Mapping[str, int]:
        """How many sessions in scope are hidden, by reason, most first."""
        return self._once("hidden", self._count_hidden)

    def _count_hidden(self) -> dict[str, int]:
        reasons = Counter(
            session.hidden for session in self._by_identity.values() if session.hidden and self.scope.holds(session)
        )
        return dict(reasons.most_common())

    def calling(self, now: float) -> int:
        """How many sessions of the pool call for their person."""
        return self._once("calling", lambda: sum(calls(session, now) for session in self.pool()))

    def find_id(self, session_id: str) -> Session | None:
        """The session with this id, a shown one first."""
        return self._once("ids", self._by_id).get(session_id)

    def _by_id(self) -> dict[str, Session]:
        found: dict[str, Session] = {}
        for session in self._by_identity.values():
            if session.id not in found or found[session.id].hidden:
                found[session.id] = session
        return found

    def forks_of(self, session_id: str) -> list[Session]:
        """The shown sessions that were forked from one."""
        return self._once("forks", self._by_parent).get(session_id, [])

    def all_forks_of(self, session_id: str) -> list[Session]:
        """Every session that was forked from one, hidden ones and those out of scope included."""
        return self._once("all forks", lambda: self._grouped("forked_from")).get(session_id, [])

    def continued_in(self, session_id: str) -> list[Session]:
        """The sessions that say of themselves that they went on in this one."""
        return self._once("continued", lambda: self._grouped("continued_in_raw")).get(session_id, [])

    def _grouped(self, name: str) -> dict[str, list[Session]]:
        found: dict[str, list[Session]] = {}
        for session in self._by_identity.values():
            other = session.forked_from if name == "forked_from" else session.facts.get(name)
            if isinstance(other, str) and other and session.hidden != "subagent":
                found.setdefault(other, []).append(session)
        return found

    def searched(self) -> list[Session]:
        """The pool, and the subagents' own files of its sessions: what the full text is asked about."""
        return self._once("searched", self._with_subagents)

    def _with_subagents(self) -> list[Session]:
        pool = self.pool()
        shown = {(session.source, session.id) for session in pool}
        below = [one for one in self._by_identity.values() if one.hidden == "subagent" and one.parent]
        parents = {(one.source, one.id): one.parent for one in below}
        found = []
        for one in below:
            above, steps = one.parent, 0
            while above and (one.source, above) not in shown and steps < DEEPEST:
                above, steps = parents.get((one.source, above)), steps + 1
            if above and (one.source, above) in shown and (one.source, one.id) not in shown:
                found.append(one)
        return [*pool, *found]

    def places(self) -> dict[Identity, int]:
        """Where in the pool each session stands."""
        return self._once("places", lambda: {session.identity: at for at, session in enumerate(self.pool())})

    def _by_parent(self) -> dict[str, list[Session]]:
        found: dict[str, list[Session]] = {}
        for session in self.pool():
            if session.forked_from:
                found.setdefault(session.forked_from, []).append(session)
        return found

    def _once(self, name: str, make: Callable[[], Counted]) -> Counted:
        """What `make` gives, kept until something changes."""
        if name not in self._kept:
            self._kept[name] = make()
        return cast(Counted, self._kept[name])

    def _forget(self) -> None:
        self._pool = None
        self._kept.clear()


def _stays(old: Session, new: Session) -> bool:
    """Whether a session is shown or hidden, in a scope or not, as before."""
    return (old.hidden, old.cwd, old.parent) == (new.hidden, new.cwd, new.parent)


def _is_same(old: Session | None, new: Session) -> bool:
    """Whether both are of the same state of a file."""
    return old is not None and (old.size, old.updated) == (new.size, new.updated)


def _keep_counts(old: Session, new: Session) -> Session:
    """`new`, with exact counts that only `old` has when the file did not change in between."""
    if new.counts is None and old.counts is not None and _is_same(old, new):
        return new._replace(counts=old.counts, tokens=new.tokens or old.tokens)
    return new


_KEYS: dict[str, Callable[[Session], tuple[float, str]]] = {
    "activity": lambda session: (session.updated or session.created or 0.0, session.path),
    "created": lambda session: (session.created or session.updated or 0.0, session.path),
    "size": lambda session: (float(session.size), session.path),
    "tokens": lambda session: (float(session.tokens.total) if session.tokens else -1.0, session.path),
}
