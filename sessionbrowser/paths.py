"""Where things are: the home, the variables and the folders of whoever runs this, as one value to pass around."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Mapping
from typing import NamedTuple

from sessionbrowser.text import for_eyes, one_line


class Environment(NamedTuple):
    """What the program may know of its surroundings. All paths raw. Tests pass their own."""

    home: str
    variables: Mapping[str, str]
    cwd: str
    platform: str = sys.platform
    clock: float = 0.0  # a stopped clock, for the demo and for tests; 0: the real one

    def now(self) -> float:
        """Seconds since the epoch."""
        return self.clock or time.time()

    def get(self, name: str) -> str:
        """A variable, "" when it is absent or empty."""
        return self.variables.get(name, "")

    def expand(self, path: str) -> str:
        """`path` with a leading ~ replaced, absolute."""
        if path == "~" or path.startswith(("~/", "~\\")):
            path = self.home + path[1:]
        return os.path.normpath(os.path.join(self.cwd, path))

    def under_home(self, *parts: str) -> str:
        return os.path.join(self.home, *parts)

    def data_home(self) -> str:
        """XDG_DATA_HOME, which Linux programs and several agents on macOS use."""
        return self.get("XDG_DATA_HOME") or self.under_home(".local", "share")

    def config_home(self) -> str:
        return self.get("XDG_CONFIG_HOME") or self.under_home(".config")

    def app_support(self) -> str:
        """Where desktop programs (editors) keep their data on this platform."""
        if self.platform == "darwin":
            return self.under_home("Library", "Application Support")
        if self.platform == "win32":
            return self.get("APPDATA") or self.under_home("AppData", "Roaming")
        return self.config_home()


def environment() -> Environment:
    """The surroundings of this process."""
    try:
        cwd = os.getcwd()
    except OSError:  # the directory was deleted under us
        cwd = "/"
    home = os.path.expanduser("~")
    return Environment(home=home, variables=os.environ, cwd=cwd)


def cache_folder(env: Environment) -> str:
    """Our own cache: SB_CACHE_DIR, else XDG_CACHE_HOME, else the platform's place."""
    if own := env.get("SB_CACHE_DIR"):
        return env.expand(own)
    if xdg := env.get("XDG_CACHE_HOME"):
        return os.path.join(xdg, "sessionbrowser")
    if env.platform == "darwin":
        return env.under_home("Library", "Caches", "sessionbrowser")
    if env.platform == "win32":
        return os.path.join(env.get("LOCALAPPDATA") or env.under_home("AppData", "Local"), "sessionbrowser", "Cache")
    return env.under_home(".cache", "sessionbrowser")


def config_file(env: Environment) -> str:
    """Our configuration: SB_CONFIG, else config.toml in the XDG place, else the platform's."""
    if own := env.get("SB_CONFIG"):
        return env.expand(own)
    if env.platform == "win32" and not env.get("XDG_CONFIG_HOME"):
        return os.path.join(env.get("APPDATA") or env.under_home("AppData", "Roaming"), "sessionbrowser", "config.toml")
    return os.path.join(env.config_home(), "sessionbrowser", "config.toml")


def shown(path: str, home: str = "") -> str:
    """A raw path made fit for eyes, with ~ for the home directory."""
    if home and (path == home or path.startswith(home.rstrip("/\\") + os.sep)):
        path = "~" + path[len(home.rstrip("/\\")) :]
    return for_eyes(path).replace("\n", "␊").replace("\t", " ")


def is_possible(path: str) -> bool:
    """Whether any file can be called `path`: one with a NUL in it can't, and calls of the system raise ValueError for it."""
    return "\0" not in path


def project_of(cwd: str) -> str:
    """The name of the project a directory belongs to, from the path alone (nothing is stat-ed), fit for eyes.

    A worktree in a place agents keep them counts as the repository it was made from.
    """
    path = cwd.replace("\\", "/").rstrip("/")
    for marker in ("/.claude/worktrees/", "/.worktrees/", "/.git/worktrees/", "/.cursor/worktrees/"):
        if marker in path and not path.startswith(marker):
            path = path.split(marker, 1)[0]
    return one_line(path.rsplit("/", 1)[-1] or path or "", 80)


_TIMED_ID = r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
_DATED_NAME = r"(?<!\d)(20\d\d)-(\d\d)-(\d\d)(?:[T_ ](\d\d)[-:](\d\d)(?:[-:](\d\d))?)?(Z)?(?!\d)"
_DATED_FOLDER = r"/(20\d\d)/(\d\d)/(\d\d)()/"


def time_in(path: str, id: str) -> float | None:
    """When a session began, by its id (UUIDs of version 7 hold it) or the name of its file or folders; None when they don't say.

    A copy gives a file another time of change, so that tells nothing.
    """
    from datetime import UTC, datetime  # which lists without such files do not need

    if found := re.search(_TIMED_ID, id.lower()):
        return int(found[1] + found[2], 16) / 1000
    for shape, text in ((_DATED_NAME, path.rsplit(os.sep, 1)[-1]), (_DATED_FOLDER, path.replace(os.sep, "/"))):
        if found := re.search(shape, text):
            *parts, zone = found.groups()
            try:
                when = datetime(*(int(part) for part in parts if part))  # type: ignore[arg-type]
                return (when.replace(tzinfo=UTC) if zone else when).timestamp()
            except (ValueError, OverflowError, OSError):
                continue
    return None
