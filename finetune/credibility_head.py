"""The credibility head: from written sentences to ``models/heads/credibility``.

    export ASSAY__PATHS__MODELS=models/weights
    python -m finetune.credibility_head                  # about two minutes

Trained on three of four patterns of ``credibility_sentences.toml`` and on sentences of generated collections.
The temperature of each output is set by a head that has not seen every fifth of those patterns. Measured on
the other patterns, which have names of their own, too. No evaluation data. ``metrics.json`` has, for each
language and output, the area under the ROC curve, the Brier score and the expected calibration error (10
bins), and how often a sentence of each kind falls below the default threshold.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
from pathlib import Path

import numpy as np

from appliance.config import Governance, load_config
from appliance.governance.credibility_features import NAMES, vector_of
from appliance.governance.credibility_head import FOLDER, CredibilityHead, load_credibility_head
from appliance.serving.onnx import OnnxEmbedder
from appliance.trained_head import CARD, WEIGHTS
from finetune.credibility_cases import Case, cases
from models.manifest import load_manifest

HIDDEN, EPOCHS, RATE, BATCH, DECAY, SEED = 24, 30, 3e-3, 256, 0.02, 11
DROPPED = 0.3
"""Share of a sentence's vector that is left out at random while training: no single word decides."""
ENCODER = "multilingual-e5-small"
Arrays = list[np.ndarray]


def embedder() -> OnnxEmbedder:
    """The encoder of the default configuration."""
    config = load_config()
    entry = next(model for model in load_manifest().models if model.name == ENCODER)
    return OnnxEmbedder(
        config.models_dir() / ENCODER, name=ENCODER, digest=entry.digest, settings=config.embedding
    )


