"""A short form of tests/soak/writing.py: whatever is done to the files, what is shown is what is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from soak.writer import Writer
from soak.writing import Follower, differences, fresh, unlike

from sessionbrowser.library import Event, Library
from sessionbrowser.library.watch import Watcher
from sessionbrowser.library.watching import Rounds
from sessionbrowser.paths import Environment


@pytest.mark.parametrize("seed", range(3))
def test_what_is_shown_at_the_end_is_what_a_fresh_reading_shows(home: Path, env: Environment, seed: int) -> None:
    """Lines torn and mended, files cut, replaced, moved and deleted, subagents beginning."""
    env = env._replace(clock=0.0)
    writer, seconds = Writer(home, seed), 1000.0
    library = Library(env)
    follower = Follower(library)
    for event in library.load(deep=True):
        follower.fold([event])
    rounds = Rounds(library, Watcher(clock=lambda: seconds), lambda: follower.path, clock=lambda: seconds)
    rounds.begin()
    for step in range(150):
        writer.step()
        if step % 3 == 0:
            seconds += 0.3
            follower.fold(list(rounds.one()))
            shown = [name[1] for name, row in follower.rows.items() if not row.hidden]
            follower.follow(follower.path if follower.path in shown else shown[step % len(shown)])
    writer.settle()
    for _ in range(30):
        seconds += 1.0
        events: list[Event] = list(rounds.one())
        follower.fold(events)
    follower.follow(follower.path)
    assert differences(follower.rows, fresh(env)) == []
    assert follower.outline is not None
    handle = library.handle(follower.rows["claude", follower.path, ""])
    assert unlike(follower.outline, Library(env, cache=False).outline(handle)) == []
