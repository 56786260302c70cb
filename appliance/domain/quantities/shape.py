"""A quantity or a moment as read from a text, and when two of them are the same.

Values are in the base of their kind (metres, seconds, bits …): ``5 km`` and 5000米 have one value.
"""

from __future__ import annotations

import math

from appliance.domain.identity import Struct
from appliance.domain.verifying import Span

CALENDAR = "calendar"
"""Unit of years, quarters, months and days: what :class:`When` is about."""
ORDINAL = "ordinal"
CLOCK = "clock"
"""Minutes since midnight."""
PERCENT, POINT = "percent", "percentage_point"
WHOLE_TOLERANCE = 0.10
"""A whole figure stands for others within its last digit, but not for one that differs by more than this."""
CONVERTED_TOLERANCE = 0.05
"""Of two units: ``1 hour`` is not 75 minutes, though half of its last digit would allow it."""
HAIR = 1e-9


class When(Struct, frozen=True, kw_only=True):
    """What a text says of a moment; what it leaves open is None. A range has ``until``, its last year."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None
    half: int | None = None
    fiscal: bool = False
    until: int | None = None

    def months(self) -> tuple[int, int] | None:
        """First and last month, 1–12; None where only the year is told."""
        if self.month:
            return self.month, self.month
        if self.quarter:
            return self.quarter * 3 - 2, self.quarter * 3
        return (self.half * 6 - 5, self.half * 6) if self.half else None


class Quantity(Struct, frozen=True, kw_only=True):
    """One figure of a text."""

    value: float
    """In the base unit, scale applied; the middle of a range; the year of a moment (0: none told)."""
    unit: str = ""
    """Canonical: ``m``, ``s``, ``month``, ``USD``, ``percent``, ``m/s``, ``calendar`` …; "" for a count."""
    low: float
    high: float
    """Both ends of a range; otherwise both are ``value``."""
    step: float = 1.0
    """One unit in the last digit written: 100,000 for ``1.2 million``."""
    written_unit: str = ""
    """The unit's own name before conversion (``km``), scale words left out."""
    bound: str = ""
    """``min`` (at least, 以上), ``max`` (up to, 不超过) or ""."""
    approximate: bool = False
    when: When | None = None
    text: str = ""
    """As written."""
    noun: str = ""
    """The word after it: what it counts; empty where a unit or nothing follows."""
    span: Span
    """Where it stands in the text that was read."""

    @property
    def ranged(self) -> bool:
        """Whether it is a range."""
        return self.low != self.high


def same(a: Quantity, b: Quantity) -> bool:
    """Return whether two figures agree: units converted, rounded as the coarser of the two is.

    Different kinds of unit never agree; a bare number agrees with one that has a unit, for tables put the
    unit elsewhere. A year agrees with a day of it.
    """
    if a.when and b.when:
        return _same_moment(a.when, b.when)
    if a.when or b.when:
        return _bare_year(a, b)
    if a.unit != b.unit and a.unit and b.unit:
        return False
    return _near(a.low, b.low, a, b) and _near(a.high, b.high, a, b)


def carries(held: Quantity, said: Quantity) -> bool:
    """Return whether a source that holds ``held`` lets one say ``said``: the same, and no finer than it.

    ``1.2 million`` does not carry ``1,234,567``,
    ``2021`` does not carry ``3 March 2021``; the other way it does.
    """
    if not same(held, said):
        return False
    if held.when and said.when:
        mine, theirs = said.when, held.when
        finer = ((mine.day and not theirs.day), (mine.months() and not theirs.months()))
        return not any(finer)
    exact = math.isclose(held.value, said.value, rel_tol=1e-6)
    return exact or said.approximate or said.step >= held.step * (1 - HAIR)


def _same_moment(a: When, b: When) -> bool:
    if (a.until or b.until) and (a.year, a.until) != (b.year, b.until):
        return False
    if a.year and b.year and a.year != b.year:
        return False
    mine, theirs = a.months(), b.months()
    if mine and theirs and not (mine[0] >= theirs[0] and mine[1] <= theirs[1]):
        if not (theirs[0] >= mine[0] and theirs[1] <= mine[1]):
            return False
        if a.quarter and b.quarter:
            return False
    if a.day and b.day and a.day != b.day:
        return False
    return bool((a.year and b.year) or (mine and theirs))


def _bare_year(a: Quantity, b: Quantity) -> bool:
    """A four-digit number may be read as a year in one text and as a count in the other."""
    moment, number = (a, b) if a.when else (b, a)
    bare = moment.when == When(year=int(moment.value)) if moment.value else False
    return bare and not number.unit and number.value == moment.value


def _near(x: float, y: float, a: Quantity, b: Quantity) -> bool:
    if math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12):
        return True
    coarser = a if a.step >= b.step else b
    tolerance = coarser.step / 2 * (1 + 1e-6)
    if coarser.step >= 1 or coarser.approximate:
        tolerance = min(tolerance, WHOLE_TOLERANCE * abs(coarser.value))
    if a.written_unit != b.written_unit and a.written_unit and b.written_unit:
        tolerance = min(tolerance, CONVERTED_TOLERANCE * abs(coarser.value))
    return abs(x - y) <= tolerance
