"""Table cells to values: ``(1,234)``, ``—``, ``n/a``, ``12.3%``, 1.2亿, ``1,234 (a)``, ``$ 1,234``.

Arrives: the text of a cell, and the scale that its table's caption sets. Leaves: a value, or None.
"""

from __future__ import annotations

import re
from fractions import Fraction

from appliance.domain import Struct
from appliance.reasoning.tools.amounts import Amount, amounts, unmarked
from appliance.reasoning.tools.functions import CELLS_MAX
from appliance.reasoning.tools.scales import factor
from appliance.reasoning.tools.values import Value, of_amount

_NOTE = re.compile(r"(?<=[\d%)])\s*(?:[(\[（][a-z*†]{1,3}[)\]）]|[(\[（]\d{1,2}[)\]）]|\s[a-d])$")
_NIL = re.compile(r"^(?:[$€£¥]|[A-Z]{3})?\s*[—–\-‒―]+\s*%?$")
_NONE = re.compile(r"^(?:n/?a|n\.a\.?|nm|n\.m\.?|nmf|\*+|不适用|无|未披露|na)$", re.I)
_EXTRA = re.compile(r"[A-Za-z一-鿿]{3,}")


class Cell(Struct, frozen=True, kw_only=True):
    """A figure of a table."""

    value: Value
    written: str
    """As the table writes it, brackets of negative figures made a minus; with the caption's scale."""
    nil: bool = False
    """Written as a dash: nothing, so 0."""


def read_cell(text: str, *, scale: str = "", unit: str = "") -> Cell | None:
    """Return the figure of a cell, or None where it holds none or words beside it.

    ``scale`` and ``unit`` are what the caption says of cells without their own; a percentage keeps out of
    the scale.
    """
    text = _NOTE.sub("", text.strip())
    plain = unmarked(text).strip()
    if not plain or _NONE.match(plain):
        return None
    if _NIL.match(plain):
        return Cell(value=Value(number=Fraction(0), unit=unit, scale=scale), written="0", nil=True)
    found = amounts(text)
    if len(found) != 1 or _has_words(plain, found[0]):
        return None
    return _scaled(found[0], scale, unit)


def _has_words(plain: str, amount: Amount) -> bool:
    """Whether a cell says more than its figure: ``Level 3 assets``, ``2019 Notes``."""
    rest = plain[: amount.start] + plain[amount.end :]
    return bool(_EXTRA.search(rest.replace(amount.label, "", 1) if amount.label else rest))


def _scaled(amount: Amount, scale: str, unit: str) -> Cell:
    value = of_amount(amount)
    if value.unit == "percent" or value.scale or not scale:
        label = value.label or (unit if value.unit else "")
        if not value.unit and unit:
            return Cell(value=_as(value, unit=unit), written=amount.written)
        return Cell(value=_as(value, label=label), written=amount.written)
    joint = "" if not scale.isascii() else " "
    made = _as(value, number=value.number * factor(scale), scale=scale, unit=value.unit or unit)
    return Cell(value=made, written=f"{amount.written}{joint}{scale}")


def _as(
    value: Value, *, number: Fraction | None = None, scale: str = "", unit: str = "", label: str = ""
) -> Value:
    return Value(
        number=value.number if number is None else number,
        unit=unit or value.unit,
        scale=scale or value.scale,
        label=label or value.label,
    )


def row_values(text: str) -> tuple[Value, ...]:
    """Return the figures of a Markdown table row in order, its label left out; () for other text."""
    text = text.strip()
    if text.count("|") < 3 or not text.startswith("|") or "\n" in text:
        return ()
    cells = [read_cell(cell) for cell in text.strip("|").split("|")[:CELLS_MAX]]
    return tuple(cell.value for cell in cells if cell is not None)
