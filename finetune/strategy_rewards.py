"""What each weight would have earned for each question: recall lists in, signals and reward curves out.

The fusion is the product's own (``appliance.retrieval.fuse``), so a selector is trained on what search does.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from appliance.documents import detect_language
from appliance.domain import Experience, PassageId, Scored
from appliance.governance.metrics import first_seen, ndcg_at, recall_at
from appliance.retrieval.fuse import best_first, convex_fusion, reciprocal_rank_fusion
from appliance.retrieval.strategy_signals import features, remembered
from appliance.store.experience import experience_of
from appliance.understanding.reading import read_question
from finetune.strategy_outcomes import Outcome

GRID = np.round(np.linspace(0, 1, 11), 1)
"""The dense route's share; the lexical route has the rest."""
DEPTH = CANDIDATES = 50
RRF_K = 60


class Set(msgspec.Struct, frozen=True, kw_only=True):
    """One collection's questions: everything the training or the comparison needs."""

    name: str
    questions: list[Outcome]
    vectors: np.ndarray
    ndcg: np.ndarray
    """(n, 11): nDCG@10 of each weight."""
    recall: np.ndarray
    """(n, 11): recall@5."""
    alone: np.ndarray
    """(n, 2, 2): nDCG@10 and recall@5 of dense and of lexical recall without the other."""
    found: np.ndarray
    """(n, 2): 1 / rank of the best right passage in dense and in lexical recall."""


def read_set(folder: Path, name: str) -> Set:
    """Questions with their curves; the curves are kept beside the lists."""
    lines = (folder / f"{name}.jsonl").read_bytes().splitlines()
    questions = [msgspec.json.decode(line, type=Outcome) for line in lines]
    cached = folder / f"{name}.curves.npz"
    if not cached.exists():
        measured = [_curves(question) for question in questions]
        np.savez(cached, **{key: np.array([row[key] for row in measured]) for key in measured[0]})
    with np.load(cached, allow_pickle=False) as arrays:
        kept = {key: arrays[key] for key in arrays.files}
    return Set(name=name, questions=questions, vectors=np.load(folder / f"{name}.npy"), **kept)


def scored(ranked: Sequence[tuple[str, int, float]]) -> list[Scored]:
    """As an index answers."""
    return [Scored(passage_id=PassageId(number), score=score) for _, number, score in ranked]


def _curves(asked: Outcome) -> dict[str, list[float]]:
    fused = [measured_at(asked, share) for share in GRID.tolist()]
    dense, lexical = asked.dense[:DEPTH], asked.lexical[:DEPTH]
    alone = [_measures(asked, [record for record, _, _ in route]) for route in (dense, lexical)]
    found = [
        next((1 / rank for rank, (record, _, _) in enumerate(route, 1) if record in asked.gold), 0.0)
        for route in (dense, lexical)
    ]
    return {
        "ndcg": [ndcg for ndcg, _ in fused],
        "recall": [recall for _, recall in fused],
        "alone": [list(route) for route in alone],  # type: ignore[dict-item]
        "found": found,
    }


def measured_at(asked: Outcome, share: float) -> tuple[float, float]:
    """nDCG@10 and recall@5 of fusion with this dense share, as search fuses without a cross-encoder."""
    record = {number: name for name, number, _ in (*asked.dense, *asked.lexical)}
    dense, lexical = scored(asked.dense[:DEPTH]), scored(asked.lexical[:DEPTH])
    order = best_first(reciprocal_rank_fusion([(1.0, dense), (1.0, lexical)], rrf_k=RRF_K))[:CANDIDATES]
    parts = [
        (share, {item.passage_id: item.score for item in dense}),
        (1 - share, {item.passage_id: item.score for item in lexical}),
    ]
    return _measures(asked, [record[number] for number in best_first(convex_fusion(parts, order))])


def _measures(asked: Outcome, ranked: Sequence[str]) -> tuple[float, float]:
    records = first_seen(list(ranked))
    return ndcg_at(records, asked.gold, 10), recall_at(records, asked.gold, 5)


def signals_of(given: Set) -> tuple[tuple[str, ...], np.ndarray]:
    """Names and ``(n, features)`` with an empty memory."""
    signals = [
        features(
            read_question(asked.question, language_of=detect_language),
            asked.specificity,
            scored(asked.dense),
            scored(asked.lexical),
            Experience(),
        )
        for asked in given.questions
    ]
    return signals[0].names, np.array([one.values for one in signals], dtype=np.float32)


def with_memory(
    given: Set, names: Sequence[str], bare: np.ndarray, rows: np.ndarray, past: np.ndarray
) -> np.ndarray:
    """``(rows, features)`` as if the collection remembered the questions ``past``; none ever itself."""
    told = bare[rows].copy()
    columns = [names.index(name) for name in remembered(Experience())]
    cosines = given.vectors[rows] @ given.vectors[past].T
    for at, row in enumerate(rows):
        others = past != row
        if others.any():
            memory = experience_of(cosines[at][others], given.found[past[others]])
            told[at, columns] = tuple(remembered(memory).values())
    return told


def at_shares(curves: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The value of each question's curve at its share, between the tenths by straight lines."""
    low = np.minimum((shares * 10 + 1e-9).astype(int), 9)
    part = shares * 10 - low
    rows = np.arange(len(curves))
    return curves[rows, low] * (1 - part) + curves[rows, low + 1] * part
