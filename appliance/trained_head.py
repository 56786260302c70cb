"""Small trained heads as they lie on disk: a card that describes them, and plain arrays with its checksum.

Arrives: a folder of ``models/heads`` and the type of its card. Leaves: the card and the arrays, checked; no
pickle is ever read. What a head computes is said where it is used.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from zipfile import BadZipFile

import msgspec
import numpy as np
from numpy.typing import NDArray

from appliance.errors import DamagedError

WEIGHTS, CARD = "weights.npz", "card.json"
Array = NDArray[np.float32]
Layers = tuple[tuple[Array, Array], ...]
"""Each (inputs, outputs) and (outputs,); the last has one output."""


class HeadCard(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every head says of itself, beside its weights."""

    sha256: str
    """Of the weights file."""
    trained_on: int
    """Examples."""


C = TypeVar("C", bound=HeadCard)


@contextmanager
def head_errors(what: str, hint: str) -> Generator[None]:
    """Turn what unreadable or unfit files raise into DamagedError; ``what`` names the head and the file."""
    try:
        yield
    except (OSError, msgspec.DecodeError, ValueError, KeyError, BadZipFile) as error:
        raise DamagedError(f"{what}: {error}", hint=hint) from error


def read_head(folder: Path, card_type: type[C], *, name: str, hint: str) -> tuple[C, dict[str, NDArray[Any]]]:
    """Return the card and the arrays of a folder, each of the type it was stored in.

    Raises DamagedError: missing, unreadable, or not the file that the card describes.
    """
    with head_errors(f"{name} head {folder}", hint):
        card = msgspec.json.decode((folder / CARD).read_bytes(), type=card_type)
        content = (folder / WEIGHTS).read_bytes()
    if hashlib.sha256(content).hexdigest() != card.sha256:
        told = "its checksum says that it is not the file its card describes"
        raise DamagedError(f"{name} head {folder / WEIGHTS}: {told}", hint=hint)
    with (
        head_errors(f"{name} head {folder / WEIGHTS}", hint),
        np.load(io.BytesIO(content), allow_pickle=False) as stored,
    ):
        return card, {key: stored[key] for key in stored.files}


def floats(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Array]:
    """The arrays as float32."""
    return {name: array.astype(np.float32) for name, array in arrays.items()}


def layers_of(arrays: Mapping[str, Array], features: int) -> Layers:
    """All of ``weights0``, ``bias0`` …, held against one another and against ``mean`` and ``scale``.

    Raises ValueError, KeyError: they do not fit the features, each other, or do not end in one finite number.
    """
    standard = (arrays["mean"].shape, arrays["scale"].shape)
    if standard != ((features,), (features,)) or not arrays["scale"].all():
        raise ValueError("the standardisation does not fit the features")
    layers: list[tuple[Array, Array]] = []
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


def scores(standardised: Array, layers: Layers) -> Array:
    """``(n,)`` log-odds for ``(n, features)``: tanh between the layers."""
    values = standardised
    for weights, bias in layers[:-1]:
        values = np.tanh(values @ weights + bias)
    weights, bias = layers[-1]
    return (values @ weights + bias)[..., 0]
