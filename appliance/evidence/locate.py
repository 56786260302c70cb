"""From retrieved passages to the few sentences and table rows that bear on a task.

Arrives: passages, best first, and a question. Leaves: numbered lines under a token budget.
A small model reads 300 good tokens better, and five times sooner, than 1,500 tokens of whole passages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from appliance.domain import Fingerprint, Passage, PassageId, Reading, Struct
from appliance.evidence.bearing import JUDGED_MAX, Analyse, Judge, Task, scored
from appliance.evidence.compress import LINES_MAX, Kept, compressed
from appliance.evidence.deduplicate import Standing, distinct_passages, distinct_pieces
from appliance.evidence.facts import squeeze
from appliance.evidence.pieces import Split, pieces_of
from appliance.ports import Embedder

__all__ = ["JUDGED_MAX", "LINES_MAX", "Analyse", "Judge", "Line", "Paraphrase", "Split", "locate"]

Paraphrase = Callable[[str, str], str]
"""A question and a line to a shorter line that the guard has passed, or the line itself."""


class Line(Struct, frozen=True, kw_only=True):
    """One sentence or table row of a passage, as the reader model sees it."""

    number: int
    shown: str
    """A table row carries its column names: ``Revenue — 2023: 41.2; 2022: 38.0``."""
    raw: str
    """As it stands in the passage: what a quote shows."""
    passage: Passage
    relevance: float | None = None
    """The cross-encoder's log-odds that it bears on the question, where one judged it."""
    start: int = 0
    end: int = 0
    """Characters into the passage's text; both 0 where it was not taken from there."""
    support: tuple[Fingerprint, ...] = ()
    """Passages of other documents that say the same, left out here: a claim may name them beside its own."""


def locate(
    question: str,
    passages: Sequence[Passage],
    *,
    embedder: Embedder,
    analyse: Analyse,
    split: Split,
    judge: Judge,
    budget_tokens: int,
    reading: Reading | None = None,
    above: Mapping[PassageId, str] | None = None,
    paraphrase: Paraphrase | None = None,
) -> list[Line]:
    """Return the best lines, numbered from 1, of about ``budget_tokens`` in all.

    Passages stand in rising order of their best line: a small model leans on what it read last.

    A line scores by embedding similarity, by the share of the question's rare words or of the metric's name
    that it holds (a row three times a sentence where a figure is asked for), by the rank of its passage and
    by its years. What says the same in two documents is kept once. ``reading``: of the question, for metric
    and kind; ``above``: the text just before a passage in its document, for the header of a table cut in two.
    """
    task = Task.of(question, reading)
    standing = Standing.of(question, analyse)
    kept = distinct_passages(passages, standing)
    pieces, support = distinct_pieces(
        [
            piece
            for rank, passage in enumerate(kept.passages)
            for piece in pieces_of(passage, rank, split, (above or {}).get(passage.id, ""))
        ],
        standing,
    )
    if not pieces:
        return []
    scores = scored(task, pieces, embedder=embedder, analyse=analyse, judge=judge)
    chosen = compressed(pieces, scores.bearing, budget_tokens=budget_tokens, count=embedder.count_tokens)
    lines = [
        Line(
            number=number,
            shown=paraphrase(question, one.shown) if paraphrase and one.piece.row is None else one.shown,
            raw=one.raw,
            passage=one.piece.passage,
            relevance=max((scores.opinions[i] for i in one.parts if i in scores.opinions), default=None),
            start=one.piece.whole[0],
            end=one.piece.whole[1],
            support=_support(one, kept.left_out, support),
        )
        for number, one in enumerate(_ordered(chosen, scores.bearing), start=1)
    ]
    return lines


def _ordered(kept: Sequence[Kept], bearing: Sequence[float]) -> list[Kept]:
    """Passages in rising order of their best line, lines in reading order."""
    best: dict[int, float] = {}
    for one in kept:
        top = max(bearing[i] for i in one.parts)
        best[one.piece.rank] = max(best.get(one.piece.rank, top), top)
    return sorted(kept, key=lambda one: (best[one.piece.rank], one.piece.rank, one.piece.whole[0]))


def _support(
    one: Kept,
    left_out: Mapping[PassageId, tuple[Passage, ...]],
    repeated: Mapping[tuple[PassageId, int], tuple[Fingerprint, ...]],
) -> tuple[Fingerprint, ...]:
    """Where else the line stands: a near-duplicate left out counts only if this sentence is in it."""
    passage, said = one.piece.passage, squeeze(one.raw)
    found = [each.fingerprint for each in left_out.get(passage.id, ()) if said in squeeze(each.text)]
    found += repeated.get((passage.id, one.piece.whole[0]), ())
    return tuple(dict.fromkeys(mark for mark in found if mark != passage.fingerprint))
