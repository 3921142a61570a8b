"""`sb list --watch`: a JSON line for everything that changes, until it is interrupted or nobody reads any more."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from sessionbrowser.commands import output, rows
from sessionbrowser.commands.options import spared, warn_of_trouble
from sessionbrowser.library import Changed, Event, Found, Gone

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.library import Library
    from sessionbrowser.model import Session

Keep = Callable[[list["Session"]], Iterable["Session"]]


def run(args: argparse.Namespace, library: Library, query: str) -> int:
    """Print changes of the sessions that the query and the options leave. Raises Refused."""
    keep = _keeper(args, library, query)
    known = {session.identity: session for session in keep(library.sessions(deep=args.all))}
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


def _keeper(args: argparse.Namespace, library: Library, text: str) -> Keep:
    from sessionbrowser.commands.finding import read_query
    from sessionbrowser.library import names

    query = read_query(text, library)
    folders = names.repository(library.environment) if args.here else ()

    def keep(sessions: list[Session]) -> Iterable[Session]:
        shown = [
            session for session in sessions
            if (args.all or not session.hidden) and (not folders or names.is_within(session.cwd, folders))
        ]  # fmt: skip
        found = shown if query.is_empty else [shown[match.index] for match in query.rank(shown, here=library.environment.cwd)]
        return spared(args, library, found)

    return keep


def _lines(
    events: Iterable[Event], known: dict[tuple[str, str, str], Session], keep: Keep, library: Library
) -> Iterator[dict[str, object]]:
    for event in events:
        if isinstance(event, Found | Changed):
            kept = {session.identity: session for session in keep(list(event.sessions))}
            for identity in (session.identity for session in event.sessions):
                before = known.pop(identity, None)
                if identity in kept:
                    known[identity] = kept[identity]
                    yield from _told(before, kept[identity], library)
                elif before is not None:
                    yield _gone(identity, before)
        elif isinstance(event, Gone):
            for identity in event.identities:
                before = known.pop(identity, None)
                if before is not None:
                    yield _gone(identity, before)


def _told(before: Session | None, session: Session, library: Library) -> Iterator[dict[str, object]]:
    """The line about a session; none where nothing of what it holds is different."""
    row = rows.session_json(session, library)
    if before is None:
        yield {"event": "found", "session": row}
    elif row != rows.session_json(before, library):
        yield {"event": "changed", **({"was": before.status} if before.status != session.status else {}), "session": row}


def _gone(identity: tuple[str, str, str], session: Session) -> dict[str, object]:
    return {"event": "gone", "id": session.id, "source": identity[0], "path": identity[1]}


def _print(lines: list[dict[str, object]]) -> None:
    if lines:
        output.write_bytes(b"".join(output.json_bytes(line) + b"\n" for line in lines))
