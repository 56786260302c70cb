"""Train the label head (domain, answer kind, comparison, removal, recency, time) on generated questions.

    python finetune/label_head.py            # → models/heads/label: weights.npz, card.json, metrics.json
    python finetune/label_head.py --questions 20000 --seed 7 --out /tmp/head

Needs nothing beyond the product (numpy); three minutes on two cores. The data: templates of
``finetune/label_questions.toml`` filled with the terms of ``configs/domains/*.toml`` and its own everyday
words, in Chinese and English, with typing errors and chatter; no question of any evaluation set.
``metrics.json`` tells the accuracy on questions of templates that training never saw, and on the written set
``tests/data/understanding/questions.jsonl`` (the head alone, without the rules; all of it), which is only
reported, never trained on. How well whole readings are: ``python tests/reading_quality.py``.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import random
import re
import sys
import tomllib
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from appliance.domain import AnswerKind  # noqa: E402
from appliance.trained_head import CARD, WEIGHTS  # noqa: E402
from appliance.understanding.features import BUCKETS, lit  # noqa: E402
from appliance.understanding.label_head import FOLDER, SIGNALS, load_label_head  # noqa: E402
from appliance.understanding.signals import compares, wants_newest  # noqa: E402

DOMAINS = ("finance", "medical", "legal", "research", "")
KINDS = tuple(AnswerKind)
RECIPE = Path(__file__).with_name("label_questions.toml")
WRITTEN = ROOT / "tests" / "data" / "understanding" / "questions.jsonl"
VERBS = ("signed", "approved", "built", "started", "released", "filed", "published")
LEARNING_RATE, EPOCHS, BATCH, DROPOUT, DECAY = 0.04, 14, 256, 0.4, 3e-6
RUNS = 3


def topics(recipe: dict, packs: Path) -> dict[tuple[str, str], list[str]]:
    """(domain, language) → words; the packs' terms count as often as the recipe's own."""
    words: dict[tuple[str, str], list[str]] = {}
    for domain in DOMAINS:
        own = recipe["topics"][domain or "none"]
        path = packs / f"{domain}.toml"
        pack = tomllib.loads(path.read_text(encoding="utf-8")) if domain and path.exists() else {}
        for language in ("en", "zh"):
            found: list[str] = []
            for term in pack.get("terms", []):
                forms = [term["name"], term["zh"], *term.get("forms", []), *term.get("colloquial", [])]
                han = [form for form in forms if any("一" <= c <= "鿿" for c in form)]
                found += han if language == "zh" else [form for form in forms if form not in han]
            words[domain, language] = own[language] * max(1, len(found) // len(own[language])) + found
    return words


class Maker:
    """Makes labelled questions."""

    def __init__(self, recipe: dict, seed: int, packs: Path) -> None:
        """``recipe``: the parsed TOML."""
        self.recipe, self.random, self.words = recipe, random.Random(seed), topics(recipe, packs)
        self.kept = {True: self._split(True), False: self._split(False)}

    def _split(self, training: bool) -> dict[tuple[str, str], list[str]]:
        groups = {(kind, language): each[language] for kind, each in self.recipe["templates"].items()
                  for language in ("en", "zh")}  # fmt: skip
        groups |= {(name, language): self.recipe[name][language] for name in ("removal", "comparison")
                   for language in ("en", "zh")}  # fmt: skip
        return {key: [t for place, t in enumerate(each) if (place % 10 != 9) == training] or each
                for key, each in groups.items()}  # fmt: skip

    def make(self, training: bool) -> tuple[str, dict[str, object]]:
        """One question with its labels; ``kind`` is None where the template leaves it open."""
        pick = self.random.choice
        language, domain = pick(("en", "zh")), pick(DOMAINS)
        group = pick((*KINDS, *KINDS, "removal", "comparison"))
        template = pick(self.kept[training][str(group), language])
        timed = self.random.random() < 0.45 and "{Y}" in template
        text = self._fill(template, domain, language, timed)
        text = (
            pick(self.recipe["wrapping"][language])
            + text
            + pick(self.recipe["wrapping"][f"after_{language}"])
        )
        if self.random.random() < 0.5 and language == "en":
            text = text[:1].upper() + text[1:] if self.random.random() < 0.6 else text.lower()
        if self.random.random() < 0.12:
            text = self._mistyped(text)
        labels: dict[str, object] = {
            "domain": domain,
            "kind": str(group) if group in KINDS else None,
            "comparison": group in ("comparison", "change") or compares(text),
            "removal": group == "removal",
            "recency": wants_newest(text),
            "timed": timed or bool(re.search(r"20\d\d", text)),
        }
        return " ".join(text.split()), labels

    def _fill(self, template: str, domain: str, language: str, timed: bool) -> str:
        pick, words = self.random.choice, self.words[domain, language]
        values = {
            "{T}": pick(words), "{U}": pick(words), "{N}": pick(self.recipe["names"][language]),
            "{M}": pick(self.recipe["names"][language]), "{X}": pick(("2.1", "3", "2021", "17", "4.2")),
            "{Y}": pick(self.recipe["times"][language]) if timed else "", "{V}": pick(VERBS),
        }  # fmt: skip
        for slot, value in values.items():
            template = template.replace(slot, value)
        return template

    def _mistyped(self, text: str) -> str:
        place = self.random.randrange(max(1, len(text) - 1))
        return text[:place] + text[place + 1 : place + 2] + text[place : place + 1] + text[place + 2 :]


def targets(rows: list[dict[str, object]]) -> tuple[np.ndarray, np.ndarray]:
    """(n, labels) float32: what is wanted, and what counts (an open kind does not)."""
    width = len(DOMAINS) + len(KINDS) + len(SIGNALS)
    wanted, counts = np.zeros((len(rows), width), np.float32), np.ones((len(rows), width), np.float32)
    for place, row in enumerate(rows):
        wanted[place, DOMAINS.index(str(row["domain"]))] = 1
        first = len(DOMAINS)
        if row["kind"] is None:
            counts[place, first : first + len(KINDS)] = 0
        else:
            wanted[place, first + [str(k) for k in KINDS].index(str(row["kind"]))] = 1
        for offset, signal in enumerate(SIGNALS):
            wanted[place, first + len(KINDS) + offset] = float(bool(row[signal]))
    return wanted, counts


def probabilities(scores: np.ndarray) -> np.ndarray:
    """Two softmaxes and the logistics, side by side."""
    out = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    for begin, end in ((0, len(DOMAINS)), (len(DOMAINS), len(DOMAINS) + len(KINDS))):
        powers = np.exp(scores[:, begin:end] - scores[:, begin:end].max(axis=1, keepdims=True))
        out[:, begin:end] = powers / powers.sum(axis=1, keepdims=True)
    return out


def train(texts: list[str], rows: list[dict[str, object]], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights (buckets, labels) and bias by Adam (Kingma & Ba 2015) with dropout of features."""
    rng = np.random.default_rng(seed)
    places = [lit(text) for text in texts]
    wanted, counts = targets(rows)
    weights, bias = np.zeros((BUCKETS, wanted.shape[1]), np.float32), np.zeros(wanted.shape[1], np.float32)
    first, second, step = np.zeros_like(weights), np.zeros_like(weights), 0
    for epoch in range(EPOCHS):
        for begin in range(0, len(texts), BATCH):
            if begin == 0:
                order = rng.permutation(len(texts))
            batch = order[begin : begin + BATCH]
            dense = np.zeros((len(batch), BUCKETS), np.float32)
            for line, index in enumerate(batch):
                kept = places[index][rng.random(len(places[index])) >= DROPOUT]
                dense[line, kept] = 1 / np.sqrt(max(1, len(kept)))
            error = (probabilities(dense @ weights + bias) - wanted[batch]) * counts[batch] / len(batch)
            gradient = dense.T @ error + DECAY * weights
            step += 1
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient**2 - second)
            rate = LEARNING_RATE * (1 - epoch / EPOCHS)
            weights -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
            bias -= rate * error.sum(axis=0)
        print(f"epoch {epoch + 1}/{EPOCHS}", flush=True)
    return weights, bias


