# pyright: basic
"""Groups of one right and seven wrong passages, with the English teacher's word on those that have English.

Arrives: the pools of :mod:`finetune.reranker_corpora`. Leaves: JSON lines of a group each.
Wrong passages are what BM25 over bigrams and the shipped encoder find first. Where the text is aligned, the
English cross-encoder reads the English side; its log-odds then teach the Chinese and the mixed pairs too.

    python -m finetune.reranker_pairs sections.jsonl laws.db models/weights pairs.jsonl --seed 1
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from appliance.config import Embedding, Reranking
from appliance.retrieval.fuse import log_odds
from appliance.serving.onnx import OnnxEmbedder, OnnxReranker
from finetune.reranker_corpora import Pool, Texts, documentation, invented, statutes

WRONG = 7
LOOKED_AT = 25
FOREMOST = 6
TEACHER, ENCODER = "ms-marco-minilm-l12", "multilingual-e5-small"


def grams(text: str) -> list[str]:
    """Return Latin words and Chinese bigrams."""
    text = text.lower()
    found = re.findall("[a-z0-9]+", text)
    for run in re.findall("[\u4e00-\u9fff]+", text):
        found += [run[at : at + 2] for at in range(len(run) - 1)] or [run]
    return found


class Bigrams:
    """BM25 over words and bigrams."""

    def __init__(self, texts: list[str]) -> None:
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = np.zeros(len(texts))
        for at, text in enumerate(texts):
            counted = Counter(grams(text))
            lengths[at] = sum(counted.values())
            for gram, count in counted.items():
                postings[gram].append((at, count))
        self._damping = 1.2 * (0.4 + 0.6 * lengths / lengths.mean())
        self._postings = {gram: np.array(rows).T for gram, rows in postings.items()}

    def first(self, query: str) -> list[int]:
        """Return the best passages, best first."""
        total = np.zeros(len(self._damping))
        for gram in set(grams(query)) & self._postings.keys():
            at, count = self._postings[gram]
            rarity = math.log(1 + (len(total) - len(at) + 0.5) / (len(at) + 0.5))
            total[at] += rarity * count * 2.2 / (count + self._damping[at])
        return [int(at) for at in np.argsort(-total, kind="stable")[:LOOKED_AT] if total[at] > 0]


def main_side(texts: Texts) -> str:
    """Return the Chinese side, or the only one."""
    return texts.get("zh") or texts.get("any") or texts["en"]


def groups(pool: Pool, embedder: OnnxEmbedder, chance: random.Random) -> list[dict]:
    """Every question of a pool with its own passage and :data:`WRONG` others."""
    texts = [main_side(passage) for passage in pool.passages]
    lexical, vectors = Bigrams(texts), embedder.embed_passages(texts)
    asked = embedder.embed_queries([main_side(one.query) for one in pool.asked])
    made = []
    for number, one in enumerate(pool.asked):
        right = pool.right.get(number, {one.at})
        near = np.argsort(-(vectors @ asked[number]), kind="stable")[:LOOKED_AT].tolist()
        found = lexical.first(main_side(one.query))
        hard = [at for at in dict.fromkeys(found[:FOREMOST] + near[:FOREMOST]) if at not in right]
        wrong = chance.sample(hard, min(4, len(hard)))
        others = [at for at in dict.fromkeys(found + near) if at not in right and at not in wrong]
        wrong += chance.sample(others, min(WRONG - len(wrong), len(others)))
        strangers = [at for at in range(len(texts)) if at not in right and at not in wrong]
        wrong += chance.sample(strangers, WRONG - len(wrong))
        passages = [one.shown, *(pool.passages[at] for at in wrong)]
        gold = [1, *[0] * len(wrong)]
        made.append({"kind": one.kind, "held": one.held, "q": one.query, "p": passages, "gold": gold})
    return made


def main() -> None:
    """Read the command line, make the groups, ask the teacher, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("sections", "laws", "weights", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    embedder = OnnxEmbedder(given.weights / ENCODER, name=ENCODER, digest="", settings=Embedding())
    teacher = OnnxReranker(given.weights / TEACHER, name=TEACHER, digest="", settings=Reranking())
    pools = [documentation(given.sections, chance), statutes(given.laws, chance), *invented(chance)]
    made = [group for pool in pools for group in groups(pool, embedder, chance)]
    for group in made:
        if group["kind"] in ("docs_head", "docs_sent"):
            passages = [passage["en"] for passage in group["p"]]
            group["teacher"] = [round(log_odds(x), 3) for x in teacher.rerank(group["q"]["en"], passages)]
    chance.shuffle(made)
    with given.out.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(group, ensure_ascii=False) + "\n" for group in made)
    print(f"{len(made):,} groups: {dict(Counter(group['kind'] for group in made))}")


if __name__ == "__main__":
    main()
