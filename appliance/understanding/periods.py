"""Calendar arithmetic for time expressions: years, halves, quarters, months, days as ranges of days."""

from __future__ import annotations

import calendar
import datetime

from appliance.domain import Struct

Date = datetime.date
DAY = datetime.timedelta(days=1)


class Period(Struct, frozen=True, kw_only=True):
    """Days from ``start`` to ``end``, both included; None where it is open."""

    start: Date | None = None
    end: Date | None = None
    fiscal: bool = False


def year(number: int, *, fiscal: bool = False) -> Period | None:
    """A whole year; None for one the calendar does not have."""
    if not 1 <= number <= 9998:
        return None
    return Period(start=Date(number, 1, 1), end=Date(number, 12, 31), fiscal=fiscal)


def months(number: int, first: int, last: int, *, fiscal: bool = False) -> Period | None:
    """The months ``first`` to ``last`` of a year; None for months that are none."""
    if not (1 <= number <= 9998 and 1 <= first <= last <= 12):
        return None
    end = Date(number, last, calendar.monthrange(number, last)[1])
    return Period(start=Date(number, first, 1), end=end, fiscal=fiscal)


def quarter(number: int, which: int) -> Period | None:
    """A quarter of a year, a reporting period."""
    return months(number, which * 3 - 2, which * 3, fiscal=True) if 1 <= which <= 4 else None


def half(number: int, which: int) -> Period | None:
    """A half of a year, a reporting period."""
    return months(number, which * 6 - 5, which * 6, fiscal=True) if 1 <= which <= 2 else None


def day(number: int, month: int, which: int) -> Period | None:
    """One day; None for one that cannot be (30 February)."""
    try:
        date = Date(number, month, which)
    except ValueError:
        return None
    return Period(start=date, end=date)


def shifted(date: Date, *, by_months: int) -> Date:
    """The same day some months later (or earlier), or the month's last where it has no such day."""
    count = date.year * 12 + date.month - 1 + by_months
    which, month = max(1, min(9998, count // 12)), count % 12 + 1
    return Date(which, month, min(date.day, calendar.monthrange(which, month)[1]))


def unit_around(date: Date, unit: str) -> Period:
    """The week (from Monday), month, quarter, half, year, decade or day that a date lies in."""
    spans: dict[str, Period | None] = {
        "day": Period(start=date, end=date),
        "week": Period(start=date - DAY * date.weekday(), end=date + DAY * (6 - date.weekday())),
        "month": months(date.year, date.month, date.month),
        "quarter": quarter(date.year, (date.month + 2) // 3),
        "half": half(date.year, (date.month + 5) // 6),
        "year": year(date.year),
        "decade": Period(start=Date(date.year // 10 * 10, 1, 1), end=Date(date.year // 10 * 10 + 9, 12, 31)),
    }
    found = spans[unit]
    assert found is not None
    return found


_MONTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}


def moved(date: Date, unit: str, count: int) -> Date | None:
    """The date ``count`` units later (negative: earlier); None outside the calendar."""
    if abs(count) > 5_000:
        return None
    try:
        if unit in ("day", "week"):
            return date + DAY * count * (7 if unit == "week" else 1)
        target = date.year + (date.month - 1 + count * _MONTHS[unit]) // 12
        return shifted(date, by_months=count * _MONTHS[unit]) if 1 <= target <= 9998 else None
    except OverflowError:
        return None


def unit_away(date: Date, unit: str, count: int) -> Period | None:
    """The whole unit ``count`` units from a date's own: ``-1``: last year, last quarter."""
    there = moved(date, unit, count)
    return None if there is None else unit_around(there, unit)


def back_to(date: Date, unit: str, count: int) -> Period | None:
    """The last ``count`` units up to a date: ``past three months``, 近三年."""
    there = moved(date, unit, -count)
    return None if there is None else Period(start=there, end=date)
