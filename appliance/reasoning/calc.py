"""The calculation tool: an expression over findings to a finding that says how it was computed.

Arrives: an expression such as ``({2} - {1}) / {1} * 100`` or ``cagr({1}, {2}, 3)`` and the findings it
refers to. Leaves: a result with its unit and scale, the line that shows the computation in the sources'
own figures, and the operands' fingerprints. Expressions: :mod:`appliance.reasoning.tools.interpret`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction

from appliance.domain import Claim, ClaimKind, Finding, Fingerprint, Struct, Task
from appliance.errors import UserError
from appliance.reasoning.plan import REFERENCE
from appliance.reasoning.tools.amounts import is_year, read_amount, unmarked
from appliance.reasoning.tools.cells import row_values
from appliance.reasoning.tools.dates import DATE_AT, read_date
from appliance.reasoning.tools.functions import Argument, Result
from appliance.reasoning.tools.interpret import Expression
from appliance.reasoning.tools.recheck import recomputes
from appliance.reasoning.tools.rounding import digits, text_of
from appliance.reasoning.tools.values import Value, of_amount

_COUNTS = re.compile(r"\b(?:round|cagr)\s*\(")
_SPANS = {"day": "天", "month": "个月", "year": "年"}
_HAN = re.compile(r"[一-鿿]")


class Operand(Struct, frozen=True, kw_only=True):
    """What one earlier result contributes: a figure, a day, or the cells of a row or column."""

    value: Argument
    written: str
    """As the source writes it."""
    citations: tuple[Fingerprint, ...] = ()
    """Of the passages that carry it."""


class Computed(Struct, frozen=True, kw_only=True):
    """A result and the way to it."""

    result: Result
    text: str
    """The result with unit and scale, as its sources write them."""
    line: str
    """``(£5.2 million - £3.1 million) / £3.1 million * 100 = 67.74%``."""
    citations: tuple[Fingerprint, ...]


def read_operand(answer: str, citations: tuple[Fingerprint, ...] = ()) -> Operand | None:
    """Return what an answer contributes to a calculation, or None where it holds no number and no day.

    A table row in Markdown gives its cells; a day counts only where no other figure stands beside it.
    """
    if cells := row_values(answer):
        return Operand(value=cells, written=_cells_text(cells), citations=citations)
    day = read_date(answer)
    amount = read_amount(DATE_AT.sub(" ", unmarked(answer)) if day else answer)
    if amount is not None and not (day and is_year(amount)):
        return Operand(value=of_amount(amount), written=amount.written, citations=citations)
    return Operand(value=day, written=day.isoformat(), citations=citations) if day else None


def _cells_text(cells: tuple[Value, ...]) -> str:
    return ", ".join(text_of(cell) for cell in cells)


def compute(expression: str, operands: Mapping[int, Operand], *, chinese: bool = False) -> Computed:
    """Return the result of an expression over operands, each shown as its source writes it.

    Raises UserError: an operand that is missing, no arithmetic, units that do not meet, division by zero.
    """
    parsed = Expression(_shown(expression))
    result = parsed.compute({number: operand.value for number, operand in operands.items()})
    used = dict.fromkeys(parsed.references)
    text = result_text(result, parsed, [operands[number] for number in used], chinese=chinese)
    filled = REFERENCE.sub(lambda m: operands[int(m[1])].written, _shown(expression))
    citations = tuple(dict.fromkeys(c for number in used for c in operands[number].citations))
    return Computed(result=result, text=text, line=f"{filled} = {text}", citations=citations)


def _shown(expression: str) -> str:
    return " ".join(expression.split()).rstrip(" =%％")


def result_text(result: Result, parsed: Expression, operands: Sequence[Operand], *, chinese: bool) -> str:
    """Return a result as a person reads it: a yes or no, a day, an amount; a share also in percent."""
    if isinstance(result, bool):
        return ("是" if result else "否") if chinese else ("yes" if result else "no")
    if isinstance(result, date):
        return result.isoformat()
    if result.unit in ("day", "month", "year") and chinese and result.label.isascii():
        return digits(result.number, result.decimals) + _SPANS[result.unit]
    labels = {operand.value.label for operand in operands if isinstance(operand.value, Value)}
    if result.ratio and 0 < result.number < 1 and len(labels) == 1 and "ratio" not in parsed.text:
        share = Fraction(result.number * 100)
        return f"{digits(share)}% ({digits(result.number, 4).rstrip('0')})"
    return text_of(result)


def made_up(parsed: Expression) -> bool:
    """Return whether an expression over results reckons with a figure that no source gives.

    Allowed are the 100 and the 1 of percentages, the number of operands (means), and, in roundings and
    yearly growth, decimals and years.
    """
    given = {value.number for value in parsed.literals if isinstance(value, Value)}
    dates = any(isinstance(value, date) for value in parsed.literals)
    allowed = {Fraction(100), Fraction(1), Fraction(len(set(parsed.references)))}
    if _COUNTS.search(parsed.text):
        allowed |= {Fraction(number) for number in range(31)}
    return dates or bool(given - allowed)


def calculate(task: Task, findings: Sequence[Finding]) -> Finding:
    """Return the computed finding; its claim cites the operands' passages, or what is missing and why."""
    operands: dict[int, Operand] = {}
    for finding in findings:
        citations = tuple(dict.fromkeys(c for claim in finding.claims for c in claim.citations))
        if finding.found and (operand := read_operand(finding.answer, citations)):
            operands[finding.task_id] = operand
    chinese = any(_HAN.search(finding.question) for finding in findings)
    try:
        computed = compute(task.question, operands, chinese=chinese)
        if made_up(Expression(_shown(task.question))):
            raise UserError("it uses a figure that no source gives")
    except UserError as error:
        missing = f"{task.question} — {error.message}"
        return Finding(task_id=task.id, question=task.question, found=False, missing=missing)
    claim = Claim(text=computed.line, kind=ClaimKind.INFERENCE, citations=computed.citations)
    filled = computed.line.rpartition(" = ")[0]
    return Finding(task_id=task.id, question=filled, found=True, answer=computed.text, claims=(claim,))


def evaluate(expression: str, answers: Mapping[int, str]) -> tuple[Result, str]:
    """Return the result over answers, and the expression with their figures filled in.

    Raises UserError: an operand without a number, a division by zero, anything but arithmetic.
    """
    operands = {number: made for number, text in answers.items() if (made := read_operand(text))}
    computed = compute(expression, operands)
    return computed.result, computed.line.rpartition(" = ")[0]


__all__ = ["Computed", "Operand", "calculate", "compute", "evaluate", "read_operand", "recomputes"]
