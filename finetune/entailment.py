# pyright: basic
"""The entailment head: from free and invented texts to ``models/heads/entailment``.

    python -m finetune.aligned_text unpacked sections.jsonl             # see there; free documentation
    python -m finetune.entailment sections.jsonl laws.db models/weights OUT/pairs.npz    # pairs → features
    python -m finetune.entailment --train OUT/pairs.npz                 # → models/heads/entailment, a minute

Premises are what :mod:`appliance.answers.verifier` would show the head: the pieces of a passage that come
closest to the claim. True claims: a sentence in other words, a clause of it, a fact in another wording, a
question with its answer, the sentence of the other language. False ones: changed in one respect
(:mod:`finetune.entailment_changes`), of another passage, of the same page but taken out of the passage, or
a neighbour's value (:mod:`finetune.entailment_facts`). A tenth, by page, is held out and decides between a
linear head and one with a hidden layer. No evaluation set and no text of the sample library is used.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import itertools
import json
import random
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np

from appliance.answers.faults import Said
from appliance.answers.pieces import Source
from appliance.answers.verifier import premise_of, supporting
from appliance.config import Embedding, Reranking
from appliance.documents.sentences import split_sentences
from appliance.domain import DocumentId, Fingerprint, Passage, PassageId
from appliance.serving.entailment import FOLDER, Card, EntailmentHead, TrainedEntailment
from appliance.serving.entailment_features import NAMES
from appliance.serving.onnx import OnnxEmbedder, OnnxReranker
from appliance.trained_head import CARD, WEIGHTS
from finetune.entailment_changes import FALSE, TRUE
from finetune.entailment_facts import cases, inventions
from finetune.small_net import Adam, gradients
from finetune.worlds import RECIPES, Maker

MODELS = ("multilingual-e5-small", "ms-marco-minilm-l12", "e5-reranker-zh")
HIDDEN, EPOCHS, RATE, BATCH, DECAY, SEED = 16, 60, 3e-3, 128, 2e-3, 3
MARGIN = 0.005
Example = tuple[str, str, bool, str, str]
"""Premise, claim, whether it follows, kind, page."""


def passage_of(text: str, title: str = "") -> Passage:
    """A passage that stands in no store."""
    return Passage(
        id=PassageId(0), fingerprint=Fingerprint(""), document_id=DocumentId(""), record_id="", collection="",
        title=title, section_path="", text=text, language="", token_count=0,
    )  # fmt: skip


def premise(text: str, claim: str, *, question: str = "") -> str:
    """What the verifier would show the head."""
    source, said = Source(passage_of(text), split_sentences), Said(claim, question=question)
    return premise_of(supporting(said, source), source)


def changed(
    lines: Sequence[str], others: Sequence[str], page: str, source: str, chance: random.Random
) -> Iterator[Example]:
    """Claims about one passage: two true, two false."""
    fit = [line for line in lines if len(line) >= (12 if any("一" <= c <= "鿿" for c in line) else 40)]
    if len(fit) < 2:
        return
    text = "\n".join(lines)
    for table, true in ((TRUE, True), (FALSE, False)):
        for kind in chance.sample(sorted(table), 2 if true else 3):
            line = chance.choice(fit)
            claim = table[kind](line, chance.sample(list(others), min(30, len(others))), chance)
            if claim and claim not in text:
                yield premise(text, claim), claim, true, f"{source}: {kind}", page
    taken = chance.choice(fit)
    rest = "\n".join(line for line in lines if line != taken)
    yield premise(rest, taken), taken, False, f"{source}: removed", page
    if chance.random() < 0.4:
        kept = chance.choice(fit)
        yield premise(text, kept), kept, True, f"{source}: word for word", page


def documentation(path: Path, chance: random.Random, most: int) -> Iterator[Example]:
    """Of aligned pages, each language by itself, and a sentence of one against the passage of the other."""
    sections = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    sections = [one for one in sections if 3 <= len(one["paragraphs"]) <= 14]
    chance.shuffle(sections)
    pools = [[p[side] for one in sections[:400] for p in one["paragraphs"]] for side in (0, 1)]
    for one in sections[:most]:
        page = one["source"] + one["id"].split("#")[0]
        start = chance.randint(0, max(0, len(one["paragraphs"]) - 8))
        both = one["paragraphs"][start : start + 8]
        for side in (0, 1):
            if chance.random() < 0.6:
                yield from changed([p[side] for p in both], pools[side], page, "docs", chance)
        if chance.random() < 0.3:
            here, side = chance.choice(both), chance.choice((0, 1))
            stranger = chance.choice(pools[1 - side])
            text = "\n".join(p[side] for p in both)
            yield text[:600], here[1 - side], here[side] in text[:600], "docs: across", page
            yield text[:600], stranger, False, "docs: across, other", page


def statutes(path: Path, chance: random.Random, most: int) -> Iterator[Example]:
    """Of runs of articles of one law."""
    laws: dict[str, list[str]] = {}
    with sqlite3.connect(path) as database:
        for law, text in database.execute("SELECT law_name, article_text FROM articles ORDER BY id"):
            laws.setdefault(law, []).append(text.strip())
    pool = [text for articles in laws.values() for text in articles if len(text) < 160]
    names = sorted(laws)
    for _ in range(most):
        law = chance.choice(names)
        start = chance.randint(0, max(0, len(laws[law]) - 4))
        run = "\n".join(laws[law][start : start + chance.randint(1, 4)])
        lines = [line.strip() for line in split_sentences(run) if line.strip()][:9]
        yield from changed(lines, chance.sample(pool, 30), law, "law", chance)


def invented(chance: random.Random, most: int) -> Iterator[Example]:
    """Of generated worlds, several short passages of one run together."""
    for recipe in RECIPES:
        texts = [text.text for text in Maker(recipe, 131).world().texts]
        for number in range(most // len(RECIPES)):
            at = chance.randint(0, len(texts) - 4)
            lines = [s.strip() for t in texts[at : at + 3] for s in split_sentences(t) if s.strip()][:9]
            yield from changed(lines, chance.sample(texts, 30), f"{recipe.name} {number}", "worlds", chance)


def facts(chance: random.Random, most: int) -> Iterator[Example]:
    """Invented facts in many wordings."""
    made = itertools.chain(cases(chance, most), inventions(chance, most // 2))
    for number, (text, claim, true, kind) in enumerate(made):
        yield text, claim, true, f"facts: {kind}", f"fact {number // 4}"


def gathered(sections: Path, laws: Path, chance: random.Random, size: float) -> list[Example]:
    """All examples, shuffled."""
    found = [
        *documentation(sections, chance, int(1000 * size)), *statutes(laws, chance, int(380 * size)),
        *invented(chance, int(240 * size)), *facts(chance, int(650 * size)),
    ]  # fmt: skip
    chance.shuffle(found)
    return found


def entailment(weights: Path, head: EntailmentHead | None = None) -> TrainedEntailment:
    """The shipped models."""
    embedder = OnnxEmbedder(weights / MODELS[0], name=MODELS[0], digest="", settings=Embedding())
    rerankers = [OnnxReranker(weights / n, name=n, digest="", settings=Reranking()) for n in MODELS[1:]]
    return TrainedEntailment(embedder, rerankers, head)  # type: ignore[arg-type]


def store_features(found: list[Example], weights: Path, out: Path) -> None:
    """Features of every example, in blocks of 32."""
    model = entailment(weights)
    blocks = [found[at : at + 32] for at in range(0, len(found), 32)]
    rows: list[np.ndarray] = []
    with ThreadPoolExecutor(2) as pool:
        for one in pool.map(lambda block: model.features([(p, c) for p, c, *_ in block]), blocks):
            rows.append(one)
            if len(rows) % 8 == 0 or len(rows) == len(blocks):
                _store(found[: sum(map(len, rows))], rows, out)
                print(sum(map(len, rows)), flush=True)


def _store(found: list[Example], rows: list[np.ndarray], out: Path) -> None:
    held = [zlib.crc32(page.encode()) % 10 == 0 for *_, page in found]
    np.savez(
        out, rows=np.concatenate(rows), true=np.array([one[2] for one in found]), held=np.array(held),
        kind=np.array([one[3] for one in found]),
    )  # fmt: skip


def trained(
    rows: np.ndarray, labels: np.ndarray, weights: np.ndarray, hidden: int, seed: int
) -> dict[str, np.ndarray]:
    """Arrays of a head, by Adam on the weighted cross-entropy with weight decay."""
    rng = np.random.default_rng(seed)
    mean, scale = rows.mean(0), rows.std(0)
    scale = np.where(scale > 1e-3, scale, 1.0)
    inputs = np.clip((rows - mean) / scale, -6, 6)
    sizes = [inputs.shape[1], hidden, 1] if hidden else [inputs.shape[1], 1]
    layers = [(rng.normal(0, 0.5 / np.sqrt(a), (a, b)), np.zeros(b)) for a, b in pairwise(sizes)]
    adam = Adam(layers, DECAY)
    for epoch in range(EPOCHS):
        rate = RATE * (1 - epoch / EPOCHS)
        for batch in np.array_split(rng.permutation(len(labels)), max(1, len(labels) // BATCH)):
            adam.step(gradients(inputs[batch], labels[batch], weights[batch], layers), rate)
    arrays = {"mean": mean, "scale": scale}
    for at, (matrix, bias) in enumerate(layers):
        arrays |= {f"weights{at}": matrix, f"bias{at}": bias}
    return {name: value.astype(np.float32) for name, value in arrays.items()}


def balanced(scores: np.ndarray, labels: np.ndarray) -> float:
    """Balanced accuracy at one half."""
    return float(((scores[labels] >= 0.5).mean() + (scores[~labels] < 0.5).mean()) / 2)


def train(pairs: Path, out: Path) -> None:
    """Compare two heads on the pages held out, keep one, write it with card and metrics."""
    with np.load(pairs, allow_pickle=False) as stored:
        rows, true, held, kind = (stored[name] for name in ("rows", "true", "held", "kind"))
    share = true.mean()
    weights = np.where(true, 0.5 / share, 0.5 / (1 - share))
    card = Card(
        sha256="",
        features=NAMES,
        models=MODELS,
        trained_on=int((~held).sum()),
        sources=dict(Counter(k.split(":")[0] for k in kind.tolist())),
    )
    made, reached = {}, {}
    for name, hidden in (("linear", 0), ("hidden layer", HIDDEN)):
        made[name] = trained(rows[~held], true[~held].astype(float), weights[~held], hidden, SEED)
        reached[name] = balanced(EntailmentHead(card, made[name]).probabilities(rows[held]), true[held])
    kept = "hidden layer" if reached["hidden layer"] > reached["linear"] + MARGIN else "linear"
    scores = EntailmentHead(card, made[kept]).probabilities(rows[held])
    by_kind = {
        one: {"pairs": int((kind[held] == one).sum()),
        "right": round(float(((scores >= 0.5) == true[held])[kind[held] == one].mean()), 3)}
        for one in sorted(set(kind[held].tolist()))
    }  # fmt: skip
    buffer = io.BytesIO()
    np.savez(buffer, **made[kept])
    out.mkdir(parents=True, exist_ok=True)
    (out / WEIGHTS).write_bytes(buffer.getvalue())
    stated = {
        "sha256": hashlib.sha256(buffer.getvalue()).hexdigest(), "features": NAMES, "models": MODELS,
        "trained_on": card.trained_on, "sources": card.sources,
    }  # fmt: skip
    (out / CARD).write_text(json.dumps(stated, indent=1) + "\n", encoding="utf-8")
    metrics = {
        "held_out_balanced_accuracy": {k: round(v, 4) for k, v in reached.items()}, "kept": kept,
        "held_out_pairs": int(held.sum()), "held_out_by_kind": by_kind,
    }  # fmt: skip
    (out / "metrics.json").write_text(json.dumps(metrics, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(metrics, indent=1))


def main() -> None:
    """Make features, or train on them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("sections", "laws", "weights", "pairs"):
        parser.add_argument(name, type=Path, nargs="?")
    parser.add_argument("--train", type=Path)
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--size", type=float, default=1.0)
    given = parser.parse_args()
    if given.train:
        train(given.train, given.out)
        return
    found = gathered(given.sections, given.laws, random.Random(SEED), given.size)
    print(
        f"{len(found):,} pairs, {sum(one[2] for one in found):,} true",
        Counter(one[3] for one in found),
        flush=True,
    )
    store_features(found, given.weights, given.pairs)


if __name__ == "__main__":
    main()
