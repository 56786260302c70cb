"""Measures of a ranking and of a sample, as pure functions.

Arrives: record ids in ranked order (each once) and the graded judgements of one query. Leaves: one number.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import ceil, log2


def recall_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the relevant records among the first ``k``; 0 where nothing is relevant."""
    return sum(record in relevant for record in ranked[:k]) / len(relevant) if relevant else 0.0


def hit_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 when a relevant record is among the first ``k``, else 0."""
    return float(any(record in relevant for record in ranked[:k]))


def all_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 when every relevant record is among the first ``k`` (all the evidence is at hand), else 0."""
    return float(bool(relevant) and set(relevant) <= set(ranked[:k]))


def reciprocal_rank_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 / rank of the first relevant record among the first ``k``, else 0 (its mean is MRR)."""
    for rank, record in enumerate(ranked[:k], start=1):
        if record in relevant:
            return 1.0 / rank
    return 0.0


def ndcg_at(ranked: Sequence[str], grades: Mapping[str, float], k: int) -> float:
    """Discounted gain of the first ``k`` over that of the best order; the gain of a record is its grade.

    Järvelin & Kekäläinen 2002, discount log2(rank + 1).
    """
    best = _gain(sorted(grades.values(), reverse=True)[:k])
    return _gain([grades.get(record, 0.0) for record in ranked[:k]]) / best if best > 0 else 0.0


def _gain(grades: Sequence[float]) -> float:
    return sum(grade / log2(rank + 1) for rank, grade in enumerate(grades, start=1))


def mean(values: Sequence[float]) -> float:
    """The mean; 0 for none."""
    return sum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least ``percent`` of the values do not exceed (nearest rank); 0 for none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, ceil(percent / 100 * len(ordered)) - 1)]


def first_seen(records: Sequence[str]) -> list[str]:
    """Each record once, at the rank of its best passage."""
    return list(dict.fromkeys(records))
