"""Does a claim follow from a premise? The trained head over encoder, cross-encoder and counted features.

Arrives: pairs of texts, Chinese or English. Leaves: probabilities. The head is one or two layers (tanh
between them, logistic at the end); trained by ``finetune/entailment.py``; how good it is stands beside it in
``metrics.json``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from appliance.config import REPOSITORY
from appliance.errors import DamagedError
from appliance.ports import Embedder, Reranker
from appliance.serving.entailment_features import NAMES, Read, Vector, read_pair, vector_of
from appliance.trained_head import Array, HeadCard, floats, head_errors, layers_of, read_head, scores

FOLDER = REPOSITORY / "models" / "heads" / "entailment"
HINT = "reinstall, or train it again: python -m finetune.entailment"
EDGE = 1e-6


class Card(HeadCard, frozen=True, kw_only=True):
    """What a head says of itself, beside its weights."""

    features: tuple[str, ...]
    """Names of its inputs, in order."""
    models: tuple[str, ...]
    """Encoder and cross-encoders whose scores it knows."""
    sources: dict[str, int]
    """Pairs of each source."""


class EntailmentHead:
    """Tells probabilities of features. Safe to share between threads."""

    def __init__(self, card: Card, arrays: dict[str, Array]) -> None:
        """``arrays``: ``mean``, ``scale`` (features,), then ``weights0``, ``bias0`` … of each layer.

        Raises ValueError, KeyError: they do not fit.
        """
        self.card = card
        self._mean, self._scale = arrays["mean"], arrays["scale"]
        self._layers = layers_of(arrays, len(card.features))

    def probabilities(self, rows: Vector) -> Vector:
        """``(n,)`` for ``(n, features)`` float32."""
        values = np.clip((rows - self._mean) / self._scale, -6, 6)
        told = np.clip(scores(values, self._layers), -30, 30)
        return (1.0 / (1.0 + np.exp(-told))).astype(np.float32)


@lru_cache(maxsize=2)
def load_entailment_head(folder: Path = FOLDER) -> EntailmentHead:
    """Return the head in ``folder``. Raises DamagedError: missing, changed, or made for other features."""
    card, stored = read_head(folder, Card, name="entailment", hint=HINT)
    if card.features != NAMES:
        raise DamagedError(f"entailment head {folder}: made for other features", hint=HINT)
    with head_errors(f"entailment head {folder}", HINT):
        return EntailmentHead(card, floats(stored))


class TrainedEntailment:
    """The shipped models and the head together: ``entails(pairs) -> probabilities``."""

    def __init__(self, embedder: Embedder, rerankers: Sequence[Reranker], head: EntailmentHead) -> None:
        """``rerankers``: one that reads English and one that reads Chinese."""
        self._embedder, self._rerankers, self._head = embedder, tuple(rerankers), head

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return for each (premise, claim) the probability that the claim follows."""
        if not pairs:
            return []
        return [float(p) for p in self._head.probabilities(self.features(pairs))]

    def features(self, pairs: Sequence[tuple[str, str]]) -> Vector:
        """``(n, features)`` float32."""
        read = [read_pair(premise, claim) for premise, claim in pairs]
        texts = list(
            dict.fromkeys(text for one in read for text in (one.claim, one.question, one.premise, *one.lines))
        )
        place = {text: at for at, text in enumerate(texts)}
        vectors = self._embedder.embed_passages(texts)
        rows: list[Vector] = []
        for one in read:
            lines = vectors[[place[text] for text in one.lines]]
            own = vectors[place[one.claim]]
            cosines = [float(vectors[place[one.premise]] @ own), *(float(x) for x in lines @ own)]
            asked = [float(x) for x in lines @ vectors[place[one.question]]] if one.question else []
            rows.append(
                vector_of(
                    one, self._relevance(one, one.claim), self._relevance(one, one.question), cosines, asked
                )
            )
        return np.stack(rows)

    def _relevance(self, pair: Read, query: str) -> float:
        if not query:
            return 0.0
        language = "zh" if pair.han else "en"
        fit = [one for one in self._rerankers if language in one.languages] or list(self._rerankers)
        probability = fit[0].rerank(query, [pair.premise])[0]
        clipped = min(max(probability, EDGE), 1 - EDGE)
        return math.log(clipped / (1 - clipped))
