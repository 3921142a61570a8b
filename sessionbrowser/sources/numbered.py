"""Sources whose records are found by number: messages in a database, in a tree of files, in a log to be replayed.

Such a source says what its records are (`records`, `record_at`) and what each holds (`pieces`); outline, bodies, text
to search and the tree of subagents come from that. A record's number stays the same while its session only grows; it
rises, and where a session is lines of a file it is the byte at which the line begins (or a byte within it).
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from sessionbrowser.model import Agent, Block, Body, Damage, Handle, Passage, Place, Session, Transcript
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.base import Source, SourceError, strings
from sessionbrowser.sources.bodies import body
from sessionbrowser.sources.lazy import orjson
from sessionbrowser.sources.pieces import Assembly, Piece
from sessionbrowser.text import deep_for_eyes, for_eyes, one_line

Data = Mapping[str, object]

DOCUMENT_LIMIT = 512 << 20  # bytes; a larger document is refused rather than read into memory
_SMALL = 32 << 10  # bytes of a document read by the standard library


class Record(NamedTuple):
    """One message with its number in the session, and the rewound branch it belongs to (0: none)."""

    number: int
    data: Data
    branch: int = 0


class _State(Assembly):
    """An assembly that knows which state of the store it was made from."""

    mark: object = None


class RecordSource(Source):
    """A source that hands over records by number."""

    def records(self, handle: Handle, damage: list[Damage]) -> Iterator[Record]:
        """Every record in order; what could not be read is put on `damage` (its offset is the record's number)."""
        raise NotImplementedError

    def record_at(self, handle: Handle, number: int) -> Data | None:
        """One record again, or None when it is gone."""
        return next((record.data for record in self.records(handle, []) if record.number == number), None)

    def pieces(self, data: Data, handle: Handle) -> Iterator[Piece]:
        """What a record holds; nothing for records that do not matter or are unknown."""
        raise NotImplementedError

    def mark(self, handle: Handle) -> object:
        """What changes whenever the session does. Raises OSError."""
        found = os.stat(handle.path)
        return found.st_size, found.st_mtime_ns, found.st_ino

    # ── the whole ──

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        mark = self.mark(handle)
        if since is not None and isinstance(since.state, _State) and since.state.mark == mark:
            return since._replace(restarted=False)
        state = _State()
        state.mark = mark
        made = self.assemble(handle, state)
        return made._replace(restarted=since is not None and not _goes_on(since.blocks, made.blocks))

    def assemble(self, handle: Handle, state: Assembly) -> Transcript:
        """Everything read into `state`, as a transcript."""
        branches: list[tuple[int, int, int]] = []
        count = 0
        for record in self.records(handle, state.builder.damage):
            begin, count = len(state.builder.blocks), record.number + 1
            self.take(state, record, handle)
            if record.branch:
                branches.append((begin, len(state.builder.blocks), record.branch))
        made = state.transcript(count)
        if not branches:
            return made
        blocks = list(made.blocks)
        for begin, end, branch in branches:
            blocks[begin:end] = [block._replace(branch=branch) for block in blocks[begin:end]]
        return made._replace(blocks=tuple(blocks))

    def take(self, state: Assembly, record: Record, handle: Handle) -> None:
        """Add what one record holds."""
        place = Place(record.number)
        for piece in self.pieces(record.data, handle):
            if not _answered_before(state, piece):
                state.take(piece, place)

    def body(self, handle: Handle, block: Block) -> Body:
        data = self.record_at(handle, block.place.start)
        if data is None:
            return Body()
        found = results = list(self.pieces(data, handle))
        if block.kind == "tool" and block.result is not None and block.result.start != block.place.start:
            other = self.record_at(handle, block.result.start)
            results = list(self.pieces(other, handle)) if other is not None else []
        return body(block, found, results)

    def passages(self, handle: Handle, offset: int = 0, *, tools: bool = False) -> Iterator[Passage]:
        said: set[tuple[str, str]] = set()
        calls: dict[str, int] = {}
        for record in self.records(handle, []):
            for piece in self.pieces(record.data, handle):
                again = bool(piece.call) and (piece.kind, piece.call) in said
                said.add((piece.kind, piece.call))
                if piece.kind == "call" and piece.call:
                    calls.setdefault(piece.call, record.number)
                start = calls.get(piece.call, record.number)  # a hit in a result leads to its call
                if start < offset or again:
                    continue
                if passage := _passage(piece, start, tools):
                    yield passage

    # ── agents ──

    def children(self, handle: Handle) -> Iterable[Handle]:
        """The subagents this session (or subagent) started."""
        return ()

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        return self._agent(handle, outline, "session", "", frozenset((handle.id,)))

    def _agent(self, handle: Handle, outline: Transcript | None, kind: str, call: str, above: frozenset[str]) -> Agent:
        try:
            made = outline or self.outline(handle)
            row = self.summarise(handle)
        except (OSError, SourceError) as problem:
            return Agent(handle.id, kind, description=one_line(str(problem), 120), path=handle.path, call=call)
        calls = {block.subagent: block.call for block in made.blocks if block.subagent}
        below = tuple(
            self._agent(child, None, "subagent", calls.get(child.id, ""), above | {child.id})
            for child in self.children(handle) if child.id not in above
        )  # fmt: skip
        role = str(row.facts.get("agent") or "") if kind == "subagent" else ""
        return Agent(
            row.id, kind, role, row.title, _status(row, kind), row.model or "", made.tokens if made.tokens.total else None, made.counts.tool_calls, row.created,
            row.updated, handle.path, handle, call, below,
        )  # fmt: skip


def _answered_before(state: Assembly, piece: Piece) -> bool:
    """Whether a result only says again what came of a call: some stores keep it in two records."""
    known = state.builder.called(piece.call) if piece.kind == "result" and piece.call else None
    return known is not None and known.result is not None


def _status(row: Session, kind: str) -> str:
    """What the end of a record alone says; a question of a subagent nobody can answer."""
    if row.tail == "asking":
        return "waiting" if kind == "session" else "finished"
    return row.tail if row.tail in ("finished", "failed", "interrupted") else "unknown"


def _goes_on(before: Iterable[Block], after: Sequence[Block]) -> bool:
    """Whether the blocks of an earlier reading are the beginning of a later one."""
    earlier = tuple(before)
    return len(earlier) <= len(after) and all(
        (old.kind, old.place.start, old.key) == (new.kind, new.place.start, new.key)
        for old, new in zip(earlier, after, strict=False)
    )


def _passage(piece: Piece, start: int, tools: bool) -> Passage | None:
    if piece.kind in ("prompt", "text", "thinking"):
        return Passage(piece.kind, start, for_eyes(piece.text), piece.time) if piece.text.strip() else None
    if tools and piece.kind in ("call", "result"):
        text = "\n".join([*strings(deep_for_eyes(dict(piece.arguments))), for_eyes(piece.text)]).strip()
        return Passage("tool", start, text, piece.time) if text else None
    return None


# ── listings ──

_LISTINGS = tuple(re.compile(form) for form in (
    r"(\d{5,7})\| ?(.*)", r" *(\d{1,7})\|(.*)", r" *(\d{1,7}): (.*)", r" *(\d{1,7})(?:\t|→)(.*)",
))  # fmt: skip


def listing(text: str) -> tuple[str | None, int]:
    """The lines of a file that a tool listed with their numbers, and the first number; (None, 1) for other text.

    What a tool writes around such lines (tags, "end of file") is left out.
    """
    rows = text.split("\n")
    for form in _LISTINGS:
        found = [(int(row[1]), row[2]) for row in map(form.fullmatch, rows) if row]
        if found and len(rows) - len(found) <= 12 and all(b[0] == a[0] + 1 for a, b in pairwise(found)):
            return "\n".join(row for _, row in found), found[0][0]
    return None, 1


# ── small documents ──


def parse(data: bytes) -> Data | None:
    """A JSON object, read tolerantly; None when it is none."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        records = jsonl.read(data.replace(b"\n", b" ")).records
        return records[0] if len(records) == 1 else None
    return value if isinstance(value, dict) else None


def load(path: str) -> Data:
    """The JSON object in a file. Raises OSError, or SourceError when it holds none or is too large."""
    with jsonl.open_file(path) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise SourceError("not a regular file")
        if found.st_size > DOCUMENT_LIMIT:
            raise SourceError("the document is too large to be read")
        data = file.read()
    value = parse_light(data)
    if value is None:
        raise SourceError("the document is empty" if not data.strip() else "the document is damaged or not finished")
    return value


def parse_light(data: bytes) -> Data | None:
    """`parse` without orjson for what is small: settings are read for every list, and orjson takes 10 ms to import."""
    if len(data) > _SMALL:
        return parse(data)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return parse(data)
    return value if isinstance(value, dict) else None


def load_or_none(path: str) -> Data | None:
    """`load`, with None for what cannot be read."""
    try:
        return load(path)
    except (OSError, SourceError):
        return None
