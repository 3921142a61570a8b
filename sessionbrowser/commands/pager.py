"""A long text on a terminal goes through the person's pager."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterable, Iterator

from sessionbrowser.paths import Environment


def page(lines: Iterable[str], env: Environment, *, wanted: bool) -> None:
    """Write `lines` to standard output; through $PAGER when `wanted` and they are more than the screen holds."""
    lines = iter(lines)
    argv = _pager(env) if wanted else []
    if not argv:
        _write(lines)
        return
    first = list(itertools.islice(lines, _height()))
    rest = next(lines, None)
    if rest is None:
        _write(iter(first))
        return
    _through(argv, itertools.chain(first, [rest], lines), env)


def _height() -> int:
    try:
        return max(4, os.get_terminal_size(1).lines - 1)
    except OSError:
        return 24


def _pager(env: Environment) -> list[str]:
    import shlex
    import shutil

    said = env.get("PAGER") or "less -R"
    try:
        argv = shlex.split(said)
    except ValueError:
        return []
    found = shutil.which(argv[0], path=env.get("PATH") or None) if argv else None
    return [found, *argv[1:]] if found and os.path.basename(found) != "cat" else []


def _through(argv: list[str], lines: Iterator[str], env: Environment) -> None:
    import subprocess

    variables = {**env.variables}
    variables.setdefault("LESS", "-R")
    sys.stdout.flush()
    try:
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, env=variables)
    except OSError:
        _write(lines)
        return
    assert process.stdin is not None
    with process.stdin as pipe:
        try:
            for line in lines:
                pipe.write(line.encode("utf-8", "replace"))
        except BrokenPipeError:  # the person read enough
            pass
        except KeyboardInterrupt:
            pass
    while True:
        try:
            process.wait()
            return
        except KeyboardInterrupt:  # ctrl+c belongs to the pager
            continue


def _write(lines: Iterator[str]) -> None:
    sys.stdout.flush()
    out = sys.stdout.buffer
    while text := "".join(itertools.islice(lines, 100)):
        out.write(text.encode("utf-8", "replace"))
    out.flush()
