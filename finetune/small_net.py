# pyright: basic
"""Networks of one or two layers in numpy: gradients of the weighted cross-entropy, and steps of Adam.

Arrives: layers as (weights, bias) pairs, tanh between them, one logistic output. Leaves: the same, moved.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Layers = list[tuple[np.ndarray, np.ndarray]]


def gradients(inputs: np.ndarray, labels: np.ndarray, weights: np.ndarray, layers: Layers) -> Layers:
    """Of the mean cross-entropy, each example by its weight, with respect to every layer."""
    reached = [inputs]
    for matrix, bias in layers[:-1]:
        reached.append(np.tanh(reached[-1] @ matrix + bias))
    score = (reached[-1] @ layers[-1][0] + layers[-1][1])[:, 0]
    error = ((1 / (1 + np.exp(-np.clip(score, -30, 30))) - labels) * weights / len(labels))[:, None]
    found: Layers = []
    for at in range(len(layers) - 1, -1, -1):
        found.insert(0, (reached[at].T @ error, error.sum(axis=0)))
        if at:
            error = (error @ layers[at][0].T) * (1 - reached[at] ** 2)
    return found


class Adam:
    """Moves layers in place (Kingma & Ba 2015); ``decay`` pulls weights, not biases, to nought."""

    def __init__(self, layers: Layers, decay: float) -> None:
        self._layers, self._decay, self._steps = layers, decay, 0
        self._moments = [[(np.zeros_like(x), np.zeros_like(x)) for x in layer] for layer in layers]

    def step(self, found: Sequence[tuple[np.ndarray, np.ndarray]], rate: float) -> None:
        """One step against these gradients."""
        self._steps += 1
        for layer, gradient, moments in zip(self._layers, found, self._moments, strict=True):
            for which, own in enumerate(gradient):
                first, second = moments[which]
                first += 0.1 * (own - first)
                second += 0.001 * (own**2 - second)
                move = (first / (1 - 0.9**self._steps)) / (np.sqrt(second / (1 - 0.999**self._steps)) + 1e-8)
                pull = self._decay * layer[which] if which == 0 else 0.0
                layer[which][...] -= rate * (move + pull)
