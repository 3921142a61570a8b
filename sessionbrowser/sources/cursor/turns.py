"""What the root of a chat says of its turns: when each began, and which were commands the person ran by `!`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sessionbrowser.sources.cursor import wire

if TYPE_CHECKING:
    import sqlite3

MARK = "!"  # behind the id of a turn: the command it was


def placed(database: sqlite3.Connection, ids: list[str], turns: Sequence[str], begun: Sequence[float]) -> tuple[list[str], dict[int, float]]:
    """The messages with the commands where they were run, and when prompts were typed by their number.

    Nothing is added where turns and prompts do not match one another.
    """
    prompts = [number for number, key in enumerate(ids) if _is_typed(database, key)]
    commands = [_is_command(wire.blob(database, turn)) for turn in turns]
    if commands.count(False) != len(prompts):
        return ids, {}
    made: list[str] = []
    times: dict[int, float] = {}
    at = done = 0
    for index, (turn, command) in enumerate(zip(turns, commands, strict=True)):
        end = prompts[at] if at < len(prompts) else len(ids)
        made += ids[done:end]
        done = end
        if index < len(begun) and begun[index]:
            times[len(made)] = begun[index]
        if command:
            made.append(turn + MARK)
        else:
            made.append(ids[done])
            at, done = at + 1, done + 1
    return made + ids[done:], times


def command(database: sqlite3.Connection, turn: str) -> Mapping[str, object] | None:
    """The command a turn was, and what came of it."""
    inner = next((value for field, value in wire.fields(wire.blob(database, turn) or b"") if field == 2 and isinstance(value, bytes)), b"")
    parts = {field: value for field, value in wire.fields(inner) if isinstance(value, bytes)}
    asked, told = (_message(database, parts.get(number, b"")) for number in (1, 2))
    text = wire.text(asked.get(1))
    if not text.strip():
        return None
    output = "\n".join(part for part in (wire.text(told.get(1)).rstrip("\n"), wire.text(told.get(2)).rstrip("\n")) if part)
    left = told.get(3, 0)
    return {"role": "command", "command": text, "output": output, "exit": wire.signed(left) if isinstance(left, int) and told else None}


def _message(database: sqlite3.Connection, reference: bytes) -> dict[int, int | bytes]:
    """A message that is named by its hash, or stands there itself."""
    kept = wire.blob(database, reference.hex()) if len(reference) == 32 else None
    return dict(wire.fields(kept if kept is not None else reference))


def _is_typed(database: sqlite3.Connection, key: str) -> bool:
    if b'"user"' not in wire.begin(database, key):
        return False
    return b"<user_query>" in (wire.blob(database, key) or b"")


def _is_command(data: bytes | None) -> bool | None:
    """Whether a turn was a command (False: the agent's; None: neither)."""
    found = {field for field, value in wire.fields(data or b"") if isinstance(value, bytes)}
    return False if 1 in found else True if 2 in found else None
