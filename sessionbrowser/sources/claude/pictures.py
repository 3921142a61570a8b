"""Images and documents in content blocks: what they are, how large, and their bytes when they are asked for."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

from sessionbrowser.model import Picture
from sessionbrowser.text import one_line, weight

_LIMIT = 24 << 20  # base64 characters that are decoded at most


def described(block: Mapping[str, object]) -> tuple[str, int]:
    """A line about an image or document block, and its size in bytes."""
    data, form = _source(block)
    size = _decoded(data)
    kind = form.upper() if form else "Image"
    return (f"{kind} · {weight(size)}" if size else kind), size


def picture(block: Mapping[str, object]) -> Picture:
    """The card of an image or document block, with its bytes."""
    data, form = _source(block)
    return from_base64(data, form)


def from_base64(data: str, form: str, name: str = "") -> Picture:
    """The card of base64 `data`; without bytes when they are no base64 or too many."""
    raw: bytes | None = None
    if data and len(data) <= _LIMIT:
        try:
            raw = base64.b64decode(data, validate=False)
        except (binascii.Error, ValueError):
            raw = None
    width, height = size_of(raw or b"")
    return Picture(one_line(form, 20), width, height, len(raw) if raw is not None else _decoded(data), one_line(name, 200), raw)


def size_of(data: bytes) -> tuple[int, int]:
    """Width and height of a PNG, GIF, JPEG or WebP; zeros when they can't be told."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    if data[:4] == b"GIF8" and len(data) >= 10:
        return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    if data[:2] == b"\xff\xd8":
        return _jpeg(data)
    if data[:4] == b"RIFF" and data[8:16] == b"WEBPVP8X" and len(data) >= 30:
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    return 0, 0


def _jpeg(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return 0, 0


def _source(block: Mapping[str, object]) -> tuple[str, str]:
    source = block.get("source")
    if not isinstance(source, Mapping):
        return "", ""
    data, media = source.get("data"), source.get("media_type")
    form = media.rsplit("/", 1)[-1] if isinstance(media, str) else ""
    return data if isinstance(data, str) else "", one_line(form, 20)


def _decoded(data: str) -> int:
    """The bytes that base64 `data` stands for."""
    return len(data) * 3 // 4 - data.count("=", -2)
