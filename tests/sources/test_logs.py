"""What all sources of JSON lines share: the newest turns of a big file before all of it is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_agents import handle_of, in_home, write_lines

from sessionbrowser.model import Handle, Transcript
from sessionbrowser.sources import load
from sessionbrowser.sources.base import Source

FILLER = "lorem ipsum " * 1500


def droid(path: Path, turns: int) -> Handle:
    """A Droid session with a command in each turn."""
    records: list[object] = [{"type": "session_start", "id": "s", "title": "New Session", "version": 2, "cwd": "/p"}]
    before = ""
    for number in range(turns):
        for role, part in (
            ("user", {"type": "text", "text": f"prompt {number}"}),
            ("assistant", {"type": "tool_use", "id": f"c{number}", "name": "Execute", "input": {"command": f"ls {number}"}}),
            ("user", {"type": "tool_result", "tool_use_id": f"c{number}", "content": FILLER}),
            ("assistant", {"type": "text", "text": f"answer {number}"}),
        ):
            key = f"k{len(records)}"
            message = {"role": role, "content": [part]}
            records.append({"type": "message", "id": key, "parentId": before, "timestamp": "2026-05-01T10:00:00Z", "message": message})
            before = key
    return handle_of("droid", write_lines(path, *records))


@pytest.fixture
def source(home: Path) -> Source:
    return load("droid", in_home(home))


def shown(made: Transcript) -> list[tuple[object, ...]]:
    return [(block.kind, block.title, block.place, block.ok, block.result, block.branch) for block in made.blocks]


def test_a_big_log_opens_with_its_newest_turns(tmp_path: Path, source: Source) -> None:
    """They are what the whole outline ends with, at the same places and on the same branch."""
    handle = droid(tmp_path / "s.jsonl", 260)
    opening = source.opening(handle)
    assert opening is not None
    prompt = next(index for index, block in enumerate(opening.blocks) if block.kind == "prompt")
    newest = shown(opening)[prompt:]
    assert 60 < len(newest) < 800
    assert shown(source.outline(handle))[-len(newest) :] == newest
    assert source.body(handle, opening.blocks[-1]).text == "answer 259"


def test_an_opening_is_not_gone_on_with(tmp_path: Path, source: Source) -> None:
    """Its state is thrown away: the outline that follows reads from the beginning."""
    handle = droid(tmp_path / "s.jsonl", 260)
    opening = source.opening(handle)
    assert opening is not None
    assert opening.state is None
    assert source.outline(handle, opening).blocks[0].title == "prompt 0"


def test_a_small_log_needs_no_opening(tmp_path: Path, source: Source) -> None:
    assert source.opening(droid(tmp_path / "s.jsonl", 3)) is None
