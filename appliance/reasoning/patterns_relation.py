"""How one thing relates to another: both sides are looked up, and set side by side in their own words.

Arrives: a question ("How do the risk factors of A relate to B's new product?"). Leaves: a look-up for each
side, joined by code. Relations of people and places are facts that one look-up finds, and are left to that.
"""

from __future__ import annotations

import re

from appliance.domain import Combine, Join, Pattern
from appliance.reasoning.shapes import Lookup, Shape

_RELATE = re.compile(
    r"^how (?:do|does|did|is|are|could|might|would) (?P<a>.+?) "
    r"(?:relate[sd]?(?: back)? to|related to|bear(?:s|ing)? on|connect(?:s|ed)? (?:to|with)|linked to|"
    r"matter (?:to|for)|apply to|compare (?:to|with)) (?P<b>.+)$"
    r"|^what (?:do|does) (?P<a2>.+?) have to do with (?P<b2>.+)$"
    r"|^what (?:is|are) the (?:relation|relationship|connection|link)s? between (?P<a3>.+?) and (?P<b3>.+)$",
    re.I,
)
_RELATE_ZH = re.compile(
    r"^(?:请问|分析)?(?P<a>.+?)(?:与|和|同|跟|对)(?P<b>.+?)"
    r"(?:之间)?(?:有(?:什么|何|怎样的|哪些)(?:关系|关联|联系|影响)|是什么关系|如何(?:关联|相关|对应))$"
)
_COMPARE = re.compile(r"\bcompare\b|比较|相比", re.I)
_MATTER = re.compile(
    r"\b(?:risks?|risk factors|requirements?|provisions?|rules?|changes|findings|results|products?|sensors?|"
    r"devices?|polic(?:y|ies)|regulations?|amendments?|strateg(?:y|ies)|obligations?|terms|plans?|targets?)\b"
    r"|风险|要求|规定|条款|变化|结果|产品|政策|办法|制度|修订|修改|战略|义务|计划|目标",
    re.I,
)
"""What documents deal with: one side at least is of that kind."""


def relation(question: str) -> Shape | None:
    """The two sides; None where no relation is asked for, or one of people."""
    text = " ".join(question.split()).rstrip(" ?？.。")
    found = _RELATE.match(text) or _RELATE_ZH.match(text)
    if found is None:
        return None
    sides = [side.strip(" ，,") for side in found.groups() if side]
    if len(sides) != 2 or not any(_MATTER.search(side) for side in sides):
        return None
    chinese = bool(re.search(r"[一-鿿]", text))
    asked = [f"{side}有哪些内容？" if chinese else f"What is said of {side}?" for side in sides]
    lookups = tuple(Lookup(question=one, quote=True) for one in asked)
    return Shape(
        pattern=Pattern.COMPARISON if _COMPARE.search(text) else Pattern.SUMMARY,
        lookups=lookups,
        combine=Combine(join=Join.RELATED, of=(1, 2), labels=tuple(sides)),
    )
