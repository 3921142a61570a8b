"""`sb timeline`: the events of all sessions as one stream, in stretches with pauses between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from sessionbrowser.commands import many, options, output, zones
from sessionbrowser.commands.progress import progress
from sessionbrowser.commands.rows import tag_of
from sessionbrowser.paths import Environment
from sessionbrowser.text import clock, cut_before, date, duration, fit, iso, plural
from sessionbrowser.timeline import KINDS, USUAL, Happening, Stretch, stretches

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.library import Library

_SIGNS = {"prompt": "▍", "answer": " ", "error": "✗", "tools": "·", "compaction": "─", "interrupt": "!"}


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "timeline", help="print what happened when", allow_abbrev=False,
        description="Print the prompts, answers, errors, compactions and interrupts of all sessions that fit QUERY as one stream, in "
        "stretches with the pauses between them. A window is half-open.",
    )  # fmt: skip
    parser.add_argument("--gap", metavar="SPAN", default="30m", help="a pause longer than this ends a stretch (default: 30m)")
    parser.add_argument("--kind", action="append", choices=KINDS, default=[], help="only these events; may be repeated (default: all but tools)")
    parser.add_argument("--limit", metavar="N", type=int, default=0, help="only the last N events")
    many.add(parser)


def run(args: argparse.Namespace, env: Environment) -> int:
    gap = many.span(args.gap, "--gap")
    if args.limit < 0:
        raise options.Refused("--limit takes a number of events")
    with zones.zone(args.tz):
        return _run(args, env, gap)


def _run(args: argparse.Namespace, env: Environment, gap: float) -> int:
    from sessionbrowser.timeline import gather

    library = options.open_library(args, env)
    window = many.window_of(args, library.environment)
    sessions = many.selected(args, library)
    with progress("reading") as line:
        found, unreadable, untimed = gather(library, sessions, window, tuple(args.kind) or USUAL, progress=line)
    found = found[-args.limit :] if args.limit else found
    if args.safe:
        found = [_safely(item) for item in found]
    many.warn_unread(unreadable, library)
    parts = list(stretches(found, gap))
    if untimed:
        options.warn(f"{plural(untimed, 'event')} more without a time")
    elif not found and not args.json:
        options.warn("nothing happened in what was asked for")
    if args.json:
        output.write_json({**_document(parts, unreadable), "untimed": untimed})
    else:
        from sessionbrowser.commands.table import write_lines

        write_lines(lines(parts, library), library)
    return many.status(bool(found), args, library)


def _safely(item: Happening) -> Happening:
    from sessionbrowser.safe import mask

    return item._replace(text=mask(item.text, cut=True), came=mask(item.came, cut=True))


def _document(parts: Sequence[Stretch], unreadable: Sequence[tuple[str, str]]) -> dict[str, object]:
    return {
        "schema": 1,
        "stretches": [
            {"start": iso(part.start), "end": iso(part.end), "seconds": round(part.end - part.start, 3), "events": [_event(item) for item in part.happenings]}
            for part in parts
        ],
        "idle": [{"start": iso(a.end), "end": iso(b.start), "seconds": round(b.start - a.end, 3)} for a, b in pairwise(parts)],
        "unreadable": many.unread_json(unreadable),
    }  # fmt: skip


def _event(item: Happening) -> dict[str, object]:
    session = item.session
    return {"time": iso(item.time), "kind": item.kind, "session": session.id, "source": session.source, "project": session.project,
            "branch": session.branch, "turn": item.turn, "text": item.text}  # fmt: skip


def lines(parts: Sequence[Stretch], library: Library) -> Iterator[str]:
    """The stream for people."""
    from sessionbrowser.commands.table import terminal_width

    env = library.environment
    width = terminal_width(env) if output.on_terminal() else 140
    project = min(16, max((len(item.session.project) for part in parts for item in part.happenings), default=4))
    before: Stretch | None = None
    for part in parts:
        if before is not None:
            yield ""
            yield f"      idle {duration(part.start - before.end) if part.start - before.end < 172_800 else _days(part.start - before.end)}"
            yield ""
        busy = len({item.session.identity for item in part.happenings})
        yield f"{date(part.start)} to {clock(part.end) if date(part.end)[:10] == date(part.start)[:10] else date(part.end)}  {plural(busy, 'session')}"
        for item in part.happenings:
            head = f"{clock(item.time)}  {tag_of(item.session.source)} {fit(item.session.project, project)} {_SIGNS[item.kind]} "
            yield (head + cut_before(item.text, item.came, max(20, width - len(head) - 1))).rstrip()
        before = part


def _days(seconds: float) -> str:
    return plural(round(seconds / 86400), "day")
