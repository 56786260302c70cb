"""The lexical index of one collection: passages and queries in, BM25 scores out (ports.LexicalIndex).

A large immutable main segment on disk and small segments for what came since, all holding term counts;
scores are computed from the counts of all of them together, so they do not depend on when a merge happened.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from appliance.domain import Passage, PassageId, Scope, Scored, Specificity
from appliance.store.bm25_generation import (
    Generation,
    damaged,
    last_number,
    open_generation,
    write_generation,
)
from appliance.store.bm25_journal import Change, change
from appliance.store.bm25_score import best
from appliance.store.bm25_segment import Array, Segment, combined, segment_of, segments_of
from appliance.store.bm25_specificity import specificity
from appliance.store.checksums import ids_checksum
from appliance.store.index_files import disk_errors

DELTA_ROWS = 2_000
DELTA_SHARE = 0.2
Parts = tuple[tuple[Segment, Array], ...]


class Bm25Index:
    """One folder, one writing process. Searches run beside writers on the state they found."""

    def __init__(self, folder: Path) -> None:
        """Opens and verifies. Raises DamagedError (also when nothing is there): then :meth:`build`."""
        with disk_errors(folder):
            self._take(folder, open_generation(folder))
            try:
                for record in self._journal.changes():
                    self._parts = _applied(self._parts, record)
            except (ValueError, KeyError, msgspec.MsgspecError) as error:
                self.close()
                raise damaged(folder, str(error)) from error

    @classmethod
    def build(cls, folder: Path, passages: Iterable[Passage]) -> Bm25Index:
        """An open index over these passages; what was in the folder is replaced."""
        index = cls.__new__(cls)
        with disk_errors(folder):
            segment = combined([(part, _all(part)) for part in segments_of(passages)])
            index._take(folder, write_generation(folder, last_number(folder) + 1, segment))
        return index

    @staticmethod
    def discard(folder: Path) -> None:
        """Remove the index of a collection that is gone."""
        shutil.rmtree(folder, ignore_errors=True)

    def _take(self, folder: Path, generation: Generation) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._number, segment, self._journal = generation
        self._parts: Parts = ((segment, _all(segment)),)

    @property
    def generation(self) -> int:
        """Grows by one with each merge and each build."""
        return self._number

    def upsert(self, passages: Sequence[Passage]) -> None:
        """Add or replace by id; on disk and searchable when it returns. Raises StorageFullError."""
        if passages:
            added = segment_of(passages)
            self._commit(change(added.ids, added))

    def delete(self, ids: Iterable[PassageId]) -> None:
        """Strike out; unknown ids are ignored."""
        wanted = np.unique(np.fromiter(ids, dtype=np.int64))
        with self._lock:
            known = np.isin(wanted, self._held())
            if known.any():
                self._commit(change(wanted[known], None))

    def search(self, queries: Sequence[str], k: int, scope: Scope) -> list[list[Scored]]:
        """Per query up to ``k`` readable passages with a positive score, best first, ties by passage id."""
        return best(self._parts, queries, k, scope)

    def specificity(self, query: str) -> Specificity:
        """How rare the query's terms are here."""
        return specificity(self._parts, query)

    def count(self) -> int:
        """Passages held."""
        return sum(int(alive.sum()) for _, alive in self._parts)

    def ids_checksum(self) -> str:
        """See :func:`appliance.store.checksums.ids_checksum`: compare with SQLite's."""
        return ids_checksum(self._held().tolist())

    def merge(self) -> None:
        """Fold the delta into a new main generation; the result is what :meth:`build` would give."""
        with self._lock, disk_errors(self._folder):
            fresh = write_generation(self._folder, self._number + 1, combined(self._parts))
            self.close()
            self._number, segment, self._journal = fresh
            self._parts = ((segment, _all(segment)),)

    def close(self) -> None:
        """Let go of the journal; the index can be opened again."""
        self._journal.close()

    def _commit(self, record: Change) -> None:
        with self._lock:
            with disk_errors(self._folder):
                self._journal.append(record)
            self._parts = _applied(self._parts, record)
            main, *delta = (segment.ids.size for segment, _ in self._parts)
            if sum(delta) > max(DELTA_ROWS, DELTA_SHARE * main):
                self.merge()

    def _held(self) -> Array:
        return np.concatenate([segment.ids[alive] for segment, alive in self._parts])


def _all(segment: Segment) -> Array:
    return np.ones(segment.ids.size, dtype=bool)


def _applied(parts: Parts, record: Change) -> Parts:
    """The state after one record. Small segments of like size are joined, so there are only a few."""
    removed = record.removed_ids()
    after: list[tuple[Segment, Array]] = []
    for segment, alive in parts:
        rows = segment.find(removed)
        if rows.size:
            alive = alive.copy()
            alive[rows] = False
        after.append((segment, alive))
    if (added := record.added()) is not None:
        after.append((added, _all(added)))
    while len(after) > 2 and after[-2][0].ids.size <= 2 * after[-1][0].ids.size:
        joined = combined(after[-2:])
        after[-2:] = [(joined, _all(joined))]
    return tuple(after)
