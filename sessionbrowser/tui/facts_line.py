"""A few facts of the session under the cursor: where it came from and went on in, and one line that tells it apart."""

from __future__ import annotations

from typing import NamedTuple

from rich.text import Text
from textual.widget import Widget

from sessionbrowser.model import Session
from sessionbrowser.paths import Environment
from sessionbrowser.text import cells, cut, cut_middle
from sessionbrowser.tui.facts import summary
from sessionbrowser.tui.look import look_of


class Lineage(NamedTuple):
    """Titles of the sessions around one: what it was forked from, what went on from it; "" for none."""

    came_from: str = ""
    went_on_in: str = ""

NO_LINEAGE = Lineage()


class FactsLine(Widget):
    """Lineage (where there is room for it), and the summary over at most two lines. Its height is always the same."""

    DEFAULT_CSS = """
    FactsLine { height: 1; width: 100%; }
    FactsLine.-lineage { height: 5; }
    """

    def __init__(self, environment: Environment, *, lineage: bool, id: str | None = None) -> None:
        super().__init__(id=id, classes="-lineage" if lineage else "")
        self._environment = environment
        self._with_lineage = lineage
        self._session: Session | None = None
        self._lineage = NO_LINEAGE

    def show(self, session: Session | None, lineage: Lineage = NO_LINEAGE) -> None:
        """Show the facts of a session."""
        if (session, lineage) != (self._session, self._lineage):
            self._session, self._lineage = session, lineage
            self.refresh()

    def redraw(self) -> None:
        """Draw again after the look changed."""
        self.refresh()

    def render(self) -> Text:
        width = max(10, self.size.width - 2)
        lines = [*(self._relatives(width) if self._with_lineage else ()), *self._summary(width)]
        lines = [*[Text()] * (self.size.height - len(lines)), *lines][-max(1, self.size.height) :]
        return Text("\n", no_wrap=True, end="").join(Text(" ").append_text(line) for line in lines)

    def _relatives(self, width: int) -> list[Text]:
        palette, glyphs = look_of(self)
        lines = []
        for name, title in (("came from ", self._lineage.came_from), ("went on in", self._lineage.went_on_in)):
            if title:
                line = Text(f"{name} ", palette.style("faint"))
                lines.append(line.append(cut(title, width - 11, glyphs.ellipsis), palette.style("dim")))
        return [*lines, Text()] if lines else []

    def _summary(self, width: int) -> list[Text]:
        palette, glyphs = look_of(self)
        if self._session is None:
            return []
        lines = _folded(summary(self._session, self._environment), width, glyphs.ellipsis)
        return [Text(line, palette.style("dim")) for line in lines[: 2 if self._with_lineage else 1]]


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
