"""Exact numbers to text: rounded half up as asked, in the scale and unit of their sources.

Arrives: a value and, where the question asks for it, decimals. Leaves: ``£207.4 million``, ``16.67%``.
"""

from __future__ import annotations

import re
from fractions import Fraction

import msgspec

from appliance.errors import UserError
from appliance.reasoning.tools.scales import factor
from appliance.reasoning.tools.units import spoken
from appliance.reasoning.tools.values import Value

DECIMALS_MAX = 12
_NUMERALS = {
    "no": 0,
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "零": 0,
    "一": 1,
    "两": 2,
    "二": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
}
_PLACES_EN = re.compile(
    r"\b(no|zero|one|two|three|four|five|six|\d{1,2})[ -]"
    r"(?:decimal(?:s| places?| points?| digits?)?|d\.?p\.?)\b",
    re.I,
)
_PLACES_ZH = re.compile(r"([零一两二三四五六]|\d{1,2})\s*位\s*小数")
_WHOLE = re.compile(
    r"\b(?:nearest|closest) (?:whole|integer|unit|per ?cent)|\bwhole (?:number|percent)|取整|整数|精确到个位",
    re.I,
)
_NEAREST = re.compile(r"\bnearest (tenth|hundredth|thousandth)\b|精确到(十分位|百分位|千分位)", re.I)
_DEPTH = {"tenth": 1, "hundredth": 2, "thousandth": 3, "十分位": 1, "百分位": 2, "千分位": 3}


def asked_decimals(question: str) -> int | None:
    """Return how many decimals a question asks for (``to two decimal places``, 保留两位小数), or None."""
    if found := _PLACES_EN.search(question) or _PLACES_ZH.search(question):
        word = found[1].lower()
        return min(_NUMERALS[word] if word in _NUMERALS else int(word), DECIMALS_MAX)
    if near := _NEAREST.search(question):
        return _DEPTH[(near[1] or near[2]).lower()]
    return 0 if _WHOLE.search(question) else None


def rounded(number: Fraction, decimals: int) -> Fraction:
    """Return the number rounded half away from zero, as people round."""
    shift = Fraction(10) ** decimals
    whole = (abs(number) * shift * 2 + 1) // 2
    return (-1 if number < 0 else 1) * Fraction(whole) / shift


def round_value(value: Value, decimals: int) -> Value:
    """Return the value rounded in the scale it is shown in. Raises UserError: absurdly many decimals."""
    if not -DECIMALS_MAX <= decimals <= DECIMALS_MAX:
        raise UserError(f"cannot round to {decimals} decimals", hint=f"at most {DECIMALS_MAX}")
    scale = factor(value.scale)
    number = rounded(value.number / scale, decimals) * scale
    return msgspec.structs.replace(value, number=number, decimals=max(decimals, 0), constant=False)


def digits(number: Fraction, decimals: int | None = None) -> str:
    """Return a number as a person writes it: grouped, no exponent, at most two decimals unless asked.

    A number below a hundredth keeps two figures of its own.
    """
    places = 2 if decimals is None else decimals
    if decimals is None and number and abs(number) < Fraction(1, 100):
        while places < DECIMALS_MAX and abs(number) * 10 ** (places - 1) < 1:
            places += 1
    shown = rounded(number, places)
    whole, part = divmod(abs(shown) * 10**places, 10**places)
    text = f"{int(whole):,}" + (f".{int(part):0{places}d}" if places else "")
    if decimals is None and "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"-{text}" if shown < 0 else text


def text_of(value: Value) -> str:
    """Return a value with its unit and scale, as its sources write them."""
    number = digits(value.number / factor(value.scale), value.decimals)
    label = value.label or spoken(value.unit) * bool(value.unit)
    if value.unit == "percent":
        wordy = re.search(r"[a-z]|百分点", value.label)
        return f"{number} {label}" if wordy and label.isascii() else f"{number}{label if wordy else '%'}"
    if label and label[-1] in "$€£¥₹₩":
        sign, number = ("-", number[1:]) if number.startswith("-") else ("", number)
        joint = " " if value.scale.isascii() and len(value.scale) > 2 else ""
        return f"{sign}{label}{number}{joint}{value.scale}"
    if label.isalpha() and label.isascii() and label.isupper() and len(label) == 3:
        return f"{label} {number} {value.scale}".strip()
    joint = "" if re.search(r"[一-鿿]", value.scale + label) or label[:1] in ("°", "%") else " "
    return joint.join(part for part in (number, value.scale, label) if part)
