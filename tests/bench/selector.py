"""The strategy selector against fixed weights and each route alone, on judged collections: one table.

    python -m tests.bench.selector LISTS SET…  [--record DATA --queries FOLDER] [--out results/selector.json]

``LISTS`` keeps what both routes recalled (100 deep). ``--record`` fills it first: from the data folder of an
appliance whose collections are named like the sets, and from ``FOLDER/<set>/queries.dev.jsonl`` and
``qrels.dev.tsv``. Then everything is arithmetic: fusion as search does it, 50 candidates, no cross-encoder.

``best fixed`` is the one dense share that is best over all sets together (mean of their nDCG@10), chosen
with the judgements in hand: a bound that no configuration could have known. p is that of a paired bootstrap
over questions (10,000 resamples, two-sided) against it. ``memory``: the selector knows how the other half of
the set's questions fared.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import msgspec
import numpy as np

from appliance.config import Retrieval, load_config
from appliance.domain import PassageId, Principal, Weights, scope_of
from appliance.evaluate.queries import load_qrels, load_queries
from appliance.retrieval.strategy import StrategySelector
from appliance.retrieval.strategy_signals import Signals, specificity_of
from finetune.strategy_outcomes import DEPTH, Outcome
from finetune.strategy_rewards import GRID, Set, measured_at, read_set, signals_of, with_memory

RESAMPLES = 10_000
HEADS = Path(__file__).parents[2] / "models" / "heads" / "strategy"


def record(lists: Path, name: str, data: Path, queries: Path) -> None:
    """Search both indexes of collection ``name`` for every judged question."""
    from appliance.wiring import Appliance

    judged = load_qrels(queries / name / "qrels.dev.tsv")
    asked = [q for q in load_queries(queries / name / "queries.dev.jsonl") if judged.get(q.id)]
    with Appliance(load_config(flags={"paths.data": str(data)})) as app:
        app.ready(name)
        scope = scope_of(Principal(), collection=name)
        vectors = app.embedder().embed_queries([query.question for query in asked])
        dense = app.indexes.dense(name).search(vectors, DEPTH, scope)
        index = app.indexes.lexical(name)
        lexical = index.search([query.question for query in asked], DEPTH, scope)
        ids = {PassageId(s.passage_id) for ranked in (*dense, *lexical) for s in ranked}
        record_of = {p.id: p.record_id for p in app.passages.passages(sorted(ids), scope)}
        outcomes = [
            Outcome(
                world=name,
                style=query.type,
                question=query.question,
                gold=judged[query.id],
                dense=[(record_of[s.passage_id], int(s.passage_id), s.score) for s in by_meaning],
                lexical=[(record_of[s.passage_id], int(s.passage_id), s.score) for s in by_words],
                specificity=specificity_of(index.specificity([query.question])[0], index.count()),
            )
            for query, by_meaning, by_words in zip(asked, dense, lexical, strict=True)
        ]
    lists.mkdir(parents=True, exist_ok=True)
    (lists / f"{name}.jsonl").write_bytes(b"\n".join(msgspec.json.encode(outcome) for outcome in outcomes))
    np.save(lists / f"{name}.npy", vectors)
    (lists / f"{name}.curves.npz").unlink(missing_ok=True)


def chosen_shares(
    names: tuple[str, ...], features: np.ndarray, selector: StrategySelector, dense: float
) -> tuple[np.ndarray, float]:
    """The dense share for each question, and the milliseconds that one choice takes."""
    usual = Weights(dense=dense, lexical=1 - dense)
    signals = [Signals(names=names, values=tuple(float(v) for v in row)) for row in features]
    started = perf_counter()
    shares = np.array([selector.choose(one, usual).dense for one in signals])
    return shares, (perf_counter() - started) * 1000 / len(signals)


def halves_remembered(given: Set, names: tuple[str, ...], bare: np.ndarray) -> np.ndarray:
    """Signals with a memory: of every question, the questions of the other half (even and odd) are past."""
    every, told = np.arange(len(bare)), bare.copy()
    for half in (0, 1):
        rows = every[every % 2 == half]
        told[rows] = with_memory(given, names, bare, rows, every[every % 2 != half])
    return told


def fused_at(given: Set, shares: np.ndarray) -> np.ndarray:
    """``(n, 2)``: nDCG@10 and recall@5 of each question at its own share."""
    pairs = zip(given.questions, shares.tolist(), strict=True)
    return np.array([measured_at(asked, share) for asked, share in pairs])


def bootstrap_p(difference: np.ndarray, seed: int = 7) -> float:
    """Two-sided p of a mean difference of 0 (Efron and Tibshirani 1993, paired, percentile)."""
    chance = np.random.default_rng(seed)
    means = difference[chance.integers(0, difference.size, (RESAMPLES, difference.size))].mean(axis=1)
    tail = min(float((means <= 0).mean()), float((means >= 0).mean()))
    return min(1.0, 2 * tail)


def compare(sets: Sequence[Set], selector: StrategySelector, dense: float) -> dict[str, object]:
    """All figures by set; ``dense`` is the configured share."""
    best = int(np.argmax(np.mean([s.ndcg.mean(axis=0) for s in sets], axis=0)))
    rows: dict[str, object] = {}
    for given in sets:
        names, bare = signals_of(given)
        shares, milliseconds = chosen_shares(names, bare, selector, dense)
        warm, _ = chosen_shares(names, halves_remembered(given, names, bare), selector, dense)
        chosen, with_past = fused_at(given, shares), fused_at(given, warm)
        row: dict[str, object] = {
            "questions": len(given.questions),
            "mean dense share": shares.mean(),
            "mean dense share, memory": warm.mean(),
            "choice ms": milliseconds,
        }
        for at, (measure, curve) in enumerate((("ndcg@10", given.ndcg), ("recall@5", given.recall))):
            fixed, picked, recalled = curve[:, best], chosen[:, at], with_past[:, at]
            row[measure] = {
                "dense alone": given.alone[:, 0, at].mean(),
                "lexical alone": given.alone[:, 1, at].mean(),
                "by share": curve.mean(axis=0).tolist(),
                "best fixed": fixed.mean(),
                "selector": picked.mean(),
                "gain": (picked - fixed).mean(),
                "p": bootstrap_p(picked - fixed),
                "memory": recalled.mean(),
                "gain, memory": (recalled - fixed).mean(),
                "p, memory": bootstrap_p(recalled - fixed),
                "best per question": curve.max(axis=1).mean(),
            }
        rows[given.name] = row
    return {"best fixed dense share": float(GRID[best]), "configured dense share": dense, "sets": rows}


def shown(figures: dict[str, object]) -> str:
    """The table."""
    columns = ("dense alone", "lexical alone", "best fixed", "selector", "gain", "p")
    columns += ("memory", "gain, memory", "p, memory")
    lines = [f"best fixed dense share over all sets: {figures['best fixed dense share']}"]
    for measure in ("ndcg@10", "recall@5"):
        lines.append(f"{measure:24}{'n':>5}" + "".join(f"{column:>14}" for column in columns))
        for name, row in figures["sets"].items():  # type: ignore[attr-defined]
            cells = "".join(f"{row[measure][column]:14.4f}" for column in columns)
            lines.append(f"{name:24}{row['questions']:5}{cells}")
    return "\n".join(lines)


def rounded(value: object) -> object:
    """Four decimals everywhere."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return round(float(value), 4) if isinstance(value, float | np.floating) else value


def main() -> None:
    """Record where asked, compare, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("lists", type=Path)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--record", type=Path)
    parser.add_argument("--queries", type=Path)
    parser.add_argument("--head", type=Path, default=HEADS)
    parser.add_argument("--dense-weight", type=float, default=0.4, help="the share departed from")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    if chosen.record:
        for name in chosen.sets:
            record(chosen.lists, name, chosen.record, chosen.queries)
    selector = StrategySelector.load(chosen.head, Retrieval())
    sets = [read_set(chosen.lists, name) for name in chosen.sets]
    figures = compare(sets, selector, chosen.dense_weight)
    print(*selector.degraded, shown(figures), sep="\n")
    if chosen.out:
        chosen.out.write_text(json.dumps(rounded(figures), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
