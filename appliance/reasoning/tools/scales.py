"""Words that multiply a number: ``million``, 亿, ``in thousands``, 「单位：百万元」.

Arrives: a word, a caption or a header. Leaves: a factor, always exact.
"""

from __future__ import annotations

import re

_WORDS: dict[str, int] = {
    "hundred": 10**2, "thousand": 10**3, "lakh": 10**5, "million": 10**6, "mln": 10**6, "mn": 10**6,
    "crore": 10**7, "billion": 10**9, "bln": 10**9, "bn": 10**9, "trillion": 10**12, "tn": 10**12,
    "百": 10**2, "千": 10**3, "万": 10**4, "十万": 10**5, "百万": 10**6, "千万": 10**7, "亿": 10**8,
    "十亿": 10**9, "百亿": 10**10, "千亿": 10**11, "万亿": 10**12,
}  # fmt: skip
_LETTERS = {"k": 10**3, "m": 10**6, "mm": 10**6, "b": 10**9, "t": 10**12}
"""Scales only beside a currency: ``$5m`` is money, ``5 m`` is a length."""
_ENGLISH = "|".join(sorted((w for w in _WORDS if w.isascii()), key=len, reverse=True))
_CHINESE = "万亿|千亿|百亿|十亿|千万|百万|十万|亿|万|千(?![克米瓦伏焦帕赫])|百"
SCALE = rf"(?:(?:{_ENGLISH})s?(?![A-Za-z])|{_CHINESE})"
"""Pattern of a scale word that may follow a number."""
LETTER_SCALE = r"(?:mm|[kmbt])(?![A-Za-z])"
_CAPTION_EN = re.compile(
    rf"\b(?:in|expressed in|stated in|amounts? in)?\s*\(?(?:[A-Za-z$€£¥']+ )?(?P<s>{_ENGLISH})s?\b", re.I
)
_THOUSANDS = re.compile(
    r"(?:[$€£¥]\s?|\b(?:US|AU|A|HK|C|NZ|S)?\$\s?)['’‘]?000\b|(?<![\d,.])['’‘]000\b|\b000s\b"
)
_MILLIONS = re.compile(r"(?:[$€£¥]\s?)(?:m|M|mn|MM)\b|\b(?:EUR|USD|GBP|CHF|RMB|CNY)\s?m\b|^\(?\s*m\s*\)?$")
_CAPTION_ZH = re.compile(
    r"(?:单位|金额单位|货币单位|以|按)?[:：(（\s]*(?:人民币)?"
    r"(?P<s>万亿|千亿|百亿|十亿|千万|百万|十万|亿|万|千)(?=元|美元|港元|港币|欧元|日元|股|人|吨|户|平方|"
    r"列示|为单位|计)"
)


def factor(word: str) -> int:
    """Return the factor of a scale word as written (``Millions``, 萬, ``k``); 1 for the empty word.

    Raises KeyError for a word that is no scale.
    """
    word = simplified(word.strip().lower())
    if not word:
        return 1
    if word in _WORDS:
        return _WORDS[word]
    if word in _LETTERS:
        return _LETTERS[word]
    return _WORDS[word.removesuffix("s")]


def name_of(scale_factor: int) -> str:
    """Return the English word for a factor; empty for 1 and for factors that English has no word for."""
    return {10**3: "thousand", 10**6: "million", 10**9: "billion", 10**12: "trillion"}.get(scale_factor, "")


def simplified(text: str) -> str:
    """Return ``text`` with the traditional forms of the scale words replaced."""
    return text.replace("萬", "万").replace("億", "亿")


def caption_scale(text: str) -> str:
    """Return the scale word that a caption or header sets for its figures; empty where it sets none.

    ``(in millions)`` and ``$ in millions`` give ``million``, ``£’000`` ``thousand``, 「单位：百万元」 百万.
    """
    text = simplified(text)
    if found := _CAPTION_ZH.search(text):
        return found["s"]
    if _THOUSANDS.search(text):
        return "thousand"
    if _MILLIONS.search(text):
        return "million"
    found = _CAPTION_EN.search(text)
    return found["s"].lower() if found else ""
