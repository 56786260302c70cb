"""A question and what recall made of it, as numbers: the only thing that the strategy selector sees.

Arrives: a reading, how rare its terms are, both recalled lists, the experience with like questions. Leaves:
:class:`Signals`, about 50 numbers around 0–1. Nothing is looked up and no model is asked: everything is
a by-product of recall, 0.3 ms.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from appliance.domain import Experience, Reading, Scored, Specificity, Struct
from appliance.retrieval.strategy_rivals import rivalry

TOP = 50
"""Only so much of each list is looked at, so that a deeper recall does not change the signals."""
FULL = 50
"""So many past questions are as good as any more."""
_CODE = re.compile(r"(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])[\w.-]{3,}")
_NUMBER = re.compile(r"\d+")
_CAPITALISED = re.compile(r"(?<![.?!]\s)(?<!^)\b[A-Z][\w'’-]+(?:\s+(?:of\s+|the\s+)?[A-Z][\w'’-]+)*")
_QUOTED = re.compile(r"《[^》]+》|“[^”]+”|\"[^\"]+\"|「[^」]+」")
_TIME = re.compile(
    r"\b(?:19|20)\d\d\b|\d+\s*[年月日]|\b(?:latest|current|recent|now|today|version|since|before|after|until|"
    r"changed?)\b|最新|现行|目前|今年|去年|版本|之前|以后|变化",
    re.IGNORECASE,
)


class Signals(Struct, frozen=True, kw_only=True):
    """``values[i]`` is what ``names[i]`` says."""

    names: tuple[str, ...]
    values: tuple[float, ...]


def features(
    reading: Reading,
    specificity: Specificity,
    dense: Sequence[Scored],
    lexical: Sequence[Scored],
    memory: Experience,
) -> Signals:
    """The signals of one question; defined for empty lists, unknown words and an empty memory too."""
    named = {
        **_question(reading),
        **_rarity(specificity, lexical),
        **_shape("dense", dense[:TOP], by_first=False),
        **_shape("lexical", lexical[:TOP], by_first=True),
        **_agreement(dense[:TOP], lexical[:TOP]),
        **rivalry(dense[:TOP], lexical[:TOP]),
        **remembered(memory),
    }
    return Signals(names=tuple(named), values=tuple(named.values()))


def remembered(memory: Experience) -> dict[str, float]:
    """What the collection's past questions say of the routes; even where they say nothing."""
    near, known = memory.questions > 0, memory.held > 0
    return {
        "remembered": min(memory.held, FULL) / FULL,
        "remembered similarity": max(0.0, memory.similarity - 0.75) * 4 if near else 0.0,
        "nearest dense": memory.dense if near else 0.5,
        "nearest lexical": memory.lexical if near else 0.5,
        "nearest difference": memory.dense - memory.lexical if near else 0.0,
        "all dense": memory.all_dense if known else 0.5,
        "all lexical": memory.all_lexical if known else 0.5,
        "all difference": memory.all_dense - memory.all_lexical if known else 0.0,
    }


def specificity_of(idfs: Sequence[tuple[str, float]], passages: int) -> Specificity:
    """What :meth:`~appliance.ports.LexicalIndex.specificity` says of one text, as the signals take it."""
    unheld = math.log(1 + (passages + 0.5) / 0.5) - 1e-6
    held = tuple(float(idf) for _, idf in idfs if idf < unheld)
    return Specificity(idfs=held, unknown=len(idfs) - len(held), passages=passages)


def _question(reading: Reading) -> dict[str, float]:
    """Length, complexity, names, codes, time, language."""
    text = reading.text
    surface = len(_CAPITALISED.findall(text)) + len(_QUOTED.findall(text))
    return {
        "length": math.log1p(len(text)) / 6,
        "Chinese": float(reading.language == "zh"),
        "complex": float(not reading.simple),
        "names": min(surface, 5) / 5,
        "codes": min(len(_CODE.findall(text)), 3) / 3,
        "numbers": min(len(_NUMBER.findall(text)), 4) / 4,
        "time": min(len(_TIME.findall(text)), 3) / 3,
        "asks": float(text.endswith(("?", "？")) or (" " not in text.strip() and reading.language == "en")),
    }


def _rarity(specificity: Specificity, lexical: Sequence[Scored]) -> dict[str, float]:
    """How rare the terms are, and what share of their weight the best lexical hit has."""
    idfs = np.array(specificity.idfs or (0.0,))
    highest = math.log(1 + max(specificity.passages, 1) * 2)
    total, terms = float(idfs.sum()), len(specificity.idfs)
    cover = [scored.score / total if total else 0.0 for scored in (*lexical[:1], *lexical[9:10])]
    return {
        "terms": math.log1p(terms) / 4,
        "unknown terms": specificity.unknown / max(1, terms + specificity.unknown),
        "mean idf": float(idfs.mean()) / highest,
        "highest idf": float(idfs.max()) / highest,
        "spread of idf": float(idfs.std()) / highest,
        "covered by the first": cover[0] if cover else 0.0,
        "covered by the tenth": cover[1] if len(cover) > 1 else 0.0,
    }


def _shape(route: str, ranked: Sequence[Scored], *, by_first: bool) -> dict[str, float]:
    """How far the first stands out: BM25 by its own height; cosines, which this encoder crowds, tenfold."""
    if not ranked:
        return {
            f"{route} {part}": 0.0
            for part in ("first", "gap to second", "gap to fifth", "gap to tenth", "fall", "peak")
        }
    scores = np.array([scored.score for scored in ranked])
    unit = max(float(scores[0]), 1e-6) if by_first else 0.1
    whole = max(float(scores[0] - scores[-1]), 1e-6)

    def gap(at: int) -> float:
        return float(scores[0] - scores[min(at, scores.size - 1)]) / unit

    return {
        f"{route} first": math.log1p(float(scores[0])) / 4 if by_first else (float(scores[0]) - 0.75) * 5,
        f"{route} gap to second": gap(1),
        f"{route} gap to fifth": gap(4),
        f"{route} gap to tenth": gap(9),
        f"{route} fall": gap(scores.size - 1),
        f"{route} peak": float(scores[0] - scores.mean()) / whole,
    }


def _agreement(dense: Sequence[Scored], lexical: Sequence[Scored]) -> dict[str, float]:
    """How much the lists share, and where each has the other's first."""
    by_dense = {scored.passage_id: rank for rank, scored in enumerate(dense, start=1)}
    by_lexical = {scored.passage_id: rank for rank, scored in enumerate(lexical, start=1)}

    def shared(most: int) -> float:
        return (
            sum(rank <= most and by_dense.get(pid, TOP + 1) <= most for pid, rank in by_lexical.items())
            / most
        )

    return {
        "shared of 5": shared(5),
        "shared of 10": shared(10),
        "shared of 50": shared(TOP),
        "dense first in lexical": 1 / by_lexical.get(dense[0].passage_id, math.inf) if dense else 0.0,
        "lexical first in dense": 1 / by_dense.get(lexical[0].passage_id, math.inf) if lexical else 0.0,
        "lexical hits": len(lexical) / TOP,
    }
