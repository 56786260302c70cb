"""Numbers written as words: ``two hundred and five``, 一千二百三十四, 三点五, ``two and a half million``.

Arrives: words that :data:`ENGLISH` or :data:`CHINESE` matched. Leaves: a value and its last digit's worth.
"""

from __future__ import annotations

import re

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SMALL = {
    **{word: at for at, word in enumerate(_UNITS)},
    **{word: 20 + 10 * at for at, word in enumerate(_TENS)},
    "dozen": 12,
}
SCALES: dict[str, float] = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "mn": 1e6, "mln": 1e6,
    "bn": 1e9, "bln": 1e9, "tn": 1e12, "lakh": 1e5, "crore": 1e7,
    "百": 1e2, "千": 1e3, "万": 1e4, "十万": 1e5, "百万": 1e6, "千万": 1e7, "亿": 1e8, "十亿": 1e9,
    "百亿": 1e10,
    "千亿": 1e11, "万亿": 1e12, "兆": 1e12,
}  # fmt: skip
LETTERS = {"k": 1e3, "m": 1e6, "mm": 1e6, "b": 1e9, "t": 1e12}
"""Scales only beside a currency: ``$5m``."""
_ONE = rf"(?:{'|'.join(sorted(_SMALL, key=len, reverse=True))})"
_BIG = r"(?:hundred|thousand|million|billion|trillion)"
ENGLISH = (
    rf"(?i:\b(?:(?:an?[ ](?=dozen|{_BIG}\b(?!s)))?{_ONE}|an?[ ]{_BIG}|half[ ]an?[ ](?:million|billion|dozen))"
    rf"(?:[ -](?:and[ ](?={_ONE}\b|a[ ]half\b))?(?:{_ONE}|{_BIG}|a[ ]half(?=[ ]{_BIG})))*\b)"
)
"""Pattern of a number in English words."""
_HAN = "零〇一二两三四五六七八九"
CHINESE = rf"(?:[{_HAN}十][{_HAN}十百千]*(?:点[{_HAN}]+)?)"
"""Pattern of a number in Chinese characters, without 万 and 亿, which are scales."""
SCALE = (
    r"(?:\s?(?i:hundred|thousand|million|billion|trillion|mln|mn|bln|bn|tn|lakh|crore)(?![A-Za-z])|"
    r"\s?(?:万亿|千亿|百亿|十亿|千万|百万|十万|亿|万(?!一|物|科|能)|千(?![克米瓦伏焦帕赫卡])|百(?![姓分年])|兆(?![瓦焦帕赫])))"
)
"""Pattern of a scale word after a number."""
_DIGITS = {han: at for at, han in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_PLACES = {"十": 10, "百": 100, "千": 1000}


def english(words: str) -> tuple[float, float]:
    """Return (value, step) of a number in English words."""
    total = current = 0.0
    step = 1.0
    halved = words.lower().startswith("half a")
    for word in re.findall(r"[a-z]+", words.lower()):
        if word in ("and", "an", "a"):
            continue
        if word == "half":
            current += 0.5
        elif word == "dozen":
            current = (current or 1) * 12
        elif word in _SMALL:
            current += _SMALL[word]
        elif word == "hundred":
            current = (current or 1) * 100
        else:
            total += (current or 1) * SCALES[word]
            step, current = SCALES[word], 0.0
    if current and not halved:
        step = 1.0
    return total + current, step * (0.5 if halved else 1.0)


def chinese(characters: str) -> tuple[float, float]:
    """Return (value, step) of a number in Chinese: with places (三百二十) or digit by digit (二〇二一)."""
    whole, _, decimals = characters.partition("点")
    fraction = sum(_DIGITS[one] * 10.0 ** -(at + 1) for at, one in enumerate(decimals))
    step = 10.0 ** -len(decimals)
    if not any(place in whole for place in _PLACES):
        return int("".join(str(_DIGITS[one]) for one in whole) or "0") + fraction, step
    total, digit, place = 0, 0, 1000
    for one in whole:
        if one in _PLACES:
            place = _PLACES[one]
            total += (digit or 1) * place
            digit = 0
        else:
            digit = _DIGITS[one]
            place = 1 if one in "零〇" else place
    short = whole[-1] in _DIGITS and len(whole) > 1 and whole[-2] in "百千" and digit
    return total + (digit * place / 10 if short else digit) + fraction, step
