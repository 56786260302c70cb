"""``assay ingest``: queue → store → index, durable and resumable at every point.

Arrives: paths and a collection. Leaves: an IngestReport; on the way, progress.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

from appliance.config import Ingest
from appliance.domain import DocumentId, IngestReport, MetadataChange, Priority, Scope
from appliance.errors import BusyError, ConfigError, RefusedFileError
from appliance.ingest.dispatch import Dispatch
from appliance.ingest.erasing import Eraser, ErasureReport
from appliance.ingest.indexes import Indexes
from appliance.ingest.indexing import Indexer
from appliance.ingest.pipeline import Pipeline
from appliance.ingest.progress import Cancelled, IngestProgress, Stage, Tell
from appliance.ingest.readers import Readers
from appliance.ingest.reading import Reading
from appliance.ingest.repositories import Repositories
from appliance.ingest.sidecars import Descriptions
from appliance.ingest.sources import SourceFile, find_sources
from appliance.ingest.storing import Storing
from appliance.ingest.upkeep import Upkeep
from appliance.ports import Embedder
from appliance.store.embedding_cache import EmbeddingCache
from appliance.store.job_order import RECORDS_LANE
from appliance.store.jobs import NewJob
from appliance.store.tiers import Tiers

NOTHING_SAID = MetadataChange()
ERASE_WAIT_S = 10.0


def _silent(_: IngestProgress) -> None:
    return


def _never() -> bool:
    return False


class Ingestor:
    """The use-case. One of its methods works at a time; others wait."""

    def __init__(
        self,
        repositories: Repositories,
        readers: Readers,
        indexes: Indexes,
        embedder: Embedder,
        cache: EmbeddingCache,
        settings: Ingest,
        *,
        results: Tiers | None = None,
    ) -> None:
        """``results`` of questions: erasing a document throws those of its collection away."""
        self._repositories = repositories
        self._readers = readers
        self._embedder = embedder
        self._settings = settings
        self._indexer = Indexer(repositories, indexes, embedder, cache, settings.batch_passages)
        self._storing = Storing(repositories)
        self._dispatch = Dispatch(
            repositories.schedule, Reading(repositories, readers), self._storing, settings.worker_count()
        )
        self._pipeline = Pipeline(repositories, self._dispatch, self._indexer)
        self._upkeep = Upkeep(repositories, indexes, self._indexer, embedder)
        self._eraser = Eraser(repositories, indexes, self._indexer, cache, results)
        self._working = threading.Lock()

    def ingest(
        self,
        paths: Sequence[Path],
        collection: str,
        *,
        change: MetadataChange = NOTHING_SAID,
        priority: Priority = Priority.NORMAL,
        tell: Tell = _silent,
        cancelled: Cancelled = _never,
    ) -> IngestReport:
        """Queue the files, then store and index them and whatever an earlier ingest left.

        ``change`` is what is said of all of them; it wins over what lies beside the files.

        Raises UserError (missing path, before anything), ConfigError (the collection was made with another
        embedder), StorageFullError, CancelledError; after each, the same command goes on.
        """
        queued = self.enqueue(paths, collection, change=change, priority=priority, tell=tell)
        return self.work(queued, tell=tell, cancelled=cancelled)

    def enqueue(
        self,
        paths: Sequence[Path],
        collection: str,
        *,
        change: MetadataChange = NOTHING_SAID,
        priority: Priority = Priority.NORMAL,
        tell: Tell = _silent,
    ) -> list[int]:
        """Job numbers. Originals are in the blob folder and the jobs in SQLite when this returns.

        Raises UserError, ConfigError as ``ingest`` does.
        """
        sources = find_sources(paths)
        return self.enqueue_sources(sources, collection, change=change, priority=priority, tell=tell)

    def enqueue_sources(
        self,
        sources: Sequence[SourceFile],
        collection: str,
        *,
        change: MetadataChange = NOTHING_SAID,
        priority: Priority = Priority.NORMAL,
        tell: Tell = _silent,
    ) -> list[int]:
        """``enqueue`` for files that were found already."""
        made_with = self._repositories.collections.ensure(collection, self._embedder.name).embedder
        if made_with != self._embedder.name:
            raise ConfigError(
                f"collection {collection!r} was made with {made_with}, not {self._embedder.name}",
                hint=f"set embedding.model to {made_with}, or run: assay rebuild --collection {collection}",
            )
        descriptions = Descriptions()
        jobs: list[NewJob] = []
        for source in sources:
            tell(IngestProgress(stage=Stage.QUEUE, collection=collection, message=str(source.path)))
            jobs.append(self._job(source, collection, change, priority, descriptions))
        return self._repositories.jobs.enqueue(jobs)

    def resume(self, *, tell: Tell = _silent, cancelled: Cancelled = _never) -> IngestReport:
        """Finish what a stopped or killed ingest left; nothing to do is a report of zeros."""
        return self.work([], tell=tell, cancelled=cancelled)

    def refresh(self, collection: str) -> None:
        """Let the indexes learn and forget what changed; left to a running ingest if there is one."""
        if self._working.acquire(blocking=False):
            try:
                self._indexer.everything(collection, _silent, _never)
            finally:
                self._working.release()

    def settle(self, collection: str) -> None:
        """Take deleted documents out of the indexes; left to a running ingest if there is one."""
        if self._working.acquire(blocking=False):
            try:
                self._indexer.remove_leaving(collection)
            finally:
                self._working.release()

    def delete(self, document: DocumentId, scope: Scope) -> int:
        """Nothing of it can be retrieved any more; how many passages went. Raises NotFoundError."""
        collection = self._repositories.documents.get(document, scope).collection
        gone = self.forget(document, scope)
        self.settle(collection)
        return gone

    def forget(self, document: DocumentId, scope: Scope) -> int:
        """``delete`` for one of many: call ``settle`` after the last. Raises NotFoundError."""
        return self._eraser.delete(document, scope)

    def erase(self, document: DocumentId, scope: Scope, *, unless_used: bool = False) -> ErasureReport:
        """No trace of it is left in the data folder but what the report names.

        ``unless_used`` is for a process that answers questions meanwhile. Raises NotFoundError, BusyError (an
        ingest is running, or a running question uses the document).
        """
        if not self._working.acquire(timeout=ERASE_WAIT_S):
            raise BusyError("an ingest is running", hint="wait for its end, then erase the document")
        try:
            return self._eraser.erase(document, scope, unless_used=unless_used)
        finally:
            self._working.release()

    def verify_indexes(self, collection: str, *, tell: Tell = _silent, cancelled: Cancelled = _never) -> str:
        """What was wrong with the collection's indexes and is mended; empty: nothing."""
        with self._working:
            return self._upkeep.verify(collection, tell, cancelled)

    def rebuild(self, collection: str, *, tell: Tell = _silent, cancelled: Cancelled = _never) -> int:
        """Make both indexes again from SQLite; how many passages they hold."""
        with self._working:
            return self._upkeep.rebuild(collection, tell, cancelled)

    def _job(
        self,
        source: SourceFile,
        collection: str,
        change: MetadataChange,
        priority: Priority,
        descriptions: Descriptions,
    ) -> NewJob:
        blob, size, reason = "", 0, source.trouble
        try:
            if not reason:
                size = self._checked_size(source.path)
                change = self._described(source, change, descriptions)
                blob = self._repositories.blobs.put_file(source.path).sha256
        except RefusedFileError as error:
            reason = str(error)
        except FileNotFoundError:
            reason = "it was gone before it could be read — ingest it again if it is back"
        except OSError as error:
            reason = f"cannot be read: {error.strerror} — check the file and its permissions"
        return NewJob(
            collection=collection,
            source=str(source.path),
            record_id=source.record_id,
            change=change,
            blob_sha256=blob,
            error=reason,
            bytes=size,
            priority=priority,
            root=str(source.root or ""),
            lane=RECORDS_LANE if self._readers.is_jsonl(source.path.name) else source.record_id,
        )

    def _described(
        self, source: SourceFile, change: MetadataChange, descriptions: Descriptions
    ) -> MetadataChange:
        """What was said on the command, over what lies beside the file."""
        change = change.over(descriptions.of(source.path, source.named or source.path.parent))
        if isinstance(change.document_id, str) and self._readers.is_jsonl(source.path.name):
            raise RefusedFileError(
                f"document_id {change.document_id!r} is said of all records of the file",
                hint="records have ids of their own",
            )
        return change

    def _checked_size(self, path: Path) -> int:
        size, most = path.stat().st_size, self._settings.max_file_bytes
        if size > most and not self._readers.is_jsonl(path.name):
            raise RefusedFileError(
                f"{size / 1e6:.0f} MB is more than the {most / 1e6:.0f} MB allowed",
                hint="split the file or raise ingest.max_file_bytes",
            )
        return size

    def work(
        self, queued: Sequence[int], *, tell: Tell = _silent, cancelled: Cancelled = _never
    ) -> IngestReport:
        """Store and index these jobs and all others that wait; a report on them."""
        started = time.perf_counter()
        with self._working:
            self._indexer.start_counting()
            ids = sorted({*queued, *self._repositories.jobs.open_ids()})
            gate = self._pipeline.unless_paused(cancelled, tell)
            self._pipeline.run(tell, cancelled)
            for collection in self._open_collections():
                self._indexer.everything(collection, tell, gate)
                self._repositories.jobs.complete(collection)
            return self._report(ids, time.perf_counter() - started)

    def _open_collections(self) -> list[str]:
        jobs, queue = self._repositories.jobs, self._repositories.queue
        return sorted({*jobs.open_collections(), *queue.unsettled_collections()})

    def _report(self, ids: Sequence[int], seconds: float) -> IngestReport:
        jobs, index = self._repositories.reports.totals(ids), self._indexer.totals
        return IngestReport(
            files=jobs.files,
            documents=jobs.documents,
            passages=jobs.passages,
            skipped=jobs.skipped,
            refused=jobs.refused,
            waiting=jobs.waiting,
            cancelled=jobs.cancelled,
            pages=jobs.pages,
            seconds=seconds,
            embed_seconds=index.embed_seconds,
            embedded_tokens=index.embedded_tokens,
            cached_embeddings=index.cached,
            stage_seconds={
                "parse": jobs.stage_seconds.get("parse", 0.0),
                "store": jobs.stage_seconds.get("store", 0.0),
                "embed": round(index.embed_seconds, 3),
                "index": round(index.index_seconds, 3),
            },
        )
