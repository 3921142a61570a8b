"""Options of commands that look at many sessions at once, and the sessions they leave."""

from __future__ import annotations

import re
import sys
import time
from typing import TYPE_CHECKING

from sessionbrowser.commands import options, zones
from sessionbrowser.commands.options import Refused
from sessionbrowser.text import one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from sessionbrowser.library import Library
    from sessionbrowser.model import Session

_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d)?")
_UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0, None: 60.0}


def add(parser: argparse.ArgumentParser, *, window: bool = True) -> None:
    """Put the options on a parser: a query, a window of time, a zone, and what makes an answer fit for programs."""
    parser.add_argument("query", nargs="*", metavar="QUERY", help="which sessions, in the language of the search box (default: all)")
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


class ProgressLine:
    """One line on stderr, on a terminal only, once the work has taken a moment."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._on = sys.stderr is not None and sys.stderr.isatty()
        self._since = time.monotonic()
        self._shown = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._on and now - self._since > 0.4 and now - self._shown > 0.1:
            print(f"\r\x1b[K{self._what} {done:,} of {total:,}", end="", file=sys.stderr, flush=True)
            self._shown = now

    def clear(self) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def progress(what: str) -> tuple[Callable[[int, int], None], Callable[[], None]]:
    """What reports how far it is, and what takes the line away again."""
    line = ProgressLine(what)
    return line, line.clear
