"""What a question asks, read by rules: language, whether one look-up can answer it, what must be matched.

Arrives: the user's words. Leaves: a :class:`Reading`. No model, no index, a few microseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from appliance.domain import Struct

_MULTI_EN = re.compile(
    r"""\b(compare[ds]?|compared|comparison|difference|differ|versus|vs\.?|respectively|combined|
        altogether|in\ total|sum\ of|total\ of|average|growth|grow|grew|increase[ds]?|decrease[ds]?|
        rise|rose|fell|change[ds]?|percent(age)?|ratio|margin|how\ much\ (more|less|higher|lower)|
        how\ many\ (more|fewer|times)|(which|what|who)\b.{0,60}\b(higher|lower|larger|smaller|more|less|
        fewer|longer|shorter|earlier|later|bigger|greater)|both|than|
        (that|which|who|whose|where|whom)\ (\w+\ ){0,3}?(is|was|were|are|has|had|makes?|made|leads?|led|
        owns?|supplie[sd]|develop(s|ed)?|publish(es|ed)?|sign(s|ed)?|sponsor(s|ed)?|fund(s|ed)?|
        manufactur(es|ed)|produce[sd]?|provide[sd]?|acquire[sd]?|receive[sd]?|won|holds?|held|runs?|
        serves?|served|works?|worked|chairs?|chaired|audit(s|ed)?))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_MULTI_ZH = re.compile(
    r"相比|比较|对比|相差|差异|差额|之差|差多少|多多少|少多少|高多少|低多少|合计|总共|一共|之和|平均|"
    r"增长|增加|下降|减少|变化|占比|比例|比率|倍|分别|哪(一)?(家|个|款|年|种)[^，。？]{0,20}(更|较|最)|"
    r"(更|较)(高|低|大|小|多|少|早|晚|长|短)|两(家|个|年|款|份|版)|都|"
    r"所(在|属|使用|采用|合作|生产|负责|供)|该(公司|产品|项目|机构|专利|负责人|单位)|其"
)
_LEADING_CLAUSE = re.compile(r"^\s*(who|which|what|where|when)\s+(\w+\s+)?$", re.IGNORECASE)


class Reading(Struct, frozen=True, kw_only=True):
    """What the rules read in a question."""

    text: str
    language: str
    simple: bool
    """One look-up can answer it: the planner is not asked."""
    years: tuple[str, ...] = ()
    """Years named in the question: the evidence has to know them."""


def read_question(text: str, *, language_of: Callable[[str], str]) -> Reading:
    """Read a question; the text is squeezed, nothing is added to it."""
    squeezed = " ".join(text.split())
    language = language_of(squeezed)
    years = tuple(dict.fromkeys(re.findall(r"(?<!\d)((?:19|20)\d{2})(?!\d)", squeezed)))
    return Reading(text=squeezed, language=language, simple=_is_simple(squeezed), years=years)


def _is_simple(text: str) -> bool:
    if len(set(re.findall(r"(?<!\d)(?:19|20)\d{2}(?!\d)", text))) > 1:
        return False
    if _MULTI_ZH.search(text) or text.count("的") >= 3:
        return False
    match = _MULTI_EN.search(text)
    if match and not _LEADING_CLAUSE.match(text[: match.start()]):
        return False
    return text.lower().count(" of the ") < 2 and len(re.findall(r"['’]s\b", text)) < 2
