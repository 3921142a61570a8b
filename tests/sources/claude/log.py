"""Small invented transcripts for the tests: rows written the way the program writes them, as few keys as can be."""

from __future__ import annotations

import json
import os
from pathlib import Path

from sessionbrowser.model import Block, Handle, Root, Session, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.sources.claude import SOURCE, ClaudeSource

SESSION = "5e551011-0000-4000-8000-000000000001"
CWD = "/home/ada/src/api"
FOLDER = "-home-ada-src-api"


class Log:
    """One transcript being written. Every row hangs on the one before unless `parent` says otherwise."""

    def __init__(self, home: Path, name: str = SESSION, *, folder: str = FOLDER, sidechain: bool = False) -> None:
        self.home = home
        self.path = home / ".claude" / "projects" / folder / f"{name}.jsonl"
        self.rows: list[bytes] = []
        self.last: str | None = None
        self.count = 0
        self.sidechain = sidechain
        self.more: dict[str, object] = {}

    def raw(self, data: bytes) -> None:
        self.rows.append(data)

    def meta(self, kind: str, **values: object) -> None:
        self.rows.append(_line({"type": kind, **values, "sessionId": SESSION}))

    def row(self, kind: str, parent: str | None = "before", key: str = "", **values: object) -> str:
        self.count += 1
        key = key or f"u{self.count}"
        above = self.last if parent == "before" else parent
        minute, second = divmod(self.count, 60)
        self.rows.append(_line({
            "parentUuid": above, "isSidechain": self.sidechain, **({} if kind == "assistant" else {"type": kind}), **values,
            **({"type": kind} if kind == "assistant" else {}), "uuid": key, "timestamp": f"2026-05-01T10:{minute:02}:{second:02}.000Z",
            "cwd": CWD, "sessionId": SESSION, "version": "2.1.332", "gitBranch": "main", **self.more,
        }))  # fmt: skip
        self.last = key
        return key

    def user(self, content: object, **more: object) -> str:
        return self.row("user", message={"role": "user", "content": content}, **more)  # type: ignore[arg-type]

    def assistant(self, *blocks: dict[str, object], message: str = "", usage: tuple[int, int] = (10, 20), stop: str | None = None,
                  model: str = "claude-sonnet-4-5", **more: object) -> str:  # fmt: skip
        body = {"id": message or f"msg_{self.count + 1}", "type": "message", "role": "assistant", "model": model, "content": list(blocks),
                "stop_reason": stop, "usage": {"input_tokens": usage[0], "output_tokens": usage[1]}}  # fmt: skip
        return self.row("assistant", message=body, **more)  # type: ignore[arg-type]

    def say(self, text: str, **more: object) -> str:
        return self.assistant({"type": "text", "text": text}, **more)  # type: ignore[arg-type]

    def call(self, name: str, call: str, arguments: dict[str, object] | None = None, **more: object) -> str:
        return self.assistant({"type": "tool_use", "id": call, "name": name, "input": arguments or {}}, **more)  # type: ignore[arg-type]

    def result(self, call: str, text: object, detail: object = None, *, error: bool = False, behind: str = "", **more: object) -> str:
        block = {"type": "tool_result", "tool_use_id": call, "content": text, **({"is_error": True} if error else {})}
        content = [block, *([{"type": "text", "text": behind}] if behind else [])]
        values = {} if detail is None else {"toolUseResult": detail}
        return self.row("user", message={"role": "user", "content": content}, **values, **more)  # type: ignore[arg-type]

    def attachment(self, kind: str, **values: object) -> str:
        return self.row("attachment", attachment={"type": kind, **values})

    def system(self, subtype: str, **values: object) -> str:
        return self.row("system", subtype=subtype, **values)  # type: ignore[arg-type]

    # ── reading ──

    def data(self) -> bytes:
        return b"".join(row + b"\n" for row in self.rows)

    def write(self, data: bytes | None = None) -> Path:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(self.data() if data is None else data)
        return self.path

    def handle(self, hidden: str = "") -> Handle:
        return handle_of(self.write(), self.home, hidden)

    def outline(self, hidden: str = "") -> Transcript:
        return source(self.home).outline(self.handle(hidden))

    def row_of(self) -> Session:
        return source(self.home).summarise(self.handle())

    def blocks(self) -> list[Block]:
        return list(self.outline().blocks)


def _line(record: dict[str, object]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def source(home: Path, now: float = 1777630000.0, **variables: str) -> ClaudeSource:
    return SOURCE(Environment(str(home), variables, str(home), "linux", now))


def handle_of(path: Path, home: Path, hidden: str = "") -> Handle:
    state = os.stat(path)
    root = Root("claude", str(home / ".claude"))
    return Handle("claude", root, str(path), "", path.stem, state.st_size, state.st_mtime_ns, state.st_ino, hidden)


def said(blocks: list[Block]) -> list[tuple[str, str, str]]:
    """Kind, what and title of each block: enough for most tests."""
    return [(block.kind, block.what, block.title) for block in blocks]
