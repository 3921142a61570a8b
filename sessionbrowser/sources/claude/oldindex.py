"""`sessions-index.json`, which builds around 2.1.0 kept beside their sessions: stale ever since, good for a last title."""

from __future__ import annotations

import os

from sessionbrowser.model import Session
from sessionbrowser.sources.claude import titles
from sessionbrowser.sources.claude.store import read_small_json
from sessionbrowser.text import one_line

_LIMIT = 4 << 20  # bytes
Known = dict[str, dict[str, tuple[str, str]]]  # folder → session id → title and where it is from


def titled(row: Session, known: Known) -> Session:
    """`row` with the title that the old index has for it, where its file says nothing at all."""
    if row.title_from != "id":
        return row
    folder = os.path.dirname(row.path)
    if folder not in known:
        known[folder] = _entries(folder)
    title, origin = known[folder].get(row.id, ("", ""))
    return row._replace(title=title, title_from=origin) if title else row


def _entries(folder: str) -> dict[str, tuple[str, str]]:
    entries = read_small_json(os.path.join(folder, "sessions-index.json"), _LIMIT).get("entries")
    found: dict[str, tuple[str, str]] = {}
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict) or not isinstance(identity := entry.get("sessionId"), str):
            continue
        summary, first = (value if isinstance(value := entry.get(name), str) else "" for name in ("summary", "firstPrompt"))
        if shown := one_line(summary, titles.LIMIT):
            found[identity] = shown, "summary"
        elif first.strip() != "No prompt" and (shown := titles.shown_prompt(first)):
            found[identity] = shown, "prompt"
    return found
