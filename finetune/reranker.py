# pyright: basic
"""Trains the adapter of the Chinese cross-encoder on a CPU, in half an hour.

Arrives: groups of :mod:`finetune.reranker_pairs`, the packed encoder, its tokenizer. Leaves: ``adapter.npz``
and what it reaches on the pages, statutes and worlds held out. Listwise: softmax over a group
against the teacher's (7:3 with the known passage) where there is one, else against the known passage;
pointwise beside it, so that the log-odds mean the same for every question. Needs torch, which the
appliance itself does not.

    python -m finetune.reranker pairs.jsonl e5-small-q4.bin tokenizer.json adapter.npz --minutes 28
    python -m models.convert_e5_reranker e5-small-q4.bin OUT   # and enter its sha256 in models/manifest.toml
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor

from finetune.reranker_model import CrossEncoder

RANK, FROZEN = 32, 6
READ, TOKENS_MAX, BATCH_TOKENS = 5, 144, 2600
"""Passages of a group in one step; tokens of a pair; tokens of a step."""
RATE, HEAD_RATE, VECTOR_RATE = 5e-4, 2e-3, 2.5e-4
WARM_STEPS, FALL = 20, 0.4
HEADS = ("mix", "head.", "telling")
Row = tuple[list[list[int]], list[int], list[float] | None]


class Groups:
    """Groups as token ids, in batches of like length."""

    def __init__(self, path: Path, tokenizer: Path, seed: int) -> None:
        made = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        self.train = [group for group in made if not group["held"]]
        self.held = [group for group in made if group["held"]]
        self.random = random.Random(seed)
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.encode_special_tokens = True
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(TOKENS_MAX)

    def row(self, group: dict, languages: tuple[str, str], read: int) -> Row:
        """The right passage and some others of a group."""
        others = list(range(1, len(group["p"])))
        self.random.shuffle(others)
        places = [0, *others[: read - 1]]
        asked, said = languages
        pairs = [(group["q"][asked], group["p"][at][said]) for at in places]
        ids = [one.ids for one in self._tokenizer.encode_batch_fast(pairs)]
        teacher = [group["teacher"][at] for at in places] if "teacher" in group else None
        return ids, [group["gold"][at] for at in places], teacher

    def languages(self, group: dict) -> tuple[str, str]:
        """Mostly both Chinese; aligned text also in English and across."""
        if "any" in group["q"]:
            return "any", "any"
        if "en" not in group["q"]:
            return "zh", "zh"
        if "teacher" not in group:
            return "zh", "en" if self.random.random() < 0.15 else "zh"
        pairs = (("zh", "zh"), ("en", "en"), ("en", "zh"), ("zh", "en"))
        return self.random.choices(pairs, (0.55, 0.25, 0.1, 0.1))[0]

    def batches(self) -> Iterator[list[Row]]:
        """Without end."""
        while True:
            self.random.shuffle(self.train)
            for at in range(0, len(self.train), 400):
                block = self.train[at : at + 400]
                rows = [self.row(group, self.languages(group), READ) for group in block]
                rows.sort(key=_width)
                ready: list[list[Row]] = [[]]
                for row in rows:
                    if ready[-1] and _width(row) * READ * (len(ready[-1]) + 1) > BATCH_TOKENS:
                        ready.append([])
                    ready[-1].append(row)
                self.random.shuffle(ready)
                yield from ready


def _width(row: Row) -> int:
    return max(map(len, row[0]))


def padded(sequences: list[list[int]]) -> tuple[Tensor, Tensor]:
    """Return ids and mask, both ``(batch, tokens)``."""
    width = max(map(len, sequences))
    ids, there = torch.zeros(len(sequences), width, dtype=torch.long), torch.zeros(len(sequences), width)
    for at, sequence in enumerate(sequences):
        ids[at, : len(sequence)] = torch.tensor(sequence)
        there[at, : len(sequence)] = 1
    return ids, there


def read(model: CrossEncoder, sequences: list[list[int]]) -> Tensor:
    """Return the logits, computed in bfloat16 where that is safe."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return model(*padded(sequences))


