"""The trained heads that judge whether two statements contradict each other.

Read from ``models/heads/contradiction``: one for figures that differ, one for statements that point
opposite ways, both logistic over standardised features, a few µs. What speaks for one thing being meant
never counts against it, nor the other way round. Trained by ``finetune/contradiction_head.py`` on made-up
pairs; how good they are stands beside the weights in ``metrics.json``.
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

FOLDER = REPOSITORY / "models" / "heads" / "contradiction"
WEIGHTS = "weights.npz"
CARD = "card.json"
HINT = "reinstall, or train it again: python -m finetune.contradiction_head"
Vector = NDArray[np.float32]


class Card(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the heads say of themselves, beside their weights."""

    sha256: str
    """Of the weights file."""
    features: dict[str, tuple[str, ...]]
    """Kind of pair → names of its inputs, in order."""
    model: str
    """The encoder whose cosines it knows."""
    trained_on: int
    """Pairs."""


class ContradictionHead:
    """Tells probabilities. Safe to share between threads."""

    def __init__(self, card: Card, arrays: dict[str, Vector]) -> None:
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
    try:
        card = msgspec.json.decode((folder / CARD).read_bytes(), type=Card)
        content = (folder / WEIGHTS).read_bytes()
    except (OSError, msgspec.DecodeError) as error:
        raise DamagedError(f"contradiction head {folder}: {error}", hint=HINT) from error
    if hashlib.sha256(content).hexdigest() != card.sha256:
        raise DamagedError(
            f"contradiction head {folder / WEIGHTS}: its checksum is not the card's", hint=HINT
        )
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            arrays = {name: stored[name].astype(np.float32) for name in stored.files}
        for kind, features in card.features.items():
            _check(arrays, kind, len(features))
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise DamagedError(f"contradiction head {folder / WEIGHTS}: {error}", hint=HINT) from error
    return ContradictionHead(card, arrays)


def _check(arrays: dict[str, Vector], kind: str, inputs: int) -> None:
    """Raises ValueError, KeyError."""
    shapes = {"mean": (inputs,), "scale": (inputs,), "weights": (inputs,), "bias": (1,)}
    for name, shape in shapes.items():
        array = arrays[f"{kind}.{name}"]
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"{kind}.{name} does not fit")
    if not arrays[f"{kind}.scale"].all():
        raise ValueError(f"{kind}.scale has a zero")
