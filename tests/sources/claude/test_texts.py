"""Prompts and answers that are kept while an outline is read: what their bodies would say."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessionbrowser.model import Handle, Place
from sessionbrowser.sources.claude import ClaudeSource
from sessionbrowser.sources.claude.reader import Reader
from sessionbrowser.sources.texts import Texts

from .log import Log, source
from .test_corpus import KINDS, handle_of, truth


def differing(reading: ClaudeSource, handle: Handle) -> list[str]:
    """The blocks whose kept text is not what their body says."""
    outline, texts = reading.outline_with_texts(handle)
    assert outline._replace(state=None) == reading.outline(handle)._replace(state=None)
    said = [(block, kept) for block in outline.blocks if (kept := texts.get(block.place)) is not None and block.kind in ("prompt", "text")]
    return [block.title for block, kept in said if kept != reading.body(handle, block).text]


def test_they_are_what_the_bodies_say(demo_home: Path) -> None:
    reading = source(demo_home)
    handles = [item for root in reading.roots() for item in reading.discover(root) if isinstance(item, Handle)]
    assert [differing(reading, handle) for handle in handles] == [[]] * len(handles)


@pytest.mark.corpus
def test_they_are_what_the_bodies_say_in_real_and_damaged_files(corpus_home: Path) -> None:
    reading = source(corpus_home)
    files = [corpus_home / row["laid"] for row in truth(corpus_home, (*KINDS, "edge"))]
    assert {str(path): found for path in files if (found := differing(reading, handle_of(path)))} == {}


def test_every_prompt_and_answer_is_among_them(home: Path) -> None:
    log = Log(home)
    log.user("why?")
    log.say("because\x1b[2J")
    outline, texts = source(home).outline_with_texts(log.handle())
    assert [texts.get(block.place) for block in outline.blocks] == ["why?", "because"]


def test_an_outline_does_not_keep_them(home: Path) -> None:
    """Whoever has no use for the texts gives up their memory with them."""
    log = Log(home)
    log.user("why?")
    outline, _ = source(home).outline_with_texts(log.handle())
    assert isinstance(outline.state, Reader) and outline.state.builder.texts is None


def test_what_there_is_no_room_for_is_left_to_be_read() -> None:
    """A session that is nothing but text must not fill the memory."""
    texts = Texts(room=200)
    for number in range(5):
        texts.keep(Place(number), "twenty characters or so")
    assert texts.get(Place(0)) == "twenty characters or so"
    assert texts.get(Place(4)) is None
