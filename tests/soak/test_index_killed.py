"""Killing the indexer fifty times at random moments, and two browsers at once, on a history of one's own.

    SOAK_HOME=HOME python -m pytest tests/soak -o addopts= -q

HOME is laid out as a home directory (`.claude`, `.codex`), best of a gigabyte.
"""

from __future__ import annotations

import importlib.util
import os
import random
import sqlite3
import sys
import threading
from pathlib import Path

import pytest

from sessionbrowser.index import worker
from sessionbrowser.index.search import Searcher
from sessionbrowser.library import Library
from sessionbrowser.paths import Environment
from sessionbrowser.query import parse

WORDS = ("function", "brindlewort", "self", "error", "return")
TIMES = int(os.environ.get("SOAK_TIMES", "50"))


def _killing():  # type: ignore[no-untyped-def]
    path = Path(__file__).resolve().parents[1] / "search" / "killing.py"
    spec = importlib.util.spec_from_file_location("killing", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def home() -> str:
    found = os.environ.get("SOAK_HOME", "")
    if not found:
        pytest.skip("SOAK_HOME names no history")
    return found


def surroundings(home: str, cache: Path) -> Environment:
    return Environment(home, {"XDG_CACHE_HOME": str(cache), "PATH": os.environ.get("PATH", "")}, home, sys.platform)


def test_fifty_kills_lose_nothing_and_break_nothing(home: str, tmp_path: Path) -> None:
    killing = _killing()
    env, other = surroundings(home, tmp_path / "killed"), surroundings(home, tmp_path / "whole")
    caught, rounds = 0, 0
    while caught < TIMES:
        caught += killing.kill_again_and_again(env, 1, 4.0, seed=rounds)
        rounds += 1
        if not worker.is_running(env) and worker.state(env).done == 0 and rounds % 10 == 0:
            worker.purge(env)  # it was done: begin again
    killing.wait_until_free(env)
    worker.bring_up_to_date(env, wait=60)
    killing.check(env)
    worker.bring_up_to_date(other)
    for word in WORDS:
        assert killing.places(env, word) == killing.places(other, word)


def test_two_browsers_search_while_the_index_is_built_and_killed(home: str, tmp_path: Path) -> None:
    killing = _killing()
    env = surroundings(home, tmp_path / "cache")
    failures: list[BaseException] = []
    done = threading.Event()

    def browse(seed: int) -> None:
        dice = random.Random(seed)
        library = Library(env)
        searcher = Searcher(library, library.sessions())
        try:
            while not done.is_set():
                list(searcher.search(parse(dice.choice(WORDS)), limit=20))
                searcher.state()
        except (sqlite3.Error, OSError, LookupError, ValueError, TypeError) as error:
            failures.append(error)
        finally:
            searcher.close()

    threads = [threading.Thread(target=browse, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    killing.kill_again_and_again(env, 10, 3.0, seed=5)
    killing.wait_until_free(env)
    worker.bring_up_to_date(env, wait=60)
    done.set()
    for thread in threads:
        thread.join()
    assert failures == []
