"""What all sources of JSON lines share: the newest turns of a big file before all of it is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from small_agents import Store, handle_of, in_home, write_lines

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


@pytest.mark.parametrize(("name", "file", "beside"), [
    ("droid", ".factory/sessions/-p/6ef08e98-e598-42b5-8c85-dce58598c73b.jsonl", "6ef08e98-e598-42b5-8c85-dce58598c73b.settings.json"),
    ("copilot", ".copilot/session-state/a/events.jsonl", "workspace.yaml"),
    ("kimi", ".kimi-code/sessions/wd/session_a/agents/main/wire.jsonl", "../../state.json"),
])  # fmt: skip
def test_a_session_changes_with_the_file_beside_it(home: Path, name: str, file: str, beside: str) -> None:
    """It holds the name, and whether the session is archived."""
    path = write_lines(home / file, {"type": "x"})
    before = Store(name, in_home(home)).found[0]
    other = path.parent / beside
    other.write_text("{}")
    os.utime(other, ns=(0, path.stat().st_mtime_ns + 5))
    after = Store(name, in_home(home)).found[0]
    assert isinstance(before, Handle)
    assert isinstance(after, Handle)
    assert (after.mtime_ns, after.size) == (before.mtime_ns + 5, before.size)
