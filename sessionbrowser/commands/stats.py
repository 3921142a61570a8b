"""`sb stats`: what was done in all: sessions, prompts, tokens, cost, tools, errors, models; by agent, project, day, file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sessionbrowser.commands import many, options, output, zones
from sessionbrowser.paths import Environment, shown
from sessionbrowser.safe import deep_mask
from sessionbrowser.statistics import TABLES, USUAL, Figures, FileFigures, Statistics, ToolFigures
from sessionbrowser.text import amount, cut, cut_middle, fit, plural

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.library import Library

_HEADS = {"source": "agent"}


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "stats", help="count sessions, prompts, tools and tokens", allow_abbrev=False,
        description="Count over the sessions that fit QUERY. A session counts as a whole, on the day of its last activity. "
        "Cost is estimated where the configuration says what a model costs ([prices]).",
    )  # fmt: skip
    parser.add_argument("--by", action="append", choices=TABLES, default=[], help="only this table; may be repeated (default: all but branch and file)")
    parser.add_argument("--limit", metavar="N", type=int, default=12, help="at most N rows of a table for people, 0 for all (default: 12)")
    many.add(parser, window=False)


def run(args: argparse.Namespace, env: Environment) -> int:
    if args.limit < 0:
        raise options.Refused("--limit takes a number of rows")
    with zones.zone(args.tz):
        return _run(args, env)


def _run(args: argparse.Namespace, env: Environment) -> int:
    from sessionbrowser.statistics import gather

    library = options.open_library(args, env)
    sessions = many.selected(args, library)
    line, clear = many.progress("counting")
    tables = tuple(dict.fromkeys(args.by)) or USUAL
    try:
        found = gather(library, sessions, tables, progress=line)
    finally:
        clear()
    options.warn_of_trouble(library)
    for path, why in found.unreadable:
        options.warn(f"{shown(path, library.environment.home)}: {why}")
    if args.json:
        made = {"schema": 1, **found.json(), "unreadable": [{"path": path, "reason": why} for path, why in found.unreadable]}
        output.write_json(deep_mask(made) if args.safe else made)
    else:
        output.write_text("".join(text + "\n" for text in lines(found, library, tables, args.limit, safe=args.safe)))
    if options.nothing_readable(library):
        return 2
    return 0 if sessions or not args.query else 1


def lines(found: Statistics, library: Library, tables: Sequence[str], limit: int, *, safe: bool = False, width: int = 0) -> Iterator[str]:
    """The statistics for people, bars included."""
    from sessionbrowser.commands.table import terminal_width
    from sessionbrowser.render import glyphs
    from sessionbrowser.safe import mask

    env = library.environment
    plain = library.config.glyphs == "ascii" or glyphs.needs_ascii(env.variables, env.platform)
    width = width or (terminal_width(env) if output.on_terminal() else 100)
    yield from _head(found)
    for name in tables:
        yield ""
        if name == "tool":
            yield from _rows(name, [(key, *_tool(figures)) for key, figures in found.tool_table()], limit, width, plain)
        elif name == "file":
            files = [(shown(mask(key) if safe else key, env.home), *_file(figures)) for key, figures in found.file_table()]
            yield from _rows(name, files, limit, width, plain)
        else:
            rows = [(mask(key) if safe else key, *_sums(figures, found)) for key, figures in found.table(name)]
            yield from _rows(name, rows, limit, width, plain)


def _head(found: Statistics) -> Iterator[str]:
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


Line = tuple[str, float, str]  # a name, what its bar shows, and the figures beside it


def _sums(figures: Figures, found: Statistics) -> tuple[float, str]:
    cost = f"{money(figures.cost, found.config.currency):>10}" if figures.cost is not None else ""
    counts = figures.counts
    return float(figures.tokens.total), (f"{figures.sessions:>6,} sess {counts.prompts:>6,} prompts {counts.tool_calls:>7,} calls {counts.tool_errors:>5,} err "
                                         f"{amount(figures.tokens.total):>6} tok{cost}")  # fmt: skip


def _tool(figures: ToolFigures) -> tuple[float, str]:
    return float(figures.calls), f"{figures.calls:>8,} calls {figures.errors:>6,} err {figures.sessions:>6,} sess"


def _file(figures: FileFigures) -> tuple[float, str]:
    changed = f"+{figures.added} −{figures.removed}" if figures.added or figures.removed else ""
    return float(figures.edited + figures.created), (f"{figures.read:>4} read {figures.edited:>4} edited {figures.created:>4} created {changed:>12} "
                                                     f"{figures.sessions:>4} sess")  # fmt: skip


def _rows(name: str, rows: Sequence[Line], limit: int, width: int, plain: bool) -> Iterator[str]:
    from sessionbrowser.render.bars import bar
    from sessionbrowser.text import cells

    shown_rows = list(rows)
    if limit and len(shown_rows) > limit:
        shown_rows = shown_rows[-limit:] if name == "day" else shown_rows[:limit]
    yield f"by {_HEADS.get(name, name)}" + (f" ({len(shown_rows)} of {len(rows)})" if len(shown_rows) < len(rows) else "")
    if not rows:
        yield "  nothing"
        return
    figures = max(len(row[2]) for row in shown_rows)
    label = min(max(cells(row[0]) for row in shown_rows), max(12, width - figures - 4))
    room = max(0, min(24, width - figures - label - 5))
    most = max(row[1] for row in shown_rows)
    for key, value, text in shown_rows:
        shorter = cut_middle(key, label) if name == "file" else cut(key, label)
        yield f"  {fit(shorter, label)} {text:<{figures}} {bar(value, most, room, ascii_only=plain)}".rstrip()
