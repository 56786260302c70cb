"""The trained head of :mod:`appliance.governance.credibility`, read from ``models/heads/credibility``.

Two networks of two layers over standardised inputs, tanh between them, logistic at the end, temperature
included: ``full`` over the sentence's vector and its features, ``cues`` over the features alone, for
encoders that the head does not know. Trained by ``finetune/credibility_head.py``.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from appliance.config import REPOSITORY
from appliance.errors import DamagedError
from appliance.governance.credibility_features import NAMES
from appliance.trained_head import Array, HeadCard, floats, head_errors, read_head

FOLDER = REPOSITORY / "models" / "heads" / "credibility"
HINT = "reinstall, or train it again: python -m finetune.credibility_head"
KINDS = ("full", "cues")


class Card(HeadCard, frozen=True, kw_only=True):
    """What the head says of itself, beside its weights."""

    features: tuple[str, ...]
    encoder: str
    """Name of the model whose vectors it knows."""
    dim: int
    """Their length."""


class CredibilityHead:
    """Tells probabilities. Safe to share between threads."""

    def __init__(self, card: Card, networks: dict[str, tuple[Array, ...]]) -> None:
        """``networks``: by kind, mean, scale, weights0, bias0, weights1 (…, 2), bias1 (2,)."""
        self.card, self._networks = card, networks

    def knows(self, encoder: str, dim: int) -> bool:
        """Whether its vectors are of this encoder."""
        return (encoder, dim) == (self.card.encoder, self.card.dim)

    def faults(self, features: Array, vectors: Array | None) -> Array:
        """``(n, 2) float32``: how probably each sentence takes sides, and how probably it is risky.

        ``features`` (n, features); ``vectors`` (n, dim) L2-normalised, None: judged by the features alone.
        """
        kind = "cues" if vectors is None else "full"
        inputs = features if vectors is None else np.hstack([features, vectors])
        mean, scale, first, bias, last, end = self._networks[kind]
        hidden = np.tanh((inputs - mean) / scale @ first + bias)
        return (1.0 / (1.0 + np.exp(-np.clip(hidden @ last + end, -30, 30)))).astype(np.float32)


@lru_cache(maxsize=4)
def load_credibility_head(folder: Path = FOLDER) -> CredibilityHead:
    """The head of a folder. Raises DamagedError: missing, unreadable, of other features, not the card's."""
    card, stored = read_head(folder, Card, name="credibility", hint=HINT)
    parts = ("mean", "scale", "weights0", "bias0", "weights1", "bias1")
    with head_errors(f"credibility head {folder}", HINT):
        arrays = floats(stored)
        networks = {kind: tuple(arrays[f"{kind}_{part}"] for part in parts) for kind in KINDS}
    widths = (len(NAMES) + card.dim, len(NAMES))
    if card.features != NAMES or any(
        networks[kind][2].shape[0] != wide for kind, wide in zip(KINDS, widths, strict=True)
    ):
        raise DamagedError(f"credibility head {folder}: made for other features", hint=HINT)
    return CredibilityHead(card, networks)
