# pyright: basic
"""How specific a query is: its terms and a lexical index's segments in, their document frequencies out."""

from __future__ import annotations

from bm25s.scoring import _score_idf_lucene as idf_lucene

from appliance.domain import Specificity
from appliance.store.analysis import analyse
from appliance.store.bm25_score import Parts
from appliance.store.bm25_segment import hashed


def specificity(parts: Parts, query: str) -> Specificity:
    """The idf that BM25 itself gives each distinct term of ``query``: over all living passages, whoever asks.

    As with the scores, a rare word of a document that the asker may not read is known to be there; its
    text is not.
    """
    passages = sum(int(alive.sum()) for _, alive in parts)
    idfs: list[float] = []
    unknown = 0
    for token in dict.fromkeys(analyse(query)):
        term = hashed(token)
        holders = sum(int(alive[segment.postings(term)[0]].sum()) for segment, alive in parts)
        if holders:
            idfs.append(float(idf_lucene(holders, passages)))
        else:
            unknown += 1
    return Specificity(idfs=tuple(idfs), unknown=unknown, passages=passages)
