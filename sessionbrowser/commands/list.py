"""`sb list`: the sessions as rows, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sessionbrowser.commands import options, output, rows
from sessionbrowser.commands.options import Refused
from sessionbrowser.paths import Environment

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.commands.keywords import Candidate
    from sessionbrowser.library import Library
    from sessionbrowser.model import Session

SORTS = ("activity", "created", "size", "tokens")


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "list", help="print the sessions", allow_abbrev=False,
        description="Print the sessions, newest first: a table on a terminal, TSV when piped.",
    )  # fmt: skip
    parser.add_argument("query", nargs="*", metavar="QUERY", help="what to look for, in the language of the search box: sb search --help explains it (behind -- when it begins with a minus)")
    form = parser.add_argument_group("how to print").add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object with all sessions")
    form.add_argument("--jsonl", action="store_true", help="one JSON object a line, and a last line about them")
    form.add_argument("--tsv", action="store_true", help="tag, local time, id, directory, title, SpecStory path")
    form.add_argument("--format", metavar="TEMPLATE", help=r"a template, as in '{id}\t{title}'; fields as in --json, and {tag} {age} {directory} {command} {turns} {tokens_total}")
    parser.add_argument("--header", action="store_true", help="begin TSV with the names of its columns")
    parser.add_argument("-z", "--print0", action="store_true", help="end rows of TSV or a template with NUL instead of a line feed")
    parser.add_argument("--limit", type=int, metavar="N", help="at most N rows, 0 for all")
    parser.add_argument("--sort", choices=SORTS, default="activity", help="what comes first (default: activity)")
    parser.add_argument("--exact", action="store_true", help="count what is not counted yet: reads whole files")
    parser.add_argument("--here", action="store_true", help="only sessions of this repository")
    parser.add_argument("--watch", action="store_true", help="print a JSON line for everything that changes, until interrupted")
    parser.add_argument("--panes", action="store_true", help="only sessions that run, each with its process and its tmux pane")
    parser.add_argument("--keywords", metavar="A,B", help="only sessions that hold one of these words (titles too), most matches first; JSON says how often each")
    options.careful(parser)
    options.common(parser)


def run(args: argparse.Namespace, env: Environment) -> int:
    if args.limit is not None and args.limit < 0:
        raise Refused("--limit takes a number of rows")
    _refuse_idle(args)
    args.limit = args.limit or None  # 0: all, as in sb search
    library = options.open_library(args, env)
    query = " ".join(args.query)
    if args.watch:
        from sessionbrowser.commands import list_watch

        return list_watch.run(args, library, query)
    if args.panes:
        return _panes(args, library, query)
    plain = not (query or args.exact or args.here or args.keywords or args.safe or args.exclude_current)
    if (args.json or args.jsonl) and plain:
        return _quick(args, library)
    return _thorough(args, library, query)


def _refuse_idle(args: argparse.Namespace) -> None:
    """Refuse options that would say nothing where they stand: better than an answer in another form than was asked for."""
    forms = {"--json": args.json, "--jsonl": args.jsonl, "--tsv": args.tsv, "--format": args.format is not None}
    rows_only = {"--header": args.header, "--print0": args.print0}
    counting = {"--exact": args.exact, "--keywords": args.keywords, "--sort": args.sort != "activity", "--limit": args.limit is not None}
    if args.watch:
        _refuse("--watch prints a JSON line for every change", {"--panes": args.panes, **forms, **rows_only, **counting}, ("--json", "--jsonl"))
    elif args.panes:
        _refuse("--panes prints columns of its own, or --json", {**forms, **rows_only, "--exact": args.exact, "--keywords": args.keywords}, ("--json", "--tsv"))
    elif args.json or args.jsonl:
        _refuse("JSON has names of its own and a line feed after each row", rows_only)
    elif args.format is not None:
        _refuse("a template says what its rows are", {"--header": args.header})


def _refuse(why: str, said: Mapping[str, object], fitting: Sequence[str] = ()) -> None:
    """Refuse the first option of `said` that was given and is not one of those `fitting`."""
    for name, given in said.items():
        if given and name not in fitting:
            raise Refused(f"{why}: {name} has no meaning there")


def _panes(args: argparse.Namespace, library: Library, query: str) -> int:
    from sessionbrowser.commands import list_panes

    sessions = select(library, query, every=args.all, here=args.here, order=args.sort, index=not args.no_cache)
    found = list_panes.running(library, options.spared(args, library, sessions))[: args.limit]
    list_panes.write(found, library, as_json=args.json, tsv=args.tsv)
    if not found and not args.json:
        options.warn("no such session runs" if query or args.here else "no session runs")
    return _finish(library, len(found), filtered=True)


def _quick(args: argparse.Namespace, library: Library) -> int:
    """Lines as they were made the last time, or the whole answer when nothing changed at all."""

    def frame(lines: list[bytes]) -> bytes:
        return _json(args, library, lines[: args.limit], len(lines))

    form = f"{'jsonl' if args.jsonl else 'json'} {args.limit}"
    document = library.document(
        rows.line_of(library), frame, rows.line_version(library), form=form, order=args.sort, every=args.all
    )
    output.write_pieces(document)
    return _finish(library, 0, filtered=False)


def _thorough(args: argparse.Namespace, library: Library, query: str) -> int:
    found = select(library, query, every=args.all, here=args.here, order=args.sort, index=not args.no_cache)
    counted = _counted(args, library, found)
    if counted:
        found = [item.session for item in counted.values()]
    elif args.keywords:
        found = []
    total = len(found := options.spared(args, library, found))
    found = found[: args.limit]
    if args.exact:
        found = list(library.exact(found))
    if args.json or args.jsonl:
        line = rows.line_of(library)
        lines = [_with_counts(line(session), counted.get(session.identity)) for session in found]
        output.write_bytes(_json(args, library, lines, total))
    else:
        _print_rows(args, library, found, total)
    if query and not total and not args.safe:
        from sessionbrowser.commands import finding

        finding.hint(finding.read_query(query, library), library)
    return _finish(library, total, filtered=bool(query or args.here or args.keywords))


def _counted(args: argparse.Namespace, library: Library, sessions: Sequence[Session]) -> dict[tuple[str, str, str], Candidate]:
    """Under --keywords, the sessions that hold one of them, best first."""
    if not args.keywords:
        return {}
    from sessionbrowser.commands import keywords

    found = keywords.candidates(library, sessions, keywords.split(args.keywords), index=not args.no_cache)
    return {item.session.identity: item for item in found}


def _with_counts(line: bytes, item: Candidate | None) -> bytes:
    """A JSON line with the counts of its keywords."""
    return line if item is None else line[:-1] + b"," + output.json_bytes(item.json())[1:]


def select(
    library: Library, query: str, *, every: bool, here: bool, order: str = "activity", index: bool = True
) -> list[Session]:
    """The sessions that a query and the scope leave, in order (best first with a query); hidden ones only when `every`.

    `index`: whether the full text may be used and brought up to date, else files are read. Raises Refused.
    """
    from sessionbrowser.library import names

    wanted = _hidden_wanted(query, library)
    found = [session for session in library.sessions(deep=every) if every or not session.hidden or session.hidden in wanted]
    if here:
        folders = names.repository(library.environment)
        found = [session for session in found if names.is_within(session.cwd, folders)]
    if order != "activity":
        found.sort(key=_SORT_KEYS[order])
    if not query:
        return found
    from sessionbrowser.commands import finding

    return finding.matching(library, query, found, index=index, update=index and all(root.live for root in library.roots()))


def _hidden_wanted(query: str, library: Library) -> frozenset[str]:
    """Reasons for hiding that the query asks for. Raises Refused."""
    if not query:
        return frozenset()
    from sessionbrowser.commands import finding

    return finding.read_query(query, library).hidden_wanted


_SORT_KEYS = {
    "created": lambda session: -(session.created or 0.0),
    "size": lambda session: -session.size,
    "tokens": lambda session: -(session.tokens.total if session.tokens else -1),
}


def _json(args: argparse.Namespace, library: Library, lines: Sequence[bytes], total: int) -> bytes:
    """Lines of JSON and what is said about them all."""
    hidden = dict(sorted(library.hidden().items()))
    if args.jsonl:
        damaged, places = library.damaged(), len(library.trouble)
        meta = {"_meta": True, "files_processed": library.total(), "parse_errors": damaged + places, "matched": total, "hidden": hidden}
        return b"\n".join([*lines, b"{" + _tail(meta)]) + b"\n"
    rest: dict[str, object] = {"total": total, "hidden": hidden, "unreadable": rows.unreadable_json(library, safe=args.safe)}
    if args.keywords:
        from sessionbrowser.commands import keywords

        rest |= keywords.totals(library, total)
    pieces = list(lines) or [b""]  # the ends go onto the first and the last piece: the whole is copied once
    pieces[0] = b'{"schema":1,"sessions":[' + pieces[0]
    pieces[-1] += b"]," + _tail(rest) + b"\n"
    return b",\n".join(pieces)


def _tail(rest: Mapping[str, object]) -> bytes:
    """The end of the object: by the standard library, which is there already, and in ASCII."""
    import json

    return json.dumps(rest, separators=(",", ":")).encode()[1:]


def _print_rows(args: argparse.Namespace, library: Library, found: Sequence[Session], total: int) -> None:
    end = "\0" if args.print0 else "\n"
    if args.format is not None:
        template = rows.unescaped(args.format)
        try:
            text = "".join(rows.formatted(template, session, library) + end for session in found)
        except KeyError as missing:
            raise Refused(f"there is no field {missing} for --format") from None
        except rows.BadTemplate as wrong:
            raise Refused(f"--format: {wrong}") from None
        if not found:
            _check(template, library)
        output.write_text(text)
    elif args.tsv or args.header or args.print0 or not output.on_terminal():
        lines: list[tuple[str, ...]] = [rows.TSV_HEADER] if args.header else []
        lines += [rows.tsv(session, library) for session in found]
        output.write_text("".join("\t".join(line) + end for line in lines))
        _warn_of_unread(found)
    else:
        from sessionbrowser.commands.table import table

        output.write_text(table(found, library, total=total, every=args.all))


def _warn_of_unread(found: Sequence[Session]) -> None:
    """Say how many of the rows tell what their name tells; a table has the reason beside each."""
    from sessionbrowser.text import plural

    if unread := sum(bool(session.unreadable) for session in found):
        options.warn(f"{plural(unread, 'session')} could not be read: sb doctor says why")


def _check(template: str, library: Library) -> None:
    """Refuse a template with a field there is not, also when there is no row to try it on."""
    from sessionbrowser.model import Session

    try:
        rows.formatted(template, Session("", "none", "")._replace(root="none"), library)
    except KeyError as missing:
        raise Refused(f"there is no field {missing} for --format") from None
    except rows.BadTemplate as wrong:
        raise Refused(f"--format: {wrong}") from None


def _finish(library: Library, total: int, *, filtered: bool) -> int:
    options.warn_of_trouble(library)
    if options.nothing_readable(library):
        return 2
    return 1 if filtered and not total else 0
