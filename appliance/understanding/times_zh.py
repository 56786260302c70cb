"""Chinese time expressions: a folded question and the as-of date arrive, atoms leave."""

from __future__ import annotations

import datetime
import re
from functools import partial

from appliance.understanding.fold import number
from appliance.understanding.periods import (
    Period,
    back_to,
    day,
    half,
    months,
    quarter,
    unit_away,
    year,
)
from appliance.understanding.time_atoms import Atom, ByYear, Rule, fixed, full_year, yearless

_N = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_L = r"(?<![A-Za-z0-9.\-/$€£¥#_])"
_BARE4 = r"(?:1[5-9]|20|21)\d\d"
_AFTER_TWO = (
    r"(?=的?(?:第?[一二三四1-4]季|[上下]半年|Q[1-4]|度|年?报|财|\d{1,2}月|"
    r"[一二三四五六七八九十]{1,2}月|[初底末中]))"
)
_LASTING = (
    r"代|来|前|后|期|间|内|以|之|国债|了|时间|利率|经验|历史|多|里|左右|的?(?:经验|历史|工龄|老|"
    r"保质|质保|合同|租|房贷|寿命)|才|都没|"
    r"就|可以|能"
)
_Y = (
    rf"(?:{_L}(?P<year>1\d{{3}}|2[01]\d\d)\s?年(?!代)(?:度)?|"
    rf"(?<![\d.近去过满第历])(?P<yy>[012]\d)年{_AFTER_TWO}(?:度)?|"
    rf"(?:^|(?<=[，。、；：,:;\s和与跟比及对]))(?P<short>[0129]\d)年(?!\s?(?:{_LASTING}))(?:度)?|"
    r"(?P<rel>大前年|前年|去年|上一?年度?|今年|本年度?|明年|后年)(?!来)|"
    rf"{_L}(?P<bare>(?:19|20)\d\d)(?=\s?[Qq][1-4]|第?[一二三四]季|[上下]半年|前[一二三两]季|"
    rf"财?年?[年中季]报))"
)
_YEARS = {"大前": -3, "前年": -2, "去年": -1, "上": -1, "今年": 0, "本": 0, "明年": 1, "后年": 2}
_OF = r"(?:的|度|，)?\s?"
_I = re.IGNORECASE


def _year_in(match: re.Match[str], as_of: datetime.date) -> int | None:
    groups = match.groupdict()
    if groups.get("rel"):
        return as_of.year + next(step for word, step in _YEARS.items() if groups["rel"].startswith(word))
    text = groups.get("year") or groups.get("yy") or groups.get("short") or groups.get("bare")
    return full_year(text, as_of) if text else None


def _atom(match: re.Match[str], as_of: datetime.date, by_year: ByYear) -> Atom:
    which = _year_in(match, as_of)
    return yearless(match, by_year) if which is None else fixed(match, by_year(which))


def _day(match: re.Match[str], as_of: datetime.date) -> Atom:
    month, which = number(match["m"]) or 0, number(match["d"]) or 0
    return _atom(match, as_of, lambda y: day(y, month, which))


def _numeric(match: re.Match[str], as_of: datetime.date) -> Atom:
    return fixed(match, day(int(match["y"]), int(match["m"]), int(match["d"])))


def _month(match: re.Match[str], as_of: datetime.date) -> Atom:
    month, edge = number(match["m"]) or 0, (match["edge"] or "")[:1]
    if not edge:
        return _atom(match, as_of, lambda y: months(y, month, month))
    first = {"初": 1, "上": 1, "中": 11, "下": 21, "底": 21, "末": 21}[edge]

    def third(y: int) -> Period | None:
        whole = months(y, month, month)
        if whole is None or whole.start is None or whole.end is None:
            return None
        last = whole.end if first == 21 else whole.start.replace(day=first + 9)
        return Period(start=whole.start.replace(day=first), end=last)

    return _atom(match, as_of, third)


def _month_range(match: re.Match[str], as_of: datetime.date) -> Atom:
    first, last = number(match["m"]) or 0, number(match["n"]) or 0
    return _atom(match, as_of, lambda y: months(y, first, last))


def _quarter(match: re.Match[str], as_of: datetime.date) -> Atom:
    which = number(match["q"]) or 0
    return _atom(match, as_of, lambda y: quarter(y, which))


def _first_quarters(match: re.Match[str], as_of: datetime.date) -> Atom:
    count = (number(match["q"]) or 0) * (1 if "月" in match.group() else 3)
    return _atom(match, as_of, partial(_until_month, last=count))


def _until_month(y: int, *, last: int) -> Period | None:
    return months(y, 1, last, fiscal=True)


def _half(match: re.Match[str], as_of: datetime.date) -> Atom:
    which = 2 if "下" in match["half"] else 1
    return _atom(match, as_of, lambda y: half(y, which))


