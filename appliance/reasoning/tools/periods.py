"""Periods that a question or a table header names: years, fiscal years, quarters, halves, months, days.

Arrives: text of either language. Leaves: periods that compare equal however they are written.
"""

from __future__ import annotations

import re

from appliance.domain import Struct
from appliance.errors import UserError
from appliance.reasoning.tools.dates import DATE_AT, MONTHS, dated

_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "一": 1, "二": 2, "三": 3, "四": 4}
_MONTH = "|".join([*MONTHS, *(name[:3] for name in MONTHS)])
_YEAR = (
    r"(?:(?:fiscal year|fiscal|FY|F)\s?'?)?(?<!\d)(?<!\d[,.])(?P<year>(?:19|20)\d{2})(?!\d|[,.]\d)"
    r"(?:\s?/\s?(?P<to>(?:20)?\d{2})(?!\d))?"
)
_SHORT = r"\bFY?\s?'?(?P<short>\d{2})(?!\d)"
_PATTERN = re.compile(
    r"(?P<range>(?:(?i:(?P<between>between)\s(?:(?:fiscal|the|years?|both)\s)*))?"
    r"(?<!\d)(?P<from>(?:19|20)\d{2})年?度?\s?"
    r"(?:-|–|—|~|至|到|(?i:to|through|until)|(?(between)and|(?!)))\s?(?:FY\s?)?(?P<until>(?:19|"
    r"20)\d{2})(?!\d))"
    r"|(?P<quarter>(?i:\bQ(?P<q>[1-4])\b|\b(?P<qword>first|second|third|fourth) quarter(?: of)?))"
    r"(?:[, ]*(?:fiscal |year |FY)*(?P<qyear>(?:19|20)\d{2})(?!\d))?"
    r"|(?P<zhq>(?:(?P<zqyear>(?:19|20)\d{2})年?)?第?(?P<zq>[一二三四1-4])季度)"
    r"|(?P<half>(?P<hyear>(?:19|20)\d{2})年?(?P<h>上半年|下半年)|\bH(?P<hn>[12])[ ,]*(?P<hy2>(?:19|20)\d{2}))"
    rf"|(?i:\b(?P<month>{_MONTH})\b\.?,?\s(?:of\s)?(?P<myear>(?:19|20)\d{{2}})(?!\d))"
    rf"|(?P<plain>{_SHORT}|(?i:{_YEAR}))"
)


class Period(Struct, frozen=True, kw_only=True):
    """A year, or a part of one. Two compare equal where they name the same time."""

    year: int = 0
    """0: not said."""
    part: str = ""
    """``Q3``, ``H1``, ``06`` (a month), ``06-30`` (a day); empty: the whole year."""

    def __str__(self) -> str:
        """As a question names it: ``2019``, ``Q3 2019``, ``2019-06-30``."""
        if self.part[:1] in ("Q", "H"):
            return f"{self.part} {self.year}" if self.year else self.part
        return f"{self.year}-{self.part}" if self.part else str(self.year)

    def fits(self, other: Period) -> bool:
        """Whether ``other`` (of a header) may stand for this one (of a question)."""
        if self.year != other.year and self.year and other.year:
            return False
        parts = {self.part, other.part}
        same = len(parts) == 1 or self.part.partition("-")[0] == other.part.partition("-")[0]
        year_end = not self.part and other.part[:1] not in ("Q", "H")
        return same or year_end or (not other.part and self.part[:1] not in ("Q", "H"))


class Mention(Struct, frozen=True, kw_only=True):
    """A period and where the text names it."""

    period: Period
    start: int
    end: int
    range_start: bool = False
    """The first year of a range (``2017-2019``): the years between belong to it."""


def mentions(text: str) -> list[Mention]:
    """Return the periods of a text in order; ``2017-2019`` gives both ends."""
    found: list[Mention] = []
    taken: list[tuple[int, int]] = []
    for match in DATE_AT.finditer(text):
        try:
            day = dated(match)
        except UserError:  # a day that is none names no period
            continue
        period = Period(year=day.year, part=day.strftime("%m-%d"))
        found.append(Mention(period=period, start=match.start(), end=match.end()))
        taken.append(match.span())
    for match in _PATTERN.finditer(text):
        if not any(start < match.end() and match.start() < end for start, end in taken):
            found.extend(_mentioned(match))
    return sorted(found, key=lambda one: one.start)


def _mentioned(match: re.Match[str]) -> list[Mention]:
    start, end = match.span()

    def one(year: str | int | None, part: str = "", *, first: bool = False) -> Mention:
        return Mention(period=Period(year=int(year or 0), part=part), start=start, end=end, range_start=first)

    if match["range"]:
        return [one(match["from"], first=True), one(match["until"])]
    if match["quarter"]:
        return [one(match["qyear"], f"Q{match['q'] or _QUARTERS[match['qword'].lower()]}")]
    if match["zhq"]:
        return [one(match["zqyear"], f"Q{_QUARTERS.get(match['zq'], match['zq'])}")]
    if match["half"]:
        half = match["hn"] or (1 if match["h"] == "上半年" else 2)
        return [one(match["hyear"] or match["hy2"], f"H{half}")]
    if match["month"]:
        number = next(n for name, n in MONTHS.items() if name.startswith(match["month"].lower()[:3]))
        return [one(match["myear"], f"{number:02d}")]
    if match["short"]:
        return [one(2000 + int(match["short"]))]
    until = match["to"]
    return [one(until if until and len(until) == 4 else f"20{until}" if until else match["year"])]


def periods(text: str) -> list[Period]:
    """Return the different periods of a text in order; a range counts all its years."""
    found: list[Period] = []
    opened: Period | None = None
    for mention in mentions(text):
        if opened is not None:
            found.extend(Period(year=year) for year in range(opened.year + 1, mention.period.year))
        opened = mention.period if mention.range_start else None
        found.append(mention.period)
    return list(dict.fromkeys(_alike(found)))


def _alike(found: list[Period]) -> list[Period]:
    """``the fourth quarter of 2018 and 2019`` speaks of two quarters."""
    parts = {one.part for one in found if one.part[:1] in ("Q", "H")}
    lacking = [one for one in found if not one.part]
    if len(parts) != 1 or not lacking:
        return found
    part = parts.pop()
    said = any(one.part and one.year for one in found)
    filled = [Period(year=one.year, part=part) if not one.part else one for one in found]
    return filled if said else [one for one in filled if one.year]
