"""`sb list --watch`: a JSON line for everything that changes, until it is interrupted or nobody reads any more."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from sessionbrowser.commands import output, rows
from sessionbrowser.commands.options import warn_of_trouble
from sessionbrowser.library import Changed, Event, Found, Gone

if TYPE_CHECKING:
    from sessionbrowser.library import Library
    from sessionbrowser.model import Session

Keep = Callable[[list["Session"]], Iterable["Session"]]


def run(library: Library, query: str, *, every: bool, here: bool) -> int:
    """Print changes of the sessions that the query and the scope leave. Raises Refused."""
    keep = _keeper(library, query, every=every, here=here)
    known = {session.identity: session for session in keep(library.sessions(deep=every))}
    warn_of_trouble(library)
    _print([{"event": "ready", "total": len(known)}])
    try:
        for events in library.watch(_wait):
            _print(list(_lines(events, known, keep, library)))
    except KeyboardInterrupt:
        return 130
    return 0


def _wait(seconds: float) -> bool:
    time.sleep(seconds)
    return True


def _keeper(library: Library, text: str, *, every: bool, here: bool) -> Keep:
    from sessionbrowser.commands.finding import read_query
    from sessionbrowser.library import names

    query = read_query(text, library)
    folders = names.repository(library.environment) if here else ()

    def keep(sessions: list[Session]) -> Iterable[Session]:
        shown = [
            session for session in sessions
            if (every or not session.hidden) and (not folders or names.is_within(session.cwd, folders))
        ]  # fmt: skip
        return shown if query.is_empty else [shown[match.index] for match in query.rank(shown, here=library.environment.cwd)]

    return keep


def _lines(
    events: Iterable[Event], known: dict[tuple[str, str, str], Session], keep: Keep, library: Library
) -> Iterator[dict[str, object]]:
    for event in events:
        if isinstance(event, Found | Changed):
            kept = {session.identity for session in keep(list(event.sessions))}
            for session in event.sessions:
                before = known.pop(session.identity, None)
                if session.identity in kept:
                    known[session.identity] = session
                    what = "found" if before is None else "changed"
                    more = {"was": before.status} if before is not None and before.status != session.status else {}
                    yield {"event": what, **more, "session": rows.session_json(session, library)}
                elif before is not None:
                    yield _gone(session.identity, before)
        elif isinstance(event, Gone):
            for identity in event.identities:
                before = known.pop(identity, None)
                if before is not None:
                    yield _gone(identity, before)


def _gone(identity: tuple[str, str, str], session: Session) -> dict[str, object]:
    return {"event": "gone", "id": session.id, "source": identity[0], "path": identity[1]}


def _print(lines: list[dict[str, object]]) -> None:
    if lines:
        output.write_bytes(b"".join(output.json_bytes(line) + b"\n" for line in lines))
