"""Calculations whose operands the question names: change between years, difference, share, sum, mean.

Arrives: a question in English or Chinese. Leaves: look-ups for the operands and one expression over them.
"""

from __future__ import annotations

import re

from appliance.domain import Pattern, Tool
from appliance.reasoning.shapes import Lookup, Shape

_YEAR = r"(?:(?:FY ?|fiscal (?:year )?)?(?:19|20)\d\d)"
_SPAN = rf"(?:from|between) (?P<y1>{_YEAR}) (?:to|and|until) (?P<y2>{_YEAR})"
_UP = r"grow|rise|increase|go up|improve|climb"
_DOWN = r"decrease|fall|decline|drop|shrink|go down"
_GROW = re.compile(
    rf"^(?:by )?(?P<ask>what (?:percentage|percent|%)|how (?:much|many percent|many percentage points)) "
    rf"did (?P<what>.+?) "
    rf"(?P<how>{_UP}|{_DOWN}|change) {_SPAN}$",
    re.I,
)
_CHANGE = re.compile(
    rf"^what (?:is|was) the (?P<ask>percentage|percent|%|relative|absolute)?(?: )?(?P<how>change|growth|"
    rf"increase|decrease|decline)"
    rf"(?: rate)? (?:in|of) (?P<what>.+?) {_SPAN}$",
    re.I,
)
_DIFFERENCE = re.compile(
    rf"^what (?:is|was) the difference (?:in (?P<of>.+?) )?between (?P<a>.+?) and (?P<b>.+?)(?P<when> in "
    rf"{_YEAR})?$",
    re.I,
)
_MORE = re.compile(
    rf"^how (?:much|many) (?P<how>more|less|fewer|higher|lower) (?P<of>[\w -]+?)? ?(?:did|does|do|has|had|"
    rf"was|were|is) (?P<a>.+?)(?: (?:have|make|"
    rf"earn|report|spend|employ|sell))? than (?P<b>.+?)(?P<when> in {_YEAR})?$",
    re.I,
)
_SHARE = re.compile(
    r"^what (?:share|percentage|proportion|percent|fraction) of (?P<whole>.+?) (?:was|were|is|are|came "
    r"from|comes from|went to) (?P<part>.+)$",
    re.I,
)
_SUM = re.compile(
    rf"^what (?:is|was|were|are) the (?:combined|total|sum of the|sum of) (?P<of>.+?) of (?P<a>.+?) and "
    rf"(?P<b>.+?)(?P<when> in {_YEAR})?$",
    re.I,
)
_MEAN = re.compile(
    rf"^what (?:is|was) the (?:average|mean) (?P<what>.+?) (?:for|in|of|over)? ?{_SPAN}$", re.I
)
_YEAR_ZH = r"(?:(?:19|20)\d\d年度?)"
_GROW_ZH = re.compile(
    rf"^(?P<who>[^，。？]*?)(?P<y2>{_YEAR_ZH})的?(?P<what>[^，。？]+?)(?:比|较|相比|与)(?:上年|(?P<y1>{_YEAR_ZH}))(?:相比)?，?"
    r"(?P<how>增长|增加|上升|提高|下降|减少|降低|变化)了?(?P<ask>多少|百分之几|百分之多少|几个百分点|几成)(?:亿元|万元|元|人|个)?$"
)
_GROW_SPAN_ZH = re.compile(
    rf"^(?P<who>[^，。？]*?)(?P<what>[^，。？]*?)?从(?P<y1>{_YEAR_ZH})到(?P<y2>{_YEAR_ZH})的?(?P<of>[^，。？]*?)"
    r"(?P<how>增长|增加|上升|提高|下降|减少|降低|变化)了?(?P<ask>多少|百分之几|百分之多少|几成)$"
)
_MORE_ZH = re.compile(
    rf"^(?P<a>[^，。？比]+?)(?P<y>{_YEAR_ZH})?的?(?P<of>[^，。？比年]{{2,12}}?)比(?P<b>[^，。？]+?)(?P<how>高|多|低|少|大|小|长|"
    rf"短|贵|便宜)(?:了|出)?"
    r"(?P<ask>多少|百分之几|百分之多少|几[^，。？]{1,2})(?:亿元|万元|元|人|个)?$"
)
_SHARE_ZH = re.compile(
    r"^(?P<part>[^，。？]+?)占(?P<whole>[^，。？]+?)的?(?:比例|比重|百分比|份额)?(?:是|为)?(?:多少|多大|百分之几|百分之多少|几成)$"
)
_SUM_ZH = re.compile(
    rf"^(?P<a>[^，。？]+?)(?:和|与|、)(?P<b>[^，。？]+?)(?P<y>{_YEAR_ZH})?的?(?P<of>[^，。？的]{{2,10}}?)(?:之和|合计|总和|加起来|"
    rf"一共)(?:是|为)?(?:多少)?$"
)
_TIMES_ZH = re.compile(r"^(?P<a>[^，。？]+?)是(?P<b>[^，。？]+?)的(?:几|多少)倍$")
YEARS_MAX = 3
"""Further years of a mean than the first."""
_RATE = "({2} - {1}) / {1} * 100"


def computed(question: str) -> Shape | None:
    """The operands' look-ups and the expression; None where the question names none it can be sure of."""
    if re.search(r"[一-鿿]", question):
        return _chinese("".join(question.split()).rstrip("?？。 ").replace(",", "，"))
    return _english(" ".join(question.split()).rstrip(" ?."))


