"""After the screen: becoming the agent of a session, or opening it beside us."""

from __future__ import annotations

import sys

from sessionbrowser import launch
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


def open_window(resume: Resume, environment: Environment) -> str:
    """Open a session in a new window of the tmux this runs in; "" or what went wrong."""
    import subprocess

    try:
        for argv in (*resume.before, launch.tmux_window(resume.argv, resume.cwd)):
            done = subprocess.run(list(argv), capture_output=True, timeout=30)
            if done.returncode:
                return one_line(done.stderr.decode("utf-8", "replace")) or f"{argv[0]} failed"
    except (OSError, subprocess.TimeoutExpired) as error:
        return one_line(str(error))
    return ""
