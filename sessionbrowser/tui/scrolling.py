"""A surface on the line API: its length may change and its lines are drawn without what only other widgets need."""

from __future__ import annotations

from typing import ClassVar

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.color import Color as BackgroundColor
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip
from textual.widget import Widget

from sessionbrowser.tui.look import look_of


class PlainBar(ScrollBarRender):
    """A scrollbar without signs: the part that is shown, by its colour alone."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "]


class Bar(ScrollBar):
    """The scrollbar of a Scrolling, drawn as it is: it has neither border nor padding to be put around it line by line."""

    def __init__(self, surface: Scrolling) -> None:
        super().__init__(vertical=True, name="vertical", thickness=surface.scrollbar_size_vertical)
        self._surface = surface
        self._styles_known: dict[tuple[bool, bool], Style] = {}  # by whether it is held, and pointed at

    def render_lines(self, crop: Region) -> list[Strip]:
        state = self.grabbed is not None, self.mouse_over
        if state not in self._styles_known:
            style = getattr(self.render(), "style", "")
            self._styles_known[state] = style if isinstance(style, Style) else Style.parse(style)
        style = self._styles_known[state]
        made = self._render_bar(style)
        assert isinstance(made, ScrollBarRender)
        segments = made.render_bar(
            self.size.height, made.virtual_size, made.window_size, made.position, made.thickness,
            back_color=style.bgcolor or Color.default(), bar_color=style.color or Color.default(),
        ).segments  # fmt: skip
        background, base = self._surface.ground
        strips: dict[int, Strip] = {}
        for segment in segments:
            if id(segment) not in strips:
                strip = Strip(list(Segment.apply_style([segment], base)), self.thickness)
                for one in self.get_line_filters():
                    strip = strip.apply_filter(one, background)
                strips[id(segment)] = strip
        return [strips[id(segment)] for segment in segments[crop.y : crop.bottom]]

    def forget_styles(self) -> None:
        """The look changed."""
        self._styles_known.clear()


def draw_plainly(widget: Widget) -> None:
    """Where only ASCII may be drawn, scrollbars are made of blanks."""
    if look_of(widget)[1].rule == "-":
        widget.vertical_scrollbar.renderer = PlainBar  # type: ignore[misc]


class Scrolling(ScrollView):
    """Lines that scroll up and down, without border, padded at most at the left."""

    # Textual's own asks for a layout, in which every widget is measured: but neither the size nor the place of this one
    # depends on how long its content is.
    virtual_size = Reactive(Size(0, 0))

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._finished: LRUCache[int, tuple[Strip, Strip]] = LRUCache(512)  # a line as it was made, and as it is drawn
        self._look: tuple[object, ...] = ()
        self._ground: tuple[BackgroundColor, Style] | None = None

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        if self._vertical_scrollbar is None:
            self._vertical_scrollbar = bar = Bar(self)
            bar.display = False
            self.app._start_widget(self, bar)
        return self._vertical_scrollbar

    def on_mount(self) -> None:
        draw_plainly(self)

    def set_lines(self, count: int) -> None:
        """Say how many lines there are."""
        size = Size(0, count)
        if size != self.virtual_size:
            self.virtual_size = size
            self._scroll_update(size)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of `crop` as they are: they are cached where they are made, and have all their colours."""
        self._styles_cache._dirty_lines.difference_update(crop.line_range)
        filters, (background, style) = self.get_line_filters(), self.ground
        left, right = crop.column_span
        look = (left, right, background, tuple(map(id, filters)))
        if look != self._look:
            self._look = look
            self._finished.clear()
        gutter = Strip.blank(self.styles.padding.left, style) if self.styles.padding.left else None
        strips = []
        for y in crop.line_range:
            made = self.render_line(y)
            known = self._finished.get(id(made))
            if known is not None and known[0] is made:
                strips.append(known[1])
                continue
            strip = made if gutter is None else Strip.join((gutter, made))
            if strip.cell_length != right or left:  # the compositor drops a line that ends before its widget does
                strip = strip.crop_extend(left, right, style)
            for one in filters:
                strip = strip.apply_filter(one, background)
            self._finished[id(made)] = (made, strip)
            strips.append(strip)
        return strips

    @property
    def ground(self) -> tuple[BackgroundColor, Style]:
        """What it is drawn on, and in which style; Textual asks all widgets around it, every time."""
        if self._ground is None:
            self._ground = self.background_colors[1], self.rich_style
        return self._ground

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._ground = None
        self._finished.clear()
        if isinstance(self._vertical_scrollbar, Bar):
            self._vertical_scrollbar.forget_styles()
