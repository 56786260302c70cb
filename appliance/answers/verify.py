"""Does the cited passage hold what the claim says? Numbers, names, quoted words: by code, no model.

Arrives: a claim's text and the text of its passages. Leaves: what is not there. Pure functions.
"""

from __future__ import annotations

import re
import unicodedata

from appliance.domain import AnswerKind

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_L = r"A-Za-zÀ-ÖØ-öø-ÿ0-9_"  # \w without Han: a name ends where Chinese goes on
_NAME = re.compile(rf"[A-ZÀ-ÖØ-Þ][{_L}&.'’-]*[{_L}]|[A-Za-z]+-?\d[{_L}-]*|[A-Z]{{2,}}")
_QUOTED = re.compile(r"[“\"「『《]([^”\"」』》]{2,80})[”\"」』》]")
_HAN_RUN = re.compile(r"[一-鿿]{2,}")
_WORDS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15",
    "twenty": "20", "thirty": "30", "ninety": "90",
    "一": "1", "二": "2", "两": "2", "三": "3", "四": "4", "五": "5", "六": "6", "七": "7",
    "八": "8", "九": "9", "十": "10",
}  # fmt: skip
_MONTHS = ("january february march april may june july august september october november december").split()
_COMMON = frozenset(
    """a an the in on at by for from to of and or but as is are was were it its this that these those
    he she they his her their there according yes no not when where which who what why how during after
    before since until while if both each all any some most more less total overall based per with
    without under over between about however therefore thus i we our you your result answer""".split()
)
HAN_COVERAGE_MIN = 0.6
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_ORDINAL = re.compile(
    rf"\b({'|'.join(_ORDINAL_WORDS)}|\d+(?:st|nd|rd|th))[ -](generation|quarter|half|edition|phase|series|"
    r"round|stage|floor|article|amendment)\b|"
    r"\b(generation|version|edition|phase|stage|quarter|q)[ -]?(\d+)\b|"
    r"第\s*([一二三四五六七八九十]+|\d+)\s*(代|版|期|季度|阶段|轮|批|届|章|"
    r"条(?![一-鿿]{0,8}?(?:线|管道|河|路|街|船|跑道)))",
    re.IGNORECASE,
)
_SAME_ORDINAL = {
    "版": "edition",
    "代": "generation",
    "期": "phase",
    "阶段": "phase",
    "季度": "quarter",
    "q": "quarter",
    "version": "edition",
    "stage": "phase",
    "轮": "round",
}
_CURRENCY = re.compile(
    r"[£$€¥￥]|\b(?:USD|EUR|GBP|CNY|RMB|HKD|pounds?|dollars?|euros?|yuan)\b|元|英镑|美元|欧元|港币|日元",
    re.IGNORECASE,
)


