"""Days and the time between them: ``31 March 2019``, ``Mar 31, 2019``, 2019年3月31日, ``2019-03-31``.

Arrives: text. Leaves: dates, or whole days, months and years between two of them.
"""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

from appliance.errors import UserError

MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_SHORT = {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}
_MONTH = "|".join([*MONTHS, "sept", *(short for short in _SHORT if short != "sept")])
DATE = (
    r"(?P<iso>\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?![\d-]))"
    r"|(?P<zh>\d{4}\s?年\s?\d{1,2}\s?月(?:\s?\d{1,2}\s?[日号])?)"
    rf"|(?i:(?P<en_day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<en_month>{_MONTH})\.?,?"
    r" (?P<en_year>\d{4}))(?!\d)"
    rf"|(?i:(?P<us_month>{_MONTH})\.? (?P<us_day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<us_year>\d{{4}}))(?!\d)"
)
"""Pattern of one day; group names say the order it is written in."""
DATE_AT = re.compile(DATE)


def dated(match: re.Match[str]) -> date:
    """Return the day of a match of :data:`DATE`; a month without a day is its first.

    Raises UserError: a day that the calendar does not have.
    """
    if match["en_day"]:
        parts = int(match["en_year"]), _month(match["en_month"]), int(match["en_day"])
    elif match["us_day"]:
        parts = int(match["us_year"]), _month(match["us_month"]), int(match["us_day"])
    else:
        numbers = [int(number) for number in re.findall(r"\d+", match["iso"] or match["zh"])]
        parts = numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else 1
    try:
        return date(*parts)
    except ValueError as error:
        raise UserError(f"{match[0]} is no day of the calendar", hint="check the date") from error


def _month(name: str) -> int:
    name = name.lower()
    return MONTHS.get(name) or _SHORT[name if name in _SHORT else name[:3]]


def read_date(text: str) -> date | None:
    """Return the first day that ``text`` names, or None."""
    match = DATE_AT.search(text)
    return dated(match) if match else None


def months_between(start: date, end: date) -> int:
    """Return the whole months from ``start`` to ``end``; negative where ``end`` is earlier."""
    if end < start:
        return -months_between(end, start)
    months = (end.year - start.year) * 12 + end.month - start.month
    last = calendar.monthrange(end.year, end.month)[1]
    return months - (end.day < start.day and end.day != last)


def years_between(start: date, end: date) -> int:
    """Return the whole years from ``start`` to ``end``; negative where ``end`` is earlier."""
    months = months_between(start, end)
    return abs(months) // 12 * (1 if months >= 0 else -1)


def moved(day: date, *, days: int = 0, months: int = 0) -> date:
    """Return a day some days or months later; the month's last day where it has no such day.

    Raises UserError: a year outside 1 to 9999.
    """
    try:
        if days:
            return day + timedelta(days=days)
        count = day.year * 12 + day.month - 1 + months
        year, month = divmod(count, 12)
        return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
    except (ValueError, OverflowError, calendar.IllegalMonthError) as error:
        raise UserError("the date lies outside the calendar", hint="years 1 to 9999") from error
