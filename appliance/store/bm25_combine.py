"""Segments merged: several in, each with its living rows; one out, as if all had been indexed together.

Postings are merged a range of terms at a time, so that memory is the result plus one range.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from appliance.store.bm25_segment import Array, Segment

RANGE_POSTINGS = 500_000
"""Each step holds the interpreter for a few milliseconds only: searches run beside a merge."""
Living = Sequence[tuple[Segment, Array]]
"""Segments, each with its (n,) bool of living rows; no id lives twice."""


def combined(parts: Living) -> Segment:
    """The living rows of several segments in one: the same arrays as if indexed together from the start."""
    ids = _column([part.ids[alive] for part, alive in parts], np.int64)
    order = np.argsort(ids, kind="stable")
    used = sorted(set[tuple[str, ...]]().union(*(_groups_of(part, alive) for part, alive in parts)))
    code = {name: at for at, name in enumerate(used)}
    renumbered = [
        np.array([code.get(name, -1) for name in part.groups], np.int32)[part.group_sets[alive]]
        for part, alive in parts
    ]
    terms, indptr, rows, counts = _postings(parts, order)
    return Segment(
        ids=ids[order],
        lengths=_column([part.lengths[alive] for part, alive in parts], np.int32)[order],
        documents=_column([part.documents[alive] for part, alive in parts], np.uint64)[order],
        group_sets=_column(renumbered, np.int32)[order],
        groups=tuple(used),
        terms=terms,
        indptr=indptr,
        rows=rows,
        counts=counts,
    )


def _postings(parts: Living, order: Array) -> tuple[Array, Array, Array, Array]:
    """``terms`` that still occur, ``indptr``, ``rows`` and ``counts`` of the result."""
    terms = np.unique(_column([part.terms for part, _ in parts], np.uint64))
    moved = _moved(parts, order)
    places = [np.searchsorted(terms, part.terms) for part, _ in parts]
    rows: list[Array] = []
    counts: list[Array] = []
    holders = np.zeros(terms.size, dtype=np.int64)
    for first, last in _ranges(parts, places, terms.size):
        keys, found = _range(parts, places, moved, first, last)
        rows.append((keys & 0xFFFFFFFF).astype(np.int32))
        counts.append(found)
        holders[first:last] = np.bincount((keys >> 32) - first, minlength=last - first)
    occurring = holders > 0
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(holders[occurring])])
    return terms[occurring], indptr, _column(rows, np.int32), _column(counts, np.uint16)


def _range(
    parts: Living, places: Sequence[Array], moved: Sequence[Array], first: int, last: int
) -> tuple[Array, Array]:
    """The postings of terms ``first`` to ``last``: ascending keys ``term << 32 | row``, and their counts."""
    keys: list[Array] = []
    counts: list[Array] = []
    for (part, _), place, to in zip(parts, places, moved, strict=True):
        begin, end = np.searchsorted(place, [first, last]).tolist()
        at = slice(int(part.indptr[begin]), int(part.indptr[end]))
        term = np.repeat(place[begin:end], np.diff(part.indptr[begin : end + 1]))
        row = to[part.rows[at]]
        living = row >= 0
        keys.append((term[living] << 32) | row[living])
        counts.append(part.counts[at][living])
    joined = _column(keys, np.int64)
    order = np.argsort(joined, kind="stable")  # runs are sorted already: a merge, not a sort
    return joined[order], _column(counts, np.uint16)[order]


def _ranges(parts: Living, places: Sequence[Array], terms: int) -> Iterator[tuple[int, int]]:
    """Ranges of terms that hold about ``RANGE_POSTINGS`` each."""
    total = np.zeros(terms, dtype=np.int64)
    for (part, _), place in zip(parts, places, strict=True):
        total[place] += np.diff(part.indptr)
    upto = np.cumsum(total)
    marks = np.arange(RANGE_POSTINGS, int(upto[-1]) if terms else 0, RANGE_POSTINGS)
    borders = np.unique(np.concatenate([[0], np.searchsorted(upto, marks), [terms]]))
    yield from pairwise(borders.astype(np.int64).tolist())


def _moved(parts: Living, order: Array) -> list[Array]:
    """For each part the (n,) int64 new row of each of its rows; -1 for the dead."""
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    moved: list[Array] = []
    start = 0
    for part, alive in parts:
        living = int(alive.sum())
        to = np.full(part.ids.size, -1, dtype=np.int64)
        to[alive] = place[start : start + living]
        start += living
        moved.append(to)
    return moved


def _groups_of(part: Segment, alive: Array) -> set[tuple[str, ...]]:
    present = set[int](part.group_sets[alive].tolist())
    return {names for at, names in enumerate(part.groups) if at in present}


def _column(arrays: Sequence[Array], dtype: npt.DTypeLike) -> Array:
    return np.concatenate([np.zeros(0, dtype), *arrays])