def _edge(match: re.Match[str], as_of: datetime.date) -> Atom:
    first, last = {"初": (1, 1), "中": (5, 8), "底": (12, 12), "末": (12, 12)}[match["edge"]]
    return _atom(match, as_of, lambda y: months(y, first, last))


def _whole(match: re.Match[str], as_of: datetime.date) -> Atom:
    which = _year_in(match, as_of)
    fiscal = match["report"] is not None or "度" in match.group()
    return fixed(match, None if which is None else year(which, fiscal=fiscal))


def _fiscal(match: re.Match[str], as_of: datetime.date) -> Atom:
    words = {"上": -1, "去": -1, "本": 0, "这": 0, "下": 1}
    text = match["fy"]
    which = as_of.year + words[text[0]] if text[0] in words else full_year(text, as_of)
    return fixed(match, year(which, fiscal=True))


def _span(match: re.Match[str], as_of: datetime.date) -> Atom:
    first = int(match["year"])
    last = int(match["to"]) if len(match["to"]) == 4 else first // 100 * 100 + int(match["to"])
    ordered = first < last <= first + 100
    period = Period(start=datetime.date(first, 1, 1), end=datetime.date(last, 12, 31)) if ordered else None
    return fixed(match, period)


_UNITS = {
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "季": "quarter",
    "年": "year",
}


def _unit(text: str) -> str:
    return next(unit for word, unit in _UNITS.items() if word in text)


def _past(match: re.Match[str], as_of: datetime.date) -> Atom:
    if match["count"] == "半":
        return fixed(match, back_to(as_of, "half", 1), gives_year=False)
    return fixed(match, back_to(as_of, _unit(match["unit"]), number(match["count"]) or 0), gives_year=False)


def _ago(match: re.Match[str], as_of: datetime.date) -> Atom:
    unit = _unit(match["unit"])
    if match["count"] == "半":
        return fixed(match, unit_away(as_of, "month", -6), gives_year=False)
    return fixed(match, unit_away(as_of, unit, -(number(match["count"]) or 0)), gives_year=unit == "year")


def _relative(match: re.Match[str], as_of: datetime.date) -> Atom:
    word = match["which"]
    step = -2 if word.startswith("上上") else {"上": -1, "本": 0, "这": 0, "当": 0, "下": 1}[word[0]]
    return fixed(match, unit_away(as_of, _unit(match["unit"]), step), gives_year=False)


def _days_away(match: re.Match[str], as_of: datetime.date) -> Atom:
    step = {"前": -2, "昨": -1, "明": 1, "后": 2}[match.group()[0]]
    return fixed(match, unit_away(as_of, "day", step), gives_year=False)


def _to_date(match: re.Match[str], as_of: datetime.date) -> Atom:
    return fixed(match, Period(start=datetime.date(as_of.year, 1, 1), end=as_of), gives_year=False)


def _decade(match: re.Match[str], as_of: datetime.date) -> Atom:
    text, century = match["decade"], match["century"]
    value = int(text) if text.isdigit() else (number(text) or 0)
    if value < 1000:
        hundreds = ((number(century) or 20) - 1) if century and century != "上" else 19
        if not century and value < 20:
            hundreds = 20
        value += hundreds * 100
    start, end = year(value), year(value + 9)
    return fixed(match, start and end and Period(start=start.start, end=end.end), gives_year=False)


def _century(match: re.Match[str], as_of: datetime.date) -> Atom:
    which = {"上": 20, "本": 21}.get(match["century"]) or number(match["century"]) or 0
    start, end = year(which * 100 - 99), year(which * 100)
    return fixed(match, start and end and Period(start=start.start, end=end.end), gives_year=False)


def _five_years(match: re.Match[str], as_of: datetime.date) -> Atom:
    # 十四五 is the plan of 2021-2025.
    first = 1971 + 5 * (number("十" + match["plan"]) or 0) - 20
    return fixed(match, Period(start=datetime.date(first, 1, 1), end=datetime.date(first + 4, 12, 31)))


def _now(match: re.Match[str], as_of: datetime.date) -> Atom:
    return Atom(begin=match.start(), end=match.end(), period=Period(start=as_of, end=as_of), now=True)


def _bare(match: re.Match[str], as_of: datetime.date) -> Atom:
    return fixed(match, year(int(match["year"])))


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, _I)


