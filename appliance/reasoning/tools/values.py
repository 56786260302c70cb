"""The arithmetic of amounts: what may be added, what a product counts, when a quotient is a share.

Arrives: two values. Leaves: one, exact (fractions), with its unit and the scale it should be shown in.
"""

from __future__ import annotations

from fractions import Fraction

from appliance.domain import Struct
from appliance.errors import UserError
from appliance.reasoning.tools.amounts import Amount
from appliance.reasoning.tools.units import conversion, is_currency, product, spoken

MAGNITUDE_MAX = 10**27
BITS_MAX = 20_000


class Value(Struct, frozen=True, kw_only=True):
    """An exact number on its way through an expression."""

    number: Fraction
    unit: str = ""
    scale: str = ""
    """Scale word to show it in; empty for none."""
    label: str = ""
    """How the unit was written; empty: as the unit's own name."""
    constant: bool = False
    """A bare number that the expression itself gives (the 100 of a percentage)."""
    ratio: bool = False
    """A quotient of two like amounts: times 100 it is a percentage."""
    decimals: int | None = None
    """Decimals it was rounded to, where it was."""


def of_amount(amount: Amount) -> Value:
    """Return the value of an amount read from a text."""
    unit, number = amount.unit, amount.number
    if unit == "basis_point":
        unit, number = "percent", number / 100
    label = "" if amount.unit == "basis_point" else amount.label
    return Value(number=number, unit=unit, scale=amount.scale, label=label)


def checked(value: Value) -> Value:
    """Return the value, or raise UserError where it is too large or too long to be meant."""
    if abs(value.number) > MAGNITUDE_MAX:
        raise UserError("the result is too large", hint="at most 10^27")
    if value.number.numerator.bit_length() + value.number.denominator.bit_length() > BITS_MAX:
        raise UserError("the result has too many digits", hint="split the calculation")
    return value


def _alike(left: Value, right: Value) -> tuple[Fraction, Fraction, str, str]:
    """Both numbers in one unit, that unit and its label; a bare number takes the other's unit.

    Beside a percentage, a bare 1 is the whole: ``1 + 5%`` is 1.05.
    """
    if left.unit == right.unit or not right.unit or not left.unit:
        for one, other in ((left, right), (right, left)):
            if one.unit == "percent" and not other.unit and other.constant and other.number == 1:
                halves = (one.number / 100, other.number) if one is left else (other.number, one.number / 100)
                return *halves, "", ""
        label = left.label if left.label == right.label or not right.label else ""
        label = label or (right.label if not left.label else "")
        unit = left.unit or right.unit
        return left.number, right.number, unit, label or (left.label if unit else "")
    rate = conversion(right.unit, left.unit)
    return left.number, right.number * rate, left.unit, left.label


def _scale(left: Value, right: Value) -> str:
    if left.scale == right.scale or (right.constant or not right.number):
        return left.scale
    return right.scale if left.constant or not left.number else ""


def add(left: Value, right: Value, *, sign: int = 1) -> Value:
    """Return the sum (or, with ``sign=-1``, the difference). Raises UserError: units that do not meet."""
    one, other, unit, label = _alike(left, right)
    ratio = (left.ratio or right.ratio) and (left.ratio or left.constant) and (right.ratio or right.constant)
    constant = left.constant and right.constant
    made = Value(
        number=one + sign * other, unit=unit, scale=_scale(left, right), label=label, ratio=ratio,
        constant=constant,
    )  # fmt: skip
    return checked(made)


def multiply(left: Value, right: Value) -> Value:
    """Return the product; a percentage counts as a share of the other; a ratio times 100 is one."""
    if left.ratio and right.constant and right.number == 100:
        return checked(Value(number=left.number * 100, unit="percent", label="%"))
    if right.ratio and left.constant and left.number == 100:
        return checked(Value(number=right.number * 100, unit="percent", label="%"))
    if left.unit == "percent" == right.unit:
        return checked(Value(number=left.number * right.number / 100, unit="percent", label="%"))
    if left.unit == "percent":
        left, right = right, left
    if right.unit == "percent":
        share = right.number / 100
        return checked(Value(number=left.number * share, unit=left.unit, scale=left.scale, label=left.label))
    unit, times, label = left.unit or right.unit, Fraction(1), left.label or right.label
    if left.unit and right.unit:
        unit, times = product(left.unit, right.unit, divide=False)
        label = ""
    scale = left.scale if not right.scale else right.scale if not left.scale else ""
    constant = left.constant and right.constant
    ratio = (left.ratio and right.constant) or (right.ratio and left.constant)
    number = left.number * right.number * times
    return checked(Value(number=number, unit=unit, scale=scale, label=label, constant=constant, ratio=ratio))


def divide(left: Value, right: Value) -> Value:
    """Return the quotient. Raises UserError: division by zero, one currency by another."""
    if not right.number:
        raise UserError("division by zero", hint="the figure divided by is 0: there is no such ratio")
    if not right.unit and right.constant:
        made = Value(
            number=left.number / right.number, unit=left.unit, scale=left.scale, label=left.label,
            ratio=left.ratio, constant=left.constant,
        )  # fmt: skip
        return checked(made)
    if right.unit == "percent" != left.unit:
        number = left.number / right.number * 100
        return checked(Value(number=number, unit=left.unit, scale=left.scale, label=left.label))
    if left.unit == right.unit or not right.unit or not left.unit:
        number = left.number / right.number
        if left.unit and not right.unit and right.label:  # ``$8 million / 4 employees`` stays money
            return checked(Value(number=number, unit=left.unit, label=left.label))
        return checked(Value(number=number, ratio=True))
    unit, times = product(left.unit, right.unit, divide=True)
    scale = left.scale if unit and not right.scale and is_currency(left.unit) else ""
    return checked(Value(number=left.number / right.number * times, unit=unit, scale=scale, ratio=not unit))


def compare(left: Value, right: Value) -> int:
    """Return -1, 0 or 1 as ``left`` is smaller, equal or larger. Raises UserError: units do not meet."""
    one, other, *_ = _alike(left, right)
    return (one > other) - (one < other)


def to_unit(value: Value, unit: str) -> Value:
    """Return the value in another unit. Raises UserError: another kind of thing."""
    if not value.unit:
        raise UserError(f"a bare number cannot be turned into {spoken(unit)}", hint="say its unit")
    return checked(Value(number=value.number * conversion(value.unit, unit), unit=unit))
