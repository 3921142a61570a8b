"""After the screen: becoming the agent of a session, or opening it beside us."""

from __future__ import annotations

import sys

from sessionbrowser import launch, panes
from sessionbrowser.model import Resume
from sessionbrowser.paths import Environment
from sessionbrowser.resume import command
from sessionbrowser.text import one_line


def hand_over(resume: Resume, environment: Environment) -> int:
    """Run what has to run before, then become the agent. Returns only when that failed: the exit status."""
    try:
        for argv in resume.before:
            status = launch.run(argv)
            if status:
                print(f"sb: {one_line(argv[0])} ended with status {status}; nothing was resumed", file=sys.stderr)
                return 2
        launch.become(resume.argv, resume.cwd, environment)
    except launch.NotStarted as error:
        print(f"sb: {one_line(str(error))}", file=sys.stderr)
        print(f"sb: by hand: {one_line(command(resume, environment), 2000)}", file=sys.stderr)
    return 2


def open_window(resume: Resume) -> str:
    """Open a session in a new window of the tmux this runs in; "" or what went wrong."""
    try:
        launch.in_tmux(resume.argv, resume.cwd, resume.before)
    except launch.NotStarted as error:
        return one_line(str(error))
    return ""


def pane_of_process(pid: int, environment: Environment) -> panes.Pane | None:
    """The pane of the tmux this runs in (None outside of tmux) that holds a process."""
    if not pid or not environment.get("TMUX"):
        return None
    known = panes.panes(environment)
    return panes.pane_of(pid, known, panes.parents(environment)) if known else None


def show_pane(pane: panes.Pane, environment: Environment) -> str:
    """Go to a pane of the tmux this runs in; "" or what went wrong."""
    try:
        launch.quiet(panes.go_to(pane, environment))
    except launch.NotStarted as error:
        return one_line(str(error))
    return ""
