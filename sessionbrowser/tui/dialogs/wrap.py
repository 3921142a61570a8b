"""Words over lines of a width, for cards."""

from __future__ import annotations

from sessionbrowser.text import cells


def wrapped(text: str, width: int) -> list[str]:
    """`text` over lines of at most `width` cells, broken at blanks, and inside words only where it must be."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            candidate = f"{line} {word}" if line else word
            if cells(candidate) <= width:
                line = candidate
                continue
            if line:
                lines.append(line)
            *whole, line = _pieces(word, width)
            lines.extend(whole)
        lines.append(line)
    return lines


def _pieces(word: str, width: int) -> list[str]:
    """A word in pieces of at most `width` cells."""
    pieces: list[str] = []
    piece, taken = "", 0
    for char in word:
        size = cells(char)
        if taken + size > width and piece:
            pieces.append(piece)
            piece, taken = "", 0
        piece += char
        taken += size
    return [*pieces, piece]
