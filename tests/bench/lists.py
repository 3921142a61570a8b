"""The rows about lists: warm, after an append, cold, and the first screen without a cache."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from .harness import Row, Run, in_turn, process

_SCAN = """
import os, sys
stack, found = [os.path.join(sys.argv[1], name) for name in (".claude/projects", ".codex/sessions")], 0
while stack:
    try:
        entries = list(os.scandir(stack.pop()))
    except OSError:
        continue
    for entry in entries:
        if entry.is_dir():
            stack.append(entry.path)
        elif entry.name.endswith(".jsonl"):
            entry.stat()
            found += 1
"""
_FIRST = """
import os
from sessionbrowser.library import Found, Library
from sessionbrowser.paths import environment
for event in Library(environment(), cache=False).load():
    if isinstance(event, Found):
        os._exit(0)
"""


def rows(corpus: str, rival: str, times: int) -> Iterator[Row]:
    """Measure `sb` on the home `corpus`, beside the program `rival` ("" for none)."""
    with tempfile.TemporaryDirectory() as scratch:
        variables = {"HOME": corpus, "PATH": os.environ["PATH"], "SB_CACHE_DIR": os.path.join(scratch, "cache"), "LC_ALL": "C.UTF-8",
                     "PYTHONPYCACHEPREFIX": os.path.join(scratch, "pyc")}  # fmt: skip
        python = sys.executable
        sb = [os.path.join(os.path.dirname(python), "sb")]

        def ours() -> Run:
            return process([*sb, "list", "--json"], variables)

        def settled() -> Run:
            ours()  # keeps the whole answer, which the next one gives back
            return ours()

        def scan() -> Run:
            return process([python, "-c", _SCAN, corpus], variables)

        def theirs() -> Run:
            return process([rival, "--json", "--all"], variables)

        yield Row("list --json, nothing changed", "a process that only scans", "4x", *in_turn(ours, scan, times))
        if rival:
            yield Row("list --json, nothing changed", "fr --json --all", "0.75x", *in_turn(ours, theirs, times))
        with _growing(biggest(corpus)) as grow:
            yield Row("one line appended to the biggest session", "list --json, nothing changed", "2x", *in_turn(lambda: grow(ours), settled, times))

        def first() -> Run:
            return process([python, "-c", _FIRST], variables)

        yield Row("first 48 rows, no cache", "a process that only scans", "4x", *in_turn(first, scan, times))

        def cold() -> Run:
            shutil.rmtree(variables["SB_CACHE_DIR"], ignore_errors=True)
            return ours()

        yield Row("list --json, no cache yet", "a process that only scans", "-", *in_turn(cold, scan, max(3, times // 3)))


def biggest(corpus: str) -> str:
    """The biggest session of Claude Code in the home `corpus`."""
    found = [os.path.join(base, name) for base, _, names in os.walk(os.path.join(corpus, ".claude")) for name in names if name.endswith(".jsonl")]
    return max((path for path in found if "subagents" not in path and "agent-" not in path), key=os.path.getsize)


@contextmanager
def _growing(path: str):  # type: ignore[no-untyped-def]
    """A way to append one line to `path` before a run; the file is as it was afterwards."""
    before = os.stat(path)
    line = b'{"type":"system","subtype":"informational","content":"still here","timestamp":"2026-05-14T15:00:00.000Z"}\n'

    def grow(run):  # type: ignore[no-untyped-def]
        with open(path, "ab") as file:
            file.write(line)
        return run()

    try:
        yield grow
    finally:
        os.truncate(path, before.st_size)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
