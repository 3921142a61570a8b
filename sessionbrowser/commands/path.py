"""`sb path`: the file of a session."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from sessionbrowser.commands import options, output
from sessionbrowser.paths import Environment, shown

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.model import Session


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "path", help="print the file of a session", allow_abbrev=False,
        description="Print the file (or database) of a session. Exit status: 0 found, 1 none, 2 several, which are all listed.",
    )  # fmt: skip
    parser.add_argument("id", metavar="ID", help="an id, the beginning of one, @last, @prev or @here")
    parser.add_argument("--specstory", action="store_true", help="print the SpecStory file of the same session instead")
    parser.add_argument("-z", "--print0", action="store_true", help="end lines with NUL instead of a line feed")
    options.common(parser, every=False)


def run(args: argparse.Namespace, env: Environment) -> int:
    library = options.open_library(args, env)
    found = library.find(args.id)
    end = "\0" if args.print0 else "\n"
    if args.specstory:
        written = [session._replace(path=path) for session in found if (path := _specstory(session))]
        if found and not written:
            options.warn("no SpecStory file of this session was found")
            return 1
        found = written
    for session in found:
        path = session.path
        output.write_text((shown(path) if output.on_terminal() else path) + end)
    sys.stdout.flush()
    if len(found) == 1:
        return 0
    options.warn_of_trouble(library)
    if not found:
        options.warn(options.nobody(args.id))
        return 2 if options.nothing_readable(library) else 1
    options.warn(f'"{args.id}" is the beginning of {len(found)} sessions')
    return 2


def _specstory(session: Session) -> str:
    """The SpecStory file of a session: as listed, else looked for now where the session ran."""
    if session.specstory:
        return session.specstory
    from sessionbrowser.sources import specstory

    return specstory.specstory_files([session.cwd or ""]).get(session.id, "")
