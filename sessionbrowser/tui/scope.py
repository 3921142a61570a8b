"""Where "here" is: what one key goes round, from everything to this folder."""

from __future__ import annotations

import os

from sessionbrowser.library import repository
from sessionbrowser.paths import Environment, project_of
from sessionbrowser.tui.store import EVERYWHERE, Scope

PERSON = "/home/ada"  # the home of the person in the demo, as the invented sessions recorded it


def scopes(environment: Environment) -> tuple[Scope, ...]:
    """Everything, this repository with its worktrees (when there is one), this folder."""
    cwd = environment.cwd
    if environment.clock:
        recorded = os.path.join(PERSON, os.path.relpath(cwd, environment.home))
        return (EVERYWHERE, Scope("in this folder", tuple(dict.fromkeys((recorded, cwd))), project_of(cwd)))
    folder = Scope("in this folder", (cwd,), project_of(cwd))
    top = repository.top_of(cwd)
    if not top:
        return (EVERYWHERE, folder)
    folders = repository.folders_of(cwd)
    here = Scope("in this repository", folders, project_of(repository.home_of(cwd)))
    return (EVERYWHERE, here) if here.folders == (cwd,) else (EVERYWHERE, here, folder)
