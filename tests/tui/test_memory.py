"""What the screen remembers."""

from __future__ import annotations

import os
from pathlib import Path

from sessionbrowser.paths import Environment, cache_folder
from sessionbrowser.tui.memory import FILE, Memory, forget_queries, recall, remember


def test_what_was_remembered_is_recalled(env: Environment) -> None:
    remember(env, Memory(0.5, 0.3, ("login", "is:failed")))
    assert recall(env) == Memory(0.5, 0.3, ("login", "is:failed"))


def test_earlier_queries_are_for_their_owner_only(env: Environment) -> None:
    remember(env, Memory(history=("secret",)))
    path = Path(cache_folder(env)) / FILE
    assert os.name != "posix" or path.stat().st_mode & 0o077 == 0
    assert os.name != "posix" or path.parent.stat().st_mode & 0o077 == 0


def test_only_so_many_queries_are_kept(env: Environment) -> None:
    remember(env, Memory(history=tuple(map(str, range(500)))))
    assert len(recall(env).history) == 100


def test_queries_are_forgotten_and_sizes_are_not(env: Environment) -> None:
    remember(env, Memory(0.5, 0.3, ("secret",)))
    forget_queries(env)
    assert recall(env) == Memory(0.5, 0.3, ())
