"""The row of a session, from the head and the tail of its file: never from what is between."""

from __future__ import annotations

from sessionbrowser.model import Handle, Session, Usage
from sessionbrowser.paths import project_of
from sessionbrowser.sources.codex.ends import Read
from sessionbrowser.sources.codex.origin import Origin, origin_of
from sessionbrowser.sources.codex.records import Payload, within, words
from sessionbrowser.text import for_eyes, iso, one_line, parse_time

PROMPT_LIMIT = 300


def session(handle: Handle, read: Read, name: str, archived: bool, orphan: bool) -> Session:
    """The row. `name` is what the indexes beside the files say; `orphan` that the file of its parent is not there."""
    head, tail = read.head, read.tail
    meta = head.meta
    origin = origin_of(meta)
    first = one_line(head.prompt(), PROMPT_LIMIT)
    title, title_from = _title(one_line(name or tail.name), one_line(head.prompt()), origin, handle.id)
    cwd = tail.cwd or head.cwd or words(meta, "cwd") or None
    created = head.first_time or parse_time(meta.get("timestamp"))
    updated = tail.time or handle.mtime_ns / 1e9 or None
    git = within(meta, "git")
    forked = words(meta, "forked_from_id")
    hidden = _hidden(origin, orphan, archived, bool(head.prompts or tail.prompts), read.whole and not forked)
    settings = {**head.settings, **tail.settings}
    return Session(
        id=words(meta, "id") or handle.id, source="codex", path=handle.path, root=handle.root.label,
        title=title, title_from=title_from, cwd=cwd, project=project_of(cwd) if cwd else "",
        branch=one_line(words(git, "branch")) or None, created=created, updated=updated,
        tail=tail.ending.tail, tail_why=tail.ending.why, origin=origin.name,
        model=str(settings.get("model", "")) or head.model or None, version=one_line(words(meta, "cli_version"), 40) or None,
        tokens=_tokens(read, forked), parent=origin.parent or None, forked_from=forked or None, size=handle.size,
        damaged_lines=tail.damaged if read.whole else head.damaged + tail.damaged, archived=archived, hidden=hidden,
        first_prompt=first, last_prompt=one_line(tail.prompt(), PROMPT_LIMIT) or (first if read.whole else ""),
        facts=_facts(handle, meta, settings, origin, git),
    )  # fmt: skip


def _title(name: str, prompt: str, origin: Origin, id: str) -> tuple[str, str]:
    if name:
        return name, "name"
    if prompt:
        return prompt, "prompt"
    if origin.nickname or origin.type:
        return one_line(" ".join(filter(None, (origin.nickname, origin.type)))), "agent"
    return one_line(id), "id"


def _hidden(origin: Origin, orphan: bool, archived: bool, prompts: bool, certain: bool) -> str:
    if origin.hidden and not (origin.hidden == "subagent" and orphan):
        return origin.hidden
    if archived:
        return "archived"
    return "empty" if certain and not prompts else ""


def _tokens(read: Read, forked: str) -> Usage | None:
    """The last count in the file; a fork's includes its source's, so that only a whole reading can tell."""
    return None if forked else read.tail.recorded or read.tail.counted


def _facts(handle: Handle, meta: Payload, settings: dict[str, object], origin: Origin, git: Payload) -> dict[str, object]:
    facts: dict[str, object] = {
        "provider": for_eyes(words(meta, "model_provider")),
        "originator": for_eyes(words(meta, "originator")),
        "history": for_eyes(words(meta, "history_mode")),
        "commit": for_eyes(words(git, "commit_hash")),
        "repository": for_eyes(words(git, "repository_url")),
        "effort": settings.get("effort"),
        "approval": settings.get("approval"),
        "sandbox": settings.get("sandbox"),
        "agent_type": origin.type,
        "agent_name": origin.nickname,
        "compressed": handle.path.endswith(".zst"),
    }
    if forked_at := parse_time(meta.get("timestamp")) if words(meta, "forked_from_id") else None:
        facts["forked"] = iso(forked_at)
    return {name: value for name, value in facts.items() if value}
