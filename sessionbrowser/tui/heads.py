"""The line over the list that says what its columns are, where some are numbers."""

from __future__ import annotations

from rich.text import Text
from textual.widget import Widget

from sessionbrowser.tui.columns import Cell, Widths, heads, plan
from sessionbrowser.tui.look import look_of


class ColumnHeads(Widget):
    """Takes a line only where there is something to explain."""

    DEFAULT_CSS = """
    ColumnHeads { height: 1; width: 100%; }
    ColumnHeads.-away { display: none; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, classes="-away")
        self._heads: list[Cell] = []
        self._known: tuple[int, Widths] | None = None

    def show(self, width: int, widths: Widths) -> None:
        """The heads of a list that is `width` cells wide."""
        if (width, widths) == self._known:
            return
        self._known = (width, widths)
        made = heads(plan(width, widths))
        if made != self._heads:
            self._heads = made
            self.set_class(not made, "-away")
            self.refresh()

    def redraw(self) -> None:
        """Draw again after the look changed."""
        self.refresh()

    def render(self) -> Text:
        palette, _ = look_of(self)
        line = Text(no_wrap=True, end="")
        for cell in self._heads:
            line.append(cell.text, palette.style(cell.style))
        return line
