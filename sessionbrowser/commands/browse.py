"""The screen: what plain `sb` runs. Rows are on the terminal before Textual is imported."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from sessionbrowser.commands import options
from sessionbrowser.paths import Environment, shown

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.config import Config
    from sessionbrowser.library import Library
    from sessionbrowser.model import Session
    from sessionbrowser.render import glyphs
    from sessionbrowser.tui.hold import Hold

THEMES = ("auto", "dark", "light", "ansi", "none")


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Put the command's options on a parser."""
    parser = subparsers.add_parser("browse", help="open the screen", description="Open the screen.")
    parser.add_argument("query", nargs="*", metavar="QUERY", help="what to put in the box")
    parser.add_argument("--theme", choices=THEMES, default="", help="colours: dark, light, the terminal's sixteen, none")
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII signs only")
    options.common(parser)


def run(args: argparse.Namespace, env: Environment) -> int:
    """Open the screen; then, when a session is to be resumed, become its agent. Raises Refused, UnknownSource."""
    here = options.surroundings(args, env)
    term = here.get("TERM")
    if here.platform == "win32":
        return _open(args, here, None)
    if term in ("", "dumb"):
        raise options.Refused(f"this terminal cannot show a screen (TERM={term or 'is not set'}); sb list prints the sessions")
    gc.disable()  # until everything is loaded: see tui/tidying.py
    sys.setswitchinterval(0.001)  # the thread that reads gives way to the one that draws
    from sessionbrowser.tui.hold import Hold

    try:
        hold = Hold()
        hold.take()
    except OSError as error:
        raise options.Refused("there is no terminal to draw on; sb list prints the sessions") from error
    try:
        return _open(args, here, hold)
    finally:
        hold.release()


def _open(args: argparse.Namespace, here: Environment, hold: Hold | None) -> int:
    from sessionbrowser.library import Library

    settings = options.configuration(args, here)
    library = Library(here, config=settings, roots=args.root, sources=args.source, cache=not args.no_cache)
    if args.source or args.root:
        places = library.places()  # raises for a name nobody knows
        if args.root and not places.roots:
            raise options.Refused("; ".join(f"{shown(item.path, here.home)}: {item.reason}" for item in places.trouble))
    return _show(args, library, settings, hold)


def _show(args: argparse.Namespace, library: Library, settings: Config, hold: Hold | None) -> int:
    from sessionbrowser.commands import config_check
    from sessionbrowser.render import glyphs, palette

    here = library.environment
    look = palette.chosen(here.variables, args.theme or settings.theme)
    ascii = args.ascii or settings.glyphs == "ascii"
    if settings.glyphs == "auto" and not ascii:
        ascii = glyphs.needs_ascii(here.variables, here.platform)
    signs = glyphs.choose(ascii=ascii)
    query = " ".join(args.query)
    first = [] if hold is None else _paint(hold, library, query, look, signs)
    import asyncio

    from sessionbrowser.tui.app import SessionBrowserApp

    driver = None
    if hold is not None:
        from sessionbrowser.tui.tty_driver import TtyDriver

        TtyDriver.hold = hold
        driver = TtyDriver
    colourless = os.environ.get("NO_COLOR")
    app = SessionBrowserApp(
        library,
        look=look,
        glyphs=signs,
        first=first,
        query=query,
        show_hidden=args.all,
        indexed=not args.no_cache and not args.root,
        keys=settings.keys,
        problems=config_check.problems(settings, here, keys=False),  # the app tells of keys
        driver_class=driver,
    )
    loop = asyncio.new_event_loop()  # of our own: closing it would wait for threads that still read
    leaving = app.run(mouse=settings.mouse, loop=loop)
    if colourless is not None:  # Textual takes it away; the agent that is resumed needs it too
        os.environ["NO_COLOR"] = colourless
    if leaving is None:
        return app.return_code or 0
    return leaving()


def _paint(hold: Hold, library: Library, query: str, look: str, signs: glyphs.Glyphs) -> list[Session]:
    """Draw the rows that the catalogue remembers; returns them, so that the app begins with the same."""
    from sessionbrowser.render.palette import palette
    from sessionbrowser.tui.early import picture
    from sessionbrowser.tui.memory import recall

    here = library.environment
    size = hold.size()
    first = library.cached(limit=max(10, size[1]))
    shown = [] if query else first  # what a query leaves is not known yet
    hold.paint(picture(shown, size, here, palette(look), signs, recall(here)))
    return first
