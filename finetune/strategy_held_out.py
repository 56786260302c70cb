"""What a choice of shares earns on worlds whose kind was held out, and how bold it may therefore be.

Arrives: worlds with their signals and rows. Leaves: caution and pace of the head, with what they earn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from finetune.strategy_draws import CONFIGURED, LEANS, Rows, tilted
from finetune.strategy_rewards import GRID, Set, at_shares, with_memory

FOLDS = (
    ("handbook", "reference"),
    ("policies", "dated", "registers"),
    ("filings", "reports"),
    ("people", "news"),
    ("mixed",),
    ("pages",),
)
CANDIDATES = ((1.0, 0.5), (1.0, 1.0), (1.5, 0.5), (1.5, 1.0), (2.0, 0.5), (2.0, 1.0))
"""Deviations of the networks' opinions that are taken off a gain, and how much of the way to the best share
is gone."""
MOST_LOST = 0.005
"""Half a point: what no drawn collection of an unseen kind may lose."""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One drawn collection of an unseen kind: what the networks think of each question, and its odds."""

    name: str
    given: Set
    odds: np.ndarray
    opinions: np.ndarray


class Bold(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate with what it earns."""

    caution: float
    pace: float
    mean: float
    worst: float
    table: dict[str, dict[str, float]]


def opinions(head: dict[str, np.ndarray], features: np.ndarray) -> np.ndarray:
    """``(n, e, g)``."""
    normal = np.clip((features - head["centre"]) / head["scale"], -3, 3)
    hidden = np.tanh(np.einsum("nf,efh->neh", normal, head["first"], optimize=True) + head["first_bias"])
    return np.einsum("neh,ehg->neg", hidden, head["second"], optimize=True) + head["second_bias"]


def held_out(
    sets: Sequence[Set],
    bare: Sequence[np.ndarray],
    rows: Sequence[Rows],
    names: Sequence[str],
    train: Callable[[Sequence[Rows]], dict[str, np.ndarray]],
) -> list[Case]:
    """Every world as it is drawn for training (``lean``), with an empty memory and with half its questions.

    Worlds are left out by kind, so that none is judged by a network that saw its sister.
    """
    cases: list[Case] = []
    for fold in FOLDS:
        seen = [not given.name.startswith(fold) for given in sets]
        head = train([row for row, kept in zip(rows, seen, strict=True) if kept])
        for given, plain, kept in zip(sets, bare, seen, strict=True):
            if not kept:
                cases += _drawn(head, given, names, plain)
    return cases


def _drawn(head: dict[str, np.ndarray], given: Set, names: Sequence[str], plain: np.ndarray) -> list[Case]:
    every, cases = np.arange(len(plain)), []
    for lean in LEANS:
        odds = tilted(given, lean)
        past = np.random.default_rng(lean + 9).choice(every, len(every) // 2, p=odds)
        for kind, features in (("empty", plain), ("half", with_memory(given, names, plain, every, past))):
            name = f"{given.name}, lean {lean:+}, memory {kind}"
            cases.append(Case(name=name, given=given, odds=odds, opinions=opinions(head, features)))
    return cases


def shares(found: np.ndarray, caution: float, pace: float) -> np.ndarray:
    """``(n,)``: what ``chosen_share`` of the product chooses, for many questions at once."""
    here = found[:, :, int(np.argmin(np.abs(GRID - CONFIGURED)))]
    gains = found - here[:, :, None]
    sure = gains.mean(axis=1) - caution * gains.std(axis=1)
    best = sure.argmax(axis=1)
    moved = CONFIGURED + pace * (GRID[best] - CONFIGURED)
    return np.where(sure.max(axis=1) > 0, moved, CONFIGURED)


def measured(cases: Sequence[Case], caution: float, pace: float) -> Bold:
    """What this choice earns on each case, in the mean of nDCG@10 and recall@5."""
    table: dict[str, dict[str, float]] = {}
    for case in cases:
        share = shares(case.opinions, caution, pace)
        curves = (case.given.ndcg + case.given.recall) / 2
        usual = at_shares(curves, np.full(len(share), CONFIGURED))
        table[case.name] = {
            "configured": round(float(case.odds @ usual), 4),
            "selector": round(float(case.odds @ at_shares(curves, share)), 4),
            "moved": round(float((share != CONFIGURED).mean()), 3),
        }
    gains = np.array([row["selector"] - row["configured"] for row in table.values()])
    return Bold(caution=caution, pace=pace, mean=float(gains.mean()), worst=float(gains.min()), table=table)


def boldest(cases: Sequence[Case]) -> tuple[Bold, dict[str, list[float]]]:
    """The candidate that earns most of those that lose nowhere much, and mean and worst of all.

    Where every one loses somewhere, the one that loses least.
    """
    tried = [measured(cases, caution, pace) for caution, pace in CANDIDATES]
    safe = [one for one in tried if one.worst >= -MOST_LOST]
    best = max(safe, key=lambda one: one.mean) if safe else max(tried, key=lambda one: one.worst)
    figures = {f"caution {one.caution}, pace {one.pace}": [one.mean, one.worst] for one in tried}
    return best, {name: [round(value, 4) for value in pair] for name, pair in figures.items()}
