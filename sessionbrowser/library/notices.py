"""What the system says has changed in folders: inotify on Linux, nothing elsewhere (whoever watches looks by itself)."""

from __future__ import annotations

import ctypes
import os
import select
import struct
import sys
from collections.abc import Iterable

MOST = 4096  # folders watched; more are left to looking
_EVENT = struct.Struct("iIII")
_MODIFY, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x2, 0x40, 0x80, 0x100, 0x200
_OVERFLOW, _IGNORED, _ONLYDIR = 0x4000, 0x8000, 0x01000000
_MASK = _MODIFY | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _ONLYDIR
_REMOTE = ("nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "drvfs", "virtiofs", "fuse.grpcfuse", "vboxsf")


class Notices:
    """Changes in some folders, as paths. Made by `open_notices`, for one thread."""

    def __init__(self, library: ctypes.CDLL, descriptor: int) -> None:
        self._library = library
        self._descriptor = descriptor
        self._folders: dict[int, str] = {}
        self._watched: dict[str, int] = {}
        self.refused = False  # whether some folder could not be watched

    def add(self, folders: Iterable[str]) -> None:
        """Watch these folders too; those that can't be are left to looking."""
        for folder in folders:
            if folder in self._watched:
                continue
            if len(self._watched) >= MOST:
                self.refused = True
                return
            number = self._library.inotify_add_watch(self._descriptor, os.fsencode(folder), _MASK)
            if number < 0:
                self.refused = True
            else:
                self._folders[number] = folder
                self._watched[folder] = number

    def take(self) -> set[str] | None:
        """Paths in which something happened since the last time; None when some of it was lost."""
        found: set[str] = set()
        lost = False
        while select.select([self._descriptor], [], [], 0)[0]:
            data = os.read(self._descriptor, 65536)
            at = 0
            while at < len(data):
                number, mask, _, length = _EVENT.unpack_from(data, at)
                at += _EVENT.size
                name = data[at : at + length].rstrip(b"\0")
                at += length
                lost = lost or bool(mask & _OVERFLOW)
                folder = self._folders.get(number)
                if mask & _IGNORED and folder is not None:  # deleted, or its file system is gone
                    del self._folders[number], self._watched[folder]
                    found.add(os.path.join(folder, "gone"))
                elif folder is not None:
                    found.add(os.path.join(folder, os.fsdecode(name)))
        return None if lost else found

    def wait(self, seconds: float) -> None:
        """Wait so long, or until something happens."""
        select.select([self._descriptor], [], [], seconds)

    def close(self) -> None:
        os.close(self._descriptor)


def open_notices(paths: Iterable[str]) -> Notices | None:
    """Notices for folders below `paths`; None where the system has none, or not for such file systems."""
    if sys.platform != "linux" or any(_is_remote(path) for path in paths):
        return None
    try:
        library = ctypes.CDLL(None, use_errno=True)
        descriptor = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, AttributeError):
        return None
    return Notices(library, descriptor) if descriptor >= 0 else None


def _is_remote(path: str) -> bool:
    """Whether another machine may write to `path` unseen."""
    try:
        with open("/proc/self/mounts", encoding="utf-8", errors="replace") as file:
            mounts = [line.split()[1:3] for line in file if line.count(" ") >= 2]
    except OSError:
        return True
    best = max((mount for mount in mounts if _is_below(path, mount[0])), key=lambda mount: len(mount[0]), default=["", ""])
    return best[1] in _REMOTE


def _is_below(path: str, mount: str) -> bool:
    return path == mount or path.startswith(mount.rstrip("/") + "/")
