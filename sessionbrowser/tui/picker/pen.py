"""Pieces of text with what they mean, as text and colours for the terminal. The only sequences are those made here."""

from __future__ import annotations

from collections.abc import Sequence

from sessionbrowser.render.palette import Palette
from sessionbrowser.text import cells, cut

Piece = tuple[str, str]  # text without control characters, and style names
Pieces = Sequence[Piece]

_WORDS = {"bold": "1", "dim": "2", "italic": "3", "underline": "4", "reverse": "7", "strike": "9"}
_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_STEPS = (0, 95, 135, 175, 215, 255)


class Pen:
    """Draws with one palette. `deep`: the terminal has sixteen million colours, else 256 are enough."""

    def __init__(self, palette: Palette, *, deep: bool, ellipsis: str) -> None:
        self.palette = palette
        self._deep = deep
        self._ellipsis = ellipsis
        self._known: dict[str, str] = {"": ""}

    def line(self, pieces: Pieces, width: int, base: str = "screen") -> str:
        """Pieces on one line of at most `width` cells, over `base`; filled up where `base` shows."""
        made: list[str] = []
        left = width
        for text, style in pieces:
            size = cells(text)
            if size > left:
                text, size = cut(text, left, self._ellipsis), left
            if text:
                made.append(self._paint(text, f"{base} {style}"))
            left -= size
            if left <= 0:
                break
        if left > 0 and self._fills(base):
            made.append(self._paint(" " * left, base))
        return "".join(made)

    def _fills(self, base: str) -> bool:
        return any("on " in self.palette[name] or "reverse" in self.palette[name] for name in base.split())

    def _paint(self, text: str, style: str) -> str:
        code = self._sgr(style)
        return f"\x1b[0;{code}m{text}" if code else f"\x1b[0m{text}"

    def _sgr(self, style: str) -> str:
        code = self._known.get(style)
        if code is None:
            if len(self._known) > 4000:  # output may bring any number of colours
                self._known.clear()
            code = self._known[style] = self._make(style)
        return code

    def _make(self, style: str) -> str:
        """One colour of ink and one of paper, the last of each: terminals take only so many numbers in a sequence."""
        ink = paper = ""
        attributes: dict[str, None] = {}
        ground = 30
        for word in self._words(style):
            if word == "on":
                ground = 40
                continue
            if word in _WORDS:
                attributes[_WORDS[word]] = None
            elif code := self._colour(word, ground):
                ink, paper = (code, paper) if ground == 30 else (ink, code)
            ground = 30
        return ";".join(code for code in (*attributes, ink, paper) if code)

    def _words(self, style: str) -> list[str]:
        """A style in Rich's words: meanings are looked up, colours left out where the theme has none."""
        words: list[str] = []
        for word in style.split():
            if word in self.palette.styles:
                words += self.palette.styles[word].split()
            elif self.palette.name != "none" or word in _WORDS:
                words.append(word)
        return words

    def _colour(self, word: str, ground: int) -> str:
        if word == "default":
            return str(ground + 9)
        if word.startswith("#") and len(word) == 7:
            try:
                red, green, blue = (int(word[at : at + 2], 16) for at in (1, 3, 5))
            except ValueError:
                return ""
            return f"{ground + 8};2;{red};{green};{blue}" if self._deep else f"{ground + 8};5;{nearest(red, green, blue)}"
        if word.startswith("color(") and word[6:-1].isdigit():
            return f"{ground + 8};5;{min(255, int(word[6:-1]))}"
        name = word.removeprefix("bright_")
        return str(ground + (60 if name != word else 0) + _COLOURS.index(name)) if name in _COLOURS else ""


def nearest(red: int, green: int, blue: int) -> int:
    """Of the 256 colours the one that is nearest."""
    places = [min(range(6), key=lambda at, value=value: abs(_STEPS[at] - value)) for value in (red, green, blue)]  # type: ignore[misc]
    cube = sum((_STEPS[at] - value) ** 2 for at, value in zip(places, (red, green, blue), strict=True))
    grey = max(0, min(23, round(((red + green + blue) / 3 - 8) / 10)))
    level = 8 + grey * 10
    if sum((level - value) ** 2 for value in (red, green, blue)) < cube:
        return 232 + grey
    return 16 + 36 * places[0] + 6 * places[1] + places[2]
