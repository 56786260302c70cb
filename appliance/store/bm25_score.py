# pyright: basic
"""BM25 over segments: queries in, the best passages out.

The formulas are those of ``bm25s`` with ``method="lucene"`` (Kamphuis et al. 2020, "Which BM25 do you
mean?"), k1 1.2, b 0.75. Its own index freezes document frequencies when it is built, so a passage added
later could never be scored as exactly as the rest; segments keep counts, and bm25s scores them when asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bm25s.scoring import _score_idf_lucene as idf_lucene

from appliance.domain import PassageId, Scope, Scored, WeightedQuery
from appliance.store.analysis import index_terms
from appliance.store.bm25_parts import Parts
from appliance.store.bm25_reading import Reading, Term
from appliance.store.bm25_segment import hashed
from appliance.store.bm25_top import Scratch, top

Query = str | WeightedQuery


def best(
    parts: Parts, queries: Sequence[Query], k: int, scope: Scope, scratch: Scratch
) -> tuple[list[list[Scored]], int]:
    """Per query up to ``k`` readable passages with a positive score, best first, ties by passage id.

    Second: how many postings were read. Document frequencies and the mean length are those of all living
    passages, whatever the scope: what a passage scores does not depend on who asks.
    """
    reading = Reading(parts, scope)
    if k < 1 or not reading.tokens:
        return [[] for _ in queries], 0
    answers: list[list[Scored]] = []
    for query in queries:
        ids, scores = top(reading, _terms(reading, query), k, scratch)
        pairs = zip(ids.tolist(), scores.tolist(), strict=True)
        answers.append([Scored(passage_id=PassageId(number), score=score) for number, score in pairs])
    return answers, reading.postings_read


def specificity(parts: Parts, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
    """Per text its distinct tokens with their idf, in the order of the text."""
    passages = sum(part.living for part in parts)
    return [
        [(token, _idf(parts, hashed(token), passages)) for token in dict.fromkeys(index_terms(text))]
        for text in texts
    ]


def _idf(parts: Parts, term: int, passages: int) -> float:
    return idf_lucene(sum(part.holders(term) for part in parts), passages)


def _terms(reading: Reading, query: Query) -> list[Term]:
    """The query's terms that occur, in its order, with the factor that each multiplies."""
    text, weights = (query, {}) if isinstance(query, str) else (query.text, _by_token(query.weights))
    terms: list[Term] = []
    for token, times in Counter(index_terms(text)).items():
        term, weight = hashed(token), times * weights.get(token, 1.0)
        if weight > 0 and (holders := reading.holders(term)):
            terms.append(Term(term=term, factor=weight * idf_lucene(holders, reading.passages)))
    return terms


def _by_token(weights: dict[str, float]) -> dict[str, float]:
    """The factor of each token of the weighted words; the largest where several name it."""
    by_token: dict[str, float] = {}
    for words, factor in weights.items():
        for token in index_terms(words):
            by_token[token] = max(factor, by_token.get(token, factor))
    return by_token
