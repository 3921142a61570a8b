"""The list of sessions: one widget on the line API, plain rows in, only what is on screen drawn.

`show()` takes sessions and which of them to show; nothing of Textual exists for a row. The cursor belongs to a
session (its identity), not to a line, so that a batch of news does not move it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, Protocol

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from sessionbrowser.model import Session
from sessionbrowser.tui.columns import Cell, Column, Widths, measure, plan, row
from sessionbrowser.tui.look import look_of
from sessionbrowser.tui.scrolling import Scrolling
from sessionbrowser.tui.snippets import Ranges, Snippet, draw, marked_segments
from sessionbrowser.tui.tops import Tops

Identity = tuple[str, str, str]


class Row(Protocol):
    """What the list needs of a match: which session, and the characters of its fields to mark."""

    @property
    def index(self) -> int: ...

    @property
    def marks(self) -> Mapping[str, tuple[tuple[int, int], ...]]: ...


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
        self._snippet_lines: int | None = None  # how many of them are under rows that are shown, where that is known
        self._tops: Tops | None = None  # None while every row is one line
        self._cursor = 0
        self.by_hand = False  # the person went to the row of the cursor, which is not the first
        self._widths = Widths()
        self._columns: tuple[Column, ...] = ()
        self._planned = 0  # cells the columns are planned for
        self._cells: LRUCache[int, tuple[Session, list[Cell]]] = LRUCache(512)  # of sessions, by their number in this process
        self._strips: LRUCache[object, tuple[Session | None, Strip]] = LRUCache(1024)  # by what is drawn; of which session

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
        if widths is None:
            widths = self._widths if sessions is self._sessions else measure(sessions)
        if widths != self._widths:
            self._widths, self._columns = widths, ()
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

    def hold_snippets(self, snippets: Mapping[Identity, Sequence[Snippet]], lines: int | None = None) -> None:
        """Lines for the rows that the next `show` gives; how many of them are of rows that will be shown, where that is known."""
        self._snippets, self._snippet_lines = snippets, lines

    def redraw(self) -> None:
        """Draw again after the look or the time changed."""
        self._columns = ()
        self.refresh()

    def _lay_out(self) -> None:
        self._tops = None
        if self._snippets:
            snippets, paths = self._snippets, {path for _, path, _ in self._snippets}
            shown = self._sessions if self._indexes is None else map(self._sessions.__getitem__, self._indexes)
            heights: Iterable[int] = (1 + len(snippets.get(one.identity, ())) if one.path in paths else 1 for one in shown)
            if self._snippet_lines is None:
                heights = list(heights)
            self._tops = Tops(heights, sum(heights) if isinstance(heights, list) else self._count + (self._snippet_lines or 0))

    @property
    def _lines(self) -> int:
        return self._count if self._tops is None else self._tops.lines

    def _at(self, place: int) -> Session:
        return self._sessions[place if self._indexes is None else self._indexes[place]]

    def _line_of(self, place: int) -> int:
        return place if self._tops is None else self._tops.top(place)

    def _place_on(self, line: int) -> int:
        return line if self._tops is None else self._tops.row_on(line)

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

    def in_sight(self) -> list[Session]:
        """The sessions of the rows on the screen."""
        if not self._count:
            return []
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        last = self._place_on(min(top + max(height, 1), self._lines) - 1)
        return [self._at(place) for place in range(self._place_on(top), last + 1)]

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
        self._columns = ()
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
        self._columns = ()

    def render_lines(self, crop: Region) -> list[Strip]:
        width = self.scrollable_content_region.width
        if not self._columns or width != self._planned:
            self._columns, self._planned = plan(width, self._widths), width
            self._cells.clear()
            self._strips.clear()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        if line >= self._lines:
            return Strip.blank(self._planned, look_of(self)[0].style("screen"))
        place = self._place_on(line)
        within = line - self._line_of(place)
        return self._snippet_strip(place, within - 1) if within else self._row_strip(place)

    def _row_strip(self, place: int) -> Strip:
        session = self._at(place)
        marks = self._rows[place].marks if self._rows is not None else {}
        key = (id(session), place == self._cursor, *marks.items())
        known = self._strips.get(key)
        if known is None or known[0] is not session:
            known = self._strips[key] = (session, self._draw_row(session, marks, place == self._cursor))
        return known[1]

    def _snippet_strip(self, place: int, number: int) -> Strip:
        snippet = self._snippets[self._at(place).identity][number]
        key = (snippet.label, snippet.text, snippet.marks, snippet.also)
        known = self._strips.get(key)
        if known is None:
            known = self._strips[key] = (None, draw(snippet, self._planned, *look_of(self)))
        return known[1]

    def _cells_of(self, session: Session) -> list[Cell]:
        known = self._cells.get(id(session))
        if known is None or known[0] is not session:
            marked = session.identity in self.marked
            known = self._cells[id(session)] = (session, row(session, self._columns, self._now(), look_of(self)[1], marked=marked))
        return known[1]

    def _draw_row(self, session: Session, marks: Mapping[str, Ranges], at_cursor: bool) -> Strip:
        palette, _ = look_of(self)
        under = "screen cursor" if at_cursor else "screen"
        base, match = palette.style(under), palette.style("match")
        plain = at_cursor and "reverse" in palette["cursor"]  # colours would become backgrounds
        segments: list[Segment] = []
        before = ""  # blanks, which look the same in any colour
        for cell in self._cells_of(session):
            if not cell.field:
                before += cell.text
                continue
            meaning = "" if plain else cell.style
            style = palette.style(f"{under} {meaning} bold" if at_cursor and cell.field == "title" else f"{under} {meaning}")
            spans = marks.get(cell.field)
            if spans:
                segments += [Segment(before, base)] if before else []
                segments.extend(marked_segments(cell.text, spans, style, style + match))
            elif cell.text.isspace():
                before += cell.text
                continue
            else:
                segments.append(Segment(before + cell.text, style))
            before = ""
        left = self._planned - sum(column.gap + column.width for column in self._columns)
        segments.append(Segment(before + " " * left, base))
        return Strip(segments, self._planned) if left >= 0 else Strip(segments).adjust_cell_length(self._planned, base)


def _indexes_of(rows: Sequence[Row]) -> Sequence[int]:
    """Which sessions `rows` are; rows that know it need not be made for it."""
    known: Sequence[int] | None = getattr(rows, "indexes", None)
    return [row.index for row in rows] if known is None else known
