"""The trained head of :mod:`appliance.reasoning.continuing`, read from ``models/heads/proceed``.

One or two layers (tanh between them, logistic at the end) over standardised features, about 20 µs. Trained by
``finetune/proceed_head.py``; how good it is, and what a threshold costs and saves, stands next to the weights
in ``metrics.json``.
"""

from __future__ import annotations

import hashlib
import io
import math
from functools import lru_cache
from pathlib import Path
from zipfile import BadZipFile

import msgspec
import numpy as np
from numpy.typing import NDArray

from appliance.config import REPOSITORY
from appliance.errors import DamagedError

FOLDER = REPOSITORY / "models" / "heads" / "proceed"
WEIGHTS = "weights.npz"
CARD = "card.json"
HINT = "reinstall, or train it again: python -m finetune.proceed_head"
Vector = NDArray[np.float32]


class Card(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a head says of itself, beside its weights."""

    sha256: str
    """Of the weights file."""
    features: tuple[str, ...]
    """Names of its inputs, in order."""
    models: tuple[str, ...]
    """Encoder and cross-encoders whose scores it knows: those of others are on another scale."""
    trained_on: int
    """Tries."""
    collections: tuple[str, ...]


class ContinueHead:
    """Tells probabilities. Safe to share between threads."""

    def __init__(
        self, card: Card, mean: Vector, scale: Vector, layers: tuple[tuple[Vector, Vector], ...]
    ) -> None:
        """``mean``, ``scale`` (features,); each layer (inputs, outputs) and (outputs,), the last with one."""
        self.card = card
        self._mean, self._scale, self._layers = mean, scale, layers

    def probability(self, numbers: Vector) -> float:
        """That the try brings new evidence, 0–1, of features (features,) float32."""
        values = (numbers - self._mean) / self._scale
        for weights, bias in self._layers[:-1]:
            values = np.tanh(values @ weights + bias)
        weights, bias = self._layers[-1]
        score = float((values @ weights + bias)[0])
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))


@lru_cache(maxsize=4)
def load_continue_head(features: tuple[str, ...], folder: Path = FOLDER) -> ContinueHead:
    """The head of a folder, for these features.

    Raises DamagedError: it is missing, unreadable, made for other features, or not what its card says.
    """
    try:
        card = msgspec.json.decode((folder / CARD).read_bytes(), type=Card)
        content = (folder / WEIGHTS).read_bytes()
    except (OSError, msgspec.DecodeError) as error:
        raise DamagedError(f"continue head {folder}: {error}", hint=HINT) from error
    if hashlib.sha256(content).hexdigest() != card.sha256:
        raise DamagedError(f"continue head {folder / WEIGHTS}: its checksum is not the card's", hint=HINT)
    if card.features != features:
        raise DamagedError(f"continue head {folder}: made for other features", hint=HINT)
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            arrays = {name: stored[name].astype(np.float32) for name in stored.files}
        return ContinueHead(card, arrays["mean"], arrays["scale"], _layers(arrays, len(card.features)))
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise DamagedError(f"continue head {folder / WEIGHTS}: {error}", hint=HINT) from error


def _layers(arrays: dict[str, Vector], features: int) -> tuple[tuple[Vector, Vector], ...]:
    """All layers, held against one another. Raises ValueError, KeyError."""
    if (
        arrays["mean"].shape != (features,)
        or arrays["scale"].shape != (features,)
        or not arrays["scale"].all()
    ):
        raise ValueError("the standardisation does not fit the features")
    layers: list[tuple[Vector, Vector]] = []
    inputs = features
    while f"weights{len(layers)}" in arrays:
        weights, bias = arrays[f"weights{len(layers)}"], arrays[f"bias{len(layers)}"]
        if weights.ndim != 2 or weights.shape[0] != inputs or bias.shape != weights.shape[1:]:
            raise ValueError("the layers do not fit together")
        layers.append((weights, bias))
        inputs = weights.shape[1]
    if not layers or inputs != 1 or not all(np.isfinite(array).all() for array in arrays.values()):
        raise ValueError("the layers do not end in one finite number")
    return tuple(layers)
