"""Pictures drawn in a terminal: half blocks, two pixels a cell.

What comes from a file is decoded once, off the event loop (`lightened`), and only in the formats agents write; what is
kept of it is a small PNG, from which any width is drawn at once.
"""

from __future__ import annotations

from io import BytesIO
from itertools import groupby
from typing import TYPE_CHECKING

from sessionbrowser.model import Body, Part, Picture

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
PIXELS = 50_000_000  # a larger picture stays a card
KEPT = (200, 120)  # pixels of what is kept, at most
HIGH = 24  # rows of a drawn picture, at most
COLOURS = 64
UPPER = "▀"
PAPER = (255, 255, 255)  # behind what is transparent: such pictures are mostly dark lines

Drawn = list[tuple[tuple[str, str], ...]]  # rows of pieces: text and a style, "#rrggbb on #rrggbb"


def lightened(body: Body) -> Body:
    """`body` with its pictures small; one that can't be drawn loses its bytes and stays a card."""
    if not any(isinstance(part, Picture) and part.data for part in body.parts):
        return body
    return body._replace(parts=tuple(map(_lightened, body.parts)))


def _lightened(part: Part) -> Part:
    return part._replace(data=_small(part.data)) if isinstance(part, Picture) and part.data else part


def _small(data: bytes) -> bytes | None:
    image = _opened(data)
    if image is None:
        return None
    try:
        image.draft("RGB", (2 * KEPT[0], 2 * KEPT[1]))  # a JPEG is decoded no larger than that
        image.thumbnail(KEPT)
        made = BytesIO()
        _flat(image).save(made, "PNG", compress_level=1)
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError):  # what Pillow says of damaged pictures
        return None
    return made.getvalue()


def rows(data: bytes, width: int) -> Drawn:
    """A picture made small by `lightened`, at most `width` cells wide; [] when it can't be drawn."""
    image = _opened(data)
    if image is None or width < 2:
        return []
    scale = min(width / image.width, 2 * HIGH / image.height, 1.0)
    wide, high = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    try:
        image = _flat(image).resize((wide, high)).quantize(COLOURS).convert("RGB")
    except (OSError, ValueError, SyntaxError, EOFError):
        return []
    raw = image.tobytes()
    lines = [[raw[at : at + 3].hex() for at in range(start, start + 3 * wide, 3)] for start in range(0, len(raw), 3 * wide)]
    return [_row(upper, lower) for upper, lower in zip(lines[::2], [*lines[1::2], []][: len(lines[::2])], strict=True)]


def _row(upper: list[str], lower: list[str]) -> tuple[tuple[str, str], ...]:
    """One row of cells; `lower` is empty below the last line of an uneven number."""
    styles = [f"#{above} on #{below}" for above, below in zip(upper, lower, strict=True)] if lower else [f"#{above}" for above in upper]
    return tuple((UPPER * len(list(run)), style) for style, run in groupby(styles))


def _flat(image: Image) -> Image:
    """Without transparency."""
    from PIL import Image as images

    if image.mode == "RGB":
        return image
    image = image.convert("RGBA")
    paper = images.new("RGBA", image.size, (*PAPER, 255))
    return images.alpha_composite(paper, image).convert("RGB")


def _opened(data: bytes) -> Image | None:
    """The picture, its pixels not yet read; None for anything but the formats above and for what is too large."""
    import warnings

    from PIL import Image as images
    from PIL import UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Pillow, about large pictures: they are refused here
            image = images.open(BytesIO(data), formats=FORMATS)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, images.DecompressionBombError):
        return None
    return image if 0 < image.width * image.height <= PIXELS else None
