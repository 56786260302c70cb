# pyright: basic
"""The best passages of one query, exact, ties included, at a cost that is bounded whatever the index holds.

Up to ``STRAIGHT_POSTINGS`` are simply added up. Where a query's words hold more, postings are read by falling
upper bound (Fagin, Lotem and Naor 2003, "Optimal aggregation algorithms"; Turtle and Flood 1995, MaxScore):
as soon as what is unread cannot lift a passage that was not seen into the first k, only passages already seen
are looked up in it. Both ways give the same figures to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from appliance.store.bm25_reading import Reading, Run, Term
from appliance.store.bm25_segment import Array

STRAIGHT_POSTINGS = 400_000
"""Added up in about 4 ms, which is what reading by bounds costs."""
FEW_ROWS = 16_384
"""Where a scope leaves no more, each of them is looked up in the postings, unless those are fewer still."""
_LOOKUP = 4
"""What looking up a row costs, in postings added up."""
FIRST_CHECK = 1_024
"""Postings read before it is first asked whether enough is known; then whenever they have doubled."""
_EXACT_ROWS = 256
"""Rows scored exactly at first, best guesses first; twice as many each time after."""
_DENSE = 32
"""The totals of a part are looked through when there are at most so many for each posting read."""
_SLACK = 1e-9
"""Sums of one passage in another order differ by less (relative)."""


class Scratch:
    """Accumulators, all zero between uses; as many as searches ever ran at once."""

    def __init__(self) -> None:
        self._idle: list[Array] = []

    def take(self, rows: int) -> Array:
        """(rows or more,) float64 zeros."""
        try:
            taken = self._idle.pop()
        except IndexError:
            taken = np.zeros(0)
        return taken if taken.size >= rows else np.zeros(rows + rows // 4)

    def give(self, used: Array, touched: Array) -> None:
        """Take back what is zero but for the touched rows."""
        used[touched] = 0.0
        self._idle.append(used)


def top(reading: Reading, terms: Sequence[Term], k: int, scratch: Scratch) -> tuple[Array, Array]:
    """Passage ids and float64 scores, at most ``k``, best first, ties by id."""
    if not terms:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    held, few = sum(reading.held(term) for term, _ in terms), reading.readable_at_most
    if few <= FEW_ROWS and few * len(terms) * _LOOKUP <= held:
        return _first(reading, reading.all_readable, reading.scores(terms, reading.all_readable), k)
    if held <= STRAIGHT_POSTINGS:
        return _first(reading, *_added_up(reading, terms, k, scratch), k)
    rows, partial, unread = _seen(reading, terms, k, scratch)
    order = np.argsort(-partial, kind="stable")
    rows, partial = rows[order], partial[order]
    scored: list[tuple[Array, Array]] = []
    least, start, size = 0.0, 0, max(_EXACT_ROWS, 2 * k)
    while start < rows.size and partial[start] + unread >= least * (1 - _SLACK):
        # what a first look knows of them falls: once that cannot reach the k-th, none of the rest can
        some = np.sort(rows[start : start + size])
        scored.append((some, reading.scores(terms, some)))
        least = _kth(np.concatenate([scores for _, scores in scored]), k)
        start, size = start + size, 2 * size
    found = np.concatenate([np.zeros(0, np.int64), *(some for some, _ in scored)])
    scores = np.concatenate([np.zeros(0), *(scores for _, scores in scored)])
    return _first(reading, found, scores, k)


def _added_up(reading: Reading, terms: Sequence[Term], k: int, scratch: Scratch) -> tuple[Array, Array]:
    """At least the first ``k`` readable rows, and their scores, summed in the order of the terms."""
    found: list[Array] = [np.zeros(0, dtype=np.int64)]
    scores = [np.zeros(0)]
    for at, part in enumerate(reading.parts):
        read = [(reading.whole(term, at), factor) for term, factor in terms]
        total = scratch.take(part.rows)
        touched = np.zeros(0, dtype=np.int64)
        try:
            for (rows, saturated), factor in read:
                np.add.at(total, rows, factor * saturated)
            touched = _touched([rows for (rows, _), _ in read], total[: part.rows])
            rows, values = _readable_best(reading, at, touched, total[touched], k)
        finally:
            scratch.give(total, touched)
        found.append(rows + reading.offsets[at])
        scores.append(values)
    return np.concatenate(found), np.concatenate(scores)


def _touched(postings: Sequence[Array], totals: Array) -> Array:
    """(n,) int64 rows whose total is above zero, ascending."""
    held = sum(some.size for some in postings)
    if _DENSE * held >= totals.size:
        return np.flatnonzero(totals > 0)
    rows = np.sort(np.concatenate(postings))
    return rows[np.concatenate([[True], rows[1:] != rows[:-1]])] if rows.size else rows


def _readable_best(reading: Reading, at: int, touched: Array, values: Array, k: int) -> tuple[Array, Array]:
    """Rows of a part with their values: at least the first ``k`` of those that may be seen, ties included."""
    most = 4 * k
    while True:
        least = _kth(values, most)
        places = np.flatnonzero(values >= least)
        rows = touched[places]
        mask = reading.readable(at, rows)
        if mask is not None:
            places, rows = places[mask], rows[mask]
        if least <= 0 or rows.size >= k:
            return rows, values[places]
        most *= 8


def _seen(reading: Reading, terms: Sequence[Term], k: int, scratch: Scratch) -> tuple[Array, Array, float]:
    """Every row that may be among the first k, what is known of its score, and the most that can be added."""
    runs = sorted(
        (
            (run.most * term.factor, at, run)
            for at, term in enumerate(terms)
            for run in reading.runs(term.term)
        ),
        key=lambda each: -each[0],
    )
    unread = _unread([(bound, at) for bound, at, _ in runs])
    total = scratch.take(reading.rows)
    touched: list[Array] = [np.zeros(0, dtype=np.int64)]
    read, check, done = 0, FIRST_CHECK, 0
    try:
        for done, (_, at, run) in enumerate(runs):
            if read >= check:
                check = 2 * read
                least = _least(reading, terms, touched, total, k, unread[done]) * (1 - _SLACK)
                if unread[done] < least:
                    candidates = np.count_nonzero(total[touched[0]] + unread[done] >= least)
                    if candidates * len(terms) * _LOOKUP <= sum(run.size for _, _, run in runs[done:]):
                        break  # looking these up is less work than reading on
            read += _accumulate(reading, terms[at], run, total, touched)
        else:
            done = len(runs)
        rows = np.concatenate(touched)
        partial = total[rows]
    finally:
        scratch.give(total, np.concatenate(touched))
    left = unread[done]
    keep = partial + left >= _kth(partial, k) * (1 - _SLACK)
    return rows[keep], partial[keep], left


def _accumulate(reading: Reading, term: Term, run: Run, total: Array, touched: list[Array]) -> int:
    """Add a run to the totals; how many rows it had."""
    rows, saturated = reading.read(term.term, run)
    before = total[rows]
    touched.append(rows[before == 0])
    total[rows] = before + term.factor * saturated
    return int(rows.size)


def _unread(bounds: Sequence[tuple[float, int]]) -> list[float]:
    """For each place in the order, and after the last: the most that a passage can still get from there on.

    That is the sum over the terms of their highest bound that is still to come.
    """
    highest: dict[int, float] = {}
    unread, total = [0.0], 0.0
    for bound, term in reversed(bounds):
        total += bound - highest.get(term, 0.0)
        highest[term] = bound
        unread.append(total)
    unread.reverse()
    return unread


def _least(
    reading: Reading, terms: Sequence[Term], touched: list[Array], total: Array, k: int, unread: float
) -> float:
    """A score that k readable passages are known to reach; 0 while there are fewer."""
    touched[:] = [np.concatenate(touched)]
    rows = touched[0]
    if rows.size < k:
        return 0.0
    partial = total[rows]
    at = np.argpartition(partial, partial.size - k)[partial.size - k :]
    known = float(partial[at].min())
    if known <= unread < 2 * known:  # worth looking these k up in what is unread
        return max(known, float(reading.scores(terms, np.sort(rows[at])).min()))
    return known


def _kth(scores: Array, k: int) -> float:
    """The k-th best; 0 when there are fewer."""
    return float(np.partition(scores, scores.size - k)[scores.size - k]) if scores.size >= k else 0.0


def _first(reading: Reading, rows: Array, scores: Array, k: int) -> tuple[Array, Array]:
    """The best of these rows, cut to ``k`` only after ties are in order."""
    keep = scores > 0
    rows, scores = rows[keep], scores[keep]
    if scores.size > k:
        keep = scores >= _kth(scores, k)
        rows, scores = rows[keep], scores[keep]
    ascending = np.argsort(rows)
    rows, scores = rows[ascending], scores[ascending]
    ids = reading.ids(rows)
    order = np.lexsort((ids, -scores))[:k]
    return ids[order], scores[order]
