"""Reading a transcript from its first line to its last, once, into blocks; and going on where the last reading stopped."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from functools import lru_cache

from sessionbrowser.model import Damage, Handle, Place, Transcript, Usage
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.build import Builder
from sessionbrowser.sources.claude import bookkeeping, graph, lines, notes, pictures, rows
from sessionbrowser.sources.claude.compose import compose
from sessionbrowser.sources.claude.graph import Graph
from sessionbrowser.sources.claude.pairing import Pairing, place_of
from sessionbrowser.sources.claude.queue import Queue
from sessionbrowser.sources.claude.rows import SYNTHETIC, Piece
from sessionbrowser.sources.claude.tracked import Tracked
from sessionbrowser.sources.jsonl import Record
from sessionbrowser.text import one_line, parse_time

_NAME = 480  # characters of a model's name that can matter to one line
_BIG, _OPENING = 4 << 20, 1 << 20


class Reader:
    """One file being read. It is the state that `outline` hands from one reading to the next."""

    def __init__(self, *, subagent: bool = False, chain: str = "", shared: frozenset[str] = frozenset()) -> None:
        self.subagent = subagent
        self.chain = chain  # the first row of a side chain inside a session's file: read that alone
        self.shared = shared  # rows that stand in an older file, too
        self.chains: list[str] = []  # first rows of the side chains met in a session's own file
        self._members: set[str] = {chain}
        self.offset = 0
        self.mark = b""  # the last line read, to tell a file that was replaced
        self.inode = 0
        self.builder = Builder()
        self.graph = Graph()
        self.queue = Queue()
        self.tracked = Tracked()
        self.rows_of = array("i")  # for each block the number of its row in the graph
        self.boundary: tuple[Record, Place] | None = None
        self.pairing = Pairing(self.builder, self.tracked)
        self.retracted: list[frozenset[str]] = []  # rows that a fallback to another model took back
        self._empty: set[str] = set()  # rows said to be by a person or a model that held nothing
        self._copied = False

    # ── lines ──

    def read(self, path: str) -> Damage | None:
        """Read on from `offset` to the end of `path`; what an unfinished last line says. Raises OSError."""
        for offset, data in jsonl.raw_lines(path, self.offset):
            if not data.endswith(b"\n") and jsonl.record(data) is None:
                reading = jsonl.read(data)
                if not reading.records or reading.damage:
                    return Damage(offset, "unfinished last line") if data.strip(b"\x00 \t\r\n") else None
            self.line(offset, data)
            self.offset = offset + len(data)
            self.mark = data[-256:]
        return None

    def line(self, offset: int, data: bytes) -> None:
        """One line: bookkeeping is passed over unparsed, everything else is taken apart."""
        kind = lines.kind_of(data)
        if kind and lines.skippable(kind) and self._skip(kind, data):
            return
        place = Place(offset, len(data) - data.endswith(b"\n"))
        record = jsonl.record(data)
        if record is None:
            self._odd_line(kind, data, place)
        else:
            self.tracked.count(kind or str(record.get("type") or "?"))
            self._record(record, place)

    def _odd_line(self, kind: str, data: bytes, place: Place) -> None:
        if not data.strip():
            return
        reading = jsonl.read(data)
        if reading.damage or not reading.records:
            self.builder.damaged(place.start, reading.damage or "nothing but NUL bytes")
        for index, record in enumerate(reading.records):
            self.tracked.count(kind or str(record.get("type") or "?"))
            self._record(record, place._replace(part=f"@{index}") if index else place)

    def _skip(self, kind: str, data: bytes) -> bool:
        if kind not in lines.SKIPPED:
            ids = lines.ids_of(data, kind)
            if ids is None:
                return False
            self.graph.add(*ids, graph.OTHER, aside=self.subagent is False and b'"isSidechain":true' in data[:400])
            if kind == "progress" and (link := lines.agent_of(data)):
                self.pairing.link(*link)
        elif not data.endswith((b"}", b"}\n", b"}\r\n")):
            return False  # cut short: another record may follow on the line
        self.tracked.count(kind)
        return True

    # ── records ──

    def _record(self, record: Record, place: Place) -> None:
        if self.chain and not self._in_chain(record):
            return
        kind, time = record.get("type"), parse_time(record.get("timestamp"))
        if kind == "assistant":
            pieces, role = rows.assistant_pieces(record), graph.ANSWER
        elif kind == "user":
            pieces = rows.user_pieces(record, subagent=self.subagent)
            role = _role(record, pieces)
        elif bookkeeping.note(self, kind, record, place, time):
            self._place_blocks(graph.NOBODY)
            return
        else:
            pieces, role = notes.pieces(record, kind), graph.OTHER
        key, number = record.get("uuid"), len(self.graph)
        if not isinstance(key, str):
            key, number = "", graph.NOBODY
        elif not self._into_graph(key, record, role) and not (pieces and key in self._empty):
            return  # written twice
        elif kind == "user" or kind == "assistant":
            (self._empty.discard if pieces else self._empty.add)(key)
        self.tracked.envelope(record)
        if self.shared or "forkedFrom" in record:
            self._copied = self._from_a_fork(record) or key in self.shared
        if kind == "assistant":
            self._assistant(record, pieces, place, time, key)
        elif kind == "user":
            self._user(record, pieces, place, time, key)
        else:
            self._other(record, kind, pieces, place, time, key)
        if len(self.builder.blocks) > len(self.rows_of):
            self._place_blocks(number)
        self._copied = False

    def _from_a_fork(self, record: Record) -> bool:
        forked = record.get("forkedFrom")
        if not isinstance(forked, dict):
            return False
        if isinstance(origin := forked.get("sessionId"), str):
            self.tracked.single["forked_from_raw"] = origin
        return True

    def _into_graph(self, key: str, record: Record, role: int) -> bool:
        parent = record.get("parentUuid")
        above = parent if isinstance(parent, str) and parent else None
        if above is None and record.get("subtype") == "compact_boundary" and record.get("type") == "system":
            before = record.get("logicalParentUuid")
            return self.graph.add_root(key, before if isinstance(before, str) else None)
        aside = record.get("isSidechain") is True and not self.subagent
        if aside and above is None and record.get("type") == "user":
            self.chains.append(key)
        return self.graph.add(key, above, role, aside=aside)

    def _in_chain(self, record: Record) -> bool:
        key, above = record.get("uuid"), record.get("parentUuid")
        if record.get("isSidechain") is not True or not isinstance(key, str):
            return False
        if key not in self._members and not (isinstance(above, str) and above in self._members):
            return False
        self._members.add(key)
        return True

    def _other(self, record: Record, kind: object, pieces: list[Piece], place: Place, time: float | None, key: str) -> None:
        if kind == "system" and record.get("subtype") == "compact_boundary":
            self.boundary = (record, place)
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
            self._plain_piece(piece, place, time, key)

    def _user(self, record: Record, pieces: list[Piece], place: Place, time: float | None, key: str) -> None:
        if pieces and pieces[0].what != "compaction":
            self.flush_boundary()
        if changed := self.tracked.new_mode(record.get("permissionMode"), time):
            self.remark("mode", f"Permission mode: {changed}", place, time, key)
        if len(pieces) == 1 and pieces[0].kind == "result":
            self.pairing.result(pieces[0], record, place_of(place, pieces[0]), time)
            return
        aside = record.get("isSidechain") is True and not self.subagent
        for _, block in rows.blocks_of(rows.content_of(record)):
            if isinstance(text := block.get("text"), str):
                self.queue.said(text)
        for piece in pieces:
            if piece.kind == "result":
                self.pairing.result(piece, record, place_of(place, piece), time)
                continue
            if piece.kind == "prompt" or piece.what == "injected":
                self.queue.said(piece.text)
            if piece.what == "injected" and "<task-id>" in piece.text:
                self.pairing.notified(piece.text, time)
            if piece.what == "compaction":
                piece = piece._replace(title=notes.compaction_title(self.boundary[0] if self.boundary else None))
                self.boundary = None
            self._plain_piece(piece, place, time, key, aside=aside)

    def _assistant(self, record: Record, pieces: list[Piece], place: Place, time: float | None, key: str) -> None:
        if self.boundary is not None:
            self.flush_boundary()
        message = record.get("message")
        if not isinstance(message, dict):
            return
        given = message.get("id")
        identity = given if isinstance(given, str) and given else key or f"@{place.start}"
        named = message.get("model")
        model = named if isinstance(named, str) and named != SYNTHETIC else ""
        shown = _shown(model[:_NAME])
        if rows.well_formed(message.get("content")):
            self.builder.answer(identity)
        if model:
            self._model(model, record, place, time, key)
            if isinstance(usage := message.get("usage"), dict):
                self.builder.use(identity, shown, usage_of(usage))
        self.tracked.answered(record, time)
        for piece in pieces:
            if piece.kind == "tool":
                self.pairing.call(piece, record, place_of(place, piece), time, key, shown)
            elif piece.kind in ("text", "thinking"):
                self.builder.add(piece.kind, piece.text, place_of(place, piece), piece.what, "", time, shown, key)
            elif piece.kind == "result":
                self.pairing.result(piece, record, place_of(place, piece), time)
            else:
                self._plain_piece(piece, place, time, key)

    def _model(self, model: str, record: Record, place: Place, time: float | None, key: str) -> None:
        if record.get("isSidechain") is True and not self.subagent:
            self.tracked.models[model] = self.tracked.models.get(model, 0) + 1
        elif changed := self.tracked.new_model(model):
            self.remark("model", f"Model: {changed}", place, time, key)

    # ── pieces ──

    def _plain_piece(self, piece: Piece, place: Place, time: float | None, key: str, *, aside: bool = False) -> None:
        at = place_of(place, piece)
        if piece.kind == "prompt":
            turn = self.builder.turn
            self.builder.prompt(piece.what, piece.via, piece.text, at, time=time, key=key)
            if aside:  # a subagent's task inside the session's own file begins no turn of the person
                self.builder.turn = turn
                self.builder.blocks[-1] = self.builder.blocks[-1]._replace(turn=turn)
        elif piece.kind == "image":
            title, size = pictures.described(piece.value)
            self.builder.image(title, at, time=time, size=size, key=key)
            self.tracked.images += 1
        elif piece.kind == "note":
            self.builder.note(piece.what, piece.text, at, time=time, key=key, title=piece.title)

    def remark(self, what: str, sentence: str, place: Place, time: float | None, key: str) -> None:
        """A note that is all title: it has no body in the file."""
        self.builder.note(what, "", place._replace(part="title"), time=time, key=key, title=sentence)

    def flush_boundary(self) -> None:
        """A compaction whose summary did not follow is a note by itself."""
        if self.boundary is not None:
            record, place = self.boundary
            self.boundary = None
            self.remark("boundary", notes.compaction_title(record), place, parse_time(record.get("timestamp")), "")

    # ── the result ──

    def _place_blocks(self, number: int) -> None:
        blocks = self.builder.blocks
        for at in range(len(self.rows_of), len(blocks)):
            self.rows_of.append(number)
            if self._copied:
                blocks[at] = blocks[at]._replace(copied=True)

    def transcript(self, unfinished: Damage | None, *, restarted: bool) -> Transcript:
        """What was read so far."""
        made = self.builder.transcript(self.offset, state=self, facts=self.tracked.facts(), restarted=restarted)
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
    found = values.get
    return Usage(
        _tokens(found("input_tokens")), _tokens(found("output_tokens")),
        _tokens(found("cache_read_input_tokens")), _tokens(found("cache_creation_input_tokens")),
    )  # fmt: skip


def _tokens(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
