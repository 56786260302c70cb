"""Collections drawn from one training world: tilted towards either route, with a memory or without.

Arrives: a world's questions with their curves. Leaves: features, rewards and weights to train on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from finetune.strategy_rewards import Set, with_memory

CONFIGURED = 0.4
"""The dense share that is departed from: the best fixed one over all collections measured."""
BLUR = np.exp(-(((np.arange(11)[:, None] - np.arange(11)) / 1.5) ** 2))
BLUR /= BLUR.sum(axis=0)
"""Rewards are learned smoothed over neighbouring shares: a single rank's jump is chance."""
MEMORIES = (0.05, 0.4)
"""Sizes of a drawn collection's memory, as shares of the world's questions."""
LEANS = (-3, 0, 3)
"""Tenths by which a drawn collection's best fixed share lies off the configured one."""
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


def rows_of(given: Set, names: Sequence[str], bare: np.ndarray, seed: int) -> Rows:
    """Features, centred rewards, and weights that add up to 1, of collections drawn from one world.

    Which route does better on average is the recipe's doing and says nothing of a reader's collection. So
    questions are drawn (with replacement) from the world tilted until the best fixed share is a quarter, the
    configured one, or three quarters; what a collection remembers is drawn likewise. The memory then tells of
    the collection, and the rest of the signals of the question.
    """
    chance = np.random.default_rng(seed)
    reward = (given.ndcg + given.recall) / 2
    features, rewards = [bare], [reward]
    count = len(reward)
    weights = [tilted(given, 0) / 2]
    for lean in LEANS:
        odds = tilted(given, lean)
        for share in MEMORIES:
            rows = chance.choice(count, count // 2, p=odds)
            past = chance.choice(count, max(1, round(count * share)), p=odds)
            features.append(with_memory(given, names, bare, rows, past))
            rewards.append(reward[rows])
            weights.append(np.full(rows.size, 0.5 / (rows.size * len(LEANS) * len(MEMORIES))))
    together = np.concatenate(rewards) @ BLUR
    return (
        np.concatenate(features),
        (together - together.mean(axis=1, keepdims=True)).astype(np.float32),
        np.concatenate(weights).astype(np.float32),
    )


def tilted(given: Set, lean: int) -> np.ndarray:
    """Odds that add up to 1 and make the configured share, moved by ``lean`` tenths, the best fixed one.

    Questions of the stronger side are tilted down (exponentially) until both sides earn the same.
    """
    reward = (given.ndcg + given.recall) / 2
    middle = round(CONFIGURED * 10) + lean
    above, below = reward[:, middle + 1 : middle + 4], reward[:, max(0, middle - 3) : middle]
    sides = above.mean(axis=1) - below.mean(axis=1)
    low, high = -12.0, 12.0
    odds = np.ones(len(reward))
    for _ in range(40):
        tilt = (low + high) / 2
        odds = np.exp(-tilt * sides)
        low, high = (tilt, high) if odds @ sides > 0 else (low, tilt)
    return odds / odds.sum()
