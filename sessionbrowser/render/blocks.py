"""A block of a transcript as rows: its heading, and its body when it is open."""

from __future__ import annotations

from typing import NamedTuple

from sessionbrowser.model import Block, Body, Picture, Plain, Prose
from sessionbrowser.render import markdown, notes, parts, tools
from sessionbrowser.render.rows import Look, Piece, Row, Rows, Stack, TextRows
from sessionbrowser.text import clock, cut, plural

_BAR_GAP = "   "
_PROMPT_LIMIT = 60  # rows of a prompt before "… 200 lines more"
_NAMES = {"typed": "You", "queued": "You", "slash": "You", "bash": "You", "subagent": "Task"}
_HOW = {"queued": "queued", "bash": "ran"}


class Fold(NamedTuple):
    """How far a block is open."""

    open: bool = False
    all: bool = False  # nothing left out


FOLDED, OPEN, WHOLE = Fold(), Fold(True), Fold(True, True)


def drawn(block: Block) -> Block:
    """A block as what it is drawn as: a prompt that no person entered as a note."""
    return block._replace(kind="note", what="injected") if block.kind == "prompt" and block.name else block


def is_foldable(block: Block) -> bool:
    """Whether the block has a heading that its body can be folded behind."""
    block = drawn(block)
    return block.kind in ("tool", "thinking", "image") or (block.kind == "note" and has_more(block))


def has_more(note: Block) -> bool:
    """Whether a note says more than its one line."""
    return note.what != "compaction" and note.what != "branch" and (note.lines > 1 or note.size > max(len(note.title), 100))


def needs_body(block: Block, fold: Fold) -> bool:
    """Whether drawing the block takes its body."""
    block = drawn(block)
    if block.kind in ("prompt", "text"):
        return True
    return fold.open and is_foldable(block) and not (block.kind == "thinking" and not block.size)


def draw(block: Block, body: Body | None, look: Look, fold: Fold, *, running: bool = False) -> Rows:
    """All rows of a block; with `body` None where one is needed, a placeholder of one row stands for it."""
    look = look._replace(limit=0) if fold.all else look
    rows = _DRAW[drawn(block).kind](drawn(block), body, look, fold, running)
    return Stack([[_numbered(rows[0], block)], rows[1:]]) if block.kind == "prompt" and block.name else rows


def _numbered(head: Row, block: Block) -> Row:
    """The line of a note that begins a turn, with its number in place of the first blanks."""
    return head._replace(pieces=((f"{block.turn:<2}", "prompt.number"), *head.pieces[1:]))


def _prompt(block: Block, body: Body | None, look: Look, fold: Fold, running: bool) -> Rows:
    bar: Piece = (look.glyphs.bar, "prompt.bar")
    head = _prompt_heading(block, look)
    if body is None:
        return [head, Row((bar, (_BAR_GAP, ""), (cut(block.title, look.prose, look.glyphs.ellipsis), "prompt")))]
    lead = (bar, (_BAR_GAP, ""))
    limited = look._replace(limit=_PROMPT_LIMIT) if look.limit else look
    return Stack([[head], *(parts.middle_cut(_said(part, look, lead), limited, lead) for part in _parts(body))])


def _prompt_heading(block: Block, look: Look) -> Row:
    number = str(block.turn) if block.turn > 0 else ""
    how = _HOW.get(block.what, "")
    when = clock(block.time)
    return Row((
        (number.ljust(4) if len(number) < 4 else number + " ", "prompt.number"), (_NAMES.get(block.what, "You"), "prompt.name"),
        (f"  {how}" if how else "", "faint"), (f"  {when}" if when else "", "faint"),
    ))  # fmt: skip


def _parts(body: Body) -> tuple[object, ...]:
    return body.parts or ((Prose(body.text),) if body.text else ())


def _said(part: object, look: Look, lead: tuple[Piece, ...]) -> Rows:
    """A part of a prompt: as it was typed, unless it has fenced code in it."""
    if isinstance(part, Prose):
        if "```" in part.text:
            return markdown.rows(part.text, look, lead=lead, style="prompt")
        return TextRows(part.text.strip("\n"), look._replace(wrap=True), width=look.prose, style="prompt", lead=lead)
    if isinstance(part, Picture):
        return [Row((*lead, (look.glyphs.said(cut(parts.picture_words(part), look.prose, look.glyphs.ellipsis)), "dim")))]
    if isinstance(part, Plain):
        return TextRows(part.text.strip("\n"), look, width=look.inner, style="output", spans=part.spans, lead=lead)
    return [Row((*lead, *row.pieces[1:]), row.fill) for row in parts.draw(part, look)]  # type: ignore[arg-type]


