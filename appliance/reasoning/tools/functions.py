"""The functions an expression may call: over several operands, over a table's row or column, over dates.

Arrives: values, series of values, days. Leaves: one value. English and Chinese names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import partial

from appliance.errors import UserError
from appliance.reasoning.tools import values
from appliance.reasoning.tools.dates import months_between, years_between
from appliance.reasoning.tools.rounding import round_value
from appliance.reasoning.tools.values import Value, compare

Series = tuple[Value, ...]
"""The cells of a row or column, in order."""
Argument = Value | Series | date
Result = Value | date | bool
CELLS_MAX = 5_000


def _numbers(name: str, arguments: Sequence[Argument]) -> list[Value]:
    """All values, series spread out. Raises UserError: none, too many, a lone number, a date."""
    if len(arguments) == 1 and isinstance(arguments[0], Value):
        raise UserError(f"{name} needs at least two operands", hint="write a space after each comma")
    numbers: list[Value] = []
    for argument in arguments:
        if isinstance(argument, date):
            raise UserError(f"{name} takes numbers, not dates", hint="use days, months or years")
        numbers.extend(argument if isinstance(argument, tuple) else [argument])
    if not numbers or len(numbers) > CELLS_MAX:
        raise UserError(f"{name} needs 1 to {CELLS_MAX} numbers", hint="check the column")
    return numbers


def _exactly(name: str, count: int, arguments: Sequence[Argument]) -> list[Value]:
    """``count`` single values; one series counts as its cells. Raises UserError otherwise."""
    spread = [
        one for argument in arguments for one in (argument if isinstance(argument, tuple) else [argument])
    ]
    found = [one for one in spread if isinstance(one, Value)]
    if len(found) != count or len(spread) != count:
        raise UserError(
            f"{name} takes {count} numbers, {len(spread)} given", hint="write a space after commas"
        )
    return found


def _sum(arguments: Sequence[Argument]) -> Value:
    total, *rest = _numbers("sum", arguments)
    for one in rest:
        total = values.add(total, one)
    return total


def _mean(arguments: Sequence[Argument]) -> Value:
    count = Value(number=Fraction(len(_numbers("mean", arguments))), constant=True)
    return values.divide(_sum(arguments), count)


def _extreme(sign: int, name: str, arguments: Sequence[Argument]) -> Value:
    best, *rest = _numbers(name, arguments)
    for one in rest:
        if compare(one, best) == sign:
            best = one
    return best


def _abs(arguments: Sequence[Argument]) -> Value:
    (value,) = _exactly("abs", 1, arguments)
    return value if value.number >= 0 else _negative(value)


def _negative(value: Value) -> Value:
    return values.multiply(Value(number=Fraction(-1), constant=True), value)


def _round(arguments: Sequence[Argument]) -> Value:
    if len(arguments) == 1:
        return round_value(_exactly("round", 1, arguments)[0], 0)
    value, decimals = _exactly("round", 2, arguments)
    if decimals.unit or decimals.number.denominator != 1:
        raise UserError("round takes a whole number of decimals", hint="round(x, 2)")
    return round_value(value, int(decimals.number))


def _count(arguments: Sequence[Argument]) -> Value:
    return Value(number=Fraction(len(_numbers("count", arguments))))


def _change(arguments: Sequence[Argument]) -> Value:
    old, new = _ends("change", arguments)
    return values.add(new, old, sign=-1)


def _ends(name: str, arguments: Sequence[Argument]) -> tuple[Value, Value]:
    """The first and the last: of a series, or of two numbers (old, new)."""
    if len(arguments) == 1 and isinstance(arguments[0], tuple) and len(arguments[0]) >= 2:
        return arguments[0][0], arguments[0][-1]
    old, new = _exactly(name, 2, arguments)
    return old, new


def _growth(arguments: Sequence[Argument]) -> Value:
    old, new = _ends("growth", arguments)
    return _percentage(values.divide(values.add(new, old, sign=-1), old))


def _percentage(value: Value) -> Value:
    if value.unit:
        raise UserError("a percentage needs two amounts of the same kind", hint="check the units")
    return Value(number=value.number * 100, unit="percent", label="%")


def _share(arguments: Sequence[Argument]) -> Value:
    part, whole = _exactly("share", 2, arguments)
    return _percentage(values.divide(part, whole))


def _ratio(arguments: Sequence[Argument]) -> Value:
    one, other = _exactly("ratio", 2, arguments)
    return values.divide(one, other)


def _difference(arguments: Sequence[Argument]) -> Value:
    one, other = _exactly("difference", 2, arguments)
    return values.add(one, other, sign=-1)


def _cagr(arguments: Sequence[Argument]) -> Value:
    """(end / start) ** (1 / years) - 1, in percent, to 40 digits."""
    start, end, years = _exactly("cagr", 3, arguments)
    times = values.divide(end, start)
    if times.unit or times.number <= 0 or years.number <= 0 or years.number > 500:
        raise UserError(
            "a yearly growth rate needs two positive amounts and some years", hint="cagr(start, end, n)"
        )
    with localcontext(Context(prec=40)):
        ratio = Decimal(times.number.numerator) / Decimal(times.number.denominator)
        root = ratio ** (Decimal(years.number.denominator) / Decimal(years.number.numerator))
    return Value(number=(Fraction(root) - 1) * 100, unit="percent", label="%")


def _between(unit: str, arguments: Sequence[Argument]) -> Value:
    """Whole days, months or years from the first day to the second; years also between two year numbers."""
    match list(arguments):
        case [date() as start, date() as end]:
            spans = {
                "day": (end - start).days,
                "month": months_between(start, end),
                "year": years_between(start, end),
            }
            return Value(number=Fraction(spans[unit]), unit=unit, label=f"{unit}s")
        case [Value(unit="") as start, Value(unit="") as end] if unit == "year":
            return Value(number=end.number - start.number, unit=unit, label="years")
        case _:
            raise UserError(f"{unit}s takes two dates", hint=f"{unit}s(2019-01-31, 2020-03-01)")


_NAMED: dict[str, Callable[[Sequence[Argument]], Value]] = {
    "sum total": _sum,
    "mean average avg": _mean,
    "min": partial(_extreme, -1, "min"),
    "max": partial(_extreme, 1, "max"),
    "abs": _abs,
    "round": _round,
    "count": _count,
    "change": _change,
    "growth": _growth,
    "cagr": _cagr,
    "difference": _difference,
    "ratio": _ratio,
    "share percentage": _share,
    "days": partial(_between, "day"),
    "months": partial(_between, "month"),
    "years": partial(_between, "year"),
}
FUNCTIONS = {name: function for names, function in _NAMED.items() for name in names.split()}
