"""Figures that are no plain amount: shares in words (三分之二), tenths, times of day, ordinals; codes.

Arrives: folded text. Leaves: the place of each, its value and unit. A code's unit is :data:`CODE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from appliance.domain.quantities.numerals import chinese
from appliance.domain.quantities.shape import CLOCK, ORDINAL, PERCENT

CODE = "code"
"""Of a number inside a name or a version (``CGM-200``, ``2.3.1``): no figure, but its place is taken."""
_SHARES: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(r"(?i)\b(?:one[- ]half|half)(?= of\b| the\b| its\b| their\b)"), 50.0),
    (re.compile(r"一半|半数"), 50.0),
    (re.compile(r"(?i)\b(?:one|a)[- ]third\b(?! (?:party|of a))"), 100 / 3),
    (re.compile(r"(?i)\btwo[- ]thirds\b"), 200 / 3),
    (re.compile(r"(?i)\b(?:one|a)[- ]quarter of\b"), 25.0),
    (re.compile(r"(?i)\bthree[- ]quarters\b"), 75.0),
)
_FRACTION = re.compile(r"(?P<under>[二三四五六七八九十]+|\d+)分之(?P<over>[一二两三四五六七八九十]+|\d+)")
_TENTHS = re.compile(r"(?P<n>[一二两三四五六七八九])成(?P<half>半)?(?![为立功员分果本熟长])")
_CLOCK = re.compile(
    r"(?<![\d:])(?P<h>[01]?\d|2[0-3]):(?P<m>[0-5]\d)(?![\d])\s?(?P<half>(?i:[ap]\.?m\b))?"
    r"|(?<![\d.])(?P<h2>1[0-2]|[1-9])\s?(?P<half2>(?i:[ap]\.?m\b))"
    r"|(?P<zh>上午|下午|晚上?|凌晨|早上|中午)?(?<![\d.])(?P<h3>[01]?\d|2[0-4])[点时](?:(?P<m3>[0-5]?\d)分|(?![\d点间内候以]))"
)
_WORDS: list[str] = list(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
)
_ORDINAL = re.compile(
    rf"(?i)(?<![A-Za-z\d])(?P<d>\d+)(?:st|nd|rd|th)\b|\b(?P<w>{'|'.join(_WORDS)})\b"
    r"|第\s?(?P<zh>[一二三四五六七八九十百零]+|\d+)"
)
_CODES = re.compile(
    r"\d+(?:\.\d+){2,}|(?<![A-Za-z\d])[A-Za-z]+[-_]\d[A-Za-z\d_-]*|(?<![A-Za-z\d])(?!FY)[A-Za-z]{1,6}\d[A-Za-z\d-]*(?:\.\d+)*"
    r"|(?<![\d.,])[345]G(?![A-Za-z])"
)


def particular(text: str) -> Iterator[tuple[int, int, float, str]]:
    """Yield (start, end, value, unit); one may lie in another that was yielded before."""
    for match in _CODES.finditer(text):
        yield match.start(), match.end(), 0.0, CODE
    for match in _CLOCK.finditer(text):
        yield match.start(), match.end(), _minutes(match), CLOCK
    for match in _FRACTION.finditer(text):
        under, over = _count(match["under"]), _count(match["over"])
        if under:
            yield match.start(), match.end(), 100.0 * over / under, PERCENT
    for pattern, share in _SHARES:
        for match in pattern.finditer(text):
            yield match.start(), match.end(), share, PERCENT
    for match in _TENTHS.finditer(text):
        yield match.start(), match.end(), chinese(match["n"])[0] * 10 + (5 if match["half"] else 0), PERCENT
    for match in _ORDINAL.finditer(text):
        word = (match["w"] or "").lower()
        value = _WORDS.index(word) + 1 if word else _count(match["d"] or match["zh"])
        yield match.start(), match.end(), float(value), ORDINAL


def _minutes(match: re.Match[str]) -> float:
    hour = int(match["h"] or match["h2"] or match["h3"])
    minute = int(match["m"] or match["m3"] or 0)
    half = (match["half"] or match["half2"] or "").lower()
    afternoon = half.startswith("p") or match["zh"] in ("下午", "晚上", "晚")
    if afternoon and hour < 12:
        hour += 12
    if half.startswith("a") and hour == 12:
        hour = 0
    return float(hour * 60 + minute)


def _count(written: str) -> int:
    return int(written) if written.isdigit() else int(chinese(written)[0])
