"""Text for eyes: nothing from a file can drive the terminal, and nothing readable is lost."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser import text
from sessionbrowser.model import Span

DANGEROUS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
ANYTHING = st.text(alphabet=st.one_of(st.characters(), st.sampled_from("\x1b[]\x07\x9b\x9d\x90;m0123\\\r\n\x08")), max_size=200)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("plain", "plain"),
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[Hhome", "home"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]52;c;ZXZpbA==\x1b\\after", "after"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("before\x1b]52;c;never ended", "before"),
        ("\x1bPq#0;2;0;0;0\x1b\\after", "after"),
        ("\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\after", "after"),
        ("\x1bcreset", "reset"),
        ("\x1b(0line", "line"),
        ("\x9b31mred", "red"),
        ("\x9d0;title\x9cafter", "after"),
        ("\x1b\x1b[0m[31m", "[31m"),
        ("cut\x1b[38;5", "cut"),
        ("bell\x07 nul\x00 del\x7f", "bell nul del"),
        ("\u202eevil\u2066x\u200f", "evilx"),
        ("lone \ud83d here", "lone \ufffd here"),
        ("line\r\nnext", "line\nnext"),
        ("10%\r20%", "10%\n20%"),
        ("b\x08bo\x08old", "bold"),
        ("日本語 👩‍👩‍👧 é", "日本語 👩‍👩‍👧 é"),
    ],
)
def test_for_eyes_takes_what_drives_a_terminal_and_leaves_the_rest(raw: str, clean: str) -> None:
    assert text.for_eyes(raw) == clean


@given(ANYTHING)
@settings(deadline=None, max_examples=400)
def test_for_eyes_leaves_nothing_dangerous(raw: str) -> None:
    clean = text.for_eyes(raw)
    assert DANGEROUS.search(clean) is None
    assert text.for_eyes(clean) == clean


@given(ANYTHING)
@settings(deadline=None, max_examples=400)
def test_styled_gives_the_same_safe_text_with_spans_inside_it(raw: str) -> None:
    clean, spans = text.styled(raw)
    assert DANGEROUS.search(clean) is None
    assert all(0 <= span.start < span.end <= len(clean) and span.style for span in spans)
    assert all(DANGEROUS.search(span.style) is None for span in spans)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Cf", "Zl", "Zp"]).filter(lambda one: not "\U000e0000" <= one <= "\U000e01ef")))
@settings(deadline=None)
def test_harmless_text_is_untouched(raw: str) -> None:
    assert text.for_eyes(raw) == raw


def test_the_sanitiser_is_linear_on_hostile_input() -> None:
    """A megabyte of opened and never closed sequences is read once, not once for each opening."""
    assert text.for_eyes("\x1b]" * 500_000) == ""
    assert text.for_eyes("\x1b[" * 500_000) == ""
    assert text.for_eyes("a\x08" * 500_000) == ""


@pytest.mark.parametrize(
    ("codes", "style"),
    [
        ("1", "bold"),
        ("1;31", "bold red"),
        ("91;44", "bright_red on blue"),
        ("38;5;208", "color(208)"),
        ("48;2;1;2;300", "on #0102ff"),
        ("38:2:1:2:3", "#010203"),
        ("7;3;4;9", "reverse italic underline strike"),
        ("31;39", ""),
        ("1;22", ""),
        ("999999999999999999999", ""),
    ],
)
def test_colours_become_words(codes: str, style: str) -> None:
    clean, spans = text.styled(f"\x1b[{codes}mx\x1b[0m y")
    assert clean == "x y"
    assert [span.style for span in spans] == ([style] if style else [])


def test_a_style_ends_where_it_is_reset() -> None:
    assert text.styled("a\x1b[32mok\x1b[mb")[1] == (Span(1, 3, "green"),)


def test_one_line_folds_space_and_says_that_it_was_cut() -> None:
    assert text.one_line("  fix\n\tthe   test ") == "fix the test"
    assert text.one_line("x" * 300, 10) == "x" * 9 + "…"
    assert text.one_line("\x1b[31m❤️ red") == "❤ red"


def test_nothing_a_shell_would_run_stays_in_the_clipboard() -> None:
    assert text.for_clipboard("a\rb\x03c\x1b[31md\x9be\tf\n") == "abc[31mde\tf\n"


def test_deep_for_eyes_reaches_keys_and_items() -> None:
    assert text.deep_for_eyes({"a\x1bc": ["\x07b", 1, None, {"k": "\x9b1mz"}]}) == {"a": ["b", 1, None, {"k": "z"}]}


def test_widths_known_at_once_are_those_of_the_tables() -> None:
    from rich.cells import cell_len

    plain = [chr(code) for code in range(0xA0, 0x2200)]
    assert [char for char in plain if text.cells(char) != cell_len(char)] == []


@pytest.mark.parametrize(
    ("width", "expected"),
    [(40, "Bash make all the things → 2 ok, 1 error"), (30, "Bash make all… → 2 ok, 1 error"), (16, "Bash… → 2 ok, 1…")],
)
def test_what_is_cut_before_its_ending_keeps_it(width: int, expected: str) -> None:
    """Unless that would be nearly all."""
    assert text.cut_before("Bash make all the things → 2 ok, 1 error", " → 2 ok, 1 error", width) == expected


@given(st.text(max_size=60), st.integers(0, 40))
@settings(deadline=None)
def test_cut_and_fit_keep_the_width(raw: str, width: int) -> None:
    clean = text.one_line(raw)
    assert text.cells(text.cut(clean, width)) <= width
    assert text.cells(text.cut_middle(clean, width)) <= width
    assert text.cells(text.fit(clean, width)) == width


def test_wide_characters_never_push_a_column() -> None:
    assert text.fit("日本語テスト", 6) == "日本… "
    assert text.cut_middle("/home/ada/src/very/long/path.py", 15) == "/home…g/path.py"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "now"), (59, "now"), (60, "1m"), (3599, "59m"), (3600, "1h"), (86399, "23h"), (86400, "1d"), (99 * 86400, "99d"), (200 * 86400, "6mo"), (800 * 86400, "2y")],
)
def test_ages_are_short(seconds: float, shown: str) -> None:
    assert text.age(seconds) == shown


@pytest.mark.parametrize(
    ("number", "shown"), [(0, "0"), (999, "999"), (1000, "1k"), (1300, "1.3k"), (9999, "10k"), (182_400, "182k"), (999_999, "1.0M")]
)
def test_amounts_are_short(number: int, shown: str) -> None:
    assert text.amount(number) == shown


@given(st.text("ab \n\t", max_size=60), st.text("ab \n\t\x1b[m\x08\r\x0cé\ufe0f\u202e", max_size=60), st.integers(1, 40))
@settings(deadline=None)
def test_a_line_is_what_the_whole_beginning_gives(plain: str, odd: str, limit: int) -> None:
    """The usual, plain text is cut before it is looked at; that must not be seen in what comes out."""
    given_text = (plain * 3 + odd) * 2
    line = " ".join(text.for_eyes(given_text[: limit * 8]).split()).replace("\ufe0f", "")
    assert text.one_line(given_text, limit) == (line if len(line) <= limit else line[: limit - 1].rstrip() + "…")


@given(st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1)))
@settings(deadline=None)
def test_a_time_is_read_and_written_to_the_millisecond(moment: datetime) -> None:
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000, tzinfo=UTC)
    stamp = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    seconds = text.parse_time(stamp)
    assert seconds == pytest.approx(moment.timestamp(), abs=1e-3)
    assert text.parse_time(text.iso(seconds)) == pytest.approx(seconds, abs=1e-3)


@pytest.mark.parametrize("nonsense", ["", "yesterday", "2026-13-01T00:00:00Z", "9999-99-99T99:99:99Z", None, True, [], -5, "2026-02-30Txx:00:00Z"])
def test_what_is_no_time_is_none(nonsense: object) -> None:
    assert text.parse_time(nonsense) is None


def test_numbers_are_seconds_or_milliseconds_by_their_size() -> None:
    assert text.parse_time(1778770800) == text.parse_time(1778770800000) == 1778770800.0


@pytest.mark.parametrize(("seconds", "said"), [
    (0.42, "0.4s"), (59.9, "59s"), (3599, "59m"), (3900, "1h05"), (172_799, "47h59"), (172_800, "2d00h"), (63_185_940, "731d07h"),
])  # fmt: skip
def test_a_span_of_time_is_short_however_long_it_is(seconds: float, said: str) -> None:
    """Days from the second one on."""
    assert text.duration(seconds) == said


def test_a_line_is_folded_between_words() -> None:
    """Two cells further in; a word that is wider stays whole, blanks between figures stay, colours take no room."""
    assert list(text.folded("  one two three", 10)) == ["  one two", "    three"]
    assert list(text.folded("see /a/very/long/path now", 10)) == ["see", "  /a/very/long/path", "  now"]
    assert list(text.folded("a  b   c", 10)) == ["a  b   c"]
    assert list(text.folded("\x1b[1;33mone\x1b[0m two", 7)) == ["\x1b[1;33mone\x1b[0m two"]
    assert list(text.folded("日本 日本", 8)) == ["日本", "  日本"]
    assert list(text.folded("as it is", 0)) == ["as it is"]
    assert list(text.folded("", 5)) == [""]


@given(st.text(alphabet="ab 日", max_size=60), st.integers(1, 12))
@settings(deadline=None, max_examples=60)
def test_folding_loses_no_word(line: str, width: int) -> None:
    """And breaks none."""
    assert " ".join(text.folded(line, width)).split() == line.split()


def test_a_number_written_as_a_text_is_a_time() -> None:
    assert text.parse_time("1778770800") == text.parse_time("1778770800000") == 1778770800.0
    assert text.parse_time("20260514120000") is None


@pytest.mark.parametrize(("size", "words"), [
    (0, "0B"), (7, "7B"), (419, "419B"), (999, "999B"), (1000, "1kB"), (3400, "3.4kB"), (22_000, "22kB"), (999_499, "999kB"), (999_500, "1MB"), (3_500_000, "3.5MB"),
    (1 << 30, "1.1GB"), (999 << 40, "1098TB"),
])  # fmt: skip
def test_bytes_are_told_in_one_way(size: int, words: str) -> None:
    """In a column of five cells, as long as there are no petabytes."""
    assert text.weight(size) == words


def test_an_ending_that_a_text_does_not_have_is_not_given_to_it() -> None:
    """A part of the text may have been masked."""
    assert text.cut_before("Bash make → [masked: secret]", " → hunter22x", 14) == "Bash make → […"
