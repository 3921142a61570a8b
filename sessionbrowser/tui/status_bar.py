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


class StatusBar(Widget):
    """Draws two texts that share one line; the keys give way first, help last."""

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
        left = self._message or self._left
        taken = sum(cells(text) for text, _ in left)
        keys = list(self._keys)
        room = width - 2 - (taken + 3 if taken and not self._message else 0)
        if self._message:
            room = max(0, width - 2 - taken - 3)
        while keys and _keys_width(keys) > room:
            if not self._message and len(keys) <= 2 and taken:  # on a very narrow line help is worth more
                left, taken, room = (), 0, width - 2
                continue
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

    async def action_press(self, id: str) -> None:
        """Do what the key of an action would do now."""
        for item in bindings_of(self.screen, id)[:1]:
            await self.app.run_action(item.binding.action, item.node)


def _keys_width(keys: Sequence[FooterKey]) -> int:
    return sum(cells(key) + 1 + cells(does) for key, does, _ in keys) + 3 * max(0, len(keys) - 1)
