"""Sources whose sessions are JSON lines, read through pieces: rows from head and tail, outlines that go on where they stopped."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from zlib import crc32

from sessionbrowser.model import (
    Agent,
    Block,
    Body,
    Damage,
    Handle,
    Passage,
    Place,
    Root,
    Session,
    Transcript,
    Unreadable,
)
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.base import Source, strings
from sessionbrowser.sources.bodies import body
from sessionbrowser.sources.pieces import Assembly, Piece, session
from sessionbrowser.text import for_eyes, one_line

UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
WHOLE = 128 << 10  # files up to this size are read in full for their row
HEAD, HEAD_LIMIT = 32 << 10, 2 << 20
TAIL, TAIL_LIMIT = 32 << 10, 1 << 20
BIG, OPENING = 4 << 20, 1 << 20  # files from BIG on are opened by their last OPENING bytes


class _State(Assembly):
    """An assembly that knows how far it has read and what the last line was, so that a replaced file is noticed."""

    def __init__(self) -> None:
        super().__init__()
        self.offset = 0
        self.inode = 0
        self.unfinished: tuple[Damage, ...] = ()  # a last line that may still be being written
        self.check: tuple[int, int, int] = (0, 0, 0)  # start, length and checksum of the last line


class LogSource(Source):
    """A source that says with `pieces` what a record holds."""

    ends = HEAD, TAIL  # bytes that are read at first of a bigger file's beginning and end
    tree = False  # whether records name the one before them and rewinding leaves branches
    naming = b""  # what stands in the records that name a session, when they may stand anywhere; the last one counts

    def pieces(self, record: jsonl.Record, handle: Handle) -> Iterator[Piece]:
        """What one record holds; nothing for records that do not matter or are unknown."""
        raise NotImplementedError

    # ── rows ──

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        size = max(handle.size, 0)
        if size <= WHOLE:
            state = _State()
            self._read(state, handle)
            return self.finish(handle, session(handle, state, state, whole=True, damaged=len(state.builder.damage) + len(state.unfinished)))
        head = self._head(handle)
        tail = self._tail(handle)
        if self.naming and "name" not in tail.row:
            head.row |= self._named(handle)
        return self.finish(handle, session(handle, head, tail, whole=False, damaged=len(tail.builder.damage)))

    def finish(self, handle: Handle, row: Session) -> Session:
        """The row with what is known from beside the file (a settings file, an index)."""
        return row

    def _head(self, handle: Handle) -> Assembly:
        size = self.ends[0]
        while True:
            head = Assembly()
            for line in jsonl.head(handle.path, size):
                self._take(head, line, handle)
            if head.first or size >= HEAD_LIMIT or size >= handle.size:
                return head
            size *= 4

    def _tail(self, handle: Handle) -> Assembly:
        size = self.ends[1]
        while True:
            tail = Assembly()
            lines, everything = jsonl.tail(handle.path, size)
            for line in lines:
                self._take(tail, line, handle)
            if everything or size >= TAIL_LIMIT or (tail.last and tail.updated is not None and tail.tail != "unknown"):
                return tail
            size *= 4

    def _named(self, handle: Handle) -> dict[str, object]:
        """The last name given anywhere in a file."""
        for line in jsonl.last_with(handle.path, self.naming):
            found = Assembly()
            self._take(found, line, handle)
            if "name" in found.row:
                return {"name": found.row["name"]}
        return {}

    # ── the whole ──

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        state = since.state if since is not None else None
        restarted = False
        if not (isinstance(state, _State) and since is not None and state.offset == since.offset and self._goes_on(state, handle)):
            restarted = since is not None
            state = _State()
        self._read(state, handle)
        made = state.transcript(state.offset, tree=self.tree, restarted=restarted)
        return made._replace(damage=(*made.damage, *state.unfinished)) if state.unfinished else made

    def opening(self, handle: Handle) -> Transcript | None:
        """The newest turns of a big file: its outline gone on with from near its end."""
        if handle.size < BIG:
            return None
        lines, everything = jsonl.tail(handle.path, OPENING)
        if everything or not lines:
            return None
        head, state = self._head(handle), _State()
        state.row, state.facts, state.model = head.row, head.facts, head.model
        state.offset, state.inode = lines[0].offset, os.stat(handle.path).st_ino
        before = Transcript((), offset=state.offset, state=state)
        return self.outline(handle, before)._replace(state=None)

    def _goes_on(self, state: _State, handle: Handle) -> bool:
        """Whether the file is still the one that was read: same inode, not shorter, its last line unchanged."""
        try:
            found = os.stat(handle.path)
        except OSError:
            return False
        start, length, check = state.check
        if found.st_ino != state.inode or found.st_size < state.offset:
            return False
        return not length or crc32(jsonl.read_at(handle.path, start, length)) == check

    def _read(self, state: _State, handle: Handle) -> None:
        state.inode, state.unfinished = os.stat(handle.path).st_ino, ()
        for line in jsonl.lines(handle.path, state.offset):
            if not line.whole and not _complete(line.data):
                if line.data.strip(b"\x00 \t\r"):
                    state.unfinished = (Damage(line.offset, "unfinished last line"),)
                break
            self._take(state, line, handle)
            state.offset = line.offset + len(line.data) + line.whole
            state.check = (line.offset, len(line.data), crc32(line.data))

    def _take(self, state: Assembly, line: jsonl.Line, handle: Handle) -> None:
        reading = jsonl.read(line.data)
        if reading.damage:
            state.builder.damaged(line.offset, reading.damage)
        place = Place(line.offset, len(line.data))
        for piece in self._numbered(reading.records, handle):
            state.take(piece, place)

    def _numbered(self, records: tuple[jsonl.Record, ...], handle: Handle) -> Iterator[Piece]:
        """The pieces of all records on one line (nearly always one), told apart by their parts."""
        for index, record in enumerate(records):
            for piece in self.pieces(record, handle):
                yield piece._replace(part=f"{index}/{piece.part}") if index else piece

    # ── bodies ──

    def body(self, handle: Handle, block: Block) -> Body:
        found = self._pieces_at(handle, block.place)
        results: list[Piece] = []
        if block.kind == "tool" and block.result is not None:
            results = found if block.result.start == block.place.start else self._pieces_at(handle, block.result)
        return body(block, found, results)

    def _pieces_at(self, handle: Handle, place: Place) -> list[Piece]:
        data = jsonl.read_at(handle.path, place.start, place.length)
        return list(self._numbered(jsonl.read(data).records, handle))

    def passages(self, handle: Handle, offset: int = 0, *, tools: bool = False) -> Iterator[Passage]:
        calls: dict[str, int] = {}
        for line in jsonl.lines(handle.path, offset):
            if not line.whole and not _complete(line.data):
                return
            for piece in self._numbered(jsonl.read(line.data).records, handle):
                if piece.kind == "call" and piece.again and piece.call in calls:
                    continue  # announced before
                start = call_start(piece, line.offset, calls) if tools else line.offset
                if passage := passage_of(piece, start, tools):
                    yield passage

    # ── agents ──

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        made = outline or self.outline(handle)
        return root_agent(self, handle, made)


def root_agent(source: Source, handle: Handle, made: Transcript, children: tuple[Agent, ...] = ()) -> Agent:
    """The session itself as the root of its tree."""
    row = source.summarise(handle)
    return Agent(
        handle.id, "session", "", row.title, model=row.model or "", tokens=made.tokens if made.tokens.total else None, tool_calls=made.counts.tool_calls,
        started=row.created, ended=row.updated, path=handle.path, handle=handle, children=children,
    )  # fmt: skip


def _complete(data: bytes) -> bool:
    """Whether a last line without a line end is a whole record."""
    reading = jsonl.read(data)
    return bool(reading.records) and not reading.damage


def call_start(piece: Piece, start: int, calls: dict[str, int]) -> int:
    """Where a hit in a result has its block: at the call it answers, as far as that was seen."""
    if piece.kind == "call":
        calls.setdefault(piece.call or f"\0{start}:{piece.part}", start)
    elif piece.kind in ("result", "outcome"):
        waiting = piece.call if piece.call in calls else next((call for call in calls if call[:1] == "\0"), "")
        return calls.pop(waiting, start) if waiting[:1] == "\0" else calls.get(waiting, start)
    return start


def passage_of(piece: Piece, start: int, tools: bool) -> Passage | None:
    """What of a piece is searched, leading to the block that begins at `start`."""
    if piece.kind in ("prompt", "text", "thinking"):
        return Passage(piece.kind, start, for_eyes(piece.text), piece.time) if piece.text else None
    if tools and piece.kind in ("call", "result", "outcome"):
        text = "\n".join([*strings(dict(piece.arguments)), piece.text]).strip()
        return Passage("tool", start, for_eyes(text), piece.time) if text else None
    return None


# ── finding files ──


def handle_at(source: str, root: Root, entry: os.DirEntry[str], identity: str, **more: str) -> Handle:
    """A handle for a file found in a folder. Raises OSError when it is gone."""
    found = entry.stat()
    return Handle(source, root, entry.path, "", identity, found.st_size, found.st_mtime_ns, found.st_ino, **more)


def with_beside(handle: Handle, path: str) -> Handle:
    """A handle that also changes when the file at `path` does, which says more of its session."""
    try:
        changed = os.stat(path).st_mtime_ns
    except OSError:
        return handle
    return handle._replace(mtime_ns=max(handle.mtime_ns, changed))


def entries(path: str, trouble: list[Unreadable], source: str) -> list[os.DirEntry[str]]:
    """What a folder holds, by name; a folder that can't be read is put on `trouble`, one that is absent is empty."""
    try:
        with os.scandir(path) as found:
            return sorted(found, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
    except OSError as problem:
        trouble.append(Unreadable(source, path, one_line(problem.strerror or str(problem), 120)))
        return []


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder of the store itself; links to folders elsewhere are not followed."""
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a regular file (a link to one included)."""
    try:
        return entry.is_file()
    except OSError:
        return False


def roots_from(source: str, places: list[str]) -> list[Root]:
    """Those of `places` that exist, each once by real path."""
    found: dict[str, Root] = {}
    for place in places:
        if os.path.isdir(place):
            found.setdefault(os.path.realpath(place), Root(source, place))
    return list(found.values())


def store_at(path: str, inside: tuple[str, ...], looks: Callable[[str], bool]) -> str:
    """`path`, or the first of the folders `inside` it, that looks like a store; "" when none does."""
    for candidate in (*(os.path.join(path, name) for name in inside), path):
        if os.path.isdir(candidate) and looks(candidate):
            return candidate
    return ""


def first_record(path: str, limit: int = 64 << 10) -> jsonl.Record:
    """The first record of a file, {} when its first `limit` bytes hold none."""
    try:
        data = jsonl.read_at(path, 0, limit).split(b"\n", 1)[0]
    except OSError:
        return {}
    records = jsonl.read(data).records
    return records[0] if records else {}


