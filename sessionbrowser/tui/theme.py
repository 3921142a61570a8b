"""The palettes of `render/` as Textual themes, so that widgets and CSS share one set of colours."""

from __future__ import annotations

from textual.theme import Theme

from sessionbrowser.render.palette import THEMES, Palette, palette

CYCLE = ("dark", "light", "ansi")


def theme_name(name: str) -> str:
    """What Textual calls the theme `name`."""
    return f"sb-{name}"


def themes() -> list[Theme]:
    """Every theme of ours, ready to be registered."""
    return [_theme(palette(name)) for name in THEMES]


def _theme(from_palette: Palette) -> Theme:
    if from_palette.colours["background"] == "default":
        return _terminal_theme(from_palette)
    colours = from_palette.colours
    return Theme(
        name=theme_name(from_palette.name),
        primary=colours["accent"],
        secondary=colours["violet"],
        accent=colours["accent"],
        warning=colours["warn"],
        error=colours["bad"],
        success=colours["ok"],
        foreground=colours["foreground"],
        background=colours["background"],
        surface=colours["surface"],
        panel=colours["surface"],
        dark=from_palette.dark,
        variables={
            **{f"sb-{name}": colours[name] for name in ("line", "dim", "faint", "accent", "cursor", "surface")},
            "scrollbar": colours["line"],
            "scrollbar-hover": colours["faint"],
            "scrollbar-active": colours["dim"],
            "scrollbar-background": colours["background"],
            "scrollbar-background-hover": colours["background"],
            "scrollbar-background-active": colours["background"],
            "scrollbar-corner-color": colours["background"],
            "block-cursor-background": colours["cursor"],
            "block-cursor-foreground": colours["foreground"],
            "block-cursor-blurred-background": colours["cursor"],
            "input-cursor-background": colours["accent"],
            "input-cursor-foreground": colours["background"],
            "input-selection-background": colours["cursor"],
            "screen-selection-background": colours["cursor"],
            "screen-selection-foreground": colours["foreground"],
            "footer-key-foreground": colours["accent"],
            "border": colours["accent"],
            "border-blurred": colours["line"],
        },
    )


def _terminal_theme(from_palette: Palette) -> Theme:
    """The terminal's own colours; for `none` its foreground alone."""
    plain = from_palette.name == "none"
    ink = {name: "ansi_default" if plain else colour for name, colour in _INKS.items()}
    lines = "ansi_default" if plain else "ansi_bright_black"
    return Theme(
        name=theme_name(from_palette.name),
        ansi=True,
        dark=True,
        primary=ink["primary"],
        secondary=ink["secondary"],
        accent=ink["accent"],
        warning=ink["warning"],
        error=ink["error"],
        success=ink["success"],
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        boost="ansi_default",
        variables={
            "ansi-background": "ansi_black",
            "ansi-foreground": "ansi_white",
            "sb-line": lines,
            "sb-dim": "ansi_default",
            "sb-faint": lines,
            "sb-accent": ink["primary"],
            "sb-cursor": "ansi_default",
            "sb-surface": "ansi_default",
            "scrollbar": lines,
            "scrollbar-hover": lines,
            "scrollbar-active": "ansi_default",
            "scrollbar-background": "ansi_default",
            "scrollbar-background-hover": "ansi_default",
            "scrollbar-background-active": "ansi_default",
            "scrollbar-corner-color": "ansi_default",
            "block-cursor-foreground": "ansi_default",
            "block-cursor-background": "ansi_default",
            "block-cursor-text-style": "reverse",
            "block-cursor-blurred-text-style": "reverse",
            "input-cursor-background": "ansi_default",
            "input-cursor-foreground": "ansi_default",
            "input-cursor-text-style": "reverse",
            "input-selection-background": "ansi_default",
            "input-selection-foreground": "ansi_default",
            "screen-selection-background": "ansi_default",
            "screen-selection-foreground": "ansi_default",
            "border": ink["primary"],
            "border-blurred": lines,
        },
    )


_INKS = {
    "primary": "ansi_blue",
    "secondary": "ansi_magenta",
    "accent": "ansi_blue",
    "warning": "ansi_yellow",
    "error": "ansi_red",
    "success": "ansi_green",
}
