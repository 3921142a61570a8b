"""Numbers that several commands say, and say again with a cache: they are the same."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.commands.conftest import FIRST, SECOND, Sb, Write


def _subagent(path: Path, name: str) -> None:
    path.mkdir(parents=True, exist_ok=True)
    record = {"type": "user", "uuid": f"{name}-a", "parentUuid": None, "sessionId": SECOND, "agentId": name, "isSidechain": True,
              "cwd": "/home/ada/src/api", "timestamp": "2026-05-01T10:00:01.000Z", "message": {"role": "user", "content": "look"}}  # fmt: skip
    (path / f"agent-{name}.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")


@pytest.mark.parametrize("names", [("abc1234", "acompact-9f"), ("acompact-9f",)], ids=["with others", "alone"])
def test_internal_files_beside_subagents_are_counted_by_every_list(write: Write, sb: Sb, names: tuple[str, ...]) -> None:
    """The first list enters their folder, the second does not."""
    folder = write(SECOND).with_suffix("") / "subagents"
    for name in names:
        _subagent(folder, name)
    os.utime(folder, (1, 1))  # a folder that changed just now would be looked into again
    said = [json.loads(sb("list", "--jsonl", *more).out.splitlines()[-1]) for more in ((), (), (), ("--no-cache",))]
    assert said[0]["files_processed"] == 1 + len(names)
    assert said[0]["hidden"]["internal"] == 1
    assert said[1:] == said[:1] * 3


def test_doctor_and_list_count_what_could_not_be_read_alike(write: Write, sb: Sb) -> None:
    """Lines and whole files."""
    write(FIRST)
    with write(SECOND).open("a") as file:
        file.write("{broken\n")
    listed = json.loads(sb("list", "--jsonl").out.splitlines()[-1])
    assert listed["parse_errors"] == 1
    assert sb("doctor", "--json").json()["parse_errors"] == 1
