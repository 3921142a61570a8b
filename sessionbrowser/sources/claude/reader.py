"""Reading a transcript from its first line to its last, once, into blocks; and going on where the last reading stopped.

A reader that began in the middle (`apart`) can be taken in by the one that read up to there: see `halves.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache

from sessionbrowser.model import Block, Damage, Handle, Place, Transcript, Usage
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.build import Builder
from sessionbrowser.sources.claude import bookkeeping, graph, lines, notes, pictures, rows
from sessionbrowser.sources.claude.compose import compose
from sessionbrowser.sources.claude.graph import Graph
from sessionbrowser.sources.claude.pairing import Pairing
from sessionbrowser.sources.claude.queue import Queue
from sessionbrowser.sources.claude.rows import SYNTHETIC, Piece, Row
from sessionbrowser.sources.claude.tracked import Tracked
from sessionbrowser.sources.jsonl import Record
from sessionbrowser.text import one_line, parse_time

_NAME = 480  # characters of a model's name that can matter to one line
_BIG, _OPENING = 4 << 20, 1 << 20


class Reader:
    """One file being read. It is the state that `outline` hands from one reading to the next."""

    def __init__(self, *, subagent: bool = False, chain: str = "", shared: frozenset[str] = frozenset(), apart: bool = False) -> None:
        self.subagent = subagent
        self.chain = chain  # the first row of a side chain inside a session's file: read that alone
        self.shared = shared  # rows that stand in an older file, too
        self._copied = False  # whether the row being read is such a one
        self.chains: list[str] = []  # first rows of the side chains met in a session's own file
        self._members: set[str] = {chain}
        self.offset = 0
        self.mark = b""  # the last line read, to tell a file that was replaced
        self.inode = 0
        self.joined = False  # with what was read apart: it knows too little to read on
        self.builder = Builder()
        self.graph = Graph()
        self.queue = Queue(apart=apart)
        self.tracked = Tracked()
        self.boundary: Row | None = None
        self.pairing = Pairing(self.builder, self.tracked, apart=apart)
        self.retracted: list[frozenset[str]] = []  # rows that a fallback to another model took back
        self._empty: set[str] = set()  # rows said to be by a person or a model that held nothing

        self._spent: tuple[str, str, Record | None] = "", "", None  # of the response at hand: its id, its model, its tokens
        self._cost = b""  # the last line of costs: they are sums

    # ── lines ──

    def read(self, path: str, until: int = sys.maxsize) -> Damage | None:
        """Read on from `offset` to `until` or the end of `path`; what an unfinished last line says. Raises OSError."""
        last, unfinished = self.mark, None
        with jsonl.opened(path, self.offset) as file:
            for data in file:
                if self.offset >= until:
                    break
                if not data.endswith(b"\n") and _is_unfinished(data):
                    unfinished = Damage(self.offset, "unfinished last line") if data.strip(b"\x00 \t\r\n") else None
                    break
                self.line(self.offset, data)
                self.offset += len(data)
                last = data
        self.mark = last[-256:]
        self._use()
        if self._cost and not self.chain:
            self.tracked.costs(jsonl.record(self._cost) or {})
        return unfinished

    def line(self, offset: int, data: bytes) -> None:
        """One line: bookkeeping is passed over unparsed, everything else is taken apart."""
        kind = lines.kind_of(data)
        if kind and lines.is_untold(kind) and self._skip(kind, data):
            return
        record = jsonl.record(data)
        if record is not None:
            self._record(kind, record, offset, len(data) - data.endswith(b"\n"))
        elif data.strip():
            self._damaged(kind, data, offset, len(data) - data.endswith(b"\n"))

    def _damaged(self, kind: str, data: bytes, offset: int, length: int) -> None:
        reading = jsonl.read(data)
        if reading.damage or not reading.records:
            self.builder.damaged(offset, reading.damage or "nothing but NUL bytes")
        for index, record in enumerate(reading.records):
            self._record(kind, record, offset, length, f"@{index}" if index else "")

    def _skip(self, kind: str, data: bytes) -> bool:
        if lines.holds_another(data) or lines.moves(kind, data):
            return False
        if not lines.is_placeless(kind):
            ids = lines.ids_of(data, kind)
            if ids is None:
                return False
            self.graph.add(*ids, graph.OTHER, aside=self.subagent is False and b'"isSidechain":true' in data[:400])
            if kind == "progress" and (link := lines.agent_of(data)):
                self.pairing.link(*link)
        elif not data.endswith((b"}", b"}\n", b"}\r\n")):
            return False  # cut short: another record may follow on the line
        if kind == "cost-state":
            self._cost = data
        self.tracked.records[kind] += 1
        return True

    # ── records ──

    def _record(self, named: str, record: Record, start: int, length: int, nth: str = "") -> None:
        kind, key = record.get("type"), record.get("uuid")
        self.tracked.records[named or str(kind or "?")] += 1
        if self.chain and not self._in_chain(record):
            return
        row = Row(record, start, length, nth, parse_time(record.get("timestamp")), key if isinstance(key, str) else "")
        begin = len(self.builder.blocks)
        self._copied = bool(self.shared or "forkedFrom" in record) and self._is_copied(row)
        if kind == "assistant":
            pieces = rows.assistant_pieces(record)
            if self._enters(row, bool(pieces), graph.ANSWER):
                self._assistant(row, pieces)
        elif kind == "user":
            self._user(row)
        elif not bookkeeping.note(self, kind, row):
            pieces = notes.pieces(record, kind)
            if self._enters(row, bool(pieces), graph.OTHER):
                self._other(row, kind, pieces)
        if self._copied:
            blocks = self.builder.blocks
            blocks[begin:] = [block._replace(copied=True) for block in blocks[begin:]]

    def _enters(self, row: Row, says: bool, role: int) -> bool:
        """Take a row into the graph; whether it `says` what no row with its id said before."""
        record, key = row.record, row.key
        parent, aside = record.get("parentUuid"), record.get("isSidechain") is True and not self.subagent
        if key and not (self.graph.add(key, parent, role, aside) if parent else self._begins(key, record, role, aside)):
            if not says or key not in self._empty:
                return False  # written twice
            self._empty.remove(key)
        elif not says and record.get("type") in ("user", "assistant"):
            self._empty.add(key)
        self.tracked.envelope(record)
        return True

    def _begins(self, key: str, record: Record, role: int, aside: bool) -> bool:
        """Take a row into the graph that names no parent."""
        kind = record.get("type")
        if kind == "system" and record.get("subtype") == "compact_boundary":
            return self.graph.add_root(key, record.get("logicalParentUuid"))
        if aside and kind == "user":
            self.chains.append(key)
        return self.graph.add(key, None, role, aside)

    def _is_copied(self, row: Row) -> bool:
        """Whether a row came from another session, which is noted."""
        forked = row.record.get("forkedFrom")
        if not isinstance(forked, dict):
            return row.key in self.shared
        if isinstance(origin := forked.get("sessionId"), str):
            self.tracked.single["forked_from_raw"] = origin
        return True

    def _in_chain(self, record: Record) -> bool:
        key, above = record.get("uuid"), record.get("parentUuid")
        if record.get("isSidechain") is not True or not isinstance(key, str):
            return False
        if key not in self._members and not (isinstance(above, str) and above in self._members):
            return False
        self._members.add(key)
        return True

    def _other(self, row: Row, kind: object, pieces: list[Piece]) -> None:
        record = row.record
        if kind == "system" and record.get("subtype") == "compact_boundary":
            self.boundary = row
            return
        if kind == "attachment":
            self.tracked.hook(record.get("attachment"))
            self.tracked.proved(record)
        elif kind == "progress" and (link := _agent_link(record)):
            self.pairing.link(*link)
        elif taken := notes.retracted(record):
            self.retracted.append(taken)
        elif record.get("subtype") == "stop_hook_summary":
            self.tracked.stop_hooks(record)
            self.tracked.proved(record)
        for piece in pieces:
            if piece.via == "attachment" or piece.what == "injected":
                self.queue.said(piece.text)
            self._plain_piece(row, piece)

    def _user(self, row: Row) -> None:
        record = row.record
        if (result := rows.only_result(record)) is not None:  # as in most rows
            if self._enters(row, True, graph.OTHER if record.get("isMeta") is True else graph.USER):
                self._before_user(row)
                self.pairing.result(row, "0", result)
            return
        pieces = rows.user_pieces(record, subagent=self.subagent)
        if not self._enters(row, bool(pieces), _role(record, pieces)):
            return
        self._before_user(row, boundary=not pieces or pieces[0].what == "compaction")
        for _, block in rows.blocks_of(rows.content_of(row.record)):
            if isinstance(text := block.get("text"), str):
                self.queue.said(text)
        for piece in pieces:
            self._user_piece(row, piece)

    def _before_user(self, row: Row, *, boundary: bool = False) -> None:
        """What a user's row says besides; a compaction that was announced stays so with `boundary`."""
        if self.boundary is not None and not boundary:
            self.flush_boundary()
        if "permissionMode" in row.record and (changed := self.tracked.new_mode(row.record["permissionMode"], row.time)):
            self.remark("mode", f"Permission mode: {changed}", row, row.key)

    def _user_piece(self, row: Row, piece: Piece) -> None:
        if piece.kind == "result":
            self.pairing.result(row, piece.part, piece.value)
            return
        if piece.kind == "prompt" or piece.what == "injected":
            self.queue.said(piece.text)
        if piece.what == "injected" and "<task-id>" in piece.text:
            self.pairing.notified(piece.text, row.time)
        if piece.what == "compaction":
            piece = piece._replace(title=notes.compaction_title(self.boundary.record if self.boundary else None))
            self.boundary = None
        self._plain_piece(row, piece)

    def _assistant(self, row: Row, pieces: list[Piece]) -> None:
        if self.boundary is not None:
            self.flush_boundary()
        message = row.record.get("message")
        if not isinstance(message, dict):
            return
        given = message.get("id")
        identity = given if isinstance(given, str) and given else row.key or f"@{row.start}"
        named = message.get("model")
        model = named if isinstance(named, str) and named != SYNTHETIC else ""
        shown = _shown(model[:_NAME])
        fresh = bool(pieces or rows.well_formed(message.get("content"))) and self.builder.answer(identity)
        if model:
            if fresh or model != self.tracked.model:
                self._answer_of(model, row, fresh)
            if not self._copied and isinstance(usage := message.get("usage"), dict):  # the other session has paid for it
                if identity != self._spent[0]:
                    self._use()
                self._spent = identity, shown, usage
        if fresh or "effort" in row.record:
            self.tracked.answered(row.record, row.time, fresh=fresh)
        for piece in pieces:
            if piece.kind == "tool":
                self.pairing.call(row, piece.part, piece.value, shown)
            elif piece.kind == "text" or piece.kind == "thinking":
                self.builder.add(piece.kind, piece.text, row.place(piece.part), piece.what, "", row.time, shown, row.key)
            elif piece.kind == "result":
                self.pairing.result(row, piece.part, piece.value)
            else:
                self._plain_piece(row, piece)

    def _use(self) -> None:
        """Take down the tokens of the response at hand: each of its rows tells of them, the last one rightly."""
        identity, shown, usage = self._spent
        if usage is not None:
            self.builder.use(identity, shown, usage_of(usage))

    def _answer_of(self, model: str, row: Row, fresh: bool) -> None:
        """Count an answer with its model, and say that it is another one than before."""
        self.tracked.answer_of(model, fresh=fresh)
        if (row.record.get("isSidechain") is not True or self.subagent) and (changed := self.tracked.new_model(model)):
            self.remark("model", f"Model: {changed}", row, row.key)

    # ── pieces ──

    def _plain_piece(self, row: Row, piece: Piece) -> None:
        at = row.place(piece.part)
        if piece.kind == "prompt":
            turn = self.builder.turn
            self.builder.prompt(piece.what, piece.via, piece.text, at, time=row.time, key=row.key, name=piece.title)
            if row.record.get("isSidechain") is True and piece.via != "attachment" and not self.subagent:
                # a subagent's task in the session's own file begins no turn of the person
                self.builder.turn = turn
                self.builder.blocks[-1] = self.builder.blocks[-1]._replace(turn=turn)
        elif piece.kind == "image":
            title, size = pictures.described(piece.value)
            self.builder.image(title, at, time=row.time, size=size, key=row.key)
            self.tracked.images += 1
        elif piece.kind == "note":
            self.builder.note(piece.what, piece.text, at, time=row.time, key=row.key, title=piece.title)

    def remark(self, what: str, sentence: str, row: Row, key: str = "") -> None:
        """A note that is all title: it has no body in the file."""
        place = Place(row.start, row.length, "title")
        self.builder.note(what, "", place, time=row.time, key=key, title=sentence)

    def flush_boundary(self) -> None:
        """A compaction whose summary did not follow is a note by itself."""
        if self.boundary is not None:
            row, self.boundary = self.boundary, None
            self.remark("boundary", notes.compaction_title(row.record), row, row.key)

    # ── read apart ──

    def fits(self, behind: Reader) -> bool:
        """Whether `join` can take in what `behind` read apart, from where this stopped, as if it had read on itself."""
        return (
            self.boundary is None and self.graph.fits(behind.graph) and self.builder.fits(behind.builder)
            and self.tracked.fits(behind.tracked) and self.pairing.fits(behind.pairing)
        )  # fmt: skip

    def join(self, behind: Reader, blocks: Iterable[Block]) -> None:
        """Take in what `behind` read apart, and its blocks, whose turns are counted on."""
        shift = len(self.builder.blocks)
        self.queue.join(behind.queue, shift)
        self.pairing.join(behind.pairing, shift)
        self.builder.join(behind.builder, blocks)
        self.graph.join(behind.graph)
        self.tracked.join(behind.tracked)
        self.chains += behind.chains
        self.retracted += behind.retracted
        self.boundary = behind.boundary
        self.offset = behind.offset
        self.joined = True

    # ── the result ──

    def transcript(self, unfinished: Damage | None, *, restarted: bool) -> Transcript:
        """What was read so far."""
        made = self.builder.transcript(self.offset, state=self, facts={**self.tracked.facts(), "inline_agents_raw": len(self.chains)}, restarted=restarted)
        blocks, lost = compose(self)
        damage = (*made.damage, unfinished) if unfinished else made.damage
        counts = made.counts._replace(prompts=made.counts.prompts + lost) if lost else made.counts
        return made._replace(blocks=blocks, counts=counts, damage=damage)


