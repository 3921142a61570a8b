"""What neither person nor agent said: compactions, interrupts, errors, hooks, as one dim line each."""

from __future__ import annotations

import time

from sessionbrowser.model import Block
from sessionbrowser.render.rows import Look, Piece, Row
from sessionbrowser.text import cells, cut

_SIGNS = {"interrupt": "interrupted", "error": "failed", "hook": "dot", "model": "arrow", "branch": "branch"}
_BAD = ("error",)


def heading(block: Block, look: Look, *, folded: bool, openable: bool) -> Row:
    """A note as one row. `openable`: there is more to it than this row."""
    if block.what == "compaction":
        return rule(block.title or "compacted", look)
    if block.what == "branch":
        return Row(((" " * 2, ""), ((look.glyphs.folded if folded else look.glyphs.unfolded) + " ", "fold"),
                    (look.glyphs.said(cut(block.title, look.inner, look.glyphs.ellipsis)), "note")))  # fmt: skip
    glyphs = look.glyphs
    sign = (glyphs.folded if folded else glyphs.unfolded) if openable else getattr(glyphs, _SIGNS.get(block.what, "dot"))
    style = "note.bad" if block.what in _BAD else "warn" if block.what == "interrupt" else "note"
    name = f"{block.name}  " if block.name else ""
    title = glyphs.said(cut(name + (block.title or block.what), look.inner, glyphs.ellipsis))
    return Row((("  ", ""), (sign + " ", "fold" if openable else style), (title, style)))


def rule(words: str, look: Look) -> Row:
    """A line across with a few words in it."""
    words = look.glyphs.said(cut(words, look.inner - 8, look.glyphs.ellipsis))
    rest = max(3, min(look.measure, look.inner) - cells(words) - 5)
    stroke = look.glyphs.rule
    return Row((("  ", ""), (stroke * 3 + " ", "line"), (words, "note"), (" " + stroke * rest, "line")))


def day(seconds: float, look: Look) -> Row:
    """The mark between two days."""
    moment = time.localtime(seconds)
    return rule(time.strftime("%a ", moment) + str(moment.tm_mday) + time.strftime(" %b %Y", moment), look)


def answerer(block: Block) -> list[Piece]:
    """Who answers, and when: the line above an answer."""
    from sessionbrowser.text import clock

    name = model_name(block.model) or "agent"
    when = clock(block.time)
    return [(name, "faint"), (f"  {when}" if when else "", "faint")]


def model_name(model: str) -> str:
    """A model's name as short as people say it: "sonnet-4-5" for "claude-sonnet-4-5-20250929"."""
    name = model.rsplit("/", 1)[-1].removeprefix("claude-").split("[", 1)[0]
    head, _, tail = name.rpartition("-")
    return head if head and len(tail) == 8 and tail.isdigit() else name
