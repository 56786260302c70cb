"""English time expressions: a folded question and the as-of date arrive, atoms leave."""

from __future__ import annotations

import datetime
import re

from appliance.understanding.fold import number
from appliance.understanding.periods import (
    DAY,
    Period,
    back_to,
    day,
    half,
    months,
    moved,
    quarter,
    shifted,
    unit_away,
    year,
)
from appliance.understanding.time_atoms import Atom, Rule, fixed, full_year, yearless

_NAMES = (
    "january jan",
    "february feb",
    "march mar",
    "april apr",
    "may",
    "june jun",
    "july jul",
    "august aug",
    "september sept sep",
    "october oct",
    "november nov",
    "december dec",
)
_MONTHS = {name: count for count, names in enumerate(_NAMES, start=1) for name in names.split()}
_M = (
    r"(?P<month>january|february|march|april|may|june|july|august|september|october|november|"
    r"december|"
    r"jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\b\.?"
)
_D = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_L = r"(?<![\w.$€£¥#/-])"
_R = r"(?![\w#]|[-/.,:]\d)"
Y4 = r"(?:1[5-9]|20|21)\d\d"
_Y = rf"(?P<year>{Y4}){_R}"
_FY = r"(?:fy|fiscal(?:\s+year)?|financial\s+year|calendar(?:\s+year)?)"
_ORD = r"(?P<ord>first|second|third|fourth|1st|2nd|3rd|4th|(?:last|final)(?=\s+(?:quarter|half)\s+of\s))"
_RELYEAR = r"(?P<rel>last|past|previous|prior|this|current|next)\s+(?:fiscal\s+|financial\s+)?year"
_ANYYEAR = rf"(?:(?:{_FY}\s*'?)?(?:(?P<year>{Y4}){_R}|(?<=[y'])(?P<yy>\d\d){_R})|{_RELYEAR})"
_UNIT = r"(?P<unit>day|week|month|quarter|year|decade)s?\b"
_COUNT = r"(?P<count>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|couple\s+of)"
_I = re.IGNORECASE


def _month(match: re.Match[str]) -> int:
    return _MONTHS[match["month"].lower()]


def _year_of(match: re.Match[str], as_of: datetime.date) -> int:
    groups = match.groupdict()
    if groups.get("rel"):
        moves = {"this": 0, "current": 0, "next": 1}
        return as_of.year + moves.get(groups["rel"].lower(), -1)
    return full_year(groups.get("year") or groups["yy"], as_of)


def _numeric(match: re.Match[str], as_of: datetime.date) -> Atom:
    return fixed(match, day(int(match["y"]), int(match["m"]), int(match["d"])))


def _slashed(match: re.Match[str], as_of: datetime.date) -> Atom:
    """``05/13/2023`` tells month from day, ``03/05/2023`` does not: then the year is what is sure."""
    first, second, which = int(match["a"]), int(match["b"]), int(match["y"])
    if first <= 12 < second:
        return fixed(match, day(which, first, second))
    if second <= 12 < first:
        return fixed(match, day(which, second, first))
    if first == second:
        return fixed(match, day(which, first, second))
    return fixed(match, year(which) if first <= 12 and second <= 12 else None)


def _day(match: re.Match[str], as_of: datetime.date) -> Atom | None:
    month, which, text = _month(match), int(match["day"]), match["year"]
    if text:
        return fixed(match, day(int(text), month, which))
    if match["month"] in ("may", "march", "mar", "sep", "dec"):
        return None
    return yearless(match, lambda number: day(number, month, which))


def _days(match: re.Match[str], as_of: datetime.date) -> Atom:
    first = day(int(match["year"]), _month(match), int(match["day"]))
    last = day(int(match["year"]), _month(match), int(match["last"]))
    both = first is not None and last is not None
    return fixed(match, Period(start=first.start, end=last.end) if first and last and both else None)


