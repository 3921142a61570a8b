"""Which session a person means: an id, the beginning of one, or @last, @prev, @here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from sessionbrowser.model import Session
from sessionbrowser.paths import Environment

RENDERINGS = ("specstory", "records")  # sources that hold copies of other agents' sessions: native ones first

_CURRENT = ("CLAUDE_CODE_SESSION_ID", "CLAUDE_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SESSION_ID", "OPENCODE_SESSION_ID",
            "GEMINI_SESSION_ID", "CURSOR_SESSION_ID", "QWEN_SESSION_ID", "AMP_THREAD_ID")  # fmt: skip


def chosen(sessions: Sequence[Session], name: str) -> list[Session]:
    """Of sessions whose id begins with `name`, those that are meant: exact before prefix, sessions before subagents,
    live before copies, native before renderings, what is shown before what is hidden."""
    found = [session for session in sessions if session.id == name] or list(sessions)
    for prefer in (
        lambda session: session.hidden != "subagent",
        lambda session: not session.root,
        lambda session: session.source not in RENDERINGS,
        lambda session: session.hidden not in ("duplicate", "mirrored"),
    ):  # fmt: skip
        found = [session for session in found if prefer(session)] or found
    if len(found) > 1 and len({session.id for session in found}) == 1 and len({session.source for session in found}) == 1:
        best = max(found, key=lambda session: session.updated or 0.0)
        same = [session for session in found if session.updated == best.updated]
        return [best] if len(same) == 1 else same
    return found


def current_id(env: Environment) -> str:
    """The id of the session this program was started from, "" when none is known."""
    return current(env)[1]


def current(env: Environment) -> tuple[str, str]:
    """The variable that names the session this program was started from, and the id (raw); two "" when none does."""
    return next(((name, value) for name in _CURRENT if (value := env.get(name))), ("", ""))


def recent(sessions: Iterable[Session], env: Environment) -> list[Session]:
    """Sessions a person could mean by @last, newest first: shown ones that can be read, but the one that asks."""
    asking = current_id(env)
    return [session for session in sessions if not session.hidden and not session.unreadable and session.id != asking]


def special(name: str, rows: Sequence[Session], env: Environment) -> Session | None:
    """What @last, @prev or @here stands for among `rows`, which are recent ones, newest first; None for another name."""
    if name == "@here":
        folders = repository(env)
        rows = [session for session in rows if is_within(session.cwd, folders)]
    elif name not in ("@last", "@prev"):
        return None
    at = 1 if name == "@prev" else 0
    return rows[at] if at < len(rows) else None


def repository(env: Environment) -> tuple[str, ...]:
    """The folders of the repository that the working directory belongs to: its worktree, its main one, the linked ones.

    Raw; without a repository, the working directory itself.
    """
    from sessionbrowser.library.repository import folders_of  # not for those who only list

    return folders_of(env.cwd)


def is_within(cwd: str | None, folders: Iterable[str]) -> bool:
    """Whether a recorded directory is one of `folders` or below one."""
    if not cwd:
        return False
    return any(cwd == folder or cwd.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)
