"""Time zones: `--tz` says in which one times are read and printed, for the time a command takes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sessionbrowser.commands.options import Refused
from sessionbrowser.text import one_line

if TYPE_CHECKING:
    import argparse


def add(parser: argparse.ArgumentParser) -> None:
    """Put the option on a parser."""
    parser.add_argument("--tz", metavar="ZONE", help="the time zone to read and print times in: UTC, Europe/Berlin (default: yours)")


@contextmanager
def zone(name: str | None) -> Iterator[None]:
    """Local times in another zone while this lasts. Raises Refused for a zone nobody knows."""
    if name is None:
        yield
        return
    if not hasattr(time, "tzset"):
        raise Refused("--tz is not to be had on this platform; times are in your own zone")
    before = os.environ.get("TZ")
    _check(name)
    os.environ["TZ"] = name
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


def _check(name: str) -> None:
    """The C library takes an unknown zone for UTC without a word: ask somebody who says so."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    if name in ("UTC", "utc", "GMT"):
        return
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Refused(f"there is no time zone “{one_line(name, 40)}”") from error
