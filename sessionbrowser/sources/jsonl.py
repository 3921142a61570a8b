"""Tolerant reading of JSON lines: ranges, heads, tails and damaged lines. A damaged line costs that line.

orjson reads nearly every line; what it refuses (lone surrogates, NUL padding, a byte order mark, raw control
characters, invalid UTF-8, two records on one line, a record cut short with the next one behind it) goes to a slower
second reading. Lines end at LF only: other line separators stand inside records.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from io import RawIOBase
from typing import BinaryIO, NamedTuple

Record = dict[str, object]

CHUNK = 1 << 20
NEAR = 1 << 16
_RECORD_START = re.compile(rb'\{\s*"')
_ROW = '{"parentUuid":'
_START = re.compile(r'\{"(?:type|timestamp)":"')
_DECODER = json.JSONDecoder(strict=False, parse_float=lambda text: _finite(float(text)), parse_constant=lambda _: None)


def _finite(number: float) -> float | None:
    """None for what no number is: neither endless nor NaN can be counted with, or written down again."""
    return number if abs(number) < float("inf") else None


class Line(NamedTuple):
    """A line of a file: where it begins, its bytes without the line end, and whether a line end was there."""

    offset: int
    data: bytes
    whole: bool


class Reading(NamedTuple):
    """What a line gave: its records, and what was wrong with it ("" when nothing was)."""

    records: tuple[Record, ...]
    damage: str = ""


def open_file(path: str) -> BinaryIO:
    """`path` opened for reading, without following a swap to a pipe or a device. Raises OSError."""
    return os.fdopen(_descriptor(path), "rb", buffering=CHUNK)


def _open_bare(path: str) -> RawIOBase:
    """The same without a buffer, for reading one piece: a buffer would be filled to its end each time."""
    return os.fdopen(_descriptor(path), "rb", buffering=0)


_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


def _descriptor(path: str) -> int:
    return os.open(path, _READING)


def _fully(file: RawIOBase, length: int) -> bytes:
    """`length` bytes from where `file` stands; fewer at its end."""
    data = file.read(length) or b""
    while len(data) < length and (more := file.read(length - len(data))):
        data += more
    return data


def lines(path: str, start: int = 0, end: int | None = None) -> Iterator[Line]:
    """The lines of `path` from byte `start` (a line's beginning) to `end`. Raises OSError."""
    # whoever begins in the middle mostly wants one record: a big buffer would be filled for it
    with os.fdopen(_descriptor(path), "rb", buffering=NEAR if start else CHUNK) as file:
        if start:
            file.seek(start)
        offset = start
        for data in file:
            whole = data.endswith(b"\n")
            yield Line(offset, data[:-1] if whole else data, whole)
            offset += len(data)
            if end is not None and offset >= end:
                return


def raw_lines(path: str, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """Where each line begins and its bytes, the line end included: for who passes over most of them. Raises OSError."""
    with opened(path, start) as file:
        for data in file:
            yield start, data
            start += len(data)


def opened(path: str, start: int = 0) -> BinaryIO:
    """The file, to be read from byte `start` on: its lines are those of `raw_lines`. Raises OSError."""
    file = os.fdopen(_descriptor(path), "rb", buffering=NEAR if start else CHUNK)
    if start:
        file.seek(start)
    return file


def read_at(path: str, start: int, length: int) -> bytes:
    """`length` bytes of `path` from `start`; fewer at its end. Raises OSError."""
    descriptor = _descriptor(path)  # bare, as bodies are read one by one: a file object takes as long as the reading
    try:
        os.lseek(descriptor, start, os.SEEK_SET)
        data = os.read(descriptor, length)
        while len(data) < length and (more := os.read(descriptor, length - len(data))):
            data += more
        return data
    finally:
        os.close(descriptor)


def head(path: str, size: int) -> list[Line]:
    """The whole lines in the first `size` bytes; the last line of the file also without its line end."""
    data = read_at(path, 0, size)
    return list(_split(data, 0, at_end=len(data) < size))


def tail(path: str, size: int) -> tuple[list[Line], bool]:
    """The whole lines in the last `size` bytes, and whether that was the whole file."""
    data, start = tail_bytes(path, size)
    return list(_split(data, start, at_end=True)), start == 0


def tail_bytes(path: str, size: int) -> tuple[bytes, int]:
    """The same lines as they stand in the file, and where they begin."""
    with _open_bare(path) as file:
        end = file.seek(0, os.SEEK_END)
        start = max(0, end - size)
        file.seek(start)
        data = _fully(file, end - start)
    if start:
        cut = data.find(b"\n") + 1
        data, start = data[cut:] if cut else b"", start + (cut or len(data))
    return data, start


def last_with(path: str, mark: bytes) -> Iterator[Line]:
    """The lines in which `mark` stands, the last one first; no more is read than for those asked for. Raises OSError."""
    with _open_bare(path) as file:
        end = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - CHUNK)
            file.seek(start)
            data = _fully(file, end - start)
            at = len(data)
            while (at := data.rfind(mark, 0, at)) >= 0:
                line = _line_around(file, start + at)
                yield line
                at = max(0, line.offset - start)
            end = start + len(mark) - 1 if start else 0


def _line_around(file: RawIOBase, at: int) -> Line:
    """The line that byte `at` stands in."""
    start, before = at, b""
    while start and b"\n" not in before:
        here = max(0, start - NEAR)
        file.seek(here)
        before, start = _fully(file, start - here), here
    start += before.rfind(b"\n") + 1
    file.seek(start)
    parts: list[bytes] = []
    while more := file.read(NEAR):
        parts.append(more)
        if b"\n" in more:
            break
    text, newline, _ = b"".join(parts).partition(b"\n")
    return Line(start, text, bool(newline))


def _split(data: bytes, start: int, *, at_end: bool) -> Iterator[Line]:
    offset, at = start, 0
    while (stop := data.find(b"\n", at)) >= 0:
        yield Line(offset, data[at:stop], True)
        offset, at = start + stop + 1, stop + 1
    if at_end and at < len(data):
        yield Line(offset, data[at:], False)


def _first(data: bytes) -> object:
    """orjson.loads, imported with the first line: a list of unchanged sessions reads none, and it costs 10 ms."""
    global _loads
    import orjson

    _loads = orjson.loads
    return _loads(data)


_loads: Callable[[bytes], object] = _first


def record(data: bytes) -> Record | None:
    """The record on a sound line that holds one; None for every other line: `read` takes those apart."""
    try:
        value = _loads(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def read(data: bytes) -> Reading:
    """The records on one line: nearly always one, in perfect order."""
    try:
        value = _loads(data)
    except ValueError:
        return _read_damaged(data)
    if isinstance(value, dict):
        return Reading((value,))
    return Reading((), "not a record")


def _read_damaged(data: bytes) -> Reading:
    data = data.removeprefix(b"\xef\xbb\xbf").strip(b"\x00 \t\r\n")
    if not data:
        return Reading(())
    text = data.decode("utf-8", errors="replace")
    found: list[Record] = []
    lost, at, last = "", 0, text.rfind(_ROW)
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            lost = "cut short" if not found else "cut short after a record"
            at = _next_record(text, at, last)
            continue
        if isinstance(value, dict):
            found.append(_without_surrogates(value))
        else:
            lost = "not a record"
        while at < len(text) and text[at] in " \t\r\x00":
            at += 1
    if len(found) == 1 and not lost:
        return Reading((found[0],))
    return Reading(tuple(found), lost or "several records on one line")


def _next_record(text: str, at: int, last: int) -> int:
    """Where the next record that looks whole begins behind a broken one; the end when there is none.

    Up to the `last` row nothing else counts: parts of the broken one look like records, too.
    """
    if at < last:
        return text.find(_ROW, at + 1)
    found = _START.search(text, at + 1)
    return found.start() if found else len(text)


def _without_surrogates(record: Record) -> Record:
    try:
        json.dumps(record, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        mended: Record = json.loads(
            json.dumps(record, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
        return mended
    except (ValueError, RecursionError):
        return record
    return record
