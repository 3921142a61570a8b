"""Garbage is collected while nobody waits."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from sessionbrowser.tui import tidying
from sessionbrowser.tui.tidying import SOME, Tidying


@pytest.fixture
def collections() -> Iterator[list[int]]:
    """The generations that were collected since; nothing is by itself."""
    seen: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            seen.append(info["generation"])

    thresholds = gc.get_threshold()
    gc.set_threshold(10_000_000)
    gc.collect()
    gc.callbacks.append(note)
    yield seen
    gc.callbacks.remove(note)
    gc.set_threshold(*thresholds)


def test_much_that_is_new_is_collected_when_nobody_types(collections: list[int]) -> None:
    kept: list[object] = [[] for _ in range(2 * SOME)]
    Tidying().look()
    assert collections == [0]
    assert kept


def test_nothing_is_collected_right_after_a_key(collections: list[int]) -> None:
    kept: list[object] = [[] for _ in range(2 * SOME)]
    tidying = Tidying()
    tidying.touched()
    tidying.look()
    assert collections == []
    assert kept


def test_nothing_is_collected_while_sessions_are_loaded(collections: list[int]) -> None:
    kept: list[object] = [[] for _ in range(2 * SOME)]
    gc.disable()
    Tidying().look()
    gc.enable()
    assert collections == []
    assert kept


def test_little_is_not_worth_a_collection(collections: list[int]) -> None:
    Tidying().look()
    assert collections == []


def test_once_everything_is_loaded_nothing_of_it_is_looked_at_again() -> None:
    thresholds, enabled = gc.get_threshold(), gc.isenabled()
    try:
        tidying.settle()
        assert gc.isenabled()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)
        if not enabled:
            gc.disable()
