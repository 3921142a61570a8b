"""How `sb show` draws: widths, signs and colours, from the options, the surroundings and the configuration."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sessionbrowser.commands import output
from sessionbrowser.paths import Environment

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.commands.show_write import Shown
    from sessionbrowser.library import Library
    from sessionbrowser.render.palette import Palette
    from sessionbrowser.render.rows import Look


def look(args: argparse.Namespace, shown: Shown) -> Look:
    from sessionbrowser.render.glyphs import choose, needs_ascii
    from sessionbrowser.render.rows import Look, folders_of

    env = shown.library.environment
    plain = args.ascii or shown.library.config.glyphs == "ascii" or needs_ascii(env.variables, env.platform)
    return Look(
        width=max(20, args.width or _columns(env)), glyphs=choose(ascii=plain), limit=_preview_lines(env), now=env.now(),
        own_names=False, folders=folders_of(shown.session.cwd, env.home),
    )  # fmt: skip


def _columns(env: Environment) -> int:
    for name in ("FZF_PREVIEW_COLUMNS", "COLUMNS"):
        if (said := env.get(name)).isdecimal() and 0 < int(said) < 10_000:
            return int(said)
    try:
        return os.get_terminal_size(1).columns or 100
    except (OSError, ValueError):
        return 100


def _preview_lines(env: Environment) -> int:
    said = env.get("FZF_PREVIEW_LINES")
    return int(said) if said.isdecimal() and 0 < int(said) < 10_000 else 60


def colours(args: argparse.Namespace, library: Library) -> tuple[Palette | None, str]:
    """The palette to write with (None: plain text), and how many colours the terminal has."""
    from sessionbrowser.render import palette

    env = library.environment
    inside = bool(env.get("FZF_PREVIEW_COLUMNS")) or args.preview
    wanted = args.color == "always" or (args.color == "auto" and not env.get("NO_COLOR") and (output.on_terminal() or inside))
    if not wanted or (env.get("TERM") == "dumb" and args.color != "always"):
        return None, ""
    theme = library.config.theme
    if theme not in palette.THEMES:  # what is behind the text is known only where the terminal says so
        theme = palette.chosen({**env.variables, "NO_COLOR": ""}) if env.get("COLORFGBG") else "ansi"
    deep = env.get("COLORTERM").lower() in ("truecolor", "24bit")
    return palette.palette(theme), "standard" if theme == "ansi" else "truecolor" if deep else "256"
