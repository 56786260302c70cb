"""Is an answer right? Compares a given text with the expected answer and its aliases; pure functions.

Arrives: texts. Leaves: a verdict. Strict where it can be: numbers with scale and unit, within 1%; years and
small counts exactly; yes/no by polarity; a choice by which option comes first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import msgspec

TOLERANCE = 0.01
EXACT_UP_TO = 100
"""Whole numbers up to here are counts, days or ages: compared exactly."""
_SCALES = {
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "bn": 1e9, "m": 1e6, "k": 1e3,
    "百": 1e2, "千": 1e3, "万": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8,
}  # fmt: skip
_UNITS = {
    "%": "%", "percent": "%", "per cent": "%", "个百分点": "%", "percentage points": "%",
    "£": "gbp", "gbp": "gbp", "英镑": "gbp", "pounds": "gbp", "¥": "cny", "rmb": "cny", "cny": "cny",
    "yuan": "cny", "元": "cny", "人民币": "cny", "$": "usd", "usd": "usd", "美元": "usd",
    "days": "day", "day": "day", "天": "day", "hours": "hour", "小时": "hour", "months": "month",
    "month": "month", "个月": "month", "minutes": "minute", "分钟": "minute", "years": "year",
}  # fmt: skip
_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fourteen": 14, "twenty": 20, "thirty": 30, "sixty": 60,
}  # fmt: skip


def _either(words: Sequence[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_QUANTITY = re.compile(
    rf"(?P<before>{_either(['£', '$', '¥', 'gbp', 'rmb', 'cny', 'usd'])})?\s*"
    r"(?<![a-z0-9.\-])(?P<number>\d+(?:\.\d+)?)(?![\d])\s*"
    rf"(?:(?P<scale>{_either(list(_SCALES))})(?![a-z]))?\s*"
    rf"(?:(?P<after>{_either(list(_UNITS))})(?![a-z]))?"
)
_CONNECTIVES = frozenset(
    "to and between about at the a an of in on by with for from than or 至 到 和 约".split()
)
_BARE_YES_NO = frozenset({"yes", "no", "是", "否", "有", "没有", "不"})
_YES = re.compile(r"^(yes\b|是的?(?!否)|能|可以|有[，,。]|支持)")
_NO = re.compile(r"^(no\b|否|不|没有|未)")
_NEGATION = re.compile(r"\b(not|no longer|never|cannot|no)\b|n't\b|不|未|没有|无法|无需")
_REMOVAL = re.compile(r"\b(remov\w+|discontinu\w+|drop\w*|withdr\w+|ceas\w+)\b|取消|移除|停止")


class Quantity(msgspec.Struct, frozen=True):
    """A number with its scale applied and its unit, where it has one."""

    value: float
    unit: str
    exact: bool


def normalise(text: str) -> str:
    """NFKC, lower case, no thousands separators, number words as digits, spaces squeezed."""
    folded = unicodedata.normalize("NFKC", text).lower().replace("’", "'").replace("–", "-")
    folded = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", folded)
    folded = re.sub(r"百分之\s*(\d+(?:\.\d+)?)", r"\1%", folded)
    folded = re.sub(r"[a-z]+", lambda word: str(_WORDS.get(word[0], word[0])), folded)
    folded = re.sub(r"(?<=[一-鿿])\s+|\s+(?=[一-鿿])", "", folded)
    return " ".join(re.sub(r"\b(the|an|a)\b ", "", folded).split()).strip(" .。")


def contains(text: str, wanted: str) -> bool:
    """Whether normalised ``wanted`` stands in normalised ``text`` as whole words and whole numbers."""
    if not wanted:
        return False
    pattern = rf"(?<![a-z0-9])(?<!\d[.,]){re.escape(wanted)}(?![a-z0-9])(?![.,]\d)"
    return re.search(pattern, text) is not None


def quantities(text: str) -> list[Quantity]:
    """The numbers of a normalised text."""
    found: list[Quantity] = []
    for match in _QUANTITY.finditer(text):
        number, scale = float(match["number"]), match["scale"]
        unit = _UNITS.get(match["after"] or match["before"] or "", "")
        whole = number.is_integer() and not scale
        counted = whole and unit in ("", "day", "hour", "month", "minute", "year")
        exact = counted and (number <= EXACT_UP_TO or 1900 <= number <= 2100)
        found.append(Quantity(number * _SCALES.get(scale or "", 1.0), unit, exact))
    return found


def _same(wanted: Quantity, given: Quantity) -> bool:
    if wanted.unit and given.unit and wanted.unit != given.unit:
        return False
    if wanted.exact:
        return wanted.value == given.value
    return abs(wanted.value - given.value) <= TOLERANCE * abs(wanted.value) + 1e-12


def states(text: str, wanted: str) -> bool:
    """Whether a text states one expected string: whole, or its numbers and its other words."""
    given, expected = normalise(text), normalise(wanted)
    if contains(given, expected):
        return True
    numbers = quantities(expected)
    if not numbers or not all(any(_same(n, g) for g in quantities(given)) for n in numbers):
        return False
    rest = _QUANTITY.sub(" ", expected)
    words = [word for word in re.findall(r"[a-z]{2,}|[一-鿿]+", rest) if word not in _CONNECTIVES]
    return all(word in given for word in words)


def is_right(
    question: str, expected: Sequence[str], both: Sequence[str | tuple[str, ...]], answer: str, claims: str
) -> bool:
    """The verdict; ``expected`` is the answer, then its aliases; ``both``: all of these must be stated.

    A tuple among ``both`` holds ways to write one of them.

    ``answer`` is the short text, ``claims`` the text of all claims.
    """
    whole = f"{answer}\n{claims}"
    if both:
        sides = [(side,) if isinstance(side, str) else side for side in both]
        return all(any(states(whole, way) for way in side) for side in sides)
    opening = normalise(expected[0])
    if _YES.match(opening) or _NO.match(opening):
        return _polarity(question, answer, expected)
    rival = _rival(question, expected[0])
    if rival:
        return any(_comes_first(normalise(answer), normalise(each), rival) for each in expected)
    return any(states(whole, each) for each in expected)


def _polarity(question: str, answer: str, expected: Sequence[str]) -> bool:
    given, wanted = normalise(answer), bool(_YES.match(normalise(expected[0])))
    if any(normalise(each) not in _BARE_YES_NO and states(answer, each) for each in expected):
        return True
    if _YES.match(given) or _NO.match(given):
        return bool(_YES.match(given)) == wanted
    denied = _NEGATION.search(given) is not None
    if not _REMOVAL.search(normalise(question)):
        denied = denied or _REMOVAL.search(given) is not None
    return bool(given) and denied != wanted


def _rival(question: str, expected: str) -> str:
    """The other option of a choice between two; empty where the question offers none."""
    asked, wanted = normalise(question), normalise(expected)
    match = re.search(r",\s*([^,?]+?) or ([^,?]+)\?", asked) or re.search(
        r"([^，,]+?)(?:和|与|还是)([^，,]+?)(?:,|，|哪)", asked
    )
    if not match:
        return ""
    sides = [side.strip() for side in match.groups()]
    if wanted in sides[0] or wanted in sides[1]:
        return sides[1] if wanted in sides[0] else sides[0]
    return ""


def _comes_first(answer: str, wanted: str, rival: str) -> bool:
    at, other = answer.find(wanted), answer.find(rival)
    return at >= 0 and (other < 0 or at <= other)
