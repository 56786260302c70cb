"""A computed claim computed again: the line that the tool wrote, or a sentence of the same form.

Arrives: ``(5.2 million - 3.1 million) / 3.1 million * 100 = 67.74%``. Leaves: whether it is right.
"""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction

from appliance.errors import UserError
from appliance.reasoning.tools.amounts import Amount, amounts
from appliance.reasoning.tools.dates import read_date
from appliance.reasoning.tools.functions import Result
from appliance.reasoning.tools.interpret import Expression
from appliance.reasoning.tools.scales import factor
from appliance.reasoning.tools.units import conversion
from appliance.reasoning.tools.values import Value

_EQUALS = re.compile(r"\s+(?:=|≈|＝)\s+")
_YES = {"yes": True, "true": True, "是": True, "no": False, "false": False, "否": False}


def recomputes(claim: str) -> bool:
    """Return whether a computed claim is right: its left side gives what its right side says.

    The right side may be rounded (to the last decimal it writes, else to hundredths); a share may be
    written as a percentage; units and scales have to agree where both sides have one. Never raises.
    """
    *_, left, right = ["", *_EQUALS.split(claim.strip())]
    if not left:
        return False
    try:
        result = Expression(left, constants=False).compute({})
        return _agrees(result, right.rstrip(" .。"))
    except UserError:
        return False


def _agrees(result: Result, right: str) -> bool:
    if isinstance(result, bool):
        return _YES.get(right.strip().lower()) is result
    if isinstance(result, date):
        return read_date(right) == result
    stated = amounts(right)
    return bool(stated) and _near(result, stated[0])


def _near(value: Value, stated: Amount) -> bool:
    if stated.unit == "percent" != value.unit:
        if value.unit:
            return False
        shown = (value.number, value.number * 100)
    elif value.unit and stated.unit and value.unit != stated.unit:
        shown = (value.number * conversion(value.unit, stated.unit),)
    else:
        shown = (value.number,)
    slack = _slack(stated)
    return any(abs(one - stated.number) <= slack for one in shown)


def _slack(stated: Amount) -> Fraction:
    """Half of the last decimal written, in its scale; half a hundredth where the number is whole."""
    decimals = re.search(r"\.(\d+)", stated.written)
    places = len(decimals[1]) if decimals else 2
    return Fraction(51, 100) / 10**places * factor(stated.scale)
