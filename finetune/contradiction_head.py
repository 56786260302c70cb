"""Train the heads of :mod:`appliance.evidence.contradiction_head` on made-up pairs.

    python -m finetune.contradiction_head [--pairs 6000] [--seed 5] [--models FOLDER] [--out FOLDER]

Arrives: pairs of :mod:`finetune.contradictions`. Leaves: weights, card and metrics in ``--out``. A
quarter of the
pairs is judged without cosines, as where the embedder is not asked. Which statements of a contradictory
pair of
passages contradict each other is not told: of each the likeliest is taken, in three rounds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from pathlib import Path
from typing import Any

import numpy as np

from appliance.config import load_config
from appliance.documents import split_sentences
from appliance.domain import DocumentId, Fingerprint, Passage, PassageId
from appliance.evidence import differing_figures, opposed
from appliance.evidence.contradict import masked
from appliance.evidence.contradiction_head import FOLDER
from appliance.evidence.frames import frame_of
from appliance.evidence.statements import Statement, statements_of
from appliance.evidence.topics import words_of
from appliance.serving.onnx import OnnxEmbedder
from finetune.contradictions import Pair, pairs

EPOCHS = 400
RATE, DECAY = 0.02, 2e-3
UNKNOWN = {
    "concepts same": 0.35,
    "concepts other": 0.35,
    "headings": 0.2,
    "shared names": 0.2,
    "noun same": 0.1,
}
"""Features that are not known of every statement, and how often they are left out, together by kind."""
FOR = frozenset(
    """cover,jaccard,shared names,headings,close,close across,concepts same,local cover,local
    jaccard,noun same,period same,
    about one,about both,agreed,length,axes opposed,negation,negated cover""".replace("\n    ", "").split(",")
)
AGAINST = frozenset(
    """strange,residue,headings apart,leads apart,softly,narrowed,concepts other,heads clash,noun
    other,conditions,many,
    figures,local residue,period open,period one,ratio,axes alike""".replace("\n    ", "").split(",")
)
"""What may only speak for one thing being meant, and what only against it.

