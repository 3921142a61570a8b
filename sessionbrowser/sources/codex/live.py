"""Which threads some Codex has loaded: `thread-writer-locks/<id>.lock`, locked by the process that may write them.

The lock says that the thread is in a living process, not what that does: its last records say so. A thread stays loaded in
the background server after its window was closed. Only Linux tells who holds a lock without taking it.
"""

from __future__ import annotations

import os

from sessionbrowser.model import Live, Root

FOLDER = "thread-writer-locks"
MOST = 2000  # locks looked at


def loaded(root: Root, locks: str = "/proc/locks") -> list[Live]:
    """Threads whose lock is held (status ""), and "gone" those that have a lock nobody holds any more."""
    if not root.live:
        return []
    folder = os.path.join(root.path, FOLDER)
    try:
        with os.scandir(folder) as entries:
            found = {entry.inode(): entry.name[:-5] for entry in entries if entry.name.endswith(".lock") and entry.name[:1] != "."}
    except OSError:
        return []
    holders = _holders(locks) if found else None
    if holders is None:
        return []
    return [
        Live(name, "", "its thread is loaded", holders[inode]) if inode in holders else Live(name, "gone", "its process is no longer there")
        for inode, name in list(found.items())[:MOST]
    ]


def _holders(locks: str) -> dict[int, int] | None:
    """The process that holds a lock on each inode; None where the system does not tell."""
    try:
        with open(locks, encoding="ascii", errors="replace") as file:
            lines = [line.split() for line in file]
    except OSError:
        return None
    found: dict[int, int] = {}
    for words in lines:
        inode = words[5].rsplit(":", 1)[-1] if len(words) > 5 else ""
        if inode.isdigit() and words[1] == "FLOCK" and words[3] == "WRITE" and words[4].isdigit():
            found[int(inode)] = int(words[4])
    return found
