"""The trained head of :mod:`appliance.reasoning.continuing`, read from ``models/heads/proceed``.

One or two layers (tanh between them, logistic at the end) over standardised features, about 20 µs. Trained by
``finetune/proceed_head.py``; how good it is, and what a threshold costs and saves, stands next to the weights
in ``metrics.json``.
"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path

from appliance.config import REPOSITORY
from appliance.errors import DamagedError
from appliance.trained_head import Array, HeadCard, Layers, floats, head_errors, layers_of, read_head, scores

FOLDER = REPOSITORY / "models" / "heads" / "proceed"
HINT = "reinstall, or train it again: python -m finetune.proceed_head"


class Card(HeadCard, frozen=True, kw_only=True):
    """What a head says of itself, beside its weights."""

    features: tuple[str, ...]
    """Names of its inputs, in order."""
    models: tuple[str, ...]
    """Encoder and cross-encoders whose scores it knows: those of others are on another scale."""
    collections: tuple[str, ...]


class ContinueHead:
    """Tells probabilities. Safe to share between threads."""

    def __init__(self, card: Card, mean: Array, scale: Array, layers: Layers) -> None:
        """``mean``, ``scale`` (features,); each layer (inputs, outputs) and (outputs,), the last with one."""
        self.card = card
        self._mean, self._scale, self._layers = mean, scale, layers

    def probability(self, numbers: Array) -> float:
        """That the try brings new evidence, 0–1, of features (features,) float32."""
        score = float(scores((numbers - self._mean) / self._scale, self._layers))
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))


@lru_cache(maxsize=4)
def load_continue_head(features: tuple[str, ...], folder: Path = FOLDER) -> ContinueHead:
    """The head of a folder, for these features.

    Raises DamagedError: it is missing, unreadable, made for other features, or not what its card says.
    """
    card, stored = read_head(folder, Card, name="continue", hint=HINT)
    if card.features != features:
        raise DamagedError(f"continue head {folder}: made for other features", hint=HINT)
    with head_errors(f"continue head {folder}", HINT):
        arrays = floats(stored)
        return ContinueHead(card, arrays["mean"], arrays["scale"], layers_of(arrays, len(card.features)))
