"""A surface on the line API whose length changes without the whole screen being laid out anew."""

from __future__ import annotations

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.widget import Widget


class Scrolling(ScrollView):
    """Lines that scroll up and down."""

    def set_lines(self, count: int) -> None:
        """Say how many lines there are.

        Setting `virtual_size` would ask for a layout, in which every widget is measured and drawn; but nothing of this
        one's place or size depends on how long its content is, only its scrollbar does.
        """
        size = Size(0, count)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            self._scroll_update(size)
