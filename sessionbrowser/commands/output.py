"""Writing to standard output: JSON that no terminal can be driven by, and text, raw or for eyes."""

from __future__ import annotations

import re
import sys

# What may not stand as itself in our JSON: DEL, C1, line separators, bidirectional controls, in UTF-8.
_ACTIVE = re.compile(rb"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]")


def json_bytes(value: object, *, indent: bool = False) -> bytes:
    """`value` as JSON without a character that acts on a terminal; lone surrogates stay as escapes."""
    import orjson  # 13 ms that an unchanged list does not pay

    try:
        data = orjson.dumps(value, default=_default, option=orjson.OPT_INDENT_2 if indent else 0)
    except orjson.JSONEncodeError:
        data = _escaped(value, indent)
    if data.isascii() and b"\x7f" not in data:
        return data
    return _ACTIVE.sub(_as_escape, data)


def write_json(value: object, *, indent: bool = False) -> None:
    """Print `value` as one JSON document and a newline."""
    write_bytes(json_bytes(value, indent=indent) + b"\n")


def write_bytes(data: bytes) -> None:
    """Print `data` as it is. Raises OSError."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
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


def _default(value: object) -> object:
    if isinstance(value, tuple):
        return list(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


def _escaped(value: object, indent: bool) -> bytes:
    """By the standard library, which writes lone surrogates as escapes."""
    import json

    return json.dumps(value, default=str, ensure_ascii=True, indent=2 if indent else None,
                      separators=None if indent else (",", ":")).encode()  # fmt: skip


def _as_escape(found: re.Match[bytes]) -> bytes:
    return b"\\u%04x" % ord(found[0].decode("utf-8"))
