"""Screens in tests: no waiting for an idle processor, no blinking cursors, no animation."""

from __future__ import annotations

import pytest

try:  # private, so guarded: a Pilot otherwise sleeps in steps of 20 ms after every key
    import textual._wait as _wait
except ImportError:
    _wait = None  # type: ignore[assignment]


@pytest.fixture(autouse=True)
def _quick_pilot(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key press costs a millisecond or two instead of seventy."""
    if _wait is not None:
        monkeypatch.setattr(_wait, "SLEEP_GRANULARITY", 0.004, raising=False)
        monkeypatch.setattr(_wait, "SLEEP_IDLE", 0.0005, raising=False)
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.setenv("COLORTERM", "truecolor")
