"""What went wrong in the background, kept where `sb doctor` finds it: the last time only, beside the cache."""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from sessionbrowser.paths import Environment, cache_folder
from sessionbrowser.text import iso, one_line


class Failure(NamedTuple):
    """The last failure: its first line for eyes, and the file (raw) with all of it."""

    said: str
    path: str


def described(error: BaseException) -> str:
    """One line about an error nobody foresaw, for eyes."""
    return one_line(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)


def keep(env: Environment, error: BaseException, what: str) -> None:
    """Write down `error`, which ended `what` ("looking for sessions"). Nothing happens where nothing can be written."""
    import traceback

    path = _place(env)
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        beside = f"{path}.{os.getpid()}"  # whole or not at all: somebody may be reading the last one
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{iso(time.time())} {what}: {described(error)}\n\n{''.join(lines)}")
        os.replace(beside, path)
    except OSError:
        return


def last(env: Environment) -> Failure | None:
    """What was kept last, None when nothing was."""
    path = _place(env)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return Failure(one_line(file.readline(400)), path)
    except OSError:
        return None


def _place(env: Environment) -> str:
    return os.path.join(cache_folder(env), "last-failure.txt")
