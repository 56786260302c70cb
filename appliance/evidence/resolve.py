"""Which side of a conflict holds: the more binding source, else the newer one, else the later version.

Arrives: two passages. Leaves: which one, and by what; neither where nothing tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from appliance.domain import Authority, Passage, Struct
from appliance.evidence.contradict import Conflict, ConflictKind
from appliance.evidence.differing_figures import consistent, differing_figures
from appliance.evidence.frames import frame_of
from appliance.evidence.statements import Statement


class DecidedBy(StrEnum):
    """What decides a conflict, in the order in which it is asked."""

    AUTHORITY = "authority"
    DATE = "date"
    VERSION = "version"
    SUPPORT = "support"
    """A further source that says the same as one side."""


class Resolution(Struct, frozen=True, kw_only=True):
    """Which side holds."""

    chosen: int | None = None
    """0 or 1; None: undecided."""
    by: DecidedBy | None = None


def resolve(one: Passage, other: Passage) -> Resolution:
    """The side that holds by authority, then date, then version.

    A source of which nobody says how binding it is counts as internal. Dates are compared as far as both are
    told: 2023 and 2023-10-20 are no different dates.
    """
    ranks = [(each.authority or Authority.INTERNAL).level for each in (one, other)]
    if ranks[0] != ranks[1]:
        return Resolution(chosen=int(ranks[1] < ranks[0]), by=DecidedBy.AUTHORITY)
    dates = [each.effective_from or each.published or "" for each in (one, other)]
    told = min(len(dates[0]), len(dates[1]))
    if told >= 4 and dates[0][:told] != dates[1][:told]:
        return Resolution(chosen=int(dates[1][:told] > dates[0][:told]), by=DecidedBy.DATE)
    if one.document_id == other.document_id and one.version != other.version:
        return Resolution(chosen=int(other.version > one.version), by=DecidedBy.VERSION)
    return Resolution()


def supported(conflict: Conflict, further: Sequence[Statement]) -> Resolution:
    """The side whose figure further sources give, and none of them the other's; undecided otherwise.

    Statements of the two documents themselves are no further sources.
    """
    if conflict.kind is not ConflictKind.FIGURE:
        return Resolution()
    known = {conflict.one.passage.document_id, conflict.other.passage.document_id}
    sides = (conflict.one, conflict.other)
    fresh = [each for each in further if each.passage.document_id not in known]
    agreeing = [sum(_agrees(side, sides[1 - at], each) for each in fresh) for at, side in enumerate(sides)]
    if bool(agreeing[0]) == bool(agreeing[1]):
        return Resolution()
    return Resolution(chosen=int(agreeing[1] > 0), by=DecidedBy.SUPPORT)


def _agrees(side: Statement, against: Statement, third: Statement) -> bool:
    """Whether ``third`` differs from ``against`` in the very figure, and gives that of ``side``."""
    told = differing_figures(frame_of(against), frame_of(third))
    if told is None:
        return False
    held = differing_figures(frame_of(side), frame_of(against))
    return held is not None and consistent(held.one, told.other) and consistent(held.other, told.one)
