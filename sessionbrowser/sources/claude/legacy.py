"""Titles of builds before 2: a summary row at the head of one file names the last row of another."""

from __future__ import annotations

import os

from sessionbrowser.sources import jsonl

_HEAD = 16384


def worth_asking(version: str | None) -> bool:
    """Whether a session of this build may have its title in another file."""
    return version is not None and version.startswith(("0.", "1.", "2.0."))


def title(folder: str, uuids: list[str], known: dict[str, dict[str, str]]) -> str:
    """The summary that some file of `folder` has for one of `uuids` (newest last); "" when none has."""
    if folder not in known:
        known[folder] = _summaries(folder)
    table = known[folder]
    return next((table[key] for key in reversed(uuids) if key in table), "") if table else ""


def _summaries(folder: str) -> dict[str, str]:
    found: dict[str, str] = {}
    try:
        names = os.listdir(folder)
    except OSError:
        return found
    for name in names:
        if not name.endswith(".jsonl") or name.startswith("agent-"):
            continue
        try:
            head = jsonl.head(os.path.join(folder, name), _HEAD)
        except OSError:
            continue
        for line in head:
            if not line.data.startswith(b'{"type":"summary"'):
                break
            for record in jsonl.read(line.data).records:
                leaf, text = record.get("leafUuid"), record.get("summary")
                if isinstance(leaf, str) and isinstance(text, str):
                    found[leaf] = text
    return found