def _month_year(match: re.Match[str], as_of: datetime.date) -> Atom:
    month = _month(match)
    groups = match.groupdict()
    if groups.get("year") or groups.get("rel"):
        number = _year_of(match, as_of)
        return fixed(match, months(number, month, month))
    vague = match["month"].lower() in ("may", "march", "mar", "jan", "sep", "dec")
    return yearless(match, lambda number: months(number, month, month), vague=vague)


def _which(word: str) -> int:
    return 4 if word in ("last", "final") else number(word) or 0


def _part(match: re.Match[str], as_of: datetime.date) -> Atom:
    """``Q3 2022``, ``first half of FY22``, ``third quarter``."""
    groups = {name: value or "" for name, value in match.groupdict().items()}
    size = groups["size"].lower()
    if groups.get("digit"):
        which = int(groups["digit"])
    else:
        which = _which(groups["ord"].lower())
        which = 2 if which == 4 and size[0] in "h" else which
    part = half if size[0] == "h" else quarter
    if groups.get("year") or groups.get("yy") or groups.get("rel"):
        return fixed(match, part(_year_of(match, as_of), which))
    return yearless(match, lambda number: part(number, which))


def _span_of_months(match: re.Match[str], as_of: datetime.date) -> Atom:
    """``first nine months of 2022``, ``first three quarters of last year``."""
    count = (number(match["count"]) or 0) * (3 if match["unit"].lower() == "quarter" else 1)
    first, last = (1, count) if match["side"].lower() == "first" else (13 - count, 12)
    return fixed(match, months(_year_of(match, as_of), first, last, fiscal=True))


def _fiscal(match: re.Match[str], as_of: datetime.date) -> Atom:
    first = full_year(match["year"] or match["yy"], as_of)
    last = full_year(match["to"], as_of) if match["to"] else first
    begin, end = year(first, fiscal=True), year(last, fiscal=True)
    joined = begin and end and Period(start=begin.start, end=end.end, fiscal=True)
    return fixed(match, joined or None)


def _season(match: re.Match[str], as_of: datetime.date) -> Atom | None:
    first = int(match["year"])
    last = full_year(match["to"], as_of) if len(match["to"]) == 4 else first // 100 * 100 + int(match["to"])
    if not first < last <= first + 60:
        return fixed(match, None) if len(match["to"]) == 4 else None
    return fixed(match, Period(start=datetime.date(first, 1, 1), end=datetime.date(last, 12, 31)))


def _decade(match: re.Match[str], as_of: datetime.date) -> Atom:
    first = int(match["decade"]) if len(match["decade"]) == 4 else 1900 + int(match["decade"])
    start = year(first)
    end = year(first + 9)
    return fixed(match, Period(start=start and start.start, end=end and end.end), gives_year=False)


def _century(match: re.Match[str], as_of: datetime.date) -> Atom:
    which = int(match["century"])
    start, end = year(which * 100 - 99), year(which * 100)
    period = Period(start=start.start, end=end.end) if start and end else None
    return fixed(match, period, gives_year=False)


def _ended(match: re.Match[str], as_of: datetime.date) -> Atom:
    """``year ended December 31, 2022``, ``six months ended June 30, 2022``."""
    end = day(int(match["year"]), _month(match), int(match["day"]))
    if end is None or end.end is None:
        return fixed(match, None)
    counts = {"year": 12, "quarter": 3, "month": number(match["count"] or "one") or 1, "week": 12}
    start = shifted(end.end + DAY, by_months=-counts[match["unit"].lower()])
    return fixed(match, Period(start=start, end=end.end, fiscal=True))


def _edge(match: re.Match[str], as_of: datetime.date) -> Atom:
    """``early 2020``, ``end of 2021``, ``year-end FY2021``."""
    number, word = _year_of(match, as_of), match["edge"].lower()
    if "fy" in match.group().lower() or "fiscal" in match.group().lower():
        return fixed(match, year(number, fiscal=True))
    first, last = next(span for name, span in _EDGES if name in word)
    return fixed(match, months(number, first, last))


