"""`sb show`: one session as a transcript, or one view of it, as text, Markdown, JSON or a web page."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.commands import options, output
from sessionbrowser.export import views
from sessionbrowser.export.views import VIEWS, Read
from sessionbrowser.model import Block, Body, Handle, Session, Transcript
from sessionbrowser.paths import Environment

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.library import Library
    from sessionbrowser.render.palette import Palette
    from sessionbrowser.render.rows import Look, Row

FORMATS = ("text", "markdown", "json", "html")
BIG = 4_000_000  # bytes from which on the end of a file is enough for its last turns
_NOT_BLOCKS = ("files", "brief")


class Shown(NamedTuple):
    """What is to be shown, read."""

    library: Library
    session: Session
    handle: Handle
    blocks: Sequence[Block]  # those of the turns asked for
    all_blocks: Sequence[Block]
    read: Read


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    import argparse

    parser = subparsers.add_parser(
        "show", help="print one session", allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Print a session: a transcript, or one view of it. On a terminal it goes through $PAGER.",
        epilog="views:\n" + "\n".join(f"  {name:<13} {what}" for name, what in VIEWS.items())
        + "\n\nFILE is a session that lies in no store; - reads one, or a single record, from standard input."
        "\nAs a preview for fzf or television (--preview) it shows the newest turns, as many as fit.",
    )  # fmt: skip
    parser.add_argument("id", metavar="ID|FILE|-", help="an id, the beginning of one, @last, @prev, @here, a file, or -")
    parser.add_argument("--view", choices=tuple(VIEWS), help="what to show (default: full)")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to write it (default: text)")
    parser.add_argument("--turns", metavar="A..B", default="", help="only these turns; A.., ..B, A, and -2.. for the last two")
    parser.add_argument("--last", metavar="N", type=int, default=0, help="only the last N turns")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colours in text (default: on a terminal)")
    parser.add_argument("--width", metavar="N", type=int, default=0, help="columns (default: the preview's, the terminal's, or 100)")
    parser.add_argument("--ascii", action="store_true", help="signs of ASCII only")
    parser.add_argument("--preview", action="store_true", help="the newest turns, as many as fit; the default inside fzf's preview")
    parser.add_argument("--no-pager", action="store_true", help="write to the terminal without $PAGER")
    options.common(parser, every=False)


def run(args: argparse.Namespace, env: Environment) -> int:
    if args.last < 0:
        raise options.Refused("--last wants a number of turns")
    if args.preview and (args.view or args.format != "text"):
        raise options.Refused("--preview is a view of its own, as text")
    from sessionbrowser.commands import outside

    library = options.open_library(args, env)
    if outside.is_file(args.id):
        with outside.opened(args.id, library) as found:
            return _show(args, _shown(args, library, found.session, found.handle, found.outline))
    session = options.one_session(library, args.id)
    handle = library.handle(session)
    return _show(args, _shown(args, library, session, handle, _outline(args, library, handle)))


def _outline(args: argparse.Namespace, library: Library, handle: Handle) -> Transcript:
    """All of the session, or its end when that is enough."""
    newest = _is_preview(args, library.environment) or (args.view == "final" and not args.turns)
    if newest and handle.size >= BIG:
        opening = library.source(handle.source).opening(handle)
        if opening is not None and (views.keep("final", opening.blocks) if args.view == "final" else opening.blocks):
            return opening
    return library.outline(handle)


def _shown(args: argparse.Namespace, library: Library, session: Session, handle: Handle, outline: Transcript) -> Shown:
    from sessionbrowser.commands.options import Refused

    def read(block: Block) -> Body:
        try:
            return library.source(handle.source).body(handle, block)
        except OSError as error:
            return Body(f"could not be read: {error.strerror or error}")

    try:
        blocks = views.within(outline.blocks, args.turns, args.last)
    except views.BadRange as wrong:
        raise Refused(str(wrong)) from wrong
    if session.counts is None:
        session = session._replace(counts=outline.counts, tokens=outline.tokens)
    if outline.damage:
        session = session._replace(damaged_lines=len(outline.damage))
    return Shown(library, session, handle, blocks, outline.blocks, read)


def _is_preview(args: argparse.Namespace, env: Environment) -> bool:
    if args.preview:
        return True
    asked = args.view or args.turns or args.last or args.format != "text"
    return bool(env.get("FZF_PREVIEW_COLUMNS")) and not asked and not output.on_terminal()


def _show(args: argparse.Namespace, shown: Shown) -> int:
    if (args.turns or args.last) and not shown.blocks and shown.all_blocks:
        options.warn("there are no such turns")
        return 1
    view = args.view or "full"
    if args.format == "json":
        _write_json(shown, view)
    elif args.format == "markdown":
        _write_lines(_markdown(shown, view))
    elif args.format == "html":
        from sessionbrowser.export.html import page

        if view in _NOT_BLOCKS:
            raise options.Refused(f"the view {view} is not written as html")
        _write_lines(page(shown.session, views.keep(view, shown.blocks), shown.read))
    else:
        _write_text(args, shown, "preview" if _is_preview(args, shown.library.environment) else view)
    return 0


# ── JSON ──


def _write_json(shown: Shown, view: str) -> None:
    """The contract's document, written turn by turn."""
    from sessionbrowser.commands.rows import session_json

    head = output.json_bytes({"schema": 1, "session": session_json(shown.session, shown.library)})
    out = sys.stdout.buffer
    sys.stdout.flush()
    out.write(head[:-1])
    if view == "files":
        touched = [item._asdict() for item in views.files(shown.blocks, shown.read, shown.session.cwd or "")]
        out.write(b',"files":' + output.json_bytes(touched) + b"}\n")
    elif view == "brief":
        facts = dict(views.brief(shown.session, shown.blocks, shown.read))
        out.write(b',"brief":' + output.json_bytes(facts) + b"}\n")
    else:
        out.write(b',"turns":[')
        for number, turn in enumerate(views.turns(views.keep(view, shown.blocks))):
            out.write((b"," if number else b"") + output.json_bytes(views.turn_json(turn, view, shown.read)))
        out.write(b"]}\n")
    out.flush()


