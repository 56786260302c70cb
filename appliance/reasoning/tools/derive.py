"""From a question to its calculation, by patterns of both languages, no model asked.

Arrives: a question. Leaves: a :class:`Derivation`, or None where no pattern is clear. Pure functions.
"""

from __future__ import annotations

import re

from appliance.reasoning.tools.derivation import Derivation, Operation
from appliance.reasoning.tools.derive_zh import derive_zh
from appliance.reasoning.tools.periods import Mention, Period, mentions, periods
from appliance.reasoning.tools.rounding import asked_decimals

_HAN = re.compile(r"[一-鿿]")
_PERCENT = r"(?:(?<!\w)(?:percentage|percent|per cent|pct)\b|%)"
_MOVE = r"(?:change|changes|increase|decrease|growth|decline|difference|rise|drop|fall|reduction)"
_BRACKET = r"(?:\s*/?\s*\((?:decrease|increase|decline|loss)\))?"
_CAGR = re.compile(
    r"\b(?:CAGR|compound(?:ed)? annual (?:growth )?(?:rate|growth)(?: rate)?)\b(?: (?:of|in|for))?(?P<m>.+)",
    re.I,
)
_GROWTH = re.compile(
    rf"(?:(?:absolute )?{_PERCENT}[- ]{_MOVE}{_BRACKET}|\b{_MOVE}{_BRACKET} (?:in|as a|by) {_PERCENT}"
    r"|\bgrowth rate|\brate of (?:growth|change))"
    r"\s*(?:in|of|for|to)?\s(?P<m>.+)",
    re.I,
)
_BY_PERCENT = re.compile(
    rf"\b(?:by (?:what|how many) {_PERCENT}|how many percent|what {_PERCENT})\s(?:did|has|have|"
    rf"does)\s(?P<m>.+?)\s"
    r"(?:grow|grown|increase|increased|decrease|decreased|rise|risen|fall|fallen|drop|decline|declined|"
    r"change|changed)\b(?P<rest>.*)",
    re.I,
)
_CHANGE = re.compile(rf"\b(?:{_MOVE}{_BRACKET})\s(?:in|of|for|between|from)\s(?P<m>.+)", re.I)
_DID = re.compile(
    r"^how much (?:did|has|have)\s(?P<m>.+?)\s(?:grow|increase|decrease|rise|fall|drop|decline|change|"
    r"grown|risen|fallen|increased|decreased|changed)d?\b(?P<rest>.*)",
    re.I,
)
_MEAN = re.compile(
    r"\b(?:average|mean)\b(?: (?:annual|yearly|value|amount))?(?: of| for| in)?\s(?P<m>.+)", re.I
)
_SHARE = (
    re.compile(
        rf"^(?:.*?\b)?(?:what\s)?{_PERCENT}\s(?:constitution\s)?of\s(?P<a>.+?)\s(?:among|out of|over|in|to|"
        rf"of|from|relative to)\s(?:the\s)?(?P<b>.+)",
        re.I,
    ),
    re.compile(
        rf"\b(?:what\s(?:is|was|were|are)|how much\s(?:is|was|"
        rf"were))\s(?P<a>.+?),?\s(?:expressed\s)?as\s(?:a|an)\s(?:{_PERCENT}|share|proportion)\s(?:of|"
        rf"to)\s(?P<b>.+)",
        re.I,
    ),
)
_OF_WHOLE = re.compile(
    rf"\b(?:what|which) (?:{_PERCENT}|share|proportion) of (?P<b>.+?) (?:is|was|were|are|did|came from|"
    rf"comes from|is made up of|consists of|was due to|is from|was from)\s(?:the\s|from\s)?(?P<a>.+)",
    re.I,
)
_RATIO = re.compile(
    r"\b(?:ratio|proportion)\s(?:\(?in percentage\)?,?\s)?of\s(?P<a>.+?)\s(?:to|over)\s(?P<b>.+)", re.I
)
_BETWEEN = re.compile(
    r"\bdifference\s(?:in\s(?P<head>.+?)\s)?between\s(?:the\s)?(?P<a>.+?)\sand\s(?:the\s)?(?P<b>.+)", re.I
)
_MORE = re.compile(
    r"\bhow much (?:more|less|higher|lower|larger|greater)\s(?P<head>.+?\s)?(?:is|was|were|came from|did|"
    r"does)\s(?:the\s)?(?P<a>.+?)\s"
    r"(?:than|(?:as )?compared (?:to|with))\s(?:the\s)?(?P<b>.+)",
    re.I,
)
_SUM = re.compile(
    r"\b(?:sum|combined total|combined amount|total amount|total sum|total|combined)\b(?: of)?\s(?P<m>.+)",
    re.I,
)
_EXCLUDED = re.compile(
    r"\b(?:which|why|who|where|when|how many|excluding|besides|reasons?|explain|describe)\b", re.I
)
_TAIL = re.compile(
    r"[\s,]*\b(?:(?:as (?:at|of)|at|in|on|for|of|from|between|during|by|over|since|until|through|to|and|"
    r"both|compared|versus|vs|"
    r"the|end|ended|ending|years?|year-end|fiscal|financial|period|quarters?|FY|relative|with|months?|each|"
    r"respectively|than)\b[\s,]*)+$",
    re.I,
)
_ROUNDING = re.compile(
    r"[,(;]?\s*\b(?:(?:rounded|round|correct|give\w*|answer)\b[^,?;]*|to (?:the nearest|"
    r"\w+ decimal)[^,?;]*|in (?:thousands|millions|billions|percent\w*))[).]?$",
    re.I,
)