def save(out: Path, weights: np.ndarray, bias: np.ndarray, count: int) -> None:
    """Weights as int8 with one scale per label, and the card with their checksum."""
    out.mkdir(parents=True, exist_ok=True)
    scale = np.abs(weights).max(axis=0) / 127
    buffer = io.BytesIO()
    small = np.round(weights / scale).astype(np.int8)
    np.savez_compressed(buffer, weights=small, scale=scale.astype(np.float32), bias=bias.astype(np.float32))
    (out / WEIGHTS).write_bytes(buffer.getvalue())
    card = {
        "sha256": hashlib.sha256(buffer.getvalue()).hexdigest(), "buckets": BUCKETS, "domains": DOMAINS,
        "kinds": KINDS, "signals": SIGNALS, "trained_on": count,
    }  # fmt: skip
    (out / CARD).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def measure(out: Path, rows: list[tuple[str, dict[str, object]]]) -> dict[str, float]:
    """Share right per label, by the stored head."""
    head = load_label_head(out)
    right: dict[str, list[bool]] = {}
    for text, row in rows:
        said = head.label(text)
        right.setdefault("domain", []).append(said.domain == row["domain"])
        if row["kind"] is not None:
            right.setdefault("kind", []).append(str(said.kind) == row["kind"])
        for signal in SIGNALS:
            if signal in row:
                right.setdefault(signal, []).append((getattr(said, signal) >= 0.5) == row[signal])
    return {label: round(sum(values) / len(values), 4) for label, values in right.items()}


def main() -> None:
    """Make the questions, train, store, measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=16_000)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument(
        "--packs", type=Path, default=ROOT / "configs" / "domains", help="Folder of domain packs."
    )
    options = parser.parse_args()
    recipe = tomllib.loads(RECIPE.read_text(encoding="utf-8"))
    runs, maker = [], Maker(recipe, options.seed, options.packs)
    for turn in range(RUNS):
        # Each run has questions of its own; the mean of linear models is a linear model that varies less.
        maker = Maker(recipe, options.seed + turn, options.packs)
        made = [maker.make(True) for _ in range(options.questions)]
        runs.append(train([text for text, _ in made], [row for _, row in made], options.seed + turn))
    weights, bias = np.mean([each[0] for each in runs], axis=0), np.mean([each[1] for each in runs], axis=0)
    save(options.out, weights, bias, options.questions * RUNS)
    written = [json.loads(line) for line in WRITTEN.read_text(encoding="utf-8").splitlines()]
    metrics = {
        "unseen_templates": measure(options.out, [maker.make(False) for _ in range(1_500)]),
        "written_head_alone": measure(
            options.out, [(row["question"], row | {"timed": bool(row["times"])}) for row in written]
        ),
        "questions": options.questions * RUNS, "seed": options.seed, "templates": RECIPE.name,
        "packs": sorted(path.name for path in options.packs.glob("*.toml")),
        "bytes": (options.out / WEIGHTS).stat().st_size,
    }  # fmt: skip
    (options.out / "metrics.json").write_text(json.dumps(metrics, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(metrics, indent=1))


if __name__ == "__main__":
    main()
