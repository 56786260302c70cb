"""The strategy selector's head: from measured outcomes of the training worlds to ``models/heads/strategy``.

    python -m finetune.strategy_outcomes OUT --weights models/weights --handbooks FOLDER
    python -m finetune.strategy_selector OUT models/heads/strategy

Each network (64 tanh units, of which only what leaves them is fitted) learns, per question, the curve of
rewards (the mean of nDCG@10 and recall@5) over the dense route's share 0, 0.1 … 1, less its own mean: which
share is better, not how hard the question is. Every world weighs the same, and every network has seen other
worlds. How bold the choice is, is decided on worlds of a kind that the networks were not trained on;
``metrics.json`` tells what it earns there. Nothing here reads the evaluation sets. Numpy, one minute.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from appliance.retrieval.strategy import HEAD
from finetune.strategy_draws import CONFIGURED, Rows, rows_of
from finetune.strategy_held_out import boldest, held_out
from finetune.strategy_rewards import GRID, read_set, signals_of

HIDDEN, MEMBERS, SPREAD, RIDGE = 64, 16, 0.7, 1e-3
Parameters = dict[str, np.ndarray]


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
    """Cross-validate over worlds, choose how bold to be, train on all of them, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("outcomes", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    sets = [read_set(chosen.outcomes, file.stem) for file in sorted(chosen.outcomes.glob("*.jsonl"))]
    signals = [signals_of(given) for given in sets]
    names, bare = signals[0][0], [features for _, features in signals]
    rows = [rows_of(given, names, plain, chosen.seed) for given, plain in zip(sets, bare, strict=True)]
    cases = held_out(sets, bare, rows, names, lambda seen: ensemble(names, seen, chosen.seed))
    bold, tried = boldest(cases)
    table = bold.table
    head = ensemble(names, rows, chosen.seed)
    head |= {"caution": np.array(bold.caution), "pace": np.array(bold.pace)}
    questions = {given.name: len(given.questions) for given in sets}
    report: dict[str, object] = {
        "questions": questions,
        "recipe": {
            "seed": chosen.seed,
            "networks": MEMBERS,
            "hidden": HIDDEN,
            "spread": SPREAD,
            "ridge": RIDGE,
            "caution": bold.caution,
            "pace": bold.pace,
            "configured share": CONFIGURED,
        },
        "tried": tried,
        "mean_gain_on_unseen_worlds": round(bold.mean, 4),
        "worst_on_unseen_worlds": round(bold.worst, 4),
        "unseen_worlds": table,
    }
    write(head, chosen.folder, report)
    for name, row in table.items():
        print(f"{name:44} {row['configured']:.4f} → {row['selector']:.4f}  moved {row['moved']:.0%}")
    print(*tried.items(), sep="\n")
    print(f"mean {bold.mean:+.4f}, worst {bold.worst:+.4f}; {sum(questions.values()):,} questions")


if __name__ == "__main__":
    main()
