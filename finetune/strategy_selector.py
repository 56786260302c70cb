"""The strategy selector's head: from measured outcomes of the training worlds to ``models/heads/strategy``.

    python -m finetune.strategy_outcomes OUT --weights models/weights --handbooks FOLDER
    python -m finetune.strategy_selector OUT models/heads/strategy

Each network (16 tanh units) learns, per question, the curve of rewards (the mean of nDCG@10 and recall@5)
over the dense route's share 0, 0.1 … 1, less its own mean: which share is better, not how hard the question
is. Every world weighs the same. What it is told is that of ``strategy_signals``, with noise and with the
memory of past questions empty, half full or full. Caution and margin are chosen on worlds that the networks
were not trained on; nothing here reads the evaluation sets. Numpy, a minute on one core.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from appliance.documents import detect_language
from appliance.retrieval.strategy import HEAD, chosen_share
from finetune.strategy_rewards import GRID, Set, read_set, signals_of

HIDDEN, MEMBERS, EPOCHS, RATE, DECAY, NOISE, BATCH = 16, 8, 25, 5e-3, 1e-2, 0.15, 512
CONFIGURED = {False: 0.5, True: 0.4}
"""The dense share of the default configuration, by whether the question is Chinese."""
CAUTIONS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0)
MARGINS = (0.0, 0.005, 0.01, 0.02)
MEMORIES = (0.0, 0.0, 0.3, 1.0)
"""Shares of a world's questions that the memory holds while the others are learned from."""
FOLDS = (("handbook", "reference"), ("policies", "dated"), ("filings",), ("people", "news"), ("mixed",), ("pages",))
Parameters = dict[str, np.ndarray]


Rows = tuple[tuple[str, ...], np.ndarray, np.ndarray, np.ndarray]


def rows_of(given: Set, seed: int) -> Rows:
    """Feature names, features, centred rewards, and weights that add up to 1."""
    chance = np.random.default_rng(seed)
    count = len(given.questions)
    reward = (given.ndcg + given.recall) / 2
    parts = [signals_of(given, np.flatnonzero(chance.random(count) < share)) for share in MEMORIES]
    times = len(MEMORIES)
    return (
        parts[0][0],
        np.concatenate([signals for _, signals in parts]),
        np.tile(reward - reward.mean(axis=1, keepdims=True), (times, 1)).astype(np.float32),
        np.tile(balanced(given) / times, times).astype(np.float32),
    )


def balanced(given: Set) -> np.ndarray:
    """Weights that add up to 1 and make the configured share the best fixed one of this world.

    Which route does better on average is the recipe's doing and says nothing of a reader's collection; so
    questions of the stronger side are tilted down (exponentially) until both sides of the configured share
    earn the same. What is left to learn is which question is of which side.
    """
    reward = (given.ndcg + given.recall) / 2
    sides = np.zeros(len(reward))
    for at, asked in enumerate(given.questions):
        middle = round(CONFIGURED[detect_language(asked.question) == "zh"] * 10)
        sides[at] = reward[at, middle + 1 : middle + 4].mean() - reward[at, middle - 3 : middle].mean()
    low, high = -20.0, 20.0
    for _ in range(50):
        tilt = (low + high) / 2
        weight = np.exp(-tilt * sides)
        if weight @ sides > 0:
            low = tilt
        else:
            high = tilt
    return weight / weight.sum()


def trained(features: np.ndarray, rewards: np.ndarray, weights: np.ndarray, seed: int) -> Parameters:
    """One network by Adam on the squared error; ``features`` are normalised."""
    chance = np.random.default_rng(seed)
    count = features.shape[1]
    net = {
        "first": chance.normal(0, count**-0.5, (count, HIDDEN)).astype(np.float32),
        "first_bias": np.zeros(HIDDEN, np.float32),
        "second": chance.normal(0, 0.1 * HIDDEN**-0.5, (HIDDEN, GRID.size)).astype(np.float32),
        "second_bias": np.average(rewards, axis=0, weights=weights).astype(np.float32),
    }
    moments = {name: (np.zeros_like(value), np.zeros_like(value)) for name, value in net.items()}
    step = 0
    bag = chance.integers(0, len(features), len(features))
    for _ in range(EPOCHS):
        chance.shuffle(bag)
        for at in range(0, bag.size, BATCH):
            step += 1
            rows = bag[at : at + BATCH]
            noisy = features[rows] + chance.normal(0, NOISE, (rows.size, count)).astype(np.float32)
            gradient = _gradient(net, noisy, rewards[rows], weights[rows])
            for name, slope in gradient.items():
                decay = DECAY * net[name] if name in ("first", "second") else 0.0
                mean, square = moments[name]
                mean += 0.1 * (slope - mean)
                square += 0.001 * (slope * slope - square)
                move = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
                net[name] -= (RATE * (move + decay * 10)).astype(np.float32)
    return net


def _gradient(net: Parameters, features: np.ndarray, rewards: np.ndarray, weights: np.ndarray) -> Parameters:
    hidden = np.tanh(features @ net["first"] + net["first_bias"])
    error = (hidden @ net["second"] + net["second_bias"] - rewards) * weights[:, None] / len(features)
    back = (error @ net["second"].T) * (1 - hidden * hidden)
    return {
        "first": features.T @ back,
        "first_bias": back.sum(axis=0),
        "second": hidden.T @ error,
        "second_bias": error.sum(axis=0),
    }


