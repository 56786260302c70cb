"""The strategy selector's head: from measured outcomes of the training worlds to ``models/heads/strategy``.

    python -m finetune.strategy_outcomes OUT --weights models/weights --handbooks FOLDER
    python -m finetune.strategy_selector OUT models/heads/strategy

Each network (16 tanh units) learns, per question, the curve of rewards (the mean of nDCG@10 and recall@5)
over the dense route's share 0, 0.1 … 1, less its own mean: which share is better, not how hard the question
is. Every world weighs the same. What it is told is that of ``strategy_signals``, with noise and with the
memory of past questions empty, small or large. ``metrics.json`` tells what the choice earns on worlds of a
kind that the networks were not trained on; nothing here reads the evaluation sets. Numpy, four minutes on one
core.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from appliance.retrieval.strategy import HEAD, chosen_share
from finetune.strategy_rewards import GRID, Set, at_shares, read_set, signals_of, with_memory

HIDDEN, MEMBERS, SPREAD, RIDGE = 64, 16, 0.7, 1e-3
CONFIGURED = 0.4
"""The dense share that is departed from: the best fixed one over all collections measured."""
BLUR = np.exp(-(((np.arange(11)[:, None] - np.arange(11)) / 1.5) ** 2))
BLUR /= BLUR.sum(axis=0)
"""Rewards are learned smoothed over neighbouring shares: a single rank's jump is chance."""
CAUTION, PACE = 1.5, 0.5
"""Deviations of the networks' opinions that are taken off a gain, and how much of the way to the best share
is gone: so that no judged collection loses much. These two, the share departed from and the kinds of worlds
were chosen with the development halves of the evaluation sets in view: expect no more of others."""
MEMORIES = (0.05, 0.4)
"""Sizes of a drawn collection's memory, as shares of the world's questions."""
LEANS = (-3, 0, 3)
"""Tenths by which a drawn collection's best fixed share lies off the configured one."""
FOLDS = (
    ("handbook", "reference"),
    ("policies", "dated", "registers"),
    ("filings", "reports"),
    ("people", "news"),
    ("mixed",),
    ("pages",),
)
Parameters = dict[str, np.ndarray]


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
    for _ in range(40):
        tilt = (low + high) / 2
        odds = np.exp(-tilt * sides)
        low, high = (tilt, high) if odds @ sides > 0 else (low, tilt)
    return odds / odds.sum()


def trained(features: np.ndarray, rewards: np.ndarray, weights: np.ndarray, seed: int) -> Parameters:
    """One network: a random tanh layer, and the least squares (ridge) of the rewards on it.

    ``features`` are normalised. Nothing is iterated, so a network takes a tenth of a second and the choice of
    everything else can be cross-validated.
    """
    chance = np.random.default_rng(seed)
    count = features.shape[1]
    first = chance.normal(0, SPREAD * count**-0.5, (count, HIDDEN))
    first_bias = chance.normal(0, 0.5, HIDDEN)
    hidden = np.tanh(features @ first + first_bias)
    hidden = np.concatenate([hidden, np.ones((len(hidden), 1))], axis=1)
    weighed = (hidden * (weights / weights.sum())[:, None]).T
    normal = weighed @ hidden + np.diag([RIDGE] * HIDDEN + [0.0])
    second = np.linalg.solve(normal, weighed @ rewards)
    return {"first": first, "first_bias": first_bias, "second": second[:-1], "second_bias": second[-1]}


def ensemble(names: Sequence[str], worlds: Sequence[Rows], seed: int) -> dict[str, np.ndarray]:
    """The head's arrays, without caution and pace; every world weighs the same.

    Each network is trained on worlds drawn with replacement, so where the worlds disagree the networks do:
    what is sure is what holds whichever collections had been seen.
    """
    features, rewards, weights = (np.concatenate([rows[at] for rows in worlds]) for at in range(3))
    centre = np.average(features, axis=0, weights=weights)
    scale = np.maximum(np.sqrt(np.average((features - centre) ** 2, axis=0, weights=weights)), 0.05)
    chance = np.random.default_rng(seed)
    starts = np.cumsum([0, *(len(rows[0]) for rows in worlds)])
    normal = np.clip((features - centre) / scale, -3, 3)
    nets: list[Parameters] = []
    for member in range(MEMBERS):
        drawn = chance.integers(0, len(worlds), len(worlds))
        bag = np.concatenate([np.arange(starts[at], starts[at + 1]) for at in drawn])
        nets.append(trained(normal[bag], rewards[bag], weights[bag], seed * 100 + member))
    stacked = {name: np.stack([net[name] for net in nets]) for name in nets[0]}
    return {"names": np.array(names), "centre": centre, "scale": scale, "grid": GRID, **stacked}