_EDGES = (
    ("early", (1, 3)),
    ("mid", (5, 8)),
    ("late", (10, 12)),
    ("begin", (1, 1)),
    ("start", (1, 1)),
    ("end", (12, 12)),
    ("close", (12, 12)),
)


def _relative(match: re.Match[str], as_of: datetime.date) -> Atom:
    word, unit = match["rel"].lower(), match["unit"].lower()
    count = {"this": 0, "current": 0, "next": 1, "coming": 1}.get(word, -1)
    period = unit_away(as_of, "half" if "half" in unit else unit, count)
    if period and match["fiscal"]:
        period = Period(start=period.start, end=period.end, fiscal=True)
    return fixed(match, period, gives_year=unit == "year")


def _past(match: re.Match[str], as_of: datetime.date) -> Atom:
    count = number(match["count"].split()[0] if match["count"] else "one") or 0
    return fixed(match, back_to(as_of, match["unit"].lower(), count), gives_year=False)


def _ago(match: re.Match[str], as_of: datetime.date) -> Atom:
    unit = match["unit"].lower()
    count = number(match["count"].split()[0]) or 0
    if unit == "decade":
        there = moved(as_of, "year", -10 * count)
        return fixed(match, there and year(there.year))
    return fixed(match, unit_away(as_of, unit, -count), gives_year=unit == "year")


def _before_last(match: re.Match[str], as_of: datetime.date) -> Atom:
    return fixed(match, unit_away(as_of, match["unit"].lower(), -2))


def _last_month_name(match: re.Match[str], as_of: datetime.date) -> Atom:
    month = _month(match)
    number = as_of.year if month < as_of.month else as_of.year - 1
    if match["rel"].lower() == "this":
        number = as_of.year
    elif match["rel"].lower() == "next":
        number = as_of.year if month > as_of.month else as_of.year + 1
    return fixed(match, months(number, month, month))


def _to_date(match: re.Match[str], as_of: datetime.date) -> Atom:
    return fixed(match, Period(start=datetime.date(as_of.year, 1, 1), end=as_of), gives_year=False)


def _yesterday(match: re.Match[str], as_of: datetime.date) -> Atom:
    count = {"yesterday": -1, "tomorrow": 1}[match.group().lower()]
    return fixed(match, unit_away(as_of, "day", count), gives_year=False)


def _now(match: re.Match[str], as_of: datetime.date) -> Atom:
    return Atom(begin=match.start(), end=match.end(), period=Period(start=as_of, end=as_of), now=True)


def _bare(match: re.Match[str], as_of: datetime.date) -> Atom:
    fiscal = match["report"] is not None
    period = year(int(match["year"]), fiscal=fiscal)
    return Atom(begin=match.start("year"), end=match.end("year"), period=period, gives_year=True)


UNITS = (
    r"units?|people|persons?|employees|dollars|usd|euros?|mg|kg|km|ml|rpm|mah|patients?|cases|"
    r"words|pages|items|"
    r"shares|steps|calories|kcal|hours?|days|beds|students|points|pieces|tons?|tonnes|miles|"
    r"met(?:er|re)s|feet|"
    r"percent|per\b|volts?|watts?|customers|copies|cycles|rows|samples|vehicles|cars|seats|"
    r"participants|subjects|"
    r"members|stores|characters|tokens|or\ more|times|[%°]|hz|kw|mw|mb|gb|users|votes|visitors|"
    r"orders|bytes|"
    r"square|cubic|kilomet|litres?|liters?|minutes|seconds|workers|staff|households|questions|"
    r"documents|rooms|"
    r"yuan|rmb|pounds|yen|iu\b|m\b|g\b|w\b|v\b"
)
_LEFT_OUT = (
    r"(?<!no\.)(?<!no\. )(?<!number )(?<!room )(?<!page )(?<!section )(?<!article )(?<!clause )"
    r"(?<!model )"
    r"(?<!rfc )(?<!iso )(?<!type )(?<!line )(?<!code )(?<!form )(?<!error )(?<!port )(?<!usd )"
    r"(?<!rmb )"
    r"(?<!more than )(?<!fewer than )(?<!less than )(?<!batch )(?<!item )(?<!ticket )(?<!id )"
    r"(?<!cny )(?<!eur )"
)


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, _I)


