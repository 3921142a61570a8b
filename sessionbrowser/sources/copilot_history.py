"""Early Copilot CLI (before 0.0.340): `history-session-state/session_<id>_<time>.json`, one document a session.

It holds a time line of what was shown, and the messages as the model got them. A later release that goes on with such a
session writes the whole document into its events. There is no directory, branch or count of tokens in it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping

from sessionbrowser.model import Handle, Place, Root, SetAside, Unreadable
from sessionbrowser.sources import logs
from sessionbrowser.sources.documents import DocumentSource, Placed
from sessionbrowser.sources.numbered import load
from sessionbrowser.sources.pieces import Piece, items, mapping, string, text_of
from sessionbrowser.text import parse_time

FOLDER = "history-session-state"
_NAME = re.compile(rf"(?:session_)?({logs.UUID.pattern})(?:_\d+)?\.json")
_BAD = ("failure", "rejected", "denied")

Data = Mapping[str, object]


class EarlyCopilot(DocumentSource):
    """The sessions of early releases, under the name of the later ones."""

    name, tag, label, program = "copilot", "cp", "Copilot CLI", "copilot"

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        trouble: list[Unreadable] = []
        for entry in logs.entries(root.path, trouble, self.name):
            named = _NAME.fullmatch(entry.name)
            if named and logs.is_file(entry):
                yield logs.handle_at(self.name, root, entry, named[1])
            else:
                yield SetAside(self.name, entry.path, "not named like a session")
        yield from trouble

    def placed(self, handle: Handle) -> Iterator[Placed]:
        for index, piece in pieces(load(handle.path)):
            yield Place(index), piece


def is_early(path: str) -> bool:
    """Whether a session is one of these documents."""
    return os.path.basename(os.path.dirname(path)) == FOLDER


def pieces(document: Data) -> Iterator[tuple[int, Piece]]:
    """What a document holds, each with the number of the entry it is in; 0 is the document itself."""
    yield 0, Piece("row", row={"model": document.get("selectedModel"), "created": parse_time(document.get("startTime"))})
    shown = items(document.get("timeline"))
    read = _SHOWN if shown else _SENT
    for index, entry in enumerate(shown or items(document.get("chatMessages")), 1):
        take = read.get(string(entry.get("type" if shown else "role")))
        time, key = parse_time(entry.get("timestamp")), string(entry.get("id"))
        for piece in take(entry) if take is not None else ():
            yield index, piece._replace(time=time, key=key if shown else "")


# ── the time line ──


def _prompt(entry: Data) -> Iterator[Piece]:
    if text := string(entry.get("text")).strip():
        yield Piece("prompt", text, "prompt")


def _text(entry: Data) -> Iterator[Piece]:
    if text := string(entry.get("text")).strip():
        yield Piece("text", text, "text", answer="@")


def _note(what: str) -> Callable[[Data], Iterator[Piece]]:
    def read(entry: Data) -> Iterator[Piece]:
        if text := string(entry.get("text")).strip():
            yield Piece("note", text, "note", what)

    return read


def _call(entry: Data) -> Iterator[Piece]:
    yield Piece("call", part="call", call=string(entry.get("callId")), name=string(entry.get("name")) or "tool",
                arguments=mapping(entry.get("arguments")), again=True)  # fmt: skip


def _done(entry: Data) -> Iterator[Piece]:
    yield from _call(entry)
    result = mapping(entry.get("result"))
    kind = string(result.get("type"))
    outcome = kind if kind in ("rejected", "denied") else ""
    yield Piece("result", string(result.get("log")), "result", call=string(entry.get("callId")), ok=kind not in _BAD, outcome=outcome)


_SHOWN: Mapping[str, Callable[[Data], Iterator[Piece]]] = {
    "user": _prompt, "copilot": _text, "info": _note("info"), "error": _note("error"), "tool_call_requested": _call, "tool_call_completed": _done,
}  # fmt: skip


# ── the messages, where nothing was shown ──


def _asked(message: Data) -> Iterator[Piece]:
    if text := text_of(message.get("content")).strip():
        yield Piece("prompt", text, "prompt")


def _told(message: Data) -> Iterator[Piece]:
    if text := text_of(message.get("content")).strip():
        yield Piece("note", text, "system", "injected", title="System prompt")


def _answered(message: Data) -> Iterator[Piece]:
    if text := text_of(message.get("content")).strip():
        yield Piece("text", text, "text", answer="@")
    for index, call in enumerate(items(message.get("tool_calls"))):
        made = mapping(call.get("function") or call.get("custom"))
        yield Piece("call", part=f"call {index}", call=string(call.get("id")), name=string(made.get("name")) or "tool",
                    arguments=mapping(made.get("arguments") or made.get("input")))  # fmt: skip


def _returned(message: Data) -> Iterator[Piece]:
    yield Piece("result", text_of(message.get("content")), "result", call=string(message.get("tool_call_id")))


_SENT: Mapping[str, Callable[[Data], Iterator[Piece]]] = {
    "user": _asked, "assistant": _answered, "tool": _returned, "system": _told, "developer": _told,
}  # fmt: skip
