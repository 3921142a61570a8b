"""One record of a rollout in one shape, whichever generation of Codex wrote it.

Generations differ in their wrapping: bare items (2025), `{timestamp, type, payload}`, threads whose items are written
when they are completed. `parse` gives each record a kind: `meta`, `turn`, `compacted`, `usage`, `item:` and the type
of a response item, `event:` and the type of an event, `done:` and the type of a completed item, or "".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sessionbrowser.text import parse_time

Payload = Mapping[str, object]
NOTHING: Payload = {}

_WRAPPED = {"session_meta": "meta", "turn_context": "turn", "compacted": "compacted", "token_usage_record": "usage"}
_SAME = {"turn_started": "task_started", "turn_complete": "task_complete", "turn.completed": "turn_completed"}
_BARE = frozenset((
    "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output",
    "local_shell_call", "web_search_call", "tool_search_call", "tool_search_output", "image_generation_call",
    "agent_message", "tool_call", "tool_result", "function_result",
))  # fmt: skip


class Item(NamedTuple):
    """A record: its kind, what it holds, when it was written, and its number in a paginated thread."""

    kind: str
    payload: Payload
    time: float | None = None
    ordinal: int | None = None


def parse(record: Payload) -> Item:
    """What a record is. Never fails: what nobody knows has the kind ""."""
    time = parse_time(record.get("timestamp"))
    ordinal = whole(record, "ordinal")
    payload, kind = record.get("payload"), record.get("type")
    if not isinstance(payload, dict):
        return _bare(record, time if time is not None else parse_time(record.get("created_at")))
    if not isinstance(kind, str):
        return Item("", payload, time, ordinal)
    if kind in _WRAPPED:
        return Item(_WRAPPED[kind], payload, time, ordinal)
    what = payload.get("type")
    if kind == "response_item":
        name = what if isinstance(what, str) else "message" if "role" in payload else ""
        return Item(f"item:{name}", payload, time, ordinal)
    if kind != "event_msg" or not isinstance(what, str):
        return Item("", payload, time, ordinal)
    item = payload.get("item")
    if what == "item_completed" and isinstance(item, dict):
        return Item(f"done:{item.get('type')}", item, time, ordinal)
    return Item(f"event:{_SAME.get(what, what)}", payload, time, ordinal)


def _bare(record: Payload, time: float | None) -> Item:
    kind = record.get("type")
    inner = record.get("message")
    if isinstance(kind, str) and kind in _BARE:
        return Item(f"item:{kind}", record, time)
    if kind in ("user", "assistant"):
        said = inner if isinstance(inner, dict) else {"content": record.get("content", inner)}
        return Item("item:message", {"role": kind, **said}, time)
    if isinstance(record.get("role"), str):
        return Item("item:message", record if "content" in record else {**record, "content": inner}, time)
    if kind == "error":
        return Item("event:error", record, time)
    if kind is None and "record_type" not in record and isinstance(record.get("id"), str):
        return Item("meta", record, time)
    return Item("", record, time)


# ── what is in a payload ──


def words(payload: Payload, name: str) -> str:
    """A field that is a string, else ""."""
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def whole(payload: Payload, name: str) -> int | None:
    """A field that is a whole number of a size that databases and JSON take."""
    value = payload.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53 else None


def within(payload: Payload, *names: str) -> Payload:
    """A mapping inside a mapping inside …, empty when it is not there."""
    value: object = payload
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else NOTHING


def parts(content: object) -> Iterator[tuple[str, Payload]]:
    """The content items of a message: their text ("" for pictures) and the item itself."""
    if isinstance(content, str):
        yield content, NOTHING
        return
    for part in content if isinstance(content, list) else ():
        if isinstance(part, str):
            yield part, NOTHING
        elif isinstance(part, dict):
            yield words(part, "text"), part


def text_of(content: object) -> str:
    """The text of a message's content, its items on lines of their own."""
    if isinstance(content, dict):
        content = [content]
    return "\n".join(text for text, _ in parts(content) if text)


def picture_of(part: Payload) -> str:
    """The raw address (a data URL or a path) of a content item that is a picture; "" for others."""
    if part.get("type") not in ("input_image", "image", "local_image", "inputImage", "localImage"):
        return ""
    address = part.get("image_url") or part.get("url") or part.get("path")
    if isinstance(address, dict):
        address = address.get("url")
    return address if isinstance(address, str) else ""
