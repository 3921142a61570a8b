"""The app: which screen, which look, which keys; everything else is in the screens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.filter import ANSIToTruecolor, LineFilter, Monochrome
from textual.screen import Screen

from sessionbrowser.library import failure
from sessionbrowser.model import Session
from sessionbrowser.query.saved import SIGN
from sessionbrowser.render.glyphs import Glyphs
from sessionbrowser.render.palette import palette
from sessionbrowser.text import for_eyes
from sessionbrowser.tui.browser import Browser
from sessionbrowser.tui.in_order import InOrder, Typed
from sessionbrowser.tui.keys import actions_of, in_order
from sessionbrowser.tui.theme import CYCLE, theme_name, themes
from sessionbrowser.tui.tidying import EVERY, Tidying

if TYPE_CHECKING:
    from sessionbrowser.library import Library
    from sessionbrowser.tui.dialogs.commands import Command


Leave = Callable[[], int]


class SessionBrowserApp(App[Leave | None]):
    """What `sb` runs. It returns what is to be done once the screen is left (resuming a session), or None."""

    CSS_PATH = "browser.tcss"
    TITLE = "sb"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "Quit", id="app.quit"),
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="app.quit_anywhere"),
        Binding("ctrl+c", "copy_or_quit", "Copy the selection, or quit", show=False, priority=True, id="app.interrupt"),
        Binding("ctrl+z", "suspend_process", "Suspend", show=False, priority=True, id="app.suspend"),
        Binding("ctrl+p", "command_palette", "All commands, by name", show=False, priority=True, id="app.palette"),
        Binding("T", "theme", "Next theme: dark, light, the terminal's", show=False, id="app.theme"),
    ]

    def __init__(
        self,
        library: Library,
        *,
        look: str,
        glyphs: Glyphs,
        first: Sequence[Session] = (),
        query: str = "",
        show_hidden: bool = False,
        full_text: bool = True,
        indexed: bool = True,
        keys: Mapping[str, str] | None = None,
        problems: Sequence[str] = (),
        driver_class: type[Driver] | None = None,
    ) -> None:
        super().__init__(driver_class=driver_class)
        self._is_last = driver_class is not None  # whether nothing comes after this app but the end of the process
        self.library = library
        self.palette = palette(look)
        self.glyphs = glyphs
        self._first = first
        self._query = query
        self._show_hidden = show_hidden
        self._full_text = full_text
        self._indexed = indexed
        self._early_keys: list[Typed] | None = []
        self._in_order = InOrder(self, super().on_event)
        self._tidying = Tidying()
        self._problems = list(problems)
        for theme in themes():
            self.register_theme(theme)
        self.theme = theme_name(look)
        self.set_keymap(dict(keys or {}))

    # ── keys typed before there is a screen ──

    async def on_event(self, event: events.Event) -> None:
        """Keep keys until the screen is there; from then on, no key overtakes another."""
        if isinstance(event, events.InputEvent):
            self._tidying.touched()
        if isinstance(event, events.Key) and event.key.startswith("alt+"):
            event.character = None  # terminals send it as escape and a letter, which an input would take for text
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        elif self._early_keys is not None:
            self._early_keys.append(event)
        else:
            await self._in_order.take(event)

    @property
    def text_follows(self) -> bool:
        """Whether another letter is there already: what the one before it leads to would be seen by nobody."""
        return self._in_order.text_follows

    async def take_early_keys(self, then: Callable[[], object]) -> None:
        """The screen is there: let it have what was typed meanwhile; `then`, when that was done, goes on."""
        keys, self._early_keys = self._early_keys or [], None
        self._begin_batch()  # one picture of all they led to

        def done() -> None:
            self._end_batch()
            self.screen.refresh()
            then()

        for key in keys:
            await self._in_order.take(key)
        self._in_order.then(done)

    def get_default_screen(self) -> Screen[Any]:
        return Browser(
            self.library, self._first, self._query, show_hidden=self._show_hidden, full_text=self._full_text, indexed=self._indexed
        )

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, lambda _: self._draw_all())
        self.set_interval(EVERY, self._tidying.look)

    def on_ready(self) -> None:
        """Say what of the configuration could not be used."""
        if self._keymap:
            from sessionbrowser.tui.key_check import key_problems

            self._problems += key_problems(self._keymap)
        if self._problems and isinstance(self.screen, Browser):
            more = f"  (and {len(self._problems) - 1} more: sb doctor)" if len(self._problems) > 1 else ""
            self.screen.status.say(self._problems[0] + more, "warn", 12)

    def _draw_all(self) -> None:
        """Back from ctrl+z the terminal is blank."""
        self.screen.refresh(layout=True)
        self.refresh(layout=True)

    # ── look ──

    def get_line_filters(self) -> Sequence[LineFilter]:
        """None that changes colours, since a palette gives every one of them.

        Textual's for NO_COLOR takes the terminal's own colours, which our colourless theme draws with, for black; the one
        that makes the terminal's colours its own would look through every line drawn and find none.
        """
        return [found for found in super().get_line_filters() if not isinstance(found, Monochrome | ANSIToTruecolor)]

    def action_theme(self) -> None:
        """Go round the themes; a terminal without colours keeps its own."""
        if self.palette.name == "none":
            self._say("NO_COLOR is set")
            return
        self.set_look(CYCLE[(CYCLE.index(self.palette.name) + 1) % len(CYCLE)])
        self._say({"ansi": "the terminal's colours"}.get(self.palette.name, f"{self.palette.name} theme"))

    def set_look(self, name: str) -> None:
        """Change to another theme, one of render/palette.py."""
        self.palette = palette(name)
        self.theme = theme_name(name)
        for screen in self.screen_stack:
            if isinstance(screen, Browser):
                screen.redraw()

    def _say(self, message: str) -> None:
        if isinstance(self.screen, Browser):
            self.screen.say(message)

    # ── ways out ──

    async def action_quit(self) -> None:
        self._leave()

    def action_copy_or_quit(self) -> None:
        """With text selected, what terminals call copy; otherwise what they call interrupt."""
        selected = self.screen.get_selected_text()
        if selected and isinstance(self.screen, Browser):
            self.screen.leaving.copy_text(selected, "selection")
        else:
            self._leave(130)

    async def _close_all(self) -> None:
        """Leave screens as they are where the process ends next: taking them apart, widget by widget, takes longer."""
        if self._is_last:
            return
        await super()._close_all()

    def _fatal_error(self) -> None:
        """A mistake of ours ends the screen with one line; all of it is kept, or shown with SB_DEBUG."""
        error = self._exception
        if self.library.environment.get("SB_DEBUG") or error is None:
            super()._fatal_error()
        else:
            failure.keep(self.library.environment, error, "the screen")
            self.panic(Text(f"sb: something went wrong that should not have: {failure.described(error)} (SB_DEBUG=1 tells where)"))
        self._return_code = 2

    def _leave(self, code: int = 0) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, Browser):
                screen.keep_memory()
        self.exit(None, return_code=code)

    # ── the palette of commands ──

    def action_command_palette(self) -> None:
        """Ask for a command by its name."""
        from sessionbrowser.tui.dialogs.commands import Palette

        if not isinstance(self.screen, Browser):
            return
        commands = self.commands()

        def done(choice: str | None) -> None:
            if choice is not None:
                self.call_later(commands[int(choice)].run)

        self.push_screen(Palette(commands), done)

    def commands(self) -> list[Command]:
        """Every action that has a key here, what matters most first, then the saved queries."""
        from sessionbrowser.tui.dialogs.commands import Command

        screen = self.screen
        if not isinstance(screen, Browser):
            return []
        ascii = self.glyphs.rule == "-"
        made = [
            Command(action.does, action.keys[0], partial(self.run_action, action.action, action.node))
            for action in in_order(actions_of(screen, ascii=ascii))
            if action.action != "command_palette"
        ]
        queries = self.library.config.queries.items()
        return made + [Command(f"Find {SIGN}{name}", for_eyes(query), partial(screen.ask, SIGN + name)) for name, query in queries]
