"""Markdown as rows."""

from __future__ import annotations

import pytest

from sessionbrowser.render import markdown
from sessionbrowser.render.rows import Look, Row

LOOK = Look(80)


def draw(text: str, look: Look = LOOK) -> list[Row]:
    return list(markdown.rows(text, look))


def lines(text: str, look: Look = LOOK) -> list[str]:
    return [row.text for row in draw(text, look)]


def style_of(row: Row, text: str) -> str:
    return next(style for piece, style in row.pieces if text in piece)


def test_emphasis_and_code_become_styles() -> None:
    """Their marks are gone, their meaning stays."""
    row = draw("a **bold** and `code` and *soft*")[0]
    assert row.text == "a bold and code and soft"
    assert "strong" in style_of(row, "bold")
    assert "code" in style_of(row, "code")
    assert "emphasis" in style_of(row, "soft")


def test_line_breaks_stay_where_they_were_written() -> None:
    """A chat is written line by line."""
    assert lines("*one*\ntwo") == ["one", "two"]


def test_lists_are_marked_and_hang() -> None:
    """What wraps stands below the text, not below the marker."""
    assert lines("- one two three four\n- five", Look(20)) == ["• one two", "  three four", "• five"]


def test_numbered_lists_count_from_their_start() -> None:
    """The numbers are those that were written."""
    assert lines("3. three\n4. four") == ["3. three", "4. four"]


def test_a_nested_list_is_indented() -> None:
    """One marker's width."""
    assert lines("1. one\n   - two") == ["1. one", "   • two"]


def test_a_loose_list_keeps_its_air() -> None:
    """Items with blank lines between them are drawn so."""
    assert lines("- one\n\n- two") == ["• one", "", "• two"]


def test_a_task_list_has_signs() -> None:
    """Brackets become what they mean."""
    assert lines("- [x] done\n- [ ] open") == ["• ✓ done", "• ○ open"]


def test_a_link_shows_its_text_and_its_address() -> None:
    """Nothing to click: a terminal would follow it."""
    assert lines("see [the docs](https://example.com/a)") == ["see the docs (https://example.com/a)"]


def test_a_link_that_is_its_own_text_is_said_once() -> None:
    """An autolink."""
    assert lines("<https://example.com>") == ["https://example.com"]


def test_a_fence_is_coloured_and_edged() -> None:
    """Code has an edge at its left and the colours of its language."""
    row = draw("```python\nreturn 1\n```")[0]
    assert row.text == "│ return 1"
    assert style_of(row, "return") == "syntax.keyword"


def test_code_without_a_known_language_is_plain() -> None:
    """An invented language is no error."""
    assert lines("```nosuch\na\tb\n```") == ["│ a   b"]


def test_a_table_has_aligned_columns() -> None:
    """Numbers at the right when the table says so."""
    text = "| name | n |\n|---|--:|\n| a | 10 |\n| bcd | 2 |"
    assert [line.rstrip() for line in lines(text)] == ["name    n", "─────┼───", "a      10", "bcd     2"]


def test_a_wide_table_wraps_its_widest_column() -> None:
    """It fits the pane rather than running out of it."""
    text = "| a | b |\n|---|---|\n| x | " + "word " * 40 + "|"
    assert all(len(line) <= 40 for line in lines(text, Look(46)))


def test_a_quote_has_a_bar_on_every_row() -> None:
    """Its empty rows too."""
    assert lines("> one\n>\n> two") == ["│ one", "│ ", "│ two"]


def test_raw_html_is_text() -> None:
    """It is shown as it was written."""
    assert lines("<b>x</b>") == ["<b>x</b>"]


def test_prose_keeps_a_measure_however_wide_the_pane_is() -> None:
    """About a hundred columns."""
    assert max(map(len, lines("*x* " + "word " * 100, Look(200)))) <= 100


def test_a_very_long_text_is_not_parsed() -> None:
    """It is shown as it is, at once."""
    text = "**x** " * 20_000
    assert lines(text)[0].startswith("**x**")


@pytest.mark.parametrize("text", ["", "\n\n", "-", "1.", "```", "| a |\n|---|", "> ", "#", "[](", "![x](y)", "***"])
def test_fragments_never_fail(text: str) -> None:
    """Text is cut anywhere while it streams in."""
    assert isinstance(draw(text), list)
