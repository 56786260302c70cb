"""The trained label classifier: one matrix over hashed n-grams, in ``models/heads/label``.

Linear over :mod:`appliance.understanding.features`; domain and answer kind are softmaxes, the others
logistic.
Trained by ``finetune/label_head.py``; how good it is stands next to the weights in ``metrics.json``.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from appliance.config import REPOSITORY
from appliance.domain import AnswerKind
from appliance.errors import DamagedError
from appliance.trained_head import HeadCard, head_errors, read_head
from appliance.understanding.features import BUCKETS, lit
from appliance.understanding.reading import Labels

FOLDER = REPOSITORY / "models" / "heads" / "label"
HINT = "reinstall, or train it again: python finetune/label_head.py"
SIGNALS = ("comparison", "removal", "recency", "timed")


class Card(HeadCard, frozen=True, kw_only=True):
    """What a head says of itself, beside its weights."""

    buckets: int
    domains: tuple[str, ...]
    """Empty name: none."""
    kinds: tuple[AnswerKind, ...]
    signals: tuple[str, ...]


class LabelHead:
    """Labels questions. Safe to share between threads."""

    def __init__(self, card: Card, weights: NDArray[np.float32], bias: NDArray[np.float32]) -> None:
        """``weights`` (buckets, labels) float32, ``bias`` (labels,)."""
        self.card = card
        self._weights, self._bias = weights, bias

    def label(self, text: str) -> Labels:
        """Labels of one question with their probabilities, about 0.2 ms."""
        places = lit(text)
        scores = self._bias.copy()
        if len(places):
            scores += self._weights[places].sum(axis=0) / np.sqrt(len(places))
        domains, kinds = len(self.card.domains), len(self.card.kinds)
        domain, kind = _softmax(scores[:domains]), _softmax(scores[domains : domains + kinds])
        signals = dict(zip(self.card.signals, _logistic(scores[domains + kinds :]).tolist(), strict=True))
        best, likely = int(domain.argmax()), int(kind.argmax())
        return Labels(
            domain=self.card.domains[best],
            domain_confidence=float(domain[best]),
            kind=self.card.kinds[likely],
            kind_confidence=float(kind[likely]),
            **signals,
        )


@lru_cache(maxsize=4)
def load_label_head(folder: Path = FOLDER) -> LabelHead:
    """The head of a folder. Raises DamagedError: it is missing, unreadable, or not what its card says."""
    card, stored = read_head(folder, Card, name="label", hint=HINT)
    with head_errors(f"label head {folder}", HINT):
        weights, scale, bias = stored["weights"], stored["scale"], stored["bias"]
    labels = len(card.domains) + len(card.kinds) + len(card.signals)
    if weights.shape != (BUCKETS, labels) or card.buckets != BUCKETS or card.signals != SIGNALS:
        raise DamagedError(f"label head {folder}: made for other features or labels", hint=HINT)
    return LabelHead(card, weights.astype(np.float32) * scale.astype(np.float32), bias.astype(np.float32))


def _softmax(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def _logistic(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    return (1.0 / (1.0 + np.exp(-np.clip(scores, -30, 30)))).astype(np.float32)
