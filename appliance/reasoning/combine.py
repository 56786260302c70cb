"""Results put together by code: which date is earlier, which figure larger, whether both say yes.

Arrives: a plan that says how its results join, and the findings. Leaves: the conclusion, or None where code
cannot be sure (a result missing, an answer with no date in it, a tie, two units): then the writer concludes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from appliance.domain import Combine, Finding, Join, Plan, Struct
from appliance.reasoning.dating import Moment, earlier, read_moment
from appliance.reasoning.peoples import country_of
from appliance.reasoning.tools.amounts import read_amount

_YES = re.compile(r"^\s*(?:yes\b|true\b|是的|是|对|有|正确)", re.IGNORECASE)
_NO = re.compile(r"^\s*(?:no\b|not\b|none\b|false\b|否|不|没|无|非)", re.IGNORECASE)
_PARTS = re.compile(r"\s*(?:[,;、；，]|\band\b|和|以及|与)\s*")
_SMALL = re.compile(r"\b(?:the|a|an)\b|[^\w\s]")


class Combined(Struct, frozen=True, kw_only=True):
    """A conclusion that follows from findings: an inference, never a fact of its own."""

    short: str
    """The bare result: a name, yes, no, a number."""
    sentence: str
    of: tuple[int, ...]
    """The tasks whose findings carry it."""


def combine(plan: Plan, findings: Sequence[Finding], language: str = "en") -> Combined | None:
    """The conclusion of ``plan.combine`` over the findings; None where code cannot be sure."""
    how = plan.combine
    if how is None or how.join is Join.RELATED:  # that needs passages, not only results
        return None
    known = {finding.task_id: finding for finding in findings if finding.found}
    if any(number not in known for number in how.of):
        return None
    answers = [known[number].answer for number in how.of]
    short, reasons = _JOINS[how.join](how, answers)
    if not short:
        return None
    if short in ("yes", "no") and language == "zh":
        short = "是" if short == "yes" else "否"
    link, between = ("：", "；") if language == "zh" else (": ", "; ")
    told = between.join(f"{label}{link}{reason}" for label, reason in zip(how.labels, reasons, strict=False))
    sentence = (f"{short}（{told}）。" if language == "zh" else f"{short} ({told}).") if told else short
    return Combined(short=short, sentence=sentence, of=how.of)


_Joined = tuple[str, Sequence[str]]
"""The short result, empty where there is none; what each label came to."""


def _by_date(how: Combine, answers: Sequence[str]) -> _Joined:
    moments = [read_moment(answer) for answer in answers]
    if len(moments) != len(how.labels) or not all(moments):
        return "", answers
    return _first(how, [moment for moment in moments if moment], how.join is Join.EARLIER), answers


def _first(how: Combine, moments: Sequence[Moment], first: bool) -> str:
    """The label whose moment is before (after) every other."""
    for at, moment in enumerate(moments):
        others = [earlier(moment, other) for n, other in enumerate(moments) if n != at]
        if all(other is first for other in others):
            return how.labels[at]
    return ""


def _by_span(how: Combine, answers: Sequence[str]) -> _Joined:
    moments = [read_moment(answer) for answer in answers]
    if len(moments) != 2 * len(how.labels) or not all(moments):
        return "", answers
    numbers = [moment.in_years() for moment in moments if moment]
    spans = [end - begin for begin, end in zip(numbers[::2], numbers[1::2], strict=True)]
    told = [f"{begin} – {end}" for begin, end in zip(answers[::2], answers[1::2], strict=True)]
    # A year alone leaves up to a year open on either side.
    open_years = 2.0 if any(moment and not moment.month for moment in moments) else 0.1
    ranked = sorted(range(len(spans)), key=lambda n: spans[n], reverse=how.join is Join.LONGER)
    if min(spans) < 0 or abs(spans[ranked[0]] - spans[ranked[1]]) < open_years:
        return "", told
    return how.labels[ranked[0]], told


def _by_size(how: Combine, answers: Sequence[str]) -> _Joined:
    amounts = [read_amount(answer) for answer in answers]
    read = [amount for amount in amounts if amount]
    if len(read) != len(how.labels) or len({amount.unit or amount.label.lower() for amount in read}) > 1:
        return "", answers
    values = [amount.number for amount in read]
    best = max(values) if how.join is Join.LARGER else min(values)
    return (how.labels[values.index(best)] if values.count(best) == 1 else ""), answers


def _polar(answer: str) -> bool | None:
    if _NO.match(answer):
        return False
    return True if _YES.match(answer) else None


def _all_yes(how: Combine, answers: Sequence[str]) -> _Joined:
    said = [_polar(answer) for answer in answers]
    if how.join is Join.BOTH:
        short = "no" if False in said else "yes" if all(one is True for one in said) else ""
    else:
        short = "yes" if True in said else "no" if all(one is False for one in said) else ""
    return short, answers


def _has(how: Combine, answers: Sequence[str]) -> _Joined:
    said = [_polar(answer) for answer in answers]
    yes = [label for label, one in zip(how.labels, said, strict=False) if one]
    return (yes[0] if len(yes) == 1 and None not in said else ""), answers


def _same(how: Combine, answers: Sequence[str]) -> _Joined:
    plain = [" ".join(_SMALL.sub(" ", answer.casefold()).split()) for answer in answers]
    countries = [country_of(answer) for answer in answers]
    if not all(plain):
        return "", answers
    if len(set(plain)) == 1 or (all(countries) and len(set(countries)) == 1):
        return "yes", answers
    if all(countries):
        return "no", answers
    words = [set(re.findall(r"[^\W_]+", text)) for text in plain]
    # One may be the other told more exactly, or one a country and one a city in it: no verdict.
    if (
        any(countries)
        or words[0].intersection(*words[1:])
        or any(a in b for a in plain for b in plain if a is not b)
    ):
        return "", answers
    return "no", answers


def _count(how: Combine, answers: Sequence[str]) -> _Joined:
    if how.labels:
        said = [_polar(answer) for answer in answers]
        return ("" if None in said else str(said.count(True))), answers
    items = {part.casefold() for answer in answers for part in _PARTS.split(answer) if part.strip(" .。")}
    return (str(len(items)) if items else ""), answers


def _common(how: Combine, answers: Sequence[str]) -> _Joined:
    lists = [
        {part.casefold(): part for part in _PARTS.split(answer.strip(" .。")) if part} for answer in answers
    ]
    shared = [part for key, part in lists[0].items() if all(key in other for other in lists[1:])]
    return "; ".join(shared), answers


def _list(how: Combine, answers: Sequence[str]) -> _Joined:
    return "; ".join(dict.fromkeys(answers)), answers


_JOINS: dict[Join, Callable[[Combine, Sequence[str]], _Joined]] = {
    Join.EARLIER: _by_date,
    Join.LATER: _by_date,
    Join.LARGER: _by_size,
    Join.SMALLER: _by_size,
    Join.LONGER: _by_span,
    Join.SHORTER: _by_span,
    Join.SAME: _same,
    Join.BOTH: _all_yes,
    Join.EITHER: _all_yes,
    Join.HAS: _has,
    Join.COUNT: _count,
    Join.COMMON: _common,
    Join.LIST: _list,
}
