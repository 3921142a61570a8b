"""Transcripts in plain text, as early releases wrote them: `user:` and `assistant:` on lines of their own, and below them
paragraphs, `[Thinking]`, `[Tool call] Name` and `[Tool result] Name`, what belongs to one of these indented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from textwrap import dedent

from sessionbrowser.sources import jsonl
from sessionbrowser.sources.numbered import parse
from sessionbrowser.sources.pieces import string

Data = Mapping[str, object]

ENDING = ".txt"
_ROLE = re.compile(rb"(user|assistant):[ \t]*\r?")
_MARK = re.compile(r"\[(Thinking|Tool call|Tool result)\][ \t]*(.*)")
_KINDS = {"Thinking": "thinking", "Tool call": "tool_use", "Tool result": "tool_result"}


def records(path: str, start: int = 0) -> Iterator[tuple[int, Data]]:
    """The messages of a file from byte `start` (a message's beginning) on, in the form of later transcripts."""
    role, begin, rows = "", start, list[str]()
    for line in jsonl.lines(path, start):
        if found := _ROLE.fullmatch(line.data):
            if role:
                yield begin, _message(role, rows)
            role, begin, rows = found[1].decode(), line.offset, []
        elif role:
            rows.append(line.data.decode("utf-8", "replace").rstrip("\r"))
    if role:
        yield begin, _message(role, rows)


def _message(role: str, rows: list[str]) -> Data:
    content = [{"type": "text", "text": "\n".join(rows).strip()}] if role == "user" else list(_parts(rows))
    return {"role": role, "message": {"content": content}}


def _parts(rows: list[str]) -> Iterator[Data]:
    kind, about, body = "text", "", list[str]()
    for row in rows:
        found = _MARK.fullmatch(row.strip())
        ends = bool(row) and row[:1] not in " \t" and kind != "text"
        if found or ends:
            yield from _part(kind, about, body)
            kind, about, body = (_KINDS[found[1]], found[2], []) if found else ("text", "", [row])
        else:
            body.append(row)
    yield from _part(kind, about, body)


def _part(kind: str, about: str, rows: list[str]) -> Iterator[Data]:
    text = dedent("\n".join(rows)).strip("\n")
    if kind == "tool_use":
        yield {"type": kind, "name": about or "tool", "input": _given(text)}
    elif kind == "tool_result":
        yield {"type": kind, "content": text}
    elif kind == "thinking" and (about or text):
        yield {"type": kind, "thinking": "\n".join(filter(None, (about, text)))}
    elif text.strip():
        yield {"type": "text", "text": text.strip()}


def _given(text: str) -> Data:
    """The arguments of a call: JSON, or a `name=value` a line; a patch and other text as it is."""
    if text.startswith("{") and (found := parse(text.encode("utf-8", "replace"))) is not None:
        return found
    pairs = [row.partition("=") for row in text.splitlines() if row.strip()]
    if pairs and all(equals and string(name).strip().isidentifier() for name, equals, _ in pairs):
        return {name.strip(): value.strip() for name, _, value in pairs}
    return {"patch" if text.startswith(("*** Begin Patch", "@@")) else "input": text} if text.strip() else {}
