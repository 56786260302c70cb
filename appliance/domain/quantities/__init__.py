"""Quantities in Chinese and English text: read, brought to one unit, compared.

``quantities(text)`` reads; ``same(a, b)`` compares with conversion and rounding; ``carries(held, said)`` also
asks that a claim is no finer than its source.
"""

from appliance.domain.quantities.folding import plain
from appliance.domain.quantities.reading import quantities, stated_scale
from appliance.domain.quantities.shape import (
    CALENDAR,
    CLOCK,
    ORDINAL,
    PERCENT,
    POINT,
    Quantity,
    When,
    carries,
    same,
)
from appliance.domain.quantities.units import CURRENCIES, unit_of

__all__ = [
    "CALENDAR",
    "CLOCK",
    "CURRENCIES",
    "ORDINAL",
    "PERCENT",
    "POINT",
    "Quantity",
    "When",
    "carries",
    "plain",
    "quantities",
    "same",
    "stated_scale",
    "unit_of",
]
