"""How much of a Chinese question stands in a passage as it is written, close together.

Arrives: a question, passages. Leaves: shares of 0–1. Words and pairs, which the lexical index counts, are
common to many reports of like events; a run of four characters is a name, a figure with its unit or a turn
of phrase, and tells the report that was asked for from the one that is like it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from appliance.domain import Passage, PassageId
from appliance.retrieval.closeness import Fold, closest

RUN = 4
"""Characters of a run."""
_WRITTEN = re.compile(r"[\u4e00-\u9fff]+|[a-z0-9.%]+")
_ASKING = re.compile(
    r"哪(?:一|几|两|些|个|家|位|种|年|里|天|类)*|什么(?:样|时候)?|多少|几(?=[个次家年名位月日])|谁|如何|怎么样?|"
    r"怎样|何时|何地|为何|多(?:久|长|大|高|远)|是否|[吗呢]|请问"
)
"""Words that ask; no passage that answers has them."""


def phrase_closeness(question: str, passages: Sequence[Passage], fold: Fold) -> dict[PassageId, float]:
    """Per passage the largest share of the question's runs that two neighbouring sentences hold.

    A run weighs more the fewer of these passages hold it; one that none holds does not count. Nothing is
    returned where no run of the question stands anywhere.
    """
    texts = {passage.id: fold(passage.text) for passage in passages}
    weights = {
        run: math.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
        for run in sorted(runs_of(question, fold))
        if (holders := sum(run in text for text in texts.values()))
    }
    total = sum(weights.values())
    return {number: closest(weights, text) / total for number, text in texts.items()} if total else {}


def runs_of(question: str, fold: Fold) -> frozenset[str]:
    """Every four neighbouring characters, none across a mark, a space or a word that asks."""
    pieces = _WRITTEN.findall(_ASKING.sub(" ", fold(question)))
    return frozenset(piece[at : at + RUN] for piece in pieces for at in range(len(piece) - RUN + 1))
