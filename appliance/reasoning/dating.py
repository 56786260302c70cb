"""A date in a short answer, in English or Chinese, as precise as written; and which of two is earlier."""

from __future__ import annotations

import re

from appliance.domain import Struct

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})-(?P<m>\d{1,2})(?:-(?P<day>\d{1,2}))?(?!\d)",
        r"(?P<bc>公元前)?(?P<year>\d{1,4})\s*年(?:\s*(?P<m>\d{1,2})\s*月)?(?:\s*(?P<day>\d{1,2})\s*[日号])?",
        rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH},? (?P<year>\d{{3,4}})(?P<bc> ?B\.?C)?",
        rf"\b{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{3,4}})(?P<bc> ?B\.?C)?",
        rf"\b{_MONTH},? (?P<year>\d{{3,4}})(?P<bc> ?B\.?C)?",
        r"(?<![\d.,])(?P<year>\d{3,4})(?![\d,.]*\d)(?P<bc> ?B\.?C)?",
        r"(?<!\d)(?P<year>\d{1,4})(?P<bc> B\.?C)",
    )
)


class Moment(Struct, frozen=True, kw_only=True):
    """A year, a month or a day; years before our era are negative."""

    year: int
    month: int | None = None
    day: int | None = None

    def in_years(self) -> float:
        """As a number of years, the middle of what is open."""
        month = (self.month - 1) / 12 if self.month else 0.5
        return self.year + month + (self.day / 366 if self.day else 0.0)


def read_moment(text: str) -> Moment | None:
    """The first date of ``text`` as precise as it is; None where there is none or no calendar has it."""
    found = [match for pattern in _PATTERNS if (match := pattern.search(text))]
    if not found:
        return None
    match = min(found, key=lambda each: (each.start(), each.start() - each.end()))
    parts = match.groupdict()
    month = int(parts["m"]) if parts.get("m") else None
    if parts.get("month"):
        month = _MONTHS.index(parts["month"].lower()) + 1
    day = int(parts["day"]) if parts.get("day") else None
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return None
    year = int(parts["year"])
    return Moment(year=-year if parts.get("bc") else year, month=month, day=day)


def earlier(one: Moment, other: Moment) -> bool | None:
    """Whether ``one`` is before ``other``; None where they are the same as far as both are written."""
    for mine, theirs in ((one.year, other.year), (one.month, other.month), (one.day, other.day)):
        if mine is None or theirs is None:
            return None
        if mine != theirs:
            return mine < theirs
    return None
