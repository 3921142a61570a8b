"""Big output that was written to a file beside the transcript: followed only inside the session's own folder."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping

LIMIT = 8 << 20
_SAVED = re.compile(r"Full output saved to: ([^\n]+)")


def session_folder(path: str) -> str:
    """The folder that belongs to the transcript at `path` (a session's, or one of its subagents')."""
    stem = path.removesuffix(".jsonl")
    marker = f"{os.sep}subagents{os.sep}"
    return stem.split(marker, 1)[0] if marker in stem else stem


def name_of(text: str, detail: object) -> str:
    """The file name of spilled output that a result speaks of; "" when it speaks of none.

    Only the name is used: the recorded path may be another machine's, or anybody's.
    """
    recorded = detail.get("persistedOutputPath") if isinstance(detail, Mapping) else None
    if not isinstance(recorded, str):
        found = _SAVED.search(text[:2000]) if text.lstrip().startswith("<persisted-output>") else None
        recorded = found[1].strip() if found else ""
    name = re.split(r"[/\\]", recorded)[-1]
    return "" if name in ("", ".", "..") or "\x00" in name else name


def read(path: str, name: str) -> str | None:
    """The spilled output `name` of the transcript at `path`; None when there is no such regular file of its own."""
    folder = os.path.join(session_folder(path), "tool-results")
    try:
        if os.path.realpath(folder) != os.path.join(os.path.realpath(session_folder(path)), "tool-results"):
            return None
        with open(os.path.join(folder, name), "rb", opener=_no_link) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            data = file.read(LIMIT + 1)
    except (OSError, ValueError):
        return None
    text = data[:LIMIT].decode("utf-8", errors="replace")
    return text + "\n… (the file goes on)" if len(data) > LIMIT else text


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
