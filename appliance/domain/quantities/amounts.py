"""Amounts: number, scale, unit, currency; 3亿5000万 as one, ``5 to 10 days`` as a range.

Arrives: folded text in which moments and codes are blotted out. Leaves: :class:`Quantity` s.
"""

from __future__ import annotations

import re

import msgspec

from appliance.domain.quantities.numerals import CHINESE, ENGLISH, LETTERS, SCALE, SCALES, chinese, english
from appliance.domain.quantities.shape import PERCENT, Quantity
from appliance.domain.quantities.units import CURRENCIES, PREFIX, UNIT, unit_of
from appliance.domain.verifying import Span

_DIGITS = (
    r"(?:\d{1,3}(?:,\d{2,3})*,\d{3}(?!\d)(?:\.\d+)?|\d{1,3}(?:[\u00a0\u2009\u202f]\d{3})+(?!\d)|"
    r"\d+(?:\.\d+)?|(?<![\d.])\.\d+)"
)
_MEASURE = "个名人家台项件条次位户股辆座所种套只艘架张枚栋部支场届层页章宗起批组队款例颗片块根岁元"
_FOLLOWED = rf"(?=\s?(?:多|余|几)?(?:{UNIT}|[{_MEASURE}]|[万亿]))"
"""A lone Chinese digit counts only before a unit or a measure word: 三星 is a name, 三家 a count."""
_MANY = (
    r"(?:(?<=分之)"
    + CHINESE
    + r"|(?=.[一二两三四五六七八九十百千零〇点])(?!.{1,3}(?:分之))"
    + CHINESE
    + rf"|[二两三四五六七八九十]{_FOLLOWED}|一(?=\s?(?:{UNIT}|[万亿倍岁])))"
)
_AMOUNT = re.compile(
    rf"(?P<percent>[百千]分之\s?)?(?:(?P<prefix>{PREFIX})\s?)?(?P<sign>(?<![\w)%])[-△▲](?=[\d.$€£¥]))?"
    rf"(?P<open>\()?(?:(?P<prefix2>{PREFIX})\s?)?"
    rf"(?:(?P<digits>(?<![A-Za-z\d_.])(?<!\d,){_DIGITS})|(?P<en>{ENGLISH})|(?P<zh>(?<![第唯统某每同初上下前后]){_MANY}))"
    rf"(?P<close>(?(open)\s?%?\)|(?!)))?(?P<scale>{SCALE})?(?P<letter>(?i:mm|[kmbt])(?![A-Za-z\d]))?"
    rf"(?P<vague>[多余](?![元]?于))?(?P<scale2>{SCALE})?(?P<unit>{UNIT})?"
)
_JOINED = re.compile(r"\s?(?:-|–|—|~|至|到|to|and|或|or)\s?")
_BETWEEN = re.compile(r"(?i)(?:\bbetween|介于|在)\s?$")
_NOT_ONE = re.compile(
    r"(?i)\s(?:of|another|such|that|who|which|can|must|should|might|would|may|or|and|day\b|more)\b"
)


def amounts(text: str) -> list[Quantity]:
    """Return the amounts of folded text in order."""
    read = [one for match in _AMOUNT.finditer(text) if (one := _amount(match, text)) is not None]
    return _ranges(_summed(read, text), text)


