"""`sb export`: write sessions to files, in SpecStory's layout, as Markdown, as web pages or as JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.commands import options, output
from sessionbrowser.commands.options import Refused
from sessionbrowser.export import write
from sessionbrowser.export.names import apart
from sessionbrowser.export.views import Read
from sessionbrowser.model import Block, Session
from sessionbrowser.paths import Environment, shown
from sessionbrowser.sources.base import SourceError

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.library import Library


class Whole(NamedTuple):
    """A session with all of its blocks."""

    session: Session
    blocks: Sequence[Block]
    read: Read


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "export", help="write sessions to files", allow_abbrev=False,
        description="Write sessions to files. SpecStory's layout goes to .specstory/history of the session's project under the "
        "name SpecStory would give it, and never over the file of another session; the other formats go to standard output, or "
        "into a folder. A file that is there already is left alone.",
    )  # fmt: skip
    parser.add_argument("ids", nargs="+", metavar="ID", help="an id, the beginning of one, @last, @prev or @here; several with --to or --format specstory")
    parser.add_argument("--format", choices=write.FORMATS, default="markdown", help="specstory, markdown (the default), html, json")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--output", metavar="FILE", help="to this file; - is standard output")
    where.add_argument("--to", metavar="DIR", help="into this folder, under a name made from time and title")
    parser.add_argument("--agents", action="store_true", help="with the subagents' transcripts behind the calls that started them")
    parser.add_argument("--safe", action="store_true", help="secrets masked, no thinking, no raw tool input and output")
    options.common(parser, every=False)


def run(args: argparse.Namespace, env: Environment) -> int:
    if len(args.ids) > 1 and not args.to and (args.output or args.format != "specstory"):
        raise Refused("several sessions go into a folder: say which with --to DIR")
    if args.agents and args.format == "specstory":
        raise Refused("SpecStory's layout has no place for subagents: --agents does not go with it")
    library = options.open_library(args, env)
    if args.to:
        _check_folder(options.destination(args.to, library.environment), library.environment)
    sessions = {session.identity: session for session in [options.one_session(library, name) for name in args.ids]}
    names: set[str] = set()
    return max([_left(args, library, session, names) for session in sessions.values()])


def _left(args: argparse.Namespace, library: Library, session: Session, names: set[str]) -> int:
    """Export one of several; what can't be written is said and left, and no reason to leave the others. The exit status."""
    try:
        _export(args, library, session, names)
    except (Refused, SourceError) as wrong:
        options.warn(str(wrong))
        return 2
    return 0


def _check_folder(folder: str, env: Environment) -> None:
    """One new folder may be made, no path of them: that is a slip. Raises Refused."""
    above = os.path.dirname(folder.rstrip(os.sep)) or os.sep
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise Refused(f"{shown(folder, env.home)} is no folder")
    if not os.path.isdir(folder) and not os.path.isdir(above):
        raise Refused(f"{shown(above, env.home)} is no folder: --to makes one new folder, not those above it")


def _export(args: argparse.Namespace, library: Library, session: Session, names: set[str]) -> None:
    whole = _whole(args, library, session)
    pieces = write.pieces(args.format, whole.session, whole.blocks, whole.read, library)
    path = _path(args, whole, library.environment, names)
    if path == "-":
        for piece in pieces:
            output.write_text(piece)
        return
    changed = _write(path, args.format, whole.session, pieces)
    output.write_text(shown(path, library.environment.home) + "\n")
    if not changed:
        print("sb: nothing changed", file=sys.stderr)


def _whole(args: argparse.Namespace, library: Library, session: Session) -> Whole:
    from sessionbrowser.export import folding, safely

    handle = library.handle(session)
    outline = library.outline(handle)
    blocks: Sequence[Block] = folding.folded(library, handle, outline) if args.agents else outline.blocks
    read = folding.reader(library, handle)
    if args.safe:
        options.refuse_asking(session, library.environment)
        session, blocks, read = safely.safe_session(session), list(safely.safe_blocks(blocks)), safely.safe_reader(read)
    return Whole(session, blocks, read)


def _path(args: argparse.Namespace, whole: Whole, env: Environment, names: set[str]) -> str:
    """Where to write, under none of the `names` given before; "-" for standard output."""
    if args.output:
        return "-" if args.output == "-" else options.new_file(args.output, env, ": --to DIR writes into a folder")
    if not args.to and args.format != "specstory":
        return "-"
    name = write.file_name(args.format, whole.session, whole.blocks, whole.read)
    if args.format != "specstory":  # whose names are not ours to choose
        stem, ending = os.path.splitext(name)
        name = apart(stem, whole.session, names) + ending
    if args.to:
        return os.path.join(options.destination(args.to, env), name)
    cwd = whole.session.cwd
    if not cwd or not os.path.isdir(cwd):
        raise Refused("the session's directory is not there: say where with --to DIR or --output FILE")
    return os.path.join(cwd, ".specstory", "history", name)


def _write(path: str, form: str, session: Session, pieces: Iterable[str]) -> bool:
    from sessionbrowser.export import specstory

    try:
        if form == "specstory":
            return specstory.write(path, session, pieces)
        write.put(path, pieces)
    except FileExistsError as error:
        raise Refused(f"{shown(path)} is there already") from error
    except specstory.OtherSession as error:
        raise Refused(str(error)) from error
    except OSError as error:
        raise Refused(f"{shown(path)}: {error.strerror or error}") from error
    return True
