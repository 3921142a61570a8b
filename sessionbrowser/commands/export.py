"""`sb export`: write a session to a file, in SpecStory's layout, as Markdown, as a web page or as JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sessionbrowser.commands import options, output
from sessionbrowser.commands.options import Refused
from sessionbrowser.model import Block, Body, Session
from sessionbrowser.paths import Environment, shown

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from sessionbrowser.library import Library

    Read = Callable[[Block], Body]

FORMATS = ("specstory", "markdown", "html", "json")
_ENDINGS = {"markdown": ".md", "html": ".html", "json": ".json"}


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "export", help="write a session to a file", allow_abbrev=False,
        description="Write a session to a file. SpecStory's layout goes to .specstory/history of the session's project under the "
        "name SpecStory would give it, and never over the file of another session; the other formats go to standard output.",
    )  # fmt: skip
    parser.add_argument("id", metavar="ID", help="an id, the beginning of one, @last, @prev or @here")
    parser.add_argument("--format", choices=FORMATS, default="markdown", help="specstory, markdown (the default), html, json")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--output", metavar="FILE", help="to this file; - is standard output")
    where.add_argument("--to", metavar="DIR", help="into this folder, under a name made from time and title")
    options.common(parser, every=False)


def run(args: argparse.Namespace, env: Environment) -> int:
    library = options.open_library(args, env)
    session = options.one_session(library, args.id)
    handle = library.handle(session)
    blocks = list(library.outline(handle).blocks)

    def read(block: Block) -> Body:
        try:
            return library.body(handle, block)
        except OSError as error:
            return Body(f"[{error.strerror or error}]")

    pieces = _pieces(args.format, session, blocks, read, library)
    path = _path(args, session, blocks, read, library.environment)
    if path == "-":
        for piece in pieces:
            output.write_text(piece)
        return 0
    changed = _write(path, args.format, session, pieces)
    output.write_text(shown(path, library.environment.home) + "\n")
    if not changed:
        print("sb: nothing changed", file=sys.stderr)
    return 0


def _pieces(kind: str, session: Session, blocks: Sequence[Block], read: Read, library: Library) -> Iterator[str]:
    if kind == "specstory":
        from sessionbrowser.export import specstory

        return specstory.document(session, blocks, read)
    if kind == "html":
        from sessionbrowser.export import html

        return html.page(session, blocks, read)
    if kind == "json":
        return _json(session, blocks, read, library)
    from sessionbrowser.export import markdown

    return markdown.document(session, blocks, "full", read)


def _json(session: Session, blocks: Sequence[Block], read: Read, library: Library) -> Iterator[str]:
    from sessionbrowser.commands import rows
    from sessionbrowser.export import views

    turns = [views.turn_json(turn, "full", read) for turn in views.turns(blocks)]
    yield output.json_bytes({"schema": 1, "session": rows.session_json(session, library), "turns": turns}).decode() + "\n"


def _path(args: argparse.Namespace, session: Session, blocks: Sequence[Block], read: Read, env: Environment) -> str:
    """Where to write; "-" for standard output."""
    if args.output:
        return "-" if args.output == "-" else env.expand(args.output)
    if not args.to and args.format != "specstory":
        return "-"
    from sessionbrowser.export import specstory

    prompt = next((block for block in blocks if block.kind == "prompt" and not block.branch), None)
    name = specstory.file_name(session, read(prompt).text if prompt else session.title)
    if args.to:
        return os.path.join(env.expand(args.to), name.removesuffix(".md") + _ENDINGS.get(args.format, ".md"))
    if not session.cwd or not os.path.isdir(session.cwd):
        raise Refused("the session's directory is not there: say where with --to DIR or --output FILE")
    return os.path.join(session.cwd, ".specstory", "history", name)


def _write(path: str, kind: str, session: Session, pieces: Iterable[str]) -> bool:
    from sessionbrowser.export import specstory

    try:
        if kind == "specstory":
            return specstory.write(path, session, pieces)
        if os.path.lexists(path):
            raise Refused(f"{shown(path)} is there already")
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "x", encoding="utf-8", errors="replace", newline="\n") as file:
            file.writelines(pieces)
    except specstory.OtherSession as error:
        raise Refused(str(error)) from error
    except OSError as error:
        raise Refused(f"{shown(path)}: {error.strerror or error}") from error
    return True


