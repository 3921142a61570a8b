"""`sb path`: the file of a session."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from sessionbrowser.commands import options, output
from sessionbrowser.paths import Environment, shown

if TYPE_CHECKING:
    import argparse


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "path", help="print the file of a session", allow_abbrev=False,
        description="Print the file (or database) of a session. Exit status: 0 found, 1 none, 2 several, which are all listed.",
    )  # fmt: skip
    parser.add_argument("id", metavar="ID", help="an id, the beginning of one, @last, @prev or @here")
    parser.add_argument("-z", "--print0", action="store_true", help="end lines with NUL instead of a line feed")
    options.common(parser, every=False)


def run(args: argparse.Namespace, env: Environment) -> int:
    library = options.open_library(args, env)
    found = library.find(args.id)
    end = "\0" if args.print0 else "\n"
    for session in found:
        path = shown(session.path) if output.on_terminal() else session.path
        output.write_text(path + end)
    sys.stdout.flush()
    if len(found) == 1:
        return 0
    options.warn_of_trouble(library)
    if not found:
        options.warn(f'no session is called "{args.id}"')
        return 2 if options.nothing_readable(library) else 1
    options.warn(f'"{args.id}" is the beginning of {len(found)} sessions')
    return 2
