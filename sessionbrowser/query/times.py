"""Times as people say them, read as half-open windows of seconds since the epoch in the local zone."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

Window = tuple[float, float]

ENDLESS = float("inf")
KEYWORDS = ("today", "yesterday", "thisweek", "lastweek", "thismonth", "lastmonth", "now")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
YEARS = ("year", "thisyear", "lastyear")
_ISO_WEEK = re.compile(r"(\d{4})-?w(\d{1,2})", re.IGNORECASE)
_AGO = re.compile(r"(\d{1,5})(min|mo|[smhdwy])", re.IGNORECASE)
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400, "mo": 30 * 86400, "y": 365 * 86400}
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2})(?::(\d{1,2})(?::(\d{1,2}))?)?)?)?)?[-T:]?")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")
_UNFINISHED = re.compile(r"\d{0,5}|\d{4}-[Ww]")


def window(text: str, now: float, *, instant: bool = False) -> Window | None:
    """The span of time `text` names; None when it is unfinished. Raises ValueError with a reason for people.

    With `instant`, "2d" is the moment two days ago; without, the day that was then.
    """
    first, dots, last = text.partition("..")
    if dots:
        begin = _one(first, now, instant) if first else (-ENDLESS, -ENDLESS)
        end = _one(last, now, instant) if last else (ENDLESS, ENDLESS)
        if begin is None or end is None:
            return None
        if end[1] < begin[0]:  # said the other way round
            begin, end = end, begin
        return begin[0], end[1]
    return _one(text, now, instant)


def _one(text: str, now: float, instant: bool) -> Window | None:
    low = text.strip().lower().replace("_", "").replace(" ", "") if not _DATE.match(text) else text.strip()
    try:
        if found := _ISO_WEEK.fullmatch(text.strip()):
            monday = datetime.fromisocalendar(int(found[1]), int(found[2]), 1)
            return monday.timestamp(), _next_day(monday, 7).timestamp()
        if text[:1].isalpha():
            low = low.replace("-", "")
        if found := _AGO.fullmatch(low):
            return _ago(int(found[1]) * _SECONDS[found[2].lower()], now, found[2].lower(), instant)
        if found := _CLOCK.fullmatch(low):
            hour, minute = int(found[1]), int(found[2])
            if minute > 59 or hour > 24 or (hour == 24 and minute):
                raise ValueError("of no day")
            begin = _midnight(now) + timedelta(hours=hour, minutes=minute)
            return begin.timestamp(), (begin + timedelta(minutes=1)).timestamp()
        if found := _COMPACT.fullmatch(low) or _DATE.fullmatch(low):
            return _date(*[int(part) for part in found.groups() if part is not None])
        if low.isdigit() and len(low) >= 10:
            seconds = int(low) / 1000 if len(low) >= 12 else float(low)
            return seconds, seconds + 1
        if _UNFINISHED.fullmatch(low):
            return None
        if (named := _named(low, now)) is not None:
            return named
    except (ValueError, OverflowError, OSError):
        pass
    raise ValueError(f"“{text}” is no time: try 2d, 3w, yesterday, last-week, april, 2026-05-01, 2026-W15 or a range a..b")


def _ago(seconds: int, now: float, unit: str, instant: bool) -> Window:
    moment = now - seconds
    if instant or unit in ("s", "m", "min", "h"):
        return moment, now
    day = _midnight(moment)
    return day.timestamp(), _next_day(day).timestamp()


def _midnight(moment: float) -> datetime:
    return datetime.fromtimestamp(moment).replace(hour=0, minute=0, second=0, microsecond=0)


def _next_day(day: datetime, days: int = 1) -> datetime:
    """The midnight some days on, right on days of 23 and 25 hours too."""
    return day + timedelta(days=days)


def _date(year: int, month: int = 0, day: int = 0, hour: int = -1, minute: int = -1, second: int = -1) -> Window:
    begin = datetime(year, month or 1, day or 1, max(hour, 0), max(minute, 0), max(second, 0))
    if second >= 0:
        end = begin + timedelta(seconds=1)
    elif minute >= 0:
        end = begin + timedelta(minutes=1)
    elif hour >= 0:
        end = begin + timedelta(hours=1)
    elif day:
        end = _next_day(begin)
    elif month:
        end = datetime(year + month // 12, month % 12 + 1, 1)
    else:
        end = datetime(year + 1, 1, 1)
    return begin.timestamp(), end.timestamp()


def _named(low: str, now: float) -> Window | None:
    """A word for a time, or the beginning of one while it is typed."""
    words = (*KEYWORDS, *WEEKDAYS, "week", "month", *MONTHS, *YEARS)
    word = next((name for name in words if name == low), "") or next((name for name in words if name.startswith(low)), "")
    today = _midnight(now)
    if word in MONTHS:
        month = MONTHS.index(word) + 1
        return _date(today.year - (month > today.month), month)
    if word in YEARS:
        return _date(today.year - (word == "lastyear"))
    if word == "now":
        return now, now + 1
    if word in ("today", "yesterday"):
        day = today if word == "today" else _next_day(today, -1)
        return day.timestamp(), _next_day(day).timestamp()
    if word in WEEKDAYS:
        day = _next_day(today, -((today.weekday() - WEEKDAYS.index(word)) % 7))
        return day.timestamp(), _next_day(day).timestamp()
    if word.endswith("week"):
        monday = _next_day(today, -today.weekday() - (7 if word == "lastweek" else 0))
        return monday.timestamp(), _next_day(monday, 7).timestamp()
    if word.endswith("month"):
        first = today.replace(day=1)
        if word == "lastmonth":
            first = _next_day(first, -1).replace(day=1)
        return _date(first.year, first.month)
    return None
