"""What a caller's filter can speak of: its fields, their vocabularies, and days named by a part of a date."""

from __future__ import annotations

import calendar
import datetime
from enum import StrEnum

from appliance.domain.identity import Struct
from appliance.domain.metadata import Authority, Classification


class FilterField(StrEnum):
    """What a condition compares."""

    PUBLISHED = "published"
    EFFECTIVE = "effective"
    """The days on which the document is in force."""
    VERSION = "version"
    """The store's count of the document's versions."""
    EDITION = "edition"
    """The document's own label: ``V2.1``, 第3版."""
    DOCUMENT = "document"
    """Its id, its record id, or the id that it declares."""
    TITLE = "title"
    SECTION = "section"
    """A heading on the way to the passage."""
    SECTION_TYPE = "section_type"
    KIND = "kind"
    LANGUAGE = "language"
    AUTHORITY = "authority"
    CLASSIFICATION = "classification"
    OWNER = "owner"
    TAG = "tag"
    FORMAT = "format"


class Days(Struct, frozen=True, kw_only=True):
    """A day, a month or a year as its first and last day (ISO)."""

    first: str
    last: str


def days_of(date: str) -> Days:
    """``2023`` → 2023-01-01 to 2023-12-31; ``2023-02`` its month; a whole date that day.

    Raises ValueError: not ``YYYY[-MM[-DD]]``, or a day that no calendar has.
    """
    parts = [int(part) for part in date.split("-")]
    year, month = parts[0], parts[1] if len(parts) > 1 else None
    if len(parts) == 3:
        day = datetime.date(*parts).isoformat()
        return Days(first=day, last=day)
    first = datetime.date(year, month or 1, 1)
    last_month = month or 12
    last = datetime.date(year, last_month, calendar.monthrange(year, last_month)[1])
    return Days(first=first.isoformat(), last=last.isoformat())


RANKED: dict[str, tuple[str, ...]] = {
    FilterField.AUTHORITY: tuple(reversed(Authority)),
    FilterField.CLASSIFICATION: tuple(Classification),
}
"""Vocabularies with an order, the least first: ``authority>=internal`` is internal or official."""
