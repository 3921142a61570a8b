"""Themes and signs."""

from __future__ import annotations

import pytest

from sessionbrowser.model import STATUSES
from sessionbrowser.render.glyphs import ASCII, UNICODE, choose, needs_ascii
from sessionbrowser.render.palette import THEMES, chosen, palette
from sessionbrowser.text import cells


@pytest.mark.parametrize("name", THEMES)
def test_every_meaning_of_a_theme_is_a_style(name: str) -> None:
    """None of them is a word that Rich does not know."""
    theme = palette(name)
    for meaning, said in theme.styles.items():
        assert bool(theme.style(meaning)) == bool(said), meaning


def test_without_colours_there_are_none() -> None:
    """NO_COLOR: weight and line only, whatever the file's output says."""
    theme = palette("none")
    for style in (*theme.styles, "red on blue", "#ff0000", "bold color(200)"):
        assert theme.style(style).color is None and theme.style(style).bgcolor is None


def test_sixteen_colours_use_no_others() -> None:
    """The terminal's own palette."""
    theme = palette("ansi")
    for meaning in theme.styles:
        style = theme.style(meaning)
        for colour in (style.color, style.bgcolor):
            assert colour is None or colour.is_default or (colour.number is not None and colour.number < 16), meaning


def test_colours_of_output_fit_the_theme() -> None:
    """A program's red is the theme's red, so that it can be read on the theme's ground."""
    dark, light = palette("dark"), palette("light")
    assert dark.style("red") == dark.style("bad") and light.style("red") == light.style("bad")


def test_later_meanings_go_over_earlier_ones() -> None:
    """The background of an added line under the colour of a keyword."""
    style = palette("dark").style("diff.add syntax.keyword")
    assert style.bgcolor == palette("dark").style("diff.add").bgcolor
    assert style.color == palette("dark").style("syntax.keyword").color


def test_nonsense_in_a_style_is_passed_over() -> None:
    """A style that cannot be read is no style."""
    assert not palette("dark").style("no-such-colour on nothing")


@pytest.mark.parametrize(
    ("variables", "want"),
    [
        ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, "none"),
        ({"COLORTERM": "truecolor"}, "dark"),
        ({"TERM": "xterm-256color", "COLORFGBG": "0;15"}, "light"),
        ({"TERM": "linux"}, "ansi"),
    ],
)
def test_the_terminal_chooses_the_theme(variables: dict[str, str], want: str) -> None:
    """By what it says of itself."""
    assert chosen(variables) == want


def test_a_person_chooses_before_the_terminal() -> None:
    """But not before NO_COLOR."""
    assert chosen({"TERM": "linux"}, "light") == "light"
    assert chosen({"NO_COLOR": "1"}, "light") == "none"


def test_each_sign_has_a_twin_of_the_same_width() -> None:
    """Nothing moves when signs are changed."""
    assert [cells(sign) for sign in UNICODE] == [cells(sign) for sign in ASCII]
    assert "".join(ASCII).isascii()


def test_every_status_has_a_sign_of_its_own() -> None:
    """Told apart without colours."""
    for glyphs in (choose(), choose(ascii=True)):
        assert len({glyphs.status(name) for name in STATUSES}) == len(STATUSES)


@pytest.mark.parametrize(
    ("variables", "want"),
    [
        ({"LANG": "de_DE.UTF-8", "TERM": "xterm"}, False), ({"LC_ALL": "C", "LANG": "en_US.UTF-8", "TERM": "xterm"}, True),
        ({"LANG": "en_US.ISO-8859-1", "TERM": "xterm"}, True), ({"LC_CTYPE": "C.UTF-8", "TERM": "xterm"}, False),
        ({"LANG": "en_US.UTF-8", "TERM": "dumb"}, True),
    ],
)  # fmt: skip
def test_the_locale_says_whether_signs_can_be_drawn(variables: dict[str, str], want: bool) -> None:
    """LC_ALL before LC_CTYPE before LANG."""
    assert needs_ascii(variables) is want
