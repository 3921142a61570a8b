"""Names for files that hold on every platform: made from time and title, short, without anything a file system minds."""

from __future__ import annotations

import re
import time as _time
import unicodedata

from sessionbrowser.model import Session

_RESERVED = frozenset(["con", "prn", "aux", "nul", *(f"{name}{number}" for name in ("com", "lpt") for number in range(10))])
_TIMED = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-", re.IGNORECASE)
WORDS = 6
LONGEST = 60  # characters of a title in a name


def stem(session: Session) -> str:
    """`2026-05-14_1402_claude_e2e674a8_fix-the-flaky-login-test`: when it began, whose it is, what it is."""
    began = session.created if session.created is not None else session.updated
    stamp = _time.strftime("%Y-%m-%d_%H%M", _time.gmtime(began)) if began is not None else "undated"
    return "_".join(part for part in (stamp, session.source, slug(short_id(session.id)), slug(session.title)) if part)


def apart(name: str, session: Session, taken: set[str]) -> str:
    """`name` (without its ending), with the whole id of its session where another of those written together has it; it is `taken` then."""
    if name in taken:
        name = f"{name}-{slug(session.id.replace('-', ''))}"
    taken.add(name)
    return name


def short_id(identity: str) -> str:
    """The first eight letters and digits of an id that are its own: behind a word like `session_` or `ses_`.

    Of an id that begins with the time (UUID version 7) twelve: eight would be those of all sessions of a minute.
    """
    own = identity.rsplit("_", 1)[-1] or identity
    return re.sub(r"[^A-Za-z0-9]", "", own)[: 12 if _TIMED.match(own) else 8]


def slug(text: str) -> str:
    """Words of a title for a file's name: letters and digits of any script, small, joined by -."""
    plain = unicodedata.normalize("NFKC", text).lower()
    words = re.findall(r"[^\W_]+", plain)
    made = "-".join(words[:WORDS])
    while len(made) > LONGEST or len(made.encode("utf-8", "replace")) > LONGEST * 3:
        made = made[:-1]
    made = made.strip("-")
    return f"{made}-" if made in _RESERVED else made
