"""Figures read off a table, and years counted by a bound: no arithmetic, and no model either.

Arrives: "What were the respective sales in 2018 and 2019?", "How many years did sales exceed $3 million?" in
either language, and a table. Leaves: the cells and what they say, or None where in doubt.
"""

from __future__ import annotations

import re
from fractions import Fraction

from appliance.domain import Struct
from appliance.reasoning.tools.amounts import Amount, read_amount
from appliance.reasoning.tools.derivation import Derivation, Operation
from appliance.reasoning.tools.derive import metric
from appliance.reasoning.tools.derive_zh import metric as metric_zh
from appliance.reasoning.tools.grid import Figure, Grid, read_grid, rows_of
from appliance.reasoning.tools.periods import periods
from appliance.reasoning.tools.scales import factor
from appliance.reasoning.tools.table_pick import operands_from_table

_HAN = re.compile(r"[一-鿿]")
_LIST = re.compile(
    r"^(?:what|how much) (?:is|are|was|were) (?:the )?(?P<m>.*\brespective(?:ly)?\b.*)$"
    r"|^(?P<z>.+?)分别(?:是|为)(?:多少|什么|几何)?.*$",
    re.I,
)
_COUNT = re.compile(
    r"^(?:in )?how many (?:fiscal |financial )?(?:years|quarters|periods) (?:did|was|were|is|has|have|had)"
    r" (?:the )?(?P<m>.+?) (?P<how>exceed(?:ed)?|(?:be )?(?:more|greater|higher|larger|less|lower|smaller)"
    r" than|(?:be )?(?:above|over|below|under)) (?P<bound>.*\d.*)$"
    r"|^有?(?:几|多少)(?:年|个季度)的?(?P<z>.+?)"
    r"(?P<zhow>超过|高于|大于|多于|低于|小于|少于|不足)(?P<zbound>.*\d.*)$",
    re.I,
)
_BACKWARDS = re.compile(r"\b(?:19|20)\d\d to (?:19|20)\d\d\b")
"""A range that is not read as one: ``2019 to 2017`` leaves out the year between."""
_BELOW = re.compile(r"less|lower|smaller|below|under|低于|小于|少于|不足", re.I)


class Listed(Struct, frozen=True, kw_only=True):
    """What a table says of one thing, period by period, or how many of its periods fulfil a bound."""

    figures: tuple[Figure, ...]
    text: str
    """The answer."""
    line: str
    """The same with its names, for a claim."""


def listed_over_table(question: str, passage: str, *, around: str = "") -> Listed | None:
    """Return what the first table of ``passage`` gives to a question for several figures or a count."""
    text = " ".join(question.split()).rstrip(" ?？.。")
    found, counted = _LIST.match(text), _COUNT.match(text)
    rows = rows_of(passage)
    if not (found or counted) or len(rows) < 2:
        return None
    grid = read_grid(rows, f"{passage.split('|', 1)[0]} {around}")
    if counted:
        return _counted(counted, grid)
    assert found is not None, "one of the two was there"
    name = re.sub(r"\brespective(?:ly)?\b", " ", found["m"] or found["z"], flags=re.I)
    when = tuple(periods(text))
    if len(when) < 2 or _BACKWARDS.search(text):
        return None
    wanted = Derivation(operation=Operation.MEAN, metrics=(_name(name),), periods=when)
    picked = operands_from_table(wanted, grid)
    return None if picked is None else Listed(
        figures=picked,
        text="; ".join(figure.cell.written for figure in picked),
        line=_line(picked),
    )  # fmt: skip


def asks_list(question: str) -> bool:
    """Return whether a question is one that :func:`listed_over_table` may answer."""
    text = " ".join(question.split()).rstrip(" ?？.。")
    return bool(_COUNT.match(text) or (_LIST.match(text) and len(periods(text)) > 1))


def _counted(asked: re.Match[str], grid: Grid) -> Listed | None:
    bound = read_amount(asked["bound"] or asked["zbound"])
    name = asked["m"] or asked["z"]
    when = tuple(periods(name))
    if bound is None:
        return None
    wanted = Derivation(operation=Operation.MEAN, metrics=(_name(name),), periods=when, every_period=not when)
    picked = operands_from_table(wanted, grid)
    if picked is None or not all(_comparable(figure, bound) for figure in picked):
        return None
    below = bool(_BELOW.search(asked["how"] or asked["zhow"]))
    sizes = [_size(figure, bound) for figure in picked]
    hits = [size for size in sizes if (size < bound.number if below else size > bound.number)]
    if not hits:  # nobody asks how many of none: most often the table's scale is not known
        return None
    chinese = bool(_HAN.search(name))
    told = _line(picked)
    return Listed(
        figures=picked,
        text=str(len(hits)),
        line=f"{told}：其中{len(hits)}个。" if chinese else f"{told}: {len(hits)} of them.",
    )


def _name(text: str) -> str:
    """What the figures are called, periods and small words left out."""
    return (metric_zh(text) if _HAN.search(text) else metric(text)) or text


def _comparable(figure: Figure, bound: Amount) -> bool:
    """Percentages are not held against amounts."""
    return (figure.cell.value.unit == "percent") == (bound.unit == "percent")


def _size(figure: Figure, bound: Amount) -> Fraction:
    """The figure in the bound's terms: a table that does not say its scale is taken to be in the bound's."""
    value = figure.cell.value
    if value.scale or not bound.scale:
        return value.number
    return value.number * factor(bound.scale)


def _line(figures: tuple[Figure, ...]) -> str:
    named = [(one.column_label, one.cell.written) for one in figures]
    said = [f"{label}: {written}" if label else written for label, written in named]
    return f"{figures[0].row_label} — {'; '.join(said)}"
