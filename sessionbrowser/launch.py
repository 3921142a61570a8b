"""Programs a person asked for: the agent that resumes, the pager, the editor, a tmux window. Each as an argument list."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from sessionbrowser.paths import Environment


class NotStarted(Exception):
    """A program that could not be started; the message is one line for eyes."""


def become(argv: Sequence[str], cwd: str | None, env: Environment) -> NoReturn:
    """Replace this process by `argv`, in `cwd`. Raises NotStarted."""
    from shutil import which

    program = which(argv[0], path=env.get("PATH") or os.defpath)
    if program is None:
        raise NotStarted(f"{argv[0]} is not installed (it is not on PATH)")
    try:
        if cwd:
            os.chdir(cwd)
    except (OSError, ValueError) as error:
        raise NotStarted(f"the directory can't be entered: {(getattr(error, 'strerror', None) or str(error)).lower()}") from error
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    if sys.platform == "win32":  # exec there returns to the shell before the program ends
        import subprocess

        os._exit(subprocess.run([program, *argv[1:]]).returncode)
    try:
        os.execv(program, list(argv))
    except (OSError, ValueError) as error:
        raise NotStarted(f"{argv[0]} can't be started: {(getattr(error, 'strerror', None) or str(error)).lower()}") from error


def run(argv: Sequence[str], cwd: str | None = None) -> int:
    """Run `argv` on this terminal and wait; its exit status. Raises NotStarted."""
    import subprocess

    try:
        return subprocess.run(list(argv), cwd=cwd).returncode
    except (OSError, ValueError) as error:
        raise NotStarted(f"{argv[0]} can't be started: {(getattr(error, 'strerror', None) or str(error)).lower()}") from error


def words(text: str) -> list[str]:
    """The argument list that a variable such as EDITOR holds."""
    import shlex

    try:
        return shlex.split(text)
    except ValueError:
        return [text]


def pager(env: Environment) -> list[str]:
    """What shows text that is longer than the screen; [] for none ("", "cat")."""
    said = env.variables.get("SB_PAGER", env.variables.get("PAGER"))
    if said is None:
        said = "less"
    argv = words(said)
    if not argv or argv == ["cat"]:
        return []
    if os.path.basename(argv[0]) == "less" and len(argv) == 1 and not env.get("LESS"):
        argv += ["-R", "-F", "-X"]
    return argv


def page(data: bytes, env: Environment) -> bool:
    """Show `data` in the pager and wait for it; False when there is none, and nothing was shown."""
    import subprocess
    from shutil import which

    argv = pager(env)
    if not argv or which(argv[0], path=env.get("PATH") or os.defpath) is None:
        return False
    variables = {**env.variables}
    variables.setdefault("LESSCHARSET", "utf-8")
    try:
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, env=variables)
    except OSError:
        return False
    while True:
        try:
            process.communicate(data)  # a reader that has enough closes its end: no error
            return True
        except KeyboardInterrupt:  # meant for the pager
            continue


def editor(env: Environment) -> list[str]:
    """What opens a file for this person: VISUAL, EDITOR, else vi (notepad on Windows)."""
    said = env.get("VISUAL") or env.get("EDITOR") or ("notepad" if env.platform == "win32" else "vi")
    return words(said)


def edit(path: str, env: Environment) -> int:
    """Open `path` in the editor and wait. Raises NotStarted."""
    return run([*editor(env), path])


def tmux_window(argv: Sequence[str], cwd: str | None, *, split: bool = False) -> list[str]:
    """The argument list that opens `argv` in a new window (or beside this one) of the tmux this runs in.

    tmux expands #(…) in a directory: every # is doubled. A command of several words it runs as it is, without a shell.
    """
    command = ["tmux", "split-window" if split else "new-window"]
    if cwd:
        command += ["-c", cwd.replace("#", "##")]
    return [*command, "--", *(argv if len(argv) > 1 else ["env", *argv])]


def in_tmux(argv: Sequence[str], cwd: str | None, before: Sequence[Sequence[str]] = (), *, split: bool = False) -> None:
    """Run what has to run `before`, then open `argv` in a new window (or pane) of the tmux this runs in. Raises NotStarted."""
    for command in (*before, tmux_window(argv, cwd, split=split)):
        quiet(command)


def quiet(argv: Sequence[str]) -> None:
    """Run `argv` and wait for it, nothing of it shown. Raises NotStarted when it fails, with what it said."""
    import subprocess

    from sessionbrowser.text import one_line

    try:
        done = subprocess.run(list(argv), stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise NotStarted(one_line(str(error))) from error
    if done.returncode:
        raise NotStarted(one_line(done.stderr.decode("utf-8", "replace")) or f"{one_line(argv[0])} failed")
