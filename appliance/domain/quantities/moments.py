"""Years, quarters, months and days as both languages write them.

Arrives: text of plain characters (full-width forms already folded, one for one). Leaves: where each moment
stands and what it says. Years of the Republic of China count from 1912 (民国112年 is 2023),
Japanese eras too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from appliance.domain.quantities.numerals import chinese
from appliance.domain.quantities.shape import When

_NAMES = "january february march april may june july august september october november december".split()
_SPELT = "|".join(f"{name[:3]}(?:{name[3:]})?" if name != "may" else "may" for name in _NAMES)
_MONTH = rf"(?:{_SPELT}|sept)\.?(?![A-Za-z])"
_YEAR = r"(?:1[5-9]|20)\d\d"
_ERAS = {"民国": 1911, "民國": 1911, "令和": 2018, "平成": 1988, "昭和": 1925}
_HAN = r"[零〇一二三四五六七八九]"
_DAY = r"(?:[0-3]?\d)(?:st|nd|rd|th)?"
_FY = r"(?:FY|CY|fiscal(?:\syear)?|financial\syear|tax\syear)"
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "一": 1, "二": 2, "三": 3, "四": 4}
_RULES: tuple[tuple[str, str], ...] = (
    ("iso", rf"(?<![\d.-])(?P<y>{_YEAR})[-/.](?P<m>0?[1-9]|1[0-2])[-/.](?P<d>0?[1-9]|[12]\d|3[01])(?![\d])"),
    ("era", r"(?P<era>民国|民國|令和|平成|昭和)\s?(?P<n>元|\d{1,3}|[一二三四五六七八九十百零〇]+)\s?年"
            r"(?:度|\s?(?P<m>\d{1,2})\s?月(?:份|\s?(?P<d>\d{1,2})\s?[日号])?)?"),
    ("zh", rf"(?P<y>(?<!\d){_YEAR}|{_HAN}{{4}})\s?(?:年度?|财年|财政年度)(?:(?:的)?\s?(?:"
           r"(?P<m>\d{1,2}|十[一二]?|[一二三四五六七八九])\s?月(?:份|\s?(?P<d>\d{1,2}|[一二三]?十?[一二三四五六七八九十]?)\s?[日号])?"
           r"|第?(?P<q>[一二三四1-4])季度?|(?P<h>[上下]半)年))?"),
    ("zhday", r"(?<![\d年])(?P<m>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])\s?月(?:份|"
    r"\s?(?P<d>[1-3]?\d|二?三?十[一二三四五六七八九]?"
              r"|[一二三四五六七八九])\s?[日号])"),
    ("zhmonth", r"(?<![\d年个])(?P<m>1[0-2]|[1-9])月(?![\d])"),
    ("zhquarter", r"第(?P<q>[一二三四1-4])季度|(?P<h>[上下]半)年"),
    ("dmy", rf"(?<![\d.])(?P<d>{_DAY})\s(?:of\s)?(?P<mon>(?i:{_MONTH}))(?:,?\s(?P<y>{_YEAR}))?(?!\d)"),
    ("mdy", rf"(?P<mon>(?<![A-Za-z])(?i:{_MONTH}))\s(?P<d>{_DAY})(?![\d:.%]\d|\d|\s?(?:%|"
    rf"percent))(?:,?\s(?P<y>{_YEAR}))?"),
    ("my", rf"(?P<mon>(?<![A-Za-z])(?i:{_MONTH}))(?:\sof)?,?\s(?P<y>{_YEAR})(?!\d)"),
    ("q", rf"(?<![A-Za-z\d])(?:Q(?P<q>[1-4])|(?P<qw>(?i:first|second|third|fourth))[ -]quarter)"
          rf"(?:\s(?:of\s)?(?P<fy>{_FY})?\s?(?:['’](?P<yy>\d\d)|(?P<y>{_YEAR}))(?!\d))?"),
    ("qafter", r"(?<![A-Za-z\d])(?P<n>[1-4])Q(?P<y2>\d{2,4})?(?![A-Za-z\d])|"
    r"(?<![A-Za-z\d])H(?P<hn>[12])\s(?P<yh>20\d\d)"),
    ("half", rf"(?P<hw>(?i:first|second))[ -]half\sof\s(?P<y>{_YEAR})"),
    ("fyspan", rf"(?:{_FY}\s?)?(?<!\d)(?P<y>{_YEAR})\s?[/–-]\s?(?P<end>\d\d)(?![\d-])(?:\s?财年|年度)?"),
    ("span", rf"(?<![\d.,-])(?P<y>{_YEAR})年?\s?(?:[–—~至到-]|to|through|until)\s?(?P<y2>{_YEAR})(?!\d|"
    rf",\d)年?"),
    ("fy", rf"(?<![A-Za-z]){_FY}\s?(?:['’]?(?P<yy>\d\d)(?!\d)|(?P<y>{_YEAR}))"),
    ("decade", rf"(?<!\d)(?P<y>{_YEAR})s(?![A-Za-z])"),
    ("year", rf"(?<![\d.,$€£¥A-Za-z+-])(?P<y>{_YEAR})(?![\d%A-Za-z]|[.,]\d|\s?(?:[万亿]|million|billion|"
    rf"percent))"),
    ("month", r"\b(?P<mon>January|February|April|June|July|August|September|October|November|December)\b"
              r"|(?<=\b[Ii]n )(?P<mon2>March|May)\b|(?<=\b[Ss]ince )(?P<mon3>March|May)\b"),
)  # fmt: skip
_COMPILED = tuple((name, re.compile(pattern)) for name, pattern in _RULES)


def moments(text: str) -> Iterator[tuple[int, int, When]]:
    """Yield (start, end, moment), none overlapping another; the longer forms are taken first."""
    taken = bytearray(len(text))
    for name, pattern in _COMPILED:
        for match in pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            if (when := _read(name, match)) is not None:
                taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
                yield match.start(), match.end(), when


def _read(name: str, match: re.Match[str]) -> When | None:
    got = {key: value for key, value in match.groupdict().items() if value}
    year = _year(got)
    if name == "fyspan":
        after = int(got["end"])
        adjoining = year is not None and (year + 1) % 100 == after
        return When(year=int(got["y"]), until=int(got["y"]) + 1, fiscal=True) if adjoining else None
    if name in ("span", "decade"):
        first = int(got["y"])
        last = first + 9 if name == "decade" else int(got["y2"])
        return When(year=first, until=last) if last > first else None
    month, day = _month(got), _number(re.sub(r"\D+$", "", got["d"]) or got["d"]) if "d" in got else None
    if (month and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return None
    fiscal = name == "fy" or "fy" in got or "财" in match.group()
    half = {"上半": 1, "下半": 2, "first": 1, "second": 2, "1": 1, "2": 2}.get(
        (got.get("h") or got.get("hw") or got.get("hn") or "").lower()
    )
    when = When(year=year, month=month, day=day, quarter=_quarter(got), half=half, fiscal=fiscal)
    return None if when == When() else when


def _year(got: dict[str, str]) -> int | None:
    if "era" in got:
        return _ERAS[got["era"]] + (1 if got["n"] == "元" else _number(got["n"]))
    if "yy" in got:
        return 2000 + int(got["yy"])
    found = got.get("y") or got.get("yh") or got.get("y2")
    if not found:
        return None
    year = _number(found)
    return 2000 + year if year < 100 else year


def _month(got: dict[str, str]) -> int | None:
    word = got.get("mon") or got.get("mon2") or got.get("mon3")
    if word:
        return next(at for at, name in enumerate(_NAMES, start=1) if name[:3] == word[:3].lower())
    return _number(got["m"]) if "m" in got else None


def _quarter(got: dict[str, str]) -> int | None:
    word = (
        got.get("q")
        or got.get("qw")
        or ("" if "hn" in got else got.get("n") if "era" not in got else "")
        or ""
    ).lower()
    return _QUARTERS.get(word) or (int(word) if word.isdigit() else None)


def _number(written: str) -> int:
    return int(written) if written.isdigit() and written.isascii() else int(chinese(written)[0])
