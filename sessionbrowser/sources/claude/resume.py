"""The way back into a session: `claude --resume <id>` in the directory whose project folder holds the file."""

from __future__ import annotations

import os
import re

from sessionbrowser.model import Resume, ResumeOptions, Session
from sessionbrowser.paths import is_possible, shown
from sessionbrowser.sources.claude import slug

_ID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")


def resume(session: Session, options: ResumeOptions, aside: str) -> Resume | None:
    """The command for `session`, `aside` being a store in which the program looks only when told to; None for subagents, for copies of a store, and for ids the program would not take."""
    if session.root or session.parent or session.hidden in ("subagent", "internal", "empty") or not _ID.fullmatch(session.id):
        return None
    argv = ["claude", "--resume", session.id]
    if options.fork:
        argv.append("--fork-session")
    if options.skip_approvals:
        argv.append("--dangerously-skip-permissions")
    cwd = session.resume_cwd or session.cwd
    return Resume(tuple(argv), cwd, tuple(_warnings(session, cwd, aside)))


def _warnings(session: Session, cwd: str | None, aside: str) -> list[str]:
    found = []
    if aside and session.path.startswith(aside + os.sep):
        found.append(f"the agent finds the session only with CLAUDE_CONFIG_DIR={shown(aside)}")
    folder = os.path.basename(os.path.dirname(session.path))
    if cwd and folder.startswith("-") and not slug.belongs(cwd, folder) and not _really(cwd, folder):
        found.append(f"the session's file belongs to another directory than {shown(cwd)}: the agent may not find it from there")
    if session.hidden == "superseded":
        found.append("the conversation went on in another session")
    if session.facts.get("bridge"):
        found.append("the session was driven from elsewhere (remote control)")
    return found


def _really(cwd: str, folder: str) -> bool:
    """Whether the project folder is that of the directory behind the links of `cwd`."""
    return is_possible(cwd) and slug.belongs(os.path.realpath(cwd), folder)