def _shape(lookups: list[str], expression: str) -> Shape:
    asked = tuple(Lookup(question=lookup) for lookup in lookups)
    return Shape(pattern=Pattern.CALCULATION, lookups=(*asked, Lookup(question=expression, tool=Tool.CALC)))


def _english(text: str) -> Shape | None:
    if match := _GROW.match(text) or _CHANGE.match(text):
        return _growth(match)
    if match := _MEAN.match(text):
        return _mean(match)
    if match := _SUM.match(text):
        return _two(match, "{1} + {2}")
    if (match := _MORE.match(text)) and match["of"]:
        less = match["how"].lower() in ("less", "fewer", "lower")
        return _two(match, "{2} - {1}" if less else "{1} - {2}")
    if (match := _DIFFERENCE.match(text)) and match["of"]:
        return _two(match, "{1} - {2}")
    match = _SHARE.match(text)
    return _part_of(match) if match else None


def _growth(match: re.Match[str]) -> Shape:
    what, ask = re.sub(r"^the ", "", match["what"]), (match["ask"] or "").lower()
    lookups = [f"What was the {what} in {match[year]}?" for year in ("y1", "y2")]
    rate = ("perc" in ask or "%" in ask or match["how"].lower() == "growth") and "points" not in ask
    down = re.fullmatch(_DOWN, match["how"], re.I)
    if rate:
        return _shape(lookups, "({1} - {2}) / {1} * 100" if down else _RATE)
    return _shape(lookups, "{1} - {2}" if down else "{2} - {1}")


def _mean(match: re.Match[str]) -> Shape | None:
    first, last = (int(match[year][-4:]) for year in ("y1", "y2"))
    if not 0 < last - first <= YEARS_MAX:
        return None
    years = range(first, last + 1)
    total = " + ".join(f"{{{n}}}" for n in range(1, len(years) + 1))
    what = re.sub(r" (?:for|in|of|over)$", "", match["what"])
    return _shape([f"What was the {what} in {year}?" for year in years], f"({total}) / {len(years)}")


def _part_of(match: re.Match[str]) -> Shape:
    part, whole = (re.sub(r"^(?:the|its|their) ", "", match[side]) for side in ("part", "whole"))
    owner = re.match(r"^(.+?['’]s?(?: \d{4})?) ", whole)
    if owner and not re.search(r"[A-Z]", part):
        part = f"{owner.group(1)} {part}"
    return _shape([f"How much was {part}?", f"How much was {whole}?"], "{1} / {2} * 100")


def _two(match: re.Match[str], expression: str) -> Shape:
    when = match["when"] or ""
    of = re.sub(r"^the ", "", match["of"].strip())
    return _shape([f"What was the {of} of {match[side]}{when}?" for side in "ab"], expression)


def _chinese(text: str) -> Shape | None:
    if match := _GROW_ZH.match(text):
        y2 = match["y2"]
        y1 = match["y1"] or f"{int(y2[:4]) - 1}{y2[4:]}"
        lookups = [f"{match['who']}{year}的{match['what']}是多少？" for year in (y1, y2)]
        return _shape(lookups, _grown(match))
    if match := _GROW_SPAN_ZH.match(text):
        what = (match["what"] or "") + (match["of"] or "")
        lookups = [f"{match['who']}{match[year]}的{what.strip('的')}是多少？" for year in ("y1", "y2")]
        return _shape(lookups, _grown(match)) if what else None
    if match := _MORE_ZH.match(text):
        return _more(match)
    if match := _TIMES_ZH.match(text):
        of, b = re.search(r"的([^的]+)$", match["a"]), match["b"]
        b = f"{b}的{of.group(1)}" if of and "的" not in b else b
        return _shape([f"{match['a']}是多少？", f"{b}是多少？"], "{1} / {2}")
    if match := _SHARE_ZH.match(text):
        part, whole = match["part"], match["whole"]
        lead = re.match(rf"^.+?{_YEAR_ZH}(?:的)?", part)
        if lead and not re.search(_YEAR_ZH, whole):
            whole = f"{lead.group()}{whole}"
        return _shape([f"{part}是多少？", f"{whole}是多少？"], "{1} / {2} * 100")
    if match := _SUM_ZH.match(text):
        year = match["y"] or ""
        return _shape([f"{match[side]}{year}的{match['of']}是多少？" for side in "ab"], "{1} + {2}")
    return None


def _grown(match: re.Match[str]) -> str:
    down = match["how"] in ("下降", "减少", "降低")
    if "百分之" in match["ask"] or "成" in match["ask"]:
        return "({1} - {2}) / {1} * 100" if down else _RATE
    return "{1} - {2}" if down else "{2} - {1}"


def _more(match: re.Match[str]) -> Shape:
    year, of = match["y"] or "", match["of"].strip("的")
    b = match["b"]
    # 「比乙公司高」 compares the same year and figure; 「比乙公司2022年的高」 names its own.
    b_of = re.sub(rf"的?{re.escape(of)}$", "", b).strip("的")
    b_year = "" if re.search(r"(?:19|20)\d\d年", b_of) else year
    lookups = [f"{match['a'].strip('的')}{year}的{of}是多少？", f"{b_of}{b_year}的{of}是多少？"]
    less = match["how"] in ("低", "少", "小", "短", "便宜")
    gap = "({2} - {1})" if less else "({1} - {2})"
    return _shape(lookups, f"{gap} / {{2}} * 100" if "百分之" in match["ask"] else gap[1:-1])
