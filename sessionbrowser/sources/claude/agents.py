"""The tree of a session's subagents: every transcript in its folder, hung where the links say."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.model import Agent, Block, Handle, Transcript, Usage
from sessionbrowser.sources.claude import store
from sessionbrowser.sources.claude.outcomes import BACKGROUND
from sessionbrowser.sources.claude.reader import Reader
from sessionbrowser.text import one_line

if TYPE_CHECKING:
    from sessionbrowser.sources.claude.source import ClaudeSource

_KEPT = 64  # transcripts kept read, so that a tree that is looked at again costs what was appended
_CHAINS = 100  # side chains of one file that are read
_FRESH = 300  # seconds after its last line in which a transcript without an end counts as running
_SESSION = re.compile(rb'"sessionId":"([^"]{1,80})"')


class Node(NamedTuple):
    """One subagent's transcript with what is known of it."""

    handle: Handle
    outline: Transcript
    meta: dict[str, object]
    summary_title: str
    tail: str
    created: float | None
    updated: float | None
    model: str


def tree(source: ClaudeSource, handle: Handle, outline: Transcript | None) -> Agent:
    """The session (or subagent) `handle` with its subagents below it. Raises OSError for the session's own file."""
    own = outline if outline is not None else source.outline(handle)
    row = source.summarise(handle)
    nodes: dict[str, Node] = {}
    for transcript in _transcripts(source, handle):
        if short(transcript.id) not in nodes and (node := _node(source, transcript)) is not None:
            nodes[short(transcript.id)] = node
    parents = _parents(own, nodes)
    children: dict[str, list[str]] = {}
    for name in nodes:
        children.setdefault(parents.get(name, ""), []).append(name)
    calls = _calls(own, nodes)
    now = source.environment.now()
    seen: set[str] = set()

    def below(name: str) -> tuple[Agent, ...]:
        found = []
        for child in sorted(children.get(name, ()), key=lambda key: (nodes[key].created or 0.0, key)):
            if child not in seen:
                seen.add(child)
                found.append(_agent(nodes[child], calls.get(child), below(child), now))
        return tuple(found)

    start = short(handle.id) if handle.hidden == "subagent" else ""
    found = below(start)
    if not start:
        found += tuple(_agent(nodes[name], calls.get(name), (), now) for name in nodes if name not in seen)
        found += _unseen(own, nodes, row.updated, now)
        found += _inline(source, handle, own, now)
        found = tuple(sorted(found, key=lambda agent: agent.started or 0.0))
    status = "waiting" if row.tail == "asking" and not start else _status(row.tail, row.updated, None, now)
    return Agent(
        handle.id, "subagent" if start else "session", str(row.facts.get("agent_type") or ""), row.title, status,
        model=row.model or "", tokens=own.tokens, tool_calls=own.counts.tool_calls, started=row.created, ended=row.updated,
        path=handle.path, handle=handle, children=found,
    )  # fmt: skip


def short(identity: str) -> str:
    """A subagent's id as the program that wrote it tells it; everywhere else it is called by the stem of its file."""
    return identity.removeprefix(store.AGENT)


# ── finding them ──


def _transcripts(source: ClaudeSource, handle: Handle) -> Iterator[Handle]:
    from sessionbrowser.sources.claude.spill import session_folder

    folder = session_folder(handle.path)
    session = os.path.basename(folder)
    for place in (folder, *store.elsewhere(handle.root, folder)):
        for found in store.below(handle.root, os.path.join(place, "subagents"), session, set()):
            if isinstance(found, Handle) and found.hidden == "subagent":
                yield found
    if handle.hidden != "subagent":
        yield from _beside(handle)


def _beside(handle: Handle) -> Iterator[Handle]:
    """Transcripts of old builds, which lie next to the sessions and name theirs inside."""
    folder = os.path.dirname(handle.path)
    try:
        names = [name for name in os.listdir(folder) if name.startswith(store.AGENT) and name.endswith(".jsonl")]
    except OSError:
        return
    for name in sorted(names):
        path = os.path.join(folder, name)
        try:
            with open(path, "rb") as file:
                found = _SESSION.search(file.read(16384))
            state = os.stat(path)
        except OSError:
            continue
        if found is not None and found[1].decode("utf-8", "replace") == handle.id and not name.startswith(store.INTERNAL):
            yield Handle(handle.source, handle.root, path, "", name[:-6], state.st_size, state.st_mtime_ns, state.st_ino, "subagent", handle.id)


def _node(source: ClaudeSource, handle: Handle) -> Node | None:
    known = source.nodes.get(handle.path)
    if known is not None and known.handle == handle:
        return known._replace(meta=meta_of(handle.path))
    try:
        row, outline = source.summarise(handle), source.outline(handle, known.outline if known else None)
    except OSError:
        return None
    if row.hidden == "internal":
        return None
    node = Node(handle, outline, meta_of(handle.path), row.title, row.tail, row.created, row.updated, row.model or "")
    source.nodes[handle.path] = node
    while len(source.nodes) > _KEPT:
        del source.nodes[next(iter(source.nodes))]
    return node


def meta_of(path: str) -> dict[str, object]:
    """What the program wrote beside a subagent's transcript; {} in builds that wrote nothing."""
    return store.read_small_json(path.removesuffix(".jsonl") + ".meta.json")


