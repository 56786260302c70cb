"""The state of a lexical index: segments with their living rows, and what was counted of them once.

A state never changes; a change gives a new one that shares all segments. Nothing here that a search uses is
linear in the rows: living passages and tokens are kept with each part, dead rows are few and listed.
"""

from __future__ import annotations

import numpy as np

from appliance.store.bm25_combine import combined
from appliance.store.bm25_journal import Change
from appliance.store.bm25_segment import Array, Segment
from appliance.store.bm25_tiers import Tiers

JOIN_ROWS = 8_192
"""Small segments of like size are joined up to this many rows, so that no single write has much to do."""
_KEPT_HOLDERS = 50_000


class Part:
    """A segment and which of its rows live."""

    def __init__(self, segment: Segment, alive: Array, dead: Array, tokens: int, tiers: Tiers) -> None:
        """Made by :meth:`whole` and :meth:`without`."""
        self.segment = segment
        self.alive = alive
        """(n,) bool"""
        self.dead = dead
        """(d,) int32, ascending rows"""
        self.tokens = tokens
        """Of the living rows."""
        self.tiers = tiers
        self._holders: dict[int, int] = {}

    @classmethod
    def whole(cls, segment: Segment) -> Part:
        """All rows live."""
        rows = segment.ids.size
        return cls(
            segment, np.ones(rows, bool), np.zeros(0, np.int32), int(segment.lengths.sum()), Tiers(segment)
        )

    @property
    def rows(self) -> int:
        """Living and dead."""
        return int(self.segment.ids.size)

    @property
    def living(self) -> int:
        """Living rows."""
        return self.rows - int(self.dead.size)

    def living_ids(self) -> Array:
        """(living,) int64 passage ids, ascending."""
        return self.segment.ids[self.alive]

    def holds(self, ids: Array) -> Array:
        """(n,) bool: which of the ids live here."""
        if not self.rows:
            return np.zeros(ids.size, dtype=bool)
        at = np.minimum(np.searchsorted(self.segment.ids, ids), self.rows - 1)
        return (self.segment.ids[at] == ids) & self.alive[at]

    def without(self, ids: Array) -> Part:
        """The part after these ids are struck out."""
        rows = self.segment.find(ids)
        rows = rows[self.alive[rows]]
        if not rows.size:
            return self
        alive = self.alive.copy()
        alive[rows] = False
        dead = np.union1d(self.dead, rows).astype(np.int32)
        return Part(
            self.segment, alive, dead, self.tokens - int(self.segment.lengths[rows].sum()), self.tiers
        )

    def holders(self, term: int) -> int:
        """How many living rows hold the term; counted once."""
        known = self._holders.get(term)
        if known is None:
            rows, _ = self.segment.postings(term)
            known = int(rows.size) - self._dead_among(rows)
            if len(self._holders) >= _KEPT_HOLDERS:
                self._holders = {}
            self._holders[term] = known
        return known

    def _dead_among(self, rows: Array) -> int:
        if not rows.size or not self.dead.size:
            return 0
        if self.dead.size > rows.size:
            return int(rows.size - np.count_nonzero(self.alive[rows]))
        at = np.minimum(np.searchsorted(rows, self.dead), rows.size - 1)
        return int(np.count_nonzero(rows[at] == self.dead))


Parts = tuple[Part, ...]
"""The main segment first, then smaller ones of what came since; no id lives twice."""


def folded(parts: Parts) -> Segment:
    """All living rows in one segment."""
    return combined([(part.segment, part.alive) for part in parts])


def applied(parts: Parts, record: Change) -> Parts:
    """The state after one record. Small segments of like size are joined, so there are only a few."""
    removed = record.removed_ids()
    after = [part.without(removed) for part in parts]
    if (added := record.added()) is not None:
        after.append(Part.whole(added))
    while len(after) > 2 and after[-2].rows <= 2 * after[-1].rows and after[-2].rows <= JOIN_ROWS:
        after[-2:] = [Part.whole(folded(tuple(after[-2:])))]
    return tuple(after)
