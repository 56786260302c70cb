"""Whether a figure is of the kind asked for: people are not counted in kilograms, sales are no share.

Arrives: a question and a short answer. Leaves: why the answer is none, or nothing.
"""

from __future__ import annotations

import re

from appliance.domain.quantities import carries, quantities

_SHARE = re.compile(r"\s*-?\d[\d,.]*\s?(?:%|％|per ?cent\b)", re.IGNORECASE)
_PEOPLE_ASKED = re.compile(
    r"多少人|几个?人|多少名|\bhow many (?:people|employees|persons|patients|staff)\b", re.I
)
_NO_PEOPLE = re.compile(
    r"\d\s?(?:%|％|万?公斤|千克|吨|亿?元|万元|公里|千米|米|天|小时|分钟|岁|"
    r"kg\b|km\b|hours?\b|days?\b|years?\b|tons?\b)|[£$€¥￥]",
    re.IGNORECASE,
)
_AMOUNT_ASKED = re.compile(
    r"\b(?:sales|revenues?|turnover|profits?|earnings|costs?|expenses?|expenditure|price|budget|headcount|"
    r"employees|people|customers|units)\b|收入|利润|成本|费用|造价|经费|金额|人数|价格|要价|销售额|员工",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"%|％|per ?cent|share|rate|ratio|margin|growth|grow|grew|proportion|portion|increase|decrease|change|"
    r"royalty|discount|fraction|占|比例|比率|率|增|减|降|升|涨|跌|百分|比重|幅|份额|几成|提成|折扣",
    re.IGNORECASE,
)


def of_another_kind(question: str, answer: str) -> str:
    """Return why a figure answers another question than this; empty where nothing speaks against it."""
    if _PEOPLE_ASKED.search(question) and _NO_PEOPLE.search(answer):
        return "the figure found counts no people"
    if _SHARE.match(answer) and _AMOUNT_ASKED.search(question) and not _RATE.search(question):
        return "the figure found is a share, no amount"
    return ""


def figures_stand_in(answer: str, line: str) -> bool:
    """Return whether a line in another script has an answer's figures, each in the answer's unit.

    Letters do not tell there: ``29吨`` is not what ``29 kg`` says, though both have a 29; ``1,905人`` is what
    ``1,905 people`` says.
    """
    held = quantities(line)
    return all(
        any(carries(one, said) or (one.value == said.value and not (one.unit and said.unit)) for one in held)
        for said in quantities(answer)
    )