def inputs_of(found: list[Case], encoder: OnnxEmbedder) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features (n, features), vectors (n, dim), labels (n, 2)."""
    texts = list(dict.fromkeys(case.text for case in found))
    vectors = dict(zip(texts, encoder.embed_passages(texts), strict=True))
    return (
        np.stack([vector_of(case.text, case.sources, case.field) for case in found]),
        np.stack([vectors[case.text] for case in found]),
        np.array([[case.stance, case.risk] for case in found], np.float32),
    )


def train(inputs: np.ndarray, labels: np.ndarray, vector_at: int) -> Arrays:
    """Mean, scale and two layers by AdamW (Loshchilov & Hutter 2019) on the cross-entropy of both outputs."""
    rng = np.random.default_rng(SEED)
    mean, scale = inputs.mean(axis=0), inputs.std(axis=0)
    scale = np.where(scale > 1e-3, scale, 1.0)
    # The vector's hundreds of numbers weigh together as much as a few features.
    scale[vector_at:] *= 3.0
    rows = ((inputs - mean) / scale).astype(np.float32)
    layers: Arrays = [
        rng.normal(0, 1 / np.sqrt(rows.shape[1]), (rows.shape[1], HIDDEN)),
        np.zeros(HIDDEN),
        rng.normal(0, 1 / np.sqrt(HIDDEN), (HIDDEN, 2)),
        np.zeros(2),
    ]
    moments = [(np.zeros_like(one), np.zeros_like(one)) for one in layers]
    step = 0
    for epoch in range(EPOCHS):
        rate = RATE * (1 - epoch / EPOCHS)
        for batch in np.array_split(rng.permutation(len(rows)), max(1, len(rows) // BATCH)):
            step += 1
            own = rows[batch].copy()
            own[:, vector_at:] *= rng.random(own[:, vector_at:].shape) > DROPPED
            for at, gradient in enumerate(_gradients(own, labels[batch], layers)):
                first, second = moments[at]
                first += 0.1 * (gradient - first)
                second += 0.001 * (gradient**2 - second)
                move = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
                layers[at] -= rate * (move + (DECAY * layers[at] if layers[at].ndim == 2 else 0.0))
    return [mean, scale, *layers]


def _gradients(rows: np.ndarray, labels: np.ndarray, layers: Arrays) -> Arrays:
    first, bias, last, end = layers
    hidden = np.tanh(rows @ first + bias)
    error = (1 / (1 + np.exp(-np.clip(hidden @ last + end, -30, 30))) - labels) / len(labels)
    back = (error @ last.T) * (1 - hidden**2)
    return [rows.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(axis=0)]


def fitted(inputs: np.ndarray, labels: np.ndarray, kept: np.ndarray) -> Arrays:
    """A network of all cases; its temperature is that of one which was trained on ``kept`` alone."""
    heat = temperatures(train(inputs[kept], labels[kept], len(NAMES)), inputs[~kept], labels[~kept])
    mean, scale, first, bias, last, end = train(inputs, labels, len(NAMES))
    return [mean, scale, first, bias, last / heat, end / heat]


def temperatures(network: Arrays, inputs: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """What each output is to be divided by to fit best (Guo et al. 2017), ``(2,)``."""
    mean, scale, first, bias, last, end = network
    scores = np.tanh((inputs - mean) / scale @ first + bias) @ last + end
    best = np.ones(2)
    for output in range(2):
        losses = {
            heat: _loss(scores[:, output] / heat, labels[:, output]) for heat in np.geomspace(0.3, 5, 60)
        }
        best[output] = min(losses, key=lambda heat: losses[heat])
    return best


def _loss(scores: np.ndarray, labels: np.ndarray) -> float:
    return float(np.mean(np.logaddexp(0, scores) - labels * scores))


def save(out: Path, networks: dict[str, Arrays], dim: int, count: int) -> None:
    """Weights, and the card with their checksum."""
    out.mkdir(parents=True, exist_ok=True)
    parts = ("mean", "scale", "weights0", "bias0", "weights1", "bias1")
    arrays = {
        f"{kind}_{part}": array.astype(np.float32)
        for kind, network in networks.items()
        for part, array in zip(parts, network, strict=True)
    }
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    (out / WEIGHTS).write_bytes(buffer.getvalue())
    card = {
        "sha256": hashlib.sha256(buffer.getvalue()).hexdigest(), "features": NAMES, "encoder": ENCODER,
        "dim": dim, "trained_on": count,
    }  # fmt: skip
    (out / CARD).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def measured(head: CredibilityHead, found: list[Case], rows: np.ndarray, vectors: np.ndarray | None) -> dict:
    """How good it is on cases it was not trained on."""
    told = head.faults(rows, vectors)
    bar = 1 - Governance().threshold
    result: dict[str, object] = {}
    for language in ("en", "zh"):
        mine = np.array([case.language == language for case in found])
        for output, name in enumerate(("stance", "risk")):
            labels = np.array([getattr(case, name) for case in found], float)[mine]
            result[f"{language} {name}"] = quality(told[mine, output], labels)
    below = 1 - (1 - told[:, 0]) * (1 - told[:, 1]) > bar
    for sourced in (False, True):
        for kind in ("prose", "neutral", "hedged", "stance", "risk", "both"):
            chosen = [at for at, case in enumerate(found) if (case.kind, case.sourced) == (kind, sourced)]
            name = f"below the threshold: {kind}{', a source says so' if sourced else ''}"
            result[name] = round(float(below[chosen].mean()), 4)
    for kind in ("neutral", "stance", "risk", "both"):
        chosen = [at for at, case in enumerate(found) if case.kind == f"{kind} clause"]
        result[f"below the threshold: {kind} clause added"] = round(float(below[chosen].mean()), 4)
    return result


def quality(told: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Area under the ROC curve, Brier score, expected calibration error over ten bins."""
    order = told.argsort(kind="stable")
    ranks = np.empty(len(told))
    ranks[order] = np.arange(1, len(told) + 1)
    yes = labels == 1
    area = (ranks[yes].sum() - yes.sum() * (yes.sum() + 1) / 2) / (yes.sum() * (~yes).sum())
    bins = np.minimum((told * 10).astype(int), 9)
    error = sum(
        (bins == at).mean() * abs(told[bins == at].mean() - labels[bins == at].mean())
        for at in range(10)
        if (bins == at).any()
    )
    brier = float(np.mean((told - labels) ** 2))
    return {"roc_auc": round(float(area), 4), "brier": round(brier, 4), "ece": round(float(error), 4)}


def main() -> None:
    """Train, store, measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=FOLDER)
    chosen = parser.parse_args()
    encoder = embedder()
    found = cases(SEED, held_out=False, times=24)
    rows, vectors, labels = inputs_of(found, encoder)
    patterns = {pattern: at for at, pattern in enumerate(sorted({case.pattern for case in found}))}
    kept = np.array([patterns[case.pattern] % 5 != 0 for case in found])
    networks: dict[str, Arrays] = {}
    for kind, inputs in (("full", np.hstack([rows, vectors])), ("cues", rows)):
        networks[kind] = fitted(inputs, labels, kept)
    save(chosen.out, networks, vectors.shape[1], len(found))
    load_credibility_head.cache_clear()
    head = load_credibility_head(chosen.out)
    unseen = cases(SEED + 1, held_out=True, times=12)
    rows, vectors, _ = inputs_of(unseen, encoder)
    metrics = {
        "trained_on": len(found),
        "measured_on": len(unseen),
        "threshold": Governance().threshold,
        "with the vector": measured(head, unseen, rows, vectors),
        "cues alone": measured(head, unseen, rows, None),
        "bytes": (chosen.out / WEIGHTS).stat().st_size,
    }
    (chosen.out / "metrics.json").write_text(json.dumps(metrics, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(metrics, indent=1))


if __name__ == "__main__":
    main()
