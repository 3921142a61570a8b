"""The process that builds the index: killed, doubled, watched."""

from __future__ import annotations

import json
import time
from pathlib import Path

from sessionbrowser.index import worker
from sessionbrowser.index.search import Searcher
from sessionbrowser.library import Library
from sessionbrowser.paths import Environment
from sessionbrowser.query import parse

from .killing import check, kill_again_and_again, places, start, wait_until_free


def on_disk(env: Environment) -> int:
    """Sessions and subagents of the generated home, by its own account (other Pythons generate other texts)."""
    manifest = json.loads((Path(env.home) / "manifest.json").read_text())
    return sum(1 + len(session["subagents"]) for session in manifest["sessions"])


WORDS = ("brindlewort", "quorvexine", "function", "self", "talquish")


def test_killing_it_at_any_moment_loses_nothing(generated_env: Environment, tmp_path: Path) -> None:
    """A short form; tests/soak has the long one."""
    caught = kill_again_and_again(generated_env, 4, 1.2, seed=1)
    assert caught > 0
    wait_until_free(generated_env)
    worker.bring_up_to_date(generated_env, wait=30)
    check(generated_env)
    other = generated_env._replace(variables={**generated_env.variables, "XDG_CACHE_HOME": str(tmp_path / "other")})
    worker.bring_up_to_date(other)
    for word in WORDS:
        assert places(generated_env, word) == places(other, word) != set()


def test_a_second_one_leaves_the_work_to_the_first(generated_env: Environment) -> None:
    processes = [start(generated_env) for _ in range(3)]
    assert sorted(process.wait(60) for process in processes)[0] == 0
    check(generated_env)
    assert worker.state(generated_env).sessions == on_disk(generated_env)


def test_results_come_and_progress_shows_while_it_works(generated_env: Environment) -> None:
    process = start(generated_env)
    searcher = Searcher(Library(generated_env))
    seen = []
    every = on_disk(generated_env)
    while process.poll() is None:
        state = worker.state(generated_env)
        if state.working:
            seen.append((state.done, state.total))
        time.sleep(0.02)
    assert seen
    assert all(done <= total == every for done, total in seen)
    assert list(searcher.search(parse("zorvaxine")))
    searcher.close()


def test_started_from_a_program_it_runs_by_itself(generated_env: Environment) -> None:
    process = worker.start(generated_env, low=False)
    assert process is not None
    assert process.wait(60) == 0
    assert worker.state(generated_env).sessions == on_disk(generated_env)
