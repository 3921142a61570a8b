"""Pictures: drawn as half blocks where any colour can be shown, a card everywhere else, never a danger."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from sessionbrowser.model import Body, Picture, Plain
from sessionbrowser.render import parts, pictures
from sessionbrowser.render.rows import Look

RED, BLUE = (255, 0, 0), (0, 0, 255)


def png(size: tuple[int, int], colour: tuple[int, ...] = RED, mode: str = "RGB", form: str = "PNG") -> bytes:
    made = BytesIO()
    Image.new(mode, size, colour).save(made, form)
    return made.getvalue()


def small(data: bytes) -> bytes | None:
    (part,) = pictures.lightened(Body("", (Picture("png", data=data),))).parts
    assert isinstance(part, Picture)
    return part.data


def header_only(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says it is very large."""
    chunk = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))


def test_two_pixels_stand_in_one_cell() -> None:
    """The upper one is the colour of the half block, the lower one what is behind it."""
    image = Image.new("RGB", (3, 2), RED)
    image.paste(BLUE, (0, 1, 3, 2))
    made = BytesIO()
    image.save(made, "PNG")
    assert pictures.rows(made.getvalue(), 40) == [(("▀▀▀", "#ff0000 on #0000ff"),)]


def test_an_uneven_number_of_lines_ends_in_half_a_row() -> None:
    """Nothing is drawn below the last line."""
    assert pictures.rows(png((2, 3)), 40)[-1] == (("▀▀", "#ff0000"),)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_every_form_that_agents_write_is_drawn(form: str) -> None:
    """As wide as there is room, in its own proportions."""
    data = small(png((400, 100), form=form))
    assert data is not None
    rows = pictures.rows(data, 40)
    assert [len(rows), sum(len(text) for text, _ in rows[0])] == [5, 40]


def test_what_is_transparent_is_white() -> None:
    """Diagrams with dark lines stay readable on a dark screen."""
    assert pictures.rows(small(png((2, 2), (0, 0, 0, 0), "RGBA")) or b"", 40) == [(("▀▀", "#ffffff on #ffffff"),)]


def test_a_tall_picture_does_not_fill_more_than_a_screen() -> None:
    assert len(pictures.rows(small(png((50, 4000))) or b"", 80)) <= pictures.HIGH


@pytest.mark.parametrize("data", [header_only(60_000, 60_000), header_only(0, 5), b"<svg/>", b"%PDF-1.4", png((9, 9))[:40]])
def test_what_can_not_be_drawn_stays_a_card(data: bytes) -> None:
    """Too large, of another form, or damaged: its bytes are not kept."""
    assert small(data) is None


def test_other_parts_of_a_body_are_left_alone() -> None:
    body = Body("", (Plain("out"), Picture("png", 9, 9, 100, "a.png", png((9, 9)))))
    kept = pictures.lightened(body)
    assert kept.parts[0] == body.parts[0]
    assert kept.parts[1]._replace(data=None) == body.parts[1]._replace(data=None)  # type: ignore[union-attr]


def test_pictures_are_drawn_only_where_any_colour_can_be_shown() -> None:
    """Everywhere else there is the card alone."""
    part = Picture("png", 2, 2, 70, "a.png", png((2, 2)))
    assert [row.text for row in parts.draw(part, Look(60))] == ["    │ image  png  2×2  70B  a.png"]
    assert [row.text for row in parts.draw(part, Look(60, pictures=True))][1:] == ["    │ ▀▀"]


@settings(deadline=None, max_examples=80)
@given(st.binary(max_size=300), st.integers(0, 300), st.integers(0, 50))
def test_no_bytes_raise(noise: bytes, at: int, width: int) -> None:
    """Neither noise nor a picture with noise in it."""
    whole = png((30, 30))
    for data in (noise, whole[:at] + noise + whole[at:]):
        kept = small(data)
        assert kept is None or isinstance(pictures.rows(kept, width), list)
        assert isinstance(pictures.rows(data, width), list)
