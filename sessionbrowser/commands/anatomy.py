"""What one session's file holds: record types and block types with counts and bytes, and what was taken for what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sessionbrowser.commands.rows import session_json
from sessionbrowser.model import Block, Session, Transcript
from sessionbrowser.paths import shown
from sessionbrowser.sources import jsonl
from sessionbrowser.text import for_eyes, one_line, plural

if TYPE_CHECKING:
    from sessionbrowser.library import Library

Json = dict[str, object]
MOST = 200  # damaged lines that are listed one by one


class Tally:
    """How many of each name, and how many bytes."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()

    def add(self, name: str, size: int) -> None:
        self.count[name] += 1
        self.bytes[name] += size

    def rows(self, name: str) -> list[Json]:
        """The greatest first."""
        order = sorted(self.count, key=lambda key: (-self.bytes[key], key))
        return [{name: key, "count": self.count[key], "bytes": self.bytes[key]} for key in order]


def examine(session: Session, library: Library) -> Json:
    """Everything `sb doctor ID` tells. Raises OSError, SourceError."""
    handle = library.handle(session)
    outline = library.outline(handle)
    records, content = Tally(), Tally()
    kinds = dict[int, str]()
    if session.path.endswith(".jsonl") and not session.key:
        for line in jsonl.lines(session.path):
            if line.data.strip():
                kinds[line.offset] = _count(line.data, records, content)
    blocks = Tally()
    for block in outline.blocks:
        blocks.add(_taken_as(block), block.size)
    return {
        "schema": 1,
        "session": session_json(session._replace(counts=outline.counts, tokens=outline.tokens), library),
        "records": records.rows("type"),
        "content": content.rows("type"),
        "blocks": [{"as": row["type"], "count": row["count"], "size": row["bytes"]} for row in blocks.rows("type")],
        "taken": _taken(outline, kinds),
        "passed_over": _passed_over(outline, kinds),
        "damaged": [{"offset": item.offset, "reason": for_eyes(item.reason)} for item in outline.damage[:MOST]],
        "damaged_lines": len(outline.damage),
        "turns": max((block.turn for block in outline.blocks), default=0),
    }


def _count(data: bytes, records: Tally, content: Tally) -> str:
    """Count one line; the name of its (first) record."""
    read = jsonl.read(data)
    if not read.records:
        records.add("(no record)", len(data))
        return "(no record)"
    names = [_name(record) for record in read.records]
    for name in names:
        records.add(name, len(data) // len(names))
    for record in read.records:
        for kind, size in _content(record):
            content.add(kind, size)
    return names[0]


def _name(record: Mapping[str, object]) -> str:
    """A record's type, with the one that says more: "system/compact_boundary", "event_msg/token_count"."""
    kind = record.get("type") or record.get("role") or record.get("record_type") or "(no type)"
    payload = record.get("payload")
    inner = payload.get("type") if isinstance(payload, dict) else record.get("subtype")
    for name in ("attachment", "data"):
        if inner is None and isinstance(nested := record.get(name), dict):
            inner = nested.get("type")
    return one_line(f"{kind}/{inner}" if inner else str(kind), 80)


def _content(record: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    """The pieces of a message: their types, and their bytes as JSON."""
    import orjson

    message = record.get("message") or record.get("payload")
    holder = message if isinstance(message, dict) else record
    pieces = holder.get("content")
    if isinstance(pieces, str):
        yield "(string)", len(pieces.encode("utf-8", "replace"))
    for piece in pieces if isinstance(pieces, list) else ():
        kind = piece.get("type") if isinstance(piece, dict) else None
        yield one_line(str(kind or type(piece).__name__), 80), len(orjson.dumps(piece, default=str))


def _taken_as(block: Block) -> str:
    """What a record was taken for: "prompt typed", "tool shell Bash", "note hook"."""
    return " ".join(filter(None, (block.kind, block.what, block.name if block.kind == "tool" else "")))


def _taken(outline: Transcript, kinds: Mapping[int, str]) -> list[Json]:
    pairs = Counter(
        (kinds[block.place.start], _taken_as(block))
        for block in outline.blocks
        if not block.place.path and block.place.start in kinds
    )
    return [{"record": record, "as": name, "count": count} for (record, name), count in pairs.most_common()]


def _passed_over(outline: Transcript, kinds: Mapping[int, str]) -> list[Json]:
    """Records that stand nowhere in the transcript: bookkeeping, or not understood."""
    used = {block.place.start for block in outline.blocks} | {b.result.start for b in outline.blocks if b.result is not None}
    rest = Counter(kind for offset, kind in kinds.items() if offset not in used)
    return [{"record": record, "count": count} for record, count in rest.most_common()]


def _many(number: object, word: str) -> str:
    return plural(number, word) if isinstance(number, int) else f"unknown {word}s"


def told(found: Json, home: str) -> Iterator[str]:
    """The same for people."""
    session: Json = found["session"]  # type: ignore[assignment]
    yield str(session["title"])
    yield f"{session['source']}  {shown(str(session['id']))}  {shown(str(session['path']), home)}"
    names = ("prompts", "answers", "tool_calls", "tool_results", "tool_errors", "compactions", "interrupts")
    counts = ", ".join(_many(session[name], name.replace("_", " ").removesuffix("s")) for name in names)
    yield f"{_many(found['turns'], 'turn')}: {counts}; {_many(found['damaged_lines'], 'damaged line')}; {_many(session['size'], 'byte')}"
    yield f"{session['status']} ({session['status_from']}: {session['status_why']})"
    for title, name, key, unit in (("records", "records", "type", "bytes"), ("content of messages", "content", "type", "bytes"), ("blocks", "blocks", "as", "size")):  # fmt: skip
        rows: list[Json] = found[name]  # type: ignore[assignment]
        if rows:
            yield ""
            yield f"{title:<52}  count  {'bytes' if unit == 'bytes' else 'characters':>12}"
            for row in rows:
                yield f"  {row[key]:<50}  {row['count']:>5}  {row[unit]:>12,}"
    if found["taken"]:
        yield ""
        yield "what was taken for what"
        for row in found["taken"]:  # type: ignore[attr-defined]
            yield f"  {row['record']:<40}  {row['as']:<40}  {row['count']:>5}"
    if found["passed_over"]:
        yield ""
        yield "records that stand nowhere in the transcript"
        for row in found["passed_over"]:  # type: ignore[attr-defined]
            yield f"  {row['record']:<50}  {row['count']:>5}"
    if found["damaged"]:
        yield ""
        yield "damaged lines"
        for row in found["damaged"]:  # type: ignore[attr-defined]
            yield f"  at byte {row['offset']:,}: {row['reason']}"
