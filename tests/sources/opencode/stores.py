"""Small OpenCode stores, written for one test each."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from sessionbrowser.model import Handle, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.sources.opencode import SOURCE
from sessionbrowser.sources.opencode.source import OpenCode

Json = dict[str, object]
NOW = 1778760000000  # milliseconds: 2026-05-14 12:00 UTC

SCHEMA = """
create table session (id text primary key, project_id text, parent_id text, directory text, title text, version text,
  revert text, permission text, time_created integer, time_updated integer, time_archived integer);
create table message (id text primary key, session_id text, time_created integer, time_updated integer, data text);
create table part (id text primary key, message_id text, session_id text, time_created integer, time_updated integer, data text);
"""


def user(*parts: Json | str, at: int = NOW, **more: object) -> Json:
    """A person's message; strings are text parts."""
    return {"role": "user", "time": {"created": at}, "parts": [_part(part) for part in parts], **more}


def model(*parts: Json | str, at: int = NOW + 1000, done: bool = True, **more: object) -> Json:
    """A model's message."""
    times = {"created": at, "completed": at + 500} if done else {"created": at}
    ending = {"finish": "stop"} if done else {}
    return {"role": "assistant", "modelID": "gpt-5", "time": times, "parts": [_part(part) for part in parts], **ending, **more}


def tool(name: str, given: Json, output: str = "", status: str = "completed", **metadata: object) -> Json:
    """A tool part with what came of it."""
    key = "error" if status == "error" else "output"
    return {"type": "tool", "tool": name, "callID": "call_1", "state": {"status": status, "input": given, key: output, "metadata": metadata}}


def _part(part: Json | str) -> Json:
    return {"type": "text", "text": part} if isinstance(part, str) else part


def write_database(path: Path, *messages: Json, session: str = "ses_one", **columns: object) -> Path:
    """A database (added to when it exists) with one more session."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    database = sqlite3.connect(path)
    if new:
        database.executescript(SCHEMA)
    row = {"id": session, "project_id": "p", "directory": "/home/ada/src/api", "title": "New session - 2026-05-14",
           "version": "1.2.11", "time_created": NOW, "time_updated": NOW, **columns}  # fmt: skip
    database.execute(f"insert into session ({', '.join(row)}) values ({', '.join('?' * len(row))})", tuple(row.values()))
    for number, message in enumerate(messages):
        key, data = f"msg_{session}_{number:03d}", {name: value for name, value in message.items() if name != "parts"}
        database.execute("insert into message values (?, ?, ?, ?, ?)", (key, session, NOW + number, NOW + number, json.dumps(data)))
        parts = message["parts"]
        assert isinstance(parts, list)
        for index, part in enumerate(parts):
            database.execute("insert into part values (?, ?, ?, ?, ?, ?)", (f"prt_{key}_{index}", key, session, NOW, NOW, json.dumps(part)))
    database.commit()
    database.close()
    return path


def write_tree(folder: Path, *messages: Json, session: str = "ses_one", project: str = "p", **info: object) -> Path:
    """A session in a tree of files, as 1.1 wrote it; its own file."""
    storage = folder / "storage"
    own = storage / "session" / project / f"{session}.json"
    _write(own, {"id": session, "directory": "/home/ada/src/api", "title": "New session - 2026-05-14", "version": "1.1.34",
                 "time": {"created": NOW, "updated": NOW}, **info})  # fmt: skip
    for number, message in enumerate(messages):
        key = f"msg_{session}_{number:03d}"
        _write(storage / "message" / session / f"{key}.json", {"id": key, **{n: v for n, v in message.items() if n != "parts"}})
        parts = message["parts"]
        assert isinstance(parts, list)
        for index, part in enumerate(parts):
            _write(storage / "part" / key / f"prt_{index}.json", {"messageID": key, **part})
    return own


def write_early_tree(folder: Path, text: str, session: str = "ses_early") -> Path:
    """A session as 0.5 wrote it, with one prompt."""
    storage = folder / "project" / "home-ada-src-api" / "storage" / "session"
    own = storage / "info" / f"{session}.json"
    _write(own, {"id": session, "version": "0.5.29", "title": "New session - 2026", "time": {"created": NOW, "updated": NOW}})
    _write(storage / "message" / session / "msg_1.json", {"id": "msg_1", "role": "user", "time": {"created": NOW}})
    _write(storage / "part" / session / "msg_1" / "prt_1.json", {"id": "prt_1", "type": "text", "text": text})
    return own


def _write(path: Path, value: Json) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def source(env: Environment) -> OpenCode:
    """The source of a home."""
    return SOURCE(env)


def handles(env: Environment) -> list[Handle]:
    """Every session of a home."""
    made = source(env)
    return [found for root in made.roots() for found in made.discover(root) if isinstance(found, Handle)]


def outlined(env: Environment, *messages: Json, **columns: object) -> Transcript:
    """The outline of one session with these messages, kept in a database."""
    write_database(data_home(env) / "opencode.db", *messages, **columns)
    (handle,) = handles(env)
    return source(env).outline(handle)


def data_home(env: Environment) -> Path:
    """Where OpenCode keeps its data in a home."""
    return Path(env.data_home()) / "opencode"


def kinds(made: Transcript) -> Sequence[str]:
    """The kinds of a transcript's blocks, tools by their names."""
    return [block.name if block.kind == "tool" else block.kind for block in made.blocks]
