"""Breaking text into rows: nothing is lost, and nothing is wider than it may be."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from sessionbrowser.model import Span
from sessionbrowser.render.rows import Look, Stack, TextRows, Window, clip, width_of, wrap_pieces
from sessionbrowser.render.wrap import steady, wrap
from sessionbrowser.text import cells

TEXTS = st.text(st.sampled_from("ab  \n漢字한e\u0301👨‍👩‍👧🏽é-_\u200b."), max_size=120)
WIDTHS = st.integers(2, 30)


@settings(deadline=None, max_examples=300)
@given(TEXTS, WIDTHS)
@example("\u200d\u200d字_", 2)
def test_no_row_is_wider_than_asked(text: str, width: int) -> None:
    """Cells are counted as the terminal counts them, wide and joined characters included."""
    assert all(cells(text[start:end]) <= width for start, end in wrap(text, width))


@settings(deadline=None, max_examples=300)
@given(TEXTS, WIDTHS)
def test_only_blanks_at_breaks_and_newlines_are_left_out(text: str, width: int) -> None:
    """Every other character is in exactly one row, in order."""
    at = 0
    for start, end in wrap(text, width):
        assert text[at:start].strip(" \n") == "" and start >= at
        at = end
    assert text[at:].strip(" \n") == ""


@settings(deadline=None, max_examples=200)
@given(TEXTS)
def test_a_line_that_fits_is_one_row(text: str) -> None:
    """Nothing is broken without need."""
    lines = text.split("\n")
    assert [text[start:end] for start, end in wrap(text, 1000)] == lines


def test_breaks_at_a_blank_rather_than_inside_a_word() -> None:
    """Words stay whole where they can."""
    text = "the quick brown fox"
    assert [text[a:b] for a, b in wrap(text, 10)] == ["the quick", "brown fox"]


def test_a_long_word_is_cut_where_the_row_ends() -> None:
    """There is nowhere else to break it."""
    text = "x" * 25
    assert [b - a for a, b in wrap(text, 10)] == [10, 10, 5]


def test_an_indent_stays_with_the_first_row() -> None:
    """The blanks a line begins with are no place to break."""
    text = "      indented words"
    assert [text[a:b] for a, b in wrap(text, 16)] == ["      indented", "words"]


def test_tabs_are_expanded_and_spans_move_with_their_text() -> None:
    """A colour stays on its word when a tab before it grows."""
    text, spans = steady("a\tred", (Span(2, 5, "red"),))
    assert text[spans[0].start : spans[0].end] == "red"
    assert text == "a   red"


def test_characters_of_unsteady_width_are_dropped() -> None:
    """Terminals disagree about variation selectors and skin tones."""
    assert steady("❤\ufe0f 👍🏽")[0] == "❤ 👍"


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(st.text(st.sampled_from("ab 漢\n"), max_size=12), st.sampled_from(["", "strong", "code"])), max_size=8), WIDTHS)
def test_wrapping_styled_text_keeps_styles_on_their_characters(pieces: list[tuple[str, str]], width: int) -> None:
    """The same characters come out in the same styles."""
    before = [(char, style) for text, style in pieces for char in text if char not in " \n"]
    after = [(char, style) for row in wrap_pieces(pieces, width) for text, style in row for char in text if char != " "]
    assert after == before


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(st.text(st.sampled_from("ab漢"), max_size=12), st.just("")), max_size=6), st.integers(1, 20))
def test_clipped_pieces_fit(pieces: list[tuple[str, str]], width: int) -> None:
    """Cut at the end, to the cell."""
    assert width_of(clip(pieces, width)) <= width


def test_output_keeps_its_colours_across_rows() -> None:
    """A span that is broken goes on in the next row."""
    rows = TextRows("aaaa bbbb", Look(80), width=4, spans=(Span(2, 7, "red"),))
    assert [row.pieces for row in rows] == [(("aa", ""), ("aa", "red")), (("bb", "red"), ("bb", ""))]


def test_lines_that_are_not_wrapped_are_cut_and_can_be_shifted() -> None:
    """One row a line; looking to the right moves all of them."""
    look = Look(80, wrap=False, shift=3)
    assert [row.text for row in TextRows("abcdefghij\nx", look, width=5)] == ["defg…", ""]


def test_rows_of_a_huge_text_are_made_when_they_are_looked_at() -> None:
    """A megabyte is wrapped as ranges; a window on it copies nothing."""
    rows = TextRows("word " * 200_000, Look(80), width=40)
    assert len(rows) == 25_000
    assert Stack([Window(rows, 10, 12)])[1].text.strip() == ("word " * 8).strip()
