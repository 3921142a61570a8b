"""`sb whoami`: the session of the agent that this shell runs in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.commands import options, output
from sessionbrowser.commands.options import Refused
from sessionbrowser.paths import Environment

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.library import Library
    from sessionbrowser.model import Session

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")


class Me(NamedTuple):
    """A session, and how it was told."""

    id: str
    how: str  # "CLAUDE_CODE_SESSION_ID", "registry", "open file"
    session: Session | None = None  # None: its file is not there (yet)
    pid: int | None = None


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "whoami", help="print the id of the session this shell runs in", allow_abbrev=False,
        description="Print the id of the session whose agent runs this shell: by the variable the agent sets, else by the "
        "agents' registries of running sessions and the processes above this one, else by the files those have open.",
        epilog="Exit status: 0 printed, 1 no agent's session was found. Subagents have the id of their session.",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the id, the source, the file and how it was told as JSON")
    options.common(parser, every=False)


def run(args: argparse.Namespace, env: Environment) -> int:
    library = options.open_library(args, env)
    me = by_variable(library) or by_processes(library)
    if me is None:
        raise Refused("no agent's session was found around this shell", 1)
    if args.json:
        session = me.session
        output.write_json({
            "schema": 1, "id": me.id, "source": session.source if session else None, "path": session.path if session else None,
            "title": session.title if session else None, "from": me.how, "pid": me.pid,
        })  # fmt: skip
    else:
        output.write_text(me.id + "\n")
    return 0


def by_variable(library: Library) -> Me | None:
    """By what the agent put into the environment of what it runs."""
    from sessionbrowser.library import names

    variable, name = names.current(library.environment)
    if not _ID.fullmatch(name):
        return None
    return Me(name, variable, _named(library, name))


def by_processes(library: Library, proc: str = "/proc") -> Me | None:
    """By the nearest process above this one that an agent's registry knows, or that has a session's file open."""
    from sessionbrowser.library.survey import live_of
    from sessionbrowser.processes import ancestors, open_files

    above = ancestors(proc=proc)
    running: dict[int, str] = {}
    for root in library.places().roots:
        if root.live:
            running.update({live.pid: live.id for live in live_of(library.source(root.source), root).values() if live.pid})
    for pid in above:
        if pid in running and _ID.fullmatch(running[pid]):
            return Me(running[pid], "registry", _named(library, running[pid]), pid)
    files = {pid: paths for pid in above if (paths := open_files(pid, proc))}
    return _by_files(library, files) if files else None


def _by_files(library: Library, files: dict[int, list[str]]) -> Me | None:
    sessions = {session.path: session for session in library.sessions(deep=False) if not session.key}
    for pid, paths in files.items():
        for path in paths:
            if (session := sessions.get(path)) is not None and _ID.fullmatch(session.id):
                return Me(session.id, "open file", session, pid)
    return None


def _named(library: Library, name: str) -> Session | None:
    found = [session for session in library.find(name) if session.id == name]
    return found[0] if len(found) == 1 else None
