"""The days after which agents delete what they wrote, remembered from load to load."""

from __future__ import annotations

from pathlib import Path

from sessionbrowser.library import Library
from sessionbrowser.paths import Environment

NOW = 1778770800.0


def library(home: Path, cache: Path) -> Library:
    return Library(Environment(str(home), {"SB_CACHE_DIR": str(cache)}, str(home), "linux", NOW))


def test_another_home_in_between_makes_no_session_forget_when_it_is_deleted(demo_home: Path, tmp_path: Path) -> None:
    """Each scope has its own rules, also when one cache holds both."""
    cache = tmp_path / "cache"
    library(demo_home, cache).sessions()
    before = {session.id: session.expires for session in library(demo_home, cache).cached()}
    library(tmp_path / "nobody", cache).sessions()
    after = {session.id: session.expires for session in library(demo_home, cache).cached()}
    assert after == before
    assert any(before.values())
