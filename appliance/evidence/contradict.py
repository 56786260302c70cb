"""Which statements contradict each other: figures that differ beyond rounding and conversion, and denials.

Arrives: statements of several documents. Leaves: conflicts, the surest first. Code aligns entity,
metric, period
and scope and reads the figures; a small trained head weighs what speaks for the same thing being meant; an
entailment model, where there is one, keeps out pairs of which one follows from the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from appliance.domain import Struct
from appliance.evidence.differing_figures import differing_figures
from appliance.evidence.frames import Frame, frame_of
from appliance.evidence.opposed import opposed
from appliance.evidence.statements import Statement
from appliance.evidence.topics import words_of
from appliance.evidence.unlike import unlike_figures, unlike_signs
from appliance.ports import Embedder, Entails

TOLD_MIN = 0.85
"""From this probability on a pair is told."""
EMBEDDED_MAX = 24
"""Statements that are embedded for one answer: about 60 ms on one core."""
COSINE_MIN = 0.6
"""The encoder that the head knows puts any two sentences above this; what lies below tells nothing."""
FOLLOWS = 0.5
_FIGURES = re.compile(r"\d[\d,.]*")


class ConflictKind(StrEnum):
    """In what two statements contradict each other."""

    FIGURE = "figure"
    SIGN = "sign"


class Conflict(Struct, frozen=True, kw_only=True):
    """Two statements that cannot both hold."""

    kind: ConflictKind
    one: Statement
    other: Statement
    values: tuple[str, str]
    """The figures as written; for a denial the axis, twice."""
    probability: float
    asked: bool = False
    """Both answer one question, however unlike their words are."""


class Judging(Protocol):
    """The trained heads."""

    def probability(self, kind: str, features: tuple[float, ...]) -> float:
        """0–1."""
        ...


def contradictions(
    statements: Sequence[Statement],
    entails: Entails | None = None,
    *,
    head: Judging,
    embedder: Embedder | None = None,
    about: str = "",
    anchors: Sequence[Statement] = (),
) -> list[Conflict]:
    """Return the conflicts among statements of different documents, the surest first.

    ``anchors``: only pairs of which one is among these. ``about``: what is asked. Without an embedder only
    the words of both are held against each other.
    """
    asked = words_of(about)
    pairs = [(frame_of(one), frame_of(other)) for one, other in _pairs(statements, anchors)]
    first = [each for each in (_judged(one, other, head, 0.0, asked) for one, other in pairs) if each]
    if embedder is not None and first:
        first = _embedded(first, head, embedder, asked)
    kept = [each for each in first if each.probability >= TOLD_MIN]
    return _unentailed(_once(sorted(kept, key=lambda each: -each.probability)), entails)


def _pairs(
    statements: Sequence[Statement], anchors: Sequence[Statement]
) -> list[tuple[Statement, Statement]]:
    if anchors:
        return [(one, other) for one in anchors for other in statements if _foreign(one, other)]
    return [
        (one, other)
        for at, one in enumerate(statements)
        for other in statements[at + 1 :]
        if _foreign(one, other)
    ]


def _foreign(one: Statement, other: Statement) -> bool:
    """Of different documents, or of different versions of one."""
    mine, theirs = one.passage, other.passage
    return (mine.document_id, mine.version) != (theirs.document_id, theirs.version)


def _judged(one: Frame, other: Frame, head: Judging, close: float, asked: frozenset[str]) -> Conflict | None:
    """The likelier of the two kinds of conflict between two statements."""
    found: list[Conflict] = []
    sides = (one.statement, other.statement)
    figures = differing_figures(one, other, close=close, about=asked)
    if figures and not unlike_figures(one, other, (figures.one, figures.other), asked):
        probability = head.probability(ConflictKind.FIGURE, figures.features)
        values = (figures.one.text, figures.other.text)
        found.append(_conflict(ConflictKind.FIGURE, sides, values, probability))
    signs = opposed(one, other, close=close, about=asked)
    if signs and not unlike_signs(one, other, signs.axis, asked):
        probability = head.probability(ConflictKind.SIGN, signs.features)
        found.append(_conflict(ConflictKind.SIGN, sides, (signs.axis, signs.axis), probability))
    return max(found, key=lambda each: each.probability) if found else None


def _conflict(
    kind: ConflictKind, sides: tuple[Statement, Statement], values: tuple[str, str], probability: float
) -> Conflict:
    return Conflict(kind=kind, one=sides[0], other=sides[1], values=values, probability=probability)


def _embedded(
    found: list[Conflict], head: Judging, embedder: Embedder, asked: frozenset[str]
) -> list[Conflict]:
    """The likeliest pairs, judged again with the cosine of both; the others as they were."""
    ranked = sorted(found, key=lambda each: -each.probability)
    wanted: dict[Statement, int] = {}
    again: list[Conflict] = []
    for each in ranked:
        fresh = [side for side in (each.one, each.other) if side not in wanted]
        if len(wanted) + len(fresh) <= EMBEDDED_MAX:
            for side in fresh:
                wanted[side] = len(wanted)
            again.append(each)
    vectors = embedder.embed_passages([masked(each.text) for each in wanted])
    judged: list[Conflict] = [each for each in ranked if each not in again]
    for each in again:
        cosine = float(vectors[wanted[each.one]] @ vectors[wanted[each.other]])
        close = cosine if cosine >= COSINE_MIN else 0.0
        if made := _judged(frame_of(each.one), frame_of(each.other), head, close, asked):
            judged.append(made)
    return judged


def masked(text: str) -> str:
    """The text with every figure the same: what it is about, not what it says."""
    return _FIGURES.sub("0", text)


def _once(conflicts: Sequence[Conflict]) -> list[Conflict]:
    """One conflict for each pair of passages and each pair of values."""
    kept: list[Conflict] = []
    seen: set[object] = set()
    for each in conflicts:
        ids = frozenset((each.one.passage.id, each.other.passage.id))
        values = (each.kind, frozenset(each.values))
        if ids not in seen and (each.kind is ConflictKind.SIGN or values not in seen):
            kept.append(each)
        seen.update((ids, values))
    return kept


def _unentailed(conflicts: list[Conflict], entails: Entails | None) -> list[Conflict]:
    """Without denials of which one side follows from the other."""
    denials = [each for each in conflicts if each.kind is ConflictKind.SIGN]
    if entails is None or not denials:
        return conflicts
    forth = entails([(each.one.text, each.other.text) for each in denials])
    back = entails([(each.other.text, each.one.text) for each in denials])
    follows = [each for each, a, b in zip(denials, forth, back, strict=True) if max(a, b) >= FOLLOWS]
    return [each for each in conflicts if each not in follows]
