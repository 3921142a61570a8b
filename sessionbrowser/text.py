"""Text for eyes: the one sanitiser, cell widths, cutting, wrapping, ages and times.

Every string that came from a file passes `for_eyes` (or `styled`, which keeps colours as spans) where its source
hands it to the model. What is removed, and why, is in TRUST terms: nothing from a file can drive the terminal.
"""

from __future__ import annotations

import re
import time as _time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sessionbrowser.model import Span

if TYPE_CHECKING:
    from datetime import datetime

# What a person would not see in a text but a model or a program reads in it: blanks without width, tags, selectors of
# glyphs that no terminal has. The joiners U+200C and U+200D stay: words and emoji are written with them.
_INVISIBLE = "\u180e\u200b\u2060-\u2064\ufeff\U000e0000-\U000e01ef"
# Anything that could act on a terminal: C0 but \n and \t, DEL, C1, bidirectional controls; and lone surrogates.
_UNSAFE = re.compile(
    f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff{_INVISIBLE}]"
)
_PLAIN = b"\t\n" + bytes(range(0x20, 0x7F))
ODD = re.compile(f"[\n\t{_UNSAFE.pattern[1:]}")  # any character of which a line on a terminal must not hold the bare form
_SEQUENCE = re.compile(
    "(?:\x1b\\[|\x9b)(?P<csi>[0-?]*)[ -/]*(?P<final>[@-~])?"  # CSI; one cut short loses what came of it
    "|(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[\\s\\S]*?(?:\x1b\\\\|[\x07\x9c]|\\Z)"  # OSC DCS SOS PM APC to ST, BEL or the end
    "|\x1b[ -/]*[0-~]?"  # two-byte and charset escapes
)
_OVERSTRUCK = re.compile("[^\n\x08]\x08")
_UNSTEADY = re.compile("[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")  # terminals disagree about the width of these
_NARROW = re.compile("[ -~\xa1-\xac\xae-\u02ff×→−…]*")  # of one cell each, as most text that is not ASCII
_WORD = re.compile(" *[^ ]+| +$")  # with the blanks before it
_COLOUR = re.compile("\x1b\\[[0-9;]*m")
_LINE_ENDS = str.maketrans({"\r": "\n", "\u2028": "\n", "\u2029": "\n"})


def for_eyes(text: str) -> str:
    """`text` without anything a terminal would act on. Newlines and tabs stay; surrogates become U+FFFD."""
    return text if _is_plain(text) else _scrub(_SEQUENCE.sub("", text))


def _is_plain(text: str) -> bool:
    """Whether nothing of `text` has to be removed."""
    if text.isascii():  # as nearly every text is: a search takes ten times as long
        return not text.encode().translate(None, _PLAIN)
    return _UNSAFE.search(text) is None


def _scrub(text: str) -> str:
    if "\r" in text or "\u2028" in text or "\u2029" in text:
        text = text.replace("\r\n", "\n").translate(_LINE_ENDS)
    if "\x08" in text:
        text = _OVERSTRUCK.sub("", text)
    return _UNSAFE.sub(lambda found: "\ufffd" if "\ud800" <= found[0] <= "\udfff" else "", text)


def one_line(text: str, limit: int = 200) -> str:
    """The beginning of `text` on one line, at most `limit` characters, for titles and rows."""
    if len(text) <= limit and text.isascii() and text.isprintable():  # as most are
        return " ".join(text.split())
    near = text[: limit + limit // 4]  # mostly enough
    if near.isascii() and not near.encode().translate(None, _PLAIN):
        line = " ".join(near.split())
        if len(line) > limit:
            return line[: limit - 1].rstrip() + "…"
        if len(near) == len(text):
            return line
    line = " ".join(for_eyes(text[: limit * 8]).split())
    if not line.isascii():
        line = _UNSTEADY.sub("", line)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def styled(text: str) -> tuple[str, tuple[Span, ...]]:
    """`for_eyes(text)` with its SGR colours as spans over the result."""
    if "\x1b" not in text and "\x9b" not in text:
        return for_eyes(text), ()
    pieces: list[str] = []
    spans: list[Span] = []
    pen, at, length = _Pen(), 0, 0
    for found in _SEQUENCE.finditer(text):
        if found.start() > at:
            length = _put(pieces, spans, text[at : found.start()], pen.style, length)
        at = found.end()
        if found["final"] == "m":
            pen.turn(found["csi"])
    if at < len(text):
        _put(pieces, spans, text[at:], pen.style, length)
    return "".join(pieces), tuple(spans)


def _put(pieces: list[str], spans: list[Span], raw: str, style: str, length: int) -> int:
    piece = _scrub(raw)
    pieces.append(piece)
    end = length + len(piece)
    if style and piece:
        spans.append(Span(length, end, style))
    return end


_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_ATTRIBUTES = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike"}
_OFF = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("reverse",), 29: ("strike",)}


