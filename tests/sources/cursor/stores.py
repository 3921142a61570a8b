"""Small Cursor stores, written for one test each."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path

from sessionbrowser.model import Handle, Session, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.sources.cursor import SOURCE
from sessionbrowser.sources.cursor.source import Cursor

Json = dict[str, object]
ID = "11111111-2222-4333-8444-555555555555"
WEB = "/home/ada/src/web"


def said(role: str, *parts: Json | str) -> Json:
    """A message; strings are text parts."""
    return {"role": role, "content": [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]}


def line(role: str, *parts: Json | str) -> Json:
    """A line of a transcript."""
    return {"role": role, "message": {"content": said(role, *parts)["content"]}}


def varint(value: int) -> bytes:
    """A number as protobuf writes it."""
    made = b""
    while value >= 0x80:
        made, value = made + bytes([value & 0x7F | 0x80]), value >> 7
    return made + bytes([value])


def field(number: int, value: bytes) -> bytes:
    """A field of a protobuf message that holds bytes."""
    return varint(number << 3 | 2) + varint(len(value)) + value


def write_store(env: Environment, *messages: Json, identity: str = ID, workspace: str = WEB, beside: Json | None = None,
                before: list[Json] | None = None, pending: Json | None = None, turns: list[bytes] | None = None, more: bytes = b"",
                folder: Path | None = None, **meta: object) -> Path:  # fmt: skip
    """A chat of the command line, its messages put in order by a root; those of `before` were summarised."""
    folder = folder or Path(env.home, ".cursor", "chats", hashlib.md5(workspace.encode()).hexdigest(), identity)
    folder.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(folder / "store.db")
    database.executescript("create table blobs (id text primary key, data blob); create table meta (key text primary key, value text);")

    def put(data: bytes) -> bytes:
        key = hashlib.sha256(data).digest()
        database.execute("insert or ignore into blobs values (?, ?)", (key.hex(), data))
        return key

    root = b"".join(field(1, put(json.dumps(message).encode())) for message in messages)
    if pending is not None:
        root += field(4, json.dumps(pending).encode())
    if before is not None:
        archive = b"".join(field(1, put(json.dumps(message).encode())) for message in before)
        root += field(13, put(archive + field(2, b"What was said.")))
    for turn in turns or ():
        root += field(8, put(turn))
    head = put(root + more).hex()
    told = {"agentId": identity, "latestRootBlobId": head, "name": "New Agent", "createdAt": 1778600000000, **meta}
    database.execute("insert into meta values ('0', ?)", (json.dumps(told).encode().hex(),))
    database.commit()
    database.close()
    if beside is not None:
        (folder / "meta.json").write_text(json.dumps(beside))
    return folder / "store.db"


def write_transcript(env: Environment, *lines: Json, identity: str = ID, project: str = "home-ada-src-web", flat: bool = False) -> Path:
    """A readable transcript."""
    folder = Path(env.home, ".cursor", "projects", project, "agent-transcripts")
    path = folder / f"{identity}.jsonl" if flat else folder / identity / f"{identity}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return path


def write_editor(env: Environment, chats: dict[str, Json], bubbles: dict[str, Json | None] | None = None, listed: list[Json] | None = None) -> Path:
    """The editor's database: chats by id, bubbles by "<chat>:<bubble>"."""
    path = Path(env.app_support(), "Cursor", "User", "globalStorage", "state.vscdb")
    path.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(path)
    database.executescript("create table ItemTable (key text unique on conflict replace, value blob); create table cursorDiskKV (key text unique on conflict replace, value blob);")
    for key, chat in chats.items():
        database.execute("insert into cursorDiskKV values (?, ?)", (f"composerData:{key}", json.dumps({"composerId": key, **chat})))
    for key, bubble in (bubbles or {}).items():
        database.execute("insert into cursorDiskKV values (?, ?)", (f"bubbleId:{key}", None if bubble is None else json.dumps(bubble)))
    if listed is not None:
        database.execute("insert into ItemTable values ('composer.composerHeaders', ?)", (json.dumps({"allComposers": listed}),))
    database.commit()
    database.close()
    return path


def write_chat(env: Environment, *bubbles: Json, **chat: object) -> Path:
    """An editor's database with one chat of these bubbles."""
    headers = [{"bubbleId": f"b{number}", "type": bubble.get("type")} for number, bubble in enumerate(bubbles)]
    whole = {"createdAt": 1778600000000, "lastUpdatedAt": 1778600100000, "fullConversationHeadersOnly": headers, **chat}
    return write_editor(env, {ID: whole}, {f"{ID}:b{number}": bubble for number, bubble in enumerate(bubbles)})


def ran(name: str, given: Json, result: Json | str | None, status: str = "completed", **more: object) -> Json:
    """A bubble with a tool call."""
    told = result if isinstance(result, str) or result is None else json.dumps(result)
    return {"type": 2, "text": "", "toolFormerData": {"name": name, "toolCallId": "c1", "params": json.dumps(given), "result": told, "status": status, **more}}


def source(env: Environment) -> Cursor:
    """The source of a home."""
    return SOURCE(env)


def handles(env: Environment) -> list[Handle]:
    """Every session of a home."""
    made = source(env)
    return [found for root in made.roots() for found in made.discover(root) if isinstance(found, Handle)]


def only(env: Environment) -> tuple[Cursor, Handle, Transcript]:
    """The source, the only session and its outline."""
    made = source(env)
    (handle,) = [found for root in made.roots() for found in made.discover(root) if isinstance(found, Handle)]
    return made, handle, made.outline(handle)


def row(env: Environment) -> Session:
    """The row of the only session."""
    made, handle, _ = only(env)
    return made.summarise(handle)


def kinds(made: Transcript) -> list[str]:
    """The kinds of blocks, tools by their names."""
    return [block.name if block.kind == "tool" else block.kind for block in made.blocks]
