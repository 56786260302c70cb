"""Calculations that Chinese questions ask for: 同比增长率, 占比, 平均, 合计, 相差, 复合增长率.

Arrives: a question. Leaves: a :class:`Derivation`, or None where no pattern is clear.
"""

from __future__ import annotations

import re

from appliance.reasoning.tools.derivation import Derivation, Operation
from appliance.reasoning.tools.periods import Period, mentions, periods
from appliance.reasoning.tools.rounding import asked_decimals

_PERCENT = r"(?:百分之几|百分之多少|多少百分比|几个百分点|多少个百分点|％|%)"
_UP = r"(?:增长|增加|上升|提高|下降|减少|降低|下滑|变动|变化|增幅|降幅|增减)"
_CAGR = re.compile(r"(?:年均|年)?复合(?:年)?(?:增长率|增速)")
_GROWTH = re.compile(
    rf"{_UP}了?{_PERCENT}|{_UP}(?:的)?(?:幅度|百分比|比例|比率|率)|(?:同比|环比)?(?:增速|增幅|降幅)|"
    rf"(?:同比|环比){_UP}(?:了)?(?:多少|率)"
)
_CHANGE = re.compile(
    rf"{_UP}了?(?:多少|几)|(?:的)?(?:变动额|变化额|增加额|减少额|增量|变动金额|变化)(?:是|为)|差额(?:是|为)"
)
_MEAN = re.compile(r"(?:的)?(?:年均值|平均值|均值|平均数|平均)")
_SUM = re.compile(r"(?:的)?(?:总和|合计|之和|总计|加起来|一共|共计)")
_SHARE = re.compile(
    r"(?P<a>[^，。？]+?)(?:占|在)(?P<b>[^，。？]+?)(?:中)?(?:的|所占的)?(?:比例|比重|百分比|占比|百分之几|"
    r"百分之多少|份额)"
)
_RATIO = re.compile(
    r"(?P<a>[^，。？]+?)(?:与|和|对|同)(?P<b>[^，。？]+?)(?:的|之)(?:比率|比值|比例|比)(?=是|为|$|？)"
)
_DIFFERENCE = re.compile(
    r"(?P<a>[^，。？]+?)(?:与|和|同)(?P<b>[^，。？]+?)(?:的差额|之差|的差|相差|差多少)|"
    r"(?P<c>[^，。？]+?)比(?P<d>[^，。？]+?)(?:多|少|高|低)(?:多少|了多少|出多少)"
)
_ASKED = re.compile(
    r"(?:是|为|达|有)?(?:多少|几何|什么)?(?:[元吨%]|万元|亿元)?[？?。]*$|^请?(?:计算|问|求)(?:一下)?"
)
_SMALL = re.compile(
    r"^(?:的|从|在|与|和|至|到|比|较|相比|期间|之间|年间|，|、|同比|年|度|各年|分别|两年|三年)+|(?:的|从|"
    r"在|与|和|至|到|比|较|相比|期间|之间|年间|，|、|同比|环比|年|度|各年|年度|两年|三年)+$"
)


def derive_zh(question: str) -> Derivation | None:
    """Return the calculation that a Chinese question asks for, or None where its form is not clear."""
    text = re.sub(r"\s+", "", question).rstrip("？?。")
    decimals = asked_decimals(text)
    text = re.sub(r"[，,（(](?:请)?(?:结果)?(?:四舍五入)?(?:保留|精确|取整|以百分)[^，。]*$", "", text)
    when = tuple(periods(text))
    found = _two(text, when) or _one(text, when)
    if found is None:
        return None
    return Derivation(
        operation=found.operation, metrics=found.metrics, periods=found.periods,
        every_period=found.every_period, decimals=decimals, chinese=True,
    )  # fmt: skip


def _two(text: str, when: tuple[Period, ...]) -> Derivation | None:
    if len(when) > 1 or _CAGR.search(text):
        return None
    for operation, pattern in (
        (Operation.SHARE, _SHARE), (Operation.RATIO, _RATIO), (Operation.DIFFERENCE, _DIFFERENCE),
    ):  # fmt: skip
        if found := pattern.search(text):
            groups = found.groupdict()
            pair = metric(found["a"] or groups.get("c") or ""), metric(found["b"] or groups.get("d") or "")
            if all(pair) and pair[0] != pair[1]:
                return Derivation(operation=operation, metrics=pair, periods=when)
    if found := _SUM.search(text):
        parts = [metric(part) for part in re.split(r"[、和与]|以及", metric(text[: found.start()]))]
        if len(parts) > 1 and all(parts):
            return Derivation(operation=Operation.SUM, metrics=tuple(parts), periods=when)
    return None


def _one(text: str, when: tuple[Period, ...]) -> Derivation | None:
    for operation, pattern in (
        (Operation.CAGR, _CAGR), (Operation.GROWTH, _GROWTH), (Operation.MEAN, _MEAN),
        (Operation.SUM, _SUM), (Operation.CHANGE, _CHANGE),
    ):  # fmt: skip
        if not (found := pattern.search(text)):
            continue
        name = metric(text[: found.start()]) or metric(text[found.end() :])
        if not name or (operation is Operation.SUM and len(when) < 2):
            return None
        if operation in (Operation.MEAN, Operation.SUM):
            return Derivation(operation=operation, metrics=(name,), periods=when, every_period=not when)
        return Derivation(operation=operation, metrics=(name,), periods=_ordered(when))
    return None


def _ordered(when: tuple[Period, ...]) -> tuple[Period, ...]:
    if len(when) == 1 and when[0].year:
        return (Period(year=when[0].year - 1, part=when[0].part), when[0])
    ordered = sorted(when, key=lambda period: (period.year, period.part))
    return (ordered[0], ordered[-1]) if len(ordered) > 1 else when


def metric(text: str) -> str:
    """Return the words that name a figure, the periods and the small words around them dropped."""
    for mention in reversed([one for one in mentions(text) if not one.range_start]):
        before, after = text[: mention.start], text[mention.end :].lstrip("年度末底")
        text = f"{_SMALL.sub('', before)}{_SMALL.sub('', after)}"
    text = _ASKED.sub("", text)
    return _SMALL.sub("", _SMALL.sub("", text)).strip("的，、")
