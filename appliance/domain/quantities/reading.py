"""All figures of a text, in order: the one reader of quantities, for both languages.

Arrives: any text. Leaves: :class:`Quantity` s whose spans point into that very text.
"""

from __future__ import annotations

import re

import msgspec

from appliance.domain.quantities.amounts import amounts
from appliance.domain.quantities.folding import plain
from appliance.domain.quantities.moments import moments
from appliance.domain.quantities.particular import CODE, particular
from appliance.domain.quantities.shape import CALENDAR, Quantity
from appliance.domain.quantities.surroundings import placed
from appliance.domain.verifying import Span

_GONE = "\ue000"
_MONEY = r"(?:(?:[A-Z]{2,3}\s?)?[$€£¥￥]\s?|(?:US|HK)\$\s?|[A-Z]{3}\s|人民币|港币|美元)?"


def _scale(english: str, chinese: str) -> re.Pattern[str]:
    """``in £ millions``, ``(£ million)``, ``, US$ m`` at a caption's end; 单位：百万元, （百万元）."""
    return re.compile(
        rf"(?i)\b(?:in|expressed in|stated in)\s+{_MONEY}(?:{english})(?![a-z])|"
        rf"(?:[(（]\s?|,\s){_MONEY}(?:{english})(?=\s?[)）]|\s?$|\s?\n|,)|"
        rf"[(（]\s?(?:单位[:：]\s?)?{_MONEY}(?:{chinese})(?:元|美元|港元|欧元|人|件|台|片|股|吨)?\s?[)）]|"
        rf"单位[:：]\s?(?:人民币)?(?:{chinese})"
    )


_SCALES_SET: tuple[tuple[re.Pattern[str], float], ...] = (
    (_scale(r"billions?|bn", "十亿"), 1e9),
    (_scale(r"(?!)", "亿"), 1e8),
    (_scale(r"millions?|mn|m", "百万"), 1e6),
    (_scale(r"(?!)", "万"), 1e4),
    (_scale(r"thousands?|['’]?000|k", "千"), 1e3),
)


def quantities(text: str) -> tuple[Quantity, ...]:
    """Return every figure of ``text`` in order: amounts, shares, ranges, moments, ordinals, times of day.

    Figures inside names and codes (``CGM-200``, ``2.3.1``, 三星) are none. A range is one figure.
    """
    folded = plain(text)
    masked = list(folded)
    found: list[Quantity] = []

    def take(one: Quantity) -> None:
        masked[one.span.start : one.span.end] = _GONE * (one.span.end - one.span.start)
        found.append(one)

    for start, end, when in moments(folded):
        year = float(when.year or 0)
        last = float(when.until or year)
        span = Span(start=start, end=end)
        take(
            Quantity(
                value=year, low=year, high=last, unit=CALENDAR, when=when, text=text[start:end], span=span
            )
        )
    for start, end, value, unit in particular("".join(masked)):
        if _GONE not in masked[start:end]:
            span = Span(start=start, end=end)
            take(Quantity(value=value, low=value, high=value, unit=unit, text=text[start:end], span=span))
    rest = "".join(masked)
    for one in amounts(rest):
        own = text[one.span.start : one.span.end]
        found.append(placed(msgspec.structs.replace(one, text=own), folded))
    return tuple(sorted((one for one in found if one.unit != CODE), key=lambda one: one.span.start))


def stated_scale(text: str) -> float:
    """Return by what a caption multiplies its figures (``in millions``, 单位：万元); 1: nothing said."""
    return next((factor for pattern, factor in _SCALES_SET if pattern.search(text)), 1.0)
