"""Two statements give different figures for the same thing: which, and how alike is what stands round them.

Arrives: two frames. Leaves: the pair of figures that most likely measure the same, with the features by which
that is judged; None where none do, or where they agree.
"""

from __future__ import annotations

import math

from appliance.domain import Struct
from appliance.domain.quantities import Quantity, same
from appliance.evidence.alike import Likeness, Periods, likeness, periods, same_period
from appliance.evidence.frames import Figure, Frame
from appliance.evidence.topics import overlap, stem

APPROXIMATE = 0.05
"""So far off a figure may be that is called approximate."""
FAR = 2.5
"""Powers of ten between figures in two units of one kind, seconds and days, that measure different things."""
_PERSONS = frozenset(
    stem(word)
    for word in "people persons individuals adults patients participants subjects employees staff workers "
    "residents 人 名 位 员工 患者 受试者".split()
)
FEATURES = (
    "cover", "jaccard", "shared names", "strange", "residue", "headings", "headings apart",
    "leads apart", "softly", "narrowed", "across", "close", "close across", "close known",
    "concepts same", "concepts other", "heads clash", "local cover", "local jaccard", "noun same",
    "noun other", "period same", "period open", "cell", "cells", "ratio", "many", "agreed", "about one",
    "about both", "conditions", "figures", "local residue", "percent",
)  # fmt: skip


class Differing(Struct, frozen=True, kw_only=True):
    """Two figures that differ, and what speaks for their measuring the same."""

    one: Quantity
    other: Quantity
    features: tuple[float, ...]
    """In the order of :data:`FEATURES`."""


def differing_figures(
    one: Frame, other: Frame, *, close: float = 0.0, about: frozenset[str] = frozenset()
) -> Differing | None:
    """The pair of figures that most likely measure the same and differ.

    ``close``: cosine of the two statements, 0 where none was measured; ``about``: words of what is asked.
    """
    if not one.figures or not other.figures:
        return None
    like = likeness(one, other, close)
    if like is None:
        return None
    agreed = _agreed(one, other)
    free = [
        [figure for figure in frame.figures if not any(figure is each[at] for each in agreed)]
        for at, frame in enumerate((one, other))
    ]
    if _other_conditions(free[0], free[1]):
        return None
    best: tuple[float, Differing] | None = None
    for mine in free[0]:
        for theirs in free[1]:
            if not comparable(mine, theirs) or consistent(mine.quantity, theirs.quantity):
                continue
            period = periods(mine, theirs, one, other)
            if period is Periods.OTHER:
                continue
            local = overlap(_clause(mine, one), _clause(theirs, other))
            rank = (
                local + (0.5 if _noun(mine, theirs) > 0 else 0.0) + (0.3 if period is Periods.SAME else 0.0)
            )
            if best is None or rank > best[0]:
                made = _features(mine, theirs, one, other, like, period, len(agreed), about)
                best = rank, Differing(one=mine.quantity, other=theirs.quantity, features=made)
    return best[1] if best else None


def comparable(mine: Figure, theirs: Figure) -> bool:
    """Whether two figures can measure the same: one kind of unit, both levels or both changes."""
    a, b = mine.quantity, theirs.quantity
    if a.written_unit != b.written_unit and _ratio(a.value, b.value) >= FAR:
        return False
    opposed = {a.bound, b.bound} == {"min", "max"}
    return (
        a.unit == b.unit
        and mine.change == theirs.change
        and not opposed
        and not (mine.former or theirs.former)
    )


def consistent(a: Quantity, b: Quantity) -> bool:
    """Whether both can be true: the same within rounding, one within the other's range or bound."""
    if same(a, b) or (a.low <= b.high and b.low <= a.high):
        return True
    for held, bare in ((a, b), (b, a)):
        if not bare.bound and held.bound == "min" and held.value <= bare.value <= held.value * 1.5:
            return True
        if not bare.bound and held.bound == "max" and held.value * 0.67 <= bare.value <= held.value:
            return True
    largest = max(abs(a.value), abs(b.value)) or 1.0
    return (a.approximate or b.approximate) and abs(a.value - b.value) / largest <= APPROXIMATE