def opening(handle: Handle) -> Transcript | None:
    """The newest turns of a big file, from its last megabyte. Raises OSError."""
    if handle.size < _BIG:
        return None
    found, whole = jsonl.tail(handle.path, _OPENING)
    if whole or not found:
        return None
    reader = Reader(subagent=handle.hidden == "subagent")
    reader.offset = found[0].offset
    return reader.transcript(reader.read(handle.path), restarted=False)._replace(state=None)


def _is_unfinished(data: bytes) -> bool:
    """Whether a last line without its line end is not whole yet."""
    reading = jsonl.read(data)
    return not reading.records or bool(reading.damage)


def _agent_link(record: Record) -> tuple[str, str] | None:
    """The call and the subagent that a progress row ties together."""
    data, call = record.get("data"), record.get("parentToolUseID")
    agent = data.get("agentId") if isinstance(data, dict) else None
    return (call, agent) if isinstance(call, str) and isinstance(agent, str) else None


@lru_cache(maxsize=64)
def _shown(model: str) -> str:
    """A model's name for eyes: nearly every row says the same."""
    return one_line(model, 60)


def _role(record: Record, pieces: list[Piece]) -> int:
    for piece in pieces:
        if piece.kind == "prompt" and piece.via == "row":
            return graph.PROMPT if piece.what in ("typed", "subagent") else graph.COMMAND
    if record.get("isMeta") is True:
        return graph.OTHER
    return graph.USER


def usage_of(values: Mapping[str, object]) -> Usage:
    """Tokens of a response's usage record."""
    get = values.get
    return Usage(
        n if isinstance(n := get("input_tokens"), int) and n > 0 else 0,
        n if isinstance(n := get("output_tokens"), int) and n > 0 else 0,
        n if isinstance(n := get("cache_read_input_tokens"), int) and n > 0 else 0,
        n if isinstance(n := get("cache_creation_input_tokens"), int) and n > 0 else 0,
    )
