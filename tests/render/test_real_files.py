"""Every block of the real files, drawn: nothing fails, nothing acts, nothing is too wide."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sessionbrowser.library import Library
from sessionbrowser.paths import Environment
from sessionbrowser.render import blocks
from sessionbrowser.render.rows import Look, width_of

ACTIVE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
WIDTH = 60
SMALL = 300_000  # bytes: the big ones are drawn by the benchmarks


@pytest.mark.corpus
def test_every_block_of_the_real_files_can_be_drawn(corpus_home: Path) -> None:
    """Whatever agent wrote it."""
    library = Library(Environment(str(corpus_home), {}, str(corpus_home), "linux"), cache=False)
    drawn = 0
    for session in library.sessions():
        handle = library.handle(session)
        if session.unreadable or handle.size > SMALL:
            continue
        for block in library.outline(handle).blocks:
            rows = blocks.draw(block, library.body(handle, block), Look(WIDTH), blocks.OPEN)
            for at in range(len(rows)):
                row = rows[at]
                assert not ACTIVE.search(row.text), (session.source, block)
                assert width_of(row.pieces) <= WIDTH, (session.source, block, row.text)
            drawn += 1
    assert drawn > 1000
