"""Where rollouts are and how their lines are read: plain, compressed with zstd, or in one old document.

Places in a compressed rollout are bytes of its text; in an old document they are ordinals of its items.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import BinaryIO, NamedTuple, cast

from sessionbrowser.model import Place
from sessionbrowser.paths import shown
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.jsonl import Line

UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_NAME = re.compile(r"rollout-(?:\d{4}-\d\d-\d\d(?:T\d\d-\d\d-\d\d)?-)?(?P<id>.+?)\.(?:jsonl|jsonl\.zst|json)")
_USUAL = re.compile(rf"rollout-\d{{4}}-\d\d-\d\dT\d\d-\d\d-\d\d-({UUID.pattern})\.jsonl")
_PAGE = re.compile(rf"(?P<id>{UUID.pattern})_(?P<page>{UUID.pattern})")
_DEPTH = 5  # sessions/YYYY/MM/DD holds files; deeper than this nothing is looked for
LINE_LIMIT = 256 << 20  # bytes of one line of a compressed file; what is longer is cut, and damaged
DOCUMENT_LIMIT = 256 << 20
_KEEP = 24 << 20  # a decompressed text up to this size is kept for the next body


class File(NamedTuple):
    """A directory entry below a root. `path` is raw; `id` is "" when the name is not a rollout's.

    `page` is the id of a page of that session, written when the conversation was taken back and gone on with.
    """

    path: str
    name: str
    id: str
    linked: bool = False  # a link to a folder: not entered, it may lead in circles
    page: str = ""


def id_of(name: str) -> str:
    """The id in a rollout's file name: the UUID at its end, else what follows the time; "" for other names.

    A page has the session's id before its own.
    """
    return ids_of(name)[0]


def page_of(name: str) -> str:
    """The id of a page in its file name, "" for names of other files."""
    return ids_of(name)[1]


def ids_of(name: str) -> tuple[str, str]:
    """Both."""
    if usual := _USUAL.fullmatch(name):
        return usual[1], ""
    found = _NAME.fullmatch(name)
    if found is None:
        return "", ""
    if page := _PAGE.fullmatch(found["id"]):
        return page["id"], page["page"]
    uuids = UUID.findall(name)
    return (str(uuids[-1]) if uuids and found["id"].endswith(uuids[-1]) else found["id"]), ""


def folders(root: str) -> list[str]:
    """The folders of a root that hold rollouts: sessions and archive, or the root itself."""
    if os.path.isfile(root):
        return []
    inside = [os.path.join(root, name) for name in ("sessions", "archived_sessions")]
    return [folder for folder in inside if os.path.isdir(folder)] or [root]


def walk(folder: str, trouble: list[tuple[str, OSError]], depth: int = _DEPTH) -> Iterator[File]:
    """Every file below `folder`, newest days first. Folders that cannot be read go to `trouble`."""
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name, reverse=True)
    except OSError as error:
        trouble.append((folder, error))
        return
    for entry in found:
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
        except OSError:
            continue
        if not is_folder:
            id, page = ids_of(entry.name)
            yield File(entry.path, entry.name, id, entry.is_symlink() and os.path.isdir(entry.path), page)
        elif depth:
            yield from walk(entry.path, trouble, depth - 1)


# ── lines ──


def lines(path: str, start: int = 0, end: int | None = None) -> Iterator[Line]:
    """The lines of a rollout from `start` (a line's beginning) to `end`. Raises OSError or SourceError."""
    if path.endswith(".zst"):
        return _unpacked_lines(path, start, end)
    if path.endswith(".json"):
        return (Line(number, data, True) for number, data in enumerate(_document(path, _stamp(path))) if number >= start)
    return jsonl.lines(path, start, end)


def _unpacked_lines(path: str, start: int, end: int | None) -> Iterator[Line]:
    offset = 0
    for data in _unpacked(path, lambda file: file.readline(LINE_LIMIT)):
        if end is not None and offset >= end:
            return
        if offset >= start:
            whole = data.endswith(b"\n")
            yield Line(offset, data[:-1] if whole else data, whole)
        offset += len(data)


def _unpacked(path: str, read: Callable[[BinaryIO], bytes]) -> Iterator[bytes]:
    """What `read` takes from a compressed file's text, up to its end or to where it is damaged.

    Raises SourceError when nothing here can decompress it.
    """
    file = jsonl.open_file(path)
    with file:
        stream, broken = _unpacker(file)
        while True:
            try:
                data = read(stream)
            except (broken, EOFError, OSError):
                return
            if not data:
                return
            yield data


def _install() -> str:
    """The command that puts zstandard beside `sb`, whose environment mostly has no pip of its own."""
    from shlex import quote

    return f"python3 -m pip --python {quote(shown(sys.executable))} install zstandard"


def can_unpack() -> bool:
    """Whether there is something that reads compressed files."""
    from importlib.util import find_spec

    try:
        return find_spec("compression.zstd") is not None or find_spec("zstandard") is not None
    except ModuleNotFoundError:  # no package `compression` before Python 3.14
        return find_spec("zstandard") is not None


def _unpacker(file: BinaryIO) -> tuple[BinaryIO, type[Exception]]:
    """The text of a compressed file as a stream, and the error of the library that reads it."""
    try:
        from compression import zstd
    except ImportError:
        pass
    else:
        return cast(BinaryIO, zstd.ZstdFile(file)), zstd.ZstdError
    try:
        import zstandard
    except ImportError:
        raise SourceError(f"compressed with zstd: to read it, run {_install()}") from None
    unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 27)
    reader = unpacker.stream_reader(file, read_across_frames=True, closefd=False)
    return cast(BinaryIO, io.BufferedReader(reader, 1 << 17)), zstandard.ZstdError


