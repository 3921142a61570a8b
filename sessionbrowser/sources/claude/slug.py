"""The name Claude Code gives a project's folder. It loses information: it is compared with, never decoded."""

from __future__ import annotations

import re

_LIMIT = 200
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_OTHER = re.compile("[^A-Za-z0-9]")


def slug(path: str) -> str:
    """The folder name for directory `path` (raw, real path): every UTF-16 unit that is not alphanumeric becomes a dash.

    Letters with accents are one unit each, however the file system spells them.
    """
    if not path.isascii():
        from unicodedata import normalize

        path = normalize("NFC", path)
    name = _OTHER.sub(lambda found: "--" if ord(found[0]) > 0xFFFF else "-", path)
    if len(name) <= _LIMIT:
        return name
    return f"{name[:_LIMIT]}-{_hash36(path)}"


def belongs(path: str, folder: str) -> bool:
    """Whether `folder` is the project folder of directory `path`; builds differ in the hash behind long names."""
    name = slug(path)
    if len(name) <= _LIMIT:
        return name == folder
    return folder[: _LIMIT + 1] == name[: _LIMIT + 1]


def _hash36(path: str) -> str:
    value = 0
    units = path.encode("utf-16-le", "surrogatepass")
    for at in range(0, len(units), 2):
        value = (value * 31 + units[at] + (units[at + 1] << 8)) & 0xFFFFFFFF
    value = abs(value - (1 << 32) if value & 0x80000000 else value)
    digits = ""
    while value:
        value, digit = divmod(value, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"
