"""Other shapes, in both languages: prose comparisons, what is common, counts, cause and effect, conditions.

Arrives: a question. Leaves: a :class:`Shape`, or nothing. Where results are prose, nothing is joined by code:
the writer of the answer has both sides before it.
"""

from __future__ import annotations

import re

from appliance.domain import Join, Pattern
from appliance.reasoning.shapes import Lookup, Shape, joined

_LISTED = r"(?P<list>[^?，]+?,? (?:and|or) [^?,]+?)"
_COMPARE = re.compile(
    r"^(?:how (?:do|does|did) (?P<a>.+?) compare (?:with|to|against) (?P<b>.+)"
    r"|(?:please )?compare (?P<a2>.+?) (?:with|to|against|and|versus|vs\.?) (?P<b2>.+)"
    r"|what (?:is|are) the (?:main |key )?(?:differences?|similarities) between (?P<a3>.+?) and (?P<b3>.+))$",
    re.I,
)
_COMPARE_ZH = re.compile(
    r"^(?:请)?(?:比较|对比)(?:一下)?(?P<a>[^，。？]+?)(?:和|与|跟)(?P<b>[^，。？]+?)(?:的?(?:异同|区别|差异|不同))?$"
    r"|^(?P<a2>[^，。？]+?)(?:和|与|跟)(?P<b2>[^，。？]+?)(?:相比)?，?(?:有(?:什么|何|哪些))(?:区别|不同|差异|异同)$"
)
_COMMON = re.compile(
    r"^(?P<who>who|which [a-z ]+?) (?P<verb>(?:has |have |is |was |had )?[a-z]+(?: in| for| with| by| "
    r"at)?) both (?P<a>.+?) and (?P<b>.+)$",
    re.I,
)
_COMMON_ZH = re.compile(
    r"^(?P<who>谁|哪[位个家]\w{0,3}?)(?:同时|既)(?P<verb>[^，《]{1,6}?)了?(?P<a>《[^》]+》|[^，和与]+?)(?:和|与|又\w{0,3}?)"
    r"(?P<b>[^，]+?)$"
)
_COUNT = re.compile(
    rf"^how many of (?:the )?(?:following (?:\w+ )?)?{_LISTED} (?P<be>are|were|is|was|have|has|had|did|do|"
    rf"can) (?P<what>.+)$",
    re.I,
)
_COUNT_ZH = re.compile(
    r"^(?P<list>[^，。？]+?(?:、|和|与)[^，。？]+?)(?:当中|之中|中|里|这[几三四五两]\w)，?(?:一共|共)?有(?:几|多少)[个家位部款种条项名](?P<what>"
    r"(?:是|有|在|属于|获得|位于|来自)[^，。？]+)$"
)
_CAUSE = re.compile(
    r"^(?:what (?:caused|led to)|why did) (?P<what>.+?),? and what (?:was|were|is|are) (?:its|their|the) "
    r"(?:effects?|consequences?|impact|results?)(?: (?P<on>(?:on|for) .+))?$",
    re.I,
)
_CAUSE_ZH = re.compile(
    r"^(?P<what>[^，。？]+?)的原因(?:和|与|及|以及)(?P<of>影响|后果|结果)(?:分别)?(?:是什么|有哪些)$"
)
_CONDITION = re.compile(
    r"^(?:is|are|can|could|may|must|should|do|does|will|would|was|were|did)\b.+\b(?:if|when|provided|"
    r"unless|under|without|as long as)\b|"
    r"^(?:如果|若|在[^，]{2,20}(?:情况下|条件下|时))[^？]*(?:吗|能否|是否|可否|可以)|(?:是否|能否|可否)[^？]*(?:如果|情况下|条件下)",
    re.I,
)


def others(question: str) -> Shape | None:
    """The look-ups of these shapes; None where the question has none of them."""
    text = " ".join(question.split()).rstrip(" ?？。.")
    if re.search(r"[一-鿿]", text):
        return _chinese(text.replace(",", "，"))
    return _english(text)


def has_conditions(question: str) -> bool:
    """Whether a yes or no is asked under a condition: one look-up, read with its exceptions."""
    return bool(_CONDITION.search(question.strip()))


def _english(text: str) -> Shape | None:
    if match := _CAUSE.match(text):
        what, on = match["what"], f" {match['on']}" if match["on"] else ""
        why = f"Why did {what}?" if text.lower().startswith("why") else f"What caused {what}?"
        return _side_by_side(Pattern.CAUSE, [why, f"What was the effect of {what}{on}?"])
    if match := _COUNT.match(text):
        items = [item for item in re.split(r",\s*(?:and |or )?| and | or ", match["list"]) if item]
        be = {"are": "Is", "were": "Was", "have": "Has"}.get(match["be"].lower(), match["be"].capitalize())
        what = re.sub(r"^(\w+)s$", r"a \1", match["what"]) if be in ("Is", "Was") else match["what"]
        if 2 <= len(items) <= 5:
            return joined(Pattern.COUNT, [f"{be} {item} {what}?" for item in items], Join.COUNT, items)
    if match := _COMMON.match(text):
        lookups = [f"{match['who'].capitalize()} {match['verb']} {match[side]}?" for side in "ab"]
        return joined(Pattern.BRIDGE, lookups, Join.COMMON, ())
    if match := _COMPARE.match(text):
        sides = [next(match[f"{side}{n}"] for n in ("", "2", "3") if match[f"{side}{n}"]) for side in "ab"]
        return _side_by_side(Pattern.COMPARISON, [_about(side) for side in sides])
    return None


def _chinese(text: str) -> Shape | None:
    if match := _CAUSE_ZH.match(text):
        what = match["what"]
        return _side_by_side(Pattern.CAUSE, [f"{what}的原因是什么？", f"{what}的{match['of']}是什么？"])
    if match := _COUNT_ZH.match(text):
        listed = re.sub(r"[两三四五几][个家位部款种名]\w{0,3}$", "", match["list"])
        items = [item for item in re.split(r"、|和|与", listed) if item]
        if 2 <= len(items) <= 5:
            return joined(Pattern.COUNT, [f"{item}{match['what']}吗？" for item in items], Join.COUNT, items)
    if match := _COMMON_ZH.match(text):
        lookups = [f"{match['who']}{match['verb']}了{match[side]}？" for side in "ab"]
        return joined(Pattern.BRIDGE, lookups, Join.COMMON, ())
    if match := _COMPARE_ZH.match(text):
        sides = [match["a"] or match["a2"], match["b"] or match["b2"]]
        return _side_by_side(Pattern.COMPARISON, [f"{side}是什么？" for side in sides])
    return None


def _about(side: str) -> str:
    plural = re.match(r"^(?:the )?(?:[\w-]+ ){0,3}\w+s\b(?!['’])", side) and not re.match(r"^[A-Z]", side)
    return f"What {'are' if plural else 'is'} {side}?"


def _side_by_side(pattern: Pattern, questions: list[str]) -> Shape:
    return Shape(pattern=pattern, lookups=tuple(Lookup(question=one) for one in questions))


def of_facets(facets: tuple[str, ...], language: str) -> Shape | None:
    """A summary over several things: one look-up for each; None for fewer than two or more than five."""
    if not 2 <= len(facets) <= 5:
        return None
    mark = "？" if language == "zh" else "?"
    lookups = tuple(Lookup(question=f"{facet.rstrip('?？')}{mark}") for facet in facets)
    return Shape(pattern=Pattern.SUMMARY, lookups=lookups)
