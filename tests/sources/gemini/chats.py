"""Small Gemini CLI chats, written for one test each."""

from __future__ import annotations

import json
from pathlib import Path

from sessionbrowser.model import Handle, Session, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.sources.gemini import SOURCE
from sessionbrowser.sources.gemini.source import Gemini

Json = dict[str, object]
ID = "11111111-2222-4333-8444-555555555555"
START = "2026-05-12T09:00:00.000Z"


def meta(**more: object) -> Json:
    """The first line of a log, or the head of a document."""
    return {"sessionId": ID, "projectHash": "0" * 64, "startTime": START, "lastUpdated": START, "kind": "main", **more}


def user(text: str, key: str = "u1", **more: object) -> Json:
    """A person's message."""
    return {"id": key, "timestamp": START, "type": "user", "content": [{"text": text}], **more}


def gemini(text: str = "", key: str = "g1", **more: object) -> Json:
    """A model's message."""
    return {"id": key, "timestamp": START, "type": "gemini", "content": text, "model": "gemini-2.5-pro", **more}


def call(name: str, given: Json, output: str | None = "", status: str = "success", key: str = "c1", **more: object) -> Json:
    """A tool call as it is kept in a message; `output` None: without a result."""
    result = [] if output is None else [{"functionResponse": {"id": key, "name": name, "response": {"output": output}}}]
    return {"id": key, "name": name, "args": given, "status": status, "timestamp": START, "result": result, **more}


def write_log(env: Environment, *lines: Json, slug: str = "proj", name: str = "session-2026-05-12T09-00-11111111.jsonl") -> Path:
    """A chat as a log."""
    path = Path(env.home, ".gemini", "tmp", slug, "chats", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def write_document(env: Environment, *messages: Json, slug: str = "proj", name: str = "session-2026-05-12T09-00-11111111.json", **more: object) -> Path:
    """A chat as one document."""
    path = Path(env.home, ".gemini", "tmp", slug, "chats", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**meta(), "messages": list(messages), **more}, indent=2))
    return path


def source(env: Environment) -> Gemini:
    """The source of a home."""
    return SOURCE(env)


def handles(env: Environment) -> list[Handle]:
    """Every chat of a home."""
    made = source(env)
    return [found for root in made.roots() for found in made.discover(root) if isinstance(found, Handle)]


def logged(env: Environment, *lines: Json) -> Transcript:
    """The outline of a log of these lines behind its first."""
    write_log(env, meta(), *lines)
    (handle,) = handles(env)
    return source(env).outline(handle)


def row(env: Environment) -> Session:
    """The row of the only chat."""
    (handle,) = handles(env)
    return source(env).summarise(handle)


def told(made: Transcript) -> list[tuple[str, str, int]]:
    """Kind, title and branch of every block."""
    return [(block.kind, block.title, block.branch) for block in made.blocks]
