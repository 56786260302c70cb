"""An expression's text to tokens of Python's grammar: ``a0`` for a literal, ``r3`` for operand 3.

Arrives: text as people and models write it (``£5.2 million × 3``, 1.2亿 - 9,000万). Leaves: a source
that holds nothing but such names, functions, brackets and operators. Whatever else stands there is refused.
"""

from __future__ import annotations

import re

from appliance.errors import UserError
from appliance.reasoning.tools.amounts import AMOUNT_AT, literal
from appliance.reasoning.tools.dates import DATE_AT, dated
from appliance.reasoning.tools.functions import FUNCTIONS, Argument
from appliance.reasoning.tools.values import Value, of_amount

DEPTH_MAX = 24
OPERANDS_MAX = 64
_SPACE = re.compile(r"\s+")
_REFERENCE = re.compile(r"\{(\d{1,4})\}")
_NAME = re.compile(r"([A-Za-z_]+)\s*(?=\()")
_OPERATOR = re.compile(r"[<>]=?|[=!]=|≤|≥|[-+*/×÷·–()\[\],，;<>]")
_PLAIN = {
    "×": "*",
    "·": "*",
    "÷": "/",
    "–": "-",
    "[": "(",
    "]": ")",
    "，": ",",
    ";": ",",
    "≤": "<=",
    "≥": ">=",
}


class Tokens:
    """An expression taken apart. Raises UserError: anything but amounts, dates, operands, + - * /."""

    def __init__(self, text: str, *, constants: bool) -> None:
        """Read ``text``; with ``constants``, its bare numbers are marked as the expression's own."""
        self.references: list[int] = []
        self.literals: list[Argument] = []
        self.source = self._read(text, constants)

    def _read(self, text: str, constants: bool) -> str:
        """The expression in Python's grammar: ``a0`` for literal 0, ``r3`` for operand 3."""
        parts: list[str] = []
        at = depth = 0
        while at < len(text):
            at = space.end() if (space := _SPACE.match(text, at)) else at
            if at == len(text):
                break
            part, at = self._token(text, at, constants)
            depth += (part == "(") - (part == ")")
            if depth > DEPTH_MAX:
                raise UserError("the brackets are nested too deeply", hint=f"at most {DEPTH_MAX} levels")
            parts.append(part)
        if len(self.literals) + len(self.references) > OPERANDS_MAX:
            raise UserError(f"more than {OPERANDS_MAX} operands", hint="split the calculation")
        return " ".join(parts)

    def _token(self, text: str, at: int, constants: bool) -> tuple[str, int]:
        if found := _REFERENCE.match(text, at):
            self.references.append(int(found[1]))
            return f"r{int(found[1])}", found.end()
        quote = text[at] if text[at] in "'\"" else ""
        if found := DATE_AT.match(text, at + len(quote)):
            if quote and text[found.end() : found.end() + 1] != quote:
                raise UserError("a string may only be a date", hint="'2019-03-31'")
            return self._literal(dated(found)), found.end() + len(quote)
        if (name := _NAME.match(text, at)) and name[1].lower() in FUNCTIONS:
            return name[1].lower(), name.end()
        if found := AMOUNT_AT.match(text, at):
            amount = literal(found)
            if amount is None:
                raise UserError("a number has too many digits", hint="at most 40")
            bare = constants and not amount.unit and not amount.scale
            value = of_amount(amount)
            return self._literal(Value(number=value.number, constant=True) if bare else value), found.end()
        if found := _OPERATOR.match(text, at):
            return _PLAIN.get(found[0], found[0]), found.end()
        raise UserError(
            f"cannot compute {text[at : at + 20]!r}: only amounts, dates, operands, + - * / and functions",
            hint=f"functions: {', '.join(sorted(FUNCTIONS))}",
        )

    def _literal(self, value: Argument) -> str:
        self.literals.append(value)
        return f"a{len(self.literals) - 1}"
