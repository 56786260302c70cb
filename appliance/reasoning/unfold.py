"""Nested descriptions unfolded by rules: "the head of the project that built X" is two look-ups.

Arrives: a question in English or Chinese. Leaves: the look-ups in order, ``{1}`` for the result of the
first, or nothing where the question has no such shape. No model is asked: a small one loses hops here,
grammar does not. English nests to the right, so the last description is the innermost; Chinese to the
left, so there it is the first.
"""

from __future__ import annotations

import re

LOOKUPS_MAX = 5
_ROLES = (
    "maker manufacturer supplier vendor producer founder co-founder leader head director inventor "
    "investigator author owner customer parent publisher developer winner sponsor funder operator "
    "designer architect editor president chairman chairwoman chair ceo cfo chancellor rector dean "
    "minister mayor governor coach captain composer singer performer actor actress spouse wife "
    "husband mother father son daughter successor predecessor employer subsidiary licensee licensor "
    "applicant assignee distributor importer landlord tenant contractor auditor insurer lender "
    "borrower shareholder holder recipient coordinator chemist physician"
).split()
_THINGS = (
    "company firm group project programme program study trial centre center institute university "
    "college school hospital laboratory lab department agency ministry bank court country city town "
    "state person scientist researcher engineer team product device sensor software system model drug "
    "compound material patent standard regulation contract agreement report paper article book film "
    "song album band magazine party award medal prize battery electrode filter component manual "
    "policy site plant factory building club festival"
).split()
_ROLE = rf"(?:[\w'’-]+ ){{0,3}}(?:{'|'.join(_ROLES)})s?"
_LINK = r"(?:of|the|in|by|for|on|at|from|to|with|and|or|is|was|did|does|that|which|who)"
_NAMED = rf"(?:(?!{_LINK} )[\w'’-]+ ){{0,3}}?(?!{_LINK} )[a-z][\w'’-]*"
_RELATIVE = re.compile(rf"\b(?:[Tt]he|a|an) ({_NAMED}) (that|which|who|whose|to whom|for whom|where) ")
_PARTICIPLE = re.compile(
    rf"\bthe ((?:(?!{_LINK} )[\w-]+ ){{0,3}}?(?:{'|'.join(_THINGS)})) "
    r"(\w+(?:ed|en|ade|uilt|eld|ought|old|own|ld)) (in|by|for|at|to|with|on|from|under) "
)
_OF_ROLE = re.compile(
    rf"\b(?:the ({_ROLE}) (of|for) |(?<=\bwas )({_ROLE}) (of|for) |(?<=\bis )({_ROLE}) (of|for) )"
)
_POSSESSED = re.compile(
    r"\b([A-Z][\w&.-]*(?:,? (?:of |the |de |von |van |and )?[A-Z][\w&.-]*)*|\{\d\})['’]s? "
    rf"((?:[\w-]+ ){{0,2}}(?:{'|'.join(_ROLES)}))\b"
)
_OF_THING = re.compile(
    rf"\bthe ((?:(?!{_LINK} )[a-z][\w-]* ){{0,2}}(?:{'|'.join(_THINGS)})) (of|in|for|behind) (?=\S)"
)
_HELPED = re.compile(r"\b(?:did|does|do|can|could|will|would)\b", re.IGNORECASE)
_MAIN_VERB = re.compile(
    r"(?<! to)(?<!\bthe) "
    r"(?:hold|have|receive|win|employ|earn|make|sell|supply|report|spend|pay|own|use|cost|live|work|"
    r"study|graduate|attend|publish|develop|announce|plan|charge|lead|reach|grow|found|open|close|start|begin|"
    r"end|sign|buy|acquire|hire|take|give|join|leave|get|say|state|require|offer|produce|run|move|come|become|"
    r"die|marry|play|write|direct|serve|belong|refer|mean|occur|happen|appear|teach|train|base)\b"
)
_BE = re.compile(
    r"^(?:where|when|why|how|in (?:what|which) \w+) (?:is|was|are|were|has|have|had)\b|"
    r"\b(?:is|was|are|were|has|have|had)\s*$",
    re.IGNORECASE,
)
_PARTICIPLE_VERB = re.compile(
    r" (?:born|published|founded|built|opened|located|held|employed|awarded|given|paid|granted|signed|called|"
    r"based|headquartered|established|released|elected|appointed|married|raised|buried|listed|approved)\b"
)
_ASIDE = re.compile(
    r", (?:is|was|has|had|did) |,? (?:as of|according to|at the time|respectively)\b|, (?:and|in|at|on) "
)
_WHO_IS = re.compile(r"(?:who|what)\b", re.IGNORECASE)
_ONLY_ASKS = re.compile(
    r"^(?:what|who|which \w+|whom|where)?\s*(?:is|was|are|were)?\s*(?:the name of\s*)?$", re.IGNORECASE
)
_EMPTY = re.compile(
    r"^(?:when|why|how|who|whom|what|in (?:what|which) \w+|(?:is|was|are|were|does|did|do) )"
    r"(?: (?:is|was|were|are|did|does|do|has|had))? ?['\"]?(?:a |the )?\{\d\}(?: as of .*)?\?$",
    re.IGNORECASE,
)
_ASKS_TWICE = re.compile(r"^.{8,}\b(?:what|which|when|who|where|how)\b", re.IGNORECASE)
_CUT_LIST = re.compile(r"\b(?:the|a|an|of|in|by)\?$|,\s*(?:\{\d\}|and\b|or\b|\?)")
_SAID = re.compile(r"(?:suggest|claim|indicate|impl[yi]e?|state|say|report|argue|show|mean|believe|note)s?$")
_SIDE_BY_SIDE = re.compile(
    r"^(?:did|does|do|is|was|are|were|has|have|can|could|will|would)\b|"
    r"\b(compare[ds]?|difference|differ|versus|vs|while|whereas|combined|total of|average of|percent|"
    r"percentage|share|ratio|grow|grew|growth|increase|decrease|rise|rose|fell|more|less|fewer|higher|lower|longer|"
    r"shorter|earlier|later|both|each|than)\b|%",
    re.IGNORECASE,
)
_PEOPLE = frozenset(
    "founder co-founder leader head director inventor investigator author president chairman "
    "chairwoman chair ceo cfo chancellor rector dean minister mayor governor coach captain composer "
    "singer performer actor actress spouse wife husband mother father son daughter editor architect "
    "coordinator chemist physician".split()
)


