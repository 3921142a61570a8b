"""Tool calls: one telling line, and, opened, the form that suits what was done."""

from __future__ import annotations

from sessionbrowser import labels
from sessionbrowser.model import Block, Body, Code, Diff, Fields, Part, Prose
from sessionbrowser.render import parts
from sessionbrowser.render.going import YOURS
from sessionbrowser.render.rows import Look, Piece, Row, Rows, Stack, clip, width_of
from sessionbrowser.text import cells, cut, cut_middle, duration, plural, weight

_PATHS = ("read", "edit", "write")
_NO_ANSWER = ("in background", "still running", "not found", "teammate spawned")  # outcomes of a call to an agent that has not answered
_LARGE = 2_000  # bytes of one line from which on its size is told
_SLOW = 2.0  # seconds from which on the time a call took is worth its place


def heading(block: Block, look: Look, *, folded: bool, lead: str = "  ", running: bool = False) -> Row:
    """The line of a call: fold sign, name, main argument, outcome."""
    glyphs = look.glyphs
    bad = block.ok is False
    going = running and block.ok is None and not block.outcome
    yours = block.what in YOURS
    fold = (glyphs.waiting if yours else glyphs.running) if going else glyphs.folded if folded else glyphs.unfolded
    fold_style = ("status.waiting" if yours else "tool.running") if going else "fold.bad" if bad else "fold"
    lit = ".open" if going or not folded else ""
    facts = list(_facts(block, look, going))
    if not folded and look.own_names and (own := labels.own_name(block)):
        facts.append(("  " + cut(own, max(8, look.inner // 3), glyphs.ellipsis), "faint"))
    name = cut(glyphs.said(labels.label(block)), max(8, look.inner // 2), glyphs.ellipsis)
    room = look.inner - cells(name) - width_of(facts) - 1
    shorten = cut_middle if block.what in _PATHS and "  " not in block.title else cut
    title = ", ".join(look.path(part) for part in block.title.split(", ")) if block.what in _PATHS else block.title
    main = shorten(title, max(8, room), glyphs.ellipsis) if title and room >= 8 else ""
    pieces: list[Piece] = [(lead, ""), (fold + " ", fold_style), (name, "tool.name" + lit)]
    if main:
        pieces.append(("  " + main, "tool.main" + lit))
    return Row(tuple((glyphs.said(text), style) for text, style in clip((*pieces, *facts), look.width - 1, glyphs.ellipsis)))


def _facts(block: Block, look: Look, going: bool) -> list[Piece]:
    """What came of a call, in the order it matters."""
    glyphs = look.glyphs
    facts: list[Piece] = []
    if going:
        age = duration(max(0.0, look.now - block.time)) if block.time and look.now else ""
        if block.what in YOURS:
            return [(f"  waits for you {age}".rstrip(), "status.waiting")]
        return [(f"  running {age}".rstrip(), "tool.running")]
    if block.ok is False:
        why = f"exit {block.exit_code}" if block.exit_code else block.outcome or "failed"
        facts.append((f"  {glyphs.failed} {why}", "tool.bad"))
    if block.added or block.removed:
        if block.added:
            facts.append((f"  +{block.added}", "ok"))
        if block.removed:
            facts.append((f"{' ' if block.added else '  '}{glyphs.minus}{block.removed}", "bad"))
    elif block.ok and block.what == "agent" and block.outcome not in _NO_ANSWER:
        facts.append((f"  {glyphs.finished} {block.outcome.removeprefix('completed').lstrip(' ·')}".rstrip(), "tool.fact"))
    elif block.ok and block.outcome:
        facts.append((f"  {block.outcome}", "tool.fact"))
    elif block.what in ("shell", "read", "search", "mcp", "other", "web"):
        if block.lines > 1:
            facts.append(("  " + plural(block.lines, "line"), "tool.fact"))
        elif block.size >= _LARGE:
            facts.append((f"  {weight(block.size)}", "tool.fact"))
    if block.ok is None and not going:
        facts.append((f"  {block.outcome or 'no result'}", "tool.fact"))
    if block.ok is not None and block.ended and block.time and block.ended - block.time >= _SLOW:
        facts.append(("  " + duration(block.ended - block.time), "tool.fact"))
    return facts


def rows(block: Block, body: Body, look: Look) -> Rows:
    """The parts of an open call."""
    shown = [_unsaid(block, part) for part in body.parts if not _said_above(block, part, look)]
    runs: list[Rows] = []
    several = sum(isinstance(part, Diff) for part in shown) > 1
    labels = _labels(block, shown)
    for part, label in zip(shown, labels, strict=True):
        if label:
            runs.append([Row((parts.INDENTED, (label, "label")))])
        runs.append(parts.draw(part, look, named=several, bad=block.ok is False))
    if not any(len(run) for run in runs):  # of a call without a result the heading says how it stands
        return [Row((parts.INDENTED, parts.edge(look), ("no output", "more")))] if block.ok is not None else []
    return Stack(runs)


def _said_above(block: Block, part: Part, look: Look) -> bool:
    """Whether the heading shows all of a part already: a short command."""
    short = len(block.title) <= look.inner - cells(labels.label(block)) - 26
    return block.what == "shell" and isinstance(part, Code) and short and part.text.strip() == block.title


def _unsaid(block: Block, part: Part) -> Part:
    """The arguments of a search without those that its heading shows."""
    if block.what == "search" and isinstance(part, Fields):
        return Fields(tuple(pair for pair in part.pairs if pair[1] not in block.title))
    return part


def _labels(block: Block, shown: list[Part]) -> list[str]:
    if block.what == "agent" and len(shown) > 1 and isinstance(shown[0], Prose) and block.outcome not in _NO_ANSWER:
        return ["task", "answer", *[""] * (len(shown) - 2)]
    return [""] * len(shown)
