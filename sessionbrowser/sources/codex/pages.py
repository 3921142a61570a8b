"""Conversations that go on in another file: forks, and pages, which begin where a conversation was taken back to."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from sessionbrowser.sources import jsonl
from sessionbrowser.sources.codex import files
from sessionbrowser.sources.codex.records import Payload, parse, whole, within, words

Locate = Callable[[str], str]  # the raw path of the rollout or page with an id, "" when there is none


class Base(NamedTuple):
    """A file (raw path) and the byte in it up to which a conversation goes that another file goes on with."""

    path: str
    end: int


def base_of(meta: Payload, locate: Locate) -> Base | None:
    """Where the history before a file's own records stands, None when it begins itself or that file is gone."""
    base = within(meta, "history_base")
    path = locate(words(base, "thread_id")) if base else ""
    if not path:
        return None
    end = whole(base, "end_byte_offset")
    if end is None:
        end = _end_at(path, whole(base, "end_ordinal_exclusive"))
    return None if end is None else Base(path, end)


def _end_at(path: str, ordinal: int | None) -> int | None:
    """Where the record with this ordinal begins in a file, or would."""
    if ordinal is None:
        return None
    end = 0
    for line in files.lines(path):
        if any((parse(record).ordinal or 0) >= ordinal for record in jsonl.read(line.data).records):
            return line.offset
        end = line.offset + len(line.data) + line.whole
    return end


def same_session(page: str, other: str) -> bool:
    """Whether a file is a page of the session that another file belongs to."""
    name = os.path.basename(page)
    return bool(files.page_of(name)) and files.id_of(name) == files.id_of(os.path.basename(other))