def unfold(question: str) -> list[str]:
    """Return the look-ups that a nested question is made of; nothing where one look-up may do.

    Comparisons, calculations and yes-no questions are not unfolded: their parts stand side by side.
    """
    text = " ".join(question.split()).rstrip("?？ 。.:：")
    if re.search(r"[一-鿿]", text):
        from appliance.reasoning.unfold_zh import unfold_chinese

        return unfold_chinese(text)
    if _SIDE_BY_SIDE.search(text):
        return []
    lookups: list[str] = []
    while len(lookups) < LOOKUPS_MAX - 1:
        step = _innermost(text, len(lookups) + 1)
        if step is None:
            break
        lookup, text = step
        lookups.append(lookup)
    lookups = [*lookups, f"{text}?"] if lookups else []
    return lookups if all(map(_is_sound, lookups)) else []


def _is_sound(lookup: str) -> bool:
    """False where a border was missed: nothing left to ask, two questions in one, a list cut in two."""
    return not (_EMPTY.match(lookup) or _ASKS_TWICE.search(lookup) or _CUT_LIST.search(lookup))


def _innermost(text: str, number: int) -> tuple[str, str] | None:
    """The last description as a question, and the text with ``{number}`` in its place."""
    found = [match for pattern in (_RELATIVE, _PARTICIPLE, _OF_ROLE) for match in pattern.finditer(text)]
    outer = min((match.start() for match in found), default=len(text))
    found += [match for match in _OF_THING.finditer(text) if match.start() > outer]
    found = [match for match in found if match.re is not _RELATIVE or not _SAID.search(match.group(1))]
    found += list(_POSSESSED.finditer(text))
    for match in sorted(found, key=lambda match: match.start(), reverse=True):
        before = text[: match.start()]
        end = match.end() if match.re is _POSSESSED else _end(text, match)
        after = text[end:]
        if _ONLY_ASKS.match(before.strip()) and not after.strip():
            continue  # what is asked, not a step towards it
        return f"{_asked(match, text[match.end() : end])}?", f"{before}{{{number}}}{after}"
    return None


def _end(text: str, match: re.Match[str]) -> int:
    """Where a description ends: with the question, at an aside, or before the verb whose subject it is."""
    end = len(text)
    if aside := _ASIDE.search(text, match.end()):
        end = aside.start()
    before, first = text[: match.start()], text.find(" ", match.end())
    verb = None
    if first > 0 and _HELPED.search(before):
        verb = _MAIN_VERB.search(text, first, end)
    elif first > 0 and _BE.search(before) and not _WHO_IS.match(before):
        verb = _PARTICIPLE_VERB.search(text, first, end)
    if verb:
        end = verb.start()
    return end


def _asked(match: re.Match[str], rest: str) -> str:
    """The question that finds what a description describes."""
    if match.re is _RELATIVE:
        return _relative(match.group(1), match.group(2).lower(), rest)
    if match.re is _PARTICIPLE:
        return f"Which {match.group(1)} was {match.group(2)} {match.group(3)} {rest}"
    if match.re is _OF_THING:
        return f"What is the {match.group(1)} {match.group(2)} {rest}"
    if match.re is _POSSESSED:
        return f"{_who(match.group(2))} is the {match.group(2)} of {match.group(1)}"
    role, joint = [part for part in match.groups() if part]
    return f"{_who(role)} is the {role} {joint} {rest}"


def _who(role: str) -> str:
    return "Who" if role.split()[-1].lower() in _PEOPLE else "Which company or person"


def _relative(noun: str, link: str, rest: str) -> str:
    rest = rest.rstrip(", ")
    if link == "whose":
        return (
            f"Which {noun} has a {rest}"
            if not re.match(r".*\b(is|was|are|were)\b", rest)
            else f"Which {noun}'s {rest}"
        )
    if link in ("to whom", "for whom", "where") or re.match(r"(?:the|a|an|it|they|he|she|[A-Z{])", rest):
        return f"{'In which' if link == 'where' else 'Which'} {noun} is it that {rest}"
    return f"Which {noun} {rest}"
