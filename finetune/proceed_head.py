"""The continue head: from recorded tries to ``models/heads/proceed``.

    export ASSAY__PATHS__DATA=EMPTY_FOLDER ASSAY__PATHS__MODELS=models/weights
    python -m finetune.proceed_runs RUNS --set train --handbooks FOLDER
    python -m finetune.proceed_runs RUNS --set unseen --handbooks FOLDER
    python -m finetune.proceed_head RUNS                 # → models/heads/proceed, under a minute

``RUNS/train-*.jsonl`` are trained on; ``unseen-*`` (other seeds, other kinds of collections, other prose)
and ``judged-*`` (sets that are never trained on; see ``proceed_runs.py``) are only measured on. Logistic
regression and a network of two layers are compared by leaving out one training collection at a time; the
better one is kept. ``metrics.json`` has the area under the ROC curve on every set, and for each
threshold, beside one, two and three fixed tries (there are three tactics), the evidence read, the tries, and
the evidence for each minute of work.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from appliance.reasoning.continue_features import NAMES, Features, vector_of
from appliance.reasoning.continue_head import FOLDER, ContinueHead, load_continue_head
from appliance.reasoning.continuing import Continuing
from appliance.reasoning.state import Tactic
from appliance.trained_head import CARD, WEIGHTS
from finetune.proceed_cases import READING_SECONDS, Example, GoesOn, Reader, auc, earned, examples, read_runs
from finetune.proceed_runs import QuestionRun, TaskRun
from finetune.small_net import Adam, Layers, gradients

HIDDEN, EPOCHS, RATE, BATCH = 8, 60, 4e-3, 256
DECAYS = {"logistic": 1.0, "network": 1.0}
REPEATS, SEED = 8, 5
MODELS = ("multilingual-e5-small", "ms-marco-minilm-l12", "e5-reranker-zh")
"""Of the default configuration, with which the runs were recorded."""
MARGIN = 0.02
"""What the network has to be better by: linear weights can be read, and err less on what they never saw."""
THRESHOLDS = (0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3)
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


def rows_of(found: Sequence[Example]) -> Rows:
    """Features (n, features), labels and weights (n,)."""
    return (
        np.stack([vector_of(each.features) for each in found]),
        np.array([each.brings for each in found], np.float32),
        np.array([each.weight for each in found], np.float32),
    )


def standard(rows: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation of each feature; one that never varies keeps the scale 1, and so no weight."""
    mean = np.average(rows, axis=0, weights=weights)
    deviation = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=weights))
    return mean.astype(np.float32), np.where(deviation > 1e-3, deviation, 1.0).astype(np.float32)


