"""Who started a rollout, from its first record."""

from __future__ import annotations

from typing import NamedTuple

from sessionbrowser.sources.codex.records import Payload, within, words
from sessionbrowser.text import for_eyes

_PEOPLE = ("cli", "vscode", "atlas", "chatgpt")
_INTERNAL = ("compact", "memory_consolidation")


class Origin(NamedTuple):
    """`name` as in Session.origin, `hidden` a reason of HIDDEN, and the facts about a subagent (ids raw)."""

    name: str
    hidden: str
    parent: str = ""
    type: str = ""
    nickname: str = ""


def origin_of(meta: Payload) -> Origin:
    """The origin of a session; files of 2025 name none: somebody typed them."""
    source = meta.get("source")
    if isinstance(source, dict):
        return _structured(source, meta)
    if meta.get("thread_source") == "memory_consolidation":
        return Origin("internal", "internal")
    if meta.get("thread_source") == "subagent" or words(meta, "parent_thread_id"):
        return _subagent({}, meta)
    if "sdk" in words(meta, "originator").lower():
        return Origin("sdk", "headless")
    if source == "exec" or (source is None and words(meta, "originator") == "codex_exec"):
        return Origin("headless", "headless")
    if source is None or source in _PEOPLE or source == "unknown":
        return Origin("interactive", "")
    return Origin(for_eyes(str(source))[:40], "headless")


def _structured(source: Payload, meta: Payload) -> Origin:
    if "subagent" in source:
        inner = source["subagent"]
        if inner in _INTERNAL:
            return Origin("internal", "internal", words(meta, "parent_thread_id"))
        if isinstance(inner, str):
            return _subagent({"agent_role": inner}, meta)
        if isinstance(inner, dict) and isinstance(inner.get("other"), str):
            return _subagent({"agent_role": inner["other"]}, meta)
        return _subagent(within(source, "subagent", "thread_spawn"), meta)
    if "internal" in source:
        return Origin("internal", "internal")
    custom = source.get("custom")
    if custom in _PEOPLE:
        return Origin("interactive", "")
    return Origin(for_eyes(str(custom or "custom"))[:40], "headless")


def _subagent(spawn: Payload, meta: Payload) -> Origin:
    def said(*names: str) -> str:
        return next((value for name in names for holder in (meta, spawn) if (value := words(holder, name))), "")

    return Origin(
        "subagent", "subagent", said("parent_thread_id"),
        for_eyes(said("agent_role", "agent_type")), for_eyes(said("agent_nickname", "agent_path")),
    )  # fmt: skip
