"""A chat as the sequence of its messages, whichever form the file has.

A log is replayed: a line with an id adds a message or replaces the one of that id; `$set` sets facts, and with
`messages` gives the whole conversation anew (after a resume, after compression); `$rewindTo` drops a message and all
after it. Nothing that was said is lost here: what a rewind dropped becomes a branch, what compression dropped stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sessionbrowser.model import Damage
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.numbered import load
from sessionbrowser.sources.pieces import items, string, text_of

Data = Mapping[str, object]

CONTEXT = "<session_context>"
COMPRESSION = {"id": "", "type": "compression"}


class Spot(NamedTuple):
    """Where a message is: the line, and its position in the `messages` of that line (-1: the line is the message)."""

    offset: int
    length: int
    at: int


class Placed(NamedTuple):
    """A message of a log: its number (bytes up to where it was first said), where it is now, the branch a rewind left."""

    number: int
    spot: Spot | None  # None: a compression
    branch: int


class Chat(NamedTuple):
    """A chat after its replay. Messages stand in `spots` (a log) or in `messages` (a document)."""

    meta: Data
    spots: tuple[Placed, ...]
    messages: tuple[Data, ...]
    damage: tuple[Damage, ...] = ()


class _Kept:
    """A message during the replay."""

    __slots__ = ("branch", "call_record", "likeness", "number", "spot")

    def __init__(self, spot: Spot | None, message: Data, number: int = 0) -> None:
        self.branch = 0
        self.number = number if spot is None else spot.offset + spot.at + 1
        self.take(spot, message)

    def take(self, spot: Spot | None, message: Data) -> None:
        self.spot = spot
        self.call_record = bool(message.get("toolCalls"))
        self.likeness = hash((string(message.get("type")), text_of(message.get("content"))[:2000]))


class _Replay:
    def __init__(self) -> None:
        self.meta: dict[str, object] = {}
        self.kept: list[_Kept] = []
        self.by_id: dict[str, _Kept] = {}
        self.branches = 0
        self.said: set[int] = set()  # of prompts
        self.again: set[str] = set()  # ids of messages that only say again what was said

    def record(self, record: Data, offset: int, length: int) -> None:
        if isinstance(record.get("$set"), Mapping):
            self._set(record["$set"], offset, length)  # type: ignore[arg-type]
        elif "$rewindTo" in record:
            self._rewind(string(record.get("$rewindTo")))
        elif string(record.get("type")) and (string(record.get("id")) or "content" in record):
            self._message(string(record.get("id")) or f"\0{offset}", record, Spot(offset, length, -1))
        elif "sessionId" in record or "projectHash" in record:
            self._set(record, offset, length)  # the whole chat on one line, when it holds messages

    def _facts(self, values: Data) -> None:
        for name, value in values.items():
            if name == "startTime" and name in self.meta:
                continue  # a resume writes the metadata again; the session began when it first did
            if name != "messages" and value is not None:
                self.meta[name] = value

    def _set(self, values: Data, offset: int, length: int) -> None:
        self._facts(values)
        if isinstance(values.get("messages"), list):
            self._replace(values["messages"], offset, length)  # type: ignore[arg-type]

    def _message(self, key: str, message: Data, spot: Spot) -> None:
        known = self.by_id.get(key)
        if key in self.again or (known is None and self._says_again(key, message)):
            return
        if known is None or known.branch:
            self.by_id[key] = known = _Kept(spot, message)
            self.kept.append(known)
        elif not known.call_record or message.get("toolCalls"):
            known.take(spot, message)

    def _says_again(self, key: str, message: Data) -> bool:
        """Whether a message is the context of the session joined with prompts that are there already.

        Gemini CLI joins them so when it takes an answer back that was cancelled or failed.
        """
        if message.get("type") != "user":
            return False
        parts = [text for part in items(message.get("content")) if (text := string(part.get("text")))]
        begins = bool(parts) and parts[0].lstrip().startswith(CONTEXT)
        said = {hash(text) for text in parts[begins:]}
        if begins and said and said <= self.said:
            self.again.add(key)
            return True
        self.said |= said
        return False

    def _replace(self, messages: list[object], offset: int, length: int) -> None:
        """The conversation given anew: what is known keeps its fuller record and its place, what is new is added."""
        live = [kept for kept in self.kept if not kept.branch and kept.spot is not None]
        alike: dict[int, _Kept] = {kept.likeness: kept for kept in live}
        seen: list[_Kept] = []
        fresh: list[tuple[str, Data, Spot]] = []
        for index, message in enumerate(messages):
            if not isinstance(message, Mapping):
                continue
            key, spot = string(message.get("id")), Spot(offset, length, index)
            if key in self.again:
                continue
            known = self.by_id.get(key) or alike.get(_Kept(spot, message).likeness)
            if known is not None and not known.branch:
                seen.append(known)
                if key:
                    self.by_id.setdefault(key, known)
            elif string(message.get("type")):
                fresh.append((key or f"\0{offset}:{index}", message, spot))
        if live and fresh and len(seen) < len(live) and not _only_answers(fresh):
            self.kept.append(_Kept(None, COMPRESSION, offset))
        for key, message, spot in fresh:
            self._message(key, message, spot)

    def _rewind(self, key: str) -> None:
        known = self.by_id.get(key)
        begin = self.kept.index(known) if known is not None and not known.branch else 0
        dropped = [kept for kept in self.kept[begin:] if not kept.branch]
        if dropped:
            self.branches += 1
        for kept in dropped:
            kept.branch = self.branches


def _only_answers(fresh: list[tuple[str, Data, Spot]]) -> bool:
    """Whether what is new in a conversation given anew is only the records of tools' answers, split off."""
    return all(key.endswith("_response") for key, _, _ in fresh)