_TAIL = (
    r"\s+(?:annual\s+report|10-?[kq]|annual\s+results|financial\s+(?:report|statements?|year)|"
    r"fiscal\s+year|earnings|full[- ]year|fy\b)"
)
RULES: tuple[Rule, ...] = (
    (_rule(rf"{_L}(?P<y>{Y4})(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}})(?![\w#]|[-/.]\d)"), _numeric),
    (_rule(rf"{_L}(?P<a>\d{{1,2}})(?P<s>[-/.])(?P<b>\d{{1,2}})(?P=s)(?P<y>{Y4})(?![\w#]|[-/.]\d)"), _slashed),
    (_rule(rf"{_L}(?P<y>{Y4})(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?![\w#]|[-/.]\w)"), _numeric),
    (
        _rule(
            rf"\b(?:fiscal\s+)?(?:(?P<count>three|six|nine|twelve|\d\d?)\s+)?(?P<unit>year|quarter|month|"
            rf"week)s?"
            rf"\s+(?:ended|ending)\s+{_M}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_Y}"
        ),
        _ended,
    ),
    (_rule(rf"\b{_M}\s+{_D}\s?(?:-|to|and)\s?(?P<last>\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_Y}"), _days),
    (_rule(rf"{_L}{_D}\s+(?:of\s+)?{_M},?(?:\s+(?P<year>{Y4}){_R})?"), _day),
    (
        _rule(rf"\b{_M}\s+(?:the\s+)?{_D}(?![\w%]|[.,:]\d)(?:,?\s+(?P<year>{Y4}){_R})?(?!\s+(?:{UNITS}))"),
        _day,
    ),
    (
        _rule(
            rf"{_L}(?P<size>q)(?P<digit>\d)\s?(?:-\s?|of\s+|in\s+|"
            rf",\s?)?(?:{_FY}\s?)?'?(?:(?P<year>20\d\d)|(?P<yy>\d\d)){_R}"
        ),
        _part,
    ),
    (_rule(rf"{_L}(?P<size>[hq])(?P<digit>\d)(?:\s*,?\s*(?:of\s+|in\s+)?(?:the\s+)?{_ANYYEAR})?{_R}"), _part),
    (
        _rule(
            rf"{_L}(?P<digit>[1-4])(?P<size>[hq])(?:\s*(?:of\s+)?(?:{_FY}\s*)?'?(?:(?P<year>20\d\d)|"
            rf"(?P<yy>\d\d)))?{_R}"
        ),
        _part,
    ),
    (
        _rule(
            rf"{_L}(?:{_FY}\s?)?(?:(?P<year>20\d\d)|(?<=fy)(?P<yy>\d\d))(?:\s?-\s?|\s|')?(?P<size>[hq])"
            rf"(?P<digit>\d){_R}"
        ),
        _part,
    ),
    (
        _rule(
            rf"\b{_ORD}[\s-]+(?:fiscal\s+)?(?P<size>quarter|half)(?:'?s)?(?:\s+(?:(?:of|in|for)"
            rf"\s+)?(?:the\s+)?{_ANYYEAR})?(?!\s+(?:of\s+the\s+(?!year)|time|marathon))"
        ),
        _part,
    ),
    (_rule(rf"{_L}{_ANYYEAR}(?:'s)?\s+{_ORD}[\s-]+(?P<size>quarter|half)"), _part),
    (_rule(rf"{_RELYEAR}(?:'s)?\s+(?P<size>[hq])(?P<digit>\d){_R}"), _part),
    (
        _rule(
            rf"\b(?P<side>first|last|final)\s+(?P<count>two|three|six|nine|\d\d?)\s+(?P<unit>month|"
            rf"quarter)s?\s+(?:of|in)\s+(?:the\s+)?{_ANYYEAR}"
        ),
        _span_of_months,
    ),
    (
        _rule(
            rf"\b(?P<edge>early|mid|late|(?:the\s+)?(?:beginning|start|end|close)\s+of|year[\s-]?end|"
            rf"(?<=at )year[\s-]?end)[\s-]+(?:the\s+)?{_ANYYEAR}"
        ),
        _edge,
    ),
    (
        _rule(
            rf"{_L}{_FY}\s?[-']?\s?(?:(?P<year>{Y4})|(?P<yy>\d\d))"
            rf"(?:\s?[-/]\s?(?:{_FY})?(?P<to>\d\d(?:\d\d)?))?{_R}"
        ),
        _fiscal,
    ),
    (_rule(r"\b(?P<decade>(?:1[5-9]|20)\d0)'?s\b"), _decade),
    (_rule(r"(?<!\w)'?(?P<decade>[2-9]0)'?s\b(?=\W|$)"), _decade),
    (_rule(r"(?<!\w)(?P<century>\d\d)(?:st|nd|rd|th)[\s-]century\b"), _century),
    (_rule(rf"{_L}(?P<year>{Y4})\s?(?:-|/)\s?(?P<to>{Y4}|\d\d)(?![\w#]|[-/.]\d)(?!\s*(?:{UNITS}))"), _season),
    (_rule(rf"\b{_M}(?:\s+of)?,?\s+(?:{_Y}|{_RELYEAR})"), _month_year),
    (
        _rule(rf"(?<!\w)(?P<year>{Y4})-(?P<m>0[1-9]|1[0-2]){_R}"),
        lambda m, a: fixed(m, months(int(m["year"]), int(m["m"]), int(m["m"]))),
    ),
    (_rule(rf"\b(?P<rel>last|this|next)\s+{_M}"), _last_month_name),
    (_rule(r"\b(?:the\s+)?(?P<unit>year|quarter|month|week)\s+before\s+last\b"), _before_last),
    (
        _rule(
            r"\byear[\s-]to[\s-]date\b|\bytd\b|\b(?:so\s+far|already)\s+this\s+year\b|"
            r"\bthis\s+year\s+so\s+far\b"
        ),
        _to_date,
    ),
    (
        _rule(
            rf"\b(?:last|past|previous|prior|recent|preceding|trailing)\s+{_COUNT}\s+(?:(?:full|fiscal|"
            rf"financial|calendar)\s+)?{_UNIT}"
        ),
        _past,
    ),
    (_rule(r"\b(?:last|past)\s+(?P<count>)(?P<unit>decade)\b"), _past),
    (_rule(rf"\b{_COUNT}\s+{_UNIT}\s+(?:ago|earlier|back)\b"), _ago),
    (
        _rule(
            r"\b(?P<rel>last|past|(?<!the )previous|(?<!the )prior|this|current|(?<!the )next|coming)"
            r"\s+(?P<fiscal>fiscal\s+|"
            r"financial\s+|reporting\s+)?(?P<unit>year|half[\s-]?year|half|quarter|month|week)"
            r"\b(?![\s-]*end\b)"
        ),
        _relative,
    ),
    (_rule(r"\byesterday\b|\btomorrow\b"), _yesterday),
    (_rule(rf"{_L}{_LEFT_OUT}(?P<year>{Y4})(?:'s)?{_R}(?!\s*(?:{UNITS}))(?P<report>(?={_TAIL}))?"), _bare),
    (_rule(rf"\b{_M}(?![-'])(?!\s+(?:{Y4}|\d))"), _month_year),
    (_rule(r"\b(?:now|today|present|the\s+present(?:\s+day)?|date(?=\s*[?.,]|$))\b"), _now),
)
