# pyright: basic
"""One call's view of an index: a state and a scope in; filtered postings and exact scores out.

Rows of all parts are numbered through (a part's first row is its offset). What several queries of the call
share is read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from bm25s.scoring import _score_tfc_lucene as tfc_lucene

from appliance.domain import Scope
from appliance.store.bm25_parts import Part, Parts
from appliance.store.bm25_segment import Array
from appliance.store.bm25_tiers import FREQUENT, document_hashes

K1 = 1.2
B = 0.75


class Term(NamedTuple):
    """A term of a query and what its saturated count is multiplied with (> 0)."""

    term: int
    factor: float


class Run(NamedTuple):
    """Some postings of a term in one part, and the most that any of them scores before the factor."""

    most: float
    part: int
    tier: int
    """-1: all of them."""
    size: int
    """How many postings."""


class Reading:
    """Lives for one call, in one thread."""

    def __init__(self, parts: Parts, scope: Scope) -> None:
        self.parts = parts
        self.passages = sum(part.living for part in parts)
        self.tokens = sum(part.tokens for part in parts)
        self.offsets = np.concatenate([[0], np.cumsum([part.rows for part in parts])]).astype(np.int64)
        self.postings_read = 0
        self._scope = scope
        self._allowed = [part.tiers.allowed(scope) for part in parts]
        self._mean = self.tokens / max(self.passages, 1)
        self._runs: dict[int, list[Run]] = {}
        self._read: dict[tuple[int, int, int], tuple[Array, Array]] = {}
        self._whole: dict[tuple[int, int], tuple[Array, Array]] = {}

    @property
    def rows(self) -> int:
        """Of all parts, dead ones too."""
        return int(self.offsets[-1])

    def holders(self, term: int) -> int:
        """Living passages with the term, whoever may read them."""
        return sum(part.holders(term) for part in self.parts)

    def held(self, term: int) -> int:
        """Postings of the term, those of dead rows included."""
        return sum(int(part.segment.postings(term)[0].size) for part in self.parts)

    def whole(self, term: int, at: int) -> tuple[Array, Array]:
        """Every row of a part that holds the term, dead and unreadable ones too, and its saturated counts."""
        found = self._whole.get((term, at))
        if found is None:
            segment = self.parts[at].segment
            rows, counts = segment.postings(term)
            rows = rows.astype(np.int64)  # what numpy indexes with, so that it converts only once
            self.postings_read += int(rows.size)
            found = rows, self._saturated(counts, segment.lengths[rows])
            self._whole[term, at] = found
        return found

    def runs(self, term: int) -> list[Run]:
        """All postings of a term, in pieces."""
        found = self._runs.get(term)
        if found is None:
            found = [run for at, part in enumerate(self.parts) for run in self._runs_in(part, at, term)]
            self._runs[term] = found
        return found

    def read(self, term: int, run: Run) -> tuple[Array, Array]:
        """Readable rows (numbered through) and their saturated counts, float64."""
        key = (term, run.part, run.tier)
        found = self._read.get(key)
        if found is None:
            rows, counts, lengths = self._postings(term, run)
            self.postings_read += int(rows.size)
            mask = self.readable(run.part, rows)
            if mask is not None:
                rows, counts, lengths = rows[mask], counts[mask], lengths[mask]
            found = rows + self.offsets[run.part], self._saturated(counts, lengths)
            self._read[key] = found
        return found

    def scores(self, terms: Sequence[Term], rows: Array) -> Array:
        """(n,) float64 scores of these rows (numbered through, ascending).

        Summed in the order of the terms, so that a score never depends on how the rows were found.
        """
        scores = np.zeros(rows.size, dtype=np.float64)
        borders = np.searchsorted(rows, self.offsets)
        for at, part in enumerate(self.parts):
            mine = slice(int(borders[at]), int(borders[at + 1]))
            local = (rows[mine] - self.offsets[at]).astype(np.int32)
            if local.size:
                lengths = part.segment.lengths[local]
                for term, factor in terms:
                    self._add(scores[mine], part, term, factor, local, lengths)
        return scores

    def ids(self, rows: Array) -> Array:
        """(n,) int64 passage ids of rows numbered through, ascending."""
        borders = np.searchsorted(rows, self.offsets)
        return np.concatenate(
            [
                part.segment.ids[rows[borders[at] : borders[at + 1]] - self.offsets[at]]
                for at, part in enumerate(self.parts)
            ]
        )

    @cached_property
    def readable_at_most(self) -> int:
        """How many rows may be seen, dead ones included."""
        if self._scope.documents:
            return sum(part.tiers.count_of_documents(self._scope) for part in self.parts)
        if all(allowed.all() for allowed in self._allowed):
            return self.rows
        return sum(
            part.tiers.count_of_sets(allowed) for part, allowed in zip(self.parts, self._allowed, strict=True)
        )

    @cached_property
    def all_readable(self) -> Array:
        """All rows that live and may be seen, ascending: for scopes that leave few."""
        found: list[Array] = []
        for at, part in enumerate(self.parts):
            if self._scope.documents:
                rows = part.tiers.rows_of_documents(self._scope)
                mask = part.alive[rows] & self._allowed[at][part.segment.group_sets[rows]]
            else:
                rows = part.tiers.rows_of_sets(self._allowed[at])
                mask = part.alive[rows]
            found.append(rows[mask] + self.offsets[at])
        return np.concatenate(found)

    def _runs_in(self, part: Part, at: int, term: int) -> list[Run]:
        rows, _ = part.segment.postings(term)
        if not rows.size:
            return []
        if rows.size <= FREQUENT:
            _, saturated = self.read(term, Run(1.0, at, -1, rows.size))
            return [Run(float(saturated.max()), at, -1, rows.size)] if saturated.size else []
        tiers = part.tiers.of_term(term)
        most = self._saturated(tiers.most, tiers.shortest).tolist()
        sizes = np.diff(tiers.starts).tolist()
        return [
            Run(bound, at, tier, size) for tier, (bound, size) in enumerate(zip(most, sizes, strict=True))
        ]

    def _postings(self, term: int, run: Run) -> tuple[Array, Array, Array]:
        part = self.parts[run.part]
        if run.tier < 0:
            rows, counts = part.segment.postings(term)
            return rows, counts, part.segment.lengths[rows]
        tiers = part.tiers.of_term(term)
        some = slice(tiers.starts[run.tier], tiers.starts[run.tier + 1])
        return tiers.rows[some], tiers.counts[some], tiers.lengths[some]

    def readable(self, at: int, rows: Array) -> Array | None:
        """(n,) bool: rows of a part that live and may be seen; None for all of them."""
        part, allowed = self.parts[at], self._allowed[at]
        mask = part.alive[rows] if part.dead.size else None
        if not allowed.all():
            may = allowed[part.segment.group_sets[rows]]
            mask = may if mask is None else mask & may
        if self._scope.documents:
            wanted = document_hashes(self._scope.documents)
            documents = part.segment.documents[rows]
            place = np.minimum(np.searchsorted(wanted, documents), wanted.size - 1)
            among = wanted[place] == documents
            mask = among if mask is None else mask & among
        return mask

    def _add(self, scores: Array, part: Part, term: int, factor: float, local: Array, lengths: Array) -> None:
        rows, counts = part.segment.postings(term)
        if rows.size:
            place = np.minimum(np.searchsorted(rows, local), rows.size - 1)
            held = np.flatnonzero(rows[place] == local)
            if held.size:
                scores[held] += factor * self._saturated(counts[place[held]], lengths[held])

    def _saturated(self, counts: Array, lengths: Array) -> Array:
        return tfc_lucene(counts.astype(np.float64), lengths, self._mean, K1, B)
