"""Telling lines apart before they are parsed: in recent files nine bytes of ten are bookkeeping nobody reads."""

from __future__ import annotations

import re

from sessionbrowser.text import parse_time

SKIPPED = frozenset(
    (
        "api-request", "api-request-shape", "api-request-blob", "api-request-resumed", "file-history-snapshot", "file-history-delta",
        "atis-latch", "tools-used", "attribution-snapshot", "content-replacement", "data-flow-records", "data-flow-incomplete",
        "resume-head-vouch", "session-owner", "hybrid-organization", "isolation-latch", "dev-mods", "memory-mode", "repl-mode",
        "history-suppression", "observer-ref", "fork-context-ref", "frame-link", "artifact-comment-monitor",
        "artifact-autoreact-ledger", "bridge-session",
    )
)  # fmt: skip
NAMES = frozenset(  # said again and again for the row of the list, nothing to an outline
    ("custom-title", "ai-title", "agent-name", "agent-color", "agent-setting", "tag", "mode", "worktree-state", "relocated")
)
QUIET = frozenset(
    (
        "prompt_snapshot", "skill_listing", "agent_listing_delta", "deferred_tools_delta", "mcp_instructions_delta", "session_context",
        "environment", "total_tokens_reminder", "task_reminder", "todo_reminder", "date", "date_change", "model", "budget_usd",
        "remote_session_change", "command_permissions", "batching_reminder_sent", "silent_turn_reminder", "token_usage", "instructions",
        "companion_intro",
    )
)  # fmt: skip

_SKIPPABLE = SKIPPED | {"progress"} | {f"attachment:{name}" for name in QUIET}
_PLACELESS = SKIPPED | NAMES | {"last-prompt", "cost-state"}
_UNTOLD = _SKIPPABLE | _PLACELESS

_META = b'{"type":"'
_ROW = b'{"parentUuid":'
_ATTACHMENT = b'"attachment":{"type":"'
_PROGRESS = b'"type":"progress"'
_SHORT = 4096  # bytes: longer lines are not searched for bookkeeping behind them
_MESSAGE = b'"message":'  # behind it stands what a model or a tool said, which may look like anything
_PARENT = re.compile(rb'\{"parentUuid":(?:null|"([^"\\]{1,80})")')
_AGENT = re.compile(rb'"agentId":"([\w-]{1,80})"')
_TIME = re.compile(rb'"timestamp":"([^"\\]{1,40})"')
_PARENT_CALL = re.compile(rb'"parentToolUseID":"([\w-]{1,120})"')


def kind_of(data: bytes) -> str:
    """What a line is when that shows at its beginning: a bookkeeping record's type, "attachment:…", "progress"; else ""."""
    if data.startswith(_META):
        end = data.find(b'"', 9, 60)
        return data[9:end].decode("ascii", "replace") if end > 0 else ""
    if data.startswith(_ROW):
        at = data.find(_ATTACHMENT, 14, 400)
        if at > 0 and data.find(_MESSAGE, 14, at) < 0:
            end = data.find(b'"', at + 22, at + 90)
            return "attachment:" + data[at + 22 : end].decode("ascii", "replace") if end > 0 else ""
        at = data.find(_PROGRESS, 14, 600)
        if at > 0 and data.find(_MESSAGE, 14, at) < 0:
            return "progress"
    return ""


def skippable(kind: str) -> bool:
    """Whether a line of this kind says nothing but its place in the graph."""
    return kind in _SKIPPABLE


def is_untold(kind: str) -> bool:
    """Whether an outline tells nothing of a line of this kind, unless it is one that `moves` something."""
    return kind in _UNTOLD


def is_placeless(kind: str) -> bool:
    """Whether a line of this kind has no place in the graph either."""
    return kind in _PLACELESS


def moves(kind: str, data: bytes) -> bool:
    """Whether a line says that the conversation goes on from somewhere else."""
    return kind == "last-prompt" and (b'"explicit":true' in data or b'"rewound":true' in data)


def holds_another(data: bytes) -> bool:
    """Whether a second record begins on the line, behind a whole one or one cut short: two processes wrote at once."""
    if data.rfind(_ROW) > 0:  # from the end: bookkeeping seldom looks like a row there, and its beginning does
        return True
    return len(data) < _SHORT and b'}{"type":"' in data


def ids_of(data: bytes, kind: str) -> tuple[str, str | None] | None:
    """A row's own id and its parent's, without parsing it; None when they can't be found that way."""
    parent = _PARENT.match(data)
    if parent is None:
        return None
    at = data.rfind(b'"type":"attachment","uuid":"') + 20 if kind.startswith("attachment:") else -1
    if at < 20:
        at = data.rfind(b'"uuid":"')
    if at < 0:
        return None
    end = data.find(b'"', at + 8, at + 100)
    if end < 0:
        return None
    above = parent[1].decode("ascii", "replace") if parent[1] else None
    return data[at + 8 : end].decode("ascii", "replace"), above


def time_of(data: bytes) -> float | None:
    """When a row was written, without parsing it; None when that can't be found."""
    found = _TIME.match(data, data.rfind(b'"timestamp":"')) if b'"timestamp":"' in data else None
    return parse_time(found[1].decode("ascii", "replace")) if found else None


def agent_of(data: bytes) -> tuple[str, str] | None:
    """The call and the subagent that a progress row ties together."""
    if (told := data.find(b'"type":"agent_progress"')) < 0:
        return None
    agent, call = _AGENT.search(data, told), _PARENT_CALL.search(data)  # its whole task stands before its id
    return (call[1].decode(), agent[1].decode()) if agent and call else None
