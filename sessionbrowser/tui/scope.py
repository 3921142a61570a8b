"""Where "here" is: what one key goes round, from everything to this folder."""

from __future__ import annotations

import os

from sessionbrowser.library import names
from sessionbrowser.paths import Environment, project_of
from sessionbrowser.tui.store import EVERYWHERE, Scope

SMALL = 4096  # characters read of a file that names one folder
MANY = 200  # worktrees looked at


def scopes(environment: Environment) -> tuple[Scope, ...]:
    """Everything, this repository with its worktrees (when there is one), this folder."""
    cwd = environment.cwd
    folder = Scope("in this folder", (cwd,), project_of(cwd))
    folders = names.repository(environment)
    top, main = folders[0], folders[-1]
    if not os.path.lexists(os.path.join(top, ".git")):
        return (EVERYWHERE, folder)
    here = Scope("in this repository", tuple(dict.fromkeys((*folders, *_worktrees(main)))), project_of(main))
    return (EVERYWHERE, here) if here.folders == (cwd,) else (EVERYWHERE, here, folder)


def _worktrees(repository: str) -> list[str]:
    """The linked worktrees of a repository, wherever they are; raw."""
    kept = os.path.join(repository, ".git", "worktrees")
    try:
        linked = sorted(os.listdir(kept))[:MANY]
    except OSError:
        return []
    places = (_first_line(os.path.join(kept, name, "gitdir")) for name in linked)
    return [os.path.dirname(place) for place in places if os.path.isabs(place)]


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline(SMALL).strip()
    except OSError:
        return ""
