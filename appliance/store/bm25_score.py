# pyright: basic
"""BM25 over segments: queries and counts in, the best passages out.

The formulas are those of ``bm25s`` with ``method="lucene"`` (Kamphuis et al. 2020, "Which BM25 do you
mean?"), k1 1.2, b 0.75. Its own index freezes document frequencies when it is built, so a passage added
later could never be scored as exactly as the rest; segments keep counts, and bm25s scores them when asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from bm25s.scoring import _score_idf_lucene as idf_lucene
from bm25s.scoring import _score_tfc_lucene as tfc_lucene

from appliance.domain import PassageId, Scope, Scored
from appliance.store.analysis import index_terms
from appliance.store.bm25_segment import Array, Segment, hashed

K1 = 1.2
B = 0.75
Parts = Sequence[tuple[Segment, Array]]
"""Segments, each with its (n,) bool of living rows."""


def best(parts: Parts, queries: Sequence[str], k: int, scope: Scope) -> list[list[Scored]]:
    """Per query up to ``k`` readable passages with a positive score, best first, ties by passage id.

    Document frequencies and the mean length are those of all living passages, whatever the scope: what a
    passage scores does not depend on who asks.
    """
    masks = [alive & segment.readable(scope) for segment, alive in parts]
    passages = sum(int(alive.sum()) for _, alive in parts)
    tokens = sum(int(segment.lengths[alive].sum()) for segment, alive in parts)
    if k < 1 or not tokens:
        return [[] for _ in queries]
    mean_length = tokens / passages
    return [_top(parts, masks, _scores(parts, query, passages, mean_length), k) for query in queries]


def _scores(parts: Parts, query: str, passages: int, mean_length: float) -> list[Array]:
    """Per segment the (n,) float32 scores of its rows; dead rows may carry one too."""
    scores = [np.zeros(segment.ids.size, dtype=np.float32) for segment, _ in parts]
    for token, weight in Counter(index_terms(query)).items():
        term = hashed(token)
        found = [segment.postings(term) for segment, _ in parts]
        holders = sum(int(alive[rows].sum()) for (_, alive), (rows, _) in zip(parts, found, strict=True))
        idf = weight * idf_lucene(holders, passages) if holders else 0.0
        for (segment, _), (rows, counts), total in zip(parts, found, scores, strict=True):
            if rows.size:
                saturated = tfc_lucene(counts, segment.lengths[rows], mean_length, K1, B)
                total[rows] += (idf * saturated).astype(np.float32)
    return scores


def _top(parts: Parts, masks: Sequence[Array], scores: Sequence[Array], k: int) -> list[Scored]:
    """The best of all segments together, cut to ``k`` only after ties are in order."""
    kept = [np.flatnonzero(mask & (score > 0)) for mask, score in zip(masks, scores, strict=True)]
    values = np.concatenate([score[rows] for score, rows in zip(scores, kept, strict=True)])
    ids = np.concatenate([segment.ids[rows] for (segment, _), rows in zip(parts, kept, strict=True)])
    if values.size > k:
        least = np.partition(values, values.size - k)[values.size - k]
        ids, values = ids[values >= least], values[values >= least]
    order = np.lexsort((ids, -values))[:k]
    return [Scored(passage_id=PassageId(int(ids[at])), score=float(values[at])) for at in order]