def _agreed(one: Frame, other: Frame) -> list[tuple[Figure, Figure]]:
    """Figures that both sides give."""
    return [
        (mine, theirs)
        for mine in one.figures
        for theirs in other.figures
        if mine.quantity.unit == theirs.quantity.unit
        and consistent(mine.quantity, theirs.quantity)
        and not _restated(mine, theirs)
    ]


def _restated(mine: Figure, theirs: Figure) -> bool:
    """Whether one side calls the other's figure a former one of the same period: it was restated."""
    if mine.former == theirs.former or mine.when is None or theirs.when is None:
        return False
    return same_period(mine.when, theirs.when)


def _other_conditions(mine: list[Figure], theirs: list[Figure]) -> bool:
    """Whether the two give figures for different circumstances: at 25 °C and at 40 °C."""
    if len(mine) < 2 or len(theirs) < 2:
        return False
    bound = [
        {each.quantity.unit: each.quantity for each in side if each.condition} for side in (mine, theirs)
    ]
    return any(not consistent(bound[0][unit], bound[1][unit]) for unit in bound[0].keys() & bound[1].keys())


def _clause(figure: Figure, frame: Frame) -> frozenset[str]:
    return figure.clause or frame.topic.words


def _noun(mine: Figure, theirs: Figure) -> int:
    """1: both count the same, -1: different things, 0: one does not say."""
    a, b = (stem(each.quantity.noun.lower()) for each in (mine, theirs))
    if not a or not b:
        return 0
    return 1 if a == b or {a, b} <= _PERSONS else -1


def _features(
    mine: Figure,
    theirs: Figure,
    one: Frame,
    other: Frame,
    like: Likeness,
    period: Periods,
    agreed: int,
    about: frozenset[str],
) -> tuple[float, ...]:
    a, b = mine.quantity, theirs.quantity
    left, right = _clause(mine, one), _clause(theirs, other)
    noun = _noun(mine, theirs)
    asked = [
        overlap(about, frame.topic.words | frame.heading.words) if about else 0.0 for frame in (one, other)
    ]
    conditions = [any(each.condition for each in frame.figures) for frame in (one, other)]
    cells = one.statement.cell + other.statement.cell
    outside = [len(left - other.topic.words - other.around), len(right - one.topic.words - one.around)]
    return (
        *like_features(like),
        overlap(left, right),
        len(left & right) / len(left | right) if left | right else 0.0,
        float(noun > 0),
        float(noun < 0),
        float(period is Periods.SAME),
        float(period is Periods.OPEN),
        float(cells > 0),
        float(cells > 1),
        _ratio(a.value, b.value),
        float(min(3, max(_count(one, a), _count(other, b)) - 1)),
        float(min(2, agreed)),
        min(asked),
        max(asked),
        float(conditions[0] != conditions[1]),
        float(min(4, abs(len(one.figures) - len(other.figures)))),
        min(outside) / 4.0,
        float(a.unit == "percent"),
    )


def like_features(like: Likeness) -> tuple[float, ...]:
    """The first features of every kind of pair."""
    close = (like.close - 0.85) * 10 if like.close else 0.0
    return (
        like.cover,
        like.jaccard,
        float(like.shared_names),
        like.strange,
        like.residue,
        like.headings,
        float(like.apart),
        float(like.leads),
        float(like.softly),
        float(like.narrowed),
        float(like.across),
        close,
        close * like.across,
        float(like.close > 0),
        float(like.concepts > 0),
        float(like.concepts < 0),
        float(like.heads),
    )


def _ratio(a: float, b: float) -> float:
    """How far apart two values are: the absolute logarithm (base 10) of their ratio, at most 3."""
    if not a or not b or (a > 0) != (b > 0):
        return 1.0
    return min(3.0, abs(math.log10(a / b)))


def _count(frame: Frame, like: Quantity) -> int:
    return sum(each.quantity.unit == like.unit for each in frame.figures)