So that the heads hold for other texts.
"""
FEATURES = {"figure": differing_figures.FEATURES, "sign": opposed.FEATURES}


def sides_of(pair: Pair) -> list[list[Statement]]:
    """The statements of each passage."""
    made: list[list[Statement]] = []
    for at, (title, text) in enumerate((pair.one, pair.other)):
        passage = Passage(
            id=PassageId(at),
            fingerprint=Fingerprint(f"d-{at}##0"),
            document_id=DocumentId(f"d-{at}"),
            record_id="",
            collection="",
            title=title,
            section_path="",
            text=text,
            language="",
            token_count=0,
        )
        made.append(statements_of([passage], split_sentences))
    return made


def examples(made: list[Pair], embedder: OnnxEmbedder, rng: random.Random) -> dict[str, Any]:
    """For each kind ``(x, y, group)``: features, whether the pair is contradictory, number of the pair."""
    sides = [sides_of(pair) for pair in made]
    texts = list({masked(each.text) for pair in sides for side in pair for each in side})
    vectors = dict(zip(texts, embedder.embed_passages(texts), strict=True))
    rows: dict[str, list[tuple[tuple[float, ...], bool, int]]] = {"figure": [], "sign": []}
    for group, (pair, (left, right)) in enumerate(zip(made, sides, strict=True)):
        blind = rng.random() < 0.25
        unknown = {name.split()[0] for name, share in UNKNOWN.items() if rng.random() < share}
        asked = words_of(pair.question) if rng.random() < 0.5 else frozenset[str]()
        right_kind = "sign" if pair.kind.startswith("yes-no") else "figure"
        for one in left:
            for other in right:
                close = 0.0 if blind else float(vectors[masked(one.text)] @ vectors[masked(other.text)])
                a, b = frame_of(one), frame_of(other)
                found = {
                    "figure": differing_figures.differing_figures(a, b, close=close, about=asked),
                    "sign": opposed.opposed(a, b, close=close, about=asked),
                }
                for kind, each in found.items():
                    if each is not None:
                        named = zip(FEATURES[kind], each.features, strict=True)
                        features = tuple(
                            0.0 if name.split()[0] in unknown and name in UNKNOWN else v for name, v in named
                        )
                        rows[kind].append((features, pair.contradictory and kind == right_kind, group))
    return {
        kind: (
            np.array([r[0] for r in held], dtype=np.float32),
            np.array([r[1] for r in held]),
            np.array([r[2] for r in held]),
        )
        for kind, held in rows.items()
    }


class Net:
    """Logistic, its weights held to their signs, trained with Adam on the logistic loss."""

    def __init__(self, x: Any, names: tuple[str, ...]) -> None:
        self.mean, scale = x.mean(0), x.std(0)
        self.scale = np.where(scale < 1e-6, 1.0, scale)
        self.low = np.array([0.0 if name in FOR else -9.0 for name in names])
        self.high = np.array([0.0 if name in AGAINST else 9.0 for name in names])
        self.weights, self.bias = np.zeros(len(names)), np.zeros(1)

    def score(self, x: Any) -> Any:
        """Log-odds."""
        return np.clip((x - self.mean) / self.scale, -4, 4) @ self.weights + self.bias

    def fit(self, x: Any, y: Any, w: Any, epochs: int) -> None:
        """Full batches; after each the weights go back to their signs."""
        z = np.clip((x - self.mean) / self.scale, -4, 4)
        first, second = np.zeros(z.shape[1] + 1), np.zeros(z.shape[1] + 1)
        for step in range(1, epochs + 1):
            error = w * (1 / (1 + np.exp(-(z @ self.weights + self.bias))) - y) / w.sum()
            grad = np.append(z.T @ error + DECAY * self.weights, error.sum())
            first, second = 0.9 * first + 0.1 * grad, 0.999 * second + 0.001 * grad * grad
            rate = RATE * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
            change = rate * first / (np.sqrt(second) + 1e-8)
            self.weights = np.clip(self.weights - change[:-1], self.low, self.high)
            self.bias = self.bias - change[-1:]


def trained(x: Any, y: Any, group: Any, names: tuple[str, ...]) -> Net:
    """Three rounds: of each contradictory pair, the likeliest statements are the positive ones."""
    net, weight = Net(x, names), np.ones(len(y))
    for round_ in range(3):
        net.fit(x, y.astype(float), weight, EPOCHS if round_ == 2 else EPOCHS // 4)
        scores = net.score(x)
        best: dict[int, int] = {}
        for at in np.flatnonzero(y):
            if group[at] not in best or scores[at] > scores[best[group[at]]]:
                best[int(group[at])] = int(at)
        weight = np.where(y, 0.0, 1.0)
        weight[list(best.values())] = 1.0
    return net


def measured(net: Net, x: Any, y: Any, group: Any) -> dict[str, float]:
    """By pair: the likeliest statements of each decide."""
    scores = 1 / (1 + np.exp(-net.score(x)))
    told: dict[int, tuple[float, bool]] = {}
    for score, label, number in zip(scores, y, group, strict=True):
        told[int(number)] = (
            max(float(score), told.get(int(number), (0.0, False))[0]),
            bool(label) or told.get(int(number), (0.0, False))[1],
        )
    hits = sum(score >= 0.6 and label for score, label in told.values())
    said, true = sum(score >= 0.6 for score, _ in told.values()), sum(label for _, label in told.values())
    return {
        "precision": round(hits / max(1, said), 4),
        "recall": round(hits / max(1, true), 4),
        "pairs": len(told),
    }


def main() -> None:
    """Train, measure on pairs of another seed, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--pairs", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args()
    config = load_config()
    name = "multilingual-e5-small"
    embedder = OnnxEmbedder(Path(config.paths.models) / name, name=name, digest="", settings=config.embedding)
    rng = random.Random(options.seed)
    train = examples(pairs(options.pairs, options.seed), embedder, rng)
    held = examples(pairs(options.pairs // 4, options.seed + 1), embedder, rng)
    arrays: dict[str, Any] = {}
    metrics: dict[str, Any] = {"held out pairs": options.pairs // 4}
    for kind in FEATURES:
        net = trained(*train[kind], FEATURES[kind])
        metrics[kind] = measured(net, *held[kind])
        arrays |= {f"{kind}.mean": net.mean, f"{kind}.scale": net.scale}
        arrays |= {f"{kind}.weights": net.weights, f"{kind}.bias": net.bias}
        metrics[kind]["weights"] = dict(zip(FEATURES[kind], net.weights.round(2).tolist(), strict=True))
        print(kind, metrics[kind])
    options.out.mkdir(parents=True, exist_ok=True)
    np.savez(options.out / "weights.npz", **{key: value.astype(np.float32) for key, value in arrays.items()})
    digest = hashlib.sha256((options.out / "weights.npz").read_bytes()).hexdigest()
    card = {"sha256": digest, "features": FEATURES, "model": name, "trained_on": options.pairs}
    (options.out / "card.json").write_text(json.dumps(card, indent=1) + "\n", "utf-8")
    (options.out / "metrics.json").write_text(json.dumps(metrics, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
