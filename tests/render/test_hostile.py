"""Nothing that acts on a terminal is ever in a row, whatever a file says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.model import (
    Block,
    Body,
    Checklist,
    Code,
    Diff,
    Fields,
    Hunk,
    Part,
    Picture,
    Place,
    Plain,
    Prose,
    Question,
    Questions,
)
from sessionbrowser.render import blocks, markdown
from sessionbrowser.render.palette import palette
from sessionbrowser.render.rows import Look, Row, to_text, width_of
from sessionbrowser.text import for_eyes, one_line, styled

ACTIVE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

EVIL = "\x1b]52;c;aGk=\x07\x1b[31mred\x1bc\x9b31m\u202eabc\x00\x7f &#27;[2J &#x9b;31m &lrm;&#x202e; &#10; \x1b]8;;http://x\x1b\\link"
PROSE = f"# {EVIL}\n\n- {EVIL}\n\n| a | b |\n|---|---|\n| {EVIL} | x |\n\n```{EVIL}\n{EVIL}\n```\n\n> {EVIL}\n\n[{EVIL}](<{EVIL}>) `{EVIL}`"


def parts() -> list[Part]:
    """Each form with hostile text in it, cleaned as a source cleans it."""
    text, spans = styled(EVIL)
    clean, line = for_eyes(EVIL), one_line(EVIL)
    return [
        Prose(for_eyes(PROSE)), Plain(text, spans, line), Code(clean, clean, 3), Code(clean, "bash"),
        Diff(line, (Hunk(1, 1, (f" {line}", f"-{line}", f"+{line}\t")),), created=True),
        Checklist((("done", clean), ("nonsense", clean))), Fields(((clean, clean), ("", ""))),
        Questions((Question(clean, clean, ((clean, clean),), (clean,)),)), Picture(line, 1, 2, 3, clean),
    ]  # fmt: skip


def rows_of(kind: str, body: Body, width: int) -> list[Row]:
    line = one_line(EVIL)
    block = Block(kind, Place(0), 1, line, "shell" if kind == "tool" else "hook", name=line, ok=False, outcome=line, size=999, lines=9, model=line)
    return list(blocks.draw(block, body, Look(width), blocks.WHOLE))


@pytest.mark.parametrize("kind", ["prompt", "text", "thinking", "tool", "note", "image"])
@pytest.mark.parametrize("width", [24, 80, 200])
def test_no_row_holds_a_character_that_acts(kind: str, width: int) -> None:
    """Escape, C0, C1, DEL, bidirectional controls: none, not even out of an entity of Markdown."""
    for part in parts():
        for row in rows_of(kind, Body(for_eyes(EVIL), (part,)), width):
            assert not ACTIVE.search(row.text), (part, row)


@pytest.mark.parametrize("kind", ["prompt", "text", "thinking", "tool", "note", "image"])
def test_rows_stay_within_the_pane(kind: str) -> None:
    """Hostile or wide text does not push anything out of its place."""
    for part in parts():
        for row in rows_of(kind, Body("", (part,)), 60):
            assert width_of(row.pieces) <= 60, (part, row)


@settings(deadline=None, max_examples=150)
@given(st.text(max_size=200))
def test_markdown_of_any_text_is_harmless(text: str) -> None:
    """Whatever is between the marks."""
    for row in markdown.rows(for_eyes(text), Look(40)):
        assert not ACTIVE.search(row.text)


def test_a_style_out_of_a_file_cannot_be_a_link() -> None:
    """Words of a style that are no colours are passed over."""
    style = palette("dark").style("link https://example.com bold")
    assert style.link is None


def test_rich_text_of_a_row_has_no_links() -> None:
    """OSC 8 is never written."""
    for row in markdown.rows("[x](http://example.com)", Look(60)):
        assert all(getattr(span.style, "link", None) is None for span in to_text(row, palette("dark")).spans)
