"""Numbers as documents write them: sign, currency, grouping, scale word, percent, unit.

Arrives: a short answer, a table cell, a literal of an expression. Leaves: exact amounts, each with the
words it was written in.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from appliance.domain import Struct
from appliance.reasoning.tools.scales import LETTER_SCALE, SCALE, factor, simplified
from appliance.reasoning.tools.units import PREFIX, SUFFIX, is_currency, unit_named

NUMBER = r"(?:\d{1,3}(?:,\d{2,3})*,\d{3}(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_COIN_SCALE = rf"(?P<coin_scale>(?i:{SCALE}|{LETTER_SCALE}))"
_MONEY = rf"(?P<prefix>{PREFIX})\s*(?P<inner>[-−–]?)\s*(?P<coin>{NUMBER})(?:\s*{_COIN_SCALE})?"
_PLAIN = rf"(?<![A-Za-z\d_])(?P<digits>{NUMBER})(?:\s*(?P<scale>(?i:{SCALE})))?"
AMOUNT = rf"(?:{_MONEY}|{_PLAIN})(?:\s*(?P<unit>{SUFFIX}))?"
"""Pattern of one amount without its sign, for text that :func:`tidied` returned."""
AMOUNT_AT = re.compile(AMOUNT)
_SIGNED = re.compile(rf"(?P<open>\(?)\s*(?P<sign>[-−–△▲+]?)\s*(?P<bracket>\(?)\s*{AMOUNT}")
_CURRENCY_BEFORE_BRACKET = re.compile(rf"(?P<prefix>{PREFIX})\s*\(\s*(?=[\d.])")
_MARKS = re.compile(r"(?<=[\d%)])[¹²³⁰⁴-⁹ᵃ-ᶻ*†‡§#]+")
SUPERSCRIPT = re.compile(r"(?<=[\d%)])[¹²³⁰⁴-⁹]")
_THIN = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_NOUN = re.compile(r"\s*([^\W\d_]+)")
_NOT_NOUNS = frozenset(
    "in of at for the and or from to by per as on with is was were are than between over under during a an "
    "compared respectively vs versus which that this".split()
)
DIGITS_MAX = 40


class Amount(Struct, frozen=True, kw_only=True):
    """A number with what it counts."""

    number: Fraction
    """With its scale applied."""
    unit: str = ""
    """Name of a unit (``USD``, ``percent``, ``day``); empty for a bare number and for unknown nouns."""
    scale: str = ""
    """The scale word as written, for showing results alike."""
    label: str = ""
    """How the unit was written: ``£``, 元, ``employees``."""
    written: str = ""
    """All of it as the source writes it: what a reader finds there."""
    start: int = 0
    end: int = 0
    """Where it stands in the tidied text."""


def tidied(text: str) -> str:
    """Return text with full-width forms made plain and thin spaces in numbers dropped."""
    text = _THIN.sub("", text)
    text = unicodedata.normalize("NFKC", text.replace("℃", "°C").replace("℉", "°F")).replace("￥", "¥")
    return simplified(text).replace("−", "-").replace("\u2019", "'")


def unmarked(text: str) -> str:
    """Return tidied text without the footnote marks that cling to numbers (``1,234¹``, ``12.5%*``)."""
    return tidied(_MARKS.sub("", text))


def amounts(text: str) -> list[Amount]:
    """Return all amounts of a text in order, years standing alone included; signs and brackets read.

    ``(4.2)`` is negative as in accounts; a hyphen that joins words or numbers (``2018-19``) is no sign.
    """
    text = _CURRENCY_BEFORE_BRACKET.sub(lambda m: f"({m['prefix']}", unmarked(text))
    found: list[Amount] = []
    for match in _SIGNED.finditer(text):
        before = text[: match.start("sign")].rstrip()[-1:] if match["sign"] else ""
        joined = bool(before) and (before.isalnum() or before in ")%")
        found.append(_amount(match, text, negative=_negative(match, text) and not joined))
    return [amount for amount in found if amount.written]


def _negative(match: re.Match[str], text: str) -> bool:
    closing = text[match.end() :].lstrip()[:1] == ")"
    percent = text[match.end() :].lstrip()[:2] == ")%"
    opened = bool(match["open"] or match["bracket"])
    signed = match["sign"] not in ("", "+") or match["inner"] in ("-", "–")
    return signed or (opened and (closing or percent))


def _amount(match: re.Match[str], text: str, *, negative: bool) -> Amount:
    made = literal(match)
    if made is None:
        return Amount(number=Fraction(0))
    rest = text[match.end() :].lstrip(" )")
    unit, label = made.unit, made.label
    if not unit and rest.startswith("%"):
        unit, label = "percent", "%"
    elif not unit and (noun := _NOUN.match(text[match.end() :])) and noun[1].lower() not in _NOT_NOUNS:
        label = noun[1]
    return Amount(
        number=-made.number if negative else made.number,
        unit=unit,
        scale=made.scale,
        label=label,
        written=f"-{made.written}" if negative else made.written,
        start=match.start(),
        end=match.end(),
    )


def literal(match: re.Match[str]) -> Amount | None:
    """Return the amount of a match of :data:`AMOUNT`, unsigned; None for more than 40 digits."""
    digits = match["coin"] or match["digits"]
    if len(digits) > DIGITS_MAX:
        return None
    word = match["coin_scale"] or match["scale"] or ""
    unit, label = unit_named(match["unit"] or ""), match["unit"] or ""
    if match["prefix"]:
        currency = unit_named(match["prefix"])
        if not unit or is_currency(unit):
            keep = bool(unit) and (
                unit != currency or (not match["prefix"].isascii() and match["prefix"].isalpha())
            )  # ``$5 CAD``: the word after says which dollar
            unit, label = (unit, label) if keep else (currency, match["prefix"])
    number = Fraction(digits.replace(",", "")) * factor(word)
    if match["inner"]:
        number = -number
    joint = "" if not word or not word.isascii() or len(word) < 3 else " "
    coin = match["prefix"] or ""
    coin += " " if coin.isalpha() and coin.isascii() else ""
    shown = f"{coin}{'-' if match['inner'] else ''}{digits}{joint}{word}"
    tail = match["unit"] or ""
    gap = " " if tail and tail[0].isascii() and tail[0].isalpha() else ""
    return Amount(number=number, unit=unit, scale=word, label=label, written=f"{shown}{gap}{tail}")


def read_amount(text: str) -> Amount | None:
    """Return the first amount of ``text`` that is no year standing alone, else the first, else None."""
    found = amounts(text)
    return next((one for one in found if not is_year(one)), found[0] if found else None)


def is_year(amount: Amount) -> bool:
    """Return whether an amount is a bare number from 1900 to 2099 (``2019``, 2019年)."""
    bare = not amount.scale and (amount.unit in ("", "year")) and amount.label in ("", "年", "年度")
    digits = amount.written.removesuffix("年")
    return bare and len(digits) == 4 and digits.isdigit() and 1900 <= amount.number < 2100