def ensemble(worlds: Sequence[Rows], seed: int) -> dict[str, np.ndarray]:
    """The head's arrays, without caution and margin; every world weighs the same."""
    names = worlds[0][0]
    features, rewards, weights = (np.concatenate([rows[at] for rows in worlds]) for at in (1, 2, 3))
    weights = weights / weights.mean()
    centre = np.average(features, axis=0, weights=weights)
    scale = np.maximum(np.sqrt(np.average((features - centre) ** 2, axis=0, weights=weights)), 0.05)
    normal = np.clip((features - centre) / scale, -3, 3).astype(np.float32)
    nets = [trained(normal, rewards, weights, seed * 100 + member) for member in range(MEMBERS)]
    stacked = {name: np.stack([net[name] for net in nets]) for name in nets[0]}
    return {"names": np.array(names), "centre": centre, "scale": scale, "grid": GRID, **stacked}


def opinions(head: dict[str, np.ndarray], features: np.ndarray) -> np.ndarray:
    """``(n, e, g)``."""
    normal = np.clip((features - head["centre"]) / head["scale"], -3, 3)
    hidden = np.tanh(np.einsum("nf,efh->neh", normal, head["first"]) + head["first_bias"])
    return np.einsum("neh,ehg->neg", hidden, head["second"]) + head["second_bias"]


def usual(names: Sequence[str], features: np.ndarray) -> np.ndarray:
    """The configured share of each question."""
    chinese = features[:, list(names).index("Chinese")] > 0.5
    return np.where(chinese, CONFIGURED[True], CONFIGURED[False])


def shares(found: np.ndarray, neutral: np.ndarray, caution: float, margin: float) -> np.ndarray:
    """The dense share chosen for each question."""
    return np.array(
        [
            chosen_share(opinion, GRID, float(here), caution=caution, margin=margin)
            for opinion, here in zip(found, neutral, strict=True)
        ]
    )


def earned(given: Set, share: np.ndarray) -> np.ndarray:
    """Reward of each question at the share chosen for it."""
    at = np.rint(share * 10).astype(int)
    return ((given.ndcg + given.recall) / 2)[np.arange(at.size), at]


def cross_validated(
    sets: Sequence[Set], rows: Sequence[Rows], seed: int
) -> tuple[float, float, dict[str, dict[str, float]]]:
    """Caution and margin with the best mean gain on unseen worlds, and each world's figures at them.

    Worlds are left out by kind, so that none is judged by a network that saw its sister. A pair that loses
    more than half a point in a world counts as much worse as it loses there.
    """
    results: dict[tuple[float, float], list[tuple[str, float, float, float]]] = {}
    for fold in FOLDS:
        unseen = [given for given in sets if given.name.startswith(fold)]
        head = ensemble([row for given, row in zip(sets, rows, strict=True) if given not in unseen], seed)
        for given in unseen:
            weight = balanced(given)
            names, features = signals_of(given, np.zeros(0, dtype=int))
            found, neutral = opinions(head, features), usual(names, features)
            for caution in CAUTIONS:
                for margin in MARGINS:
                    share = shares(found, neutral, caution, margin)
                    before, after = (float(weight @ earned(given, at)) for at in (neutral, share))
                    row = (given.name, before, after, float((share != neutral).mean()))
                    results.setdefault((caution, margin), []).append(row)

    def value(pair: tuple[float, float]) -> float:
        gains = np.array([after - before for _, before, after, _ in results[pair]])
        return float(gains.mean() + 3 * np.minimum(gains + 0.005, 0).mean())

    best = max(results, key=value)
    table = {
        name: {"configured": round(before, 4), "selector": round(after, 4), "moved": round(moved, 3)}
        for name, before, after, moved in results[best]
    }
    return (*best, table)


def write(head: dict[str, np.ndarray], folder: Path, report: dict[str, object]) -> None:
    """The head, its sha256 and its metrics."""
    folder.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    kept = {n: v.astype(np.float32) if v.dtype.kind == "f" else v for n, v in head.items()}
    np.savez(buffer, allow_pickle=False, **kept)
    (folder / HEAD).write_bytes(buffer.getvalue())
    digest = hashlib.sha256(buffer.getvalue()).hexdigest()
    (folder / f"{HEAD}.sha256").write_text(f"{digest}  {HEAD}\n", "ascii")
    (folder / "metrics.json").write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", "utf-8")


def main() -> None:
    """Cross-validate over worlds, train on all of them, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("outcomes", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    sets = [read_set(chosen.outcomes, file.stem) for file in sorted(chosen.outcomes.glob("*.jsonl"))]
    rows = [rows_of(given, chosen.seed) for given in sets]
    caution, margin, table = cross_validated(sets, rows, chosen.seed)
    head = ensemble(rows, chosen.seed) | {"caution": np.array(caution), "margin": np.array(margin)}
    questions = {given.name: len(given.questions) for given in sets}
    report = {"caution": caution, "margin": margin, "questions": questions, "unseen_worlds": table}
    write(head, chosen.folder, report)
    for name, row in table.items():
        print(f"{name:30} {row['configured']:.4f} → {row['selector']:.4f}  moved {row['moved']:.0%}")
    print(f"caution {caution}, margin {margin}, {sum(questions.values()):,} questions → {chosen.folder}")


if __name__ == "__main__":
    main()
