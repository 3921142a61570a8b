"""When a session began, by what it is called: for files that can't be read."""

from __future__ import annotations

import os
import re

_TIMED_ID = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_DATED_NAME = re.compile(r"(?<!\d)(20\d\d)-(\d\d)-(\d\d)(?:[T_ ](\d\d)[-:](\d\d)(?:[-:](\d\d))?)?(Z)?(?!\d)")
_DATED_FOLDER = re.compile(r"/(20\d\d)/(\d\d)/(\d\d)()/")


def time_in(path: str, id: str) -> float | None:
    """When a session began, by its id (UUIDs of version 7 hold it) or the name of its file or folders; None when they don't say.

    A copy gives a file another time of change, so that tells nothing.
    """
    from datetime import UTC, datetime  # not for lists without such files

    if found := _TIMED_ID.search(id.lower()):
        return int(found[1] + found[2], 16) / 1000
    for shape, text in ((_DATED_NAME, path.rsplit(os.sep, 1)[-1]), (_DATED_FOLDER, path.replace(os.sep, "/"))):
        if found := shape.search(text):
            *parts, zone = found.groups()
            try:
                when = datetime(*(int(part) for part in parts if part))  # type: ignore[arg-type]
                return (when.replace(tzinfo=UTC) if zone else when).timestamp()
            except (ValueError, OverflowError, OSError):
                continue
    return None
