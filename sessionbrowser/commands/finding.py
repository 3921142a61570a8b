"""Finding with the whole language from the command line: rows and conversations, complete unless told not to wait."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.commands.options import Refused, warn
from sessionbrowser.commands.progress import progress
from sessionbrowser.paths import cache_folder, shown

if TYPE_CHECKING:
    from sessionbrowser.index.search import Searcher
    from sessionbrowser.library import Library
    from sessionbrowser.model import Session
    from sessionbrowser.query import Query

WAIT = 600.0  # seconds for another process that is building the index


class Ready(NamedTuple):
    """A searcher over the sessions a query may find."""

    searcher: Searcher
    sessions: list[Session]  # those shown
    searched: list[Session]  # with the rows of their subagents
    use_index: bool


def read_query(text: str, library: Library) -> Query:
    """The query. Raises Refused with the place of what can't be read."""
    from sessionbrowser.query import expand, whole

    expanded = expand(text, library.config.queries, typing=False)
    query = whole(expanded.text, library.environment.now())
    if query.problem is not None:
        problem = expanded.placed(query.problem)
        raise Refused(f"{problem.message} (character {problem.start + 1} of the query)")
    return query


def hint(query: Query, library: Library) -> None:
    """Say, after nothing was found, which name stood for nothing, or where else the words could be."""
    from sessionbrowser.query.saved import unknown

    names = unknown(query.text, library.config.queries)
    if names:
        warn(f"nothing matches; no saved query is called {' or '.join(names)}")
    elif not library.total():
        warn("nothing matches; there are no sessions at all: sb doctor says where they were looked for")
    elif query.wanted and not query.deep_fields and "tools" not in query.places:
        warn("nothing matches; the input and output of tools was not searched: in:tools does that")
    else:
        warn("nothing matches")


def ready(library: Library, query: Query, *, every: bool = False, sessions: Sequence[Session] | None = None, index: bool = True,
          update: bool = True) -> Ready:  # fmt: skip
    """A searcher over `sessions` (all that are shown, without them), the index brought up to date first if `update`."""
    from sessionbrowser.index.search import Searcher

    usable = index and (not update or not query.needs_text or bring_up_to_date(library))
    rows: Sequence[Session] = library.sessions(deep=True) if sessions is None or query.needs_text else ()
    wanted = query.hidden_wanted
    shown = list(sessions) if sessions is not None else [row for row in rows if every or not row.hidden or row.hidden in wanted]
    settled = {row.identity: row for row in _settled(query, library, shown)}
    shown = [settled.get(row.identity, row) for row in shown]
    listed = {row.identity for row in shown}
    nested = [row for row in _nested(rows, {(row.source, row.id) for row in shown}) if row.identity not in listed]
    return Ready(Searcher(library), shown, [*shown, *nested], usable)


def _settled(query: Query, library: Library, shown: Sequence[Session]) -> Iterator[Session]:
    """Rows read until they know what is asked, with a line on a terminal while that takes time."""
    from sessionbrowser.index.settle import settle

    total = len(query.unknown(shown, library.environment.cwd)) if query.asks_counts else 0
    with progress("reading whole sessions:") as line:
        for done, row in enumerate(settle(query, library, shown, library.environment.cwd), 1):
            line(done, total)
            yield row


def _nested(rows: Sequence[Session], ids: set[tuple[str, str]]) -> list[Session]:
    """The hidden subagents of sessions that are shown."""
    parents = {(row.source, row.id): row.parent for row in rows if row.hidden == "subagent" and row.parent}
    found = []
    for row in rows:
        at: str | None = row.id if row.hidden == "subagent" else None
        for _ in range(8):
            at = parents.get((row.source, at)) if at else None
            if at and (row.source, at) in ids:
                found.append(row)
                break
    return found


def bring_up_to_date(library: Library, *, rebuild: bool = False) -> bool:
    """Update the index, saying so on a terminal when it takes a while; whether there is one to use then."""
    from sessionbrowser.index import worker
    from sessionbrowser.index.store import NoCache
    from sessionbrowser.library.places import why

    try:
        with progress("indexing") as line:
            worker.bring_up_to_date(library.environment, exclude=library.config.exclude, settled=0.0, rebuild=rebuild,
                                    report=line, wait=WAIT)  # fmt: skip
    except worker.Busy:
        warn("another process is still building the index; these are the results so far")
    except (NoCache, sqlite3.Error, OSError) as error:
        warn(f"the index in {shown(cache_folder(library.environment), library.environment.home)} can't be used ({why(error)}); searching the files themselves")
        return False
    return True


def matching(library: Library, text: str, sessions: Sequence[Session], *, index: bool = True, update: bool = True) -> list[Session]:
    """Of `sessions` those that a query finds by their rows or in their conversations, best first. Raises Refused."""
    from sessionbrowser.index.search import Options

    query = read_query(text, library)
    here = library.environment.cwd
    prepared = ready(library, query, sessions=sessions, index=index, update=update)
    sessions = prepared.sessions
    ranked = query.rank(sessions, here=here)
    rows = [sessions[index] for index in ranked.indexes]
    if not query.needs_text:
        return rows
    wanted = {row.identity: row for row in sessions}
    options = Options(per_session=1, unindexed=True, use_index=prepared.use_index, here=here)
    with closing(prepared.searcher) as searcher:
        refused = searcher.refused(query, prepared.searched, options)
        found = {row.identity: row for row in rows[: ranked.literal] if row.identity not in refused}
        for hit in searcher.search(query, sessions=prepared.searched, options=options):
            if hit.identity in wanted:
                found.setdefault(hit.identity, wanted[hit.identity])
        for row in rows:  # which hold no more than the letters of the words
            if row.identity not in refused:
                found.setdefault(row.identity, row)
    return list(found.values())