class _Pen:
    """The state that SGR sequences leave behind, as words."""

    def __init__(self) -> None:
        self.attributes: list[str] = []
        self.ink = ""
        self.paper = ""
        self.style = ""

    def turn(self, parameters: str) -> None:
        codes = [int(code) if code.isdigit() and len(code) < 6 else 0 for code in re.split("[;:]", parameters)]
        at = 0
        while at < len(codes):
            at += self._apply(codes, at)
        words = [*self.attributes, *([self.ink] if self.ink else [])]
        if self.paper:
            words.append(f"on {self.paper}")
        self.style = " ".join(words)

    def _apply(self, codes: list[int], at: int) -> int:
        """Apply the code at `at`; how many codes it took."""
        code = codes[at]
        if code == 0:
            self.attributes, self.ink, self.paper = [], "", ""
        elif code in _ATTRIBUTES:
            if _ATTRIBUTES[code] not in self.attributes:
                self.attributes.append(_ATTRIBUTES[code])
        elif code in _OFF:
            self.attributes = [word for word in self.attributes if word not in _OFF[code]]
        elif 30 <= code <= 37 or 90 <= code <= 97:
            self.ink = ("bright_" if code >= 90 else "") + _COLOURS[code % 10]
        elif 40 <= code <= 47 or 100 <= code <= 107:
            self.paper = ("bright_" if code >= 100 else "") + _COLOURS[code % 10]
        elif code == 39:
            self.ink = ""
        elif code == 49:
            self.paper = ""
        elif code in (38, 48):
            colour, taken = _extended(codes[at + 1 : at + 6])
            if code == 38:
                self.ink = colour
            else:
                self.paper = colour
            return taken + 1
        return 1


def _extended(codes: list[int]) -> tuple[str, int]:
    """The colour of a 38 or 48 sequence, and how many codes it took."""
    if len(codes) >= 2 and codes[0] == 5:
        return f"color({min(codes[1], 255)})", 2
    if len(codes) >= 4 and codes[0] == 2:
        red, green, blue = (min(value, 255) for value in codes[1:4])
        return f"#{red:02x}{green:02x}{blue:02x}", 4
    return "", len(codes)


