"""Statistics as lines for eyes: the sums, and tables with bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sessionbrowser.paths import shown
from sessionbrowser.render.bars import bar
from sessionbrowser.safe import mask
from sessionbrowser.statistics import Figures, FileFigures, Statistics, ToolFigures
from sessionbrowser.text import amount, cells, change, cut, cut_middle, fit, folded, plural

LABEL = 12  # cells that a name gets at least


class Look(NamedTuple):
    """How the lines are to be: at most `limit` rows of a table (0: all), `safe` masks names."""

    width: int
    home: str = ""
    limit: int = 12
    ascii_only: bool = False
    safe: bool = False


def lines(found: Statistics, tables: Sequence[str], look: Look) -> Iterator[str]:
    """All of it: the sums, then one table below the other."""
    for sentence in head(found):
        yield from folded(sentence, look.width)
    for name in tables:
        yield ""
        yield from table(found, name, look)


def table(found: Statistics, name: str, look: Look) -> Iterator[str]:
    """One table under its heading."""
    if name == "tool":
        rows = [(key, *_tool(figures)) for key, figures in found.tool_table()]
    elif name == "file":
        rows = [(shown(mask(key) if look.safe else key, look.home), *_file(figures)) for key, figures in found.file_table()]
    else:
        rows = [(mask(key) if look.safe else key, *_sums(figures, found)) for key, figures in found.table(name)]
    yield from _rows(name, rows, look)


def head(found: Statistics) -> Iterator[str]:
    """What there is in all, in two or three lines."""
    total, counts = found.total, found.total.counts
    yield (f"{plural(total.sessions, 'session')}, {plural(counts.prompts, 'prompt')}, {plural(counts.answers, 'answer')}, "
           f"{plural(counts.tool_calls, 'tool call')} ({plural(counts.tool_errors, 'error')}), {plural(found.subagents, 'subagent')}")  # fmt: skip
    tokens = total.tokens
    yield (f"{amount(tokens.total)} tokens: {amount(tokens.input)} in, {amount(tokens.output)} out, {amount(tokens.cache_read)} from cache, "
           f"{amount(tokens.cache_write)} into cache")  # fmt: skip
    if total.cost is not None:
        share = found.priced.total / tokens.total if tokens.total else 1.0
        yield f"about {money(total.cost, found.config.currency)}" + (f" for the {share:.0%} of tokens whose price is known" if share < 0.995 else "")


def money(cost: float, currency: str) -> str:
    """$12.30; two digits behind the point, more for less than a cent."""
    return f"{currency}{cost:,.2f}" if cost >= 0.01 or not cost else f"{currency}{cost:.4f}"


Told = tuple[str, int]  # a figure with its word, and when it gives way where there is no room: the highest first, 0 never
Line = tuple[str, float, tuple[Told, ...]]  # a name, what its bar shows, and the figures beside it


def _many(number: int, width: int, word: str) -> str:
    """A number and what it counts, as wide for one as for several."""
    return f"{number:>{width},} {word}{' ' if number == 1 else 's'}"


def _sums(figures: Figures, found: Statistics) -> tuple[float, tuple[Told, ...]]:
    cost = f"{money(figures.cost, found.config.currency):>10}" if figures.cost is not None else ""
    counts = figures.counts
    return float(figures.tokens.total), (
        (f"{figures.sessions:>6,} sess", 0), (_many(counts.prompts, 6, "prompt"), 1), (_many(counts.tool_calls, 7, "call"), 2),
        (f"{counts.tool_errors:>5,} err", 3), (f"{amount(figures.tokens.total):>6} tok{cost}", 0),
    )  # fmt: skip


def _tool(figures: ToolFigures) -> tuple[float, tuple[Told, ...]]:
    return float(figures.calls), ((_many(figures.calls, 8, "call"), 0), (f"{figures.errors:>6,} err", 1), (f"{figures.sessions:>6,} sess", 2))


def _file(figures: FileFigures) -> tuple[float, tuple[Told, ...]]:
    changed = change(figures.added, figures.removed)
    return float(figures.edited + figures.created), (
        (f"{figures.read:>4} read", 2), (f"{figures.edited:>4} edited", 0), (f"{figures.created:>4} created", 1), (f"{changed:>12}", 0),
        (f"{figures.sessions:>4} sess", 3),
    )  # fmt: skip


def _fitting(rows: Sequence[tuple[Told, ...]], width: int) -> list[str]:
    """The figures of all rows, as many in each as fit into `width` cells."""
    for patience in sorted({when for _, when in rows[0]}, reverse=True):
        told = [" ".join(figure for figure, when in row if when <= patience) for row in rows]
        if max(map(len, told)) <= width:
            break
    return told


def _rows(name: str, rows: Sequence[Line], look: Look) -> Iterator[str]:
    kept = list(rows)
    if look.limit and len(kept) > look.limit:
        kept = kept[-look.limit :] if name == "day" else kept[: look.limit]
    yield f"by {name}" + (f" ({len(kept)} of {len(rows)})" if len(kept) < len(rows) else "")
    if not rows:
        yield "  nothing"
        return
    told = _fitting([row[2] for row in kept], look.width - LABEL - 4)
    figures = max(map(len, told))
    label = min(max(cells(row[0]) for row in kept), max(LABEL, look.width - figures - 4))
    room = max(0, min(24, look.width - figures - label - 5))
    most = max(row[1] for row in kept)
    for (key, value, _), text in zip(kept, told, strict=True):
        shorter = cut_middle(key, label) if name == "file" else cut(key, label)
        yield f"  {fit(shorter, label)} {text:<{figures}} {bar(value, most, room, ascii_only=look.ascii_only)}".rstrip()
