"""`sb search`: the lines of all conversations that a query finds, newest sessions first."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING

from sessionbrowser.commands import options, output
from sessionbrowser.commands.options import Refused
from sessionbrowser.paths import Environment

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.commands.finding import Ready
    from sessionbrowser.index.search import Hit
    from sessionbrowser.library import Library
    from sessionbrowser.model import Session
    from sessionbrowser.query import Query

LIMIT = 100
EPILOG = "what to type:"


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    import argparse

    from sessionbrowser.query.guide import help_text

    parser = subparsers.add_parser(
        "search", help="search the text of all sessions", allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Print what was said, by people, agents and subagents, that matches a query; newest sessions first.\n"
        "The index is brought up to date first, so that results are complete. A query that begins with a minus goes behind --.",
        epilog=f"{EPILOG}\n{help_text()}",
    )  # fmt: skip
    parser.add_argument("query", nargs="*", metavar="QUERY", help="words, \"exact words\", /regexp/, fields; see below")
    form = parser.add_argument_group("how to print")
    form.add_argument("--json", action="store_true", help="one JSON object with all hits")
    form.add_argument("--count", action="store_true", help="only the number of hits")
    form.add_argument("--view", choices=("lines", "row"), default="lines", help="a line a hit (default), or a line a session")
    form.add_argument("--context", type=int, default=0, metavar="N", help="also N lines before and after each")
    form.add_argument("--limit", type=int, default=LIMIT, metavar="N", help=f"at most N hits, 0 for all (default: {LIMIT})")
    form.add_argument("--keywords", metavar="A,B", help="sessions instead of hits: those that hold one of these words, titles too (and fit QUERY), most matches first")
    index = parser.add_argument_group("the index").add_mutually_exclusive_group()
    index.add_argument("--no-index", action="store_true", help="read the files themselves")
    index.add_argument("--no-wait", action="store_true", help="use the index as it is; results may be incomplete")
    options.careful(parser)
    options.common(parser)


def run(args: argparse.Namespace, env: Environment) -> int:
    from sessionbrowser.commands import finding

    if args.limit < 0 or args.context < 0:
        raise Refused("--limit and --context take a number that is not below zero")
    library = options.open_library(args, env)
    if args.keywords:
        from sessionbrowser.commands import keywords

        return keywords.answer(args, library)
    query = finding.read_query(" ".join(args.query), library)
    if args.safe:
        _refuse_raw(query)
    if query.is_empty:
        raise Refused("nothing to search for: give words, or fields such as tool:Bash")
    index = not args.no_index and not args.no_cache
    prepared = finding.ready(library, query, every=args.all, index=index, update=index and not args.no_wait and not args.root)
    if args.safe or args.exclude_current:
        prepared = _spared(prepared, library)
    with closing(prepared.searcher) as searcher:
        hits, total = _collect(args, query, prepared, library)
        complete = not args.no_wait or not (searcher.missing or searcher.state().working)
    if args.json and args.count:
        output.write_json({"schema": 1, "total": total, "complete": complete})
    elif args.json:
        _print_json(library, hits, total, complete)
    elif args.count:
        output.write_text(f"{total}\n")
    else:
        from sessionbrowser.commands.search_text import lines
        from sessionbrowser.commands.table import write_lines

        write_lines(lines(hits, total, library, rows=args.view == "row", context=args.context), library)
        if not total and query.wanted and "tools" not in query.places and not args.safe and sys.stderr.isatty():
            options.warn("nothing was said of it; in:all looks into what tools were given and said, too")
        if not complete:
            options.warn("the index is not complete yet; without --no-wait sb waits for it")
    options.warn_of_trouble(library)
    if options.nothing_readable(library):
        return 2
    if not total and not args.safe:
        finding.hint(query, library)
    return 0 if total else 1


def _refuse_raw(query: Query) -> None:
    """Refuse, under --safe, what only tool input and output or thinking can answer."""
    if query.deep_fields or (query.names_places and query.places & {"tools", "thinking"}):
        raise Refused("--safe leaves thinking and raw tool input and output out: tool:, file:, in:tools and in:thinking find nothing there")


def _spared(prepared: Ready, library: Library) -> Ready:
    """Without the session that asks, and its subagents."""
    env = library.environment
    sessions, searched = ([row for row in rows if not options.is_asking(row, env)] for rows in (prepared.sessions, prepared.searched))
    return prepared._replace(sessions=sessions, searched=searched)


def _safely(found: Iterator[Hit]) -> Iterator[Hit]:
    """Hits without thinking and tools, secrets masked in titles, as the search has done in what was said."""
    from sessionbrowser.safe import mask

    for hit in found:
        if hit.kind not in ("thinking", "tool"):
            title = mask(hit.title, cut=True)
            yield hit._replace(title=title, snippet=title if hit.kind == "session" else hit.snippet)


def _collect(args: argparse.Namespace, query: Query, prepared: Ready, library: Library) -> tuple[list[Hit], int]:
    """The hits to print and how many there are."""
    from sessionbrowser.index.search import Options

    asked = Options(1 if _only_rows(query) else None, args.context, not args.no_wait, prepared.use_index, library.environment.cwd,
                    safe=args.safe)  # fmt: skip
    found = prepared.searcher.search(query, sessions=prepared.searched, options=asked)
    if not query.wanted and not any(yes for _, yes in query.deep_fields):
        found = _sessions_alone(query, prepared, library)
    elif (named := query.is_id_of(prepared.sessions)) is not None:  # an id wins over text
        found = chain([_session_hit(named)], found)
    hits: list[Hit] = []
    total = 0
    for hit in _safely(found) if args.safe else found:
        total += 1
        if not args.limit or len(hits) < args.limit:
            hits.append(hit)
    return hits, total


def _only_rows(query: Query) -> bool:
    return not query.wanted and not query.deep_fields


def _sessions_alone(query: Query, prepared: Ready, library: Library) -> Iterator[Hit]:
    """A query of fields alone finds sessions, not lines: each is a hit with its title."""
    refused = prepared.searcher.refused(query, prepared.sessions)
    for match in query.rank(prepared.sessions, here=library.environment.cwd):
        row = prepared.sessions[match.index]
        if row.identity not in refused:
            yield _session_hit(row)


def _session_hit(row: Session) -> Hit:
    from sessionbrowser.index.search import Hit

    return Hit(row.id, row.identity, None, row.source, row.title, None, "session", row.updated, row.title, (), row.path, 0, None)


def _print_json(library: Library, hits: Sequence[Hit], total: int, complete: bool) -> None:
    from sessionbrowser.commands.search_places import Places
    from sessionbrowser.text import iso

    places = Places(library)
    made = []
    for hit in hits:
        turn, line = places.of(hit)
        item: dict[str, object] = {
            "session": hit.session, "subagent": hit.subagent, "source": hit.source, "title": hit.title, "turn": turn,
            "kind": hit.kind, "time": iso(hit.time), "snippet": hit.snippet, "path": hit.path, "line": line,
            "marks": hit.marks, "also": hit.also,
        }  # fmt: skip
        if hit.lines:
            item["context"] = {"lines": hit.lines, "at": hit.at}
        made.append(item)
    output.write_json({"schema": 1, "hits": made, "total": total, "complete": complete})
