"""A home with a few Claude Code sessions, and a way to run `sb` in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from sessionbrowser import cli
from sessionbrowser.paths import Environment

FIRST = "11111111-1111-4111-8111-111111111111"
SECOND = "22222222-2222-4222-8222-222222222222"


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    def json(self) -> dict:  # type: ignore[type-arg]
        return json.loads(self.out)


Sb = Callable[..., Ran]
Write = Callable[..., Path]


@pytest.fixture
def sb(env: Environment, capfdbinary: pytest.CaptureFixture[bytes]) -> Sb:
    """Run `sb` with arguments, its output as text."""

    def run(*arguments: str, env: Environment = env) -> Ran:
        code = cli.run(list(arguments), env)
        out, err = capfdbinary.readouterr()
        return Ran(code, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape"))

    return run


@pytest.fixture
def write(home: Path) -> Write:
    """Write a Claude Code session of one turn: `write(id, prompt=…, cwd=…, time="2026-05-01T10:00")`."""

    def write(
        id: str, *, prompt: str = "do it", answer: str = "done", cwd: str = "/home/ada/src/api", branch: str = "main",
        time: str = "2026-05-01T10:00", base: Path = home / ".claude", project: str = "-home-ada-src-api", title: str = "",
    ) -> Path:  # fmt: skip
        folder = base / "projects" / project
        folder.mkdir(parents=True, exist_ok=True)
        common = {"sessionId": id, "cwd": cwd, "gitBranch": branch, "version": "2.1.300", "isSidechain": False, "userType": "external"}
        records: list[dict[str, object]] = [
            {"type": "user", "uuid": f"{id[:8]}-a", "parentUuid": None, "timestamp": f"{time}:00.000Z", "message": {"role": "user", "content": prompt}, **common},
            {"type": "assistant", "uuid": f"{id[:8]}-b", "parentUuid": f"{id[:8]}-a", "timestamp": f"{time}:05.000Z", "message": {"id": f"msg_{id[:8]}", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "end_turn", "content": [{"type": "text", "text": answer}], "usage": {"input_tokens": 10, "output_tokens": 5}}, **common},
        ]
        if title:
            records.append({"type": "custom-title", "sessionId": id, "customTitle": title})
        path = folder / f"{id}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return path

    return write
