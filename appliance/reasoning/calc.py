"""Arithmetic over findings: a safe interpreter of one expression.

Arrives: an expression such as ``({2} - {1}) / {1} * 100`` and the findings' short answers. Leaves: a
number and how it was computed. Only numbers, + - * / and brackets; no names, no calls, no powers.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence

from appliance.domain import Claim, ClaimKind, Finding, Struct, Task
from appliance.errors import UserError
from appliance.reasoning.plan import REFERENCE

_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda left, right: left / right,
}
_SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "mn": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "千": 1e3,
    "万": 1e4,
    "百万": 1e6,
    "千万": 1e7,
    "亿": 1e8,
}
_SCALED = (
    r"(?P<digits>\d[\d,]*(?:\.\d+)?)\s*"
    r"(?P<scale>hundred|thousand|million|billion|mn\b|bn\b|千万|百万|千|万|亿)?"
)
_FIGURE = re.compile(_SCALED, re.IGNORECASE)
_NUMBER = re.compile(rf"(?P<sign>[-−(]?)\s*{_SCALED}", re.IGNORECASE)
_LENGTH_MAX = 200


class Quantity(Struct, frozen=True, kw_only=True):
    """A number read out of a short answer."""

    value: float
    """With its scale word applied."""
    scale: str = ""
    unit: str = ""
    written: str = ""
    """As the answer writes it, scale word and all: what a reader finds in the source."""


def read_quantity(text: str) -> Quantity | None:
    """Return the first number of ``text`` that is not a year standing alone, or None."""
    matches = list(_NUMBER.finditer(text))
    if not matches:
        return None
    best = next((m for m in matches if not _looks_like_year(m)), matches[0])
    digits = float(best["digits"].replace(",", ""))
    scale = (best["scale"] or "").lower()
    closing = text[best.end() :].lstrip()[:1] == ")"
    negative = best["sign"] in ("-", "−") or (best["sign"] == "(" and closing)
    before = text[: best.start()].strip().split(" ")[-1]
    after = re.match(r"\s*(%|％|[^\W\d_]+)", text[best.end() :])
    prefix = re.search(r"(US\$|HK\$|\$|€|£|¥|￥|USD|EUR|RMB|CNY)$", before)
    unit = prefix.group(1) if prefix else (after.group(1) if after else "")
    written = f"{'-' if negative else ''}{best['digits']}{_joined(best['scale'] or '')}"
    value = (-digits if negative else digits) * _SCALES.get(scale, 1.0)
    return Quantity(value=value, scale=scale, unit=unit, written=written)


def _joined(scale: str) -> str:
    return f" {scale}" if scale.isascii() and scale else scale


def _looks_like_year(match: re.Match[str]) -> bool:
    return bool(re.fullmatch(r"(19|20)\d{2}", match["digits"])) and not match["scale"]


def evaluate(expression: str, answers: dict[int, str]) -> tuple[float, str]:
    """Return the value and the expression with numbers filled in.

    Raises UserError: an operand without a number, a division by zero, anything but plain arithmetic.
    """
    quantities: dict[int, Quantity] = {}
    for number in {int(n) for n in REFERENCE.findall(expression)}:
        quantity = read_quantity(answers.get(number, ""))
        if quantity is None:
            raise UserError(f"result {number} holds no number", hint="ask for the figure itself")
        quantities[number] = quantity
    filled = REFERENCE.sub(lambda m: repr(quantities[int(m.group(1))].value), expression)
    filled = filled.replace("×", "*").replace("÷", "/").replace("−", "-").rstrip(" =%％")
    if len(filled) > _LENGTH_MAX:
        raise UserError(f"the expression is longer than {_LENGTH_MAX} characters", hint="split it")
    try:
        value = _value(ast.parse(filled, mode="eval").body)
    except (SyntaxError, ZeroDivisionError, OverflowError, RecursionError) as error:
        raise UserError(f"cannot compute {filled}: {error}", hint="plain arithmetic only") from error
    return value, REFERENCE.sub(lambda m: quantities[int(m.group(1))].written, expression)


def recomputes(claim: str) -> bool:
    """Return whether a computed claim (``(5.2 million - 3.1 million) / 3.1 million = 67.7%``) is right.

    The right side may be rounded; a share may be written as a percentage.
    """
    left, _, right = claim.rpartition(" = ")
    stated = read_quantity(right)
    numbers = _FIGURE.sub(lambda m: repr(_scaled(m)), left)
    try:
        value = _value(ast.parse(numbers, mode="eval").body)
    except (SyntaxError, ZeroDivisionError, OverflowError, RecursionError, UserError):
        return False
    if stated is None:
        return False
    tolerance = 0.0051 * _SCALES.get(stated.scale, 1.0)
    shares = (value, value * 100) if "%" in right else (value,)
    return any(abs(abs(share) - abs(stated.value)) <= tolerance for share in shares)


def _scaled(match: re.Match[str]) -> float:
    return float(match["digits"].replace(",", "")) * _SCALES.get((match["scale"] or "").lower(), 1.0)


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    raise UserError("only numbers, + - * / and brackets are allowed", hint="plain arithmetic only")


def plain(value: float) -> str:
    """Return a number as a person writes it: no exponent, at most two decimals."""
    rounded = round(value, 2)
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:,.2f}".rstrip("0").rstrip(".")


def result_text(value: float, expression: str, operands: list[Quantity]) -> str:
    """Return the result with the unit it must have: percent, the operands' currency and scale, or none."""
    if re.search(r"\*\s*100\b", expression) and "/" in expression:
        return f"{plain(value)}%"
    scales = {q.scale for q in operands}
    units = {q.unit for q in operands}
    if "/" in expression and len(operands) > 1:
        share = 0 < value < 1 and len(units) == 1
        return f"{plain(value * 100)}% ({round(value, 4):g})" if share else plain(value)
    scale = scales.pop() if len(scales) == 1 else ""
    unit = units.pop() if len(units) == 1 else ""
    number = plain(value / _SCALES.get(scale, 1.0))
    if unit and not unit[0].isalnum() and unit not in "%％":
        return f"{unit}{number} {scale}".strip()
    joiner = "" if re.search(r"[一-鿿%％]", scale + unit) else " "
    return joiner.join(part for part in (number, scale, unit) if part)


def calculate(task: Task, findings: Sequence[Finding]) -> Finding:
    """Return the computed finding; its claim cites the operands' passages."""
    found = {finding.task_id: finding for finding in findings if finding.found}
    answers = {task_id: finding.answer for task_id, finding in found.items()}
    try:
        value, filled = evaluate(task.question, answers)
    except UserError as error:
        return Finding(
            task_id=task.id, question=task.question, found=False, missing=f"{task.question} — {error.message}"
        )
    used = [int(number) for number in REFERENCE.findall(task.question)]
    literals = {
        float(m["digits"].replace(",", "")) for m in _FIGURE.finditer(REFERENCE.sub("", task.question))
    }
    if literals - {100.0, float(len(set(used)))}:  # percent and means; any other figure would be made up
        return Finding(
            task_id=task.id,
            question=task.question,
            found=False,
            missing=f"{task.question} — it uses a figure that no source gives",
        )
    operands = [quantity for number in used if (quantity := read_quantity(answers.get(number, "")))]
    result = result_text(value, task.question, operands)
    citations = tuple(
        dict.fromkeys(c for number in used for claim in found[number].claims for c in claim.citations)
    )
    claim = Claim(text=f"{filled} = {result}", kind=ClaimKind.INFERENCE, citations=citations)
    return Finding(task_id=task.id, question=f"{filled}", found=True, answer=result, claims=(claim,))