def read_log(lines: Iterable[jsonl.Line]) -> Chat:
    """The lines of a log, or of its beginning or end, replayed."""
    state = _Replay()
    damage: list[Damage] = []
    for line in lines:
        reading = jsonl.read(line.data)
        if reading.damage:
            damage.append(Damage(line.offset, reading.damage))
        for record in reading.records:
            state.record(record, line.offset, len(line.data))
    spots = tuple(Placed(kept.number, kept.spot, kept.branch) for kept in state.kept)
    return Chat(state.meta, spots, (), tuple(damage))


def read(path: str) -> Chat:
    """A chat in the form its file's name says, or where that is not so in the other. Raises OSError, SourceError when it is damaged."""
    if path.endswith(".jsonl"):
        chat = read_log(jsonl.lines(path))
        if chat.spots or "sessionId" in chat.meta or not chat.damage:
            return chat
        try:
            return read_document(path)
        except SourceError:
            return chat
    try:
        return read_document(path)
    except SourceError:
        chat = read_log(jsonl.lines(path))
        if "sessionId" in chat.meta and chat.spots:
            return chat
        raise


def read_document(path: str) -> Chat:
    """A single document. Raises OSError, SourceError when it is damaged."""
    document = load(path)
    messages = items(document.get("messages")) or items(document.get("history"))
    meta = {name: value for name, value in document.items() if name not in ("messages", "history")}
    return Chat(meta, (), tuple(messages))


def messages(chat: Chat, path: str) -> Iterator[tuple[int, Data, int]]:
    """Every message with its number and branch; a log's are read again, line by line. Raises OSError."""
    if chat.messages:
        yield from ((number, message, 0) for number, message in enumerate(chat.messages))
        return
    last: tuple[int, Data] = (-1, {})
    with jsonl.open_file(path) as file:
        for number, spot, branch in chat.spots:
            if spot is None:
                yield number, COMPRESSION, branch
                continue
            if spot.offset != last[0]:
                file.seek(spot.offset)
                last = (spot.offset, _record(file.read(spot.length), spot))
            message = _pick(last[1], spot)
            if message is not None:
                yield number, message, branch


def message(chat: Chat, path: str, number: int) -> Data | None:
    """One message again."""
    if chat.messages:
        return chat.messages[number] if number < len(chat.messages) else None
    found = next((placed for placed in chat.spots if placed.number == number), None)
    if found is None:
        return None
    spot = found.spot
    if spot is None:
        return COMPRESSION
    return _pick(_record(jsonl.read_at(path, spot.offset, spot.length), spot), spot)


def _record(data: bytes, spot: Spot) -> Data:
    """The record on a line that a spot means: the first that fits, where a torn line holds several."""
    wanted = ("$set", "messages") if spot.at >= 0 else ("type",)
    return next((record for record in jsonl.read(data).records if any(name in record for name in wanted)), {})


def _pick(record: Data, spot: Spot) -> Data | None:
    if spot.at < 0:
        return record or None
    values = record.get("$set", record)
    found = values.get("messages") if isinstance(values, Mapping) else None
    if not isinstance(found, list) or spot.at >= len(found):
        return None
    picked = found[spot.at]
    return picked if isinstance(picked, Mapping) else None
