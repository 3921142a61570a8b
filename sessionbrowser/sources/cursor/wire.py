"""Contents of a chat's store by their hash, and the fields of protobuf messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sessionbrowser.sources.sqlite import readable

if TYPE_CHECKING:
    import sqlite3


def blob(database: sqlite3.Connection, key: str) -> bytes | None:
    """The content stored under one id."""
    rows = readable(database, "select data from blobs where id = ?", (key,))
    if not rows:
        return None
    (data,) = rows[0]
    return data if isinstance(data, bytes) else str(data).encode("utf-8", "replace")


def begin(database: sqlite3.Connection, key: str) -> bytes:
    """How a content begins; nothing when it is gone, as a message does when it is damaged."""
    rows = readable(database, "select substr(cast(data as blob), 1, 40) from blobs where id = ?", (key,))
    if rows is None:
        return b"{"
    return rows[0][0] if rows and isinstance(rows[0][0], bytes) else b""


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields that hold bytes or whole numbers; reading ends where the data makes no sense."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        field, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield field, value
        elif wire == 1:
            at += 8
        elif wire == 5:
            at += 4
        elif wire == 2:
            length, at = _varint(data, at)
            if length > len(data) - at:
                return
            yield field, data[at : at + length]
            at += length
        else:
            return


def text(value: int | bytes | None) -> str:
    """What a field says."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def signed(value: int) -> int:
    """A number that may be below zero."""
    return value - (1 << 64) if value >= 1 << 63 else value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    return value, len(data)
