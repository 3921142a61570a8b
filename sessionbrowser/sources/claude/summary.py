"""The row of the list: what a file's head and tail say, read in growing pieces."""

from __future__ import annotations

import mmap
import os
import re
from zlib import crc32

from sessionbrowser.model import Handle, Session
from sessionbrowser.paths import project_of
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.claude import legacy, lines, slug, store, tail, titles
from sessionbrowser.sources.claude.gather import Gathered
from sessionbrowser.sources.claude.lineage import random_id
from sessionbrowser.text import one_line

HEAD, TAIL = 8192, 4096
WHOLE = 24576  # a file this small is read in one piece
ENOUGH = 65536  # where a tail stops that knows its session but misses a title or a prompt
PATIENT = 1 << 20  # where a head stops that misses a prompt: a command came first, or a big picture
MOST = 4 << 20  # where it stops in any case
SEALED = 256  # bytes at the end of what was read that must be the same when more is read
MIDDLE = 8 << 20  # up to this size the middle of a file without a title is searched for one
_USER, _QUEUED = b'"user"', b'"queued_command"'  # what lines with prompts have in them
_ROW = b'{"parentUuid":'
_TITLES = re.compile(rb'\n\{"type":"(?:custom-title|agent-name|ai-title|summary)"')


def summarise(handle: Handle, previous: Session | None, legacy_titles: dict[str, dict[str, str]]) -> Session:
    """The row of `handle`. Raises OSError."""
    subagent = handle.hidden == "subagent"
    if handle.size <= WHOLE:
        seen = _gather(jsonl.head(handle.path, WHOLE + 1), subagent)
        return _session(handle, seen, seen, legacy_titles, whole=True)
    end, whole = _tail(handle, subagent)
    if whole:
        return _session(handle, end, end, legacy_titles, whole=True)
    kept = previous if previous is not None and _begins_as(previous, handle) else None
    start = _from_row(kept) if kept is not None else _head(handle, subagent)
    if not end.last_prompt:
        _search_prompt(handle, start, end, kept)
    for size in (ENOUGH, PATIENT):
        end.model = end.model or start.model or _gather(jsonl.tail(handle.path, size)[0], subagent).model
    if not _titled(start, end) and handle.size <= MIDDLE:
        _search_middle(handle.path, end)
    return _session(handle, start, end, legacy_titles, whole=False)


def _gather(found: list[jsonl.Line], subagent: bool) -> Gathered:
    seen, passed = Gathered(subagent), b""
    for line in found:
        kind = lines.kind_of(line.data)
        if kind and lines.skippable(kind) and not lines.holds_another(line.data):
            passed = passed if lines.is_placeless(kind) else line.data
            continue
        reading = jsonl.read(line.data)
        if reading.damage or (not reading.records and line.data.strip()):
            seen.damaged += line.whole or line.data.strip(b"\x00 \t\r\n") != b""
        for record in reading.records:
            seen.see(record)
    seen.see_time(lines.time_of(passed))
    return seen


def _head(handle: Handle, subagent: bool) -> Gathered:
    size = HEAD
    while True:
        seen = _gather(jsonl.head(handle.path, size), subagent)
        known = seen.conversation and seen.created is not None and seen.cwd is not None
        if (known and (seen.first_prompt or size >= PATIENT)) or size >= MOST or size >= handle.size:
            return seen
        size *= 4


def _tail(handle: Handle, subagent: bool) -> tuple[Gathered, bool]:
    size = TAIL
    while True:
        found, whole = jsonl.tail(handle.path, size)
        seen = _gather(found, subagent)
        known = seen.conversation and seen.updated is not None and seen.branch is not None and _decided(seen)
        titled = seen.last_prompt_row or seen.name or seen.ai or size >= ENOUGH or not seen.modern
        if whole or (known and titled) or size >= MOST:
            return seen, whole
        size *= 4


def _decided(seen: Gathered) -> bool:
    """Whether these records say where the session stands; an answer or a prompt among them always does."""
    return bool(seen.answers or seen.last_prompt) or tail.state_of(seen.records, subagent=seen.subagent)[0] != "unknown"


