"""BM25 over segments: queries and counts in, the best passages out.

Lucene's form (Kamphuis et al. 2020, "Which BM25 do you mean?", row "Lucene (accurate)"): k1 1.2, b 0.75;
the same figures as ``bm25s`` gives with ``method="lucene"``, which the contract tests hold it to.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from appliance.domain import PassageId, Scope, Scored
from appliance.store.analysis import analyse
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
    for token, weight in Counter(analyse(query)).items():
        term = hashed(token)
        found = [segment.postings(term) for segment, _ in parts]
        holders = sum(int(alive[rows].sum()) for (_, alive), (rows, _) in zip(parts, found, strict=True))
        idf = weight * math.log(1 + (passages - holders + 0.5) / (holders + 0.5)) if holders else 0.0
        for (segment, _), (rows, counts), total in zip(parts, found, scores, strict=True):
            if rows.size:
                length_norm = K1 * (1 - B) + (K1 * B / mean_length) * segment.lengths[rows]
                total[rows] += (idf * counts / (counts + length_norm)).astype(np.float32)
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
