"""What each route finds for each question of the training collections: worlds in, recall lists out.

The product's own encoder and its own BM25 index search every world; only lists, scores and the questions'
vectors are kept, so that the selector can be trained again and again in seconds.

    python -m finetune.strategy_outcomes OUT --weights models/weights [--handbooks FOLDER] [--seed 1]

``--handbooks`` is a folder with unpacked documentation packages (see ``handbooks.py``). About six minutes
on two cores.
"""

from __future__ import annotations

import argparse
import shutil
from itertools import chain
from pathlib import Path
from time import perf_counter

import msgspec
import numpy as np

from appliance.config import load_config
from appliance.domain import (
    DocumentId,
    Fingerprint,
    Passage,
    PassageId,
    Principal,
    Scope,
    Specificity,
    scope_of,
)
from appliance.retrieval.strategy_signals import specificity_of
from appliance.serving.onnx import OnnxEmbedder
from appliance.store.bm25 import Bm25Index
from finetune.handbooks import handbooks
from finetune.worlds import World, worlds
from models.manifest import load_manifest

DEPTH = 100
ENCODER = "multilingual-e5-small"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """One question, what both routes recalled for it, and what is right: passages by their number."""

    world: str
    style: str
    question: str
    gold: dict[str, float]
    dense: list[tuple[str, int, float]]
    """Record, passage, score."""
    lexical: list[tuple[str, int, float]]
    specificity: Specificity


def main() -> None:
    """Search all worlds and write ``<world>.jsonl`` and ``<world>.npy`` (question vectors)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--handbooks", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    digest = next(model.digest for model in load_manifest().models if model.name == ENCODER)
    encoder = OnnxEmbedder(
        chosen.weights / ENCODER, name=ENCODER, digest=digest, settings=load_config().embedding
    )
    natural = handbooks(chosen.handbooks, chosen.seed) if chosen.handbooks else ()
    for world in chain(natural, worlds(chosen.seed)):
        if (chosen.out / f"{world.name}.jsonl").exists():
            continue
        started = perf_counter()
        outcomes, vectors = _searched(world, encoder, chosen.out / "index")
        np.save(chosen.out / f"{world.name}.npy", vectors)
        lines = b"\n".join(msgspec.json.encode(outcome) for outcome in outcomes)
        (chosen.out / f"{world.name}.jsonl").write_bytes(lines)
        size = f"{len(world.texts):,} passages, {len(outcomes)} questions"
        print(f"{world.name}: {size}, {perf_counter() - started:.0f} s", flush=True)


def _searched(world: World, encoder: OnnxEmbedder, folder: Path) -> tuple[list[Outcome], np.ndarray]:
    passages = [
        Passage(
            id=PassageId(number),
            fingerprint=Fingerprint(f"{world.name}#{number}"),
            document_id=DocumentId(text.id),
            record_id=text.id,
            collection=world.name,
            title=text.title,
            section_path="",
            text=text.text,
            language=text.language,
            token_count=1,
        )
        for number, text in enumerate(world.texts, start=1)
    ]
    shutil.rmtree(folder, ignore_errors=True)
    index = Bm25Index.build(folder, iter(passages))
    scope: Scope = scope_of(Principal(), collection=world.name)
    matrix = encoder.embed_passages([passage.indexed_text() for passage in passages])
    vectors = encoder.embed_queries([asked.question for asked in world.questions])
    outcomes: list[Outcome] = []
    for asked, vector in zip(world.questions, vectors, strict=True):
        cosines = matrix @ vector
        nearest = np.argsort(-cosines, kind="stable")[:DEPTH]
        lexical = index.search([asked.question], DEPTH, scope)[0]
        outcomes.append(
            Outcome(
                world=world.name,
                style=asked.style,
                question=asked.question,
                gold=dict.fromkeys(asked.gold, 1.0),
                dense=[(passages[at].record_id, int(at) + 1, float(cosines[at])) for at in nearest],
                lexical=[(passages[s.passage_id - 1].record_id, int(s.passage_id), s.score) for s in lexical],
                specificity=specificity_of(index.specificity([asked.question])[0], index.count()),
            )
        )
    index.close()
    shutil.rmtree(folder, ignore_errors=True)
    return outcomes, vectors


if __name__ == "__main__":
    main()
