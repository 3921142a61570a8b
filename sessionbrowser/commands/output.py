"""Writing to standard output: JSON that no terminal can be driven by, and text, raw or for eyes."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from sessionbrowser.export.jsontext import json_bytes

__all__ = ["json_bytes", "on_terminal", "raw_or_shown", "write_bytes", "write_json", "write_pieces", "write_text"]


def write_json(value: object, *, indent: bool = False) -> None:
    """Print `value` as one JSON document and a newline."""
    write_bytes(json_bytes(value, indent=indent) + b"\n")


def write_bytes(data: bytes) -> None:
    """Print `data` as it is. Raises OSError."""
    write_pieces((data,))


def write_pieces(pieces: Iterable[bytes]) -> None:
    """Print `pieces`, one after the other, as they are. Raises OSError."""
    sys.stdout.flush()
    for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def write_text(text: str) -> None:
    """Print `text`, raw names of files included, as UTF-8."""
    write_bytes(text.encode("utf-8", "surrogateescape" if _is_name(text) else "replace"))


def on_terminal() -> bool:
    """Whether standard output is a terminal."""
    try:
        return sys.stdout.isatty()
    except ValueError:
        return False


def raw_or_shown(value: str) -> str:
    """A raw value for another program; on a terminal, or with control characters in it, made fit for eyes."""
    from sessionbrowser.text import for_eyes

    clean = for_eyes(value)
    if on_terminal() or "\n" in value or "\t" in value or len(clean) != len(value):
        return clean.replace("\n", " ").replace("\t", " ")
    return value


def _is_name(text: str) -> bool:
    """Whether the only surrogates in `text` are those that stand for bytes of a file's name."""
    return not any("\ud800" <= char <= "\udbff" or "\udd00" <= char <= "\udfff" for char in text)
