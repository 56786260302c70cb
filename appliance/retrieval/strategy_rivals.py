"""How close the contest is: what each route makes of the other's first, and how many near equals compete.

Arrives: both recalled lists. Leaves: numbers around 0–1 by name. Versions of one document, or the yearly
reports of one firm, stand in a list within a hair of each other; there the route that can tell them apart is
to be followed, and its scores fall where the other's do not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from appliance.domain import PassageId, Scored

MISSED = -0.2
"""The place, on a list scaled to 0–1, of a passage that is not on it."""
MOST = 50
CLOSE_DENSE, NEAR_DENSE = 0.01, 0.03
"""Cosines within which hits compete; this encoder crowds them."""
CLOSE_LEXICAL, NEAR_LEXICAL = 0.95, 0.8
"""The same as parts of the first BM25 score."""
TEMPERATURE = 0.02
COMMON = 5
"""So many shared passages make a correlation."""


def rivalry(dense: Sequence[Scored], lexical: Sequence[Scored]) -> dict[str, float]:
    """The signals; 0 (for entropies 1) where a list is empty."""
    by_dense, by_lexical = _scaled(dense), _scaled(lexical)
    cosine = dense[0].score if dense else 0.0
    height = lexical[0].score if lexical else 0.0
    return {
        "dense of lexical first": _mean(by_dense, lexical[:1]),
        "lexical of dense first": _mean(by_lexical, dense[:1]),
        "dense of lexical five": _mean(by_dense, lexical[:5]),
        "lexical of dense five": _mean(by_lexical, dense[:5]),
        "dense close": _above(dense, cosine - CLOSE_DENSE),
        "dense near": _above(dense, cosine - NEAR_DENSE),
        "lexical close": _above(lexical, height * CLOSE_LEXICAL),
        "lexical near": _above(lexical, height * NEAR_LEXICAL),
        "rank agreement": _agreement(dense, lexical),
        "dense entropy": _entropy(dense, TEMPERATURE),
        "lexical entropy": _entropy(lexical, height * 0.1),
    }


def _scaled(ranked: Sequence[Scored]) -> dict[PassageId, float]:
    """Scores between the last (0) and the first (1)."""
    if not ranked:
        return {}
    last = ranked[-1].score
    whole = max(ranked[0].score - last, 1e-6)
    return {one.passage_id: (one.score - last) / whole for one in ranked}


def _mean(scaled: Mapping[PassageId, float], foremost: Sequence[Scored]) -> float:
    places = [scaled.get(one.passage_id, MISSED) for one in foremost]
    return sum(places) / len(places) if places else 0.0


def _above(ranked: Sequence[Scored], least: float) -> float:
    return math.log1p(sum(one.score > least for one in ranked)) / 4


def _agreement(dense: Sequence[Scored], lexical: Sequence[Scored]) -> float:
    """Spearman's correlation of the order of what both found."""
    place = {one.passage_id: at for at, one in enumerate(lexical)}
    both = [place[one.passage_id] for one in dense if one.passage_id in place]
    if len(both) < COMMON:
        return 0.0
    ranks = np.argsort(np.argsort(both))
    return float(np.corrcoef(np.arange(ranks.size), ranks)[0, 1])


def _entropy(ranked: Sequence[Scored], temperature: float) -> float:
    """Of the softmax over the scores, as a part of the entropy of a full list of equals."""
    if not ranked:
        return 1.0
    scores = np.array([one.score for one in ranked]) / max(temperature, 1e-6)
    odds = np.exp(scores - scores.max())
    odds /= odds.sum()
    return float(-(odds * np.log(odds + 1e-12)).sum() / math.log(MOST))
