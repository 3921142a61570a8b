"""`sb list --panes`: the sessions that run, each with its process and the tmux pane it lives in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser import panes
from sessionbrowser.commands import output, rows
from sessionbrowser.paths import shown
from sessionbrowser.text import fit

if TYPE_CHECKING:
    from sessionbrowser.library import Library
    from sessionbrowser.model import Session

_BUSY = {"running": "busy", "waiting": "waiting", "open": "idle"}


class Running(NamedTuple):
    """A session that is open now."""

    session: Session
    pid: int
    pane: panes.Pane | None

    @property
    def state(self) -> str:
        """busy, waiting or idle."""
        return _BUSY.get(self.session.status, "idle")


def running(library: Library, sessions: Sequence[Session]) -> list[Running]:
    """Those of `sessions` that a process has open: by their agents' registries, else by who is writing their file."""
    env = library.environment
    pids = {session.identity: live.pid for session in sessions if (live := library.live(session)) is not None}
    others = {one.path: one for one in sessions if not one.root and not one.key and not library.is_registered(one)}
    pids |= {others[path].identity: pid for path, pid in panes.writers(others).items()}
    if not pids:
        return []
    known = panes.panes(env)
    parents = panes.parents(env) if known else {}
    return [
        Running(session, pid, panes.pane_of(pid, known, parents) if pid else None)
        for session in sessions
        if (pid := pids.get(session.identity)) is not None
    ]


def write(found: Sequence[Running], library: Library, *, as_json: bool, tsv: bool) -> None:
    """Print them: a table on a terminal unless `tsv`, else tab-separated pane, name, process, state, tag, id, directory, title."""
    if as_json:
        output.write_json({"schema": 1, "panes": [_json(item, library) for item in found]})
        return
    lines = [_columns(item, library) for item in found]
    if tsv or not output.on_terminal():
        output.write_text("".join("\t".join(line) + "\n" for line in lines))
        return
    widths = [max((len(line[at]) for line in lines), default=0) for at in range(5)]
    for line in lines:
        output.write_text("  ".join([*(fit(line[at], widths[at]) for at in range(5)), line[7]]).rstrip() + "\n")


def _columns(item: Running, library: Library) -> tuple[str, ...]:
    session, pane = item.session, item.pane
    return (
        pane.id if pane else "-", shown(pane.name) if pane else "-", str(item.pid or "-"), item.state, rows.tag_of(session.source),
        output.raw_or_shown(session.id), shown(session.cwd or "", library.environment.home),
        session.title.replace("\t", " ").replace("\n", " "),
    )  # fmt: skip


def _json(item: Running, library: Library) -> dict[str, object]:
    pane = None if item.pane is None else {"id": item.pane.id, "name": item.pane.name}
    return {"pane": pane, "pid": item.pid or None, "state": item.state, "session": rows.session_json(item.session, library)}
