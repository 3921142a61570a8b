"""The list of sessions: one widget on the line API, plain rows in, only what is on screen drawn.

`show()` takes sessions and which of them to show; nothing of Textual exists for a row. The cursor belongs to a
session (its identity), not to a line, so that a batch of news does not move it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import ClassVar, NamedTuple, Protocol

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.message import Message
from textual.strip import Strip

from sessionbrowser.model import Session
from sessionbrowser.text import cells, cut
from sessionbrowser.tui.columns import Column, Widths, measure, plan, row
from sessionbrowser.tui.look import look_of
from sessionbrowser.tui.scrolling import Scrolling

Identity = tuple[str, str, str]
Ranges = Sequence[tuple[int, int]]


class Row(Protocol):
    """What the list needs of a match: which session, and the characters of its fields to mark."""

    @property
    def index(self) -> int: ...

    @property
    def marks(self) -> Mapping[str, tuple[tuple[int, int], ...]]: ...


class Snippet(NamedTuple):
    """A line under a row: where it is from ("prompt 12"), its text, the characters to mark, what it leads to.

    `also` says where else the same was said.
    """

    label: str
    text: str
    marks: Ranges = ()
    hit: object = None
    also: str = ""

    @property
    def path(self) -> str:
        """The file it was said in, raw."""
        path = getattr(self.hit, "path", "")
        return path if isinstance(path, str) else ""


class SessionList(Scrolling, can_focus=True):
    """Sessions in rows, newest first or best first; optional snippet lines under them."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    SessionList { overflow-x: hidden; overflow-y: scroll; scrollbar-gutter: stable; scrollbar-size-vertical: 1; }
    """
    HELP = "The sessions, with the one under the cursor shown beside them."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", show=False, id="list.down"),
        Binding("up,k", "move(-1)", "Up", show=False, id="list.up"),
        Binding("pagedown", "page(1)", "A page down", show=False, id="list.page_down"),
        Binding("pageup", "page(-1)", "A page up", show=False, id="list.page_up"),
        Binding("home,g", "edge(-1)", "First", show=False, id="list.first"),
        Binding("end,G", "edge(1)", "Last", show=False, id="list.last"),
        Binding("enter,right,l", "choose", "Open", id="list.open"),
    ]

    class Highlighted(Message):
        """The cursor stands on another session (None: the list is empty)."""

        def __init__(self, session: Session | None, snippet: Snippet | None = None) -> None:
            self.session = session
            self.snippet = snippet
            super().__init__()

    class Chosen(Message):
        """A session is to be opened, at a hit when a snippet was chosen."""

        def __init__(self, session: Session, snippet: Snippet | None = None) -> None:
            self.session = session
            self.snippet = snippet
            super().__init__()

    def __init__(self, *, now: Callable[[], float], multi: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self._now = now
        self.multi = multi
        self.marked: dict[Identity, Session] = {}
        self._sessions: Sequence[Session] = ()
        self._rows: Sequence[Row] | None = None  # None: every session, in order
        self._indexes: Sequence[int] | None = None
        self._count = 0
        self._snippets: Mapping[Identity, Sequence[Snippet]] = {}
        self._tops: list[int] | None = None  # first line of each row; None while every row is one line
        self._cursor = 0
        self.by_hand = False  # the person went to the row of the cursor, which is not the first
        self._widths = Widths()
        self._columns: tuple[Column, ...] = ()
        self._planned = 0  # cells the columns are planned for
        self._strips: LRUCache[tuple[int, bool, int], Strip] = LRUCache(1024)

    # ── what it shows ──

    def show(
        self,
        sessions: Sequence[Session],
        rows: Sequence[Row] | None = None,
        *,
        keep: bool = True,
        widths: Widths | None = None,
    ) -> None:
        """Show these rows of `sessions` (all of them when `rows` is None).

        With `keep` the cursor stays on its session and the session on its line of the screen; without, or when
        it is gone, the cursor goes to the first row (a new query) or stays at its place (a session vanished).
        """
        held = self.current
        self.by_hand = self.by_hand and keep
        offset = self._line_of(self._cursor) - self.scroll_offset.y
        if widths is not None:
            self._widths = widths
        elif sessions is not self._sessions:
            self._widths = measure(sessions)
        self._sessions, self._rows = sessions, rows
        self._indexes = None if rows is None else _indexes_of(rows)
        self._count = len(sessions) if rows is None else len(rows)
        place = self._place_of(held) if keep and held is not None else 0
        self._cursor = max(0, min(self._cursor if place is None else place, self._count - 1))
        self._lay_out()
        line = self._line_of(self._cursor)
        top = line - offset if keep else 0
        if self.scroll_offset.y == 0 and line < self.scrollable_content_region.height:
            top = 0  # who stands at the top sees what is new there
        with self.app.batch_update():
            self.set_lines(self._lines)
            self.scroll_to(y=max(0, top), animate=False, force=True, immediate=True)
            self.refresh()
        now_at = self.current
        if (held and held.identity) != (now_at and now_at.identity):
            self.post_message(self.Highlighted(now_at, self.snippet))

    def hold_snippets(self, snippets: Mapping[Identity, Sequence[Snippet]]) -> None:
        """Lines for the rows that the next `show` gives."""
        self._snippets = snippets

    def redraw(self) -> None:
        """Draw again after the look or the time changed."""
        self._strips.clear()
        self._columns = ()
        self.refresh()

    def _lay_out(self) -> None:
        self._strips.clear()
        self._columns = ()
        self._tops = None
        if self._snippets:
            snippets, paths = self._snippets, {path for _, path, _ in self._snippets}
            shown = self._sessions if self._indexes is None else map(self._sessions.__getitem__, self._indexes)
            heights = [1 + len(snippets.get(one.identity, ())) if one.path in paths else 1 for one in shown]
            self._tops = list(accumulate(heights, initial=0))

    @property
    def _lines(self) -> int:
        return self._count if self._tops is None else self._tops[-1]

    def _at(self, place: int) -> Session:
        return self._sessions[place if self._indexes is None else self._indexes[place]]

    def _line_of(self, place: int) -> int:
        return place if self._tops is None else self._tops[min(place, len(self._tops) - 1)]

    def _place_on(self, line: int) -> int:
        return line if self._tops is None else bisect_right(self._tops, line) - 1

    def _place_of(self, session: Session) -> int | None:
        """The row of a session; its own row is looked at first, since most news change nothing there."""
        identity = session.identity
        if self._cursor < self._count and self._at(self._cursor).identity == identity:
            return self._cursor
        return self._find(identity)

    def _find(self, identity: Identity) -> int | None:
        path = identity[1]
        shown = self._sessions if self._indexes is None else map(self._sessions.__getitem__, self._indexes)
        return next((place for place, one in enumerate(shown) if one.path == path and one.identity == identity), None)

    # ── the cursor ──

    @property
    def current(self) -> Session | None:
        """The session under the cursor."""
        return self._at(self._cursor) if self._cursor < self._count else None

    @property
    def snippets(self) -> Sequence[Snippet]:
        """The snippets under the session at the cursor."""
        session = self.current
        return self._snippets.get(session.identity, ()) if session else ()

    @property
    def snippet(self) -> Snippet | None:
        """The first of them."""
        snippets = self.snippets
        return snippets[0] if snippets else None

    @property
    def cursor(self) -> int:
        return self._cursor

    def at(self, place: int) -> Session:
        """The session of a row."""
        return self._at(place)

    def everything(self) -> list[Session]:
        """The sessions of all rows, in order."""
        return [self._at(place) for place in range(self._count)]

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self._count

    def go_to(self, place: int) -> None:
        """Put the cursor on a row."""
        place = max(0, min(place, self._count - 1))
        self.by_hand = place > 0
        if place == self._cursor or not self._count:
            return
        old, self._cursor = self._cursor, place
        self.refresh_lines(self._line_of(old) - self.scroll_offset.y, 1)
        self.refresh_lines(self._line_of(place) - self.scroll_offset.y, 1)
        self._keep_in_sight()
        self.post_message(self.Highlighted(self.current, self.snippet))

    def go_to_session(self, identity: Identity) -> bool:
        """Put the cursor on a session; whether it is in the list."""
        place = self._find(identity)
        if place is None:
            return False
        self.go_to(place)
        return True

    def _keep_in_sight(self) -> None:
        first = self._line_of(self._cursor)
        last = self._line_of(self._cursor + 1) - 1 if self._tops else first
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if first < top:
            self.scroll_to(y=first, animate=False, immediate=True)
        elif last >= top + height > 0:
            self.scroll_to(y=min(first, last - height + 1), animate=False, immediate=True)

    def action_move(self, by: int) -> None:
        self.go_to(self._cursor + by)

    def action_page(self, sign: int) -> None:
        lines = max(1, self.scrollable_content_region.height - 1)
        place = self._place_on(max(0, min(self._line_of(self._cursor) + sign * lines, self._lines - 1)))
        self.go_to(place if place != self._cursor else self._cursor + sign)

    def action_edge(self, sign: int) -> None:
        self.go_to(self._count - 1 if sign > 0 else 0)

    def action_choose(self) -> None:
        session = self.current
        if session is not None:
            self.by_hand = True
            self.post_message(self.Chosen(session, self.snippet))

    def toggle_mark(self) -> None:
        """Mark or unmark the session under the cursor (for a picker of several)."""
        session = self.current
        if session is None or not self.multi:
            return
        if self.marked.pop(session.identity, None) is None:
            self.marked[session.identity] = session
        self._strips.clear()
        self.refresh()

    # ── the mouse ──

    def on_click(self, event: events.Click) -> None:
        line = event.y + self.scroll_offset.y
        if not 0 <= line < self._lines:
            return
        place = self._place_on(line)
        self.go_to(place)
        within = line - self._line_of(place)
        session = self._at(place)
        if within:
            self.post_message(self.Chosen(session, self._snippets[session.identity][within - 1]))
        elif event.chain == 2:
            self.action_choose()

    # ── drawing ──

    def on_resize(self) -> None:
        self._keep_in_sight()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        line = y + self.scroll_offset.y
        palette, _ = look_of(self)
        if line >= self._lines:
            return Strip.blank(width, palette.style("screen"))
        place = self._place_on(line)
        within = line - self._line_of(place)
        at_cursor = place == self._cursor and within == 0
        key = (line, at_cursor, width)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._draw_snippet(place, within - 1, width) if within else self._draw_row(place, at_cursor, width)
            self._strips[key] = strip
        return strip

    def _draw_row(self, place: int, at_cursor: bool, width: int) -> Strip:
        palette, glyphs = look_of(self)
        if not self._columns or width != self._planned:
            self._columns, self._planned = plan(width, self._widths), width
        session = self._at(place)
        marks = self._rows[place].marks if self._rows is not None else {}
        base = palette.style("screen cursor") if at_cursor else palette.style("screen")
        match = palette.style("match")
        plain = at_cursor and "reverse" in palette["cursor"]  # colours would become backgrounds
        segments: list[Segment] = []
        marked = session.identity in self.marked
        for cell in row(session, self._columns, self._now(), glyphs, marked=marked):
            meaning = "" if plain else cell.style
            style = base + palette.style(f"{meaning} bold" if at_cursor and cell.field == "title" else meaning)
            spans = marks.get(cell.field)
            if spans:
                segments.extend(marked_segments(cell.text, spans, style, style + match))
            else:
                segments.append(Segment(cell.text, style))
        return Strip(segments).adjust_cell_length(width, base)

    def _draw_snippet(self, place: int, number: int, width: int) -> Strip:
        palette, glyphs = look_of(self)
        snippet = self._snippets[self._at(place).identity][number]
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


def _indexes_of(rows: Sequence[Row]) -> Sequence[int]:
    """Which sessions `rows` are; rows that know it need not be made for it."""
    known: Sequence[int] | None = getattr(rows, "indexes", None)
    return [row.index for row in rows] if known is None else known


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
