"""A pane: a frame with a title on its left and a fact on its right; bare when the screen is narrow."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual import events
from textual.containers import Container
from textual.content import Content
from textual.geometry import Region
from textual.style import Style
from textual.widget import Widget

from sessionbrowser.render.palette import Palette
from sessionbrowser.text import cells, cut
from sessionbrowser.tui.look import look_of


class Pane(Container):
    """Holds one widget. Its border is the only border there is: nothing inside draws another."""

    DEFAULT_CSS = """
    Pane { border: round $sb-line; height: 1fr; width: 1fr; padding: 0; background: $background; }
    Pane:focus-within { border: round $sb-accent; }
    Pane.-ascii { border: ascii $sb-line; }
    Pane.-ascii:focus-within { border: ascii $sb-accent; }
    Pane.-bare, Pane.-bare:focus-within { border: none; }
    Pane:ansi { background: ansi_default; }
    """

    auto_links = False  # no underlines

    def __init__(self, *children: Widget, title: str = "", right_does: str = "", id: str | None = None) -> None:
        super().__init__(*children, id=id)
        self._title = title
        self._right_does = right_does  # the action of a click on the fact at the right
        self._right = ""
        self._drawn: tuple[object, ...] = ()

    def label(self, title: str | None = None, right: str | None = None) -> None:
        """Change the title, the fact at the right, or both."""
        if title is not None:
            self._title = title
        if right is not None:
            self._right = right
        self._draw_label()
        for crumb in self.screen.query(Crumb):
            crumb.refresh()

    @property
    def words(self) -> tuple[str, str]:
        """The title, and the fact at its right."""
        return self._title, self._right

    def on_mount(self) -> None:
        self._draw_label()

    def on_resize(self) -> None:
        self._draw_label()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._draw_label()

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        self.call_after_refresh(self._draw_label)

    def redraw(self) -> None:
        """Draw the title again after the look changed."""
        self._drawn = ()
        self._draw_label()

    def _draw_label(self) -> None:
        width = self.size.width + 2 - 6  # corners, and a blank at each side of the label
        focused = self.has_focus_within
        wanted = (width, focused, self._title, self._right)
        if width < 6 or wanted == self._drawn:
            return
        self._drawn = wanted
        palette, glyphs = look_of(self)
        self.set_class(glyphs.rule == "-", "-ascii")
        right = self._right if cells(self._right) + 8 <= width else ""
        room = width - (cells(right) + 2 if right else 0)
        title = cut(self._title, room, glyphs.ellipsis)
        rule = glyphs.rule * max(0, width - cells(title) - cells(right) - 2) if right else ""
        line = "border.focus" if focused else "border"
        parts = [Content.styled(title, _content_style("accent bold" if focused else "dim", palette))]
        if right:
            parts.append(Content.styled(f" {rule} ", _content_style(line, palette)))
            link = Style.from_meta({"@click": self._right_does}) if self._right_does else Style()
            parts.append(Content.styled(right, _content_style("faint", palette) + link))
        self._border_title = Content.assemble(*parts)  # by its setter Textual would paint the whole pane again
        self.refresh(Region(-1, -1, self.size.width + 2, 1))


class Crumb(Widget):
    """Where panes have no frames, a line over the one that is shown: what it is, and where its reader is."""

    DEFAULT_CSS = "Crumb { height: 1; width: 100%; display: none; }"

    def __init__(self, pane: Callable[[], Pane | None], id: str | None = None) -> None:
        super().__init__(id=id)
        self._pane = pane

    def redraw(self) -> None:
        """Draw again after the look changed."""
        self.refresh()

    def render(self) -> Text:
        palette, glyphs = look_of(self)
        pane = self._pane()
        title, right = pane.words if pane is not None else ("", "")
        width = self.size.width - 2
        right = right if cells(right) + 12 <= width else ""
        title = cut(title, width - cells(right) - (2 if right else 0), glyphs.ellipsis)
        line = Text(" ", no_wrap=True, end="")
        line.append(title, palette.style("strong"))
        line.append(" " * max(0, width - cells(title) - cells(right)))
        line.append(right, palette.style("faint"))
        return line


def _content_style(meaning: str, palette: Palette) -> Style:
    """A style of ours in the form Textual's Content wants."""
    return Style.from_rich_style(palette.style(meaning))
