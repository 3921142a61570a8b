"""Which files and folders changed, by `stat` alone and as few of them as will do.

Files that were written lately are looked at every time; folders (a new session, a subagent's first file) once a second;
everything else in slices, so that all of it was seen after `ROUND` seconds. Where the system tells of changes
(`notices.py`) nothing is looked at but what it names, and the rest only now and then, in case a notice went missing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from sessionbrowser.library.notices import Notices
from sessionbrowser.model import Root

State = tuple[str, str, str, int, int, int]  # source, path, key, size, mtime_ns, inode: see index/catalogue.py

HOT_FOR = 120.0  # seconds after its last change in which a file is looked at every time
HOT = 3.0  # seconds between two looks at them where the system tells of changes
NEWEST = 24  # files that count as hot although they rest: the likeliest to be taken up again
FOLDERS = 1.0  # seconds between two looks at the folders
ROUND = 12.0  # seconds in which every file is looked at once, without notices
SLOW_ROUND = 90.0  # the same with notices
RESCAN = 120.0  # seconds after which a root is scanned whole, whatever its folders say
DEEP = 3  # folders below a root that are watched before sessions were found in them
MOST = 200  # such folders in one
STEP_NS = 50_000_000  # the clock of a file system goes in steps of so many nanoseconds at most
THRIFT = 20.0  # a root is scanned again only after so many times the time it took

_GONE = (-1, -1, -1)


class Noticed(NamedTuple):
    """What changed since the last look."""

    files: tuple[tuple[Root, str], ...] = ()  # sessions' own files that grew or were replaced
    roots: tuple[Root, ...] = ()  # roots in which something came, went, or changed in a way only a scan can tell


class Watcher:
    """Remembers what files and folders looked like. For one thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, notices: Notices | None = None) -> None:
        self._clock = clock
        self.notices = notices
        self._files: dict[str, tuple[int, int, int]] = {}  # size, mtime_ns, inode
        self._root_of: dict[str, Root] = {}  # of a file or folder
        self._shared: set[str] = set()  # databases: their sessions can only be told apart by a scan
        self._folders: dict[str, int] = {}
        self._hot: dict[str, float] = {}  # until when
        self._cold: list[str] = []
        self._roots: dict[Root, float] = {}  # when each was scanned last
        self._since_ns: dict[Root, int] = {}  # the same by the wall clock
        self._due: dict[Root, float] = {}  # roots to be scanned, and not before when
        self._folders_at = self._swept_at = self._hot_at = clock()

    @property
    def is_told(self) -> bool:
        """Whether the system tells of every change."""
        return self.notices is not None and not self.notices.refused

    def know(self, root: Root, states: Iterable[State], since_ns: int, cost: float = 0.0) -> None:
        """`root` was scanned: what its sessions look like, when the scan began (by the wall clock), the seconds it took.

        Folders that changed about that time or later are scanned once more.
        """
        self._forget(root)
        now = self._clock()
        newest: list[tuple[int, str]] = []
        folders: set[str] = set()
        for _, path, key, size, mtime_ns, inode in states:
            self._root_of[path] = root
            if key:
                self._shared.add(path)
                self._files.setdefault(path, _state(path))
                self._files.setdefault(path + "-wal", _state(path + "-wal"))
                self._root_of[path + "-wal"] = root
                self._shared.add(path + "-wal")
            else:
                self._files[path] = (size, mtime_ns, inode)
                newest.append((mtime_ns, path))
                folders.add(os.path.dirname(path))
        newest.sort(reverse=True)
        for at, (mtime_ns, path) in enumerate(newest):
            age = since_ns / 1e9 - mtime_ns / 1e9
            if at >= NEWEST and age > HOT_FOR:
                break
            self._hot[path] = now + (HOT_FOR if at >= NEWEST else 1e12)
        for folder in _with_ancestors(folders, root) or _below(root.path, DEEP - 1):
            self._root_of[folder] = root
            self._folders[folder] = at_ns = _time(folder)
            if at_ns > since_ns - STEP_NS:
                self._due.setdefault(root, now + max(0.3, cost * THRIFT))
        self._roots[root] = now
        self._since_ns[root] = since_ns
        if self.notices is not None:
            self.notices.add(self._folders)

    def _forget(self, root: Root) -> None:
        for path in [path for path, owner in self._root_of.items() if owner == root]:
            del self._root_of[path]
            self._files.pop(path, None)
            self._folders.pop(path, None)
            self._hot.pop(path, None)
            self._shared.discard(path)
        self._due.pop(root, None)

    def note(self, path: str, state: tuple[int, int, int]) -> None:
        """A session's file was read at this state (size, mtime in ns, inode)."""
        if path in self._files:
            self._files[path] = state
            self._hot[path] = max(self._hot.get(path, 0.0), self._clock() + HOT_FOR)

    def heat(self, paths: Iterable[str]) -> None:
        """Look at these files every time: their sessions are open."""
        until = self._clock() + HOT_FOR
        for path in paths:
            if path in self._files:
                self._hot[path] = max(self._hot.get(path, 0.0), until)

    def ask(self, root: Root, after: float = 0.0) -> None:
        """Scan `root` at the next look, or `after` so many seconds."""
        self._due.setdefault(root, self._clock() + after)

    def scanned(self, root: Root, cost: float) -> None:
        """A scan that took `cost` seconds is not repeated at once."""
        if root in self._due:
            self._due[root] = max(self._due[root], self._clock() + cost * THRIFT)

    def look(self) -> Noticed:
        """What changed since the last look."""
        now = self._clock()
        changed: dict[str, None] = {}
        self._told(changed)
        for path in [path for path, until in self._hot.items() if until < now]:
            del self._hot[path]
        if not self.is_told or now - self._hot_at >= HOT:
            self._hot_at = now
            self._compare(list(self._hot), changed)
        self._sweep(now, changed)
        if now - self._folders_at >= FOLDERS * (20 if self.is_told else 1):
            self._folders_at = now
            self._look_at_folders(self._folders)
        for root, at in self._roots.items():
            if now - at > RESCAN:
                self._due.setdefault(root, now)
        due = tuple(root for root, at in self._due.items() if at <= now)
        for root in due:
            del self._due[root]
            self._roots[root] = now
        files = tuple((self._root_of[path], path) for path in changed if path in self._root_of)
        return Noticed(tuple(item for item in files if item[0] not in due), due)

    def _told(self, changed: dict[str, None]) -> None:
        """What the system said has changed."""
        if self.notices is None:
            return
        names = self.notices.take()
        if names is None:  # some were lost
            self._swept_at = self._folders_at = -1e12
            return
        self._compare([name for name in names if name in self._files], changed)
        self._look_at_folders({os.path.dirname(name) for name in names if name not in self._files} & self._folders.keys())

    def _compare(self, paths: Iterable[str], changed: dict[str, None]) -> None:
        for path in paths:
            known, state = self._files[path], _state(path)
            if state == known:
                continue
            self._files[path] = state
            if self._is_as_scanned(path, known, state):
                continue
            if path in self._shared or state == _GONE:
                self.ask(self._root_of[path], 0.0 if state == _GONE else 0.2)
            else:
                changed[path] = None
            self._hot[path] = max(self._hot.get(path, 0.0), self._clock() + HOT_FOR)

    def _is_as_scanned(self, path: str, known: tuple[int, int, int], state: tuple[int, int, int]) -> bool:
        """Whether only the time of a file differs and is older than its scan: sources put more into it than the file's own."""
        return path not in self._shared and state[::2] == known[::2] and state[1] < self._since_ns[self._root_of[path]] - STEP_NS

    def _sweep(self, now: float, changed: dict[str, None]) -> None:
        """The next slice of what rests."""
        whole = SLOW_ROUND if self.is_told else ROUND
        slice_ = int(len(self._files) * min(1.0, (now - self._swept_at) / whole)) + 1
        self._swept_at = now
        if not self._cold:
            self._cold = list(self._files)
        piece, self._cold = self._cold[-slice_:], self._cold[:-slice_]
        self._compare([path for path in piece if path in self._files], changed)

    def _look_at_folders(self, folders: Iterable[str]) -> None:
        for folder in list(folders):
            at = _time(folder)
            if at == self._folders[folder]:
                continue
            self._folders[folder] = at
            root = self._root_of[folder]
            self.ask(root, 0.05)
            if folder.count(os.sep) - root.path.count(os.sep) < DEEP:
                self._add(_folders_in(folder), root)

    def _add(self, folders: Iterable[str], root: Root) -> None:
        """Folders that came: what comes into them later is to be noticed too."""
        fresh = [folder for folder in folders if folder not in self._folders]
        for folder in fresh:
            self._root_of[folder] = root
            self._folders[folder] = _time(folder)
        if self.notices is not None:
            self.notices.add(fresh)


def _with_ancestors(folders: Iterable[str], root: Root) -> set[str]:
    """`folders` and what is between them and the root. The root itself only when sessions lie in it: agents keep much
    else there that changes all the time."""
    top = root.path.rstrip(os.sep)
    found: set[str] = set()
    for folder in folders:
        while folder not in found and (folder == top or folder.startswith(top + os.sep)):
            found.add(folder)
            folder = os.path.dirname(folder)
    below = found - {top}
    return below if below and top not in folders else found


def _below(path: str, depth: int) -> set[str]:
    """A folder in which nothing was found yet, and those in it: something may come there."""
    found = {path} if os.path.isdir(path) else set()
    if depth > 0 and found:
        for folder in _folders_in(path):
            found |= _below(folder, depth - 1)
    return found


def _folders_in(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)][:MOST]
    except OSError:
        return []


def _state(path: str) -> tuple[int, int, int]:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return _GONE
    return found.st_size, found.st_mtime_ns, found.st_ino


def _time(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return -1