def fold(text: str) -> str:
    """Return the text in NFKC, lower case, white space squeezed."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().replace("’", "'").split())


def numbers(text: str) -> list[str]:
    """Return the numbers of a text, thousands separators and trailing zeros removed."""
    found = _NUMBER.findall(unicodedata.normalize("NFKC", text))
    return [_plain(number) for number in found]


def _plain(number: str) -> str:
    bare = number.replace(",", "")
    if "." in bare:
        bare = bare.rstrip("0").rstrip(".")
    return bare.lstrip("0") or "0"


def names(text: str) -> list[str]:
    """Return capitalised words and codes (``CGM-200``, ``ISO``); words that only open a sentence left out."""
    found: list[str] = []
    for match in _NAME.finditer(text):
        name = match.group(0).rstrip(".'’")
        name = re.sub(r"['’]s$", "", name)
        if name.lower() not in _COMMON:
            found.append(name)
    return found


def ordinals(text: str) -> set[str]:
    """Return which generation, edition, quarter … a text speaks of: ``generation 3`` for 第三代."""
    found: set[str] = set()
    for word, noun, noun_first, number, han, measure in _ORDINAL.findall(unicodedata.normalize("NFKC", text)):
        kind = (noun or noun_first or measure).lower()
        value = _ordinal_value((word or number or han).lower())
        found.add(f"{_SAME_ORDINAL.get(kind, kind)} {value}")
    return found


def _ordinal_value(word: str) -> str:
    if word in _ORDINAL_WORDS:
        return str(_ORDINAL_WORDS.index(word) + 1)
    if word[:1].isdigit():
        return word.rstrip("stndrh")
    tens, ten, units = word.rpartition("十")
    if not ten:
        return _WORDS.get(word, word)
    return str(int(_WORDS.get(tens, "1")) * 10 + int(_WORDS.get(units, "0")))


def names_currency(text: str) -> bool:
    """Return whether a text names a currency by sign, code or word."""
    return _CURRENCY.search(text) is not None


def unsupported(claim: str, passages: str, *, known: str = "") -> list[str]:
    """Return the numbers, names and quoted words of a claim that its passages do not hold.

    ``known`` is text that may lend names (a result already proven), never numbers. Empty: supported.
    """
    haystack = fold(passages)
    lender = f"{haystack} {fold(known)}"
    held = set(numbers(passages)) | _spelled(haystack)
    missing = [number for number in numbers(claim) if number not in held]
    missing += [name for name in names(claim) if not _holds_word(lender, fold(name))]
    missing += sorted(ordinals(claim) - ordinals(lender))
    missing += [quoted for quoted in _QUOTED.findall(claim) if fold(quoted) not in lender]
    if (
        _HAN_RUN.search(claim)
        and _HAN_RUN.search(passages)
        and han_coverage(claim, lender) < HAN_COVERAGE_MIN
    ):
        missing.append("wording")
    return list(dict.fromkeys(missing))


def _spelled(haystack: str) -> set[str]:
    words = set(re.findall(r"[a-z]+|[一二两三四五六七八九十]", haystack))
    held = {digit for word, digit in _WORDS.items() if word in words}
    held |= {str(number) for number, month in enumerate(_MONTHS, start=1) if month in words}
    return held


def _holds_word(haystack: str, name: str) -> bool:
    if name in haystack:
        return True
    if name in _MONTHS:
        return bool(re.search(rf"(?<!\d)0?{_MONTHS.index(name) + 1}(?!\d)", haystack))
    stem = re.sub(r"(ies|es|s)$", "", name)
    return len(stem) > 3 and stem in haystack


def han_coverage(claim: str, haystack: str) -> float:
    """Return the share of a claim's Han character pairs that the haystack holds (1.0 where none)."""
    pairs = [run[i : i + 2] for run in _HAN_RUN.findall(fold(claim)) for i in range(len(run) - 1)]
    return sum(pair in haystack for pair in pairs) / len(pairs) if pairs else 1.0


def answer_stands_in(answer: str, passages: str) -> bool:
    """Return whether a short answer is carried by the passages: verbatim, or word by word for most words.

    Beside a figure that stands there, half of the words may be its unit's other name ("pounds" for £).
    """
    haystack, wanted = fold(passages), fold(answer).strip(" .。")
    if not wanted:
        return False
    if wanted in haystack:
        return True
    held = set(numbers(passages)) | _spelled(haystack)
    if any(number not in held for number in numbers(wanted)):
        return False
    if _HAN_RUN.search(wanted):
        return han_coverage(wanted, haystack) >= HAN_COVERAGE_MIN
    words = [word for word in re.findall(r"[a-z][\w'-]+", wanted) if word not in _COMMON]
    least = 0.5 if numbers(wanted) else 0.75
    return not words or sum(_holds_word(haystack, word) for word in words) / len(words) >= least


def is_han(text: str) -> bool:
    """Return whether a text is written in Chinese characters."""
    return bool(_HAN_RUN.search(text))


def grams(text: str) -> set[str]:
    """Return the words (cut to 5 letters), numbers and Han pairs of a text: what two wordings share."""
    folded = fold(text)
    pairs = {run[i : i + 2] for run in _HAN_RUN.findall(folded) for i in range(len(run) - 1)}
    words = {word[:5] for word in re.findall(r"[a-z][a-z0-9-]+", folded) if word not in _COMMON}
    return pairs | words | set(numbers(folded))


def kind_fits(kind: AnswerKind, answer: str) -> bool:
    """Return whether an answer looks like what was asked: a figure, a date, somebody's name."""
    has_digit = bool(numbers(answer) or _spelled(fold(answer)))
    if kind in (AnswerKind.NUMBER, AnswerKind.DATE):
        return has_digit
    if kind is AnswerKind.PERSON:
        return not re.search(r"\d", answer)
    return True
