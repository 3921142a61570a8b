"""Writing what `sb show` found: JSON turn by turn, Markdown and pages in pieces, text as rows; to the terminal or a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser import beside
from sessionbrowser.commands import options, output
from sessionbrowser.commands.options import Refused
from sessionbrowser.export import surroundings, views
from sessionbrowser.export.brief import brief
from sessionbrowser.export.files import Changed, changed
from sessionbrowser.export.nested import started_in, subagents
from sessionbrowser.export.skeleton import BOUND, Bone, shortened, skeleton
from sessionbrowser.export.views import Read
from sessionbrowser.model import Block, Body, Handle, Session, Transcript
from sessionbrowser.paths import shown as shown_path
from sessionbrowser.render.going import UnderWay, under_way

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.library import Library
    from sessionbrowser.render.rows import Look, Row

LONG = 8000  # blocks from which on a second process is worth its while


class Shown(NamedTuple):
    """What is to be shown, read."""

    library: Library
    session: Session
    handle: Handle
    outline: Transcript
    view: str
    blocks: Sequence[Block]  # those the view is made of
    selected: Sequence[Block]  # all that the options leave
    narrowed: bool  # whether they leave something out
    read: Read
    counting: Read  # reads what is counted and not shown
    safe: bool = False

    @property
    def under_way(self) -> UnderWay:
        """Which calls are being worked on."""
        return under_way(self.outline.blocks, self.session.status)

    def masked(self, text: str) -> str:
        if not self.safe:
            return text
        from sessionbrowser.safe import mask  # its patterns take as long as the rest of the command's imports

        return mask(text, cut=True)


def write(args: argparse.Namespace, shown: Shown) -> None:
    """Write it as the options say. Raises OSError, Refused."""
    if args.format == "text":
        _write_text(args, shown)
        return
    pieces = {"json": _json, "markdown": _markdown, "html": _html}[args.format](args, shown)
    if args.output:
        _into_file(args, shown, pieces)
        return
    sys.stdout.flush()
    for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def _into_file(args: argparse.Namespace, shown: Shown, pieces: Iterable[bytes]) -> None:
    """Into a new file, whole or not at all, and one line about it."""
    path = options.new_file(args.output, shown.library.environment)
    if os.path.lexists(path):
        raise Refused(f"{shown_path(path)} is there already")
    from sessionbrowser.export.write import put_whole

    size = put_whole(path, pieces)
    done = {"schema": 1, "written": path, "bytes": size, "format": args.format, "view": shown.view, "session": shown.session.id,
            "blocks": len(shown.blocks)}  # fmt: skip
    output.write_json(done)


# ── tables ──


def touched(args: argparse.Namespace, shown: Shown) -> list[Changed]:
    """The view of files. Raises Refused when the one asked for was not touched."""
    found = changed(shown.blocks, shown.counting, shown.session.cwd or "", diffs=bool(args.diff or args.file))
    if args.file:
        wanted = os.path.normpath(args.file)
        found = [item for item in found if os.path.normpath(item.path) == wanted or os.path.normpath(item.path).endswith(os.sep + wanted)]
        if not found:
            raise Refused("the session touched no such file", 1)
    return [item._replace(path=shown.masked(item.path)) for item in found]


def six_lines(shown: Shown) -> list[tuple[str, str]]:
    """The view of six lines."""
    tree = shown.library.agents(shown.handle, shown.outline)
    agents = tuple(started_in(tree, shown.selected) if shown.narrowed else subagents(tree))
    return [(name, shown.masked(text)) for name, text in brief(shown.session, shown.selected, shown.counting, agents)]


def facts(shown: Shown) -> tuple[list[surroundings.Fact], list[str] | None]:
    """The view of the surroundings, and the plugins of the agent's registry."""
    listed = shown.library.source(shown.handle.source).plugins(shown.handle.root)
    found = surroundings.surroundings(shown.session, shown.outline, listed)
    return [fact._replace(values=tuple(shown.masked(value) for value in fact.values)) for fact in found], listed


def labelled(shown: Shown) -> list[tuple[str, str]]:
    """A view of labelled lines."""
    if shown.view == "brief":
        return six_lines(shown)
    found, listed = facts(shown)
    return surroundings.lines(found, shown.library.source(shown.handle.source).tells, listed)


def bounded(read: Read, bound: int) -> Read:
    """What reads prompts and answers cut at `bound` characters."""

    def shorter(block: Block) -> Body:
        body = read(block)
        return Body(shortened(body.text, bound)) if block.kind in ("prompt", "text") else body

    return shorter


def bound_of(args: argparse.Namespace) -> int:
    return BOUND if args.bound is None else int(args.bound)


def _bones(args: argparse.Namespace, shown: Shown, blocks: Sequence[Block]) -> Iterator[Bone]:
    return skeleton(blocks, shown.read, bound_of(args), under_way=shown.under_way)


# ── JSON ──