def _search_prompt(handle: Handle, start: Gathered, end: Gathered, kept: Session | None) -> None:
    """The newest prompt before the tail, nothing else parsed: a turn may fill megabytes, and a fork notes the wrong one.

    What was read before holds where nobody entered anything since, and the file only grew.
    """
    known = kept is not None and start.last_prompt_uuid != "" and kept.facts.get("seal_raw") == _seal(handle.path, kept.size)
    lowest = max(0, handle.size - MOST, kept.size - 1 if kept is not None and known else 0)  # its line end
    size, at, stop = ENOUGH, handle.size, handle.size
    while at > lowest and not end.last_prompt:
        at = max(lowest, stop - size)
        data = jsonl.read_at(handle.path, at, stop - at)
        first = data.find(b"\n") + 1 if at else 0  # where the first whole line begins
        if first or not at:
            _see_last_prompt(data[first:], end)
            stop = at + first
        size *= 4
    if known and not end.last_prompt:
        end.last_prompt, end.last_prompt_uuid, end.copied = start.last_prompt, start.last_prompt_uuid, start.copied


def _seal(path: str, size: int) -> int:
    """What tells whether a file still is what it was when it had `size` bytes: a checksum of the last of them."""
    length = min(size, SEALED)
    return crc32(jsonl.read_at(path, size - length, length))


def _see_last_prompt(data: bytes, seen: Gathered) -> None:
    """The newest prompt of some whole lines."""
    user, queued = data.rfind(_USER), data.rfind(_QUEUED)
    while (found := max(user, queued)) >= 0:
        begin, stop = data.rfind(b"\n", 0, found) + 1, data.find(b"\n", found)
        line = data[begin : stop if stop >= 0 else len(data)]
        if b'"isMeta":true' not in line and (b'"tool_result"' not in line or b'"text"' in line):
            for record in jsonl.read(line).records:
                seen.see_prompt(record)
            if seen.last_prompt:
                return
        user = user if user < begin else data.rfind(_USER, 0, begin)
        queued = queued if queued < begin else data.rfind(_QUEUED, 0, begin)


def _titled(start: Gathered, end: Gathered) -> bool:
    return bool(end.name or end.ai or start.name or start.ai or end.summary_is_own)


def _search_middle(path: str, end: Gathered) -> None:
    """Title rows between head and tail: found by their beginnings, without parsing anything else."""
    with jsonl.open_file(path) as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            return
        with data:
            begin = max(0, data.find(_ROW))  # summaries before the first row are titles of other sessions
            for found in _TITLES.finditer(data, begin):
                stop = data.find(b"\n", found.start() + 1, found.start() + 65536)
                for record in jsonl.read(data[found.start() + 1 : stop if stop > 0 else len(data)]).records:
                    end.see_title(record)


def _begins_as(row: Session, handle: Handle) -> bool:
    """Whether the file still begins with the record that `row` was made from: it may have been written anew in place."""
    first = row.facts.get("first_raw")
    if not row.first_prompt or row.created is None or row.size > handle.size or not isinstance(first, str) or not first:
        return False
    return first.encode() in jsonl.read_at(handle.path, 0, HEAD)


_KEPT = (("entrypoint", "entrypoint_raw"), ("kind", "kind_raw"), ("team", "team_raw"), ("first_uuid", "first_raw"), ("agent", "agent_raw"),
         ("slug", "slug_raw"), ("worktree", "worktree"), ("mode", "mode"), ("pull_request", "pull_request"), ("tag", "tag"))  # fmt: skip


