"""Stored passages into both indexes, a window at a time; killed anywhere, it goes on where it was.

SQLite says first that a window is being written and last that it is there, and every write in between can be
repeated, so no passage is lost and none is there twice.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from appliance.domain import DocumentId, Passage
from appliance.ingest.embedding import IndexingTotals, PassageEmbedding
from appliance.ingest.indexes import Indexes
from appliance.ingest.progress import Cancelled, IngestProgress, Stage, Tell, stop_if
from appliance.ingest.repositories import Repositories
from appliance.ports import Embedder
from appliance.store.embedding_cache import EmbeddingCache
from appliance.store.index_queue import IndexState

WINDOW_PASSAGES = 1_024
"""Read, sorted by length and written together: large enough that batches hold texts of one length."""
PATIENCE_S = 4.0
"""So long a few passages wait for more to come …"""
EXPRESS_PATIENCE_S = 0.3
"""… and so long those of a small or urgent file."""
EXPRESS_EVERY_S = 1.0
"""While a window of large files is embedded, small ones are looked for this often."""
_REMOVE_AT_ONCE = 5_000


class Indexer:
    """Keeps both indexes of a collection in step with SQLite."""

    def __init__(
        self,
        repositories: Repositories,
        indexes: Indexes,
        embedder: Embedder,
        cache: EmbeddingCache,
        batch_passages: int,
    ) -> None:
        """``batch_passages``: how many vectors are kept and told at once."""
        self._queue = repositories.queue
        self._repositories = repositories
        self._indexes = indexes
        self._embedding = PassageEmbedding(embedder, cache, batch_passages)
        self._waiting_since: dict[str, float] = {}
        self._express_at = 0.0

    @property
    def totals(self) -> IndexingTotals:
        """What was done since ``start_counting``."""
        return self._embedding.totals

    def start_counting(self) -> None:
        """Set the totals to nothing."""
        self._embedding.totals = IndexingTotals()

    def due_window(self, collection: str, tell: Tell, cancelled: Cancelled) -> None:
        """Index a window if a whole one waits, or fewer passages wait for long; small files do not wait."""
        if self._due(collection):
            self._waiting_since.pop(collection, None)
            self.remove_leaving(collection)
            self._window(collection, tell, cancelled)
            self._repositories.jobs.complete(collection)

    def _due(self, collection: str) -> bool:
        waiting = self._queue.pending_count(collection, WINDOW_PASSAGES)
        if not waiting:
            self._waiting_since.pop(collection, None)
            return False
        waited_s = time.monotonic() - self._waiting_since.setdefault(collection, time.monotonic())
        if waiting >= WINDOW_PASSAGES or waited_s >= PATIENCE_S:
            return True
        return waited_s >= EXPRESS_PATIENCE_S and collection in self._repositories.schedule.express()

    def everything(self, collection: str, tell: Tell, cancelled: Cancelled) -> None:
        """Remove what has left, index all that waits, let a merge come to its end and note what is held."""
        changed = self.remove_leaving(collection)
        while self._window(collection, tell, cancelled):
            changed = True
        if changed:
            lexical = self._indexes.lexical(collection)
            lexical.settle()
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
        express = True
        passages = self._queue.claim(collection, WINDOW_PASSAGES, express=True)
        if not passages:
            express = False
            passages = self._queue.claim(collection, WINDOW_PASSAGES)
        if not passages:
            return False
        self._fill(collection, passages, tell, cancelled, interrupted=not express)
        return True

    def _fill(
        self,
        collection: str,
        passages: Sequence[Passage],
        tell: Tell,
        cancelled: Cancelled,
        *,
        interrupted: bool,
    ) -> None:
        waiting = self._queue.pending_count(collection)

        def told(done: int) -> None:
            indexed = self.totals.indexed
            tell(
                IngestProgress(
                    stage=Stage.INDEX, collection=collection, indexed=indexed, pending=waiting - done
                )
            )

        def between() -> None:
            if interrupted:
                self._express(tell, cancelled)

        vectors, embed_s = self._embedding.vectors(passages, cancelled, told=told, between=between)
        started = time.perf_counter()
        self._indexes.dense(collection).upsert(passages, vectors)
        self._indexes.lexical(collection).upsert(passages)
        self._queue.mark_indexed(passage.id for passage in passages)
        index_s = time.perf_counter() - started
        self.totals.index_seconds += index_s
        reports = self._repositories.reports
        reports.spent_on(collection, "embed", _shares(passages, embed_s))
        reports.spent_on(collection, "index", _shares(passages, index_s))
        documents = list(dict.fromkeys(passage.document_id for passage in passages))
        self._repositories.jobs.complete_documents(collection, documents)

    def _express(self, tell: Tell, cancelled: Cancelled) -> None:
        """Small files that came while a window of large ones is embedded go in between."""
        if time.monotonic() < self._express_at:
            return
        for waiting in self._repositories.schedule.express():
            passages = self._queue.claim(waiting, WINDOW_PASSAGES, express=True)
            if passages:
                self._fill(waiting, passages, tell, cancelled, interrupted=False)
        self._express_at = time.monotonic() + EXPRESS_EVERY_S


def _shares(passages: Sequence[Passage], seconds: float) -> dict[DocumentId, float]:
    """Seconds by document, in proportion to the tokens that each has in the window."""
    tokens: Counter[DocumentId] = Counter()
    for passage in passages:
        tokens[passage.document_id] += passage.token_count + 1
    whole = sum(tokens.values())
    return {document: round(seconds * count / whole, 4) for document, count in tokens.items()}
