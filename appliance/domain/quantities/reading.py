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
_SCALES_SET: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(r"(?i)\b(?:in|expressed in|stated in)\s+(?:[A-Z]{3}\s|[$€£¥]\s?|US\$\s?)?billions?\b|"
    r"单位[:：]\s?(?:人民币)?十亿"), 1e9),
    (re.compile(r"单位[:：]\s?(?:人民币)?亿"), 1e8),
    (re.compile(r"(?i)\b(?:in|expressed in|stated in)\s+(?:[A-Z]{3}\s|[$€£¥]\s?|"
    r"US\$\s?)?(?:millions?)\b|[$€£]\s?m\b|单位[:：]\s?(?:人民币)?百万"), 1e6),
    (re.compile(r"单位[:：]\s?(?:人民币)?万"), 1e4),
    (re.compile(r"(?i)\b(?:in|expressed in|stated in)\s+(?:[A-Z]{3}\s|[$€£¥]\s?|US\$\s?)?thousands?\b|"
    r"[$€£]\s?['’]?000\b|单位[:：]\s?(?:人民币)?千"), 1e3),
)  # fmt: skip


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
