"""The bottom line: where things stand at the left, the keys that matter here at the right."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.geometry import Size
from textual.timer import Timer
from textual.widget import Widget

from sessionbrowser.text import cells, cut
from sessionbrowser.tui.keys import FooterKey, bindings_of, clicks
from sessionbrowser.tui.look import look_of

Said = Sequence[tuple[str, str]]  # pieces of text with their style names
STATUS = 2  # of them are about the session: a sign and a word; what stands behind gives way to keys


class StatusBar(Widget):
    """Draws two texts that share one line; of the keys help gives way last."""

    DEFAULT_CSS = """
    StatusBar { height: 1; dock: bottom; background: $sb-surface; color: $sb-dim; }
    """

    auto_links = False  # no underlines

    def __init__(self) -> None:
        super().__init__(id="status")
        self._left: Said = ()
        self._message: Said = ()
        self._keys: Sequence[FooterKey] = ()
        self._timer: Timer | None = None

    def show(self, left: Said) -> None:
        """What stands at the left while nothing more pressing is said."""
        if left != self._left:
            self._left = left
            self.refresh()

    def show_keys(self, keys: Sequence[FooterKey]) -> None:
        """The keys at the right: what to press, or to click on, and what it does."""
        if keys != self._keys:
            self._keys = keys
            self.refresh()

    def say(self, message: str, style: str = "text", seconds: float = 5.0) -> None:
        """Say something for a few seconds, in place of what stands there."""
        if self._timer is not None:
            self._timer.stop()
        self._message = ((message, style),)
        self._timer = self.set_timer(seconds, self._done)
        self.refresh()

    def unsay(self) -> None:
        """What was said is not of what is shown now."""
        if self._message:
            self._done()

    @property
    def message(self) -> str:
        """What is being said now."""
        return "".join(text for text, _ in self._message)

    def _done(self) -> None:
        self._message = ()
        self.refresh()

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return container.width

    def render(self) -> Text:
        palette, glyphs = look_of(self)
        width = self.size.width
        left, keys = list(self._message or self._left), list(self._keys)
        while keys and _keys_width(keys) > self._room(left):
            if not self._message and len(left) > STATUS:
                left.pop()
            elif not self._message and len(keys) <= 2 and left:  # on a very narrow line help is worth more
                left.clear()
            else:
                keys.pop(-2 if len(keys) > 1 else 0)
        line = Text(" ", no_wrap=True, end="")
        available = max(0, width - 2 - (_keys_width(keys) + 2 if keys else 0))
        for text, style in left:
            piece = cut(text, available, glyphs.ellipsis)
            available -= cells(piece)
            line.append(piece, style=palette.style(style))
        line.append(" " * max(0, width - 1 - line.cell_len - _keys_width(keys)))
        for at, (key, does, id) in enumerate(keys):
            link = clicks(f"press({id!r})")
            line.append("   " if at else "")
            line.append(key, style=palette.style("key") + link)
            line.append(f" {does}", style=palette.style("dim") + link)
        return line

    def _room(self, left: Said) -> int:
        """Cells for the keys beside what is said; a message, soon gone, leaves them a third of the line."""
        width, taken = self.size.width, sum(cells(text) for text, _ in left)
        room = width - 2 - (taken + 3 if taken else 0)
        return max(room, width // 3) if self._message else room

    async def action_press(self, id: str) -> None:
        """Do what the key of an action would do now."""
        for item in bindings_of(self.screen, id)[:1]:
            await self.app.run_action(item.binding.action, item.node)


def _keys_width(keys: Sequence[FooterKey]) -> int:
    return sum(cells(key) + 1 + cells(does) for key, does, _ in keys) + 3 * max(0, len(keys) - 1)
