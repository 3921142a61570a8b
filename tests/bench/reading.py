"""The rows about one big session: its skeleton, beside nothing but parsing its lines."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator

from .harness import Row, in_turn, process
from .lists import biggest

_PARSE = """
import sys, orjson
with open(sys.argv[1], "rb") as file:
    for line in file:
        try:
            orjson.loads(line)
        except ValueError:
            pass
"""


def rows(corpus: str, rival: str, times: int) -> Iterator[Row]:
    """Measure `sb show` on the biggest session of the home `corpus`; nothing else lies in the home it runs in."""
    path = biggest(corpus)
    with tempfile.TemporaryDirectory() as home:
        variables = {"HOME": home, "PATH": os.environ["PATH"], "SB_CACHE_DIR": os.path.join(home, "cache"), "LC_ALL": "C.UTF-8"}
        python = sys.executable
        show = [os.path.join(os.path.dirname(python), "sb"), "show", path, "--view", "skeleton"]
        ours, parsing = in_turn(lambda: process(show, variables), lambda: process([python, "-c", _PARSE, path], variables), times)
        yield Row(f"skeleton of a session of {os.path.getsize(path) >> 20} MiB", "orjson.loads of its lines", "2x", ours, parsing)