def read_at(path: str, start: int, length: int) -> bytes:
    """`length` bytes of a rollout's text from `start`; of a document the item `start`. Raises OSError or SourceError."""
    if path.endswith(".json"):
        items = _document(path, _stamp(path))
        return items[start] if 0 <= start < len(items) else b""
    if not path.endswith(".zst"):
        return jsonl.read_at(path, start, length)
    stamp = _stamp(path)
    text = _whole(path, stamp)
    if text is not None:
        return text[start : start + length]
    return next((line.data for line in _unpacked_lines(path, start, start + 1)), b"")[:length]


def record_at(path: str, place: Place) -> jsonl.Record | None:
    """The record at `place`, read again. Raises OSError or SourceError."""
    records = jsonl.read(read_at(place.path or path, place.start, place.length)).records
    return records[0] if records else None


def first_and_last(path: str, head: int, tail: int) -> tuple[bytes, bytes]:
    """The first `head` and the last `tail` bytes of a compressed rollout's text, from one pass."""
    first, last = bytearray(), b""
    for chunk in _unpacked(path, lambda file: file.read(1 << 17)):
        if len(first) < head:
            first += chunk[: head - len(first)]
        last = (last + chunk)[-tail:]
    return bytes(first), last


def split(data: bytes) -> list[Line]:
    """The lines of a piece of text; the last one may lack its line end."""
    found, offset = [], 0
    for row in data.split(b"\n"):
        found.append(Line(offset, row, offset + len(row) < len(data)))
        offset += len(row) + 1
    return found if found[-1].data else found[:-1]


def _stamp(path: str) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns


@lru_cache(maxsize=1)
def _whole(path: str, stamp: tuple[int, int]) -> bytes | None:
    """The text of a compressed rollout, None when it is too large to keep."""
    pieces, size = [], 0
    for chunk in _unpacked(path, lambda file: file.read(1 << 20)):
        pieces.append(chunk)
        size += len(chunk)
        if size > _KEEP:
            return None
    return b"".join(pieces)


@lru_cache(maxsize=1)
def _document(path: str, stamp: tuple[int, int]) -> tuple[bytes, ...]:
    """The items of a document of spring 2025 as lines: its session first."""
    import orjson

    if stamp[0] > DOCUMENT_LIMIT:
        raise SourceError("an old document too large to be read whole")
    try:
        value = orjson.loads(jsonl.read_at(path, 0, stamp[0]))
    except orjson.JSONDecodeError:
        raise SourceError("a damaged document") from None
    if not isinstance(value, dict):
        raise SourceError("not a session")
    meta = value.get("session")
    items = value.get("items")
    records = [{"type": "session_meta", "payload": meta if isinstance(meta, dict) else {}}]
    records += [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return tuple(orjson.dumps(record) for record in records)
