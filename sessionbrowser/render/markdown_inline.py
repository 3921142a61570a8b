"""What stands inside a paragraph: emphasis, code, links (as text and a dim address)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sessionbrowser.render.rows import Piece
from sessionbrowser.render.wrap import steady
from sessionbrowser.text import cut_middle, for_eyes

if TYPE_CHECKING:
    from markdown_it.token import Token

_MARKS = {"strong": "strong", "em": "emphasis", "s": "strike", "link": "link"}
_URL_WIDTH = 72


def inline(tokens: Sequence[Token], style: str) -> list[Piece]:
    """The tokens of a paragraph as pieces; line breaks are newlines in them, for chats are written line by line."""
    pieces: list[Piece] = []
    marks: list[str] = []
    links: list[tuple[str, int]] = []  # address, and where in `pieces` its text begins
    for token in tokens:
        name, _, side = token.type.partition("_")
        if token.type in ("text", "text_special"):
            pieces.append((_clean(token.content), " ".join((style, *marks))))
        elif token.type == "code_inline":
            pieces.append((_clean(token.content), " ".join((style, *marks, "code"))))
        elif token.type in ("softbreak", "hardbreak"):
            pieces.append(("\n", style))
        elif token.type == "html_inline":
            pieces.append(("\n", style) if token.content.lower().startswith("<br") else (_clean(token.content), "dim"))
        elif token.type == "image":
            pieces += [(f"image: {_clean(token.content) or 'picture'}", "dim"), *_address(token, "src", "")]
        elif side == "open" and name in _MARKS:
            marks.append(_MARKS[name])
            if name == "link":
                links.append((str(token.attrs.get("href", "")), len(pieces)))
        elif side == "close" and name in _MARKS and marks:
            marks.pop()
            if name == "link" and links:
                address, begin = links.pop()
                pieces += _shown_address(address, "".join(text for text, _ in pieces[begin:]))
    return [piece for piece in pieces if piece[0]]


def _clean(text: str) -> str:
    """Entities may have brought in what a terminal would act on."""
    return steady(for_eyes(text).replace("\n", " "))[0]


def _address(token: Token, name: str, text: str) -> list[Piece]:
    return _shown_address(str(token.attrs.get(name, "")), text)


def _shown_address(address: str, text: str) -> list[Piece]:
    shown = _clean(address)
    if not shown or shown == text or shown.removeprefix("mailto:") == text or shown.rstrip("/") == text.rstrip("/"):
        return []
    return [(f" ({cut_middle(shown, _URL_WIDTH)})", "url")]
