"""Ada's Codex home, empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from .rollout import Store


@pytest.fixture
def store(home: Path) -> Store:
    return Store(home)
