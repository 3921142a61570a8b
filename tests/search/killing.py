"""Killing the process that builds the index, again and again, and what must be true afterwards."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from sessionbrowser.index import worker
from sessionbrowser.index.store import store_path
from sessionbrowser.paths import Environment

REPOSITORY = Path(__file__).resolve().parents[2]


def start(env: Environment) -> subprocess.Popen[bytes]:
    """The worker as a program of its own."""
    variables = {**os.environ, **env.variables, "HOME": env.home, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.Popen([sys.executable, "-m", "sessionbrowser.index.worker", "--quick"], env=variables,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip


def kill_again_and_again(env: Environment, times: int, longest: float, seed: int) -> int:
    """Start the worker and kill it after a random while, `times` times; how often it was still at work then."""
    dice = random.Random(seed)
    caught = 0
    for _ in range(times):
        process = start(env)
        try:
            process.wait(dice.uniform(0.05, longest))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            caught += 1
        check(env)
    return caught


def check(env: Environment) -> None:
    """The file is whole, and holds exactly the rows it says it holds."""
    if not os.path.exists(store_path(env)):
        return
    base = sqlite3.connect(store_path(env))
    try:
        assert base.execute("pragma quick_check").fetchone() == ("ok",)
        if not base.execute("select count(*) from sqlite_master where name = 'text_words'").fetchone()[0]:
            return
        base.execute("insert into text_words (text_words) values ('integrity-check')")
        ((rows,),) = base.execute("select coalesce(sum(rows), 0) from text_session").fetchall()
        ((held,),) = base.execute("select count(*) from text_words_docsize").fetchall()
        assert held == rows
    finally:
        base.close()


def wait_until_free(env: Environment, seconds: float = 30) -> None:
    """Wait for readers of a killed worker to notice that it is gone."""
    until = time.monotonic() + seconds
    while worker.is_running(env) and time.monotonic() < until:
        time.sleep(0.05)


def places(env: Environment, expression: str) -> set[tuple[str, int, int]]:
    """Where a word is, by path and place: the same for every index of the same files."""
    base = sqlite3.connect(store_path(env))
    try:
        return {(path, (row & ((1 << 43) - 1)) >> 3, row & 7) for path, row in base.execute(
            "select s.path, w.rowid from text_words w join text_session s on s.number = w.rowid >> 43 where text_words match ?",
            (expression,))}  # fmt: skip
    finally:
        base.close()