def _json(args: argparse.Namespace, shown: Shown) -> Iterator[bytes]:
    """The contract's document, turn by turn."""
    from sessionbrowser.commands.rows import session_json

    head = output.json_bytes({"schema": 1, "session": session_json(shown.session, shown.library), "view": shown.view})
    yield head[:-1]
    if shown.view == "files":
        yield b',"files":' + output.json_bytes([item.json() for item in touched(args, shown)]) + b"}\n"
    elif shown.view == "brief":
        yield b',"brief":' + output.json_bytes(dict(six_lines(shown))) + b"}\n"
    elif shown.view == "environment":
        yield b',"environment":' + output.json_bytes({fact.name: list(fact.values) for fact in facts(shown)[0]}) + b"}\n"
    else:
        read = bounded(shown.read, bound_of(args)) if shown.view == "skeleton" else shown.read
        yield b',"turns":['
        for number, turn in enumerate(views.turns(shown.blocks)):
            yield (b"," if number else b"") + output.json_bytes(views.turn_json(turn, shown.view, read))
        yield b"]}\n"


# ── Markdown and pages ──


def _markdown(args: argparse.Namespace, shown: Shown) -> Iterator[bytes]:
    return (piece.encode("utf-8", "replace") for piece in _markdown_text(args, shown))


def _markdown_text(args: argparse.Namespace, shown: Shown) -> Iterator[str]:
    from sessionbrowser.export import markdown

    if shown.view == "files":
        yield markdown.files_table(touched(args, shown))
    elif shown.view in ("brief", "environment"):
        yield markdown.brief_list(labelled(shown))
    elif shown.view == "skeleton":
        yield from markdown.bones(shown.session, _bones(args, shown, shown.blocks), headed=args.format != "html")
    else:
        yield from markdown.document(shown.session, shown.blocks, shown.view, shown.read)


def _html(args: argparse.Namespace, shown: Shown) -> Iterator[bytes]:
    from sessionbrowser.export import html

    if shown.view in ("files", "brief", "environment", "skeleton"):
        pieces = html.sheet(shown.session, _markdown_text(args, shown))
    else:
        pieces = html.page(shown.session, shown.blocks, _beginnings(shown.read) if shown.view == "errors" else shown.read)
    return (piece.encode("utf-8", "replace") for piece in pieces)


def _beginnings(read: Read) -> Read:
    """What reads only the first lines of why a call failed."""
    from sessionbrowser.model import Plain

    def shorter(block: Block) -> Body:
        text = "\n".join(read(block).text.split("\n")[: views.WHY_LINES])
        return Body(text, (Plain(text),) if text else ())

    return shorter


# ── text ──


def _write_text(args: argparse.Namespace, shown: Shown) -> None:
    from sessionbrowser.commands import pager, show_look, show_text

    env = shown.library.environment
    look = show_look.look(args, shown)
    palette, depth = show_look.colours(args, shown.library)
    if args.output and args.color != "always":
        palette = None
    written = show_text.writer(palette, depth, look.width)
    lines = _skeleton(args, shown, look, written) if shown.view == "skeleton" else written(_rows(args, shown, look))
    if args.output:
        _into_file(args, shown, (line.encode("utf-8", "replace") for line in lines))
    else:
        pager.page(lines, env, wanted=output.on_terminal() and not args.no_pager)


def _skeleton(args: argparse.Namespace, shown: Shown, look: Look, written: Callable[[Iterable[Row]], Iterator[str]]) -> Iterator[str]:
    """The lines of a skeleton. The second half of a long one is drawn beside the first, where that is quicker."""
    from sessionbrowser.commands.show_text import bone_rows

    def drawn(blocks: Sequence[Block], *, headed: bool) -> Iterator[str]:
        return written(bone_rows(shown.session, _bones(args, shown, blocks), look, headed=headed))

    middle = _middle(shown.blocks) if len(shown.blocks) >= LONG else len(shown.blocks)
    rest = shown.blocks[middle:]
    begun = beside.begin(lambda: "".join(drawn(rest, headed=False)).encode("utf-8", "surrogatepass")) if rest else None
    if begun is None:
        yield from drawn(shown.blocks, headed=True)
        return
    with begun as other:
        yield from drawn(shown.blocks[:middle], headed=True)
        lines = other.result().decode("utf-8", "surrogatepass")
    yield from (lines,) if lines else drawn(rest, headed=False)


def _middle(blocks: Sequence[Block]) -> int:
    """Where a skeleton can be cut in two: before a prompt, outside what was rewound; its end when there is no such place."""
    for at in range(len(blocks) // 2, len(blocks)):
        if blocks[at].kind == "prompt" and not blocks[at].branch and not blocks[at - 1].branch:
            return at
    return len(blocks)


def _rows(args: argparse.Namespace, shown: Shown, look: Look) -> Iterable[Row]:
    from itertools import islice

    from sessionbrowser.commands import show_text

    if shown.view == "files":
        return show_text.files_rows(touched(args, shown), look)
    if shown.view == "brief":
        return show_text.brief_rows(six_lines(shown), look)
    if shown.view == "environment":
        return show_text.wrapped_rows(labelled(shown), look)
    lines = show_text.lines(shown.session, shown.blocks, shown.view, shown.read, look, bare=shown.safe, under_way=shown.under_way)
    return islice(lines, max(200, look.limit * 4)) if shown.view == "preview" else lines
