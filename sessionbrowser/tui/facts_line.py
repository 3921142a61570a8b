"""A few facts of the session under the cursor, which tell it apart."""

from __future__ import annotations

from rich.text import Text
from textual.widget import Widget

from sessionbrowser.model import Session
from sessionbrowser.paths import Environment
from sessionbrowser.text import cells, cut, cut_middle
from sessionbrowser.tui.facts import summary
from sessionbrowser.tui.look import look_of


class FactsLine(Widget):
    """The summary over one line, or over two where there is room for them. Its height is always the same."""

    DEFAULT_CSS = """
    FactsLine { height: 1; width: 100%; }
    FactsLine.-tall { height: 3; }
    """

    def __init__(self, environment: Environment, *, tall: bool, id: str | None = None) -> None:
        super().__init__(id=id, classes="-tall" if tall else "")
        self._environment = environment
        self._tall = tall
        self._session: Session | None = None

    def show(self, session: Session | None) -> None:
        """Show the facts of a session."""
        if session != self._session:
            self._session = session
            self.refresh()

    def redraw(self) -> None:
        """Draw again after the look changed."""
        self.refresh()

    def render(self) -> Text:
        width = max(10, self.size.width - 2)
        lines = self._summary(width)
        lines = [*[Text()] * (self.size.height - len(lines)), *lines][-max(1, self.size.height) :]
        return Text("\n", no_wrap=True, end="").join(Text(" ").append_text(line) for line in lines)

    def _summary(self, width: int) -> list[Text]:
        palette, glyphs = look_of(self)
        if self._session is None:
            return []
        lines = _folded(summary(self._session, self._environment), width, glyphs.ellipsis)
        return [Text(line, palette.style("dim")) for line in lines[: 2 if self._tall else 1]]


def _folded(facts: list[str], width: int, ellipsis: str) -> list[str]:
    """Facts over lines of at most `width` cells, two blanks between them; the first, a directory, cut in its middle."""
    lines: list[str] = []
    line = ""
    for at, fact in enumerate(facts):
        fact = cut_middle(fact, max(12, width // 2), ellipsis) if at == 0 else cut(fact, width, ellipsis)
        if line and cells(line) + 2 + cells(fact) > width:
            lines.append(line)
            line = fact
        else:
            line = f"{line}  {fact}" if line else fact
    return [*lines, line] if line else lines
