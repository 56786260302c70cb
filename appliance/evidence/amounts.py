"""How figures and dates are written, and one key for every way of writing the same.

Arrives: patterns are matched by :mod:`facts`. Leaves: keys such as ``1577 million usd`` and ``2022-12-31``.
"""

from __future__ import annotations

import re

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in _MONTHS)
_HAN_DIGIT = {han: str(value) for value, han in enumerate("〇一二三四五六七八九")} | {"零": "0", "○": "0"}
_HAN_NUMBER = re.compile("[〇○零一二三四五六七八九十]+")
DATE = re.compile(
    rf"""(?P<iso>(?<!\d)(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])(?!\d))
       | (?P<zh>(?:(?:19|20)\d\d|[〇○零一二三四五六七八九]{{4}})\s*年
             (?:\s*(?:\d{{1,2}}|十?[一二三四五六七八九十])\s*月)?
             (?:\s*(?:\d{{1,2}}|[二三]?十?[一二三四五六七八九十])\s*[日号])?)
       | (?P<zhday>(?<!\d)\d{{1,2}}\s*月\s*\d{{1,2}}\s*日)
       | (?P<mdy>\b(?:{_MONTH})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+(?:19|20)\d\d\b)
       | (?P<dmy>\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{_MONTH})\.?,?\s+(?:19|20)\d\d\b)
       | (?P<md>\b(?:{_MONTH})\.?\s+\d{{1,2}}(?!\d)(?!,\d))
       | (?P<my>\b(?:{_MONTH})\.?,?\s+(?:19|20)\d\d\b)
       | (?P<fiscal>\b(?:FY|fiscal(?:\s+year)?)\s?'?(?:(?:19|20)?\d\d)\b)
       | (?P<year>(?<![\d.,$£€¥])(?:19|20)\d\d(?![\d,]|\.\d|\s?(?:%|million|billion|thousand|元|万|亿)))""",
    re.VERBOSE | re.IGNORECASE,
)
_CURRENCY = r"US\$|HK\$|A\$|C\$|RMB|USD|EUR|GBP|CNY|HKD|JPY|人民币|美元|港币|[$£€¥]"
_SCALE = r"万亿|百万|千万|亿|万|trillion|billion|million|thousand|bn\b|mn\b|m\b|k\b"
_UNIT = (
    r"%|‰|percentage\spoints?|percent|per\scent|basis\spoints?|bps\b|个?百分点|倍|美元|港元|欧元|英镑|日元|元|"
    r"dollars?|euros?|pounds?|yuan|"
    r"°\s?[CF]|℃|mmol/L|mg/dL|mg/kg|mg|µg|μg|ug\b|kg|ml\b|mL|km|cm|mm|nm\b|GHz|MHz|kHz|Hz|Gbps|Mbps|GB|TB|PB|EB|ZB|MB|"
    r"kWh|MWh|GWh|kW|MW|GW|V\b|hours?|days?|weeks?|months?|years?|minutes?|seconds?|小时|天|个?月|年|分钟|秒|"
    r"公里|公斤|吨|家|户|人次|人|个|套|台|股|项|次|场|架|核|倍|shares?|employees|people|patients|customers|times|x\b"
)
NUMBER = re.compile(
    rf"""(?P<currency>{_CURRENCY})?\s?(?P<open>[(])?\s?(?P<inner>[$£€¥])?(?P<sign>(?<![\w\d])[-−–+])?
         (?P<digits>(?<![A-Za-z\d.])(?:\d{{1,3}}(?:,\s?\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\s?\d+)?))
         (?P<close>\s?\))?\s?(?P<scale>{_SCALE})?\s?(?P<unit>{_UNIT})?(?![A-Za-z\d])""",
    re.VERBOSE | re.IGNORECASE,
)
_SAME_UNIT = {
    "percent": "%", "per cent": "%", "percentage points": "pp", "percentage point": "pp", "百分点": "pp",
    "个百分点": "pp", "basis points": "bps", "basis point": "bps", "℃": "°c", "$": "usd", "us$": "usd",
    "dollar": "usd", "美元": "usd", "£": "gbp", "pound": "gbp", "英镑": "gbp", "€": "eur", "euro": "eur",
    "欧元": "eur", "¥": "cny", "元": "cny", "rmb": "cny", "人民币": "cny", "yuan": "cny", "hk$": "hkd",
    "港元": "hkd", "港币": "hkd", "个月": "month", "月": "month", "年": "year", "天": "day", "小时": "hour",
    "分钟": "minute", "ug": "µg", "μg": "µg",
}  # fmt: skip
_SAME_SCALE = {"bn": "billion", "m": "million", "mn": "million", "k": "thousand", "百万": "million"}


def number_key(match: re.Match[str]) -> str:
    """Return ``[-]value scale unit``: brackets are a minus where a figure stands alone in them."""
    digits = re.sub(r"[,\s]", "", match["digits"])
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    value = digits.lstrip("0") or "0"
    value = f"0{value}" if value.startswith(".") else value
    negative = bool(match["open"] and match["close"]) or (match["sign"] or "") in ("-", "−")
    scale = (match["scale"] or "").lower()
    unit = re.sub(r"\s+", " ", (match["unit"] or match["currency"] or match["inner"] or "").lower())
    unit = _SAME_UNIT.get(unit, _SAME_UNIT.get(unit.removesuffix("s"), unit.removesuffix("s")))
    return " ".join(
        part for part in (f"-{value}" if negative else value, _SAME_SCALE.get(scale, scale), unit) if part
    )


def _han_digits(match: re.Match[str]) -> str:
    """二〇二三 is 2023, 十二 is 12, 三十 is 30."""
    tens, ten, ones = match.group().rpartition("十")
    if not ten:
        return "".join(_HAN_DIGIT[letter] for letter in ones)
    return f"{_HAN_DIGIT.get(tens, '1')}{_HAN_DIGIT.get(ones, '0')}"


def date_key(match: re.Match[str]) -> str:
    """Return ``2022-12-31``, ``2022-12``, ``12-31`` or ``2022``, as far as the date goes."""
    text = match.group().lower()
    text = _HAN_NUMBER.sub(_han_digits, text) if match["zh"] else text
    month = next((f"{n:02d}" for n, name in enumerate(_MONTHS, 1) if re.search(rf"\b{name[:3]}", text)), "")
    parts = re.findall(r"\d+", text)
    if match["fiscal"]:
        return parts[0] if len(parts[0]) == 4 else f"20{parts[0]}"
    if not month:
        return "-".join(part.zfill(2) for part in parts)
    year = next((part for part in parts if len(part) == 4), "")
    day = next((part.zfill(2) for part in parts if len(part) < 3), "")
    return "-".join(part for part in (year, month, day) if part)
