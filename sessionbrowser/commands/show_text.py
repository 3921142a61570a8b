"""A session as lines for a terminal, a pipe or a preview window, drawn as the screen draws it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from sessionbrowser.export.filediff import FileDiff
from sessionbrowser.export.files import Changed
from sessionbrowser.export.folding import name_of
from sessionbrowser.export.nested import owner
from sessionbrowser.export.skeleton import Bone
from sessionbrowser.export.views import WHY_LINES, Read
from sessionbrowser.model import Block, Session
from sessionbrowser.render import blocks as drawing
from sessionbrowser.render import diff
from sessionbrowser.render.blocks import FOLDED, OPEN, WHOLE, Fold
from sessionbrowser.render.going import UnderWay, none_is
from sessionbrowser.render.items import Items, rows_above
from sessionbrowser.render.palette import Palette
from sessionbrowser.render.rows import EMPTY, Look, Piece, Row, clip, width_of, wrap_pieces
from sessionbrowser.text import amount, cells, clock, cut, cut_before, date, fit, one_line

if TYPE_CHECKING:
    from rich.color import ColorSystem

_HEADED = ("full", "conversation", "skeleton", "preview", "before-compaction")


def lines(session: Session, blocks: Sequence[Block], view: str, read: Read, look: Look, *, bare: bool = False,
          under_way: UnderWay = none_is) -> Iterator[Row]:  # fmt: skip
    """The rows of a view that is made of blocks; with `bare`, calls are one line each."""
    if view in _HEADED:
        yield from header(session, look)
    if view == "preview":
        blocks = _newest(blocks, look, read)
    items = Items()
    if view != "preview":
        items.opened = {block.branch for block in blocks}
    items.rebuild(blocks)
    look = look._replace(limit=WHY_LINES if view == "errors" else 12 if view == "preview" else 0)
    turn = 0
    for at in range(len(items)):
        if view in ("errors", "tools") and items.block(at).turn != turn:
            if at:
                yield EMPTY
            turn = items.block(at).turn
            yield Row(((f"turn {turn}", "faint"),))
        running = under_way(items.block(at))
        yield from _item(items, at, view, read, look, bare, running)


def _item(items: Items, at: int, view: str, read: Read, look: Look, bare: bool, running: bool) -> Iterator[Row]:
    block, fold = items.block(at), _fold(items, at, view)
    if view == "final" and (agent := owner(block)) is not None:
        yield from (EMPTY, Row(((name_of(agent), "faint"),)))
    elif view == "final" and at:
        yield EMPTY
    if bare and block.kind == "tool":
        fold = FOLDED
    if view not in ("errors", "tools", "final"):
        yield from rows_above(block, items.above[at], look)
    wanted = not items.is_marker(at) and drawing.needs_body(block, fold)
    yield from drawing.draw(block, read(block) if wanted else None, look, fold, running=running)


def _fold(items: Items, at: int, view: str) -> Fold:
    block = drawing.drawn(items.block(at))
    if items.is_marker(at):
        return OPEN if block.branch in items.opened else FOLDED
    if view == "errors":
        return OPEN
    if block.kind == "note" and block.what == "injected":
        return FOLDED
    if view in ("full", "tools", "advisor", "special", "before-compaction") or block.kind in ("prompt", "text"):
        return WHOLE if view != "preview" else OPEN
    return FOLDED


def header(session: Session, look: Look) -> list[Row]:
    """What the session is, above its transcript."""
    facts = [session.source, session.project, session.branch or "", session.model or "", date(session.updated), session.status]
    if session.tokens and session.tokens.total:
        facts.append(f"{amount(session.tokens.total)} tokens")
    title = cut(session.title or one_line(session.id), look.width - 1, look.glyphs.ellipsis)
    shown = cut("  ".join(one_line(fact) for fact in facts if fact), look.width - 1, look.glyphs.ellipsis)
    return [Row(((title, "heading.1"),)), Row(((shown, "faint"),)), EMPTY]


def _newest(blocks: Sequence[Block], look: Look, read: Read) -> Sequence[Block]:
    """The last turns, as many as fit on `look.limit` rows; the last one always."""
    room = look.limit - 3
    start = len(blocks)
    turn = blocks[-1].turn if blocks else 0
    height = 0
    for at in range(len(blocks) - 1, -1, -1):
        height += drawing.estimate(blocks[at], look, OPEN if blocks[at].kind in ("prompt", "text") else FOLDED)
        if blocks[at].turn != turn and height > room:
            break
        if blocks[at].kind == "prompt" or at == 0:
            start = at
            turn = blocks[at].turn
    if start == len(blocks) and blocks:
        start = max(0, len(blocks) - 400)
    return blocks[start:]


def files_rows(touched: Sequence[Changed], look: Look) -> list[Row]:
    """The view of files: a line a path."""
    if not touched:
        return [Row((("no file was touched", "dim"),))]
    changes = [_change(item, look) for item in touched]
    width = max(7, *map(width_of, changes))
    rows = [Row(((f"  read  edit  new  {'lines':>{width}}  path", "faint"),))]
    for item, change in zip(touched, changes, strict=True):
        counts = "".join(fit(str(count or ""), room, right=True) for count, room in
                         ((item.read, 6), (item.edited, 6), (item.created, 5)))  # fmt: skip
        pad = " " * (2 + width - width_of(change))
        rows.append(Row(((counts, "dim"), (pad, ""), *change, ("  ", ""), (look.path(item.path), "text"))))
    for item in touched:
        if item.final is not None and item.final.edits:
            rows += [EMPTY, *diff_rows(item.final, look)]
    return rows


def _change(item: Changed, look: Look) -> list[Piece]:
    """How many lines of a file were added and removed."""
    added = f"+{item.added}" if item.added else ""
    removed = f"{look.glyphs.minus}{item.removed}" if item.removed else ""
    return [(added, "ok"), (" " if added and removed else "", ""), (removed, "bad")]


def diff_rows(final: FileDiff, look: Look) -> list[Row]:
    """What became of one file; edits that could not be placed last."""
    made = diff.rows(final.diff, look, lead=(("  ", ""),), named=True)
    if final.loose:
        made.append(Row((("  edits of lines that are not known, as they were made", "faint"),)))
        made += diff.rows(final.diff._replace(hunks=final.loose), look, lead=(("  ", ""),))
    return made


def wrapped_rows(facts: Sequence[tuple[str, str]], look: Look) -> Iterator[Row]:
    """Labelled lines, nothing cut."""
    width = max((len(name) for name, _ in facts), default=0) + 2
    for name, text in facts:
        for number, pieces in enumerate(wrap_pieces(((text, "text"),), max(20, look.width - width - 1))):
            yield Row((((name if not number else "").ljust(width), "faint"), *pieces))


_IN_ASCII = str.maketrans({"×": "x", "→": "->", "−": "-", "·": "."})


def bone_rows(session: Session, bones: Iterable[Bone], look: Look, *, headed: bool = True) -> Iterator[Row]:
    """A skeleton: the time of day beside each text and each run of calls; not `headed`, it goes on from other bones."""
    if headed:
        yield from header(session, look)
    before = "" if headed else "tool"
    time_of_day = lru_cache(maxsize=8)(clock)  # to the minute: most bones share theirs with the one before
    signs = {"prompt": look.glyphs.bar, "tool": look.glyphs.leaf}
    widths = {kind: cells(sign) for kind, sign in signs.items()}
    for bone in bones:
        indent = "  " if bone.agent else ""
        if before and (bone.kind == "prompt" or (bone.kind == "text" and before != "note")):
            yield EMPTY
        before = bone.kind
        style = {"prompt": "prompt", "tool": "bad" if bone.bad else "dim", "note": "faint"}.get(bone.kind, "text")
        lead = f"{time_of_day(bone.time and bone.time // 60 * 60):5} {indent}{signs.get(bone.kind, ' ')} "
        edge = 7 + len(indent) + widths.get(bone.kind, 1)
        if bone.kind == "tool":
            yield Row(((lead, "faint"), (_call(bone, max(20, look.width - edge - 1), look.glyphs.ellipsis), style)))
            continue
        rest = " " * 6 + indent + (look.glyphs.bar if bone.kind == "prompt" else " ") + " "
        for line in _folded(bone.text, max(20, look.prose - edge)):
            yield Row(((lead, "faint"), (line, style)))
            lead = rest


def _call(bone: Bone, width: int, ellipsis: str) -> str:
    """A run of calls in at most `width` cells: what was called is cut before how it went."""
    if ellipsis.isascii():
        return cut_before(bone.text.translate(_IN_ASCII), bone.came.translate(_IN_ASCII), width, ellipsis)
    return cut_before(bone.text, bone.came, width, ellipsis)


def _folded(text: str, width: int) -> list[str]:
    """A text in lines of at most `width` cells, broken between words."""
    made: list[str] = []
    plain = "\t" not in text and _is_narrow(text)
    for line in text.split("\n"):
        if not plain and ("\t" in line or not _is_narrow(line)):
            made += ("".join([part for part, _ in pieces]) for pieces in wrap_pieces(((line, ""),), width))
            continue
        while len(line) > width:
            at = line.rfind(" ", 1, width + 1)
            at = at if at > 0 else width
            made.append(line[:at].rstrip())
            line = line[at:].lstrip(" ")
        made.append(line)
    return made


def _is_narrow(text: str) -> bool:
    """Whether each character of a text takes one cell, as in nearly all."""
    return text.isascii() or cells(text.replace("\n", "")) == len(text) - text.count("\n")


def brief_rows(facts: Sequence[tuple[str, str]], look: Look) -> list[Row]:
    """The view of six lines."""
    width = max(len(name) for name, _ in facts) + 2
    room = max(20, look.width - width - 1)
    return [Row(((name.ljust(width), "faint"), (cut(text, room, look.glyphs.ellipsis), "text"))) for name, text in facts]


def writer(palette: Palette | None, depth: str, width: int) -> Callable[[Iterable[Row]], Iterator[str]]:
    """What turns rows into lines: without a palette plain text, else with SGR in `depth` colours (standard, 256, truecolor)."""
    return _plain if palette is None else _Coloured(palette, depth, width)


def _plain(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        yield row.text.rstrip() + "\n"


class _Coloured:
    """Rows as text with SGR sequences, which are all that is ever written beside the text."""

    def __init__(self, palette: Palette, depth: str, width: int) -> None:
        from rich.color import ColorSystem

        self.palette, self.width = palette, width
        self.system: ColorSystem = {"standard": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT}.get(depth, ColorSystem.TRUECOLOR)

    def __call__(self, rows: Iterable[Row]) -> Iterator[str]:
        for row in rows:
            pieces: list[Piece] = clip(row.pieces, self.width) if width_of(row.pieces) > self.width else list(row.pieces)
            if row.fill and (left := self.width - width_of(pieces)) > 0:
                pieces.append((" " * left, row.fill))
            yield "".join(self._sgr(text, style) for text, style in pieces).rstrip(" ") + "\n"

    def _sgr(self, text: str, style: str) -> str:
        made = self.palette.style(style)
        return made.render(text, color_system=self.system) if text and made else text