def train(rows: Rows, kind: str, seed: int) -> tuple[np.ndarray, np.ndarray, Layers]:
    """Mean, scale and layers by Adam (Kingma & Ba 2015) on the weighted cross-entropy."""
    rng = np.random.default_rng(seed)
    rate_of = [RATE * (1 - epoch / EPOCHS) for epoch in range(EPOCHS)]
    mean, scale = standard(rows[0], rows[2])
    inputs, labels = (rows[0] - mean) / scale, rows[1]
    weights = rows[2] / rows[2].mean()
    sizes = [inputs.shape[1], 1] if kind == "logistic" else [inputs.shape[1], HIDDEN, 1]
    share = float(np.clip(np.average(labels, weights=weights), 1e-3, 0.999))
    layers: Layers = [
        (rng.normal(0, 0.3 / np.sqrt(a), (a, b)).astype(np.float32), np.zeros(b, np.float32))
        for a, b in pairwise(sizes)
    ]
    layers[-1][1][:] = np.log(share / (1 - share))
    adam = Adam(layers, DECAYS[kind])
    for epoch in range(EPOCHS):
        for batch in np.array_split(rng.permutation(len(labels)), max(1, len(labels) // BATCH)):
            adam.step(gradients(inputs[batch], labels[batch], weights[batch], layers), rate_of[epoch])
    return mean, scale, layers


def predicted(trained: tuple[np.ndarray, np.ndarray, Layers], rows: np.ndarray) -> np.ndarray:
    """Probabilities (n,)."""
    mean, scale, layers = trained
    values = (rows - mean) / scale
    for matrix, bias in layers[:-1]:
        values = np.tanh(values @ matrix + bias)
    return 1 / (1 + np.exp(-np.clip((values @ layers[-1][0] + layers[-1][1])[:, 0], -30, 30)))


def compared(parts: Sequence[Rows]) -> dict[str, float]:
    """Area under the curve of each kind of head; each collection is told of by a head without it."""
    result: dict[str, float] = {}
    for kind in DECAYS:
        scores: list[np.ndarray] = []
        for at, own in enumerate(parts):
            rest = joined([part for other, part in enumerate(parts) if other != at])
            scores.append(predicted(train(rest, kind, SEED), own[0]))
        labels, weights = (np.concatenate([part[at] for part in parts]) for at in (1, 2))
        result[kind] = round(auc(np.concatenate(scores), labels, weights), 4)
    return result


def joined(parts: Sequence[Rows]) -> Rows:
    """One after the other."""
    return tuple(np.concatenate([part[at] for part in parts]) for at in range(3))  # type: ignore[return-value]


def save(out: Path, trained: tuple[np.ndarray, np.ndarray, Layers], count: int, names: Sequence[str]) -> None:
    """Weights, and the card with their checksum."""
    out.mkdir(parents=True, exist_ok=True)
    mean, scale, layers = trained
    arrays = {"mean": mean, "scale": scale}
    for at, (matrix, bias) in enumerate(layers):
        arrays |= {f"weights{at}": matrix.astype(np.float32), f"bias{at}": bias.astype(np.float32)}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    (out / WEIGHTS).write_bytes(buffer.getvalue())
    card = {
        "sha256": hashlib.sha256(buffer.getvalue()).hexdigest(), "features": NAMES, "models": MODELS,
        "trained_on": count, "collections": list(names),
    }  # fmt: skip
    (out / CARD).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def measured(head: ContinueHead, runs: Sequence[QuestionRun]) -> dict[str, object]:
    """Area under the curve on a set, and what every policy earns there."""
    found = examples(runs, repeats=REPEATS, seed=SEED + 1, noise=0.0)
    if not found:
        return {"questions": len(runs)}
    scores = np.array([head.probability(vector_of(each.features)) for each in found])
    labels = np.array([each.brings for each in found], float)
    relevance = np.array([-(each.features.relevance or 0.0) for each in found])
    policies: dict[str, GoesOn] = {
        "1 try": lambda features: False,
        "2 tries": lambda features: features.tactic is Tactic.DEEPER,
        "3 tries": lambda features: True,
    } | {f"threshold {bar}": judged_by(head, bar) for bar in THRESHOLDS}
    return {
        "questions": len(runs),
        "situations": round(len(found) / REPEATS, 1),
        "share_that_brings": round(float(labels.mean()), 4),
        "roc_auc": _number(auc(scores, labels)),
        "roc_auc_90": _spread(scores, labels, np.array([each.question for each in found])),
        "tasks_that_later_tries_bring": sum(map(_late, (task for run in runs for task in run.tasks))),
        "roc_auc_next_try": _number(auc(scores, np.array([each.at_once for each in found], float))),
        "roc_auc_other_readers": {
            f"finds {finds}": _number(_auc_under(head, runs, Reader(finds=finds))) for finds in (0.4, 0.8)
        },
        "roc_auc_relevance_alone": _number(auc(relevance, labels)),
        "mean_probability": round(float(scores.mean()), 4),
        "policies": {name: policy(runs, goes_on) for name, goes_on in policies.items()},
    }


def _spread(scores: np.ndarray, labels: np.ndarray, questions: np.ndarray) -> list[float | None]:
    """Between which the area lies in 90 of 100 draws of whole questions, with replacement."""
    chance, every = np.random.default_rng(SEED), np.unique(questions)
    areas: list[float] = []
    for _ in range(300):
        drawn = np.bincount(np.searchsorted(every, chance.choice(every, every.size)), minlength=every.size)
        areas.append(auc(scores, labels, drawn[np.searchsorted(every, questions)].astype(float)))
    return [_number(float(np.nanquantile(areas, share))) for share in (0.05, 0.95)]


def _late(task: TaskRun) -> bool:
    """Whether evidence is read by a later try and not by the first."""
    gold = set(task.gold)
    return not gold & set(task.tries[0].read) and any(gold & set(each.read) for each in task.tries)


def _auc_under(head: ContinueHead, runs: Sequence[QuestionRun], reader: Reader) -> float:
    found = examples(runs, repeats=REPEATS, seed=SEED + 1, noise=0.0, reader=reader)
    scores = np.array([head.probability(vector_of(each.features)) for each in found])
    return auc(scores, np.array([each.brings for each in found], float))


def judged_by(head: ContinueHead, bar: float) -> Callable[[Features], bool]:
    """The product's own judgement at a threshold."""
    continuing = Continuing(head, bar)
    return lambda features: continuing.verdict(features).goes_on


def policy(runs: Sequence[QuestionRun], goes_on: GoesOn) -> dict[str, float]:
    """Share of sub-questions whose evidence was read, tries a sub-question, seconds, evidence a minute."""
    total = earned(runs, goes_on, repeats=REPEATS, seed=SEED + 1)
    played = sum(len({task.hop for task in run.tasks}) for run in runs) * REPEATS
    return {
        "evidence_read": round(total.evidenced / max(1, total.tasks), 4),
        "tries": round(total.tries / played, 3),
        "seconds": round(total.seconds / played, 2),
        "evidence_a_minute": round(60 * total.evidenced / total.seconds, 3),
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 4)


def main() -> None:
    """Compare, train, store, measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=Path)
    parser.add_argument("--out", type=Path, default=FOLDER)
    chosen = parser.parse_args()
    files = sorted(chosen.runs.glob("train-*.jsonl"))
    names = [file.stem for file in files]
    found = [examples(read_runs([file]), repeats=REPEATS, seed=SEED) for file in files]
    files, names, found = zip(
        *((f, n, e) for f, n, e in zip(files, names, found, strict=True) if e), strict=True
    )
    parts = [rows_of(each) for each in found]
    comparison = compared(parts)
    kind = "network" if comparison["network"] > comparison["logistic"] + MARGIN else "logistic"
    everything = joined(parts)
    save(chosen.out, train(everything, kind, SEED), len(everything[1]), names)
    load_continue_head.cache_clear()
    head = load_continue_head(NAMES, chosen.out)
    groups = {
        "unseen worlds": sorted(chosen.runs.glob("unseen-*.jsonl")),
        **{file.stem: [file] for file in sorted(chosen.runs.glob("judged-*.jsonl"))},
    }
    metrics = {
        "left_out_roc_auc": comparison,
        "kept": kind,
        "played": len(everything[1]),
        "share_that_brings": round(float(np.average(everything[1], weights=everything[2])), 4),
        "reading_seconds": READING_SECONDS,
        "reader": {name: getattr(Reader(), name) for name in Reader.__struct_fields__},
        "sets": {name: measured(head, read_runs(group)) for name, group in groups.items() if group},
        "bytes": (chosen.out / WEIGHTS).stat().st_size,
    }
    (chosen.out / "metrics.json").write_text(json.dumps(metrics, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(metrics, indent=1))


if __name__ == "__main__":
    main()
