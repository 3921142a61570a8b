"""Names of sessions from standard input: ids, or rows of `sb list` in which the id stands in its column."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator

LONGEST = 4096  # characters of a name; what is longer is none


def ids(descriptor: int = 0) -> Iterator[str]:
    """Every name until the end of input. Raises OSError."""
    for some in batches(_read(descriptor)):
        yield from some


def as_they_come(descriptor: int = 0) -> Iterator[list[str]]:
    """The names of each piece that can be read. Raises OSError."""
    return batches(_read(descriptor))


def _read(descriptor: int) -> Iterator[bytes]:
    while data := os.read(descriptor, 65536):
        yield data


def batches(pieces: Iterable[bytes]) -> Iterator[list[str]]:
    """The names in lines (or records that end with NUL), piece by piece."""
    held = b""
    for piece in pieces:
        *lines, held = (held + piece).replace(b"\0", b"\n").split(b"\n")
        yield [name for line in lines if (name := name_in(line))]
    if name := name_in(held):
        yield [name]


def name_in(line: bytes) -> str:
    """The name a line holds: its third column when it is a row, the id of an object, else its first word."""
    text = line.decode("utf-8", "surrogateescape").strip()
    if text.startswith("{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return ""
        found = value.get("id") if isinstance(value, dict) else None
        return found if isinstance(found, str) else ""
    columns = text.split("\t")
    name = columns[2] if len(columns) > 2 else columns[0].split(" ", 1)[0]
    return name if len(name) <= LONGEST and name != "id" else ""
