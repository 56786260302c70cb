"""A statement taken apart: its topic, its figures each with clause and period, its signs along axes.

Arrives: a :class:`Statement`. Leaves: a :class:`Frame`, kept for the statements that are compared again
and again.
"""

from __future__ import annotations

import re
from functools import lru_cache

from appliance.domain import Passage, Struct
from appliance.domain.quantities import Quantity, When, quantities
from appliance.evidence.polarity import signs_of
from appliance.evidence.statements import Statement
from appliance.evidence.topics import Topic, said_of, topic_of, words_of

_CLAUSE_END = re.compile(
    r"[;；。!?！？]|[,，、](?!\d{3})|[()（）—]|\s(?:and|but|while|whereas|versus|vs\.?|compared)\s|而|但"
)
_LEAD_WORDS_MAX = 6
BESIDE_CHARS = 4
"""A moment in brackets right behind a figure is its period."""
_CHANGE = re.compile(
    r"\b(?:increase[sd]?|rose|rises?|grew|grow(?:s|th)?|up|climb(?:s|ed)|gain(?:s|ed)?|decrease[sd]?|fell|falls?|"
    r"drop(?:s|ped)?|decline[sd]?|down|reduc\w+|cut|lower(?:s|ed)|improv\w+|higher|lower|more|less|fewer|faster|longer|"
    r"shrank|lost|saves?|saved|raised)\s+(?:\w+\s+){0,3}(?:by|of|about|some|approximately|around|nearly)?\s*$|"
    r"(?:增长|增加|上升|提高|下降|减少|降低|下滑|同比|环比|缩短|提升|上涨|下跌|上调|下调|调高|调低)(?:了|约|近|达|逾|超过|幅度|率|为|[\w一-鿿]{0,3})?$",
    re.IGNORECASE,
)
_CHANGE_AFTER = re.compile(
    r"^\s*(?:increase|rise|growth|decrease|fall|drop|decline|reduction|cut|improvement|more|less|fewer|higher|lower)\b"
    r"|^(?:的?(?:增长|增幅|降幅|涨幅|跌幅))",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"\bfrom\s+$|从\s*$|由\s*$|\b(?:versus|vs\.?|against|compared (?:with|to))\s+$", re.IGNORECASE
)
_CONDITION = re.compile(
    r"\b(?:at|under|below|above|within|after|during|over|for|aged|if|when|beyond|past|per|every|between|"
    r"dose of|doses of|temperature of|in the first|by day|on day|day|of)\s+(?:the\s+|day\s+|age\s+)?$|"
    r"(?:在|于|满|超过|以内|每|温度|年龄|剂量|第|用药)\s*$",
    re.IGNORECASE,
)
_CONDITION_AFTER = re.compile(
    r"^\s*(?:时|下|后|内|以内|之后|以上的|以下的|条件|期间|of (?:use|wear|operation|treatment))"
)
_PRIOR = re.compile(
    r"\b(?:last|previous|prior|preceding|earlier) (?:year|quarter|month|period|financial year)|"
    r"a year (?:earlier|ago|before)|\byear[- ]ago\b|去年|上年|前年|上一?季度|上期|上一年|同期",
    re.IGNORECASE,
)


class Figure(Struct, frozen=True, kw_only=True):
    """One figure and what stands round it."""

    quantity: Quantity
    clause: frozenset[str]
    """Words of its clause."""
    when: When | None = None
    """The period it is of; None: not said beside it."""
    prior: bool = False
    """Of the period before the one that is spoken of."""
    change: bool = False
    """By how much something changed, not how much it is."""
    former: bool = False
    """What it was before, or what it is held against: ``from £61 million``."""
    condition: bool = False
    """It says under what circumstances: ``at 25 °C``, ``after 14 days``."""


class Frame(Struct, frozen=True, kw_only=True):
    """A statement taken apart."""

    statement: Statement
    topic: Topic
    heading: Topic
    around: frozenset[str]
    """Words of the heading and of the passage's sentences before it."""
    figures: tuple[Figure, ...]
    moments: tuple[When, ...]
    heading_years: frozenset[int]
    signs: dict[str, int]
    """Axis → +1 or -1: see :mod:`appliance.evidence.polarity`."""


@lru_cache(maxsize=1 << 13)
def frame_of(statement: Statement) -> Frame:
    """The statement taken apart."""
    text = _COUNTED.sub(r"\1,\2", statement.text)
    found = quantities(text)
    topic, heading = topic_of(text), topic_of(statement.heading)
    moments = tuple(one.when for one in found if one.when is not None)
    return Frame(
        statement=statement,
        topic=topic,
        heading=heading,
        around=heading.words | words_of(_before(statement.passage, statement.raw)),
        figures=tuple(
            _figure(text, one, found) for one in found if one.when is None and one.unit not in _NONE
        ),
        moments=moments,
        heading_years=_years(statement.heading),
        signs=signs_of(said_of(text)),
    )


_COUNTED = re.compile(
    r"(?<![\d.,])(\d)(\d{3})(?=\s?(?:[元人名件片台种项家个户只辆吨例位套张页本册座所间幅口扇条份次]|(?:people|persons?|adults|patients|participants|"
    r"subjects|employees|staff|units|species|visitors|students|residents|customers|users|members|sites|beds)\b))"
)
"""A bare figure that counts something is no year: ``1777人``."""
_NONE = frozenset({"ordinal", "clock", "calendar"})


@lru_cache(maxsize=1 << 11)
def _years(heading: str) -> frozenset[int]:
    return frozenset(one.when.year for one in quantities(heading) if one.when and one.when.year)


def _before(passage: Passage, raw: str) -> str:
    at = passage.text.find(raw)
    return passage.text[max(0, at - 240) : max(0, at)]


def _figure(text: str, one: Quantity, found: tuple[Quantity, ...]) -> Figure:
    start, end = _clause(text, one)
    clause = text[start:end]
    before, after = text[max(start, one.span.start - 40) : one.span.start], text[one.span.end : end]
    return Figure(
        quantity=one,
        clause=words_of(clause),
        when=_period(one, found, start, end),
        prior=bool(_PRIOR.search(clause)),
        change=bool(_CHANGE.search(before) or _CHANGE_AFTER.match(after)),
        former=bool(_FORMER.search(before)),
        condition=bool(_CONDITION.search(before) or _CONDITION_AFTER.match(after)),
    )


def _clause(text: str, one: Quantity) -> tuple[int, int]:
    """Where the clause of a figure begins and ends; a short lead (``In 2023,``) belongs to what follows."""
    start, end = 0, len(text)
    for match in _CLAUSE_END.finditer(text):
        if match.end() <= one.span.start:
            lead = text[start : match.start()]
            if start or len(words_of(lead)) > 1 or len(lead.split()) > _LEAD_WORDS_MAX:
                start = match.end()
        elif match.start() >= one.span.end:
            end = match.start()
            break
    return start, end


def _period(one: Quantity, found: tuple[Quantity, ...], start: int, end: int) -> When | None:
    """The nearest moment in the clause; else the only one of the sentence."""
    moments = [each for each in found if each.when is not None]
    inside = [each for each in moments if start <= each.span.start < end]
    if inside:
        return min(inside, key=lambda each: _distance(each, one)).when
    beside = [each for each in moments if _distance(each, one) <= BESIDE_CHARS]
    if beside:
        return beside[0].when
    return moments[0].when if len(moments) == 1 and moments[0].span.start < one.span.start else None


def _distance(moment: Quantity, one: Quantity) -> int:
    return min(abs(moment.span.start - one.span.end), abs(one.span.start - moment.span.end))
