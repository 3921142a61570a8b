"""A surface on the line API: its length may change and its lines are drawn without what only other widgets need."""

from __future__ import annotations

from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip


class Scrolling(ScrollView):
    """Lines that scroll up and down, without border, padded at most at the left."""

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
        left, right = crop.column_span
        gutter = Strip.blank(self.styles.padding.left, self.rich_style) if self.styles.padding.left else None
        strips = []
        for y in crop.line_range:
            strip = self.render_line(y) if gutter is None else Strip.join((gutter, self.render_line(y)))
            if strip.cell_length != right or left:  # the compositor drops a line that ends before its widget does
                strip = strip.crop_extend(left, right, self.rich_style)
            for one in filters:
                strip = strip.apply_filter(one, background)
            strips.append(strip)
        return strips
