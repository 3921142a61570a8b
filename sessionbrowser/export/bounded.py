"""Text of bounded size: the beginning and the end of what is too long, and a line that says so."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable


def within(pieces: Iterable[str], most: int, notice: str) -> tuple[bytes, bool]:
    """`pieces` in at most `most` bytes (UTF-8), and whether some were left out.

    Two thirds are the beginning, the rest the end; `notice` stands between them. Memory stays within the bound.
    """
    mark = f"\n\n[… {notice} …]\n\n".encode()
    head, tail = bytearray(), deque[bytes]()
    room = max(0, most - len(mark))
    head_room = room * 2 // 3
    held = 0
    cut = False
    for piece in pieces:
        data = piece.encode("utf-8", "replace")
        if not tail and len(head) + len(data) <= head_room:
            head += data
            continue
        tail.append(data)
        held += len(data)
        while held > most and len(tail) > 1:
            held -= len(tail.popleft())
            cut = True
    rest = b"".join(tail)
    if not cut and len(head) + len(rest) <= most:
        return bytes(head) + rest, False
    return bytes(head) + mark + _end(rest, room - len(head)), True


def _end(data: bytes, room: int) -> bytes:
    """The last `room` bytes, from a line's beginning where one is near, with no character torn."""
    data = data[-room:] if room > 0 else b""
    line = data.find(b"\n", 0, 400)
    return data[line + 1 :] if line >= 0 else data.decode("utf-8", "ignore").encode()
