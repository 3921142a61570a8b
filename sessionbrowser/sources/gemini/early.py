"""What Gemini CLI before 0.3 left, which kept no chats: the prompts in `logs.json`, and conversations saved by `/chat save`.

Later releases write both as well; their prompts are in their chats, and what they saved is a copy.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sessionbrowser.model import Handle, Root
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.lazy import lazily, orjson
from sessionbrowser.sources.numbered import DOCUMENT_LIMIT
from sessionbrowser.sources.pieces import items, mapping, parts_of, string, text_of

if TYPE_CHECKING:
    from sessionbrowser.sources.gemini import replay
else:
    (replay,) = lazily("sessionbrowser.sources.gemini", "replay")

Data = Mapping[str, object]

LOGS = "logs.json"
_SAVED = re.compile(r"checkpoint(?:-(.+))?\.json")
_THANKS = "Got it. Thanks for the context"  # put into the model's mouth
_ONLY_PROMPTS = {"id": "end", "type": "warning", "content": "This release kept no answers: only what was typed is known"}


def handles(source: str, root: Root, project: str, *, logs: bool) -> Iterator[Handle]:
    """The saved conversations of a project and, with `logs`, the sessions its log of prompts names. Raises OSError."""
    chats = os.path.isdir(os.path.join(project, "chats"))
    with os.scandir(project) as found:
        entries = sorted((entry for entry in found if entry.is_file(follow_symlinks=False)), key=lambda entry: entry.name)
    for entry in entries:
        now = entry.stat()
        if _SAVED.fullmatch(entry.name):
            yield Handle(source, root, entry.path, "", entry.name[:-5], now.st_size, now.st_mtime_ns, now.st_ino, "duplicate" if chats else "")
        elif entry.name == LOGS and logs and not chats:
            try:
                ids = dict.fromkeys(string(row.get("sessionId")) for row in _rows(entry.path))
            except SourceError:
                continue
            for identity in filter(None, ids):
                yield Handle(source, root, entry.path, identity, identity, now.st_size, now.st_mtime_ns, now.st_ino)


def is_early(handle: Handle) -> bool:
    """Whether a handle is one of these rather than a chat."""
    return bool(handle.key) or _SAVED.fullmatch(os.path.basename(handle.path)) is not None


def tag_of(handle: Handle) -> str:
    """The name a conversation was saved under, "" for others. Raw."""
    found = _SAVED.fullmatch(os.path.basename(handle.path))
    return unquote(found[1] or "") if found else ""


def read(handle: Handle) -> replay.Chat:
    """The conversation in the form of a later document. Raises OSError, SourceError."""
    rows = _rows(handle.path)
    if not handle.key:
        return replay.Chat({}, (), tuple(_messages(rows)))
    typed = [row for row in rows if row.get("sessionId") == handle.key and row.get("type") == "user"]
    told = [{"id": str(row.get("messageId")), "type": "user", "timestamp": row.get("timestamp"), "content": row.get("message")} for row in typed]
    return replay.Chat({"sessionId": handle.key}, (), (*told, _ONLY_PROMPTS))


def _rows(path: str) -> list[Data]:
    try:
        value = orjson.loads(jsonl.read_at(path, 0, DOCUMENT_LIMIT))
    except orjson.JSONDecodeError as error:
        raise SourceError("the document is damaged or not finished") from error
    return items(mapping(value).get("history") if isinstance(value, dict) else value)


def _messages(rows: list[Data]) -> Iterator[Data]:
    """Messages as the model got them, with ids; a call that has none takes that of its answer."""
    named = iter(_answers(rows))
    for index, row in enumerate(rows):
        parts = [_with_id(part, named) for part in parts_of(row.get("parts"))]
        if index == 1 and text_of(parts).startswith(_THANKS):
            continue
        yield {"id": str(index), "type": row.get("role"), "content": parts}


def _answers(rows: list[Data]) -> list[str]:
    """The ids of all answers, in their order, which is that of the calls."""
    return [string(mapping(part.get("functionResponse")).get("id")) for row in rows for part in parts_of(row.get("parts")) if "functionResponse" in part]


def _with_id(part: Data, named: Iterator[str]) -> Data:
    call = mapping(part.get("functionCall"))
    if not call:
        return part
    identity = next(named, "")
    return part if call.get("id") or not identity else {"functionCall": {**call, "id": identity}}
