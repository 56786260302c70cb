"""Nested descriptions unfolded by rules: "the head of the project that built X" is two look-ups.

Arrives: a question in English or Chinese. Leaves: the look-ups in order, ``{1}`` for the result of the
first, or nothing where the question has no such shape. No model is asked: a small one loses hops here,
grammar does not. English nests to the right, so the last description is the innermost; Chinese to the
left, so there it is the first.
"""

from __future__ import annotations

import re

from appliance.reasoning.clauses_en import innermost
from appliance.reasoning.kinship import apart
from appliance.reasoning.unfold_zh import unfold_chinese

LOOKUPS_MAX = 5
_EMPTY = re.compile(
    r"^(?:when|why|how|who|whom|what|(?:is|was|are|were|does|did|do) )"
    r"(?: (?:is|was|were|are|did|does|do|has|had))? ?['\"]?(?:a |the )?\{\d\}(?: as of .*)?\?$",
    re.IGNORECASE,
)
_ASKS_TWICE = re.compile(
    r"^(?:(?:in|of|on|at|by|from|to) )?(?:what|which|when|who|whom|whose|where|why|how)\b.{4,}"
    r"\b(?:what|which|who|whom|whose)\b",
    re.IGNORECASE,
)
_CUT_LIST = re.compile(
    r"\b(?:the|a|an|and|or)\?$|(?<!part) (?<!member )(?<!citizen )(?<!capital )(?<!made )of\?$|,\s*"
    r"(?:\{\d\}|and\b|or\b|\?)|(?:ed|en|own|un) that\b"
)
_SIDE_BY_SIDE = re.compile(
    r"^(?:did|does|do|is|was|are|were|has|have|can|could|will|would)\b|"
    r"\b(compare[ds]?|difference|differ|versus|vs|while|whereas|combined|total of|average of|percent|"
    r"percentage|share of|ratio|growth|both|each|than)\b|%",
    re.IGNORECASE,
)
_WHOSE = re.compile(
    r"^whose (?P<noun>[a-z]+(?:-[a-z]+)*) (?P<rest>(?!is\b|was\b|are\b|were\b|did\b|does\b|do\b|has\b|"
    r"had\b).+)$",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\bbirth[ -]place\b")


def unfold(question: str) -> list[str]:
    """Return the look-ups that a nested question is made of; nothing where one look-up may do.

    Comparisons, calculations and yes-no questions are not unfolded: their parts stand side by side.
    """
    text = " ".join(question.split()).rstrip("?？ 。.:：")
    text = _PLACE.sub("birthplace", text)
    if re.search(r"[一-鿿]", text):
        return apart(unfold_chinese(text), text)
    if _SIDE_BY_SIDE.search(text):
        return []
    return described(text)


def described(text: str) -> list[str]:
    """The look-ups of an English question without its question mark, whatever it asks."""
    lookups: list[str] = []
    while len(lookups) < LOOKUPS_MAX - 1:
        step = innermost(text)
        if step is None:
            break
        lookups.append(f"{step.asked}?")
        text = f"{text[: step.start]}{{{len(lookups)}}}{text[step.end :]}"
    if whose := _WHOSE.match(text):
        lookups.append(f"Who {whose['rest']}?")
        text = f"Whose {whose['noun']} is {{{len(lookups)}}}"
    lookups = apart([*lookups, f"{text}?"] if lookups else [], text)
    return lookups if all(map(_is_sound, lookups)) and len(lookups) <= LOOKUPS_MAX + 1 else []


def _is_sound(lookup: str) -> bool:
    """False where a border was missed: nothing left to ask, two questions in one, a list cut in two."""
    return not (_EMPTY.match(lookup) or _ASKS_TWICE.search(lookup) or _CUT_LIST.search(lookup))