# ── hanging them ──


def _all_calls(own: Transcript, nodes: dict[str, Node]) -> Iterator[tuple[str, Block]]:
    """Every agent call with the name of the transcript it stands in ("" for the session's own)."""
    for owner, outline in (("", own), *((name, node.outline) for name, node in nodes.items())):
        for block in outline.blocks:
            if block.kind == "tool" and block.call and (block.what in ("agent", "skill") or block.subagent):
                yield owner, block


def _calls(own: Transcript, nodes: dict[str, Node]) -> dict[str, Block]:
    """The call that started each subagent: by the id of the call, by the id in its result, else by the task it was given."""
    by_call: dict[str, Block] = {}
    by_agent: dict[str, Block] = {}
    for _, block in _all_calls(own, nodes):
        by_call[block.call] = block
        if block.subagent:
            by_agent.setdefault(short(block.subagent), block)
    found: dict[str, Block] = {}
    for name, node in nodes.items():
        given = node.meta.get("toolUseId")
        started = (by_call.get(given) if isinstance(given, str) else None) or by_agent.get(name)
        if started is not None:
            found[name] = started
    return found


def _parents(own: Transcript, nodes: dict[str, Node]) -> dict[str, str]:
    owners = {block.call: owner for owner, block in _all_calls(own, nodes)}
    found: dict[str, str] = {}
    for name, call in _calls(own, nodes).items():
        owner = owners.get(call.call, "")
        if owner != name:
            found[name] = owner
    for name, node in nodes.items():
        above = node.meta.get("parentAgentId")
        if isinstance(above, str) and short(above) in nodes and short(above) != name and not found.get(name):
            found[name] = short(above)
    return found


# ── nodes ──


def _agent(node: Node, call: Block | None, children: tuple[Agent, ...], now: float) -> Agent:
    kind, about, model = (node.meta.get(key) for key in ("agentType", "description", "model"))
    named, _, described = (call.title if call else "").partition(": ")
    return Agent(
        node.handle.id, "subagent", one_line(kind, 60) if isinstance(kind, str) else named if described else "",
        one_line(about, 160) if isinstance(about, str) and about else described or named or node.summary_title,
        _status(node.tail, node.updated, call, now), node.model or (one_line(model, 60) if isinstance(model, str) else ""),
        node.outline.tokens, node.outline.counts.tool_calls, node.created, node.updated, node.handle.path, node.handle,
        call.call if call else "", children,
    )  # fmt: skip


def _status(tail: str, updated: float | None, call: Block | None, now: float) -> str:
    """Where a subagent stands: what its end says, then whether anybody still writes to it, then what its call came to."""
    if tail in ("finished", "interrupted", "failed"):
        return tail
    if tail == "asking":  # nobody can answer a subagent
        return "finished"
    if call is not None and call.ok is True and call.outcome != BACKGROUND:
        return "finished"
    if call is not None and call.ok is False:
        return "interrupted"
    if tail in ("calling", "working"):
        return "running" if updated is not None and now - updated < _FRESH else "interrupted"
    return "unknown"


def _inline(source: ClaudeSource, handle: Handle, own: Transcript, now: float) -> tuple[Agent, ...]:
    """Side chains of old builds, written into the session's own file: hung on the agent calls in their order."""
    chains = own.state.chains[:_CHAINS] if isinstance(own.state, Reader) else []
    if not chains:
        return ()
    calls = [block for block in own.blocks if block.kind == "tool" and block.what == "agent" and not block.subagent]
    found = []
    for index, chain in enumerate(chains):
        inner = handle._replace(key=chain, id=chain, hidden="subagent", parent=handle.id)
        outline = source.outline(inner)
        times = [block.time for block in outline.blocks if block.time is not None]
        call = calls[index] if index < len(calls) else None
        named, _, described = (call.title if call else "").partition(": ")
        models = outline.facts.get("models")
        model = next(iter(models), "") if isinstance(models, dict) else ""
        done = "finished" if outline.blocks and outline.blocks[-1].kind == "text" else "unknown"
        first = next((block.title for block in outline.blocks if block.kind == "prompt"), "")
        found.append(
            Agent(chain, "subagent", named if described else "", described or named or first, _status(done, times[-1] if times else None, call, now),
                  str(model), outline.tokens, outline.counts.tool_calls, times[0] if times else None, times[-1] if times else None,
                  handle.path, inner, call.call if call else "")
        )  # fmt: skip
    return tuple(found)


def _unseen(own: Transcript, nodes: dict[str, Node], updated: float | None, now: float) -> tuple[Agent, ...]:
    """Subagents of which only the call is left; `updated` is when the session was."""
    found = []
    linked = {block.call for block in _calls(own, nodes).values()}
    for block in own.blocks:
        if block.kind == "tool" and block.subagent and block.what == "agent" and block.call not in linked and short(block.subagent) not in nodes:
            named, _, described = block.title.partition(": ")
            status = _status("working", updated, None, now) if block.ok is None else "failed" if not block.ok else "unknown" if block.outcome == BACKGROUND else "finished"
            found.append(
                Agent(store.stem_of(block.subagent), "subagent", named if described else "", described or named, status, started=block.time, ended=block.ended, call=block.call, tokens=Usage())
            )
    return tuple(found)