def _text(block: Block, body: Body | None, look: Look, fold: Fold, running: bool) -> Rows:
    lead: tuple[Piece, ...] = ((" " * 4, ""),)
    if body is None:
        return [Row((*lead, (cut(block.title, look.prose, look.glyphs.ellipsis), "dim")))]
    runs = [_answer(part, look, lead) for part in _parts(body)]
    return Stack(runs) if any(len(run) for run in runs) else [Row((*lead, ("no text", "note")))]


def _answer(part: object, look: Look, lead: tuple[Piece, ...]) -> Rows:
    if isinstance(part, Prose):
        return markdown.rows(part.text, look, lead=lead)
    return parts.draw(part, look)  # type: ignore[arg-type]


def _thinking(block: Block, body: Body | None, look: Look, fold: Fold, running: bool) -> Rows:
    size = plural(block.lines, "line") if block.size else block.what or "empty"
    sign = look.glyphs.leaf if not block.size else look.glyphs.unfolded if fold.open else look.glyphs.folded
    head = Row((("  ", ""), (sign + " ", "fold"), ("thinking", "thinking"), ("  " + size, "tool.fact")))
    if not fold.open or not block.size:
        return [head]
    if body is None:
        return [head, _waiting(look)]
    lead = ((" " * 4, ""), (look.glyphs.edge + " ", "edge"))
    narrow = look._replace(width=look.width - 2)
    runs = (markdown.rows(part.text, narrow, lead=lead, style="thinking") if isinstance(part, Prose)
            else parts.draw(part, look) for part in _parts(body))  # type: ignore[arg-type]  # fmt: skip
    return Stack([[head], *runs])


def _tool(block: Block, body: Body | None, look: Look, fold: Fold, running: bool) -> Rows:
    head = tools.heading(block, look, folded=not fold.open, running=running)
    if not fold.open:
        return [head]
    if body is None:
        return [head, _waiting(look)]
    return Stack([[head], tools.rows(block, body, look)])


def _note(block: Block, body: Body | None, look: Look, fold: Fold, running: bool) -> Rows:
    more = has_more(block)
    head = notes.heading(block, look, folded=not fold.open, openable=more)
    if not (more and fold.open):
        return [head]
    if body is None:
        return [head, _waiting(look)]
    return Stack([[head], *(parts.draw(_dimmed(part), look) for part in _parts(body))])  # type: ignore[arg-type]


def _dimmed(part: object) -> object:
    """A note's text as it is: it is rarely written as Markdown."""
    return Plain(part.text) if isinstance(part, Prose) else part


def _image(block: Block, body: Body | None, look: Look, fold: Fold, running: bool) -> Rows:
    sign = look.glyphs.unfolded if fold.open else look.glyphs.folded
    words = block.title if "image" in block.title.lower() else f"image  {block.title}".rstrip()
    title = look.glyphs.said(cut(words, look.inner, look.glyphs.ellipsis))
    head = Row((("  ", ""), (sign + " ", "fold"), (title, "tool.main")))
    if not fold.open:
        return [head]
    if body is None:
        return [head, _waiting(look)]
    return Stack([[head], *(parts.draw(part, look) for part in body.parts)])


def _waiting(look: Look) -> Row:
    return Row(((" " * 4, ""), (look.glyphs.edge + " ", "edge"), (look.glyphs.ellipsis, "more")))


def estimate(block: Block, look: Look, fold: Fold) -> int:
    """How many rows the block will take, give or take, without its body."""
    block = drawn(block)
    if block.kind in ("prompt", "text"):
        rows = max(block.lines, 1) + block.size // max(20, look.prose)
        return rows + 1 if block.kind == "text" else min(rows, _PROMPT_LIMIT if look.limit and not fold.all else rows) + 1
    if not fold.open or not is_foldable(block):
        return 1
    rows = max(block.lines, 1) + block.size // max(20, look.inner) // 2
    return 1 + (rows if fold.all or not look.limit else min(rows, look.limit + 1))


def is_cut(rows: Rows, block: Block) -> bool:
    """Whether drawn rows leave something out that opening further would show."""
    last = len(rows)
    return any(_is_more(rows[at]) for at in range(1, min(last, 400)))


def _is_more(row: Row) -> bool:
    return bool(row.pieces) and row.pieces[-1][1] == "more" and row.pieces[-1][0].endswith("more")


_DRAW = {
    "prompt": _prompt, "text": _text, "thinking": _thinking, "tool": _tool, "note": _note, "image": _image,
}  # fmt: skip