def _from_row(row: Session) -> Gathered:
    """What an earlier reading of the same head found."""
    seen = Gathered(row.hidden == "subagent")
    facts = row.facts
    seen.conversation = row.hidden != "empty"
    seen.created, seen.first_prompt, seen.last_prompt, seen.model = row.created, row.first_prompt, row.last_prompt, row.model or ""
    last = facts.get("last_prompt_raw")
    seen.last_prompt_uuid = last if isinstance(last, str) else ""
    seen.copied = facts.get("own_prompt") is False
    seen.custom = row.title if row.title_from == "name" else None
    seen.ai = row.title if row.title_from == "ai" else ""
    seen.command = row.title if row.title_from == "command" else ""
    seen.summary, seen.summary_late = (row.title, True) if row.title_from == "summary" else ("", False)
    seen.forked_from, seen.session, seen.version = row.forked_from or "", row.parent or "", row.version
    for name, fact in _KEPT:
        value = facts.get(fact)
        setattr(seen, name, value if isinstance(value, str) else "")
    folders = facts.get("folders_raw")
    seen.folders = [folder for folder in folders if isinstance(folder, str)] if isinstance(folders, list) else []
    seen.cwd = seen.folders[0] if seen.folders else row.cwd
    original = facts.get("original_raw")
    seen.original = original if isinstance(original, str) else ""
    seen.bridge, cost = facts.get("bridge") is True, facts.get("cost_usd")
    seen.cost = cost if isinstance(cost, int | float) else None
    return seen


def _session(handle: Handle, start: Gathered, end: Gathered, legacy_titles: dict[str, dict[str, str]], *, whole: bool) -> Session:
    folder = os.path.dirname(handle.path)
    folders = list(dict.fromkeys([*start.folders, *end.folders]))
    relocated = end.relocated or start.relocated
    cwd = relocated or end.last_cwd or start.cwd
    summary = next((seen.summary for seen in (end, start) if seen.summary_is_own), "")
    name = _agent_name(start, end) or (start.custom if end.custom is None else end.custom) or ""
    ai = end.ai or start.ai
    if not (name or ai or summary) and legacy.worth_asking(start.version):
        summary = legacy.title(folder, end.last_uuids, legacy_titles)
    said = titles.Said(name, ai, summary, end.last_prompt_row, start.first_prompt or end.first_prompt, start.command or end.command, start.bash or end.bash,
                       start.first_answer)
    title, title_from = titles.choose(said, handle.id)
    if handle.hidden == "subagent" and (described := _described(handle.path)):
        title, title_from = described, "description"
    state, why = tail.state_of(end.records, subagent=end.subagent)
    entrypoint = start.entrypoint or end.entrypoint
    kind = start.kind or end.kind
    hidden = _hidden(handle, start, end, entrypoint, kind, nothing_said=whole and state == "unknown" and start.only_commands and not (name or ai))
    if hidden == "empty":
        state, why = "unknown", ""
    first, latest = start.first_prompt or end.first_prompt, end.last_prompt or end.last_prompt_row or start.last_prompt
    return Session(
        id=handle.id, source=handle.source, path=handle.path, key=handle.key, root=handle.root.label,
        title=title, title_from=title_from, cwd=cwd, project=project_of(cwd) if cwd else "",
        branch=one_line(end.branch, 120) or None if end.branch else None, created=start.created or end.created,
        updated=_later(start.updated, end.updated), tail=state, tail_why=why, origin=_origin(handle, entrypoint, kind),
        model=one_line(end.model or start.model, 80) or None, version=one_line(end.version or start.version or "", 40) or None,
        subagents=_subagents(handle), parent=_parent(handle, start, end), forked_from=start.forked_from or end.forked_from or None,
        size=handle.size, damaged_lines=end.damaged if whole else start.damaged + end.damaged, archived=hidden == "archived",
        hidden=hidden, first_prompt=one_line(first), last_prompt=one_line(latest or first),
        resume_cwd=_resume_folder(handle.path, relocated, folders, end.original or start.original),
        facts=_facts(start, end, folders, entrypoint, kind) | _agent_type(handle) | ({} if whole else {"seal_raw": _seal(handle.path, handle.size)}),
    )  # fmt: skip


def _agent_name(start: Gathered, end: Gathered) -> str | None:
    """The name under which the session's agent goes, which leads its title; the last word counts."""
    return start.agent if end.agent is None else end.agent


def _agent_type(handle: Handle) -> dict[str, object]:
    """Which kind of subagent it is, where that was noted beside it."""
    named = _described(handle.path, "agentType") if handle.hidden == "subagent" else ""
    return {"agent_type": named} if named else {}


