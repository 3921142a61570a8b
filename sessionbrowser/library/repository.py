"""Which directories are one repository: its main worktree and the linked ones, read from git's own files.

No git process runs, and nothing but the directories asked about is looked at.
"""

from __future__ import annotations

import os
from functools import lru_cache

SMALL = 4096  # bytes read of a file that names one folder
MANY = 500  # linked worktrees looked at


def top_of(path: str) -> str:
    """The worktree that `path` (raw) lies in, "" outside of every repository. `path` itself need not exist any more."""
    folder = path
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent


def common_folder(top: str) -> str:
    """The git directory that all worktrees of a repository share, for one of its worktrees; raw, "" when unreadable."""
    marker = os.path.join(top, ".git")
    if os.path.isdir(marker):
        return os.path.normpath(marker)
    line = first_line(marker)
    if not line.startswith("gitdir:"):
        return ""
    folder = os.path.normpath(os.path.join(top, line.removeprefix("gitdir:").strip()))
    named = first_line(os.path.join(folder, "commondir"))
    if named:
        return os.path.normpath(os.path.join(folder, named))
    above, kept = os.path.split(os.path.dirname(folder))  # …/.git/worktrees/NAME whose files are gone
    return above if kept == "worktrees" else folder


def main_of(common: str) -> str:
    """The main worktree of a repository with this git directory; the directory itself for a bare one."""
    return os.path.dirname(common) if os.path.basename(common) == ".git" else common


def worktrees(common: str) -> list[str]:
    """The linked worktrees that a repository knows, wherever they are, also those that are gone; raw."""
    kept = os.path.join(common, "worktrees")
    try:
        names = sorted(os.listdir(kept))[:MANY]
    except OSError:
        return []
    places = (first_line(os.path.join(kept, name, "gitdir")) for name in names)
    return [os.path.dirname(place) for place in places if os.path.isabs(place)]


def folders_of(path: str) -> tuple[str, ...]:
    """The worktree that `path` lies in, the main one, and all linked ones; `path` alone outside of a repository."""
    top = top_of(path)
    if not top:
        return (path,)
    common = common_folder(top)
    if not common:
        return (top,)
    return tuple(dict.fromkeys((top, main_of(common), *worktrees(common))))


@lru_cache(maxsize=4096)
def home_of(path: str) -> str:
    """The main worktree of the repository that a recorded directory belongs to, the directory itself without one; raw.

    For a directory that is gone, what is left above it decides. Looks at the disk, so it is only for when a person asks.
    """
    top = top_of(path)
    common = common_folder(top) if top else ""
    return main_of(common) if common else path


def first_line(path: str) -> str:
    """The first line of a small file, "" when it can't be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline(SMALL).strip()
    except (OSError, ValueError):
        return ""
