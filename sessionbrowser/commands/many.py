"""Options of commands that look at many sessions at once, and the sessions they leave."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sessionbrowser.commands import options, zones
from sessionbrowser.commands.options import Refused, nothing_readable, warn, warn_of_trouble
from sessionbrowser.paths import Environment, shown
from sessionbrowser.text import one_line

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.library import Library
    from sessionbrowser.model import Session
    from sessionbrowser.timeline import Window

_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d)?")
_UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0, None: 60.0}


def add(parser: argparse.ArgumentParser, *, window: bool = True) -> None:
    """Put the options on a parser: a query, a window of time, a zone, and what makes an answer fit for programs."""
    parser.add_argument("query", nargs="*", metavar="QUERY", help="which sessions, in the language of the search box: sb search --help explains it (default: all)")
    parser.add_argument("--here", action="store_true", help="only sessions of this repository")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    if window:
        parser.add_argument("--since", metavar="TIME", help="from this time on: 2h, yesterday, 14:30, 2026-05-01")
        parser.add_argument("--until", metavar="TIME", help="before this time")
    zones.add(parser)
    options.careful(parser)
    options.common(parser)


def selected(args: argparse.Namespace, library: Library) -> list[Session]:
    """The sessions that the options leave, newest first. Raises Refused."""
    from sessionbrowser.commands import list as listing

    found = listing.select(library, " ".join(args.query), every=args.all, here=args.here, index=not args.no_cache)
    found.sort(key=lambda session: -(session.updated or 0.0))
    return options.spared(args, library, found)


def span(text: str, option: str) -> float:
    """Seconds of "10m", "1h", "90" (minutes). Raises Refused."""
    found = _SPAN.fullmatch(text.strip().lower())
    if not found or float(found[1]) <= 0:
        raise Refused(f"{option} takes a span of time such as 10m or 1h, not “{one_line(text, 40)}”")
    return float(found[1]) * _UNITS[found[2]]


def window_of(args: argparse.Namespace, env: Environment) -> Window:
    """The window the options ask for. Raises Refused."""
    from sessionbrowser.commands.show_options import moment
    from sessionbrowser.timeline import Window

    since, until = moment(args.since, env, "--since"), moment(args.until, env, "--until")
    if since is not None and until is not None and until <= since:
        raise Refused("--until has to be later than --since")
    return Window(since, until)


def warn_unread(unreadable: Iterable[tuple[str, str]], library: Library) -> None:
    """Say on stderr what could not be read: sessions (path, why), those of one reason on one line, and what the load itself met."""
    paths: dict[str, list[str]] = {}
    for path, why in unreadable:
        paths.setdefault(why, []).append(path)
    for why, found in paths.items():
        several = f"{len(found)} sessions could not be read (sb doctor names them)"
        warn(f"{several if len(found) > 1 else shown(found[0], library.environment.home)}: {why}")
    warn_of_trouble(library)


def unread_json(unreadable: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"path": path, "reason": why} for path, why in unreadable]


def status(found: bool, args: argparse.Namespace, library: Library) -> int:
    """The exit status: nothing found is 1 only where something was looked for."""
    if nothing_readable(library):
        return 2
    asked = args.query or getattr(args, "since", None) or getattr(args, "until", None)
    return 0 if found or not asked else 1