def _described(path: str, what: str = "description") -> str:
    """What a subagent was started for, as its call named it; or its type."""
    described = store.read_small_json(path.removesuffix(".jsonl") + ".meta.json").get(what)
    return one_line(described) if isinstance(described, str) else ""


def _later(one: float | None, other: float | None) -> float | None:
    times = [time for time in (one, other) if time is not None]
    return max(times) if times else None


def _hidden(handle: Handle, start: Gathered, end: Gathered, entrypoint: str, kind: str, *, nothing_said: bool) -> str:
    if handle.hidden == "subagent":
        return "internal" if start.first_prompt.strip() == "Warmup" else "subagent"
    if handle.hidden:
        return handle.hidden
    if not start.conversation and not end.conversation:
        return "empty"
    if start.aside and not start.main:
        return "subagent"
    if nothing_said:
        return "empty"
    if end.continued or start.continued:
        return "superseded"
    if kind in ("daemon", "daemon-worker"):
        return "internal"
    if start.team:
        return "team"
    return "headless" if entrypoint.startswith("sdk-") else ""


def _origin(handle: Handle, entrypoint: str, kind: str) -> str:
    if handle.hidden == "subagent" or handle.parent:
        return "subagent"
    if kind == "bg":
        return "background"
    if entrypoint == "sdk-cli":
        return "headless"
    if entrypoint.startswith("sdk-"):
        return "sdk"
    return _ORIGINS.get(entrypoint, one_line(entrypoint, 40) or "interactive")


_ORIGINS = {"cli": "interactive", "claude-vscode": "vscode", "claude-desktop": "desktop", "claude-desktop-3p": "desktop",
            "claude-code-github-action": "github-action"}  # fmt: skip


def _parent(handle: Handle, start: Gathered, end: Gathered) -> str | None:
    if handle.parent:
        return handle.parent
    if handle.hidden == "subagent":
        return start.session or end.session or None
    return None


def _subagents(handle: Handle) -> int | None:
    """How many transcripts stand in the session's own folder."""
    if handle.hidden in ("subagent", "internal"):
        return None
    try:
        with os.scandir(os.path.join(handle.path.removesuffix(".jsonl"), "subagents")) as entries:
            names = [entry.name for entry in entries]
    except OSError:
        return None
    return sum(name.startswith("agent-") and name.endswith(".jsonl") and not name.startswith(store.INTERNAL) for name in names)


def _resume_folder(path: str, relocated: str, folders: list[str], original: str) -> str | None:
    """Where the resume command finds the file: the directory whose folder it lies in."""
    name = os.path.basename(os.path.dirname(path))
    for folder in (relocated, *folders, original):
        if folder and slug.belongs(folder, name):
            return folder
    return relocated or (folders[0] if folders else None)


def _facts(start: Gathered, end: Gathered, folders: list[str], entrypoint: str, kind: str) -> dict[str, object]:
    found: dict[str, object] = {
        "entrypoint_raw": entrypoint, "kind_raw": kind, "team_raw": start.team, "agent_raw": _agent_name(start, end),
        "first_raw": start.first_uuid if random_id(start.first_uuid) else "",
        "last_prompt_raw": end.last_prompt_uuid if random_id(end.last_prompt_uuid) else "", "folders_raw": folders, "original_raw": end.original or start.original,
        "continued_in_raw": end.continued or start.continued, "slug_raw": end.slug or start.slug,
        "worktree": one_line(end.worktree or start.worktree, 120), "mode": one_line(end.mode or start.mode, 40),
        "pull_request": one_line(end.pull_request or start.pull_request, 200), "tag": one_line((start.tag if end.tag is None else end.tag) or "", 80),
        "bridge": end.bridge or start.bridge, "cost_usd": end.cost if end.cost is not None else start.cost,
    }  # fmt: skip
    kept = {name: value for name, value in found.items() if value not in ("", None, [], False)}
    if (start.forked_from or end.forked_from) and end.copied:
        kept["own_prompt"] = False
    return kept
