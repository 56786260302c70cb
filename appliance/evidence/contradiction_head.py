"""The trained heads that judge whether two statements contradict each other.

Read from ``models/heads/contradiction``: one for figures that differ, one for statements that point
opposite ways, both logistic over standardised features, a few µs. What speaks for one thing being meant
never counts against it, nor the other way round. Trained by ``finetune/contradiction_head.py`` on made-up
pairs; how good they are stands beside the weights in ``metrics.json``.
"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path

import numpy as np

from appliance.config import REPOSITORY
from appliance.trained_head import Array, HeadCard, floats, head_errors, read_head

FOLDER = REPOSITORY / "models" / "heads" / "contradiction"
HINT = "reinstall, or train it again: python -m finetune.contradiction_head"


class Card(HeadCard, frozen=True, kw_only=True):
    """What the heads say of themselves, beside their weights."""

    features: dict[str, tuple[str, ...]]
    """Kind of pair → names of its inputs, in order."""
    model: str
    """The encoder whose cosines it knows."""


class ContradictionHead:
    """Tells probabilities. Safe to share between threads."""

    def __init__(self, card: Card, arrays: dict[str, Array]) -> None:
        """``arrays``: for each kind ``KIND.mean``, ``KIND.scale``, ``KIND.weights``, ``KIND.bias``."""
        self.card, self._arrays = card, arrays

    def probability(self, kind: str, features: tuple[float, ...]) -> float:
        """That a pair of this kind (``figure``, ``sign``) contradicts itself, 0–1."""
        mean, scale, weights, bias = (
            self._arrays[f"{kind}.{name}"] for name in ("mean", "scale", "weights", "bias")
        )
        values = np.clip((np.array(features, dtype=np.float32) - mean) / scale, -4, 4)
        score = float(values @ weights + bias[0])
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))


@lru_cache(maxsize=4)
def load_contradiction_head(folder: Path = FOLDER) -> ContradictionHead:
    """The heads of a folder.

    Raises DamagedError: missing, unreadable, not what the card says, or made for other features.
    """
    card, stored = read_head(folder, Card, name="contradiction", hint=HINT)
    with head_errors(f"contradiction head {folder}", HINT):
        arrays = floats(stored)
        for kind, features in card.features.items():
            _check(arrays, kind, len(features))
    return ContradictionHead(card, arrays)


def _check(arrays: dict[str, Array], kind: str, inputs: int) -> None:
    """Raises ValueError, KeyError."""
    shapes = {"mean": (inputs,), "scale": (inputs,), "weights": (inputs,), "bias": (1,)}
    for name, shape in shapes.items():
        array = arrays[f"{kind}.{name}"]
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"{kind}.{name} does not fit")
    if not arrays[f"{kind}.scale"].all():
        raise ValueError(f"{kind}.scale has a zero")
