"""How much of a question stands close together in a passage, and how much of it in its title.

Arrives: terms of the question with their specificity (idf), passages. Leaves: shares of 0–1. A passage
whose two neighbouring sentences hold most of what was asked is likelier to answer it than one that
scatters the words; where no cross-encoder reads the language, this is the nearest thing to reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from appliance.domain import Passage, PassageId

Terms = Callable[[str], Sequence[str]]
"""Text → index terms."""
Fold = Callable[[str], str]
"""Text → the same with width, case and traditional characters made one, as in terms."""
_SENTENCE = re.compile(r"[^。！？!?；;\n]+?(?:[。！？!?；;\n]+|\.(?=\s)|$)")
_SECOND = 0.9
"""Two sentences count a little less than one that says it all."""
SENTENCES = 60
_PERIOD = re.compile(r"^(?:fy|cy)?(?P<head>q[1-4]|h[12])?(?P<year>(?:19|20)\d\d)(?P<tail>q[1-4]|h[12])?$")
_SHORT_YEAR = re.compile(r"^(?:fy|cy)(?P<year>\d\d)$")
_LATIN_WORD = re.compile(r"[a-z0-9&]+")
_JOINED = (2, 3)


def closeness(
    weights: Mapping[str, float], passages: Sequence[Passage], fold: Fold
) -> dict[PassageId, float]:
    """Per passage the largest share of the question's weight that two neighbouring sentences hold.

    A term counts where its letters stand: cutting each sentence into words would cost more than all the rest
    of a search.
    """
    total = sum(weights.values())
    if not total:
        return {}
    return {passage.id: closest(weights, fold(passage.text)) / total for passage in passages}


def closest(weights: Mapping[str, float], text: str) -> float:
    """The largest weight that two neighbouring sentences of a folded text hold together."""
    here = {term: weight for term, weight in weights.items() if term in text}
    best, before = 0.0, set[str]()
    for sentence in _SENTENCE.findall(text)[:SENTENCES] if here else ():
        held = {term for term in here if term in sentence}
        if held:
            alone = sum(here[term] for term in held)
            best = max(best, alone, _SECOND * sum(here[term] for term in held | before))
        before = held
    return best


def title_match(
    question: str, weights: Mapping[str, float], passages: Sequence[Passage], terms: Terms
) -> dict[PassageId, float]:
    """Per passage the share of the question's title words that its own title and label hold.

    The title words of a question are those that stand in any candidate's title; a period counts by its
    year (``FY2022``, ``2022Q4``), and neighbouring words also joined (``AnnualReport``).
    """
    asked = {form for term in terms(question) for form in _forms(term)} | _joined(question)
    heads: dict[str, frozenset[str]] = {}
    for passage in passages:
        head = f"{passage.label} {passage.title}"
        if head not in heads:
            words = {form for term in terms(head) for form in _forms(term)}
            heads[head] = frozenset(words & asked)
    named = frozenset[str]().union(*heads.values())
    weight = {term: weights.get(term) or _LEAST for term in named}
    total = sum(weight.values())
    if not total:
        return {}
    share = {head: sum(weight[term] for term in words) / total for head, words in heads.items()}
    return {passage.id: share[f"{passage.label} {passage.title}"] for passage in passages}


_LEAST = 2.0
"""Weight of a title word whose specificity is not known: the year inside ``FY2022``."""


def _forms(term: str) -> list[str]:
    if short := _SHORT_YEAR.match(term):
        return [term, f"20{short['year']}"]
    period = _PERIOD.match(term)
    return [term, *(part for part in period.groups() if part)] if period else [term]


def _joined(question: str) -> set[str]:
    words = _LATIN_WORD.findall(question.casefold())
    return {"".join(words[at : at + length]) for length in _JOINED for at in range(len(words) - length + 1)}
