"""A safe interpreter of one expression: a parsed tree of which only a few node kinds are let in.

Arrives: an expression with amounts, dates and ``{n}`` for operands. Leaves: a value, a day, or yes/no.
There are no names but the functions of :mod:`functions`, no attributes, no strings but dates, no powers;
length, depth, count, size and digits are bounded, so every expression ends within milliseconds.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from datetime import date
from fractions import Fraction

from appliance.errors import UserError
from appliance.reasoning.tools import values
from appliance.reasoning.tools.amounts import SUPERSCRIPT, tidied
from appliance.reasoning.tools.dates import moved
from appliance.reasoning.tools.functions import FUNCTIONS, Argument, Result, Series
from appliance.reasoning.tools.lexing import DEPTH_MAX, OPERANDS_MAX, Tokens
from appliance.reasoning.tools.values import Value, compare

LENGTH_MAX = 600
_COMPARED: dict[type[ast.cmpop], tuple[int, ...]] = {
    ast.Lt: (-1,),
    ast.LtE: (-1, 0),
    ast.Gt: (1,),
    ast.GtE: (0, 1),
    ast.Eq: (0,),
    ast.NotEq: (-1, 1),
}


class Expression:
    """An expression that passed every check on its form; computing it may still fail on its figures."""

    def __init__(self, text: str, *, constants: bool = True) -> None:
        """Parse ``text``. ``constants=False`` where its numbers are a source's figures, not its own.

        Raises UserError: too long, too deep, too many operands, or anything but arithmetic.
        """
        self.text = text
        if len(text) > LENGTH_MAX:
            raise UserError(f"the expression is longer than {LENGTH_MAX} characters", hint="split it")
        if "**" in text or "^" in text or SUPERSCRIPT.search(text):
            raise UserError("powers are not computed", hint="cagr(start, end, years) for yearly growth")
        tokens = Tokens(tidied(text).rstrip(" ="), constants=constants)
        self.references, self.literals = tokens.references, tokens.literals
        try:
            self._root = ast.parse(tokens.source, mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            raise UserError(f"cannot read {text!r} as arithmetic", hint="check the brackets") from error
        _check(self._root, 0)

    def compute(self, operands: Mapping[int, Argument]) -> Result:
        """Return the result. Raises UserError: a missing operand, or arithmetic that has no answer."""
        made = self._value(self._root, operands)
        if isinstance(made, tuple):
            raise UserError("the result is a whole column", hint="say what to do with it: sum, mean, max")
        return made

    def _value(self, node: ast.expr, operands: Mapping[int, Argument]) -> Argument | bool:
        match node:
            case ast.Name(id=name):
                return self._named(name, operands)
            case ast.UnaryOp(op=op, operand=operand):
                value = _one(self._value(operand, operands))
                return values.add(_ZERO, value, sign=-1) if isinstance(op, ast.USub) else value
            case ast.BinOp(left=left, op=op, right=right):
                return _binary(op, self._value(left, operands), self._value(right, operands))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return _compared(op, self._value(left, operands), self._value(right, operands))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                given = [self._value(argument, operands) for argument in arguments]
                return FUNCTIONS[name](_arguments(given))
            case _:
                raise UserError("only arithmetic can be computed", hint="plain arithmetic only")

    def _named(self, name: str, operands: Mapping[int, Argument]) -> Argument:
        number = int(name[1:])
        if name[0] == "a":
            return self.literals[number]
        if number not in operands:
            raise UserError(f"result {number} holds no number", hint="ask for the figure itself")
        return operands[number]


_ZERO = Value(number=Fraction(0), constant=True)


def _check(node: ast.AST, depth: int) -> None:
    """Let in names, calls of known functions, + - * / and one comparison; refuse all else."""
    if depth > DEPTH_MAX * 3:
        raise UserError("the expression is nested too deeply", hint="split it")
    match node:
        case ast.Name(id=name) if re.fullmatch(r"[ar]\d+", name):
            return
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            below: list[ast.expr] = [operand]
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            below = [left, right]
        case ast.Compare(left=left, ops=[_], comparators=[right]):
            below = [left, right]
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            below = list(arguments)
        case _:
            raise UserError(
                "only amounts, operands, + - * / and functions are allowed", hint="plain arithmetic only"
            )
    for one in below:
        _check(one, depth + 1)


def _arguments(given: list[Argument | bool]) -> list[Argument]:
    return [one for one in given if not isinstance(one, bool)]


def _one(value: Argument | bool) -> Value:
    if isinstance(value, Value):
        return value
    if isinstance(value, tuple) and len(value) == 1:
        return value[0]
    what = "a column" if isinstance(value, tuple) else "a date" if isinstance(value, date) else "a comparison"
    raise UserError(f"{what} stands where a number should", hint="use sum, mean, max, or days(…)")


def _binary(op: ast.operator, left: Argument | bool, right: Argument | bool) -> Argument:
    if isinstance(left, date) and isinstance(op, ast.Sub) and isinstance(right, date):
        return FUNCTIONS["days"]([right, left])
    if isinstance(left, date) and isinstance(op, ast.Add | ast.Sub):
        return _later(left, _one(right), -1 if isinstance(op, ast.Sub) else 1)
    one, other = _one(left), _one(right)
    if isinstance(op, ast.Add | ast.Sub):
        return values.add(one, other, sign=-1 if isinstance(op, ast.Sub) else 1)
    return values.multiply(one, other) if isinstance(op, ast.Mult) else values.divide(one, other)


def _later(day: date, by: Value, sign: int) -> date:
    unit = "month" if by.unit in ("month", "year", "quarter_year") else "day"
    count = (values.to_unit(by, unit).number if by.unit else by.number) * sign
    if count.denominator != 1:
        raise UserError("a day cannot be moved by part of a day or month", hint="whole days or months")
    return moved(day, days=int(count)) if unit == "day" else moved(day, months=int(count))


def _compared(op: ast.cmpop, left: Argument | bool, right: Argument | bool) -> bool:
    if isinstance(left, date) and isinstance(right, date):
        order = (left > right) - (left < right)
    else:
        order = compare(_one(left), _one(right))
    return order in _COMPARED.get(type(op), ())


__all__ = ["DEPTH_MAX", "LENGTH_MAX", "OPERANDS_MAX", "Expression", "Result", "Series"]
