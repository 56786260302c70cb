"""What the indexes hold of a collection and what they have still to learn: bookkeeping for ingest.

These are the system's own reads: they see every passage and never answer a person (that is ``passages.py``).

    ABSENT ──begin──► WRITING ──mark_indexed──► PRESENT ──a field that indexes hold changes──► STALE
                        │  (killed here: maybe in the indexes, written again)                    │
                        └──mark_removed──► ABSENT                        begin ◄─────────────────┘
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum

import msgspec

from appliance.domain import Passage, PassageId, Priority
from appliance.store.checksums import ids_checksum
from appliance.store.passages import PASSAGE_SELECT, passage_of
from appliance.store.sqlite import Database
from appliance.store.visibility import json_text


class IndexedState(IntEnum):
    """Column ``passages.indexed``."""

    ABSENT = 0
    PRESENT = 1
    WRITING = 2
    STALE = 3


class IndexState(msgspec.Struct, frozen=True, kw_only=True):
    """How many passages an index must hold, and which."""

    count: int
    checksum: str


class IndexQueue:
    """Passages on their way into and out of the indexes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, collection: str, limit: int, *, express: bool = False) -> list[Passage]:
        """``pending``, marked as being written in the same transaction: what changes later is seen.

        With ``express`` only passages of small or urgent files that nobody is writing yet.
        """
        with self._database.transaction():
            passages = self._express(collection, limit) if express else self.pending(collection, limit)
            self.begin(passage.id for passage in passages)
        return passages

    def _express(self, collection: str, limit: int) -> list[Passage]:
        where = (
            "WHERE p.collection = ?1 AND p.current = 1 AND p.indexed <> 1 AND p.indexed <> 2"
            " AND p.document_id IN (SELECT e.id FROM ingest_jobs j JOIN documents e"
            " ON e.collection = j.collection AND e.record_id = j.record_id WHERE j.state = 'stored'"
            f" AND j.collection = ?1 AND (j.size_class = 0 OR j.priority >= {Priority.HIGH:d}))"
            " ORDER BY p.id LIMIT ?2"
        )
        return [
            passage_of(row) for row in self._database.query(f"{PASSAGE_SELECT} {where}", (collection, limit))
        ]

    def pending(self, collection: str, limit: int) -> list[Passage]:
        """Current passages that the indexes lack or have in an old form, by id."""
        where = "WHERE p.collection = ? AND p.current = 1 AND p.indexed <> 1 ORDER BY p.id LIMIT ?"
        rows = self._database.query(f"{PASSAGE_SELECT} {where}", (collection, limit))
        return [passage_of(row) for row in rows]

    def unsettled_collections(self) -> list[str]:
        """Collections whose indexes have something to learn or to forget."""
        rows = self._database.query(
            "SELECT collection FROM passages WHERE current = 1 AND indexed <> 1"
            " UNION SELECT collection FROM passages WHERE current = 0 AND indexed <> 0"
            " UNION SELECT collection FROM removed_passages ORDER BY 1"
        )
        return [str(row[0]) for row in rows]

    def pending_count(self, collection: str, most: int = -1) -> int:
        """How many passages wait; counted up to ``most``."""
        row = self._database.one(
            "SELECT count(*) FROM (SELECT 1 FROM passages WHERE collection = ? AND current = 1"
            " AND indexed <> 1 LIMIT ?)",
            (collection, most),
        )
        return int(row[0]) if row else 0

    def leaving(self, collection: str, limit: int) -> list[PassageId]:
        """Passages of older versions and of deleted documents that the indexes may still hold, by id."""
        return self._ids(
            "SELECT id FROM passages WHERE collection = ?1 AND current = 0 AND indexed <> 0"
            " UNION ALL SELECT id FROM removed_passages WHERE collection = ?1 ORDER BY 1 LIMIT ?2",
            (collection, limit),
        )

    def unsure(self, collection: str, limit: int) -> list[PassageId]:
        """Current passages that a killed process may, or may not, have written into the indexes."""
        return self._ids(
            "SELECT id FROM passages WHERE collection = ? AND current = 1 AND indexed <> 1 AND indexed <> 0"
            " ORDER BY id LIMIT ?",
            (collection, limit),
        )

    def begin(self, ids: Iterable[PassageId]) -> None:
        """Say, durably and first, that the indexes are about to change for these passages."""
        self._set(ids, f"indexed = {IndexedState.WRITING:d}", "1")

    def mark_indexed(self, ids: Iterable[PassageId]) -> None:
        """Both indexes hold them; those that changed since ``begin`` stay pending."""
        self._set(ids, f"indexed = {IndexedState.PRESENT:d}", f"indexed = {IndexedState.WRITING:d}")

    def mark_removed(self, ids: Iterable[PassageId]) -> None:
        """No index holds them any more; tombstones of deleted documents are dropped."""
        marked = list(ids)
        with self._database.transaction() as connection:
            self._set(marked, f"indexed = {IndexedState.ABSENT:d}", f"indexed = {IndexedState.WRITING:d}")
            connection.execute(
                "DELETE FROM removed_passages WHERE id IN (SELECT value FROM json_each(?))",
                (json_text(marked),),
            )

    def expected(self, collection: str) -> IndexState:
        """Count and ids checksum of what is marked as indexed, to compare with each index."""
        rows = self._database.query(
            "SELECT id FROM passages WHERE collection = ? AND indexed = 1", (collection,)
        )
        return IndexState(count=len(rows), checksum=ids_checksum(int(row[0]) for row in rows))

    def current(self, collection: str, batch: int = 1_000) -> Iterator[Passage]:
        """Every current passage by id, read a batch at a time."""
        last = 0
        where = "WHERE p.collection = ? AND p.current = 1 AND p.id > ? ORDER BY p.id LIMIT ?"
        while True:
            rows = self._database.query(f"{PASSAGE_SELECT} {where}", (collection, last, batch))
            if not rows:
                return
            for row in rows:
                yield passage_of(row)
            last = int(rows[-1]["id"])

    def forget(self, collection: str) -> None:
        """The indexes are about to be emptied: all current passages are pending again."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE passages SET indexed = 0 WHERE collection = ?", (collection,))
            connection.execute("DELETE FROM removed_passages WHERE collection = ?", (collection,))

    def record(self, collection: str, kind: str, generation: int, state: IndexState) -> None:
        """Keep what an index was found to hold when it was last complete."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO index_state VALUES (?, ?, ?, ?, ?)",
                (collection, kind, generation, state.count, state.checksum),
            )

    def _ids(self, sql: str, parameters: tuple[str, int]) -> list[PassageId]:
        return [PassageId(row[0]) for row in self._database.query(sql, parameters)]

    def _set(self, ids: Iterable[PassageId], assignment: str, where: str) -> None:
        with self._database.transaction() as connection:
            connection.execute(
                f"UPDATE passages SET {assignment} WHERE {where} AND id IN (SELECT value FROM json_each(?))",
                (json_text(list(ids)),),
            )