def deep_for_eyes(value: object) -> object:
    """A JSON value with every string in it, keys included, made fit for eyes."""
    if isinstance(value, str):
        return for_eyes(value)
    if isinstance(value, dict):
        return {for_eyes(str(key)): deep_for_eyes(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [deep_for_eyes(item) for item in value]
    return value


def for_clipboard(text: str) -> str:
    """`text` without the control characters a terminal would run when it is pasted."""
    return "".join(char for char in text if char in "\n\t" or not (char < " " or "\x7f" <= char <= "\x9f"))


# ── widths ──


def cells(text: str) -> int:
    """How many terminal cells `text` takes on one line."""
    if text.isascii() or _NARROW.fullmatch(text) is not None:
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, width: int, ellipsis: str = "…") -> str:
    """`text` in at most `width` cells, cut at its end."""
    if width <= 0:
        return ""
    if len(text) * 2 <= width or cells(text) <= width:
        return text
    return _first_cells(text, width - cells(ellipsis)) + ellipsis if width > 1 else _first_cells(ellipsis, width)


def cut_before(text: str, ending: str, width: int, ellipsis: str = "…") -> str:
    """`text` in at most `width` cells, cut before the `ending` it has (when it does), which says more than what stands before it."""
    if len(text) * 2 <= width or cells(text) <= width:
        return text
    if not text.endswith(ending):
        return cut(text, width, ellipsis)
    room = max(width - cells(ending), width // 3)
    return cut(text.removesuffix(ending), room, ellipsis) + cut(ending, width - room, ellipsis)


def cut_middle(text: str, width: int, ellipsis: str = "…") -> str:
    """`text` in at most `width` cells, cut in its middle: for paths."""
    if cells(text) <= width:
        return text
    if width < 5:
        return cut(text, width, ellipsis)
    tail_width = (width - 1) * 2 // 3
    tail = _first_cells(text[::-1], tail_width)[::-1] if text.isascii() else _last_cells(text, tail_width)
    return _first_cells(text, width - cells(ellipsis) - cells(tail)) + ellipsis + tail


def fit(text: str, width: int, *, right: bool = False, ellipsis: str = "…") -> str:
    """`text` in exactly `width` cells: cut, or padded with blanks (on the left when `right`)."""
    text = cut(text, width, ellipsis)
    pad = " " * (width - cells(text))
    return pad + text if right else text + pad


def folded(text: str, width: int) -> Iterator[str]:
    """One line over as many of `width` cells as it takes, broken at blanks, the later ones two cells further in; 0 folds nothing.

    A word that is wider than that, such as a path, stays in one piece. Colours take no cells.
    """
    deeper = " " * (len(text) - len(text.lstrip(" ")) + 2)
    line = ""
    for word in _WORD.findall(text):
        if width and line.strip(" ") and cells(_COLOUR.sub("", line + word)) > width:
            yield line
            line = deeper + word.lstrip(" ")
        else:
            line += word
    yield line


def _first_cells(text: str, width: int) -> str:
    if width <= 0:
        return ""
    if text.isascii():
        return text[:width]
    end = min(len(text), width)
    while end and cells(text[:end]) > width:
        end -= 1
    while end < len(text) and cells(text[: end + 1]) <= width:
        end += 1
    return text[:end]


def _last_cells(text: str, width: int) -> str:
    start = max(0, len(text) - width)
    while start < len(text) and cells(text[start:]) > width:
        start += 1
    return text[start:]


# ── times ──


def age(seconds: float) -> str:
    """A short age: now, 4m, 3h, 12d, 5mo, 2y."""
    if seconds < 60:
        return "now"
    for size, unit, most in ((60, "m", 60), (3600, "h", 24), (86400, "d", 100), (2629800, "mo", 12)):
        if seconds < size * most:
            return f"{int(seconds // size)}{unit}"
    return f"{int(seconds // 31557600) or 1}y"


def ago(seconds: float) -> str:
    """An age in words of its own: now, 4m ago."""
    short = age(seconds)
    return short if short == "now" else f"{short} ago"


def duration(seconds: float) -> str:
    """A short span of time: 0.4s, 8s, 3m, 1h05, 2d07h."""
    if seconds < 1:
        return f"{seconds:.1f}s"
    if seconds < 60:
        return f"{int(seconds)}s"
    if seconds < 3600:
        return f"{int(seconds // 60)}m"
    if seconds < 2 * 86400:
        return f"{int(seconds // 3600)}h{int(seconds % 3600 // 60):02d}"
    return f"{int(seconds // 86400)}d{int(seconds % 86400 // 3600):02d}h"


def amount(number: int) -> str:
    """A short count: 940, 12k, 1.3M."""
    if number < 1000:
        return str(number)
    if number < 999_500:
        return f"{number / 1000:.0f}k" if number >= 9950 else f"{number / 1000:.1f}k".replace(".0k", "k")
    return f"{number / 1_000_000:.1f}M"


def weight(size: int) -> str:
    """A number of bytes in at most five cells: 940B, 12kB, 3.4MB, 1.2GB."""
    value, units = float(size), ["B", "kB", "MB", "GB", "TB"]
    while value >= 999.5 and len(units) > 1:
        value /= 1000
        del units[0]
    digits = f"{value:.1f}".removesuffix(".0") if value < 9.95 else f"{value:.0f}"
    return digits + units[0]


def change(added: int, removed: int) -> str:
    """Lines that came and went, "+3 −1"; only those that did, "" for none."""
    return " ".join(filter(None, (f"+{added}" if added else "", f"−{removed}" if removed else "")))


def plural(number: int, word: str, many: str = "") -> str:
    """"1 line", "3 lines"."""
    return f"{number:,} {word if number == 1 else many or word + 's'}"


def parse_time(value: object) -> float | None:
    """Seconds since the epoch from ISO 8601 or a number (seconds or milliseconds by its size); None if it is neither.

    Times without a zone are UTC here: that is what every agent writes that writes none.
    """
    if isinstance(value, str):
        if len(value) in (10, 13) and value.isdecimal():
            return parse_time(int(value))  # a number that was written as a text
        try:
            moment = _from_iso(value)
        except ValueError:
            return None
        seconds = moment.timestamp() if moment.tzinfo else _in_utc(moment)
        return seconds if 0 < seconds < _LATEST else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e18:
        return None  # the last: more than a float can be divided from, or no number at all
    seconds = value / 1000 if value > 1e11 else float(value)
    return seconds if 0 < seconds < _LATEST else None


_LATEST = 253402300800  # the year 10000


def _in_utc(moment: datetime) -> float:
    from datetime import UTC

    return moment.replace(tzinfo=UTC).timestamp()


def _first(text: str) -> datetime:
    """datetime.fromisoformat, imported with the first time that is read: a list of unchanged sessions reads none."""
    global _from_iso
    from datetime import datetime

    _from_iso = datetime.fromisoformat
    return _from_iso(text)


_from_iso: Callable[[str], datetime] = _first


def iso(seconds: float | None) -> str | None:
    """ISO 8601 in UTC with Z, to the millisecond when there is one."""
    if seconds is None:
        return None
    millis = round(seconds * 1000)
    whole, rest = divmod(millis, 1000)
    stamp = _time.strftime("%Y-%m-%dT%H:%M:%S", _time.gmtime(whole))
    return f"{stamp}.{rest:03d}Z" if rest else f"{stamp}Z"


def clock(seconds: float | None) -> str:
    """The local time of day, 14:02."""
    return "" if seconds is None else _time.strftime("%H:%M", _time.localtime(seconds))


def date(seconds: float | None) -> str:
    """The local date and time of day, 2026-05-01 14:02."""
    return "" if seconds is None else _time.strftime("%Y-%m-%d %H:%M", _time.localtime(seconds))
