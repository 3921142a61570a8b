"""Invented rollouts for the tests: a file from a few records, read back as a session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sessionbrowser.model import Block, Body, Handle, Session, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.sources.codex import SOURCE, CodexSource

ID = "019e1b77-0348-701a-8b3c-4d5e6f7a8b9c"
OTHER = "019e1b77-1111-7222-8333-444455556666"
Record = dict[str, Any]


def meta(id: str = ID, **more: Any) -> Record:
    payload = {"id": id, "timestamp": "2026-05-12T09:14:05Z", "cwd": "/home/ada/src/api", "originator": "codex_cli_rs",
               "cli_version": "0.131.0", "source": "cli", **more}  # fmt: skip
    return {"type": "session_meta", "payload": payload}


def item(**payload: Any) -> Record:
    return {"type": "response_item", "payload": payload}


def event(**payload: Any) -> Record:
    return {"type": "event_msg", "payload": payload}


def done(**payload: Any) -> Record:
    return event(type="item_completed", item=payload)


def turn(**payload: Any) -> Record:
    return {"type": "turn_context", "payload": {"cwd": "/home/ada/src/api", "model": "gpt-5.5-codex", **payload}}


def user(*texts: str) -> Record:
    return item(type="message", role="user", content=[{"type": "input_text", "text": text} for text in texts])


def assistant(text: str) -> Record:
    return item(type="message", role="assistant", content=[{"type": "output_text", "text": text}])


def typed(text: str, **more: Any) -> Record:
    return event(type="user_message", message=text, **more)


def said(text: str, **more: Any) -> Record:
    return event(type="agent_message", message=text, **more)


def call(name: str, arguments: Any, id: str = "call_1", **more: Any) -> Record:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return item(type="function_call", name=name, arguments=text, call_id=id, **more)


def output(text: Any, id: str = "call_1") -> Record:
    return item(type="function_call_output", call_id=id, output=text)


def total(input: int, cached: int, output: int) -> Record:
    counted = {"input_tokens": input, "cached_input_tokens": cached, "output_tokens": output, "total_tokens": input + output}
    return event(type="token_count", info={"total_token_usage": counted})


def lines(records: list[Record], *, numbered: int | None = None) -> bytes:
    """Records as a file: a second apart, and numbered as in a paginated thread when asked."""
    rows = []
    for index, record in enumerate(records):
        row: Record = {}
        if "payload" in record:
            row["timestamp"] = f"2026-05-12T09:14:{index % 60:02d}.000Z"
        if numbered is not None:
            row["ordinal"] = numbered + index
        rows.append(json.dumps({**row, **record}))
    return ("\n".join(rows) + "\n").encode() if rows else b""


def place(home: Path, id: str = ID, *, folder: str = "sessions/2026/05/12", ending: str = "jsonl") -> Path:
    path = home / ".codex" / folder / f"rollout-2026-05-12T09-14-05-{id}.{ending}"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


class Store:
    """Ada's Codex home, and the source that reads it."""

    def __init__(self, home: Path, **variables: str) -> None:
        self.home = home
        self.source: CodexSource = SOURCE(Environment(str(home), variables, str(home), "linux", 1778770800.0))

    def write(self, *records: Record, id: str = ID, numbered: int | None = None, **where: Any) -> Path:
        path = place(self.home, id, **where)
        path.write_bytes(lines(list(records), numbered=numbered))
        return path

    def handles(self) -> list[Handle]:
        return [found for root in self.source.roots() for found in self.source.discover(root) if isinstance(found, Handle)]

    def handle(self, id: str = ID) -> Handle:
        return next(handle for handle in self.handles() if handle.id == id)

    def row(self, id: str = ID) -> Session:
        return self.source.summarise(self.handle(id))

    def outline(self, id: str = ID, since: Transcript | None = None) -> Transcript:
        return self.source.outline(self.handle(id), since)

    def blocks(self, kind: str = "", id: str = ID) -> list[Block]:
        return [block for block in self.outline(id).blocks if not kind or block.kind == kind]

    def body(self, block: Block, id: str = ID) -> Body:
        return self.source.body(self.handle(id), block)

    def read(self, *records: Record, numbered: int | None = None) -> Transcript:
        self.write(*records, numbered=numbered)
        return self.outline()
