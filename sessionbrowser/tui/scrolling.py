"""A surface on the line API: its length may change and its lines are drawn without what only other widgets need."""

from __future__ import annotations

from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip


class Scrolling(ScrollView):
    """Lines that scroll up and down, without border or padding, each as wide as the space it is drawn in."""

    # Textual's own asks for a layout, in which every widget is measured: but neither the size nor the place of this one
    # depends on how long its content is.
    virtual_size = Reactive(Size(0, 0))

    def set_lines(self, count: int) -> None:
        """Say how many lines there are."""
        size = Size(0, count)
        if size != self.virtual_size:
            self.virtual_size = size
            self._scroll_update(size)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of `crop` as they are: they are cached where they are made, and have all their colours."""
        self._styles_cache._dirty_lines.difference_update(crop.line_range)
        filters, (_, background) = self.get_line_filters(), self.background_colors
        width, (left, right) = self.size.width, crop.column_span
        strips = []
        for y in crop.line_range:
            strip = self.render_line(y)
            if (left, right) != (0, width):
                strip = strip.crop(left, right)
            for one in filters:
                strip = strip.apply_filter(one, background)
            strips.append(strip)
        return strips
