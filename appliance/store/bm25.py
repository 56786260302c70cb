"""The lexical index of one collection: passages and queries in, BM25 scores out (ports.LexicalIndex).

A large immutable main segment on disk and small segments for what came since, all holding term counts;
scores are computed from the counts of all of them together, so they do not depend on when a merge happened.
Merges run beside: neither searches nor writes wait for one.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from appliance.domain import Passage, PassageId, Scope, Scored, WeightedQuery
from appliance.store.bm25_combine import combined
from appliance.store.bm25_generation import (
    Generation,
    damaged,
    last_number,
    open_generation,
    write_generation,
)
from appliance.store.bm25_journal import Change, change
from appliance.store.bm25_merge import Merge
from appliance.store.bm25_parts import Part, Parts, applied
from appliance.store.bm25_score import best, specificity
from appliance.store.bm25_segment import Array, Segment, segment_of, segments_of
from appliance.store.bm25_top import Scratch
from appliance.store.checksums import ids_checksum
from appliance.store.index_files import disk_errors

DELTA_ROWS = 2_000
DELTA_SHARE = 0.2
DELTA_MOST = 40_000
"""A merge begins once rows added and struck out are more than this share of the main segment."""
SETTLED_ROWS = 20_000
"""So few rows are merged in a moment: an index of this size is left without a delta after an ingest."""


class Bm25Index:
    """One folder, one writing process. Searches run beside writers on the state they found."""

    def __init__(self, folder: Path) -> None:
        """Opens and verifies. Raises DamagedError (also when nothing is there): then :meth:`build`."""
        with disk_errors(folder):
            self._take(folder, open_generation(folder))
            try:
                for record in self._journal.changes():
                    self._parts = applied(self._parts, record)
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
        self._scratch = Scratch()
        self._merging: Merge | None = None
        self._merge_failed: Exception | None = None
        self._number, segment, self._journal = generation
        self._parts: Parts = (Part.whole(segment),)
        self.postings_read = 0
        """By the last search: what its cost is proportional to."""

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
            known = np.zeros(wanted.size, dtype=bool)
            for part in self._parts:
                known |= part.holds(wanted)
            if known.any():
                self._commit(change(wanted[known], None))

    def search(self, queries: Sequence[str | WeightedQuery], k: int, scope: Scope) -> list[list[Scored]]:
        """Per query up to ``k`` readable passages with a positive score, best first, ties by passage id."""
        answers, self.postings_read = best(self._parts, queries, k, scope, self._scratch)
        return answers

    def specificity(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        """Per text its distinct tokens, in order, with their idf."""
        return specificity(self._parts, texts)

    def count(self) -> int:
        """Passages held."""
        return sum(part.living for part in self._parts)

    def ids_checksum(self) -> str:
        """See :func:`appliance.store.checksums.ids_checksum`: compare with SQLite's."""
        return ids_checksum(np.concatenate([part.living_ids() for part in self._parts]).tolist())

    def merge(self) -> None:
        """Fold all that was written before this call into a new main generation; waits for it.

        The result is what :meth:`build` would give. Searches and writes go on meanwhile. Raises
        StorageFullError, BackendError.
        """
        self._wait()
        self._begin().wait()
        self._raise_failed()

    def settle(self) -> None:
        """Wait for a merge that runs beside; leave a small index without a delta. Raises as :meth:`merge`."""
        self._wait()
        self._raise_failed()
        if len(self._parts) > 1 and sum(part.rows for part in self._parts) <= SETTLED_ROWS:
            self.merge()

    def close(self) -> None:
        """Let go of the journal; the index can be opened again. A merge that runs beside is given up."""
        with self._lock:
            merging = self._merging
            if merging is not None:
                merging.cancel()
        self._wait()
        self._journal.close()

    def _commit(self, record: Change) -> None:
        with self._lock:
            with disk_errors(self._folder):
                self._journal.append(record)
            self._parts = applied(self._parts, record)
            if self._merging is not None:
                self._merging.since.append(record)
            elif self._merge_failed is None and self._merge_due():
                self._begin()

    def _merge_due(self) -> bool:
        main, *delta = self._parts
        changed = sum(part.rows for part in delta) + int(main.dead.size)
        return changed > max(DELTA_ROWS, min(DELTA_SHARE * main.rows, DELTA_MOST))

    def _begin(self) -> Merge:
        """A merge of the present state, running beside; the one that runs already, if one does."""
        with self._lock:
            if self._merging is None:
                self._merging = Merge(self._folder, self._number + 1, self._parts, self._finish)
                self._merging.start()
            return self._merging

    def _finish(self, merge: Merge) -> None:
        """Called by the merge's thread at its end: what came since follows, then the new state is valid."""
        with self._lock:
            try:
                if (fresh := merge.activated()) is not None:
                    parts: Parts = (Part.whole(fresh.segment),)
                    for record in merge.since:
                        parts = applied(parts, record)
                    self._journal.close()
                    self._number, self._journal, self._parts = fresh.number, fresh.journal, parts
                self._merge_failed = merge.error
            finally:
                self._merging = None

    def _wait(self) -> None:
        with self._lock:
            merging = self._merging
        if merging is not None:
            merging.wait()

    def _raise_failed(self) -> None:
        failed, self._merge_failed = self._merge_failed, None
        if failed is not None:
            raise failed


def _all(segment: Segment) -> Array:
    return np.ones(segment.ids.size, dtype=bool)
