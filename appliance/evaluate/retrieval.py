"""How good and how quick search is on judged questions.

Arrives: a search function, questions and judgements. Leaves: a :class:`RetrievalReport`. A record's rank is
that of its best passage, so passages are asked for three times as many and each record counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from appliance.domain import Retrieval
from appliance.errors import UserError
from appliance.evaluate.queries import Progress, Query
from appliance.governance.metrics import (
    all_at,
    first_seen,
    hit_at,
    mean,
    ndcg_at,
    percentile,
    recall_at,
    reciprocal_rank_at,
)

Search = Callable[[Query, int], Retrieval]
"""Question and number of passages → retrieval."""
PASSAGES_PER_RECORD = 3
RANKS = 10
HITS = (1, 3, 10)
PASSAGES_MAX = 200


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds of one part."""

    p50_ms: float
    p95_ms: float


class RetrievalReport(msgspec.Struct, frozen=True, kw_only=True):
    """Measures by name ("recall@5"), over all and by group; time by part.

    ``hit@k`` is the share of questions with a judged record among the first ``k``: top-k accuracy.
    """

    queries: int
    skipped: int
    """Questions without a judged record (unanswerable ones)."""
    overall: dict[str, float]
    by_type: dict[str, dict[str, float]]
    by_language: dict[str, dict[str, float]]
    by_style: dict[str, dict[str, float]]
    """Of the questions that name one; so are the domains."""
    by_domain: dict[str, dict[str, float]]
    timings: dict[str, Timing]
    degraded: tuple[str, ...]


def evaluate_retrieval(
    search: Search,
    queries: Sequence[Query],
    qrels: Mapping[str, Mapping[str, float]],
    *,
    ks: Sequence[int] = (5, 10),
    progress: Progress = lambda done, total: None,
) -> RetrievalReport:
    """Search every judged question once. Raises UserError when none is judged."""
    judged = [query for query in queries if qrels.get(query.id)]
    if not judged:
        raise UserError("no question has a judged record", hint="do the ids of queries and qrels agree?")
    wanted = min(PASSAGES_MAX, PASSAGES_PER_RECORD * max(RANKS, *ks))
    rows: list[tuple[Query, dict[str, float]]] = []
    times: dict[str, list[float]] = {}
    degraded: dict[str, None] = {}
    # The first search loads models and indexes; it is not part of what is measured.
    search(judged[0], wanted)
    for done, query in enumerate(judged, start=1):
        found = search(query, wanted)
        ranked = first_seen([hit.passage.record_id for hit in found.hits])
        rows.append((query, measures(ranked, qrels[query.id], ks)))
        for part, value in found.timings_ms.items():
            times.setdefault(part, []).append(value)
        degraded.update(dict.fromkeys(found.degraded))
        progress(done, len(judged))
    return RetrievalReport(
        queries=len(judged),
        skipped=len(queries) - len(judged),
        overall=_means([row for _, row in rows]),
        by_type=_grouped(rows, lambda query: query.type),
        by_language=_grouped(rows, lambda query: query.language),
        by_style=_grouped(rows, lambda query: query.style),
        by_domain=_grouped(rows, lambda query: query.domain),
        timings={
            part: Timing(p50_ms=round(percentile(values, 50), 2), p95_ms=round(percentile(values, 95), 2))
            for part, values in times.items()
        },
        degraded=tuple(degraded),
    )


def measures(ranked: Sequence[str], grades: Mapping[str, float], ks: Sequence[int]) -> dict[str, float]:
    """All measures of one query; ``ranked`` holds each record once."""
    row = {f"recall@{k}": recall_at(ranked, grades, k) for k in ks}
    row |= {f"all-evidence@{k}": all_at(ranked, grades, k) for k in ks}
    return row | {
        f"ndcg@{RANKS}": ndcg_at(ranked, grades, RANKS),
        f"mrr@{RANKS}": reciprocal_rank_at(ranked, grades, RANKS),
        **{f"hit@{k}": hit_at(ranked, grades, k) for k in HITS},
    }


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: round(mean([row[name] for row in rows]), 4) for name in rows[0]}


def _grouped(
    rows: Sequence[tuple[Query, dict[str, float]]], key: Callable[[Query], str]
) -> dict[str, dict[str, float]]:
    groups: dict[str, list[dict[str, float]]] = {}
    for query, row in rows:
        if group := key(query):
            groups.setdefault(group, []).append(row)
    return {name: {"queries": float(len(group)), **_means(group)} for name, group in sorted(groups.items())}
