"""Numbers as people say them: >20, <=5, 10..20, 100k, 3MB, <3d; read as closed ranges."""

from __future__ import annotations

import re
from typing import NamedTuple

ENDLESS = float("inf")
_NUMBER = re.compile(r"(\d{1,15}(?:\.\d{0,6})?)\s*([a-z]*)", re.IGNORECASE)
_SIGN = re.compile(r"(>=|<=|>|<|=)?\s*(.*)", re.DOTALL)
_PLAIN = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000, "b": 1_000_000_000}
_BYTES = {"": 1, "b": 1, "k": 1_000, "kb": 1_000, "m": 10**6, "mb": 10**6, "g": 10**9, "gb": 10**9,
          "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}  # fmt: skip
_SPANS = {"": 86400, "h": 3600, "d": 86400, "w": 7 * 86400, "mo": 30 * 86400, "y": 365 * 86400}
UNITS = {"number": _PLAIN, "bytes": _BYTES, "span": _SPANS}
_EXAMPLES = {"number": ">20, <5, 10..20 or 100k", "bytes": ">1MB, <500k or 1M..5M", "span": "<3d, >2w or 1d..7d"}


class Range(NamedTuple):
    """From `low` to `high`; the ends count only where `low_in` and `high_in` say so."""

    low: float
    high: float
    low_in: bool = True
    high_in: bool = True

    def holds(self, value: float) -> bool:
        above = value > self.low or (self.low_in and value == self.low)
        return above and (value < self.high or (self.high_in and value == self.high))


def number_range(text: str, kind: str, bare: str = "=") -> Range | None:
    """The range `text` names; None when it is unfinished. Raises ValueError with a reason for people.

    `kind` picks the units (number, bytes, span); `bare` is the sign a number without one stands for.
    """
    first, dots, last = text.partition("..")
    if dots:
        low, high = _number(first, kind, -ENDLESS), _number(last, kind, ENDLESS)
        return Range(low, high) if low <= high else Range(high, low)
    sign, rest = _SIGN.fullmatch(text.strip()).groups()  # type: ignore[union-attr]
    if not rest:
        return None
    value = _number(rest, kind, 0)
    match sign or bare:
        case ">":
            return Range(value, ENDLESS, False)
        case ">=":
            return Range(value, ENDLESS)
        case "<":
            return Range(-ENDLESS, value, True, False)
        case "<=":
            return Range(-ENDLESS, value)
    return Range(value, value)


def _number(text: str, kind: str, missing: float) -> float:
    text = text.strip().replace(",", "").replace("_", "")
    if not text:
        return missing
    found = _NUMBER.fullmatch(text)
    unit = found[2].lower() if found else ""
    if found is None or unit not in UNITS[kind]:
        raise ValueError(f"“{text}” is no number here: try {_EXAMPLES[kind]}")
    return float(found[1]) * UNITS[kind][unit]