def _amount(match: re.Match[str], text: str) -> Quantity | None:
    value, step = _number(match)
    if (
        match["en"]
        and match["en"].lower() == "one"
        and (_NOT_ONE.match(text, match.end()) or not match["unit"])
    ):
        return None
    prefix = match["prefix"] or match["prefix2"] or ""
    scale, end = 1.0, match.end()
    for word in (match["scale"], match["scale2"]):
        scale *= SCALES[word.strip().lower()] if word else 1.0
    unit_word = (match["unit"] or "").strip(" -")
    if match["letter"]:
        if prefix:
            scale *= LETTERS[match["letter"].lower()]
        else:
            unit_word, end = match["letter"], match.end()
            if not unit_of(unit_word)[0]:
                return None
    unit, factor = unit_of(unit_word) if unit_word else ("", 1.0)
    if prefix and (not unit or unit in CURRENCIES):
        own = unit_of(prefix)
        unit, factor, unit_word = (unit, factor, unit_word) if unit and unit != own[0] else (*own, prefix)
    if match["percent"]:
        unit, factor, unit_word = PERCENT, 1.0 if match["percent"][0] == "百" else 0.1, "%"
    if match["close"] and "%" in match["close"]:
        unit, factor, unit_word = PERCENT, 1.0, "%"
    sign = -1.0 if match["sign"] or match["close"] else 1.0
    start = match.start() + (
        1 if match["open"] and not match["close"] and match.start("open") == match.start() else 0
    )
    number = sign * value * scale * factor
    return Quantity(
        value=number, low=number, high=number, unit=unit, step=step * scale * factor, written_unit=unit_word,
        approximate=bool(match["vague"]), bound="min" if match["vague"] else "",
        text=text[start:end].strip(), span=Span(start=start + _lead(text[start:end]), end=end),
    )  # fmt: skip


def _lead(written: str) -> int:
    return len(written) - len(written.lstrip())


def _number(match: re.Match[str]) -> tuple[float, float]:
    if match["en"]:
        return english(match["en"])
    if match["zh"]:
        return chinese(match["zh"])
    digits = re.sub(r"[,\u00a0\u2009\u202f]", "", match["digits"])[:40]
    decimals = len(digits.partition(".")[2])
    return float(digits), 10.0**-decimals


def _summed(read: list[Quantity], text: str) -> list[Quantity]:
    """3亿5000万 is one amount: parts that touch, each of a smaller scale, a unit on the last only."""
    result: list[Quantity] = []
    for one in read:
        last = result[-1] if result else None
        touching = last is not None and last.span.end == one.span.start and not last.written_unit
        if last is not None and touching and last.text[-1:] in "万亿千" and one.value < last.step:
            total = last.value + one.value
            result[-1] = msgspec.structs.replace(
                one, value=total, low=total, high=total, text=last.text + one.text,
                span=Span(start=last.span.start, end=one.span.end),
            )  # fmt: skip
        else:
            result.append(one)
    return result


def _ranges(read: list[Quantity], text: str) -> list[Quantity]:
    result: list[Quantity] = []
    for one in read:
        last = result[-1] if result else None
        joint = text[last.span.end : one.span.start] if last is not None else ""
        if last is not None and not last.ranged and _is_range(last, one, joint, text):
            result[-1] = _range(last, one, text)
        else:
            result.append(one)
    return result


def _is_range(first: Quantity, second: Quantity, joint: str, text: str) -> bool:
    if not _JOINED.fullmatch(joint) or (first.unit and second.unit and first.unit != second.unit):
        return False
    word = joint.strip()
    if word in ("and", "to", "或", "or"):
        between = bool(_BETWEEN.search(text[: first.span.start]))
        alike = word == "to" and not re.search(r"(?i)\bfrom\s?$", text[: first.span.start])
        if not ((word == "and" and between) or alike):
            return False
    return abs(second.value) > abs(first.value) or not first.written_unit


def _range(first: Quantity, second: Quantity, text: str) -> Quantity:
    low, step = first.value, first.step
    if not first.unit and second.unit:
        factor = unit_of(second.written_unit)[1]
        low, step = low * factor, step * factor
    if first.step == 1.0 and second.step > 1.0 and low < second.step:  # ``5-10 million``, 3至5万
        grown = second.step / (unit_of(second.written_unit)[1] if second.written_unit else 1.0)
        low, step = low * max(grown, 1.0), step * max(grown, 1.0)
    low, high = sorted((low, second.value))
    return msgspec.structs.replace(
        second, value=(low + high) / 2, low=low, high=high, step=max(step, second.step),
        text=text[first.span.start : second.span.end], span=Span(start=first.span.start, end=second.span.end),
    )  # fmt: skip