_COUNT = r"(?P<count>\d{1,3}|[一二三四五六七八九十]{1,3}|两|半)"
_UNIT = r"(?P<unit>个?(?:月|季度|星期|礼拜)|年|周|天|日)"
_MEASURES = (
    r"元|万|亿|人|名|件|台|个|项|家|吨|克|米|号|股|次|套|辆|只|页|天|小时|字|度|瓦|伏|美|千|百|"
    r"公里|倍|户|例|分|点|条|种|平方|立方|毫|座|所|[%％℃°]"
)
_REPORT = r"(?P<report>(?=(?:的)?\s?(?:年报|年度|财报|财务|业绩|半年报|中报|审计|10-K)))?"
_OPT = rf"(?:{_Y}{_OF})?"
RULES: tuple[Rule, ...] = (
    (_rule(r"年初(?:至今|到现在|以来)|今年(?:以来)?(?:至今|到现在|截至目前)|本年至今"), _to_date),
    (
        _rule(
            rf"{_L}(?P<y>{_BARE4})(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}})(?![A-Za-z0-9#]|"
            rf"[-/.]\d)"
        ),
        _numeric,
    ),
    (_rule(rf"{_L}(?P<y>{_BARE4})(?P<m>0[1-9]|1[0-2])(?P<d>[0-3]\d)(?![A-Za-z0-9#]|[-/.]\w)"), _numeric),
    (_rule(rf"{_OPT}(?<![\d个])(?P<m>{_N})月(?:份)?\s?(?P<d>\d{{1,2}}|{_N})\s?[日号](?!线)"), _day),
    (
        _rule(rf"{_OPT}(?<![\d个])(?P<m>{_N})(?:月份?)?\s?(?:至|到|-|~)\s?(?P<n>{_N})月(?:份)?(?!\s?\d)"),
        _month_range,
    ),
    (_rule(rf"{_OPT}(?<![\d个])(?P<m>{_N})月(?:份)?(?P<edge>[上中下]旬|[初底末])?"), _month),
    (_rule(rf"{_OPT}前(?P<q>[一二三两23])个?季度"), _first_quarters),
    (_rule(rf"{_Y}{_OF}[前首](?P<q>\d{{1,2}}|[一二三四五六七八九十两]{{1,2}})个月"), _first_quarters),
    (_rule(rf"{_OPT}第(?P<q>[一二三四五六七八九1-9])个?财?季度?"), _quarter),
    (_rule(rf"{_OPT}(?<![\d前近个过])(?P<q>[一二三四首1-4])季(?:度|报)"), _quarter),
    (_rule(rf"{_OPT}(?<![A-Za-z0-9])Q(?P<q>\d)(?![A-Za-z0-9])"), _quarter),
    (_rule(rf"{_OPT}(?P<half>[上下]半年|半年报|半年度|中报|中期报告)"), _half),
    (_rule(rf"{_Y}{_OF}(?P<edge>初|底|末)"), _edge),
    (_rule(rf"{_Y}(?P<edge>中)(?=[，,、的至到]|之后|以后|以前|之前|前|后|以来)"), _edge),
    (_rule(rf"{_L}(?P<fy>\d{{4}}|\d\d|上一?个?|本|这个?|下一?个?|去年)财年(?:度)?"), _fiscal),
    (
        _rule(
            rf"{_L}(?P<year>{_BARE4})年?\s?[-~/]\s?(?P<to>{_BARE4}|\d\d(?=年|赛季|学年|财年|年度))"
            rf"(?:年度?|赛季|学年|财年)?(?![\d-])"
        ),
        _span,
    ),
    (
        _rule(
            r"(?:(?P<century>上|\d\d|[一二][一二三四五六七八九十]{0,2}|十[一二三四五六七八九])个?世纪)?"
            r"(?P<decade>(?:1[5-9]|20)\d0|[0-9]0|[一二三四五六七八九]十)年代"
        ),
        _decade,
    ),
    (_rule(r"(?P<century>\d\d|[一二]?十[一二三四五六七八九]?|上个?|本)世纪"), _century),
    (_rule(r"[\"“]?十(?P<plan>[一二三四五])五[\"”]?(?=时期|期间|规划|以来|末|初|开局)"), _five_years),
    (_rule(rf"(?:最近|过去|过往|近|前)(?:的|这)?{_COUNT}\s?{_UNIT}(?:以?来|内|间|里)?"), _past),
    (_rule(rf"(?<![\d.第前后年]){_COUNT}\s?{_UNIT}(?:以|之)?前(?!后)"), _ago),
    (
        _rule(
            r"(?P<which>上上|上一?|本|这一?|当|下一?)(?P<unit>个(?:月|季度?|星期|礼拜)|季度|月|星期|"
            r"礼拜|周)"
            r"(?![末期五六日一二三四转边围刊报考])"
        ),
        _relative,
    ),
    (_rule(r"(?:前天|昨[天日]|明天|后天)|昨晚"), _days_away),
    (_rule(rf"{_Y}{_REPORT}"), _whole),
    (
        _rule(rf"{_L}(?<![第号码])(?P<year>{_BARE4})(?![A-Za-z0-9_#%]|[-/.,:]\d|\s?(?:{_MEASURES}))"),
        _bare,
    ),
    (_rule(r"至今|如今|现在|今天|今日|目前|当前|迄今|今(?=[，。？?]|$)"), _now),
)
