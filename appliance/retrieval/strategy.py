"""The strategy selector: signals of a question in, weights of the two routes out.

An ensemble of small networks (one hidden layer), trained by ``finetune/strategy_selector.py`` on measured
outcomes, predicts what each share of the dense route would earn more than the configured one. The choice is
the best of the lower ends of their opinions, or part of the way to it (the head says how far), so where they
do not agree the configuration stays; the reason names the signals that mattered most. Depth and strictness
are handed on as they were: no head was trained for them. Numpy only, 1 ms; the head is an ``.npz`` without
pickles, its sha256 beside it.
"""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from zipfile import BadZipFile

import msgspec
import numpy as np
import numpy.typing as npt

from appliance.config import Retrieval as Settings
from appliance.domain import Weights
from appliance.errors import DamagedError
from appliance.retrieval.strategy_signals import Signals

HEAD = "head.npz"
ABSENT = "no strategy selector: the configured weights are used"
DAMAGED = "the strategy selector is damaged: the configured weights are used"
NO_GAIN = "no other weights are surely better"
TOLD = 3
"""Signals that a reason names."""
_ARRAYS = ("centre", "scale", "grid", "first", "first_bias", "second", "second_bias", "caution", "pace")
Array = npt.NDArray[np.float32]


class Head:
    """The trained numbers. ``e`` networks over ``f`` features, ``h`` hidden units, ``g`` shares."""

    def __init__(self, arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        """Take the arrays of the file. Raises ValueError where shapes do not fit."""
        self.names = tuple(str(name) for name in arrays["names"])
        numbers = {name: np.asarray(arrays[name], dtype=np.float32) for name in _ARRAYS}
        self.centre, self.scale, self.grid = numbers["centre"], numbers["scale"], numbers["grid"]
        self.first, self.first_bias = numbers["first"], numbers["first_bias"]
        self.second, self.second_bias = numbers["second"], numbers["second_bias"]
        self.caution, self.pace = float(numbers["caution"]), float(numbers["pace"])
        members, count, hidden = self.first.shape
        expected = ((members, hidden, self.grid.size), (members, self.grid.size), (count,))
        if (self.second.shape, self.second_bias.shape, self.centre.shape) != expected or count != len(
            self.names
        ):
            raise ValueError("the arrays of the head do not fit together")

    def opinions(self, values: Array) -> Array:
        """``(…, e, g)``: what each network expects each share to earn, in nDCG, of ``values`` (…, f)."""
        normal = np.clip((values - self.centre) / self.scale, -3, 3)
        hidden = np.tanh(np.tensordot(normal, self.first, axes=(-1, 1)) + self.first_bias)
        return np.einsum("...eh,ehg->...eg", hidden, self.second) + self.second_bias


class StrategySelector:
    """Chooses weights; without a head it answers the configured ones and says so in ``degraded``."""

    def __init__(self, head: Head | None, settings: Settings, *, degraded: tuple[str, ...] = ()) -> None:
        self._head, self._settings, self.degraded = head, settings, degraded

    @classmethod
    def load(cls, folder: Path, settings: Settings) -> StrategySelector:
        """The selector of ``folder``; a head that is absent or damaged is told, not raised."""
        try:
            return cls(read_head(folder), settings)
        except FileNotFoundError:
            return cls(None, settings, degraded=(ABSENT,))
        except DamagedError:
            return cls(None, settings, degraded=(DAMAGED,))

    def choose(self, signals: Signals, configured: Weights | None = None) -> Weights:
        """Weights that add up to 1: the configured ones unless another share is surely better.

        ``configured`` stands in for the settings' weights. Raises ValueError where the head was trained on
        other signals than these.
        """
        usual = configured or self._configured(signals)
        share = usual.dense / ((usual.dense + usual.lexical) or 1.0)
        head = self._head
        if head is None:
            return msgspec.structs.replace(usual, dense=share, lexical=1 - share)
        if signals.names != head.names:
            raise ValueError("the strategy head was trained on other signals: train it again")
        values = np.array(signals.values, dtype=np.float32)
        opinions = head.opinions(values)
        moved = chosen_share(opinions, head.grid, share, caution=head.caution, pace=head.pace)
        return msgspec.structs.replace(
            usual,
            dense=moved,
            lexical=1 - moved,
            origin="selector",
            reason=NO_GAIN if moved == share else self._reason(head, values, opinions, share, moved),
        )

    @staticmethod
    def _reason(head: Head, values: Array, opinions: Array, share: float, moved: float) -> str:
        """The gain expected at the chosen share, and the signals without which it would be less."""
        without = np.repeat(values[None], values.size, axis=0)
        np.fill_diagonal(without, head.centre)
        gain = float(_gain(opinions, head.grid, share, moved).mean())
        lost = gain - _gain(head.opinions(without), head.grid, share, moved).mean(axis=-1)
        foremost: list[int] = np.argsort(-lost)[:TOLD].tolist()
        told = [head.names[at] for at in foremost if lost[at] > 0]
        return f"dense {share:.2f} → {moved:.2f}, expected {gain:+.3f} nDCG, by {', '.join(told)}"

    def _configured(self, signals: Signals) -> Weights:
        settings = self._settings
        chinese = signals.values[signals.names.index("Chinese")] > 0
        return Weights(
            dense=settings.dense_weight_zh if chinese else settings.dense_weight,
            lexical=settings.lexical_weight_zh if chinese else settings.lexical_weight,
            depth=max(settings.dense_k, settings.lexical_k),
        )


def _gain(opinions: Array, grid: Array, share: float, moved: float) -> Array:
    """``(…, e)``: what moving between two shares earns, straight lines between those of the grid."""

    def at(place: float) -> npt.NDArray[np.floating]:
        high = min(max(int(np.searchsorted(grid, place)), 1), grid.size - 1)
        part = (place - float(grid[high - 1])) / float(grid[high] - grid[high - 1])
        return opinions[..., high - 1] * (1 - part) + opinions[..., high] * part

    return np.asarray(at(moved) - at(share), dtype=np.float32)


def chosen_share(opinions: Array, grid: Array, configured: float, *, caution: float, pace: float) -> float:
    """The dense share, moved by ``pace`` of the way (0–1) to where the sure gain is highest.

    Sure is what the networks expect on average, less ``caution`` of their standard deviations; where that is
    nowhere above 0, the configured share stays.
    """
    here = np.array([np.interp(configured, grid, row) for row in opinions], dtype=np.float32)
    gains = opinions - here[:, None]
    sure = gains.mean(axis=0) - caution * gains.std(axis=0)
    best = int(np.argmax(sure))
    return configured + pace * (float(grid[best]) - configured) if sure[best] > 0 else configured


def read_head(folder: Path) -> Head:
    """The head, its bytes checked. Raises FileNotFoundError, DamagedError."""
    data = (folder / HEAD).read_bytes()
    told = (folder / f"{HEAD}.sha256").read_text("ascii").split()
    if not told or hashlib.sha256(data).hexdigest() != told[0]:
        raise DamagedError(f"{folder / HEAD} fails its checksum", hint="run ./install.sh again")
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return Head({name: arrays[name] for name in arrays.files})
    except (ValueError, KeyError, OSError, BadZipFile) as error:
        raise DamagedError(f"{folder / HEAD} cannot be read: {error}", hint="train it again") from error
