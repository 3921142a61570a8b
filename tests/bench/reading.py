"""The rows about one big session: its skeleton, beside nothing but parsing its lines."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

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
    """Measure `sb show` of the biggest session of the home `corpus`, found by its id among all others."""
    path = biggest(corpus)
    with tempfile.TemporaryDirectory() as scratch:
        variables = {"HOME": corpus, "PATH": os.environ["PATH"], "SB_CACHE_DIR": os.path.join(scratch, "cache"), "LC_ALL": "C.UTF-8"}
        python = sys.executable
        show = [os.path.join(os.path.dirname(python), "sb"), "show", Path(path).stem, "--view", "skeleton"]
        ours, parsing = in_turn(lambda: process(show, variables), lambda: process([python, "-c", _PARSE, path], variables), times)
        yield Row(f"skeleton of a session of {os.path.getsize(path) >> 20} MiB", "orjson.loads of its lines", "2x", ours, parsing)
