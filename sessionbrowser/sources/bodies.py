"""The full content of a block, from the pieces of its record and of the record its result is in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sessionbrowser.model import Block, Body, Part, Picture, Plain, Prose
from sessionbrowser.sources.lazy import lazily
from sessionbrowser.sources.pieces import Piece, items, mapping, string
from sessionbrowser.text import for_eyes, one_line

if TYPE_CHECKING:
    from sessionbrowser.sources import forms
    from sessionbrowser.sources.claude import pictures
else:
    (forms,) = lazily("sessionbrowser.sources", "forms")
    (pictures,) = lazily("sessionbrowser.sources.claude", "pictures")


def body(block: Block, pieces: Iterable[Piece], results: Iterable[Piece]) -> Body:
    """The full content of `block` from the pieces of its record and of the record its result is in."""
    piece = next((p for p in pieces if _is(p, block)), None)
    if piece is None:
        return Body()
    if block.kind == "tool":
        result = next((p for p in results if p.kind in ("result", "outcome") and (p.call == block.call or not p.call or block.call[:1] == "\0")), None)
        return forms.tool_body(
            piece.name, piece.arguments, result.text if result else "", ok=block.ok,
            extra=result.extra if result else (), diffs=(result.diffs if result else ()) or piece.diffs,
            code=result.code if result else None, start=result.start if result else 1,
        )  # fmt: skip
    text = for_eyes(piece.text)
    if block.kind == "image":
        return Body("", piece.extra or (picture(piece.text, block.title, block.size),))
    parts: tuple[Part, ...] = (Plain(text),) if block.kind == "note" and block.what != "compaction" else (Prose(text),)
    return Body(text, parts if text else ())


_MAGIC = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}


def picture(data: str, name: str, size: int = 0) -> Picture:
    """The card of a picture from its base64 `data` (or a `data:` address), with its bytes when they are those of one."""
    made = pictures.from_base64(data.partition(",")[2] if data.startswith("data:") else data, "image", name)
    form = next((form for magic, form in _MAGIC.items() if (made.data or b"").startswith(magic)), "")
    return made._replace(format=form, size=made.size or size) if form else Picture("image", size=made.size or size, name=one_line(name, 200))


def shown(content: object) -> tuple[Part, ...]:
    """The pictures among the parts of what a tool gave."""
    given = ((part, mapping(part.get("source"))) for part in items(content) if part.get("type") == "image")
    return tuple(
        picture(string(part.get("data")) or string(source.get("data")), (string(part.get("mimeType")) or string(source.get("media_type"))).removeprefix("image/"))
        for part, source in given
    )


def _is(piece: Piece, block: Block) -> bool:
    kind = "tool" if piece.kind in ("call", "outcome") else piece.kind
    return kind == block.kind and piece.part == block.place.part and (kind != "note" or piece.what == block.what)
