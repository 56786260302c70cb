"""What makes a large segment cheap to search: a segment in, pieces of it in a useful order out, kept.

Nothing here is on disk and nothing depends on the mean length, so all of it stays right while passages come
and go. Each piece is made when a search first needs it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from appliance.domain import DocumentId, Scope
from appliance.store.bm25_segment import Array, Segment, hashed

FREQUENT = 32_768
"""A term with more postings than this is read tier by tier."""
KEPT_POSTINGS = 16_000_000
"""Postings whose tiers are kept (10 bytes each); the least recently used go first."""
_COUNTS = np.array([0, 0, 1, 2, 2, 3, 3, 3, 4], dtype=np.uint8)
"""Tier by count: 1, 2, 3–4, 5–7, 8 and more."""
_LENGTHS = 12
_SAMPLE = 4_096
_KEPT_SCOPES = 64


class TermTiers(NamedTuple):
    """The postings of one term, grouped so that all of a tier score alike."""

    rows: Array
    """(p,) int32, ascending inside a tier"""
    counts: Array
    """(p,) uint16"""
    lengths: Array
    """(p,) int32: tokens of the row's passage"""
    starts: list[int]
    """Where each tier begins, and the end."""
    most: Array
    """(tiers,) the highest count: with the next the most that a passage of the tier can score."""
    shortest: Array
    """(tiers,) the smallest length"""


class Tiers:
    """Of one segment; shared by all its states, safe to use from several threads."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._lock = threading.Lock()
        self._terms: OrderedDict[int, TermTiers] = OrderedDict()
        self._postings = 0
        self._allowed: OrderedDict[tuple[tuple[str, ...], str], Array] = OrderedDict()

    def of_term(self, term: int) -> TermTiers:
        """The tiers of a frequent term."""
        with self._lock:
            found = self._terms.get(term)
            if found is not None:
                self._terms.move_to_end(term)
                return found
        made = self._tiered(term)
        with self._lock:
            if term not in self._terms:
                self._terms[term] = made
                self._postings += made.rows.size
            while self._postings > KEPT_POSTINGS and len(self._terms) > 1:
                self._postings -= self._terms.popitem(last=False)[1].rows.size
        return made

    def allowed(self, scope: Scope) -> Array:
        """(group sets,) bool: which sets of marks share a group with the scope and do not deny it."""
        key = (scope.groups, scope.user)
        with self._lock:
            found = self._allowed.get(key)
        if found is None:
            wanted, unwanted = set(scope.groups), {f"!{name}" for name in scope.denied_as()}
            found = np.array(
                [
                    not wanted.isdisjoint(marks) and unwanted.isdisjoint(marks)
                    for marks in self._segment.groups
                ],
                dtype=bool,
            )
            with self._lock:
                self._allowed[key] = found
                if len(self._allowed) > _KEPT_SCOPES:
                    self._allowed.popitem(last=False)
        return found

    def rows_of_documents(self, scope: Scope) -> Array:
        """Rows of the documents that the scope names, ascending int32; dead ones too."""
        return _gathered(self._by_document[0], *self._places(scope))

    def count_of_documents(self, scope: Scope) -> int:
        """How many :meth:`rows_of_documents` would give."""
        starts, ends = self._places(scope)
        return int((ends - starts).sum())

    def rows_of_sets(self, allowed: Array) -> Array:
        """Rows whose marks are among the allowed sets, ascending int32; dead ones too."""
        order, starts = self._by_set
        chosen = np.flatnonzero(allowed)
        return _gathered(order, starts[chosen], starts[chosen + 1])

    def count_of_sets(self, allowed: Array) -> int:
        """How many :meth:`rows_of_sets` would give."""
        _, starts = self._by_set
        return int(np.diff(starts)[allowed].sum())

    def _places(self, scope: Scope) -> tuple[Array, Array]:
        _, ordered = self._by_document
        wanted = document_hashes(scope.documents)
        return np.searchsorted(ordered, wanted), np.searchsorted(ordered, wanted, "right")

    @cached_property
    def _by_document(self) -> tuple[Array, Array]:
        order = np.argsort(self._segment.documents, kind="stable").astype(np.int32)
        return order, self._segment.documents[order]

    @cached_property
    def _by_set(self) -> tuple[Array, Array]:
        sets = self._segment.group_sets
        order = np.argsort(sets, kind="stable").astype(np.int32)
        starts = np.searchsorted(sets[order], np.arange(len(self._segment.groups) + 1, dtype=np.int32))
        return order, starts

    @cached_property
    def _borders(self) -> Array:
        """Lengths that part the segment into classes of about equal size, by a sample."""
        lengths = self._segment.lengths
        sample = lengths[:: max(1, lengths.size // _SAMPLE)]
        return np.quantile(sample, np.linspace(0, 1, _LENGTHS + 1)[1:-1]).astype(np.int32)

    def _tiered(self, term: int) -> TermTiers:
        rows, counts = self._segment.postings(term)
        lengths = self._segment.lengths[rows]
        by_count = _COUNTS[np.minimum(counts, _COUNTS.size - 1)]
        by_length = np.searchsorted(self._borders, lengths).astype(np.uint8)
        tier = by_count * np.uint8(_LENGTHS) + by_length
        order = np.argsort(tier, kind="stable")
        rows, counts, lengths = rows[order], counts[order], lengths[order]
        sizes = np.bincount(tier)
        starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
        return TermTiers(
            rows=rows,
            counts=counts,
            lengths=lengths,
            starts=starts.tolist(),
            most=np.maximum.reduceat(counts, starts[:-1]),
            shortest=np.minimum.reduceat(lengths, starts[:-1]),
        )


@lru_cache(maxsize=32)
def document_hashes(documents: tuple[DocumentId, ...]) -> Array:
    """(n,) uint64, ascending."""
    return np.unique(np.array([hashed(name) for name in documents], dtype=np.uint64))


def _gathered(order: Array, starts: Array, ends: Array) -> Array:
    """``order[starts[i]:ends[i]]`` of all i, sorted."""
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    places = [order[start:end] for start, end in spans if end > start]
    return np.sort(np.concatenate([order[:0], *places]))
