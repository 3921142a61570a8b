"""Pictures in a conversation: a card with format, dimensions and size, and the bytes where they are in the record."""

from __future__ import annotations

import base64
import binascii
import re

from sessionbrowser.model import Picture
from sessionbrowser.text import one_line

LIMIT = 64 << 20  # characters of a data URL
_DATA = re.compile(r"data:image/([a-zA-Z0-9.+-]{1,20});base64,")


def picture(address: str) -> Picture:
    """The picture at a raw address: a data URL, or a path or address that is only named, never opened."""
    found = _DATA.match(address)
    if found is None:
        name = one_line(address, 200)
        return Picture(name.rsplit(".", 1)[-1].lower()[:8] if "." in name else "image", name=name)
    data = _decoded(address[found.end() :]) if len(address) <= LIMIT else None
    if data is None:
        return Picture(found[1].lower(), size=len(address) * 3 // 4)
    width, height = dimensions(data)
    return Picture(found[1].lower(), width, height, len(data), data=data)


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return None


def dimensions(data: bytes) -> tuple[int, int]:
    """Width and height of a PNG, GIF or JPEG; (0, 0) of anything else."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    if data[:4] == b"GIF8" and len(data) >= 10:
        return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    return _jpeg(data) if data[:2] == b"\xff\xd8" else (0, 0)


def _jpeg(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        at += 2 + max(length, 2)
    return 0, 0