def derive(question: str) -> Derivation | None:
    """Return the calculation that a question asks for, or None where its form is not clear.

    ``What was the percentage change in sales between 2018 and 2019?`` gives growth of ``sales`` over
    (2018, 2019), whose look-ups and expression a planner can use.
    """
    if _HAN.search(question):
        return derive_zh(question)
    text = " ".join(question.split()).rstrip(" ?.!")
    decimals = asked_decimals(text)
    text = _ROUNDING.sub("", text).strip(" ,")
    for pattern in (_of_two, _of_one):
        if found := pattern(text):
            return _with_decimals(found, decimals)
    return None


def _with_decimals(found: Derivation, decimals: int | None) -> Derivation:
    return Derivation(
        operation=found.operation, metrics=found.metrics, periods=found.periods,
        every_period=found.every_period, decimals=decimals,
    )  # fmt: skip


def _of_two(text: str) -> Derivation | None:
    """Shares, ratios and differences of two metrics in one period; sums of several."""
    if _GROWTH.search(text) or _BY_PERCENT.search(text) or _CAGR.search(text) or _MEAN.search(text):
        return None
    when = tuple(periods(text))
    if len(when) > 1:
        return None
    for operation, pattern in (
        (Operation.SHARE, _SHARE[1]), (Operation.SHARE, _SHARE[0]), (Operation.SHARE, _OF_WHOLE),
        (Operation.RATIO, _RATIO), (Operation.DIFFERENCE, _BETWEEN), (Operation.DIFFERENCE, _MORE),
    ):  # fmt: skip
        if not (found := pattern.search(text)):
            continue
        head = (found.groupdict().get("head") or "").strip()
        first, second = metric(f"{head} {found['a']}"), metric(f"{head} {found['b']}")
        if any(re.search(r"\bsum of\b", one) for one in (first, second)):
            return None  # a sum inside: no cell has it
        if operation is Operation.RATIO and re.search(_PERCENT, found[0], re.I):
            operation = Operation.SHARE
        if first and second and first != second:
            return Derivation(operation=operation, metrics=(first, second), periods=when)
    found = re.search(r"\bsum of (?P<m>.+)", text, re.I)
    if found and len(parts := re.split(r",\s(?:and\s)?|\sand\s", metric(found["m"]))) > 1:
        return Derivation(operation=Operation.SUM, metrics=tuple(map(metric, parts)), periods=when)
    return None


def _of_one(text: str) -> Derivation | None:
    """Changes, growth, means and sums of one metric over periods."""
    when = tuple(periods(text))
    found = [(match, operation) for pattern, operation in _ONE if (match := pattern.search(text))]
    if not found:
        return None
    if len(found) > 1:  # ``total percentage change``: the total is part of the name
        found = [one for one in found if one[1] is not Operation.SUM]
    match, operation = min(found, key=lambda one: one[0].start())  # the outermost word says what is asked
    name = metric(match["m"])
    if not name or (operation is Operation.SUM and len(when) < 2):
        return None
    if operation is Operation.SUM and not re.search(r"\b(?:sum|amount|combined)\b", match[0], re.I):
        name = f"total {name}"
    if operation in (Operation.MEAN, Operation.SUM):
        return Derivation(operation=operation, metrics=(name,), periods=when, every_period=not when)
    return Derivation(operation=operation, metrics=(name,), periods=_ordered(when))


_ONE = (
    (_CAGR, Operation.CAGR), (_BY_PERCENT, Operation.GROWTH), (_GROWTH, Operation.GROWTH),
    (_MEAN, Operation.MEAN), (_DID, Operation.CHANGE), (_CHANGE, Operation.CHANGE), (_SUM, Operation.SUM),
)  # fmt: skip


def _ordered(when: tuple[Period, ...]) -> tuple[Period, ...]:
    """The earliest and the latest of the periods; a change in one year is against the year before."""
    if len(when) == 1 and when[0].year:
        return (Period(year=when[0].year - 1, part=when[0].part), when[0])
    ordered = sorted(when, key=lambda period: (period.year, period.part))
    return (ordered[0], ordered[-1]) if len(ordered) > 1 else when


def metric(text: str) -> str:
    """Return the words that name a figure, the periods and the small words around them dropped."""
    text = " ".join(text.split())  # mentions count their places in that form
    for mention in reversed([one for one in mentions(text) if not one.range_start]):
        text = _without(text, mention)
    text = _TAIL.sub("", text.strip(" ,"))
    text = re.sub(r"^(?:the|its|their|in|of|a|an)\s", "", text.strip(" ,"), flags=re.I)
    return re.sub(
        r"^(?:amount|value|number|net change) of (?:the\s)?", r"", " ".join(text.split()), flags=re.I
    ).strip(" ,.")


def _without(text: str, mention: Mention) -> str:
    before = _TAIL.sub("", text[: mention.start])
    return f"{before} {text[mention.end :]}".strip()


__all__ = ["derive", "metric"]