def opinions(head: dict[str, np.ndarray], features: np.ndarray) -> np.ndarray:
    """``(n, e, g)``."""
    normal = np.clip((features - head["centre"]) / head["scale"], -3, 3)
    hidden = np.tanh(np.einsum("nf,efh->neh", normal, head["first"]) + head["first_bias"])
    return np.einsum("neh,ehg->neg", hidden, head["second"]) + head["second_bias"]


def shares(found: np.ndarray, caution: float, pace: float) -> np.ndarray:
    """The dense share chosen for each question."""
    return np.array(
        [chosen_share(opinion, GRID, CONFIGURED, caution=caution, pace=pace) for opinion in found]
    )


def earned(given: Set, share: np.ndarray) -> np.ndarray:
    """Reward of each question at the share chosen for it, between the tenths by straight lines."""
    return at_shares((given.ndcg + given.recall) / 2, share)


def cross_validated(
    sets: Sequence[Set], bare: Sequence[np.ndarray], rows: Sequence[Rows], names: Sequence[str], seed: int
) -> dict[str, dict[str, float]]:
    """Rewards at the configured and at the chosen share, of worlds that the networks were not trained on.

    Worlds are left out by kind, so that none is judged by a network that saw its sister. Each is judged as it
    is drawn for training (``lean``), with an empty memory and with one of half as many questions.
    """
    table: dict[str, dict[str, float]] = {}
    for fold in FOLDS:
        seen = [not given.name.startswith(fold) for given in sets]
        head = ensemble(names, [row for row, kept in zip(rows, seen, strict=True) if kept], seed)
        for given, plain, kept in zip(sets, bare, seen, strict=True):
            for lean in () if kept else LEANS:
                table |= _judged(head, given, names, plain, lean)
    return table


def _judged(
    head: dict[str, np.ndarray], given: Set, names: Sequence[str], plain: np.ndarray, lean: int
) -> dict[str, dict[str, float]]:
    odds, every = tilted(given, lean), np.arange(len(plain))
    past = np.random.default_rng(lean + 9).choice(every, len(every) // 2, p=odds)
    rows: dict[str, dict[str, float]] = {}
    for kind, features in (("empty", plain), ("half", with_memory(given, names, plain, every, past))):
        share = shares(opinions(head, features), CAUTION, PACE)
        rows[f"{given.name}, lean {lean:+}, memory {kind}"] = {
            "configured": round(float(odds @ earned(given, np.full(len(plain), CONFIGURED))), 4),
            "selector": round(float(odds @ earned(given, share)), 4),
            "moved": round(float((share != CONFIGURED).mean()), 3),
        }
    return rows


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
    signals = [signals_of(given) for given in sets]
    names, bare = signals[0][0], [features for _, features in signals]
    rows = [rows_of(given, names, plain, chosen.seed) for given, plain in zip(sets, bare, strict=True)]
    table = cross_validated(sets, bare, rows, names, chosen.seed)
    head = ensemble(names, rows, chosen.seed) | {"caution": np.array(CAUTION), "pace": np.array(PACE)}
    gains = np.array([row["selector"] - row["configured"] for row in table.values()])
    questions = {given.name: len(given.questions) for given in sets}
    report: dict[str, object] = {
        "questions": questions,
        "recipe": {
            "seed": chosen.seed,
            "networks": MEMBERS,
            "hidden": HIDDEN,
            "spread": SPREAD,
            "ridge": RIDGE,
            "caution": CAUTION,
            "pace": PACE,
            "configured share": CONFIGURED,
        },
        "mean_gain_on_unseen_worlds": round(float(gains.mean()), 4),
        "worst_on_unseen_worlds": round(float(gains.min()), 4),
        "unseen_worlds": table,
    }
    write(head, chosen.folder, report)
    for name, row in table.items():
        print(f"{name:44} {row['configured']:.4f} → {row['selector']:.4f}  moved {row['moved']:.0%}")
    print(f"mean {gains.mean():+.4f}, worst {gains.min():+.4f}; {sum(questions.values()):,} questions")


if __name__ == "__main__":
    main()
