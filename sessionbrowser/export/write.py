"""Whole sessions as files: Markdown, a page, JSON, SpecStory's layout; their names, and writing them whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from sessionbrowser.export import specstory
from sessionbrowser.export.views import Read
from sessionbrowser.model import Block, Session
from sessionbrowser.undo import OrUndo

if TYPE_CHECKING:
    from sessionbrowser.library import Library

FORMATS = ("specstory", "markdown", "html", "json")
ENDINGS = {"specstory": ".md", "markdown": ".md", "html": ".html", "json": ".json"}


def pieces(form: str, session: Session, blocks: Sequence[Block], read: Read, library: Library) -> Iterator[str]:
    """The file in pieces, a block or a turn each."""
    if form == "specstory":
        return specstory.document(session, blocks, read)
    if form == "html":
        from sessionbrowser.export import html

        return html.page(session, blocks, read)
    if form == "json":
        return _json(session, blocks, read, library)
    from sessionbrowser.export import markdown

    return markdown.document(session, blocks, "full", read)


def _json(session: Session, blocks: Sequence[Block], read: Read, library: Library) -> Iterator[str]:
    """The contract's document, a turn at a time."""
    from sessionbrowser.export import views
    from sessionbrowser.export.jsontext import json_bytes
    from sessionbrowser.export.record import session_json

    yield json_bytes({"schema": 1, "session": session_json(session, library)}).decode()[:-1] + ',"turns":['
    for number, turn in enumerate(views.turns(blocks)):
        yield (",\n" if number else "") + json_bytes(views.turn_json(turn, "full", read)).decode()
    yield "]}\n"


def file_name(form: str, session: Session, blocks: Sequence[Block], read: Read) -> str:
    """A name that holds on every platform: the time it began and four words of its title; in SpecStory's layout, of its first prompt."""
    if form != "specstory" and session.title:
        return specstory.file_name(session, session.title).removesuffix(".md") + ENDINGS[form]
    prompt = next((block for block in blocks if block.kind == "prompt" and not block.branch), None)
    name = specstory.file_name(session, read(prompt).text if prompt else session.title)
    return name.removesuffix(".md") + ENDINGS[form]


def unused(path: str) -> str:
    """`path`, or the same with a number where there is something already."""
    stem, ending = os.path.splitext(path)
    number = 2
    while os.path.lexists(path):
        path = f"{stem}-{number}{ending}"
        number += 1
    return path


def put(path: str, parts: Iterable[str]) -> int:
    """Write a new file and the folders it lies in; its size in bytes. Raises FileExistsError, OSError."""
    if os.path.lexists(path):
        raise FileExistsError(17, "is there already", path)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    return put_whole(path, (part.encode("utf-8", "replace") for part in parts))


def put_whole(path: str, pieces: Iterable[bytes]) -> int:
    """Write `path`, whole or not at all; its size in bytes. Raises OSError, and what making the pieces raises."""
    beside = f"{path}.{os.getpid()}.part"
    size = 0
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    with OrUndo(partial(os.unlink, beside)):
        with os.fdopen(descriptor, "wb") as file:
            for piece in pieces:
                size += file.write(piece)
        os.rename(beside, path)
    return size
