"""Lines under the rows of the list: what was found in a conversation, and how it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from sessionbrowser.render.glyphs import Glyphs
from sessionbrowser.render.palette import Palette
from sessionbrowser.text import cells, cut

if TYPE_CHECKING:
    from sessionbrowser.index.search_hit import Hit

Ranges = Sequence[tuple[int, int]]


class Snippet(NamedTuple):
    """A line under a row: where it is from ("prompt 12"), its text, the characters to mark, what it leads to.

    `also` says where else the same was said.
    """

    label: str
    text: str
    marks: Ranges = ()
    hit: Hit | None = None
    also: str = ""

    @property
    def path(self) -> str:
        """The file it was said in, raw."""
        return self.hit.path if self.hit is not None else ""


def draw(snippet: Snippet, width: int, palette: Palette, glyphs: Glyphs) -> Strip:
    """The line of a snippet, as wide as the list."""
    base = palette.style("screen")
    label = f"       {snippet.label}  "
    also = f"  {cut(snippet.also, width // 3, glyphs.ellipsis)}" if snippet.also and width >= 60 else ""
    room = max(1, width - cells(label) - cells(also) - 1)
    whole, marks = in_sight(snippet.text, snippet.marks, room, glyphs.ellipsis)
    text = cut(whole, room, glyphs.ellipsis)
    dim, faint = base + palette.style("dim"), base + palette.style("faint")
    segments = [Segment(label, faint)]
    segments += marked_segments(text, marks, dim, base + palette.style("match"))
    segments.append(Segment(also, faint))
    return Strip(segments).adjust_cell_length(width, base)


def in_sight(text: str, marks: Ranges, room: int, ellipsis: str) -> tuple[str, Ranges]:
    """`text` without what stands too far before its first mark for that to be seen in `room` cells."""
    if not marks or cells(text[: marks[0][1]]) < room:
        return text, marks
    start = marks[0][0]
    before = room // 3
    while start > 0 and cells(text[start - 1 : marks[0][0]]) <= before:
        start -= 1
    return ellipsis + text[start:], tuple((begin - start + len(ellipsis), end - start + len(ellipsis)) for begin, end in marks)


def marked_segments(text: str, marks: Ranges, style: Style, match: Style) -> list[Segment]:
    """`text` in pieces, the marked characters in the style of a match."""
    segments: list[Segment] = []
    at = 0
    for start, end in sorted(marks):
        start, end = max(start, at), min(end, len(text))
        if end <= start:
            continue
        if start > at:
            segments.append(Segment(text[at:start], style))
        segments.append(Segment(text[start:end], match))
        at = end
    if at < len(text):
        segments.append(Segment(text[at:], style))
    return segments
