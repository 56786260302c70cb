"""Several scored lists into one order. Arrives: ids with each stage's own scores. Leaves: scores of 0–1.

Pure functions. Reciprocal ranks pick the candidates, because ranks of different indexes compare and their
scores do not; among the candidates the scores themselves tell more than the ranks, once they are brought
to one scale (Bruch, Gai and Ingber 2023, "An analysis of fusion functions for hybrid retrieval").
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from appliance.domain import PassageId, Scored

Scores = Mapping[PassageId, float]
_PROBABILITY_MIN = 1e-9


def reciprocal_rank_fusion(
    lists: Sequence[tuple[float, Sequence[Scored]]], *, rrf_k: int
) -> dict[PassageId, float]:
    """Return ``sum of weight / (rrf_k + rank)`` per passage, scaled so that rank 1 in every list gives 1.0.

    Cormack, Clarke and Buettcher (2009), "Reciprocal rank fusion outperforms Condorcet".
    """
    fused: dict[PassageId, float] = {}
    ceiling = sum(weight for weight, _ in lists) / (rrf_k + 1)
    for weight, ranked in lists:
        for rank, scored in enumerate(ranked, start=1):
            share = weight / (rrf_k + rank) / ceiling if ceiling else 0.0
            fused[scored.passage_id] = fused.get(scored.passage_id, 0.0) + share
    return fused


def convex_fusion(
    parts: Sequence[tuple[float, Scores]], candidates: Collection[PassageId]
) -> dict[PassageId, float]:
    """Return the weighted mean of min-max scaled scores, 0–1, for every candidate.

    A candidate that a part does not know gets that part's lowest value: 0.
    """
    total = sum(weight for weight, scores in parts if scores) or 1.0
    combined = dict.fromkeys(candidates, 0.0)
    for weight, scores in parts:
        for passage_id, scaled in _min_max({p: scores[p] for p in candidates if p in scores}).items():
            combined[passage_id] += weight / total * scaled
    return combined


def log_odds(probability: float) -> float:
    """Return the logit of a cross-encoder's 0–1 relevance: it spreads what the logistic squeezes."""
    bounded = min(max(probability, _PROBABILITY_MIN), 1 - _PROBABILITY_MIN)
    return math.log(bounded / (1 - bounded))


def _min_max(scores: dict[PassageId, float]) -> dict[PassageId, float]:
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high == low:
        return dict.fromkeys(scores, 1.0)
    return {passage_id: (score - low) / (high - low) for passage_id, score in scores.items()}


def best_first(scores: Scores) -> list[PassageId]:
    """Return ids by falling score; ties fall to the smaller id, so that an order never depends on timing."""
    return sorted(scores, key=lambda passage_id: (-scores[passage_id], passage_id))


def reorder(order: Sequence[PassageId], better: Sequence[PassageId]) -> list[PassageId]:
    """Return ``order`` with the members of ``better`` in that order among their own places; others stay."""
    movable, following = set(better), iter(better)
    return [next(following) if passage_id in movable else passage_id for passage_id in order]
