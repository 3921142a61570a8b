"""Bars: a number as a length, to eighths of a cell where the terminal has the signs for it."""

from __future__ import annotations

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def bar(value: float, most: float, width: int, *, ascii_only: bool = False) -> str:
    """`value` as a bar of at most `width` cells, `most` being all of it; something for anything above nothing."""
    if value <= 0 or most <= 0 or width <= 0:
        return ""
    eighths = max(1, round(min(1.0, value / most) * width * 8))
    if ascii_only:
        return "#" * max(1, eighths // 8)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")