# ── text ──


def _markdown(shown: Shown, view: str) -> Iterator[str]:
    from sessionbrowser.export import markdown

    if view == "files":
        return iter([markdown.files_table(views.files(shown.blocks, shown.read, shown.session.cwd or ""))])
    if view == "brief":
        return iter([markdown.brief_list(views.brief(shown.session, shown.blocks, shown.read))])
    return markdown.document(shown.session, views.keep(view, shown.blocks), view, shown.read)


def _write_lines(lines: Iterable[str]) -> None:
    sys.stdout.flush()
    for line in lines:
        sys.stdout.buffer.write(line.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def _write_text(args: argparse.Namespace, shown: Shown, view: str) -> None:
    from itertools import islice

    from sessionbrowser.commands import pager, show_text

    env = shown.library.environment
    palette, depth = _colours(args, shown.library)
    look = _look(args, shown)
    rows: Iterable[Row]
    if view == "files":
        rows = show_text.files_rows(views.files(shown.blocks, shown.read, shown.session.cwd or ""), look)
    elif view == "brief":
        rows = show_text.brief_rows(views.brief(shown.session, shown.blocks, shown.read), look)
    elif view == "preview":
        rows = islice(show_text.lines(shown.session, shown.blocks, view, shown.read, look), max(200, look.limit * 4))
    else:
        rows = show_text.lines(shown.session, views.keep(view, shown.blocks), view, shown.read, look)
    write = show_text.writer(palette, depth, look.width)
    pager.page(write(rows), env, wanted=output.on_terminal() and not args.no_pager)


def _look(args: argparse.Namespace, shown: Shown) -> Look:
    from sessionbrowser.render.glyphs import choose, needs_ascii
    from sessionbrowser.render.rows import Look, folders_of

    env = shown.library.environment
    plain = args.ascii or shown.library.config.glyphs == "ascii" or needs_ascii(env.variables, env.platform)
    return Look(
        width=max(20, args.width or _columns(env)), glyphs=choose(ascii=plain), limit=_preview_lines(env),
        folders=folders_of(shown.session.cwd, env.home),
    )  # fmt: skip


def _columns(env: Environment) -> int:
    for name in ("FZF_PREVIEW_COLUMNS", "COLUMNS"):
        if (said := env.get(name)).isdecimal() and 0 < int(said) < 10_000:
            return int(said)
    try:
        return os.get_terminal_size(1).columns or 100
    except (OSError, ValueError):
        return 100


def _preview_lines(env: Environment) -> int:
    said = env.get("FZF_PREVIEW_LINES")
    return int(said) if said.isdecimal() and 0 < int(said) < 10_000 else 60


def _colours(args: argparse.Namespace, library: Library) -> tuple[Palette | None, str]:
    """The palette to write with (None: plain text), and how many colours the terminal has."""
    from sessionbrowser.render import palette

    env = library.environment
    inside = bool(env.get("FZF_PREVIEW_COLUMNS")) or args.preview
    wanted = args.color == "always" or (args.color == "auto" and not env.get("NO_COLOR") and (output.on_terminal() or inside))
    if not wanted or (env.get("TERM") == "dumb" and args.color != "always"):
        return None, ""
    theme = library.config.theme
    if theme not in palette.THEMES:  # what is behind the text is known only where the terminal says so
        theme = palette.chosen({**env.variables, "NO_COLOR": ""}) if env.get("COLORFGBG") else "ansi"
    deep = env.get("COLORTERM").lower() in ("truecolor", "24bit")
    return palette.palette(theme), "standard" if theme == "ansi" else "truecolor" if deep else "256"
