"""Units and currencies: what a word means, whether two amounts may meet, and by which factor.

Arrives: unit words of both languages. Leaves: names of pint units, exact factors, products of units.
pint is imported when two different units first meet: most calculations never need it.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import Any

from appliance.errors import UserError
from appliance.reasoning.tools.unit_words import DEFINITIONS

_ROWS = [[part.strip() for part in line.split("|")] for line in DEFINITIONS.strip().splitlines()]
_NAMES = {word: row[0] for row in _ROWS for word in row[2].split()}
_CURRENCIES = frozenset(row[0] for row in _ROWS if row[1].startswith("[currency_"))
_SIGNS = sorted((word for word in _NAMES if word[-1] in "$€£¥₹₩"), key=len, reverse=True)
PREFIX = rf"(?:{'|'.join(map(re.escape, _SIGNS))}|{'|'.join(sorted(_CURRENCIES))}|RMB|人民币)"
"""Pattern of a currency before a number."""
_SUFFIXES = sorted((word for word in _NAMES if word not in _SIGNS), key=len, reverse=True)
_LATIN = [word for word in _SUFFIXES if word[0].isascii() and word[0].isalpha()]
_ASCII = (
    f"(?i:{'|'.join(re.escape(word) for word in _LATIN if len(word) > 2)})|"
    f"{'|'.join(re.escape(word) for word in _LATIN if len(word) < 3)}"
)
_OTHER = "|".join(re.escape(word) for word in _SUFFIXES if not (word[0].isascii() and word[0].isalpha()))
_WORDED = r"(?i:percentage points?|basis points?|(?:sq\.?|square) (?:meters?|metres?|feet))"
_ONE = rf"(?:(?:{_WORDED}|{_ASCII})(?![A-Za-z\d])|{_OTHER})"
SUFFIX = rf"{_ONE}(?:\s?(?:/|per |每)\s?{_ONE})?"
"""Pattern of a unit after a number (``km``, 元/股 is no unit, ``CNY/USD`` is)."""
_SPELLED = {
    "percentage point": "percent", "basis point": "basis_point", "square meter": "square_meter",
    "square metre": "square_meter", "sq meter": "square_meter", "sq metre": "square_meter",
    "square feet": "square_foot", "sq feet": "square_foot", "sq. feet": "square_foot",
}  # fmt: skip


def unit_named(word: str) -> str:
    """Return the unit that a word or a quotient of words means (``US$`` → ``USD``); empty if none."""
    word = word.strip().replace("￥", "¥")
    if word in _NAMES:
        return _NAMES[word]
    lower = word.lower()
    if lower in _NAMES or lower.removesuffix("s") in _SPELLED:
        return _NAMES.get(lower) or _SPELLED[lower.removesuffix("s")]
    if lower in _SPELLED:
        return _SPELLED[lower]
    over, _, under = re.sub(r"\s?(?:/|\bper\b|每)\s?", "/", word, count=1).partition("/")
    if under and (top := unit_named(over)) and (bottom := unit_named(under)):
        return f"{top} / {bottom}"
    return ""


def is_currency(unit: str) -> bool:
    """Return whether a unit is one currency, nothing else."""
    return unit in _CURRENCIES


def conversion(source: str, target: str) -> Fraction:
    """Return by what an amount in ``source`` is multiplied to be in ``target``, exactly.

    Raises UserError: two currencies, or two different kinds of thing.
    """
    if source == target:
        return Fraction(1)
    registry = _registry()
    one = registry.parse_units(source)
    other = registry.parse_units(target)
    if one.dimensionality != other.dimensionality:
        raise UserError(f"{spoken(source)} and {spoken(target)} cannot be {_why(source, target)}")
    return Fraction(registry.convert(Fraction(1), one, other))


def _why(source: str, target: str) -> str:
    if is_currency(source) and is_currency(target):
        return "mixed without an exchange rate: give the rate as an operand, such as 7.1 CNY/USD"
    return "compared or added: they measure different things"


def product(left: str, right: str, *, divide: bool) -> tuple[str, Fraction]:
    """Return the unit of a product or quotient, and the factor that brings both into it.

    An empty unit means a pure number. Raises UserError: one currency divided by another without a
    rate, or powers of money.
    """
    if divide and left == right:
        return "", Fraction(1)
    if divide and is_currency(left) and is_currency(right):
        conversion(left, right)  # tells why not
    registry = _registry()
    one, other = registry.parse_units(left), registry.parse_units(right)
    made = registry.Quantity(Fraction(1), one / other if divide else one * other)
    if made.dimensionless:
        return "", Fraction(made.to_base_units().magnitude)
    made = made.to_reduced_units()
    powers: dict[str, Any] = {name: power for name, power in made.unit_items() if is_currency(name)}
    if any(abs(power) != 1 for power in powers.values()) or sum(p > 0 for p in powers.values()) > 1:
        raise UserError(
            f"{spoken(left)} {'/' if divide else '*'} {spoken(right)} is no amount of money",
            hint="multiply by the rate that ends in the wanted currency",
        )
    return str(made.units), Fraction(made.magnitude)


def spoken(unit: str) -> str:
    """Return a unit as a message names it: ``kilowatt hour``, ``CNY/USD``; ``plain numbers`` for none."""
    return unit.replace(" / ", "/").replace("_", " ") or "plain numbers"


@cache
def _registry() -> Any:
    """The registry: ours alone, exact fractions, built once."""
    from pint import UnitRegistry  # 0.2 s: only where two units meet

    make: Any = UnitRegistry  # its stubs know floats and a file name only
    registry = make(None, non_int_type=Fraction)
    for name, definition, _ in _ROWS:
        registry.define(f"{name} = {definition}")
    return registry
