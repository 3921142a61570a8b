"""The transcript as a surface that scrolls: what is near the screen is laid out exactly, and nothing ever jumps."""

from __future__ import annotations

from textual import events
from textual.cache import LRUCache
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from sessionbrowser.model import Block, Body
from sessionbrowser.render.rows import Row
from sessionbrowser.render.wrap import wrap
from sessionbrowser.tui.look import look_of
from sessionbrowser.tui.scrolling import Scrolling
from sessionbrowser.tui.transcript_bodies import Bodies
from sessionbrowser.tui.transcript_find import Words
from sessionbrowser.tui.transcript_layout import Layout
from sessionbrowser.tui.transcript_paint import Painter, selected

REST = 0.06  # seconds without a move after which neighbouring pages are laid out
COPY_LINES = 20_000  # a selection longer than this is cut


class Surface(Scrolling, can_focus=True):
    """Paints a layout, keeps the place of the reader, marks the current block."""

    DEFAULT_CSS = """
    Surface { overflow-x: hidden; overflow-y: scroll; scrollbar-gutter: stable; scrollbar-size-vertical: 1; }
    """
    ALLOW_MAXIMIZE = False

    class BodiesCame(Message):
        """Bodies that were asked for are there."""

        def __init__(self, bodies: Bodies) -> None:
            self.bodies = bodies
            super().__init__()

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, Surface.BodiesCame)

    class Labelled(Message):
        """The words for the frame changed: a title, and where the reader is."""

        def __init__(self, title: str, right: str) -> None:
            self.title = title
            self.right = right
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.page = Layout(self._body_of)
        self.current = 0  # the item that keys act on
        self.bodies: Bodies | None = None
        self.words = Words()
        self.hit_row: tuple[int, int] = (-1, -1)  # the item of the current hit, and which of its own rows
        self.message = ""  # what is said instead of a transcript that has nothing to show
        self.taken = 0  # lines at the bottom of the screen that are not the transcript's
        self._stick = True  # the reader is at the end and stays there
        self._resting: Timer | None = None
        self._painter: Painter | None = None
        self._strips: LRUCache[tuple[int, int, int, bool], Strip] = LRUCache(1024)
        self._label: tuple[str, str] = ("", "")

    def _body_of(self, block: Block) -> Body | None:
        return self.bodies.get(block) if self.bodies is not None else None

    # ── look ──

    @property
    def painter(self) -> Painter:
        if self._painter is None:
            palette, _ = look_of(self)
            self._painter = Painter(palette, self.rich_style, self.scrollable_content_region.width)
        return self._painter

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painter = None
        self._strips.clear()

    def redraw(self) -> None:
        """Draw everything again: the theme or the set of glyphs changed."""
        self._painter = None
        self._relook()

    def _relook(self, **changes: object) -> None:
        """Lay out again with another look, the reader staying at the line they were at."""
        palette, glyphs = look_of(self)
        width = max(20, self.scrollable_content_region.width)
        pictures = palette.has_any_colour and not glyphs.is_ascii
        self.page.look = self.page.look._replace(width=width, glyphs=glyphs, pictures=pictures)._replace(**changes)  # type: ignore[arg-type]
        self._painter = None
        self.laid_out_again()

    def laid_out_again(self) -> None:
        """Guess all heights anew without losing the reader's place."""
        page = self.page
        at = page.at_line(self.scroll_offset.y) if len(page) else 0
        offset = self.scroll_offset.y - page.tops[at] if len(page) else 0
        page.reset()
        self._strips.clear()
        if len(page):
            self._frame()
            page.settle(range(at - 2, at + 3))
            self._grow()
            if self._stick:
                self.to_end()
            else:
                self.scroll_to(y=page.tops[at] + min(offset, page.tops[at + 1] - page.tops[at] - 1), animate=False)
            self.settle_view()
        else:
            self._grow()
        self.refresh()

    # ── geometry ──

    def on_resize(self, event: events.Resize) -> None:
        if self.scrollable_content_region.width != self.page.look.width and self.size.width:
            self._relook()
        elif self._stick:
            self.to_end()
        self.settle_view()

    def _frame(self, seconds: float = 0.0) -> None:
        if self.bodies is not None:
            self.bodies.begin_frame(*([seconds] if seconds else []))

    def _grow(self, *, soon: bool = False) -> None:
        """Tell the scrollbar how long the transcript is; `soon`: at rest, when the end is far (it costs a layout)."""
        height, known = self.page.height + self.taken if len(self.page) else 0, self.virtual_size.height
        if known == height:
            return
        if soon and self.scroll_y + 3 * self.size.height < min(height, known):
            self._rest()
        else:
            self.set_lines(height)

    def take_lines(self, taken: int) -> None:
        """Keep so many lines at the bottom of the screen free of the transcript, whose end stays above them."""
        stick, self.taken = self._stick, taken
        self._grow()
        if stick and len(self.page):
            self.to_end()
        self.refresh()

    def _rest(self) -> None:
        """Do what can wait once nothing has moved for a moment."""
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(REST, self._settle_near)

    def settle_view(self, margin: int = 0, was: float | None = None) -> None:
        """Exact heights on the screen and `margin` pages above and below.

        `was` is the scroll offset before a move: on the way up, the block that was at the top is the one that must
        not move when a block above it turns out taller than was guessed.
        """
        page = self.page
        if not len(page):
            return
        height = self.size.height or 24
        self._frame()
        for _ in range(3):  # a correction may bring other blocks into view
            top = self.scroll_offset.y
            pin = page.at_line(int(top if was is None or was < top else was))
            first, last = page.at_line(top - margin * height), page.at_line(top + (1 + margin) * height)
            if page.is_exact(first, last):
                return
            before = page.height
            moved = page.settle(range(first, last + 1), pin)
            if page.height != before:
                self._grow(soon=True)
                self.refresh()
            if self._stick:
                self._jump(self.max_scroll_y)
            elif moved:
                self._jump(self.scroll_y + moved)

    def _jump(self, y: float) -> None:
        """Be at another line without telling anyone: what is seen stays where it was."""
        y = max(0.0, min(y, self.max_scroll_y))
        self.set_reactive(Widget.scroll_y, y)
        self.set_reactive(Widget.scroll_target_y, y)
        self.vertical_scrollbar.position = y

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        near = abs(new_value - old_value) < self.size.height
        self._stick = new_value >= self.max_scroll_y
        self.settle_view(was=old_value if near and old_value > new_value else None)
        super().watch_scroll_y(old_value, new_value)
        self._rest()
        self.label()

    def _settle_near(self) -> None:
        """While nothing moves, lay out the pages above and below, so that they are there when they are wanted."""
        self._resting = None
        self.settle_view(1)
        self._grow()

    def to_end(self) -> None:
        """Be at the end, the last two pages laid out."""
        page = self.page
        self._frame(0.03)
        height, at, have = self.size.height or 24, len(page) - 1, 0
        while at >= 0 and have < 2 * height:
            page.settle([at])
            have += page.tops[at + 1] - page.tops[at]
            at -= 1
        self._grow()
        self._stick = True
        self.scroll_to(y=self.max_scroll_y, animate=False)
        self.refresh()

    def on_surface_bodies_came(self, message: BodiesCame) -> None:
        if message.bodies is self.bodies:
            self.settle_view()
            self.refresh()

    # ── the current block ──

    def set_current(self, at: int) -> None:
        """Make item `at` the one that keys act on; nothing scrolls."""
        at = max(0, min(at, len(self.page) - 1))
        if at != self.current:
            for item in (self.current, at):
                self._refresh_item(item)
            self.current = at
            self.label()

    def _refresh_item(self, at: int) -> None:
        if 0 <= at < len(self.page):
            top = self.page.tops[at]
            self.refresh_lines(top, self.page.tops[at + 1] - top)

    def on_focus(self) -> None:
        self._refresh_item(self.current)

    def on_blur(self) -> None:
        self._refresh_item(self.current)

    def label(self) -> None:
        """Say where the reader is."""
        title, right = self.describe()
        if (title, right) != self._label:
            self._label = (title, right)
            self.post_message(self.Labelled(title, right))

    def describe(self) -> tuple[str, str]:
        """The title, and the words at its right."""
        return "", ""

    # ── painting ──

    def render_line(self, y: int) -> Strip:
        last = self.bottom_line() if y == self.size.height - 1 else None
        if last is not None:
            return last
        page, width = self.page, self.scrollable_content_region.width
        line = y + self.scroll_offset.y
        if not len(page):
            return self._said(y, width)
        if line >= page.height:
            return Strip.blank(width, self.painter.base)
        at = page.at_line(line)
        offset = line - page.tops[at]
        lit = at == self.current and self.has_focus
        selection = self.text_selection
        span = selection.get_span(line) if selection is not None else None
        key = (at, offset, line, lit)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._paint(at, offset, lit).apply_offsets(0, line)
            if page.is_exact(at, at):
                self._strips[key] = strip
        if span is not None:
            strip = selected(strip, *span, self.screen.get_component_rich_style("screen--selection")).apply_offsets(0, line)
        return strip

    def _paint(self, at: int, offset: int, lit: bool) -> Strip:
        row = self.page.row(at, offset)
        head = self.page.head(at) - self.page.tops[at]
        mark = "match.current" if (at, offset - head) == self.hit_row else "match"
        if lit and offset == head and self.page.items.block(at).kind != "text":
            return self.painter.strip(row, under="cursor", words=self.words, mark=mark)
        sign = (self.page.look.glyphs.caret, "accent") if lit and offset >= head else None
        return self.painter.strip(row, sign=sign, words=self.words, mark=mark)

    def _said(self, y: int, width: int) -> Strip:
        """What is said instead of a transcript, over as many lines as it takes."""
        lines = wrap(self.message, max(8, width - 6)) if self.message else []
        at = y - min(2, max(0, self.size.height - len(lines)))
        if not 0 <= at < len(lines):
            return Strip.blank(width, self.painter.base)
        start, end = lines[at]
        return self.painter.strip(Row(((f"    {self.message[start:end]}", "dim"),)))

    def bottom_line(self) -> Strip | None:
        """What stands on the last line of the screen instead of the transcript."""
        return None

    # ── selection ──

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        page = self.page
        if not len(page):
            return None
        first = 0 if selection.start is None else selection.start.y
        last = page.height - 1 if selection.end is None else selection.end.y
        lines = []
        for line in range(first, min(last, first + COPY_LINES, page.height - 1) + 1):
            at = page.at_line(line)
            text = page.row(at, line - page.tops[at]).text
            span = selection.get_span(line)
            if span is not None:
                text = text[span[0] :] if span[1] == -1 else text[span[0] : span[1]]
            lines.append(text.rstrip())
        return "\n".join(lines), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def drop_selection(self) -> None:
        """Lines moved: what was selected is no longer there."""
        if self.text_selection is not None:
            self.screen.clear_selection()
