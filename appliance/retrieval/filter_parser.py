"""The reader of the filter language's text: from left to right, once, refusing at the first thing not known.

Arrives: the text. Leaves: conditions with known fields and values in one spelling; errors name a position.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NoReturn

from appliance.domain import Comparison, Condition, FilterField, Filters
from appliance.errors import UserError
from appliance.retrieval.filter_fields import FIELDS, RULES, field_named, instead_of, value_of

MAX_CONDITIONS = 30
MAX_VALUES = 100
MAX_VALUE_CHARS = 200
EXAMPLE = 'for example: published>=2023 and section_type=risk and title~"annual report"'
_PLAIN = str.maketrans("＞＜＝！～〜∼｜（），、＆≥≧≤≦≠", "><=!~~~|(),,&≥≥≤≤≠")
"""One character for one, so that positions stay."""
_COMPARISONS = {
    ">=": Comparison.LEAST, "=>": Comparison.LEAST, "≥": Comparison.LEAST, "<=": Comparison.MOST,
    "=<": Comparison.MOST, "≤": Comparison.MOST, "!=": Comparison.NOT, "<>": Comparison.NOT,
    "≠": Comparison.NOT, "==": Comparison.IS, "=": Comparison.IS, ">": Comparison.ABOVE,
    "<": Comparison.BELOW, "~": Comparison.CONTAINS, "包含": Comparison.CONTAINS,
    "contains": Comparison.CONTAINS,
}  # fmt: skip
_SIGN = re.compile(r"contains\b|包含|[<>=!≥≤≠~]+", re.IGNORECASE)
_IN = re.compile(r"(?:(not)\s+)?in(?=[\s(])|(不)?属于", re.IGNORECASE)
_AND = re.compile(r"and(?![\w])|&&?|并且|而且|且", re.IGNORECASE)
_OR = re.compile(r"or(?![\w])|\|\||或者|或", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d][\w-]*")
_NAMES = "|".join(re.escape(name).replace("_", "[-_]") for name in sorted(FIELDS, key=len, reverse=True))
_AFTER = r"\s*(?:[<>=!≥≤≠~]|包含|不?属于)|\s+(?:contains|in|not\s+in)\b"
_FIELD = re.compile(rf"(?:{_NAMES})(?={_AFTER})", re.IGNORECASE)
_NEXT = rf"(?:并且|而且|且|或者|或)\s*(?:{_NAMES})(?:{_AFTER})"
"""Where an unquoted value ends although no blank follows: 发布≥2023且类型=表格."""
_WORD = re.compile(rf"(?:(?!{_NEXT})[^\s\"“”„「」『』|(),&=<>!~≥≤≠\\])+", re.IGNORECASE)
_QUOTES = {'"': '"', "“": "”“", "”": "”“", "„": "”“", "「": "」", "『": "』", "'": "'", "‘": "’", "＂": "＂"}
_RESERVED = frozenset(("and", "or", "not", "in", "contains", "且", "并且", "而且", "或", "或者"))


class Parser:
    """One text, read once from left to right."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._plain = text.translate(_PLAIN)

    def filters(self) -> Filters:
        """All conditions. Raises UserError with the position."""
        conditions = [self._condition()]
        alternatives: list[int] = []
        while not self._ended():
            begun = self._at
            if self._take(_OR):
                alternatives.append(begun)
            elif not self._take(_AND):
                self._fail(
                    f"expected “and”, found {self._found()}",
                    "conditions are joined by and; a value of several words needs quotation marks",
                )
            conditions.append(self._condition())
            if len(conditions) > MAX_CONDITIONS:
                self._fail(f"more than {MAX_CONDITIONS} conditions", "values of one field: tag=a|b", at=begun)
        if alternatives:
            return (self._either(conditions, alternatives),)
        return tuple(dict.fromkeys(conditions))

    def _either(self, conditions: list[Condition], alternatives: list[int]) -> Condition:
        """Conditions joined by ``or`` as one, where that is one field with several values."""
        kinds = {(each.field, each.comparison) for each in conditions}
        field, comparison = conditions[0].field, conditions[0].comparison
        if (
            len(kinds) > 1
            or len(alternatives) != len(conditions) - 1
            or comparison not in (Comparison.IS, Comparison.CONTAINS)
        ):
            self._fail(
                "“or” joins only values of one field",
                "write tag=a|b and language=en; for alternatives between fields search twice",
                at=alternatives[0],
            )
        values = dict.fromkeys(value for each in conditions for value in each.values)
        return Condition(field=field, comparison=comparison, values=tuple(values))

    def _condition(self) -> Condition:
        field = self._field()
        begun = self._blank()
        if listed := self._take(_IN):
            comparison = Comparison.NOT if listed.group(1) or listed.group(2) else Comparison.IS
            if self._next() != "(":
                self._fail(f"after “in” a list is expected, found {self._found()}", "kind in (table, figure)")
        elif sign := self._take(_SIGN):
            known = _COMPARISONS.get(sign.group().lower())
            if known is None:
                self._fail(f"unknown operator {sign.group()!r}", "known: = != > < >= <= ~ in", at=begun)
            comparison = known
        else:
            self._fail(f"after {field} an operator is expected, found {self._found()}", _operators(field))
        if comparison not in RULES[field].comparisons:
            self._fail(f"{field} does not compare with {comparison}", _operators(field), at=begun)
        values = self._values(field)
        if len(values) > 1 and comparison not in (Comparison.IS, Comparison.NOT, Comparison.CONTAINS):
            self._fail(f"{field}{comparison} takes one value", f"several go with =: {field}=a|b", at=begun)
        return Condition(field=field, comparison=comparison, values=values)

    def _field(self) -> FilterField:
        begun = self._blank()
        if known := self._take(_FIELD):
            field = field_named(known.group())
            assert field is not None, "the pattern is made of the fields' names"
            return field
        if self._next() == "(":
            self._fail("brackets hold only lists of values", "section_type in (risk, change-log)")
        word = _NAME.match(self._plain, begun)
        if word is None:
            self._fail(f"a field is expected, found {self._found()}", f"fields: {', '.join(RULES)}")
        if word.group().casefold() in _RESERVED:
            self._fail(
                f"a field is expected, found {word.group()!r}", "to exclude a value, write field!=value"
            )
        if field := field_named(word.group()):
            self._at = word.end()
            return field
        self._fail(f"unknown field {word.group()!r}", instead_of(word.group()))

    def _values(self, field: FilterField) -> tuple[str, ...]:
        bracket = self._at if self._next() == "(" else None
        self._at += bracket is not None
        values = [self._value(field)]
        while (self._next() == "|" and not self._plain.startswith("||", self._at)) or (
            bracket is not None and self._next() == ","
        ):
            self._at += 1
            values.append(self._value(field))
            if len(values) > MAX_VALUES:
                self._fail(f"more than {MAX_VALUES} values", "leave some out")
        if bracket is not None:
            if self._next() != ")":
                self._fail("the bracket is not closed", "kind in (table, figure)", at=bracket)
            self._at += 1
        return tuple(dict.fromkeys(values))

    def _value(self, field: FilterField) -> str:
        begun = self._blank()
        word = self._quoted() if self._next() in _QUOTES else self._bare()
        if not word:
            self._fail(f"a value for {field} is expected, found {self._found()}", EXAMPLE, at=begun)
        if len(word) > MAX_VALUE_CHARS:
            self._fail(f"a value has more than {MAX_VALUE_CHARS} characters", "shorten it", at=begun)
        if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in word):
            self._fail("a value has control characters", "leave them out", at=begun)
        try:
            return value_of(field, word)
        except ValueError as error:
            self._fail(f"{field} {word!r} {error}", _operators(field), at=begun)

    def _bare(self) -> str:
        begun = self._at
        match = _WORD.match(self._plain, begun)
        if match is None or match.group().casefold() in _RESERVED:
            return ""
        self._at = match.end()
        return self._text[begun : self._at]

    def _quoted(self) -> str:
        begun = self._at
        closing = _QUOTES[self._text[begun]]
        word: list[str] = []
        at = begun + 1
        while at < len(self._text):
            sign = self._text[at]
            if sign == "\\" and self._text[at + 1 : at + 2] in ("\\", *closing):
                at += 1
                word.append(self._text[at])
            elif sign in closing:
                self._at = at + 1
                return "".join(word).strip()
            else:
                word.append(sign)
            at += 1
        self._fail("the quotation mark is not closed", f"end the value with {closing[0]}", at=begun)

    def _blank(self) -> int:
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1
        return self._at

    def _ended(self) -> bool:
        return self._blank() >= len(self._text)

    def _next(self) -> str:
        """The next sign that is no blank; empty at the end."""
        return self._plain[self._blank() :][:1]

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self._plain, self._blank())
        if match:
            self._at = match.end()
        return match

    def _found(self) -> str:
        rest = self._text[self._blank() :]
        return repr(rest.split(maxsplit=1)[0][:40]) if rest else "the end"

    def _fail(self, what: str, hint: str, *, at: int | None = None) -> NoReturn:
        position = (self._blank() if at is None else at) + 1
        raise UserError(f"filter, position {position}: {what}", hint=hint)


def _operators(field: FilterField) -> str:
    rule = RULES[field]
    signs = [str(each) for each in Comparison if each in rule.comparisons]
    known = f": {', '.join(dict.fromkeys(rule.values.values()))}" if rule.values else ""
    return f"{field} takes {' '.join(signs)} and in (…){known}"