def loss_of(logits: Tensor, rows: list[Row]) -> Tensor:
    """Listwise against the teacher or the known passage, and a share of pointwise."""
    gold = torch.tensor([row[1] for row in rows], dtype=torch.float)
    wanted, pointwise = [], torch.zeros(())
    taught = [at for at, row in enumerate(rows) if row[2]]
    for at, row in enumerate(rows):
        if row[2]:
            teacher = torch.tensor(row[2])
            wanted.append(0.7 * F.softmax(teacher / 1.5, 0) + 0.3 * gold[at])
            pointwise = pointwise + F.smooth_l1_loss(logits[at], 0.6 * teacher.clamp(-9, 9)) / len(taught)
        else:
            wanted.append(gold[at])
    known = [at for at in range(len(rows)) if at not in taught]
    if known:
        pointwise = pointwise + F.binary_cross_entropy_with_logits(
            logits[known], gold[known], pos_weight=torch.tensor(2.0)
        )
    return -(torch.stack(wanted) * F.log_softmax(logits, 1)).sum(1).mean() + 0.3 * pointwise


def optimiser(model: CrossEncoder) -> torch.optim.AdamW:
    """Return AdamW with a rate for the head, one for the factors and one for vectors."""
    kinds: dict[str, list] = defaultdict(list)
    for name, value in model.named_parameters():
        if value.requires_grad:
            factor = name.endswith((".up", ".down"))
            kinds["head" if name.startswith(HEADS) else "factor" if factor else "vector"].append(value)
    rates = {"head": HEAD_RATE, "factor": RATE, "vector": VECTOR_RATE}
    return torch.optim.AdamW(
        [{"params": kinds[kind], "lr": rate, "weight_decay": 0.0} for kind, rate in rates.items()],
        betas=(0.9, 0.98),
    )


def train(model: CrossEncoder, groups: Groups, minutes: float) -> int:
    """Return how many steps there were; the rate falls over the last two fifths of the time."""
    optimise = optimiser(model)
    rates = [group["lr"] for group in optimise.param_groups]
    begun, step = time.monotonic(), 0
    for rows in groups.batches():
        spent = (time.monotonic() - begun) / (60 * minutes)
        if spent >= 1:
            break
        share = min(1, (step + 1) / WARM_STEPS) * min(1, (1 - spent) / FALL + 0.02)
        for group, rate in zip(optimise.param_groups, rates, strict=True):
            group["lr"] = rate * share
        loss = loss_of(read(model, [ids for row in rows for ids in row[0]]).view(len(rows), READ), rows)
        optimise.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimise.step()
        step += 1
        if step % 100 == 0:
            print(f"{step} steps, {spent:.0%} of the time, loss {float(loss):.3f}", flush=True)
    return step


@torch.no_grad()
def held_out(model: CrossEncoder, groups: Groups, most: int = 300) -> dict[str, float]:
    """Return the mean reciprocal rank of the right passage by kind, of eight."""
    found: dict[str, list[float]] = defaultdict(list)
    for group in groups.held[:most]:
        language = "any" if "any" in group["q"] else "zh"
        logits = read(model, groups.row(group, (language, language), 8)[0])
        found[group["kind"]].append(1 / (1 + int((logits > logits[0]).sum())))
    return {kind: round(float(np.mean(ranks)), 3) for kind, ranks in sorted(found.items())}


def main() -> None:
    """Read the command line, train, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("pairs", "encoder", "tokenizer", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--minutes", type=float, default=28)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    groups = Groups(given.pairs, given.tokenizer, given.seed)
    model = CrossEncoder(given.encoder, rank=RANK, frozen=FROZEN)
    first = [groups.row(group, groups.languages(group), 3) for group in groups.train[:12]]
    model.centre_on(*padded([ids for row in first for ids in row[0]]))
    before = held_out(model, groups)
    steps = train(model, groups, given.minutes)
    np.savez_compressed(given.out, **model.adapter())
    report = {"steps": steps, "before": before, "after": held_out(model, groups)}
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
