"""The list of sessions with headers over groups of them, which can be folded away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.strip import Strip

from sessionbrowser.model import Session
from sessionbrowser.paths import Environment
from sessionbrowser.text import cells, cut, plural
from sessionbrowser.tui import groups
from sessionbrowser.tui.columns import Widths
from sessionbrowser.tui.groups import Header
from sessionbrowser.tui.look import look_of
from sessionbrowser.tui.session_list import Row, SessionList
from sessionbrowser.tui.tops import Tops

NEWS = ("waiting", "running", "failed", "interrupted")  # states that a header counts


class GroupedList(SessionList):
    """Rows as they come, or under the headers of their groups. The cursor stands on the first session of a folded one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *SessionList.BINDINGS,
        Binding("left,h", "fold", "Fold or unfold the group", show=False, id="list.fold"),
        Binding("H", "fold_all", "Fold or unfold all groups", show=False, id="list.fold_all"),
    ]

    def __init__(self, environment: Environment, *, id: str | None = None) -> None:
        super().__init__(now=environment.now, id=id)
        self._environment = environment
        self.kind = ""  # one of groups.KINDS
        self._folded: set[str] = set()
        self._headers: dict[int, Header] = {}
        self._given: tuple[Sequence[Session], Sequence[Row] | None] = ((), None)

    def group_by(self, kind: str) -> None:
        """Group by one of KINDS, "" for not at all."""
        self.kind = kind
        self._folded.clear()
        self.show(*self._given, widths=self._widths)

    def show(
        self, sessions: Sequence[Session], rows: Sequence[Row] | None = None, *, keep: bool = True, widths: Widths | None = None
    ) -> None:
        self._given = (sessions, rows)
        self._headers = {}
        if not self.kind:
            super().show(sessions, rows, keep=keep, widths=widths)
            return
        found = sessions if rows is None else [sessions[row.index] for row in rows]
        grouped = groups.group(found, groups.namer(self.kind, self._environment), self._folded)
        self._headers = grouped.headers
        super().show(sessions, groups.rows_of(grouped, rows), keep=keep, widths=widths)  # type: ignore[arg-type]

    def _lay_out(self) -> None:
        super()._lay_out()
        if not self._headers:
            return
        heights = []
        for place in range(self._count):
            header = self._headers.get(place)
            row = 1 + len(self._snippets.get(self._at(place).identity, ()))
            heights.append(row if header is None else 1 if header.folded else 1 + row)
        self._tops = Tops(heights, sum(heights))

    # ── folding ──

    def action_fold(self) -> None:
        """Fold the group of the cursor, or unfold it."""
        header = groups.key_at(self._headers, self._cursor)
        if header is not None:
            self._turn({header.key}, fold=not header.folded)

    def action_fold_all(self) -> None:
        keys = {header.key for header in self._headers.values()}
        self._turn(keys, fold=not all(header.folded for header in self._headers.values()))

    def _turn(self, keys: set[str], *, fold: bool) -> None:
        at = groups.key_at(self._headers, self._cursor)
        self._folded = self._folded | keys if fold else self._folded - keys
        self.show(*self._given, widths=self._widths)
        if fold and at is not None:
            self.go_to(next((place for place, header in self._headers.items() if header.key == at.key), 0))
        self._keep_in_sight()

    def action_choose(self) -> None:
        header = self._headers.get(self._cursor)
        if header is not None and header.folded:
            self._turn({header.key}, fold=False)
        else:
            super().action_choose()

    def go_to(self, place: int) -> None:
        super().go_to(place)
        if self._headers:
            self.refresh()

    # ── the mouse ──

    def on_click(self, event: events.Click) -> None:
        line = event.y + self.scroll_offset.y
        if not self._headers or not 0 <= line < self._lines:
            return
        event.prevent_default()  # rows have other lines here than in a plain list
        place = self._place_on(line)
        header = self._headers.get(place)
        within = line - self._line_of(place) - (header is not None)
        self.go_to(place)
        if within < 0 and header is not None:
            self._turn({header.key}, fold=not header.folded)
        elif within > 0:
            session = self._at(place)
            self.post_message(self.Chosen(session, self._snippets[session.identity][within - 1]))
        elif event.chain == 2:
            self.action_choose()

    # ── drawing ──

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        if not self._headers or line >= self._lines:
            return super().render_line(y)
        place = self._place_on(line)
        header = self._headers.get(place)
        within = line - self._line_of(place) - (header is not None)
        if within < 0 and header is not None:
            return self._draw_header(header, place == self._cursor and header.folded)
        return self._snippet_strip(place, within - 1) if within > 0 else self._row_strip(place)

    def _draw_header(self, header: Header, at_cursor: bool) -> Strip:
        palette, glyphs = look_of(self)
        width = self._planned
        base = palette.style("screen cursor" if at_cursor else "screen")
        right = [(f"{glyphs.status(name)} {header.statuses[name]}  ", f"status.{name}") for name in NEWS if header.statuses[name]]
        right.append((plural(header.size, "session"), "count"))
        room = max(4, width - sum(cells(text) for text, _ in right) - 5)
        sign = glyphs.folded if header.folded else glyphs.unfolded
        label = cut(header.label, room, glyphs.ellipsis)
        segments = [Segment(f" {sign} ", base + palette.style("dim")), Segment(label, base + palette.style("heading"))]
        segments.append(Segment(" " * (room - cells(label) + 1), base))
        segments += [Segment(text, base + palette.style(style)) for text, style in right]
        return Strip(segments).adjust_cell_length(width, base)
