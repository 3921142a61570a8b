"""The rows about finding: building the index, a word or a prefix in it, the deep search, a key press."""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from sessionbrowser.index import worker
from sessionbrowser.index.search import Options, Searcher
from sessionbrowser.library import Library
from sessionbrowser.paths import Environment
from sessionbrowser.query import parse

from .harness import Row, Run, in_turn, process

_EVERY_LINE = """
import os, sys, orjson
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        if name.endswith(".jsonl"):
            with open(os.path.join(folder, name), "rb", buffering=1 << 20) as file:
                for line in file:
                    try:
                        orjson.loads(line)
                    except ValueError:
                        pass
"""
_INDEX = "from sessionbrowser.index.worker import bring_up_to_date as index; from sessionbrowser.paths import environment; index(environment())"
_WORDS = ("function", "brindlewort", "quorvexine", "zorvaxine", "error", "self", "test", "return", "parser", "config")
_SCREEN = 40  # sessions whose first hit is read for the list


def rows(corpus: str, rival: str, times: int) -> Iterator[Row]:
    """Measure finding on the home `corpus`, beside the program `rival` ("" for none)."""
    cache = tempfile.mkdtemp()
    variables = {**os.environ, "HOME": corpus, "XDG_CACHE_HOME": cache}
    try:
        yield from _building(corpus, rival, variables, max(2, times // 2))
        env = Environment(corpus, {"XDG_CACHE_HOME": cache, "PATH": os.environ.get("PATH", "")}, corpus)
        worker.bring_up_to_date(env)
        library = Library(env)
        listed = library.sessions()
        searcher = Searcher(library, listed)
        yield _asked("a word, with the lines of a screen (p95)", searcher, _WORDS, times, 0.030)
        prefixes = sorted({word[:3] for word in _WORDS} | {"the", "con", "pro"})
        yield _asked("a prefix of 3 letters (p95)", searcher, prefixes, times, 0.030)
        yield _key_press(listed, times)
        if program := shutil.which("rg"):
            yield _deep(searcher, program, corpus, variables, times)
    finally:
        shutil.rmtree(cache, ignore_errors=True)


def _building(corpus: str, rival: str, variables: dict[str, str], times: int) -> Iterator[Row]:
    def ours() -> Run:
        shutil.rmtree(variables["XDG_CACHE_HOME"], ignore_errors=True)
        return process([sys.executable, "-c", _INDEX], variables)

    every = in_turn(ours, lambda: process([sys.executable, "-c", _EVERY_LINE, corpus], variables), times)
    yield Row("cold full index", "orjson.loads of every line", "≤ 3", *every)
    if rival:
        yield Row("cold full index", "fr --rebuild", "≤ 1.6", *in_turn(ours, lambda: _rebuild(rival, variables), times))


def _rebuild(rival: str, variables: dict[str, str]) -> Run:
    with tempfile.TemporaryDirectory() as home:
        for name in (".claude", ".codex"):
            os.symlink(Path(variables["HOME"]) / name, Path(home) / name)
        return process([rival, "--rebuild", "--stats"], {**variables, "HOME": home, "XDG_CACHE_HOME": home})


def _clocked(work: Callable[[], object]) -> Run:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Run(time.perf_counter() - wall, max(time.process_time() - cpu, 1e-6), 0)


def _asked(what: str, searcher: Searcher, texts: tuple[str, ...] | list[str], times: int, budget: float) -> Row:
    """The slowest twentieth of searches for `texts`, each many times."""
    options = Options(per_session=1)
    runs = [_clocked(lambda text=text: list(searcher.search(parse(text), limit=_SCREEN, options=options)))  # type: ignore[misc]
            for text in texts for _ in range(max(times, 3))]  # fmt: skip
    runs.sort()
    slow = runs[int(len(runs) * 0.95) - 1]
    print(f"    {what}: median {statistics.median(run.wall for run in runs) * 1000:.1f} ms")
    return Row(what, f"{budget * 1000:.0f} ms", "≤ 1", [slow], [Run(budget, budget, 0)])


def _key_press(listed: list, times: int) -> Row:  # type: ignore[type-arg]
    """A word typed letter by letter over 10,000 rows; the slowest letter counts."""
    dice = random.Random(1)
    many = [dice.choice(listed)._replace(id=f"{number:08x}", path=f"/{number}") for number in range(10_000)]
    parse("x").rank(many)
    runs = []
    for _ in range(times):
        letters = [_clocked(lambda text=text: list(parse(text).rank(many)[:60]))  # type: ignore[misc]
                   for text in ("f", "fi", "fix", "fix p", "fix pa", "fix par")]  # fmt: skip
        runs.append(max(letters))
    return Row("a key press over 10,000 rows (slowest letter)", "16 ms", "≤ 1", runs, [Run(0.016, 0.016, 0)])


def _deep(searcher: Searcher, program: str, corpus: str, variables: dict[str, str], times: int) -> Row:
    needle = json.loads((Path(corpus) / "manifest.json").read_text())["needles"]["rare-tool-result"]["text"]
    ours, theirs = in_turn(
        lambda: _clocked(lambda: list(searcher.search(parse(f"{needle} in:all")))),
        lambda: process([program, "-l", needle, corpus + "/.claude", corpus + "/.codex"], variables),
        times,
    )
    return Row("deep search over everything", "rg -l", "≤ 5", ours, theirs)
