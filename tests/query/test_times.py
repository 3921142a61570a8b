"""Times as people say them."""

from __future__ import annotations

import time
from datetime import datetime

import pytest

from sessionbrowser.query import times

NOW = 1778770800.0  # 2026-05-14 15:00 UTC, a Thursday


def stamp(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("2026", "2026-01-01", "2027-01-01"),
        ("2026-05", "2026-05-01", "2026-06-01"),
        ("2026-12", "2026-12-01", "2027-01-01"),
        ("2026-05-01", "2026-05-01", "2026-05-02"),
        ("20260501", "2026-05-01", "2026-05-02"),
        ("2026-05-01T14", "2026-05-01T14:00", "2026-05-01T15:00"),
        ("2026-05-01T14:30", "2026-05-01T14:30", "2026-05-01T14:31"),
        ("today", "2026-05-14", "2026-05-15"),
        ("yest", "2026-05-13", "2026-05-14"),
        ("thursday", "2026-05-14", "2026-05-15"),
        ("fri", "2026-05-08", "2026-05-09"),
        ("thisweek", "2026-05-11", "2026-05-18"),
        ("lastweek", "2026-05-04", "2026-05-11"),
        ("lastmonth", "2026-04-01", "2026-05-01"),
        ("last-week", "2026-05-04", "2026-05-11"),
        ("last week", "2026-05-04", "2026-05-11"),
        ("week", "2026-05-11", "2026-05-18"),
        ("month", "2026-05-01", "2026-06-01"),
        ("mon", "2026-05-11", "2026-05-12"),
        ("april", "2026-04-01", "2026-05-01"),
        ("apr", "2026-04-01", "2026-05-01"),
        ("may", "2026-05-01", "2026-06-01"),
        ("december", "2025-12-01", "2026-01-01"),
        ("year", "2026-01-01", "2027-01-01"),
        ("last-year", "2025-01-01", "2026-01-01"),
        ("2026-W15", "2026-04-06", "2026-04-13"),
        ("2026w01", "2025-12-29", "2026-01-05"),
        ("april..2026-W20", "2026-04-01", "2026-05-18"),
        ("3d", "2026-05-11", "2026-05-12"),
        ("2026-05-01..2026-05-03", "2026-05-01", "2026-05-04"),
        ("2026-05-03..2026-05-01", "2026-05-01", "2026-05-04"),
        ("2026-05-", "2026-05-01", "2026-06-01"),
    ],
)
def test_a_time_is_a_half_open_window(text: str, begin: str, end: str) -> None:
    assert times.window(text, NOW) == (stamp(begin), stamp(end))


def test_an_instant_counts_back_from_now() -> None:
    assert times.window("2d", NOW, instant=True) == (NOW - 2 * 86400, NOW)


@pytest.mark.parametrize("text", ["", "2", "202", "20260"])
def test_an_unfinished_time_says_nothing_yet(text: str) -> None:
    assert times.window(text, NOW) is None


@pytest.mark.parametrize("text", ["someday", "2026-13-01", "2026-02-30", "-3d", "99999y", "25:00", "24:30", "12:60"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no time"):
        times.window(text, NOW)


def test_a_day_with_a_clock_change_ends_at_midnight(monkeypatch: pytest.MonkeyPatch) -> None:
    """The day clocks go forward in Berlin has 23 hours."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        begin, end = times.window("2026-03-29", NOW) or (0, 0)
        assert end - begin == 23 * 3600
    finally:
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()
