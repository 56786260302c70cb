"""A stored number and its Excel number format to the text that a reader sees: 0.075 and ``0.0%`` to ``7.5%``.

Negative amounts keep a minus sign also where Excel prints brackets, so that no reader mistakes them.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

import msgspec

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: '"$"#,##0', 6: '"$"#,##0', 7: '"$"#,##0.00',
    8: '"$"#,##0.00', 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 37: "#,##0",
    38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 41: "#,##0", 42: '"$"#,##0', 43: "#,##0.00",
    44: '"$"#,##0.00', 48: "##0.0E+0",
}  # fmt: skip
"""Formats that a workbook uses by number without spelling them out (ECMA-376, 18.8.30)."""
_SECTIONS = re.compile(r'((?:"[^"]*"|\\.|\[[^\]]*\]|[^;])*)(?:;|$)')
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[[^\]]*\]|_.|\*.'
    r"|(?P<number>[#0?][#0?,.]*(?:[eE][+-][0#?]+)?|\.[0#?]+)|(?P<percent>%)|(?P<plain>.)",
    re.S,
)
_DATE_LETTERS = re.compile(r'(?:"[^"]*"|\\.|\[(?![hms]+\])[^\]]*\])|(?P<date>[ymdhs]|\[[hms]+\])', re.I)
MAX_DECIMALS = 15
_EXACT = Context(prec=400)


class NumberFormat(msgspec.Struct, frozen=True, kw_only=True):
    """What a format does to a number."""

    prefix: str = ""
    suffix: str = ""
    percent: bool = False
    thousands: bool = False
    scale: int = 0
    """How often the format divides by 1,000."""
    decimals_min: int = 0
    decimals_max: int = 0


@lru_cache(maxsize=512)
def number_format(code: str) -> NumberFormat | None:
    """What ``code`` says of positive numbers; None for General, text, dates, fractions."""
    section = _SECTIONS.match(code)
    first = section[1] if section else ""
    if not first or "general" in first.lower() or "@" in first or "/" in first or is_date_format(first):
        return None
    prefix, suffix, placeholder, percent = "", "", "", False
    for token in _TOKEN.finditer(first):
        literal = token["quoted"] or token["escaped"] or token["currency"] or token["plain"] or ""
        if token["number"]:
            if placeholder or "e" in token["number"].lower():
                return None  # two numbers in one format, or powers of ten
            placeholder = token["number"]
        elif token["percent"]:
            percent = True
        elif placeholder:
            suffix += literal
        else:
            prefix += literal
    if not placeholder:
        return None
    whole, _, decimals = placeholder.partition(".")
    scale = len(placeholder) - len(placeholder.rstrip(","))
    decimals = decimals.rstrip(",")
    return NumberFormat(
        prefix=prefix.replace("(", "").strip(),
        suffix=suffix.replace(")", "").rstrip(),
        percent=percent,
        thousands="," in whole.rstrip(","),
        scale=scale,
        decimals_min=min(decimals.count("0"), MAX_DECIMALS),
        decimals_max=min(len(decimals), MAX_DECIMALS),
    )


def is_date_format(code: str) -> bool:
    """Whether a format shows dates or times."""
    return any(match["date"] for match in _DATE_LETTERS.finditer(code))


def shown_number(value: float, code: str = "") -> str:
    """``value`` as the format shows it; without one, the number itself with at most 15 digits."""
    found = number_format(code) if code else None
    if found is None or value != value or value in (float("inf"), float("-inf")):
        return plain_number(value)
    amount = abs(Decimal(f"{value:.15g}")) * (100 if found.percent else 1) / 1000**found.scale
    rounded = amount.quantize(Decimal(1).scaleb(-found.decimals_max), ROUND_HALF_UP, _EXACT)
    text = f"{rounded:{',' if found.thousands else ''}f}"
    if found.decimals_max > found.decimals_min:
        whole, _, decimals = text.partition(".")
        decimals = decimals[: found.decimals_min] + decimals[found.decimals_min :].rstrip("0")
        text = f"{whole}.{decimals}" if decimals else whole
    negative = value < 0 and any(digit in "123456789" for digit in text)
    prefix = found.prefix.lstrip("-")
    return f"{'-' if negative else ''}{prefix}{text}{'%' if found.percent else ''}{found.suffix}"


def plain_number(value: float) -> str:
    """``12553`` for 12553.0, ``0.3`` for 0.1 + 0.2; no exponent where digits suffice."""
    if value != value or abs(value) > 1e300:
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.15g}" if abs(value) >= 1e-4 or abs(value) < 1e-12 else f"{value:.16f}".rstrip("0")
