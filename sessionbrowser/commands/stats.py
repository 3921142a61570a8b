"""`sb stats`: what was done in all: sessions, prompts, tokens, cost, tools, errors, models; by source, project, day, file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessionbrowser.commands import many, options, output, zones
from sessionbrowser.commands.progress import progress
from sessionbrowser.paths import Environment
from sessionbrowser.safe import deep_mask
from sessionbrowser.statistics import TABLES, USUAL
from sessionbrowser.statistics.lines import Look, lines

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.library import Library


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "stats", help="count sessions, prompts, tools and tokens", allow_abbrev=False,
        description="Count over the sessions that fit QUERY. A session counts as a whole, on the day of its last activity; of "
        "models, with every one it used, its prompts and calls with the one that answered last. "
        "Cost is estimated where the configuration says what a model costs ([prices]).",
    )  # fmt: skip
    parser.add_argument("--by", action="append", choices=TABLES, default=[], help="only this table; may be repeated (default: all but branch and file)")
    parser.add_argument("--limit", metavar="N", type=int, default=12, help="at most N rows of a table for people, 0 for all (default: 12)")
    many.add(parser, window=False)


def run(args: argparse.Namespace, env: Environment) -> int:
    if args.limit < 0:
        raise options.Refused("--limit takes a number of rows")
    with zones.zone(args.tz):
        return _run(args, env)


def _run(args: argparse.Namespace, env: Environment) -> int:
    from sessionbrowser.statistics import gather

    library = options.open_library(args, env)
    sessions = many.selected(args, library)
    tables = tuple(dict.fromkeys(args.by)) or USUAL
    with progress("counting") as line:
        found = gather(library, sessions, tables, progress=line)
    many.warn_unread(found.unreadable, library)
    if args.json:
        made = {"schema": 1, **found.json(), "unreadable": many.unread_json(found.unreadable)}
        output.write_json(deep_mask(made) if args.safe else made)
    else:
        look = _look(args, library)
        from sessionbrowser.commands.table import write_lines

        write_lines(lines(found, tables, look), library)
    return many.status(bool(sessions), args, library)


def _look(args: argparse.Namespace, library: Library) -> Look:
    from sessionbrowser.commands.table import signs_of, terminal_width

    env = library.environment
    return Look(terminal_width(env) if output.on_terminal() else 160, env.home, args.limit, signs_of(library).is_ascii, args.safe)
