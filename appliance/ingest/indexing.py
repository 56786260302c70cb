"""Stored passages into both indexes, a window at a time; killed anywhere, it goes on where it was.

SQLite says first that a window is being written and last that it is there, and every write in between can be
repeated, so no passage is lost and none is there twice.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec
import numpy as np

from appliance.domain import Passage
from appliance.ingest.indexes import Indexes
from appliance.ingest.progress import Cancelled, IngestProgress, Stage, Tell, stop_if
from appliance.ports import Embedder, Vectors
from appliance.store.embedding_cache import EmbeddingCache
from appliance.store.index_queue import IndexQueue, IndexState

WINDOW_PASSAGES = 1_024
"""Read, sorted by length and written together: large enough that batches hold texts of one length."""
_REMOVE_AT_ONCE = 5_000


class IndexingTotals(msgspec.Struct, kw_only=True):
    """Running figures of one indexer."""

    indexed: int = 0
    cached: int = 0
    embedded_tokens: int = 0
    embed_seconds: float = 0.0


class Indexer:
    """Keeps both indexes of a collection in step with SQLite."""

    def __init__(
        self,
        queue: IndexQueue,
        indexes: Indexes,
        embedder: Embedder,
        cache: EmbeddingCache,
        batch_passages: int,
    ) -> None:
        """``batch_passages``: how many texts the embedder gets between two looks at ``cancelled``."""
        self._queue = queue
        self._indexes = indexes
        self._embedder = embedder
        self._cache = cache
        self._batch_passages = batch_passages
        self.totals = IndexingTotals()

    def full_windows(self, collection: str, tell: Tell, cancelled: Cancelled) -> None:
        """Index while a whole window waits, and leave the rest for more to come."""
        while self._queue.pending_count(collection) >= WINDOW_PASSAGES:
            self._window(collection, tell, cancelled)

    def everything(self, collection: str, tell: Tell, cancelled: Cancelled) -> None:
        """Remove what has left, index all that waits, fold the lexical deltas and note what is held."""
        changed = self.remove_leaving(collection)
        while self._window(collection, tell, cancelled):
            changed = True
        if changed:
            lexical = self._indexes.lexical(collection)
            lexical.merge()
            state = self._queue.expected(collection)
            self._queue.record(collection, "lexical", lexical.generation, state)
            self._queue.record(collection, "dense", 0, state)

    def remove_leaving(self, collection: str) -> bool:
        """Take passages of older versions and deleted documents out of both; whether there were any."""
        found = False
        while ids := self._queue.leaving(collection, _REMOVE_AT_ONCE):
            found = True
            self._queue.begin(ids)
            self._indexes.dense(collection).delete(ids)
            self._indexes.lexical(collection).delete(ids)
            self._queue.mark_removed(ids)
        return found

    def take_back_unsure(self, collection: str) -> None:
        """After a kill: what may be half written is taken out, and waits again. No embedding is needed."""
        while ids := self._queue.unsure(collection, _REMOVE_AT_ONCE):
            self._queue.begin(ids)
            self._indexes.dense(collection).delete(ids)
            self._indexes.lexical(collection).delete(ids)
            self._queue.mark_removed(ids)

    def held(self, collection: str) -> tuple[IndexState, IndexState]:
        """What the dense and the lexical index say that they hold."""
        dense, lexical = self._indexes.dense(collection), self._indexes.lexical(collection)
        return (
            IndexState(count=dense.count(), checksum=dense.ids_checksum()),
            IndexState(count=lexical.count(), checksum=lexical.ids_checksum()),
        )

    def _window(self, collection: str, tell: Tell, cancelled: Cancelled) -> bool:
        stop_if(cancelled)
        passages = self._queue.claim(collection, WINDOW_PASSAGES)
        if not passages:
            return False
        vectors = self._vectors(collection, passages, tell, cancelled)
        self._indexes.dense(collection).upsert(passages, vectors)
        self._indexes.lexical(collection).upsert(passages)
        self._queue.mark_indexed(passage.id for passage in passages)
        return True

    def _vectors(
        self, collection: str, passages: Sequence[Passage], tell: Tell, cancelled: Cancelled
    ) -> Vectors:
        texts = [passage.indexed_text() for passage in passages]
        known = self._cache.get_many("passage", texts)
        vectors: Vectors = np.empty((len(texts), self._embedder.dim), dtype=np.float32)
        for position, vector in known.items():
            vectors[position] = vector
        self.totals.cached += len(known)
        self.totals.indexed += len(known)
        missing = [position for position in range(len(texts)) if position not in known]
        missing.sort(key=lambda position: passages[position].token_count)
        waiting = self._queue.pending_count(collection)
        for start in range(0, len(missing), self._batch_passages):
            stop_if(cancelled)
            batch = missing[start : start + self._batch_passages]
            vectors[batch] = self._embed([texts[position] for position in batch])
            self.totals.indexed += len(batch)
            self.totals.embedded_tokens += sum(passages[position].token_count for position in batch)
            done = len(known) + start + len(batch)
            tell(
                IngestProgress(
                    stage=Stage.INDEX,
                    collection=collection,
                    indexed=self.totals.indexed,
                    pending=waiting - done,
                )
            )
        return vectors

    def _embed(self, texts: list[str]) -> Vectors:
        started = time.perf_counter()
        vectors = self._embedder.embed_passages(texts)
        self.totals.embed_seconds += time.perf_counter() - started
        self._cache.put_many("passage", texts, vectors)
        return vectors
