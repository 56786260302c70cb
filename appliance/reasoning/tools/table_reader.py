"""A question over one table, computed in one go: the cells picked by words and periods, no model asked.

Arrives: a question, a table and the words around it. Leaves: the derivation, the operands, the result, or
None where anything is in doubt: two rows name the metric equally well, a period is missing, units differ.
"""

from __future__ import annotations

import re

import msgspec

from appliance.domain import Fingerprint, Struct
from appliance.errors import UserError
from appliance.reasoning.tools.cells import Cell
from appliance.reasoning.tools.derivation import Derivation, Operation
from appliance.reasoning.tools.derive import derive, metric
from appliance.reasoning.tools.grid import Figure, read_grid, rows_of
from appliance.reasoning.tools.interpret import Expression
from appliance.reasoning.tools.match_labels import words
from appliance.reasoning.tools.periods import Period
from appliance.reasoning.tools.rounding import text_of
from appliance.reasoning.tools.table_pick import operands_from_table
from appliance.reasoning.tools.values import Value


class TableResult(Struct, frozen=True, kw_only=True):
    """What a table answers by calculation."""

    derivation: Derivation
    operands: tuple[Figure, ...]
    """In the order in which the expression numbers them."""
    expression: str
    value: Value
    text: str
    line: str
    """The calculation in the table's own figures, for a claim."""
    citations: tuple[Fingerprint, ...] = ()


def compute_over_table(
    question: str,
    passage: str,
    *,
    around: str = "",
    named: str = "",
    fingerprint: Fingerprint | None = None,
) -> TableResult | None:
    """Return the result that the first table of ``passage`` gives to a question, or None when in doubt.

    ``named``: the document's title: no row repeats the name of the company that the report is of.
    """
    derivation = derive(question)
    rows = rows_of(passage)
    if derivation is None or len(rows) < 2:
        return None
    head = passage.split("|", 1)[0]
    grid = read_grid(rows, f"{head} {around}")
    picked = operands_from_table(derivation, grid)
    if picked is None and (bare := without_names(derivation, named)) != derivation:
        derivation, picked = bare, operands_from_table(bare, grid)
    if picked is None:
        return None
    picked = _magnitudes(derivation, picked)
    expression = _expression(derivation, len(picked))
    try:
        parsed = Expression(expression)
        value = parsed.compute({n: figure.cell.value for n, figure in enumerate(picked, start=1)})
    except UserError:
        return None
    if not isinstance(value, Value):
        return None
    filled = re.sub(r"\{(\d+)\}", lambda m: picked[int(m[1]) - 1].cell.written, expression)
    text = text_of(value)
    return TableResult(
        derivation=derivation, operands=picked, expression=expression, value=value, text=text,
        line=f"{filled} = {text}", citations=(fingerprint,) if fingerprint else (),
    )  # fmt: skip


def without_names(derivation: Derivation, named: str) -> Derivation:
    """The derivation with the names left out of its metrics that the document's title has.

    In English capitalised words; in Chinese what a metric begins with.
    """
    held = words(named)
    bare = tuple(_without_names(name, named, held) for name in derivation.metrics)
    kept = tuple(new if words(new) else old for new, old in zip(bare, derivation.metrics, strict=True))
    return msgspec.structs.replace(derivation, metrics=kept)


def _without_names(name: str, named: str, held: frozenset[str]) -> str:
    if _HAN.search(name):
        at = next((n for n in range(len(name), 1, -1) if name[:n] in named), 0)
        return name[at:].lstrip("的")
    kept = [word for word in name.split() if not (word[:1].isupper() and words(word) and words(word) <= held)]
    return metric(" ".join(kept)) if len(kept) < len(name.split()) else name


_HAN = re.compile(r"[一-鿿]")
_OUTLAY = re.compile(
    r"\b(?:costs?|expenses?|expenditures?|loss(?:es)?|used|charges?|payments?|paid|outflows?)\b"
    r"|费用|成本|支出|亏损|流出",
    re.I,
)


def _magnitudes(derivation: Derivation, picked: tuple[Figure, ...]) -> tuple[Figure, ...]:
    """The operands with their brackets taken as presentation, where all are outlays and asked for as such.

    A statement that shows ``Cost of sales (5,860)`` reports a cost of 5,860, not of minus 5,860.
    """
    outlays = all(_OUTLAY.search(name) for name in derivation.metrics)
    if not outlays or not all(figure.cell.value.number < 0 for figure in picked):
        return picked
    return tuple(_unsigned(figure) for figure in picked)


def _unsigned(figure: Figure) -> Figure:
    value = msgspec.structs.replace(figure.cell.value, number=-figure.cell.value.number)
    written = figure.cell.written.removeprefix("-")
    return msgspec.structs.replace(figure, cell=Cell(value=value, written=written))


def _expression(derivation: Derivation, count: int) -> str:
    """The derivation's expression over as many operands as the table gave."""
    if derivation.operation not in (Operation.MEAN, Operation.SUM):
        pair = len(derivation.metrics) == 1 and not derivation.periods
        return _over_two(derivation) if pair else derivation.expression()
    names = [f"{{{number}}}" for number in range(1, count + 1)]
    text = f"mean({', '.join(names)})" if derivation.operation is Operation.MEAN else " + ".join(names)
    return text if derivation.decimals is None else f"round({text}, {derivation.decimals})"


def _over_two(derivation: Derivation) -> str:
    """The expression where the two periods come from the table, not from the question."""
    years = tuple(Period(year=year) for year in (1, 2))
    return msgspec.structs.replace(derivation, periods=years).expression()
