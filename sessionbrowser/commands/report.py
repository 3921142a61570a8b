"""`sb report`: how long it took: wall time, the agent's working time, the person's attention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sessionbrowser.commands import many, options, output, zones
from sessionbrowser.commands.progress import progress
from sessionbrowser.commands.rows import tag_of
from sessionbrowser.paths import Environment
from sessionbrowser.report import GROUPS, Line, Report
from sessionbrowser.text import cells, cut, date, duration, fit, iso, plural

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.library import Library


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "report", help="sum up how long it took", allow_abbrev=False,
        description="Sum up, for each session, project, source or day: wall time (of a session from the first to the last thing that "
        "happened; of several the time in which any of them was going on or had the person's attention), the agent's working time (within "
        "turns, without pauses in which nothing ran), and the person's attention: all prompts of all sessions are one stream, and the time "
        "between two of them that are no further apart than the break went to the session of the later one.",
    )  # fmt: skip
    parser.add_argument("--by", choices=GROUPS, default="session", help="what a row is (default: session)")
    parser.add_argument("--break", dest="pause", metavar="SPAN", default="10m", help="a pause longer than this is no work (default: 10m)")
    parser.add_argument("--limit", metavar="N", type=int, default=0, help="at most N rows for people: those with most attention; of days the last")
    many.add(parser)


def run(args: argparse.Namespace, env: Environment) -> int:
    pause = many.span(args.pause, "--break")
    if args.limit < 0:
        raise options.Refused("--limit takes a number of rows")
    with zones.zone(args.tz):
        return _run(args, env, pause)


def _run(args: argparse.Namespace, env: Environment, pause: float) -> int:
    from sessionbrowser.report import report

    library = options.open_library(args, env)
    window = many.window_of(args, library.environment)
    sessions = many.selected(args, library)
    with progress("reading") as line:
        found = report(library, sessions, window, by=args.by, pause=pause, progress=line)
    many.warn_unread(found.unreadable, library)
    if args.json:
        output.write_json(_document(found, args.by, pause))
    else:
        from sessionbrowser.commands.table import write_lines

        write_lines(lines(found, args.by, args.limit, library), library)
    return many.status(bool(found.lines), args, library)


def _document(found: Report, by: str, pause: float) -> dict[str, object]:
    return {
        "schema": 1, "by": by, "break_seconds": pause, "rows": [_row(line, by) for line in found.lines], "total": _row(found.total, "all"),
        "prompts_without_time": found.untimed, "prompts_shared": found.shared,
        "unreadable": many.unread_json(found.unreadable),
    }  # fmt: skip


def _row(line: Line, by: str) -> dict[str, object]:
    made: dict[str, object] = {by: line.name} if by not in ("session", "all") else {}
    if line.session is not None:
        session = line.session
        made = {"session": session.id, "source": session.source, "title": session.title, "project": session.project, "branch": session.branch}
    return {
        **made, "sessions": len(line.sessions), "first": iso(line.first) if line.sessions else None,
        "last": iso(line.last) if line.sessions else None, "prompts": line.prompts, "wall_seconds": round(line.wall, 3),
        "working_seconds": round(line.working, 3), "attention_seconds": round(line.attention, 3),
    }  # fmt: skip


def lines(found: Report, by: str, limit: int, library: Library) -> Iterator[str]:
    """The report for people."""
    from sessionbrowser.commands.table import terminal_width

    width = terminal_width(library.environment) if output.on_terminal() else 120
    kept = found.lines[:limit] if limit and by != "day" else found.lines[-limit:] if limit else found.lines
    label = min(max((cells(_name(line)) for line in kept), default=14), max(20, width - 62))
    label = max(label, 14)
    yield f"{'':{label}}  {'begun':16}  {'wall':>7}  {'working':>7}  {'attention':>9}  prompts"
    for line in [*kept, found.total]:
        if line is found.total:
            yield ""
        name = _name(line) if line is not found.total else plural(len(line.sessions), "session")
        begun = date(line.first) if line.sessions else ""
        times = f"{_took(line.wall):>7}  {_took(line.working):>7}  {_took(line.attention):>9}"
        yield f"{fit(cut(name, label), label)}  {begun:16}  {times}  {line.prompts:>7}"
    if found.untimed:
        yield f"{plural(found.untimed, 'prompt')} more without a time"


def _took(seconds: float) -> str:
    return duration(seconds) if seconds >= 1 else "–"


def _name(line: Line) -> str:
    return f"{tag_of(line.session.source)} {line.name}" if line.session is not None else line.name
