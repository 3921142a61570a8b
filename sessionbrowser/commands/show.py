"""`sb show`: one session as a transcript, or one view of it, as text, Markdown, JSON or a web page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.commands import options, output, show_options
from sessionbrowser.commands.options import Refused
from sessionbrowser.commands.show_write import Shown
from sessionbrowser.export import folding, views
from sessionbrowser.export.selection import NoTimes, Selection, chosen
from sessionbrowser.export.views import VIEWS
from sessionbrowser.model import Block, Handle, Session, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.sources.texts import Texts

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.library import Library

BIG = 4_000_000  # bytes from which on the end of a file is enough for its last turns


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    import argparse

    parser = subparsers.add_parser(
        "show", help="print one session", allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Print a session: a transcript, or one view of it. On a terminal it goes through $PAGER.",
        epilog="views:\n" + "\n".join(f"  {name:<17} {what}" for name, what in VIEWS.items())
        + "\n\nFILE is a session that lies in no store; - reads one, or a single record, from standard input."
        "\nAs a preview for fzf or television (--preview) it shows the newest turns, as many as fit."
        "\nTimes are local; a window is half-open: --since 9:00 --until 10:00 leaves out what was at ten sharp.",
    )  # fmt: skip
    show_options.add(parser)
    options.common(parser, every=False)


spelled_out = show_options.spelled_out


def run(args: argparse.Namespace, env: Environment) -> int:
    show_options.check(args)
    from sessionbrowser.commands import outside

    library = options.open_library(args, env)
    session = outside.listed(args.id, library) if outside.is_file(args.id) else None
    if session is None and outside.is_file(args.id):
        with outside.opened(args.id, library) as found:
            return _show(args, _shown(args, library, found.session, found.handle, Outlined(found.outline)))
    session = session or options.one_session(library, args.id)
    if args.safe:
        options.refuse_asking(session, library.environment)
    handle = library.handle(session)
    return _show(args, _shown(args, library, session, handle, _outline(args, library, handle)))


class Outlined(NamedTuple):
    """What was read of a session before bodies are."""

    outline: Transcript
    whole: bool = True  # False: only its end
    texts: Texts | None = None  # prompts and answers that need not be read again


def _outline(args: argparse.Namespace, library: Library, handle: Handle) -> Outlined:
    """All of the session, or its end when that is enough."""
    narrowed = args.turns or args.since or args.until or args.agents
    newest = is_preview(args, library.environment) or (args.view == "final" and not narrowed)
    if newest and handle.size >= BIG:
        opening = library.source(handle.source).opening(handle)
        if opening is not None and (views.keep("final", opening.blocks) if args.view == "final" else opening.blocks):
            return Outlined(opening, whole=False)
    outline, texts = library.outline_with_texts(handle)
    return Outlined(outline, texts=texts if args.view == "skeleton" else None)


def is_preview(args: argparse.Namespace, env: Environment) -> bool:
    """Whether this is the preview: asked for, or inside fzf's window with nothing else asked for."""
    if args.preview:
        return True
    asked = args.view or args.turns or args.last or args.since or args.until or args.role or args.tool or args.format != "text"
    return bool(env.get("FZF_PREVIEW_COLUMNS")) and not asked and not args.output and not output.on_terminal()


def _shown(args: argparse.Namespace, library: Library, session: Session, handle: Handle, read_so_far: Outlined) -> Shown:
    outline, whole, texts = read_so_far
    every: Sequence[Block] = folding.folded(library, handle, outline) if args.agents else outline.blocks
    blocks = _chosen(args, every, show_options.selection(args, library.environment))
    if whole:
        tokens = session.tokens if session.counts is not None or not outline.tokens.total else outline.tokens
        session = session._replace(counts=outline.counts, tokens=tokens)
    if outline.damage:
        session = session._replace(damaged_lines=len(outline.damage))
    read = folding.reader(library, handle, texts)
    counting = read
    if args.safe:
        from sessionbrowser.export import safely

        session = safely.safe_session(session)
        blocks = list(safely.safe_blocks(blocks))
        read, counting = safely.safe_reader(read), safely.safe_reader(read, tools=True)
    view = "preview" if is_preview(args, library.environment) else args.view or "full"
    narrowed = len(blocks) < len(every)
    return Shown(library, session, handle, outline, view, tuple(views.keep(view, blocks)), blocks, narrowed, read, counting, args.safe)


def _chosen(args: argparse.Namespace, blocks: Sequence[Block], wanted: Selection) -> list[Block]:
    """The blocks asked for. Raises Refused."""
    if args.view == "before-compaction":
        before = views.before_compaction(blocks, args.last)
        if before is None:
            raise Refused("this session was never compacted", 1)
        blocks = before
    try:
        return chosen(blocks, wanted)
    except views.BadRange as wrong:
        raise Refused(str(wrong)) from wrong
    except NoTimes:
        raise Refused("this session holds no times: --since and --until have nothing to go by") from None


def _show(args: argparse.Namespace, shown: Shown) -> int:
    from sessionbrowser.commands import show_write

    narrowed = args.turns or args.last or args.since or args.until or args.role or args.tool
    empty = not shown.blocks and bool(narrowed or shown.view not in ("full", "preview")) and shown.view not in show_options.TABLES
    if empty and args.format == "text" and not args.output:
        options.warn(_nothing(args, shown))
        return 1
    show_write.write(args, shown)
    return 1 if empty else 0


def _nothing(args: argparse.Namespace, shown: Shown) -> str:
    """Why there is nothing to show."""
    if args.turns and not shown.selected:
        return "there are no such turns"
    if not shown.selected and shown.outline.blocks:
        return "nothing of the session is left by these options"
    what = {"final": "no answer", "errors": "no failed call and no error", "prompts": "no prompt", "tools": "no tool call",
            "advisor": "no answer of an advisor", "special": "no special block"}.get(shown.view, "nothing of the kind")  # fmt: skip
    where = "" if len(shown.selected) == len(shown.outline.blocks) else " in this part of it"
    return f"the session holds {what}{where}"
